//! The state of a fact, and the effect of decisions on it.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::memory::MemoryId;

/// The state of a fact. Prints and reads back as the word of its files: `pending`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactState {
    /// Recorded, and not settled yet: found by a search, and in no prompt.
    Pending,
    /// It counts, as far as anybody knows.
    Candidate,
    /// The human confirmed it.
    Verified,
    /// Another one contradicts it, and nobody knows which holds. Both are found.
    Disputed,
    /// Replaced by another one, or said by an older one already: out of every list, search and prompt.
    Superseded,
    /// Found to be wrong: out of every list, search and prompt.
    Rejected,
}

impl FactState {
    const ALL: [Self; 6] =
        [Self::Pending, Self::Candidate, Self::Verified, Self::Disputed, Self::Superseded, Self::Rejected];

    /// Returns its word in a file: `pending`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Candidate => "candidate",
            Self::Verified => "verified",
            Self::Disputed => "disputed",
            Self::Superseded => "superseded",
            Self::Rejected => "rejected",
        }
    }

    /// Returns the state that a word stands for.
    #[must_use]
    pub fn is_retired(self) -> bool {
        matches!(self, Self::Superseded | Self::Rejected)
    }
}

impl fmt::Display for FactState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for FactState {
    type Err = UnknownFactState;

    fn from_str(word: &str) -> Result<Self, UnknownFactState> {
        Self::ALL.into_iter().find(|state| state.as_str() == word).ok_or(UnknownFactState)
    }
}

/// A text that names no [`FactState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a state of a fact: pending, candidate, verified, disputed, superseded or rejected")]
pub struct UnknownFactState;

/// The part of a fact that decisions change; never its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FactStatus {
    /// The state.
    pub state: FactState,
    /// The row that replaced it, if it was superseded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<MemoryId>,
    /// The time until which it was true, if known: from then on its successor is true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<DateTime<Utc>>,
    /// The time since which the store knows that it is no longer true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired_at: Option<DateTime<Utc>>,
}

impl FactStatus {
    /// Makes the status of a fact in this state.
    #[must_use]
    pub fn standing(state: FactState) -> Self {
        Self { state, successor: None, valid_until: None, retired_at: None }
    }
}

/// The status of one row before and after a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusChange {
    /// The row.
    pub id: MemoryId,
    /// The status before.
    pub before: FactStatus,
    /// The status after, or the status that it would have.
    pub after: FactStatus,
}

impl StatusChange {
    /// Returns whether it takes the row out of lists, searches and prompts.
    #[must_use]
    pub fn retires(&self) -> bool {
        !self.before.state.is_retired() && self.after.state.is_retired()
    }
}
