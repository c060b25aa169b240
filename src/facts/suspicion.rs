//! Rows that may contradict each other.

use serde::{Deserialize, Serialize};

use super::fact::Fact;
use crate::memory::MemoryId;

/// The result of recording a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recorded {
    /// Its row.
    pub id: MemoryId,
    /// The rows that it may contradict, at most five, those of the same key first.
    pub suspects: Vec<Suspect>,
}

impl Recorded {
    /// Makes the result that a store returns.
    #[must_use]
    pub fn new(id: MemoryId, suspects: Vec<Suspect>) -> Self {
        Self { id, suspects }
    }
}

/// A row that a new one may contradict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suspect {
    /// The row.
    pub id: MemoryId,
    /// Why.
    pub reason: SuspectReason,
}

/// Why two rows may contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SuspectReason {
    /// They state the same property of the same subject, which has one value.
    SameKey,
    /// They share most of their words.
    Alike,
}

/// Two standing rows that may contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suspicion {
    /// The one that was there.
    pub older: Fact,
    /// The one that came.
    pub newer: Fact,
    /// Why.
    pub reason: SuspectReason,
}

impl Suspicion {
    /// Makes a pair of a store.
    #[must_use]
    pub fn new(older: Fact, newer: Fact, reason: SuspectReason) -> Self {
        Self { older, newer, reason }
    }
}
