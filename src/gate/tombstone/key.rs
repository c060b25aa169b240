//! The secret of the tombstones of one home.

use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::debug::debug_as;
use crate::base::digest::{Digest, Hasher};

/// The secret that tombstones of one home are made with: without it they say nothing.
///
/// It is kept beside them, so that the home knows again what it forgot. Tombstones that were copied alone, from a
/// report or a log, cannot be compared with guessed words.
#[derive(Clone, PartialEq, Eq)]
pub struct TombstoneKey(pub(super) [u8; 32]);

impl TombstoneKey {
    /// Returns a key that nobody has had before.
    #[must_use]
    pub fn random() -> Self {
        let mut hasher = Hasher::new();
        for counter in 0..4_u64 {
            // The standard library's own secret: drawn from the operating system once in each thread.
            hasher.update(&RandomState::new().hash_one(counter).to_be_bytes());
        }
        Self(*hasher.finish().as_bytes())
    }

    /// Returns the key of these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes, to be kept.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

debug_as!(TombstoneKey, "TombstoneKey(…)");

impl Serialize for TombstoneKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(self.0))
    }
}

impl<'de> Deserialize<'de> for TombstoneKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The shape of a digest: 64 hexadecimal digits.
        Digest::deserialize(deserializer).map(|digest| Self(*digest.as_bytes()))
    }
}
