//! The places where most secrets may be: around long runs of the symbols that keys are made of. Prose has no such runs.

use std::ops::Range;

use super::steps;

/// Minimum number of symbols in a row in each match of a dense class.
pub(super) const LEAST: usize = 14;
/// Maximum number of bytes between the beginning of a literal and the run behind it.
pub(super) const BEFORE: usize = 128;
/// Maximum length of a literal, in bytes.
pub(super) const LONGEST: usize = 64;

/// Returns the parts of a text that hold the literals of all matches of dense classes, ascending.
pub(super) fn parts(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    runs(text).map(|run| run.start.saturating_sub(BEFORE)..run.end + LONGEST)
}

/// Returns the runs of a number of symbols, from end to end.
pub(super) fn runs(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    stretches(text, LEAST, is_symbol)
}

/// Returns what keys are made of. Marks of punctuation that are in times and links are none. Without branches, since it
/// is asked of many bytes at once.
#[inline]
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

/// The number of bytes that are looked at together.
pub(super) const BLOCK: usize = 64;

/// Returns a bit for each byte of a block that is in a set, the first in the lowest bit.
#[inline]
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

/// Returns where bytes of a set are in a row, each as far as it goes. Shorter rows than a least number are left out.
#[inline]
pub(super) fn stretches(
    text: &[u8],
    least: usize,
    is_in: impl Fn(u8) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    // The byte right before it is not in the set, or was handed over.
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
            // All bytes of each stretch stay but the last ones.
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

/// Returns the parts of a text without two letters or digits beside each other, from a least number of bytes on.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of a few bytes in all orders. So rows of every length begin and end at every place of a block.
    fn texts() -> impl Iterator<Item = Vec<u8>> {
        let mut state = 7_u64;
        let mut roll = move |sides: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % sides
        };
        (0..2_000).map(move |_| {
            let mut text = Vec::new();
            for _ in 0..roll(12) {
                let byte = b"aZ0-_ |\"[\n~\xc3"[usize::try_from(roll(12)).unwrap()];
                let count = usize::try_from(roll(40)).unwrap();
                text.resize(text.len() + count, byte);
            }
            text
        })
    }

    // The look at whole blocks once was a loop over bytes.
    #[test]
    fn blocks_show_the_same_rows_as_single_bytes() {
        for text in texts() {
            for least in [1, 10, LEAST, 24, 32] {
                let mut expected = Vec::new();
                let mut at = 0;
                for row in text.chunk_by(|one, other| is_symbol(*one) == is_symbol(*other)) {
                    if is_symbol(row[0]) && row.len() >= least {
                        expected.push(at..at + row.len());
                    }
                    at += row.len();
                }
                let found: Vec<_> = stretches(&text, least, is_symbol).collect();
                assert_eq!(found, expected, "{least} in {}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn letters_that_stand_apart_are_in_a_part_without_pairs() {
        for text in texts() {
            let is_letter = |at: usize| text.get(at).is_some_and(u8::is_ascii_alphanumeric);
            let parts: Vec<_> = unpaired(&text, 19).collect();
            for start in 0..(text.len() + 1).saturating_sub(19) {
                let is_apart = (start..start + 18).all(|at| !(is_letter(at) && is_letter(at + 1)));
                let is_in = parts.iter().any(|part| part.start <= start && start + 19 <= part.end);
                assert_eq!(is_in, is_apart, "{start} in {}", text.escape_ascii());
            }
        }
    }
}
