//! Bytes as decimal numbers, with separators between them: `65 75 73 65`, `[65, 75, 73, 65]`, `065;075`.

use super::decoded::LEAST;
use super::island::Edit;
use crate::dense;

/// No row of bytes that have two digits is as short.
const SHORTEST: usize = 32;
/// No separator is longer.
const BETWEEN: usize = 6;

/// Returns the bytes that are in rows, where they are text.
pub(super) fn edits(text: &str) -> Vec<Edit> {
    let bytes = text.as_bytes();
    let mut edits = Vec::new();
    for part in dense::stretches(bytes, SHORTEST, is_of_row) {
        row(bytes, part.start, part.end, &mut edits);
    }
    edits
}

/// Returns whether a byte may be in a row: a digit or a separator.
#[inline]
fn is_of_row(byte: u8) -> bool {
    // From `+` to `;` are digits and separators.
    (byte.wrapping_sub(b'+') <= b';' - b'+')
        | (byte == b' ')
        | (byte.wrapping_sub(b'\t') <= 1)
        | (byte == b'\r')
        | (byte == b'|')
        | (byte == b'_')
}

/// Returns the numbers of a row with at least [`LEAST`] in sequence that are text.
fn row(bytes: &[u8], start: usize, end: usize, edits: &mut Vec<Edit>) {
    let (mut at, mut texts, mut ended) = (start, 0, start);
    let drop_short = |edits: &mut Vec<Edit>, texts: usize| {
        if texts < LEAST {
            edits.truncate(edits.len() - texts);
        }
    };
    while at < end {
        let digits = bytes[at..end].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            at += 1;
            continue;
        }
        let number =
            bytes[at..at + digits.min(4)].iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0'));
        let is_text = digits <= 3 && matches!(number, 9 | 10 | 13 | 32..=126);
        if texts > 0 && (!is_text || at - ended > BETWEEN) {
            drop_short(edits, texts);
            texts = 0;
        }
        if is_text {
            // The separator goes with the number before it.
            if texts > 0
                && let Some(last) = edits.last_mut()
            {
                last.place.end = at;
            }
            edits.push(Edit { place: at..at + digits, shown: char::from_u32(number) });
            texts += 1;
        }
        at += digits;
        ended = at;
    }
    drop_short(edits, texts);
}
