//! The seed's `.soul-state.json`: which `SOUL.md` the agent knows of.
//!
//! ```text
//! {"hash":"9f86d0…","seen_at":"2026-11-21T09:14:05.000Z","pending":"60303a…"}
//! ```
//!
//! `pending` is ours: the hash of a change that was handed over and is not confirmed. Unknown keys survive. A file of
//! another shape is another program's: it stays as it is, and ours is `.dreaming.d/soul.json` then.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::StateFile;
use crate::base::document::Revision;
use crate::base::error::Result;
use crate::base::name::StateName;
use crate::format::state::iso_millis;

const FILE: StateFile = StateFile::plain(StateName::SOUL);

/// The `SOUL.md` that was last acknowledged.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SoulState {
    /// Its hash; `None` where none was ever read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<Revision>,
    /// When it became the known one.
    #[serde(default, with = "iso_millis", skip_serializing_if = "Option::is_none")]
    pub(crate) seen_at: Option<DateTime<Utc>>,
    /// The hash of a change whose notice was handed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) pending: Option<Revision>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    others: Map<String, Value>,
}

impl SoulState {
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        Ok(FILE.parse(bytes)?.unwrap_or_default())
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        FILE.print(self)
    }
}
