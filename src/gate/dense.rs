//! Where the secrets of most classes can stand: about long runs of the symbols that keys are made of, which prose lacks.

use std::ops::Range;

use super::search::steps;

/// So many symbols in a row has every match of a dense class.
pub(super) const LEAST: usize = 14;
/// The literal of a match begins no further than this before its run.
pub(super) const BEFORE: usize = 128;
/// No literal is longer.
pub(super) const LONGEST: usize = 64;

/// The parts of a text that hold the literals of all matches of dense classes, ascending.
pub(super) fn parts(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(window) = text.get(from..from + LEAST) {
            // No run goes over a byte that is no symbol, so the last one in reach is where to go on.
            if let Some(at) = window.iter().rposition(|byte| !is_symbol(*byte)) {
                steps::take(LEAST - at);
                from += at + 1;
                continue;
            }
            let start = from;
            let rest = text[start + LEAST..].iter();
            from += LEAST + rest.take_while(|byte| is_symbol(**byte)).count();
            steps::take(from - start);
            return Some(start.saturating_sub(BEFORE)..from + LONGEST);
        }
        None
    })
}

/// What keys are made of. Marks of punctuation that stand in times and links are none.
pub(super) fn is_symbol(byte: u8) -> bool {
    SYMBOLS[usize::from(byte)]
}

static SYMBOLS: [bool; 256] = {
    let mut symbols = [false; 256];
    let mut byte = 0x21;
    while byte < 0x7f {
        symbols[byte as usize] = !matches!(
            byte,
            b'"' | b'\''
                | b'`'
                | b'('
                | b')'
                | b'['
                | b']'
                | b'{'
                | b'}'
                | b'<'
                | b'>'
                | b','
                | b':'
                | b';'
                | b'|'
        );
        byte += 1;
    }
    symbols
};
