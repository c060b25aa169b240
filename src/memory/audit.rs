//! A line of the audit.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::id::MemoryId;
use super::source::Source;
use crate::base::access::{Actor, SessionKind};
use crate::base::debug::debug_as;
use crate::format::Origin;

/// A line of the audit: what was done to a store or refused, by whom and why, without the words that it was about.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditEntry {
    /// When.
    pub at: DateTime<Utc>,
    /// Who acted.
    pub actor: Actor,
    /// In what kind of session; `None` where it was in none.
    pub kind: Option<SessionKind>,
    /// `memory_write`, `memory_update`, `memory_delete`, `memory_restore`, `memory_pin`, `memory_unpin`,
    /// `memory_removed` for a row that is gone for good, `memory_forget`, `memory_lift`, `memory_learn`, or
    /// `profile_write`.
    pub action: String,
    /// `done`, or `refused: ` with the classes of what was found or the rule that was broken.
    pub outcome: String,
    /// The row, where it has an id.
    pub id: Option<MemoryId>,
    /// The claimed source of the row.
    pub source: Option<Source>,
    /// From what the words came.
    pub origin: Option<Origin>,
    /// Why, as it was stored: with secrets and instructions masked.
    pub reason: Option<String>,
}

impl AuditEntry {
    /// Makes the entry of an action or refusal, without the rest: its fields can be set.
    pub fn new(
        at: DateTime<Utc>,
        actor: Actor,
        action: impl Into<String>,
        outcome: impl Into<String>,
    ) -> Self {
        Self {
            at,
            actor,
            kind: None,
            action: action.into(),
            outcome: outcome.into(),
            id: None,
            source: None,
            origin: None,
            reason: None,
        }
    }
}

debug_as!(AuditEntry, |it| "AuditEntry {{ {:?}, {}, {}, {:?} }}", it.actor, it.action, it.outcome, it.id);
