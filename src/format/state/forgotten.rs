//! The tombstones of a workspace, `.dreaming.d/forgotten.json`, without the forgotten words.
//!
//! ```text
//! {"v":1,"forgotten":{"key":"5fe1…","tombstones":[{"words":5,"mark":3735928559,"digest":"9f86d0…"}]}}
//! ```
//!
//! Version 2 has the tombstones of other machines too, each list with its key: `"others":[{"key":"…","tombstones":[…]}]`.
//! `"in_files":["9f86d0…"]` has the digests of those that a person asked to have overwritten in files too.
//!
//! Without this file, the next dream brings back forgotten statements. Unknown keys survive.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::StateFile;
use crate::base::digest::Digest;
use crate::base::error::{Error, Result};
use crate::base::name::StateName;
use crate::base::sorted::SortedSet;

const VERSION: u64 = 1;
/// The version of a file with tombstones of several keys: a library that knows one key alone must not read it.
pub(crate) const JOINED: u64 = 2;
const FILE: StateFile = StateFile::sealed(StateName::FORGOTTEN, Some(JOINED));

/// The file and its copy are damaged.
const UNKNOWN: &str = "no copy of it can be read either, so nobody knows what was forgotten, and nothing is searched or dreamed: \
     restore it from a backup or git, or delete it to go on, and forget again what may not come back";

/// The file, around the set of tombstones that it keeps.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Forgotten<T> {
    pub(crate) v: u64,
    #[serde(rename = "forgotten")]
    pub(crate) tombstones: T,
    /// The digests of the statements that a person asked to have overwritten in files.
    #[serde(default, skip_serializing_if = "SortedSet::is_empty")]
    pub(crate) in_files: SortedSet<Digest>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    pub(crate) others: Map<String, Value>,
}

impl<T: Serialize + DeserializeOwned> Forgotten<T> {
    pub(crate) fn new(tombstones: T) -> Self {
        Self { v: VERSION, tombstones, in_files: SortedSet::new(), others: Map::new() }
    }

    /// Parses the file; `None` (no file) means that nothing was forgotten.
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Option<Self>> {
        FILE.parse(bytes)
    }

    /// Parses the file, and its copy where the file is damaged.
    ///
    /// # Errors
    ///
    /// The error of the file, where the copy says nothing either: nobody knows then what may not come back.
    pub(crate) fn or_copy(
        bytes: Option<&[u8]>,
        copy: impl FnOnce() -> Result<Option<Vec<u8>>>,
    ) -> Result<Option<Self>> {
        match Self::parse(bytes) {
            Err(Error::Corrupt { name, line, column, .. }) => match Self::parse(copy()?.as_deref()) {
                Ok(Some(file)) => Ok(Some(file)),
                _ => Err(Error::Corrupt { name, line, column, what: UNKNOWN }),
            },
            parsed => parsed,
        }
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        FILE.print(self)
    }
}
