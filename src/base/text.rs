//! Small rules about characters, lines and words that every floor above shares.
//!
//! Texts are compared by three identities, each written once. [`same`] is for names, keys and statements, [`same_word`]
//! for searches, and [`cut`] for whole graphemes.

mod graphemes;
mod same;

use std::ops::Range;

pub(crate) use graphemes::{cut, excerpt, grapheme_ceil, grapheme_floor};
pub(crate) use noctuary_gate::text::{ceil_boundary, floor_boundary, is_invisible};
pub(crate) use noctuary_index::rank::same_word;
pub(crate) use same::{same, same_name, statement};
use unicode_normalization::char::is_combining_mark;

/// The mark of a UTF-8 file from Windows editors; kept on disk, left out of what is parsed.
pub(crate) const BOM: char = '\u{feff}';

/// The unit of a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Bytes,
    Chars,
}

impl Unit {
    /// Returns the length of a text.
    pub(crate) fn len(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            Self::Chars => text.chars().count(),
        }
    }
}

/// Returns the beginning of a text that just fits: to the end of a line if one is near, else within it.
pub(crate) fn head(text: &str, most: usize, unit: Unit) -> &str {
    let end = match unit {
        Unit::Bytes => most,
        Unit::Chars => text.char_indices().nth(most).map_or(text.len(), |(at, _)| at),
    };
    let end = grapheme_floor(text, end);
    if end == text.len() || text[end..].starts_with('\n') {
        return &text[..end];
    }
    let line = text[..end].rfind('\n').map_or(0, |at| at + 1);
    &text[..if unit.len(&text[line..end]) <= most / NEAR { line } else { end }]
}

/// Returns the end of a text, as [`head`] does its beginning.
pub(crate) fn tail(text: &str, most: usize, unit: Unit) -> &str {
    let start = match (unit, most.checked_sub(1)) {
        (_, None) => text.len(),
        (Unit::Bytes, _) => text.len().saturating_sub(most),
        (Unit::Chars, Some(last)) => text.char_indices().rev().nth(last).map_or(0, |(at, _)| at),
    };
    let start = grapheme_ceil(text, start);
    if start == 0 || text[..start].ends_with('\n') {
        return &text[start..];
    }
    let line = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
    &text[if unit.len(&text[start..line]) <= most / NEAR { line } else { start }..]
}

/// Share of the shown text, one part in this number, that may be lost to end a cut at a line.
const NEAR: usize = 16;

/// Returns how many bytes at the front of `bytes` continue a character that began before it: 0 to 3.
pub(crate) fn leading_continuation(bytes: &[u8]) -> usize {
    bytes.iter().take(3).take_while(|byte| *byte & 0xc0 == 0x80).count()
}

/// Returns how many bytes at the end of `bytes` begin a character that does not end there: 0 to 3.
pub(crate) fn trailing_fragment(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        if byte & 0xc0 == 0x80 {
            continue;
        }
        let length = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        return if length > back { back } else { 0 };
    }
    0
}

/// Returns the ranges of the lines of `text`, each without its `\n` or `\r\n`. Text that ends in a line
/// break has no empty line after it.
pub(crate) fn line_ranges(text: &str) -> LineRanges<'_> {
    LineRanges { text, start: 0 }
}

/// The ranges of lines. A type of its own, as is [`Words`]: a chain would be compiled again for each of its uses.
pub(crate) struct LineRanges<'t> {
    text: &'t str,
    start: usize,
}

impl Iterator for LineRanges<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let (start, rest) = (self.start, &self.text[self.start..]);
        if rest.is_empty() {
            return None;
        }
        let (line, next) = match rest.find('\n') {
            Some(end) => (rest[..end].strip_suffix('\r').unwrap_or(&rest[..end]), start + end + 1),
            None => (rest, self.text.len()),
        };
        self.start = next;
        Some(start..start + line.len())
    }
}

/// Returns whether a text has signs that nobody sees: of control, or invisible.
pub(crate) fn has_hidden(text: &str) -> bool {
    text.chars().any(|c| c.is_control() || is_invisible(c))
}

/// Counts the line breaks.
#[expect(
    clippy::naive_bytecount,
    reason = "the compiler makes vectors of it, and a crate for it is too much"
)]
pub(crate) fn line_breaks(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Returns the words of `text`, each as [`same_name`] has it: runs of letters and digits; an apostrophe inside a word stays.
pub(crate) fn words(text: &str) -> Words<'_> {
    Words { rest: text }
}

/// The words of a text.
pub(crate) struct Words<'t> {
    rest: &'t str,
}

impl Iterator for Words<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        while !self.rest.is_empty() {
            let is_mark = |c: char| !c.is_ascii() && (is_combining_mark(c) || is_invisible(c));
            let is_between = |c: char| !(c.is_alphanumeric() || c == '\'' || c == '’' || is_mark(c));
            let (word, rest) = self.rest.split_once(is_between).unwrap_or((self.rest, ""));
            self.rest = rest;
            let word = word.trim_matches(['\'', '’']);
            if word.is_empty() {
                continue;
            }
            if word.is_ascii() {
                return Some(word.to_ascii_lowercase());
            }
            let word = same_name(word);
            if !word.is_empty() {
                return Some(word);
            }
        }
        None
    }
}

/// Prints a number of things in words: `1 pass`, `2 passes`, `1,200 lines`.
pub(crate) fn counted(number: impl Into<u64>, noun: &str) -> String {
    let number = number.into();
    if number == 1 {
        return format!("1 {noun}");
    }
    let plural = if noun.ends_with('s') { "es" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

/// Prints a number with its thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_know_crlf() {
        let text = "a\r\nbc\n\nd";
        let lines: Vec<&str> = line_ranges(text).map(|range| &text[range]).collect();
        assert_eq!(lines, ["a", "bc", "", "d"]);
    }

    proptest! {
        #[test]
        fn a_cut_never_splits_a_character(text in "\\PC{0,40}", cut in 0usize..160) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            let (head, tail) = bytes.split_at(cut);
            let head = &head[..head.len() - trailing_fragment(head)];
            prop_assert!(std::str::from_utf8(head).is_ok());
            let tail = &tail[leading_continuation(tail)..];
            prop_assert!(std::str::from_utf8(tail).is_ok());
        }
    }
}
