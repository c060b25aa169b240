//! A row as the file says it.

use chrono::{DateTime, Utc};

use crate::base::access::Actor;
use crate::facts::{Fact, FactKey, FactState, FactStatus};
use crate::memory::Memory;
use crate::store::fact;

/// A row, what it says as a fact, and whether it is deleted.
pub(super) struct Stored {
    pub(super) memory: Memory,
    pub(super) stated: Stated,
    /// The actor who pinned it.
    pub(super) pinned_by: Option<Actor>,
    /// When, and by whom.
    pub(super) deleted: Option<(DateTime<Utc>, Actor)>,
}

impl Stored {
    /// Returns the row as a fact.
    pub(super) fn fact(&self) -> Fact {
        let Stated { about, valid_from, status } = &self.stated;
        fact::fact(self.memory.clone(), about.clone(), *valid_from, *status)
    }
}

/// The statement of a row as a fact.
#[derive(Default)]
pub(super) struct Stated {
    pub about: Option<FactKey>,
    pub valid_from: Option<DateTime<Utc>>,
    /// `None` where nothing was ever decided.
    pub status: Option<FactStatus>,
}

impl Stated {
    pub(super) fn is_retired(&self) -> bool {
        self.status.is_some_and(|status| status.state.is_retired())
    }

    pub(super) fn is_pending(&self) -> bool {
        self.status.is_some_and(|status| status.state == FactState::Pending)
    }
}
