//! A row as a fact.

use chrono::{DateTime, Utc};

use super::state::{FactState, FactStatus};
use crate::memory::key::{Cardinality, FactKey};
use crate::memory::{Memory, NewMemory, Source};

/// A row as a fact. Its `created_at` is the time since which the store knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fact {
    /// The row.
    pub memory: Memory,
    /// The subject and property that it is about, if the writer said so.
    pub key: Option<FactKey>,
    /// The time since which it is true, if it was given. It is never guessed from the time of recording.
    pub valid_from: Option<DateTime<Utc>>,
    /// Its status.
    pub status: FactStatus,
}

impl Fact {
    /// Makes a row of a store as a fact.
    #[must_use]
    pub fn new(
        memory: Memory,
        key: Option<FactKey>,
        valid_from: Option<DateTime<Utc>>,
        status: FactStatus,
    ) -> Self {
        Self { memory, key, valid_from, status }
    }

    /// Returns the time since which it is true. If that was not given, it is the time since which the store
    /// knows it.
    #[must_use]
    pub fn since(&self) -> DateTime<Utc> {
        self.valid_from.unwrap_or(self.memory.created_at)
    }

    /// Makes a row with other words, of the same category, place and key, and true since the same time. It cites nothing and is
    /// of no dream: the words are those of a person or the agent.
    #[must_use]
    pub fn restated(&self, content: impl Into<String>, source: Source) -> NewMemory {
        let mut row = NewMemory::new(self.memory.category.clone(), content, source);
        row.metadata.clone_from(&self.memory.metadata);
        row.place.clone_from(&self.memory.place);
        row.shared = self.memory.shared;
        row.about.clone_from(&self.key);
        row.valid_from = Some(self.since());
        row
    }

    /// Returns whether its property has one value at a time.
    pub(crate) fn is_single(&self) -> bool {
        self.key.as_ref().is_some_and(|key| key.cardinality == Cardinality::One)
    }

    /// Returns whether only the human may retire it: typed, confirmed or pinned by them.
    #[must_use]
    pub fn is_protected(&self) -> bool {
        let is_typed = self.memory.source.as_ref().is_some_and(Source::is_typed);
        is_typed || self.memory.pinned || self.status.state == FactState::Verified
    }
}

/// A promoted line that no longer holds: its row, and the row that holds now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Superseded {
    /// The row of the line.
    pub row: Memory,
    /// The row that holds now, at the end of the chain.
    pub now: Memory,
    /// Since when: since it is true, where that is known, else since the store knows it.
    pub since: Option<DateTime<Utc>>,
}

impl Superseded {
    /// Makes the entry of a store.
    #[must_use]
    pub fn new(row: Memory, now: Memory, since: Option<DateTime<Utc>>) -> Self {
        Self { row, now, since }
    }
}
