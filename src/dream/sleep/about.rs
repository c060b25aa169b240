//! The matter of a sleep's pass: a slice of the conversation, or all observations.

use crate::base::digest::{Digest, Hasher};
use crate::format::{DreamId, Observations};

/// The matter of a pass.
pub(crate) enum About {
    Dream(Slice),
    Deep(Material),
}

impl About {
    /// Returns the hash of what the model is shown.
    pub(crate) fn sha256(&self) -> Digest {
        match self {
            Self::Dream(slice) => slice.sha256(),
            Self::Deep(material) => material.sha256(),
        }
    }
}

/// The part of the conversation that a dream is shown: whole lines.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(super) from: u64,
    pub(super) bytes: Vec<u8>,
    /// The actions up to now, which the dream looks back on.
    pub(super) actions: u32,
}

impl Slice {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn to(&self) -> u64 {
        self.from + self.bytes.len() as u64
    }

    pub(crate) fn sha256(&self) -> Digest {
        Digest::of(&self.bytes)
    }

    pub(super) fn id(&self, dream: u64) -> DreamId {
        let mut hasher = Hasher::new();
        hasher
            .field(b"sleep")
            .field(&dream.to_be_bytes())
            .field(&self.from.to_be_bytes())
            .field(self.sha256().as_bytes());
        DreamId::from_digest(hasher.finish())
    }
}

/// The input of a deep sleep.
#[derive(Debug)]
pub(crate) struct Material {
    pub(super) observations: Observations,
    /// The first line that is shown; the model names no other that it knows.
    pub(super) first_shown: u64,
    /// Whether the file is text from end to end.
    pub(super) is_text: bool,
}

impl Material {
    pub(crate) fn sha256(&self) -> Digest {
        Digest::of(self.observations.as_str().as_bytes())
    }
}
