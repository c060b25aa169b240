//! Regular expressions that are in the code.

use regex::Regex;

/// Compiles a pattern that is in the code.
///
/// # Panics
///
/// Where it is no regular expression, which its first use in a test shows.
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a literal pattern")
}
