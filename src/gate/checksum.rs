//! Checksums of wallets: `Base58Check`, bech32, EIP-55, and how a run in base 58 is found.

use std::ops::Range;

use sha2::{Digest as _, Sha256};

use super::search::steps;

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

/// Finds `[13][1-9A-HJ-NP-Za-km-z]{25,34}`: an older address of Bitcoin.
pub(super) fn legacy_shape(text: &str, from: usize) -> Option<Range<usize>> {
    run_shape(text, from, 26, 35, b"13")
}

/// Finds what may be an address of another network that writes them as Bitcoin did.
pub(super) fn address_shape(text: &str, from: usize) -> Option<Range<usize>> {
    run_shape(text, from, 26, 35, b"2mnLMQDA9X7y")
}

/// Finds what may be a private key for import.
pub(super) fn wif_shape(text: &str, from: usize) -> Option<Range<usize>> {
    run_shape(text, from, 51, 52, b"5KL9c")
}

/// Where, from `from` on, the first run of so many symbols begins that an address could be one.
pub(super) fn first_run(text: &str, from: usize) -> Option<usize> {
    run_shape(text, from, 26, 26, BASE58).map(|run| run.start)
}

/// Finds a run of symbols that begins with one of `first`, leftmost and longest, from `from` on. Digits are everywhere,
/// so a search that stops at each of them is slow.
fn run_shape(text: &str, from: usize, least: usize, most: usize, first: &[u8]) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    // From `start` to `sound` there are symbols only.
    let (mut start, mut sound) = (from, from);
    while let Some(unseen) = bytes.get(sound..start + least) {
        steps::take(unseen.len());
        // No match goes over a byte that is no symbol, so the last one in reach is where to go on.
        if let Some(at) = unseen.iter().rposition(|byte| !is_symbol(*byte)) {
            start = sound + at + 1;
            sound = start;
            continue;
        }
        sound = start + least;
        if first.contains(&bytes[start]) {
            let rest = bytes[sound..].iter().take(most - least);
            return Some(start..sound + rest.take_while(|byte| is_symbol(**byte)).count());
        }
        start += 1;
    }
    None
}

/// Whether `text` is an address of a test network, Litecoin, Dogecoin or Dash.
pub(super) fn other_address(text: &str) -> bool {
    // Versions: test networks 111 and 196, Litecoin 48, 50 and 58, Dogecoin 30 and 22, Dash 76 and 16, 140.
    payload(text).is_some_and(|payload| {
        payload.len() == 21 && matches!(payload[0], 111 | 196 | 48 | 50 | 58 | 30 | 22 | 76 | 16 | 140)
    })
}

/// Whether `text` is a private key for import, of the main or a test network.
pub(super) fn wif(text: &str) -> bool {
    payload(text).is_some_and(|payload| {
        matches!(payload[0], 0x80 | 0xef)
            && (payload.len() == 33 || (payload.len() == 34 && payload[33] == 1))
    })
}

/// Whether `text` is an extended key: 78 bytes.
pub(super) fn extended_key(text: &str) -> bool {
    payload(text).is_some_and(|payload| payload.len() == 78)
}

/// Whether the last four bytes of what `text` writes in base 58 are its checksum.
pub(super) fn base58check(text: &str) -> bool {
    payload(text).is_some()
}

/// What `text` writes in base 58, without its checksum, if that holds. Never empty.
fn payload(text: &str) -> Option<Vec<u8>> {
    if text.len() > 128 {
        return None;
    }
    // The number that it writes, the lowest 32 bits first.
    let mut number: Vec<u32> = Vec::with_capacity(text.len() / 5 + 1);
    for symbol in text.bytes() {
        if !is_symbol(symbol) {
            return None;
        }
        let mut carry = u64::from(DIGITS[usize::from(symbol)]);
        for part in &mut number {
            carry += u64::from(*part) * 58;
            *part = u32::try_from(carry & 0xffff_ffff).unwrap_or_default();
            carry >>= 32;
        }
        if carry != 0 {
            number.push(u32::try_from(carry).unwrap_or_default());
        }
    }
    let mut bytes = vec![0; text.bytes().take_while(|symbol| *symbol == b'1').count()];
    bytes.extend(number.iter().rev().flat_map(|part| part.to_be_bytes()).skip_while(|byte| *byte == 0));
    let length = bytes.len().checked_sub(4).filter(|length| *length > 0)?;
    let check = bytes.split_off(length);
    (Sha256::digest(Sha256::digest(&bytes))[..4] == check).then_some(bytes)
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
    remainder(text).is_some_and(|(sum, _)| matches!(sum, BECH32_SUM | BECH32M_SUM))
}

/// Whether `text` is an address of a witness program: of a version and a length that there are, under the checksum of
/// its version.
pub(super) fn witness_address(text: &str) -> bool {
    let Some((sum, values)) = remainder(text) else { return false };
    let Some((version, program)) =
        values.strip_suffix(&values[values.len().saturating_sub(6)..]).and_then(<[u8]>::split_first)
    else {
        return false;
    };
    let bits = program.len() * 5;
    let padding = program.last().is_none_or(|last| last & ((1 << (bits % 8)) - 1) == 0);
    let (length, spare) = (bits / 8, bits % 8);
    spare < 5
        && padding
        && match version {
            0 => sum == BECH32_SUM && matches!(length, 20 | 32),
            1..=16 => sum == BECH32M_SUM && (2..=40).contains(&length),
            _ => false,
        }
}

const BECH32_SUM: u32 = 1;
const BECH32M_SUM: u32 = 0x2bc8_30a3;

/// What the checksum of a text in bech32 leaves, and the values of its symbols.
fn remainder(text: &str) -> Option<(u32, Vec<u8>)> {
    if text.bytes().any(|byte| byte.is_ascii_lowercase())
        && text.bytes().any(|byte| byte.is_ascii_uppercase())
    {
        return None;
    }
    let text = text.to_ascii_lowercase();
    let (prefix, data) = text.rsplit_once('1')?;
    let mut sum = 1_u32;
    let mut feed = |value: u8| {
        let top = sum >> 25;
        sum = (sum & 0x01ff_ffff) << 5 ^ u32::from(value);
        for (bit, generator) in
            [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3].iter().enumerate()
        {
            if top >> bit & 1 == 1 {
                sum ^= generator;
            }
        }
    };
    prefix.bytes().for_each(|byte| feed(byte >> 5));
    feed(0);
    prefix.bytes().for_each(|byte| feed(byte & 31));
    let mut values = Vec::with_capacity(data.len());
    for symbol in data.bytes() {
        let value = (0_u8..).zip(BECH32).find(|(_, known)| **known == symbol)?.0;
        feed(value);
        values.push(value);
    }
    Some((sum, values))
}

/// Whether the case of the letters of an address says that it is sound. One case alone says nothing.
pub(super) fn eip55(text: &str) -> bool {
    let digits = text.trim_start_matches("0x");
    let hash = keccak256(digits.to_ascii_lowercase().as_bytes());
    let mixed = digits.bytes().any(|digit| digit.is_ascii_lowercase())
        && digits.bytes().any(|digit| digit.is_ascii_uppercase());
    mixed
        && digits.bytes().enumerate().all(|(at, digit)| {
            let nibble = hash[at / 2] >> (4 * (1 - at % 2)) & 15;
            !digit.is_ascii_alphabetic() || digit.is_ascii_uppercase() == (nibble >= 8)
        })
}

/// Keccak-256, as before its standard changed the padding, of less than 136 bytes.
fn keccak256(text: &[u8]) -> [u8; 32] {
    const RATE: usize = 136;
    debug_assert!(text.len() < RATE);
    let mut block = [0_u8; RATE];
    block[..text.len()].copy_from_slice(text);
    block[text.len()] = 1;
    block[RATE - 1] |= 0x80;
    let mut state = [0_u64; 25];
    for (lane, eight) in state.iter_mut().zip(block.chunks_exact(8)) {
        *lane = eight.iter().rev().fold(0, |lane, byte| lane << 8 | u64::from(*byte));
    }
    keccak_f(&mut state);
    let mut hash = [0_u8; 32];
    for (eight, lane) in hash.chunks_exact_mut(8).zip(state) {
        eight.copy_from_slice(&lane.to_le_bytes());
    }
    hash
}

/// The permutation of Keccak; its constants come from its own shift register.
fn keccak_f(state: &mut [u64; 25]) {
    let mut register = 1_u8;
    for _ in 0..24 {
        let mut columns = [0_u64; 5];
        for (x, column) in columns.iter_mut().enumerate() {
            *column = (0..5).fold(0, |sum, y| sum ^ state[x + 5 * y]);
        }
        for (at, lane) in state.iter_mut().enumerate() {
            *lane ^= columns[(at + 4) % 5] ^ columns[(at + 1) % 5].rotate_left(1);
        }
        // Turns each lane and moves it to where the walk over them comes next.
        let (mut x, mut y, mut carried) = (1, 0, state[1]);
        for step in 1..=24_u32 {
            (x, y) = (y, (2 * x + 3 * y) % 5);
            let turned = carried.rotate_left(step * (step + 1) / 2 % 64);
            carried = std::mem::replace(&mut state[x + 5 * y], turned);
        }
        for row in state.chunks_exact_mut(5) {
            let old = [row[0], row[1], row[2], row[3], row[4]];
            for x in 0..5 {
                row[x] = old[x] ^ (!old[(x + 1) % 5] & old[(x + 2) % 5]);
            }
        }
        for power in 0..7 {
            if register & 1 == 1 {
                state[0] ^= 1 << ((1_u32 << power) - 1);
            }
            register = register << 1 ^ if register & 0x80 == 0 { 0 } else { 0x71 };
        }
    }
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

    #[test]
    fn a_witness_program_has_the_checksum_of_its_version() {
        // Vectors of BIP-350, and invalid ones.
        for sound in [
            "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
            "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7",
            "BC1SW50QGDZ25J",
            "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
            "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
        ] {
            assert!(witness_address(sound), "{sound}");
        }
        for wrong in [
            "tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf",
            "tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47",
            "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv",
            "bc1gmk9yu",
            "bc1",
        ] {
            assert!(!witness_address(wrong), "{wrong}");
        }
    }

    #[test]
    fn the_case_of_an_address_proves_it() {
        // Vectors of EIP-55.
        for address in
            ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"]
        {
            assert!(eip55(address), "{address}");
            assert!(!eip55(&address.to_ascii_lowercase()), "one case says nothing");
            assert!(!eip55(&address.replace('b', "B")), "{address}");
        }
    }

    #[test]
    fn keys_for_import_and_extended_keys_prove_themselves() {
        // Vectors of BIP-32 and of the wiki of Bitcoin.
        assert!(wif("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ"));
        assert!(!wif("5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTK"));
        let key = "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi";
        assert!(extended_key(key));
        assert!(!extended_key(&key.replace("9s21", "9s22")));
    }
}
