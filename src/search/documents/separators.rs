//! Cuts behind separators, whatever the text is.

use std::ops::Range;

use crate::base::text;

/// Returns the start of the text, behind a byte order mark.
pub(super) fn front(text: &str) -> usize {
    if text.starts_with(text::BOM) { text::BOM.len_utf8() } else { 0 }
}

/// Cuts a text behind separators, into ranges of at most `max` characters.
pub(super) fn plain(text: &str, max: usize, overlap: usize, split_on: &[String]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let (mut start, mut covered) = (front(text), front(text));
    let forth = |from: usize, chars: usize| text[from..].char_indices().nth(chars).map(|(at, _)| from + at);
    while let Some(limit) = forth(start, max) {
        let least = covered.max(forth(start, max / 2).unwrap_or(limit));
        let after = |separator: &String| {
            let at = text[least..limit].rfind(separator.as_str())?;
            Some(least + at + separator.len()).filter(|cut| *cut > least)
        };
        let cut = split_on.iter().find_map(after).unwrap_or(limit);
        ranges.push(start..cut);
        covered = cut;
        start = text[..cut].char_indices().rev().nth(overlap.wrapping_sub(1)).map_or(cut, |(at, _)| at);
    }
    if start < text.len() {
        ranges.push(start..text.len());
    }
    ranges
}
