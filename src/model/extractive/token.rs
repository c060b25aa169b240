//! The words and numbers of a text, and the patterns of the source.

use std::sync::LazyLock;

use regex::Regex;

use crate::base::pattern::pattern;

static TOKEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[a-z\u{c0}-\u{1fff}\u{2c00}-\u{d7ff}]+(?:'[a-z]+)?|[0-9]+"));

/// Returns the words and numbers of a text, in lower case.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    TOKEN.find_iter(&text.to_ascii_lowercase()).map(|token| token.as_str().to_owned()).collect()
}

/// Returns whether a token is a number.
pub(crate) fn is_number(token: &str) -> bool {
    token.starts_with(char::is_numeric)
}
