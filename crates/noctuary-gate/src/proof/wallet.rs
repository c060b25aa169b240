//! Checksums of wallets: `Base58Check`, bech32, and EIP-55.

use bech32::primitives::decode::{SegwitHrpstring, UncheckedHrpstring};
use bech32::{Bech32, Bech32m};
use keccak::Keccak;
use sha2::{Digest as _, Sha256};

/// The most symbols of a text that is read as base 58.
const MOST_SYMBOLS: usize = 128;
/// The bytes of an address: a version, a hash of twenty bytes, and a checksum.
const ADDRESS: usize = 25;

/// Returns whether `text` is an address of a test network, Litecoin, Dogecoin or Dash.
pub(crate) fn other_address(text: &str) -> bool {
    // Versions: test networks 111 and 196, Litecoin 48, 50 and 58, Dogecoin 30 and 22, Dash 76 and 16, 140.
    let is_known = |payload: &[u8]| {
        payload.len() == 21 && matches!(payload[0], 111 | 196 | 48 | 50 | 58 | 30 | 22 | 76 | 16 | 140)
    };
    has_payload(text, is_known)
}

/// Returns whether `text` is a private key for import, of the main or a test network.
pub(crate) fn wif(text: &str) -> bool {
    let is_key = |payload: &[u8]| {
        matches!(payload[0], 0x80 | 0xef)
            && (payload.len() == 33 || (payload.len() == 34 && payload[33] == 1))
    };
    has_payload(text, is_key)
}

/// Returns whether `text` is an extended key, which has 78 bytes.
pub(crate) fn extended_key(text: &str) -> bool {
    has_payload(text, |payload| payload.len() == 78)
}

/// Returns whether the last four bytes of `text`, read in base 58, are its checksum.
pub(crate) fn base58check(text: &str) -> bool {
    has_payload(text, |_| true)
}

/// Reads `text` in base 58, and asks about its bytes without the checksum, if that holds. They are never empty.
fn has_payload(text: &str, is: impl Fn(&[u8]) -> bool) -> bool {
    let mut bytes = [0; MOST_SYMBOLS];
    text.len() <= MOST_SYMBOLS
        && bs58::decode(text).onto(&mut bytes[..]).is_ok_and(|length| is_checked(&bytes[..length], is))
}

fn is_checked(bytes: &[u8], is: impl Fn(&[u8]) -> bool) -> bool {
    bytes.split_last_chunk::<4>().is_some_and(|(payload, check)| {
        !payload.is_empty() && is(payload) && Sha256::digest(Sha256::digest(payload))[..4] == *check
    })
}

/// Returns whether `text` is a `Base58Check` address: 20 bytes of hash under the version of P2PKH (0) or P2SH (5).
pub(crate) fn base58check_address(text: &str) -> bool {
    // In the room of an address, most runs of other symbols end early.
    let mut bytes = [0; ADDRESS];
    bs58::decode(text)
        .onto(&mut bytes[..])
        .is_ok_and(|length| length == ADDRESS && is_checked(&bytes, |payload| matches!(payload[0], 0 | 5)))
}

/// Returns whether `text` is a bech32 or bech32m string.
pub(crate) fn bech32(text: &str) -> bool {
    UncheckedHrpstring::new(text)
        .is_ok_and(|read| read.has_valid_checksum::<Bech32>() || read.has_valid_checksum::<Bech32m>())
}

/// Returns whether `text` is an address of a witness program. Its version and its length are known, and the checksum is
/// that of its version.
pub(crate) fn witness_address(text: &str) -> bool {
    SegwitHrpstring::new(text).is_ok()
}

/// The digits of an address of Ethereum.
const EVM_DIGITS: usize = 40;

/// Returns the Keccak-256 hash of the digits of an address. They fill less than one block, the unit that is absorbed at a
/// time.
fn keccak256(digits: [u8; EVM_DIGITS]) -> [u8; 32] {
    const BLOCK: usize = 136;
    let mut block = [0; BLOCK];
    block[..EVM_DIGITS].copy_from_slice(&digits);
    // The padding has a bit behind the text, and one at the end of the block.
    (block[EVM_DIGITS], block[BLOCK - 1]) = (0x01, 0x80);
    let mut state = [0; 25];
    for (lane, bytes) in state.iter_mut().zip(block.as_chunks().0) {
        *lane = u64::from_le_bytes(*bytes);
    }
    Keccak::new().with_f1600(|permute| permute(&mut state));
    let mut hash = [0; 32];
    for (bytes, lane) in hash.as_chunks_mut().0.iter_mut().zip(state) {
        *bytes = lane.to_le_bytes();
    }
    hash
}

/// Returns whether the case of the letters of an address is the one that EIP-55 computes. One case alone proves nothing.
pub(crate) fn eip55(text: &str) -> bool {
    let digits = text.trim_start_matches("0x");
    let Ok(lower) = <[u8; EVM_DIGITS]>::try_from(digits.to_ascii_lowercase().as_bytes()) else {
        return false;
    };
    let hash = keccak256(lower);
    let mixed = digits.bytes().any(|digit| digit.is_ascii_lowercase())
        && digits.bytes().any(|digit| digit.is_ascii_uppercase());
    mixed
        && digits.bytes().enumerate().all(|(at, digit)| {
            let nibble = hash[at / 2] >> (4 * (1 - at % 2)) & 15;
            !digit.is_ascii_alphabetic() || digit.is_ascii_uppercase() == (nibble >= 8)
        })
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
