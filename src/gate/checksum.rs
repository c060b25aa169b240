//! The two checksums of Bitcoin addresses.

use sha2::{Digest as _, Sha256};

const BASE58: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BECH32: &[u8] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// Whether `text` is a `Base58Check` address: 20 bytes of hash under the version of P2PKH (0) or P2SH (5).
pub(super) fn base58check_address(text: &str) -> bool {
    let mut bytes = [0_u8; 25];
    for symbol in text.bytes() {
        let Some(digit) = BASE58.iter().position(|known| *known == symbol) else { return false };
        let mut carry = digit;
        for byte in bytes.iter_mut().rev() {
            carry += usize::from(*byte) * 58;
            *byte = u8::try_from(carry & 0xff).unwrap_or_default();
            carry >>= 8;
        }
        if carry != 0 {
            return false;
        }
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
