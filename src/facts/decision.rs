//! A decision on one or two facts.

use std::fmt::{self, Debug};

use serde::{Deserialize, Serialize};

use crate::memory::MemoryId;

/// A decision on one or two facts.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The decision.
    pub verdict: Verdict,
    /// The row, or the older one of two.
    pub older: MemoryId,
    /// The newer one of two.
    pub newer: Option<MemoryId>,
    /// Why, for those who read the [decisions](super::FactStore::decisions).
    pub reason: Option<String>,
}

/// A decision on facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// The newer one is how it is now: the older is retired.
    Supersede,
    /// Both say the same: the newer is retired.
    Duplicate,
    /// Both hold.
    Coexist,
    /// One of them does not hold, and nobody knows which.
    Dispute,
    /// It holds: the human says so. From now on nobody else retires it.
    Confirm,
    /// It does not hold, and never did: it is retired.
    Reject,
    /// Pending facts were settled, and those that an older row says already were retired. The library's own.
    Settle,
    /// An earlier decision was taken back.
    Revert,
}

impl Decision {
    fn new(verdict: Verdict, older: MemoryId, newer: Option<MemoryId>) -> Self {
        Self { verdict, older, newer, reason: None }
    }

    /// Makes the decision that the newer row is how it is now.
    #[must_use]
    pub fn supersede(older: MemoryId, newer: MemoryId) -> Self {
        Self::new(Verdict::Supersede, older, Some(newer))
    }

    /// Makes the decision that both rows say the same.
    #[must_use]
    pub fn duplicate(older: MemoryId, newer: MemoryId) -> Self {
        Self::new(Verdict::Duplicate, older, Some(newer))
    }

    /// Makes the decision that both rows hold: they are no contradiction.
    #[must_use]
    pub fn coexist(older: MemoryId, newer: MemoryId) -> Self {
        Self::new(Verdict::Coexist, older, Some(newer))
    }

    /// Makes the decision that one of the rows does not hold, and nobody knows which.
    #[must_use]
    pub fn dispute(older: MemoryId, newer: MemoryId) -> Self {
        Self::new(Verdict::Dispute, older, Some(newer))
    }

    /// Makes the decision that the row holds.
    #[must_use]
    pub fn confirm(id: MemoryId) -> Self {
        Self::new(Verdict::Confirm, id, None)
    }

    /// Makes the decision that the row does not hold.
    #[must_use]
    pub fn reject(id: MemoryId) -> Self {
        Self::new(Verdict::Reject, id, None)
    }

    /// Says why. Secrets and instructions in it are masked.
    #[must_use]
    pub fn because(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }
}

impl Debug for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verdict, older, newer, reason } = self;
        let reason = reason.as_ref().map(String::len);
        write!(f, "Decision({verdict:?} {older:?} {newer:?}, reason: {reason:?} bytes)")
    }
}
