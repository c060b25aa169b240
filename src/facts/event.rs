//! A decision as the store tells it, and its result.

use std::fmt::{self, Debug};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::decision::Verdict;
use super::state::StatusChange;
use crate::base::access::{Actor, SessionKind};
use crate::base::row_id::row_id;
use crate::memory::MemoryId;

/// The id of a decision: positive, never used twice in a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventId(i64);

row_id!(EventId);

/// A decision as it is recorded: a row of `memory_decisions`. It holds no words of the facts.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ConsolidationEvent {
    /// Its id.
    pub id: EventId,
    /// When.
    pub at: DateTime<Utc>,
    /// Who decided.
    pub actor: Actor,
    /// In what kind of session; `None` where it was in none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<SessionKind>,
    /// The decision.
    pub verdict: Verdict,
    /// The row, or the older one of two; `None` where it settled something that no other row says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older: Option<MemoryId>,
    /// The newer one of two, or what was settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<MemoryId>,
    /// The result of it.
    pub outcome: EventOutcome,
    /// Why, as it was stored: with secrets and instructions masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The decision that it takes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<EventId>,
    /// The rows that it changed, or would have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<StatusChange>,
}

impl ConsolidationEvent {
    /// Makes a decision that counts and changes nothing: its other fields can be set.
    #[must_use]
    pub fn new(id: EventId, at: DateTime<Utc>, actor: Actor, verdict: Verdict) -> Self {
        Self {
            id,
            at,
            actor,
            kind: None,
            verdict,
            older: None,
            newer: None,
            outcome: EventOutcome::Applied,
            reason: None,
            reverts: None,
            changes: Vec::new(),
        }
    }
}

impl Debug for ConsolidationEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, actor, verdict, older, newer, outcome, .. } = self;
        write!(f, "ConsolidationEvent({id:?} {actor:?} {verdict:?} {older:?} {newer:?} {outcome:?})")
    }
}

/// The result of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventOutcome {
    /// It counts.
    Applied,
    /// It was only told, since the store runs in shadow mode.
    Shadow,
    /// The session may not decide this.
    Denied,
    /// A row is not there.
    NotFound,
    /// A row is protected, and a human did not decide.
    Protected,
    /// A row is deleted, or a later decision changed it.
    Outdated,
    /// Enough was retired for a day.
    Breaker,
}
