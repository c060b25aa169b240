//! Labels: words in front of a colon that say what a line is, and name nobody.
//!
//! `Decision: …`, `**Merke:** …` and `決定：…` mark a line that a person wants kept, in any language.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use crate::base::order;
use crate::base::pattern::pattern;
use crate::base::text;

/// Returns whether a word, in small letters, names nobody where it is in front of a colon or in brackets.
pub(crate) fn is_label(word: &str) -> bool {
    static LABELS: LazyLock<HashSet<String>> =
        LazyLock::new(|| of(&["mark", "note", "plain"]).map(text::same_name).collect());
    LABELS.contains(word) || (!word.is_ascii() && LABELS.contains(&text::same_name(word)))
}

/// Returns where a text begins behind a label with which a person marks what is to be kept: `Decision:`, `**Remember:**`.
pub(crate) fn mark(text: &str) -> Option<usize> {
    static MARK: LazyLock<Regex> = LazyLock::new(|| labelled(&["mark"]));
    MARK.find(text).map(|found| found.end())
}

/// Returns whether a text begins with a label that makes it worth keeping: `Decision:`, `Lesson:`.
pub(crate) fn is_labelled(text: &str) -> bool {
    static LABELLED: LazyLock<Regex> = LazyLock::new(|| labelled(&["mark", "note"]));
    LABELLED.is_match(text)
}

/// Returns a pattern of labels at the front of a text, composed or decomposed.
fn labelled(kinds: &[&str]) -> Regex {
    let mut words: Vec<String> = of(kinds)
        .flat_map(|word| [word.nfc().collect(), word.nfd().collect()])
        // The capital of the Turkish ı is an I.
        .map(|word: String| regex::escape(&word).replace('ı', "[ıIi]"))
        .collect();
    words.sort();
    order::dedup(&mut words);
    pattern(&format!(r"^\**(?i:{})\**\s?[:：]\**", words.join("|")))
}

/// Returns the words of some kinds of labels.
fn of(kinds: &[&str]) -> impl Iterator<Item = &'static str> {
    let rows = include_str!("labels.tsv").lines().filter(|line| !line.starts_with('#'));
    let rows = rows.filter(|row| kinds.iter().any(|kind| row.starts_with(kind)));
    rows.filter_map(|row| row.split('\t').nth(2)).flat_map(|words| words.split(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_known_in_each_language_and_spelling() {
        for line in [
            "Decision: x",
            "**Remember:** x",
            "Entscheidung: x",
            "décision: x",
            "DE\u{301}CISION: x",
            "Decyzja: x",
            "決定：x",
            "기억: x",
            "HATIRLA: x",
        ] {
            assert!(mark(line).is_some_and(|end| line[end..].trim() == "x"), "{line}");
            assert!(is_labelled(line), "{line}");
        }
        for line in ["Decisions: x", "A decision: x", "Lesson: x", "決定する：x"] {
            assert!(mark(line).is_none(), "{line}");
        }
        assert!(is_labelled("Lesson: x") && is_label("lesson") && is_label("hinweis") && !is_label("ada"));
    }
}
