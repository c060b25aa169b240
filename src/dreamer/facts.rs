//! The part of a report that only a dreamer over facts fills.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::facts::{EventId, Verdict};
use crate::memory::MemoryId;

/// The result of judging facts, in [`DreamReport::facts`](super::DreamReport::facts). It holds no words of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FactReport {
    /// The number of pending facts that count from now on.
    pub settled: u64,
    /// The number of facts that were retired without a model, since an older row says the same.
    pub duplicates: u64,
    /// The number of rulings that an earlier run was given and left for this one.
    pub recovered: u64,
    /// Every pair that the model was asked about, in the order of the requests.
    pub rulings: Vec<FactRuling>,
    /// The pairs that no model is asked about: the human decides on them.
    pub left: Vec<LeftPair>,
    /// The number of pairs that wait for a later run, as far as the run looked.
    pub waiting: u64,
}

/// The model's ruling on one pair, and its result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FactRuling {
    /// The row that was there.
    pub older: MemoryId,
    /// The row that came.
    pub newer: MemoryId,
    /// The model's decision; `None` if it was not sure, or said nothing of the pair.
    pub verdict: Option<Verdict>,
    /// The result of the ruling.
    pub fate: RulingOutcome,
}

impl FactRuling {
    pub(crate) fn new(
        older: MemoryId,
        newer: MemoryId,
        verdict: Option<Verdict>,
        fate: RulingOutcome,
    ) -> Self {
        Self { older, newer, verdict, fate }
    }
}

/// The result of a model's ruling on a pair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RulingOutcome {
    /// It counts.
    Decided(EventId),
    /// The store runs in shadow mode: it was told, and changed nothing.
    Told(EventId),
    /// A rule of the store is against it. The store told that too.
    Refused(String),
    /// A row has changed since the model was shown it, or was retired meanwhile: nothing was decided.
    Outdated,
    /// The model was not sure. It is asked again once either row, or the operator's wish, changes.
    Unsure,
}

impl FactRuling {
    /// Returns whether the store took it for a decision, and only reported it in shadow mode.
    pub(crate) fn is_decided(&self) -> bool {
        matches!(self.fate, RulingOutcome::Decided(_) | RulingOutcome::Told(_))
    }
}

/// A pair that no model is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LeftPair {
    /// The row that was there.
    pub older: MemoryId,
    /// The row that came.
    pub newer: MemoryId,
    /// Why.
    pub reason: LeftReason,
}

impl LeftPair {
    pub(crate) fn new(older: MemoryId, newer: MemoryId, reason: LeftReason) -> Self {
        Self { older, newer, reason }
    }
}

/// Why no model is asked about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LeftReason {
    /// Both were typed, confirmed or pinned by the human, who alone retires either.
    Protected,
    /// One is read by sessions with others present and the other is not. A shared row must not tell private words.
    Audience,
    /// The newer one is the words of a page, a tool or an import, and the older one somebody's own.
    Origin,
    /// One is no statement of the human or about them: a lesson, an outcome, a host's own category.
    Category,
    /// It is larger than a request may be.
    TooLarge,
}

impl fmt::Display for LeftReason {
    /// Says it to a person.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Protected => "both are protected",
            Self::Audience => "one is private and the other shared",
            Self::Origin => "the words of a page, a tool or an import against somebody's own",
            Self::Category => "one is no statement",
            Self::TooLarge => "larger than a request may be",
        })
    }
}
