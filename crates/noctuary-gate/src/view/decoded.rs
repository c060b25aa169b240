//! The common part of base64, base32 and hexadecimal digits: runs of symbols, and the text in the bytes that they write.

use std::ops::Range;

use super::island::{Code, Island};
use crate::steps;

/// No shorter text is worth a look.
pub(super) const LEAST: usize = 12;
/// The most symbols that are decoded at once.
const MAX_DECODED: usize = 64 << 10;
/// Bytes that are read once more with the next part, so that nothing is cut.
const OVERLAP: usize = 8 << 10;
/// The value of a byte that is no symbol.
pub(super) const NONE: u8 = u8::MAX;

/// Returns the runs of symbols of at least that length within those of [`dense`], in parts of 64 KiB.
pub(super) fn runs(
    text: &str,
    dense: &[Range<usize>],
    values: &[u8; 256],
    least: usize,
    mut take: impl FnMut(Range<usize>),
) {
    let is_symbol = |byte: &u8| values[usize::from(*byte)] != NONE;
    for Range { start: mut from, end: last } in dense.iter().cloned() {
        let bytes = &text.as_bytes()[..last];
        while let Some(window) = bytes.get(from..from + least) {
            // No run goes over a byte that is no symbol, so the last one in reach is where to go on.
            if let Some(at) = window.iter().rposition(|byte| !is_symbol(byte)) {
                steps::take(least - at);
                from += at + 1;
                continue;
            }
            let rest = bytes[from + least..].iter();
            let end = from + least + rest.take_while(|byte| is_symbol(byte)).count();
            steps::take(end - from);
            let mut start = from;
            while end - start > MAX_DECODED {
                take(start..start + MAX_DECODED);
                start += MAX_DECODED - OVERLAP;
            }
            take(start..end);
            from = end;
        }
    }
}

/// Reads a run of symbols of a given number of bits, and hands over the text in what they write. Bytes may begin at any
/// symbol; what pads the run is a part of it.
pub(super) fn texts(
    text: &str,
    run: &Range<usize>,
    padding: usize,
    (values, bits): (&[u8; 256], usize),
    take: &mut dyn FnMut(Island),
) {
    let mut bytes = Vec::with_capacity(run.len() * bits / 8);
    let alignments = match bits {
        5 => 8,
        6 => 4,
        _ => 2,
    };
    for from in run.start..run.end.min(run.start + alignments) {
        let symbols = &text.as_bytes()[from..run.end];
        steps::take(symbols.len());
        bytes.clear();
        let (mut held, mut count) = (0_u32, 0);
        for symbol in symbols {
            held = held << bits | u32::from(values[usize::from(*symbol)]);
            count += bits;
            if count >= 8 {
                count -= 8;
                bytes.push((held >> count & 0xff) as u8);
            }
        }
        let mut give = |part: Range<usize>, width: usize, decoded: &str| {
            let (is_first, is_last) = (from + part.start == run.start, part.end == bytes.len());
            let code = Code { from, end: run.end + padding, bits, text: part, width, beside: 0..0 };
            take(Island::decoded(text, decoded, code, is_first, is_last));
        };
        for part in printable(&bytes) {
            give(part.clone(), 1, &String::from_utf8_lossy(&bytes[part]));
        }
        for part in wide(&bytes) {
            let ascii = bytes[part.clone()].iter().filter(|byte| **byte != 0);
            give(part.clone(), 2, &ascii.map(|byte| char::from(*byte)).collect::<String>());
        }
    }
}

/// Returns the parts that are text: of characters that are printed, and of at least [`LEAST`] bytes.
fn printable(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        for piece in chunk.valid().split_inclusive(is_control) {
            let end = at + piece.trim_end_matches(is_control).len();
            if end - at >= LEAST {
                parts.push(at..end);
            }
            at += piece.len();
        }
        at += chunk.invalid().len();
    }
    parts
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r')
}

/// Returns the parts that are ASCII in UTF-16, in either order of bytes.
fn wide(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let is_pair = |pair: &[u8]| {
        let [one, other] = *pair else { return false };
        let c = one | other;
        (one == 0) != (other == 0) && (c.is_ascii_graphic() || c.is_ascii_whitespace())
    };
    let mut at = 0;
    while let Some(pair) = bytes.get(at..at + 2) {
        if !is_pair(pair) {
            at += 1;
            continue;
        }
        let count = bytes[at..].chunks_exact(2).take_while(|pair| is_pair(pair)).count();
        if count >= LEAST {
            parts.push(at..at + 2 * count);
        }
        at += 2 * count;
    }
    parts
}
