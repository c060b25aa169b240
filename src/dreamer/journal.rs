//! The journals of a run: which were read, and what waits.

use std::fmt;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::base::name::DocName;

/// A candidate journal and why it was or was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct JournalReport {
    /// The journal.
    pub name: DocName,
    /// Why.
    pub reason: ReadReason,
    /// Its size in bytes, where it was looked at.
    pub size: u64,
    /// Bytes that were shown in this run.
    pub shown: u64,
    /// Bytes that still wait.
    pub pending: u64,
}

/// Why a journal was or was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReadReason {
    /// It was shown, and nothing of it waits.
    Shown,
    /// It was shown, and the rest of it waits.
    PartlyShown,
    /// All of it was shown before.
    AlreadyShown,
    /// It changed where it had been shown before, so that was shown again.
    Rewritten,
    /// It did not fit and waits.
    OverBudget,
    /// It waits, since no model was asked: it was not due, or too many proposals wait.
    NotAsked,
    /// It was asked about, there was no usable answer, and it waits.
    Unanswered,
    /// It was shown, every line of the answer was held, and it waits for another try.
    Held,
    /// It waits for its last line to end.
    Unfinished,
    /// It is in quarantine until the operator releases it.
    Quarantined,
    /// A foreign peer's watermark says that it was dreamed.
    DreamedByPeer,
    /// Its date lies outside the window.
    OutsideWindow,
    /// It left the window before all of it was shown.
    Expired,
    /// It could not be read.
    Unreadable,
    /// Its name holds a secret, or what was forgotten, so it is not shown.
    SecretInName,
    /// It is empty, or nothing is left of it for a model to read.
    Empty,
}

impl fmt::Display for ReadReason {
    /// Says it to a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Shown => "read",
            Self::PartlyShown => "read in part",
            Self::AlreadyShown => "nothing new",
            Self::Rewritten => "read again, it was rewritten",
            Self::OverBudget => "waits, over budget",
            Self::NotAsked => "waits, no model was asked",
            Self::Unanswered => "waits, there was no usable answer",
            Self::Held => "waits, every line of the answer was held",
            Self::Unfinished => "waits for its last line to end",
            Self::Quarantined => "in quarantine",
            Self::DreamedByPeer => "dreamed by a peer",
            Self::OutsideWindow => "outside the window",
            Self::Expired => "left the window unread",
            Self::Unreadable => "could not be read",
            Self::SecretInName => "its name holds what is not shown",
            Self::Empty => "empty",
        })
    }
}

/// Journals that wait for later passes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Backlog {
    /// The number of journals.
    pub journals: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// The date of the oldest of them.
    pub oldest: Option<NaiveDate>,
}

/// The fill level of `MEMORY.md` against its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryGauge {
    /// Its length in characters.
    pub chars: u64,
    /// The budget in characters; being over it only warns.
    pub budget: u64,
}

impl MemoryGauge {
    /// Returns whether it is over its budget.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.chars > self.budget
    }
}
