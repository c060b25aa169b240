//! A row as the file says it.

use chrono::{DateTime, Utc};

use crate::facts::{Fact, FactKey, FactStatus};
use crate::memory::Memory;
use crate::store::fact;

/// A row, and what it says as a fact.
#[derive(Clone)]
pub(super) struct Stored {
    pub(super) memory: Memory,
    pub(super) stated: Stated,
}

impl Stored {
    /// Returns the row as a fact.
    pub(super) fn fact(self) -> Fact {
        let Stated { about, valid_from, status } = self.stated;
        fact::fact(self.memory, about, valid_from, status)
    }

    /// Returns the normal form of what it states.
    pub(super) fn normal(&self) -> Option<String> {
        fact::normal(&self.memory.category, &self.memory.content, self.stated.about.as_ref())
    }
}

/// The statement of a row as a fact.
#[derive(Clone, Default)]
pub(super) struct Stated {
    pub about: Option<FactKey>,
    pub valid_from: Option<DateTime<Utc>>,
    /// `None` where nothing was ever decided.
    pub status: Option<FactStatus>,
}
