//! `.dreaming.d/life.json`: what a life must remember about its own beginning.
//!
//! ```text
//! {"bootstrap_seen":true,"onboarding":{"end":"done","at":"2026-11-21T09:14:05Z",
//!  "journal":"memory/2026-11-21-repl.md","finished":true},"merged":{"MEMORY.md":["9f86d081884c7d65"]}}
//! ```
//!
//! `merged` has hashes of document versions that a merge put together, and of the results. `latest` has those of the
//! last merge.
//!
//! Unknown keys survive.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file::StateFile;
use crate::base::error::Result;
use crate::base::name::StateName;
use crate::base::sorted::{SortedMap, SortedSet};

const FILE: StateFile = StateFile::sealed(StateName::LIFE, None);

/// The state of a life.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct LifeState {
    /// Whether a `BOOTSTRAP.md` ever existed; it is not seeded a second time.
    #[serde(default)]
    pub(crate) bootstrap_seen: bool,
    /// The end of the onboarding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) onboarding: Option<Onboarded>,
    /// Of each document that was merged: the hashes of its versions that are in it.
    #[serde(default, skip_serializing_if = "SortedMap::is_empty")]
    pub(crate) merged: SortedMap<String, SortedSet<String>>,
    /// Of each of these documents: the hash of what the last merge made of it.
    #[serde(default, skip_serializing_if = "SortedMap::is_empty")]
    pub(crate) latest: SortedMap<String, String>,
    /// Keys of others, kept as they are.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// An onboarding that ended, or is ending.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Onboarded {
    pub(crate) end: OnboardingEnd,
    pub(crate) at: DateTime<Utc>,
    /// The journal that says so; recovery after a crash looks there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) journal: Option<String>,
    /// Whether every step of it was done.
    pub(crate) finished: bool,
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// The end of an onboarding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnboardingEnd {
    /// The agent gave the token.
    Done,
    /// A step failed.
    Failed,
}

impl LifeState {
    pub(crate) fn parse(bytes: Option<&[u8]>) -> Result<Self> {
        Ok(FILE.parse(bytes)?.unwrap_or_default())
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        FILE.print(self)
    }
}

impl Onboarded {
    pub(crate) fn begun(end: OnboardingEnd, at: DateTime<Utc>, journal: String) -> Self {
        Self { end, at, journal: Some(journal), finished: false, others: Map::new() }
    }
}
