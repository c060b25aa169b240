//! A list of words, for a look whether a word is on it: an answer takes thousands of those.

use std::collections::HashSet;
use std::sync::OnceLock;

/// A list of words, parted by spaces. It is taken apart once.
pub(super) struct List {
    text: &'static str,
    words: OnceLock<HashSet<&'static str>>,
}

impl List {
    pub(super) const fn new(text: &'static str) -> Self {
        Self { text, words: OnceLock::new() }
    }

    /// Returns whether a word is on the list.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.get_or_init(|| self.text.split_ascii_whitespace().collect()).contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_its_words_and_no_parts_of_them() {
        static LIST: List = List::new("off-limits nicht \n  für");
        assert!(["off-limits", "nicht", "für"].iter().all(|word| LIST.has(word)));
        assert!(!["", "off", "limits", "nich", "nicht für", " "].iter().any(|word| LIST.has(word)));
    }
}
