//! The keys of the hashes in receipts, `.dreaming.d/receipts.json`.
//!
//! ```text
//! {"v":1,"keys":["5fe1…"]}
//! ```
//!
//! The first key makes new hashes. Further ones came from another machine: receipts from there are read with them. Without
//! this file no receipt says anything. Unknown keys of the object survive.
//!
//! The receipts themselves are lines of JSON in `.dreaming.d/receipts.jsonl`, and in `receipts.before.jsonl` the generation
//! before. A line that a crash tore is passed over.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::StateFile;
use crate::base::digest::{Digest, Hasher};
use crate::base::error::Result;
use crate::base::name::StateName;

const VERSION: u64 = 1;
const FILE: StateFile = StateFile::sealed(StateName::RECEIPT_KEYS, Some(VERSION));
/// The number of hexadecimal digits of a hash in a receipt.
const DIGITS: usize = 32;

/// The keys of a life's receipts.
#[derive(Serialize, Deserialize)]
pub(crate) struct ReceiptKeys {
    v: u64,
    pub(crate) keys: Vec<Digest>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    pub(crate) others: Map<String, Value>,
}

impl ReceiptKeys {
    pub(crate) fn new(key: Digest) -> Self {
        Self { v: VERSION, keys: vec![key], others: Map::new() }
    }

    /// Parses the file; `None` (no file) means that no receipt was ever written.
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Option<Self>> {
        let Some(parsed) = FILE.parse::<Self>(bytes)? else { return Ok(None) };
        let is_empty = parsed.keys.is_empty();
        let fault = is_empty.then_some("it has no key, and without one no receipt can be read");
        FILE.refuse(fault)?;
        Ok(Some(parsed))
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        FILE.print(self)
    }

    /// Returns the key of new hashes.
    pub(crate) fn key(&self) -> &Digest {
        self.keys.first().expect("a file without a key does not parse")
    }

    /// Returns all keys.
    pub(crate) fn all(&self) -> &[Digest] {
        &self.keys
    }
}

/// Returns a hash of some fields that nobody can try without the key.
pub(crate) fn keyed(key: &Digest, fields: &[&[u8]]) -> String {
    let mut hasher = Hasher::new();
    hasher.field(key.as_bytes());
    for field in fields {
        hasher.field(field);
    }
    hasher.finish().short(DIGITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_depends_on_its_key_and_on_each_field() {
        let [one, other] = [b"one", b"two"].map(|key| Digest::of(key.as_slice()));
        let hash = keyed(&one, &[b"a", b"bc"]);
        assert_eq!((hash.len(), &hash), (DIGITS, &keyed(&one, &[b"a", b"bc"])));
        assert_ne!(hash, keyed(&other, &[b"a", b"bc"]));
        assert_ne!(hash, keyed(&one, &[b"ab", b"c"]));
    }
}
