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
    runs(text).map(|run| run.start.saturating_sub(BEFORE)..run.end + LONGEST)
}

/// The runs of so many symbols, from end to end.
pub(super) fn runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    stretches(text, LEAST, is_symbol)
}

/// What keys are made of. Marks of punctuation that stand in times and links are none. Without branches, since it is
/// asked of many bytes at once.
pub(super) fn is_symbol(byte: u8) -> bool {
    let is_among = |first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
    is_among(b'!', b'~')
        & (byte != b'"')
        & !is_among(b'\'', b')')
        & (byte != b',')
        & !is_among(b':', b'<')
        & (byte != b'>')
        & (byte != b'[')
        & (byte != b']')
        & (byte != b'`')
        & !is_among(b'{', b'}')
}

/// So many bytes are looked at together.
pub(super) const BLOCK: usize = 64;

/// Which bytes of a block are in a set, the first in the lowest bit.
pub(super) fn mask(block: &[u8; BLOCK], is_in: impl Fn(u8) -> bool) -> u64 {
    let mut flags = [0; BLOCK];
    for (flag, byte) in flags.iter_mut().zip(block) {
        *flag = u8::from(is_in(*byte));
    }
    // One multiplication puts eight flags side by side.
    let (eights, _) = flags.as_chunks::<8>();
    eights.iter().rev().fold(0, |mask, flags| {
        mask << 8 | u64::from_le_bytes(*flags).wrapping_mul(0x0102_0408_1020_4080) >> 56
    })
}

/// Where bytes of a set stand in a row, each as far as it goes, and at least so many: no more than half of a block.
pub(super) fn stretches(
    text: &[u8],
    least: usize,
    is_in: impl Fn(u8) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    // What stands right before it is not in the set, or was handed over.
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(from..).filter(|rest| rest.len() >= least)?;
            let (mask, width) = if let Some(block) = rest.first_chunk::<BLOCK>() {
                (mask(block, &is_in), BLOCK)
            } else {
                let mut block = [0; BLOCK];
                block[..rest.len()].copy_from_slice(rest);
                (mask(&block, &is_in) & (u64::MAX >> (BLOCK - rest.len())), rest.len())
            };
            steps::take(1);
            // Of each stretch all bytes but the last ones stay.
            let (mut starts, mut length) = (mask, 1);
            while length < least {
                let more = length.min(least - length);
                starts &= starts >> more;
                length += more;
            }
            if starts == 0 {
                // It may go on with the next block.
                let tail = (mask << (BLOCK - width)).leading_ones() as usize;
                from += width - tail.min(width - 1);
                continue;
            }
            let start = from + starts.trailing_zeros() as usize;
            from = start + least;
            from += text[from..].iter().take_while(|byte| is_in(**byte)).count();
            steps::take(from - start);
            return Some(start..from);
        }
    })
}

/// The parts of a text in which no two letters or digits stand beside each other, each as far as it goes, and of at
/// least so many bytes.
pub(super) fn unpaired(text: &[u8], least: usize) -> impl Iterator<Item = Range<usize>> {
    let is_pair = |two: &[u8]| two[0].is_ascii_alphanumeric() && two[1].is_ascii_alphanumeric();
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(window) = text.get(from..from + least) {
            // No part goes over a pair, so the last one in reach is where to go on.
            if let Some(at) = window.windows(2).rposition(is_pair) {
                steps::take(least - at);
                from += at + 1;
                continue;
            }
            let start = from;
            let rest = text[start + least - 1..].windows(2);
            from += least + rest.take_while(|two| !is_pair(two)).count();
            steps::take(from - start);
            return Some(start..from);
        }
        None
    })
}
