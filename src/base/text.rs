//! Small rules about characters, lines and words that every floor above shares.

use std::ops::Range;

pub(crate) use noctuary_gate::text::{ceil_boundary, floor_boundary, is_invisible};
use unicode_normalization::UnicodeNormalization;

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

/// Returns the beginning of a text, exactly as much as fits: to the end of a line where one ends near, else within a line.
pub(crate) fn head(text: &str, most: usize, unit: Unit) -> &str {
    let end = match unit {
        Unit::Bytes => floor_boundary(text, most),
        Unit::Chars => text.char_indices().nth(most).map_or(text.len(), |(at, _)| at),
    };
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
        (Unit::Bytes, _) => ceil_boundary(text, text.len().saturating_sub(most)),
        (Unit::Chars, Some(last)) => text.char_indices().rev().nth(last).map_or(0, |(at, _)| at),
    };
    if start == 0 || text[..start].ends_with('\n') {
        return &text[start..];
    }
    let line = text[start..].find('\n').map_or(text.len(), |at| start + at + 1);
    &text[if unit.len(&text[start..line]) <= most / NEAR { line } else { start }..]
}

/// A line ends near a cut where no more than one part in so many of what is shown is lost to it.
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

/// Counts the line breaks.
#[expect(
    clippy::naive_bytecount,
    reason = "the compiler makes vectors of it, and a crate for it is too much"
)]
pub(crate) fn line_breaks(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte == b'\n').count() as u64
}

/// Returns the form in which two statements are the same statement: lower case, markup and punctuation at the ends
/// gone, white space folded, invisible characters dropped.
pub(crate) fn normalise(statement: &str) -> String {
    let mut folded = String::with_capacity(statement.len());
    let is_markup = |c: char| matches!(c, '*' | '`' | '_');
    for c in statement.chars().filter(|c| !is_markup(*c) && (c.is_ascii() || !is_invisible(*c))) {
        if c.is_ascii_graphic() {
            // Most are.
            folded.push(c.to_ascii_lowercase());
        } else if c.is_whitespace() || c.is_control() {
            if !folded.ends_with(' ') {
                folded.push(' ');
            }
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    folded
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ';' | ',' | '!' | '-' | '"'))
        .to_owned()
}

/// Returns the form in which two facts are one statement: as [`normalise`], but that nothing inside it goes, no sign
/// in front
/// of a number, and that a character counts as the same however it is composed.
pub(crate) fn statement(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfc().filter(|c| !is_invisible(*c)) {
        if c.is_whitespace() || c.is_control() {
            if !folded.ends_with(' ') {
                folded.push(' ');
            }
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    let mut whole = folded.trim();
    for bullet in ["- ", "* ", "+ "] {
        whole = whole.strip_prefix(bullet).unwrap_or(whole).trim_start();
    }
    whole
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ';' | ',' | '!' | '。' | '！'))
        .to_owned()
}

/// Returns the words of `text` in lower case: runs of letters and digits; an apostrophe inside a word stays.
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
            let is_between = |c: char| !(c.is_alphanumeric() || c == '\'' || c == '’');
            let (word, rest) = self.rest.split_once(is_between).unwrap_or((self.rest, ""));
            self.rest = rest;
            let word = word.trim_matches(['\'', '’']);
            if word.is_empty() {
                continue;
            }
            if word.is_ascii() {
                return Some(word.to_ascii_lowercase());
            }
            let word = word.to_lowercase();
            return Some(if word.contains('’') { word.replace('’', "'") } else { word });
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
    fn normal_forms_ignore_dress() {
        assert_eq!(normalise("**Prefers**  short\u{200b} answers."), normalise("prefers short answers"));
        assert_ne!(normalise("prefers short answers"), normalise("prefers long answers"));
    }

    // FA-05
    #[test]
    fn statements_are_the_same_only_where_they_say_the_same() {
        for (one, other) in [
            ("Prefers  short\u{200b} answers.", "- prefers short\nanswers"),
            ("Caf\u{e9} on Sundays", "CAFE\u{301} on sundays!"),
            ("住在东京。", "住在东京"),
        ] {
            assert_eq!(statement(one), statement(other));
        }
        for (one, other) in [
            ("住在东京", "住在京东"),
            ("喜欢茶", "喜欢咖啡"),
            ("keeps it at -5", "keeps it at 5"),
            ("-5 degrees", "5 degrees"),
            ("uses foo_bar", "uses foobar"),
            ("knows C", "knows C++"),
            ("10\u{b2} of it", "102 of it"),
            ("is it 5?", "is it 5"),
        ] {
            assert_ne!(statement(one), statement(other));
        }
    }

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
