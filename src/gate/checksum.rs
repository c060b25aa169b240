//! Bitcoin addresses: the shape of the older ones, and the checksums of both.

use std::ops::Range;

use sha2::{Digest as _, Sha256};

const BASE58: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
/// What each byte counts in base 58; [`NONE`] for one that is no symbol of it.
const DIGITS: [u8; 256] = digits();
const NONE: u8 = u8::MAX;
const BECH32: &[u8] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

const fn digits() -> [u8; 256] {
    let mut digits = [NONE; 256];
    let mut digit = 0;
    while digit < 58 {
        digits[BASE58[digit as usize] as usize] = digit;
        digit += 1;
    }
    digits
}

fn is_symbol(byte: u8) -> bool {
    DIGITS[usize::from(byte)] != NONE
}

/// Finds `[13][1-9A-HJ-NP-Za-km-z]{25,34}`, leftmost and longest, from `from` on. Digits are everywhere, so a
/// search that stops at each 1 and 3 is slow.
pub(super) fn legacy_shape(text: &str, from: usize) -> Option<Range<usize>> {
    const LEAST: usize = 26;
    const MOST: usize = 35;
    let bytes = text.as_bytes();
    // From `start` to `sound` there are symbols only.
    let (mut start, mut sound) = (from, from);
    while let Some(unseen) = bytes.get(sound..start + LEAST) {
        // No match goes over a byte that is no symbol, so the last one in reach is where to go on.
        if let Some(at) = unseen.iter().rposition(|byte| !is_symbol(*byte)) {
            start = sound + at + 1;
            sound = start;
            continue;
        }
        sound = start + LEAST;
        if matches!(bytes[start], b'1' | b'3') {
            let rest = bytes[sound..].iter().take(MOST - LEAST);
            return Some(start..sound + rest.take_while(|byte| is_symbol(**byte)).count());
        }
        start += 1;
    }
    None
}

/// Whether `text` is a `Base58Check` address: 20 bytes of hash under the version of P2PKH (0) or P2SH (5).
pub(super) fn base58check_address(text: &str) -> bool {
    // The number that it writes, the lowest 32 bits first.
    let mut number = [0_u32; 7];
    for symbol in text.bytes() {
        if !is_symbol(symbol) {
            return false;
        }
        let mut carry = u64::from(DIGITS[usize::from(symbol)]);
        for part in &mut number {
            carry += u64::from(*part) * 58;
            *part = u32::try_from(carry & 0xffff_ffff).unwrap_or_default();
            carry >>= 32;
        }
        if carry != 0 {
            return false;
        }
    }
    let mut bytes = [0_u8; 28];
    for (four, part) in bytes.chunks_exact_mut(4).zip(number.iter().rev()) {
        four.copy_from_slice(&part.to_be_bytes());
    }
    let (too_much, bytes) = bytes.split_at(3);
    if too_much != [0; 3] {
        return false;
    }
    let leading = text.bytes().take_while(|symbol| *symbol == b'1').count();
    let (payload, check) = bytes.split_at(21);
    let zeros = payload.iter().take_while(|byte| **byte == 0).count();
    matches!(payload[0], 0 | 5) && leading == zeros && Sha256::digest(Sha256::digest(payload))[..4] == *check
}

/// Whether `text` is a bech32 or bech32m string.
pub(super) fn bech32(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let Some((prefix, data)) = text.rsplit_once('1') else { return false };
    let mut sum = 1_u32;
    let mut feed = |value: u32| {
        let top = sum >> 25;
        sum = (sum & 0x01ff_ffff) << 5 ^ value;
        for (bit, generator) in
            [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3].iter().enumerate()
        {
            if top >> bit & 1 == 1 {
                sum ^= generator;
            }
        }
    };
    prefix.bytes().for_each(|byte| feed(u32::from(byte) >> 5));
    feed(0);
    prefix.bytes().for_each(|byte| feed(u32::from(byte) & 31));
    for symbol in data.bytes() {
        let Some(value) = BECH32.iter().position(|known| *known == symbol) else { return false };
        feed(u32::try_from(value).unwrap_or_default());
    }
    matches!(sum, 1 | 0x2bc8_30a3)
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

    #[test]
    fn the_first_address_of_all_is_valid_and_its_neighbours_are_not() {
        assert!(base58check_address("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"));
        assert!(!base58check_address("1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"));
        assert!(!base58check_address("11A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"));
        assert!(!base58check_address("3oooooooooooooooooooooooooooooo0"));
    }

    #[test]
    fn both_kinds_of_bech32_are_valid() {
        // Vectors of BIP-173 and BIP-350.
        assert!(bech32("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"));
        assert!(bech32("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"));
        assert!(bech32("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"));
        assert!(!bech32("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"));
    }
}
