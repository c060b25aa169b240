//! SHA-256 digests, as 64 hexadecimal digits wherever they are written down.

use std::fmt;
use std::str::FromStr;

use crate::base::debug::debug_as;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

/// A SHA-256 digest.
///
/// ```
/// use noctuary::workspace::Digest;
///
/// let digest = Digest::of(b"abc");
/// assert!(digest.to_string().starts_with("ba7816bf"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The first of all, in order.
    pub(crate) const LEAST: Self = Self([0; 32]);

    /// Returns the bytes.
    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(bytes);
        hasher.finish()
    }

    /// Returns the first `digits` hexadecimal digits, at most 64.
    #[must_use]
    pub fn short(&self, digits: usize) -> String {
        let mut text = self.to_string();
        text.truncate(digits);
        text
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

debug_as!(Digest, |it| "Digest({}…)", it.short(12));

impl FromStr for Digest {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            // Says what is wrong with it.
            hex::decode_to_slice(text, &mut bytes)?;
        }
        // Without a branch for each digit: half of them would be guessed wrong, and a ledger has many.
        let value = |digit: u8| (digit & 0xf) + 9 * (digit >> 6);
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            *byte = value(pair[0]) << 4 | value(pair[1]);
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Hexadecimal;
        impl Visitor<'_> for Hexadecimal {
            type Value = Digest;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sha256 in hexadecimal")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Digest, E> {
                text.parse().map_err(|_| E::custom("not a sha256 in hexadecimal"))
            }
        }
        deserializer.deserialize_str(Hexadecimal)
    }
}

/// Hashes a stream of pieces into one [`Digest`].
#[derive(Debug, Clone)]
pub(crate) struct Hasher(Sha256);

impl Hasher {
    pub(crate) fn new() -> Self {
        Self(Sha256::new())
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds one field, its length first, so that two fields cannot run into each other.
    pub(crate) fn field(&mut self, bytes: &[u8]) -> &mut Self {
        self.update(&(bytes.len() as u64).to_be_bytes());
        self.update(bytes);
        self
    }

    pub(crate) fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_survives_its_text_form() {
        let digest = Digest::of(b"night");
        assert_eq!(digest.to_string().parse::<Digest>().unwrap(), digest);
        assert_eq!(digest.to_string().to_uppercase().parse::<Digest>().unwrap(), digest);
        assert!("xyz".parse::<Digest>().is_err());
        for strange in ["g", "/", ":", "@", "G", "`", " ", "", "00"] {
            let text = digest.to_string().replacen(|_| true, strange, 1);
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let mut left = Hasher::new();
        left.field(b"ab").field(b"c");
        let mut right = Hasher::new();
        right.field(b"a").field(b"bc");
        assert_ne!(left.finish(), right.finish());
    }
}
