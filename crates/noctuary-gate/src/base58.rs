//! Runs of symbols of base 58, in which wallets are written.

use std::ops::Range;

use super::steps;
use super::symbols::{Symbols, symbols};

/// Digits and letters without those that look alike.
const BASE58: Symbols = &symbols("1-9A-HJ-NP-Za-km-z");

/// Finds `[13][1-9A-HJ-NP-Za-km-z]{25,34}`: an older address of Bitcoin.
pub(super) fn legacy_shape(text: &str, from: usize) -> Option<Range<usize>> {
    run_shape(text, from, 26, 35, const { &symbols("13") })
}

/// Finds a run that may be an address of another network that writes them as Bitcoin did.
pub(super) fn address_shape(text: &str, from: usize) -> Option<Range<usize>> {
    run_shape(text, from, 26, 35, const { &symbols("2mnLMQDA9X7y") })
}

/// Finds a run that may be a private key for import.
pub(super) fn wif_shape(text: &str, from: usize) -> Option<Range<usize>> {
    run_shape(text, from, 51, 52, const { &symbols("5KL9c") })
}

/// Returns where, from `from` on, the first run begins that is long enough for an address.
pub(super) fn first_run(text: &str, from: usize) -> Option<usize> {
    run_shape(text, from, 26, 26, BASE58).map(|run| run.start)
}

/// Finds a run of symbols that begins with one of `first`, leftmost and longest, from `from` on. Digits are everywhere,
/// so a search that stops at each of them is slow.
fn run_shape(text: &str, from: usize, least: usize, most: usize, first: Symbols) -> Option<Range<usize>> {
    let is_symbol = |byte: &u8| BASE58[usize::from(*byte)];
    let bytes = text.as_bytes();
    // From `start` to `sound` there are symbols only.
    let (mut start, mut sound) = (from, from);
    while let Some(unseen) = bytes.get(sound..start + least) {
        steps::take(unseen.len());
        // No match goes over a byte that is no symbol, so the last one in reach is where to go on.
        if let Some(at) = unseen.iter().rposition(|byte| !is_symbol(byte)) {
            start = sound + at + 1;
            sound = start;
            continue;
        }
        sound = start + least;
        if first[usize::from(bytes[start])] {
            let rest = bytes[sound..].iter().take(most - least);
            return Some(start..sound + rest.take_while(|byte| is_symbol(byte)).count());
        }
        start += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    proptest! {
        #[test]
        fn the_scan_finds_what_the_pattern_finds(text in "[13]{0,3}[1-9A-Za-z]{0,40}[130OlIé ]{0,2}[A-Za-z3]{20,40}.?") {
            let pattern = Regex::new("[13][1-9A-HJ-NP-Za-km-z]{25,34}").unwrap();
            for from in (0..=text.len()).filter(|from| text.is_char_boundary(*from)) {
                let expected = pattern.find_at(&text, from).map(|found| found.range());
                prop_assert_eq!(legacy_shape(&text, from), expected, "from {}", from);
            }
        }
    }
}
