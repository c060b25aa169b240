//! Bytes as decimal numbers, with separators between them: `65 75 73 65`, `[65, 75, 73, 65]`, `065;075`.

use super::super::search::steps;
use super::decoded::LEAST;
use super::island::Edit;

/// So many bytes of the shortest row stand in a row of digits and separators, and more.
const SAMPLE: usize = 8;
/// Less than what the shortest row has beyond a sample.
const STRIDE: usize = 24;
/// No separator is longer.
const BETWEEN: usize = 6;

const ROW: [bool; 256] = {
    let mut row = [false; 256];
    let symbols = b"0123456789 ,;:-|/_.+\t\r\n";
    let mut at = 0;
    while at < symbols.len() {
        row[symbols[at] as usize] = true;
        at += 1;
    }
    row
};

/// The bytes that stand in rows, where they are text.
pub(super) fn edits(text: &str) -> Vec<Edit> {
    let bytes = text.as_bytes();
    let is_row = |byte: &u8| ROW[usize::from(*byte)];
    let mut edits = Vec::new();
    let (mut at, mut free) = (0, 0);
    while let Some(sample) = bytes.get(at..at + SAMPLE) {
        steps::take(1);
        if !sample.iter().all(is_row) {
            at += STRIDE;
            continue;
        }
        let start = at - bytes[free..at].iter().rev().take_while(|byte| is_row(byte)).count();
        let end = at + bytes[at..].iter().take_while(|byte| is_row(byte)).count();
        steps::take(end - start);
        row(bytes, start, end, &mut edits);
        (at, free) = (end, end);
    }
    edits
}

/// The numbers of a row, of which at least [`LEAST`] one after the other are text.
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
