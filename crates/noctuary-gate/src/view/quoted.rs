//! Mail in quoted-printable: bytes as `=73`, and lines that a `=` at the end continues.

use memchr::memchr;

use super::island::Edit;
use crate::steps;

pub(super) fn edits(text: &str) -> Vec<Edit> {
    let bytes = text.as_bytes();
    let mut edits = Vec::new();
    let mut at = 0;
    while let Some(mark) = bytes.get(at..).and_then(|rest| memchr(b'=', rest)) {
        let mark = at + mark;
        steps::take(mark - at + 1);
        at = mark + 1;
        let edit = match &bytes[mark + 1..] {
            [b'\n', next, ..] if goes_on(bytes, mark, *next) => Edit { place: mark..mark + 2, shown: None },
            [b'\r', b'\n', next, ..] if goes_on(bytes, mark, *next) => {
                Edit { place: mark..mark + 3, shown: None }
            }
            [high, low, ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let Some(code) = digit(*high).zip(digit(*low)).map(|(high, low)| high << 4 | low) else {
                    continue;
                };
                let shown = char::from_u32(code).filter(|c| matches!(c, '\t' | ' '..='~'));
                let Some(shown) = shown else { continue };
                Edit { place: mark..mark + 3, shown: Some(shown) }
            }
            _ => continue,
        };
        at = edit.place.end;
        edits.push(edit);
    }
    edits
}

/// Returns whether a line goes on behind a `=`: nothing but text is on both sides of the break.
fn goes_on(bytes: &[u8], mark: usize, next: u8) -> bool {
    let is_text = |byte: u8| byte.is_ascii_graphic();
    is_text(next) && bytes[..mark].last().is_some_and(|byte| is_text(*byte) && *byte != b'=')
}
