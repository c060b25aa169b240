//! The words and numbers of a text, and the patterns of the source.

use std::sync::LazyLock;

use regex::Regex;

use crate::base::gather::Gather as _;
use crate::base::pattern::pattern;

static TOKEN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[a-z\u{c0}-\u{1fff}\u{2c00}-\u{d7ff}]+(?:'[a-z]+)?|[0-9]+"));

/// Returns the words and numbers of a text, in lower case.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    TOKEN.find_iter(&text.to_ascii_lowercase()).map(|token| token.as_str().to_owned()).gather()
}

/// Returns the words and numbers of a text in lower case, parted at apostrophes. For a script that parts no words, it returns
/// each pair of neighbouring characters, if `by_pairs`.
pub(crate) fn parted(folded: &str, by_pairs: bool) -> Vec<String> {
    let mut parted = Vec::new();
    for word in TOKEN.find_iter(folded).flat_map(|token| token.as_str().split('\'')) {
        let is_unparted = by_pairs && word.starts_with(|c| ('\u{3041}'..='\u{9fff}').contains(&c));
        let starts: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).gather();
        if is_unparted && starts.len() > 3 {
            parted.extend(starts.windows(3).map(|pair| word[pair[0]..pair[2]].to_owned()));
        } else if !word.is_empty() {
            parted.push(word.to_owned());
        }
    }
    parted
}

/// Returns whether a token is a number.
pub(crate) fn is_number(token: &str) -> bool {
    token.starts_with(char::is_numeric)
}
