//! The state of a dreamer beside the curator: `.dreaming.d/facts.json` and `.dreaming.d/personalization.json`.
//!
//! ```text
//! {"v":1,"key":"9b1f…","pace":{"last_run_at":"2026-11-21T03:00:00.000Z","calls_that_day":1},
//!  "asked":{"12-15":"0f3a9c5be2d14477"},"answered":{"after":7,"rulings":[…]}}
//! ```
//!
//! It holds ids and keyed hashes, no words. `answered` is there between an answer and its last decision: whoever
//! finds it carries out the rest.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::StateFile;
use super::seal;
use crate::base::digest::{Digest, Hasher};
use crate::base::error::Result;
use crate::base::name::StateName;
use crate::base::sorted::SortedMap;
use crate::format::DreamedState;
use crate::format::replies::rulings::Ruling;

/// The version of this shape.
const VERSION: u64 = 1;

/// The state of a dreamer beside the curator.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AskedState {
    v: u64,
    /// The key of the hashes: a hash without a key can be tried against words.
    key: String,
    /// When a model was asked last, how that ended, and what was used up.
    #[serde(default)]
    pub(crate) pace: DreamedState,
    /// The questions that were asked, each with its state then.
    #[serde(default)]
    pub(crate) asked: SortedMap<String, String>,
    /// Statements that were written, so that one which somebody took out does not come back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) written: Vec<String>,
    /// An answer that is not carried out in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) answered: Option<Answered>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// An answer that may not be carried out in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answered {
    /// The latest event of the store before it.
    pub(crate) after: i64,
    pub(crate) rulings: Vec<Given>,
}

/// The ruling on one pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Given {
    pub(crate) older: i64,
    pub(crate) newer: i64,
    pub(crate) ruling: Ruling,
    /// The hash of both rows at that time.
    pub(crate) seen: String,
}

impl AskedState {
    /// Parses the file; where there is none, nothing was asked, and hashes are made with `key`.
    pub(crate) fn parse(
        name: &StateName,
        bytes: Option<&[u8]>,
        key: impl FnOnce() -> String,
    ) -> Result<Self> {
        let file = StateFile::sealed(name.clone(), Some(VERSION));
        Ok(file.parse(bytes)?.unwrap_or_else(|| Self {
            v: VERSION,
            key: key(),
            pace: DreamedState::default(),
            asked: SortedMap::new(),
            written: Vec::new(),
            answered: None,
            others: Map::new(),
        }))
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        seal::print(self)
    }

    /// Returns the keyed hash of texts.
    pub(crate) fn hash<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> String {
        self.digest(texts).short(16)
    }

    fn digest<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Digest {
        let mut hasher = Hasher::new();
        hasher.field(self.key.as_bytes());
        for text in texts {
            hasher.field(text.as_bytes());
        }
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_hangs_on_its_key() {
        let state = |key: &str| AskedState::parse(&StateName::FACTS, None, || key.to_owned()).unwrap();
        assert_eq!(state("a").hash(["x", "y"]), state("a").hash(["x", "y"]));
        assert_ne!(state("a").hash(["x", "y"]), state("b").hash(["x", "y"]));
        assert_ne!(state("a").hash(["x", "y"]), state("a").hash(["xy"]));
    }
}
