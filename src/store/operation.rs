//! An action or refusal, as the audit records it.

use chrono::{DateTime, Utc};

use super::admit::LONGEST_WORD;
use super::config::StoreConfig;
use super::names::row_name;
use crate::base::access::{Access, Actor};
use crate::base::error::Error;
use crate::base::text;
use crate::format::Origin;
use crate::gate::{Door, DoorPolicy, InjectionPolicy, Masks, SecretPolicy};
use crate::memory::{AuditEntry, AuditOutcome, MemoryId, NewMemory, Source};

/// The longest reason, in bytes.
const LONGEST_REASON: usize = 1024;

/// Something that is done to a store, before it is known how it ends.
#[derive(Clone)]
pub(crate) struct Operation<'a> {
    pub(crate) access: Option<&'a Access>,
    pub(crate) action: &'static str,
    pub(crate) id: Option<MemoryId>,
    pub(crate) source: Option<&'a Source>,
    pub(crate) origin: Option<Origin>,
    pub(crate) reason: Option<&'a str>,
    pub(crate) now: DateTime<Utc>,
}

impl<'a> Operation<'a> {
    pub(crate) fn new(access: &'a Access, action: &'static str, now: DateTime<Utc>) -> Self {
        Self { access: Some(access), ..Self::of_library(action, now) }
    }

    /// Makes an operation that nobody asked for in a session.
    pub(crate) fn of_library(action: &'static str, now: DateTime<Utc>) -> Self {
        Self { access: None, action, id: None, source: None, origin: None, reason: None, now }
    }

    /// Makes a new row.
    pub(crate) fn write(access: &'a Access, memory: &'a NewMemory, now: DateTime<Utc>) -> Self {
        Self {
            source: Some(&memory.source),
            origin: memory.came_by(),
            reason: memory.reason.as_deref(),
            ..Self::new(access, "memory_write", now)
        }
    }

    pub(crate) fn to(mut self, id: MemoryId) -> Self {
        self.id = Some(id);
        self
    }
}

impl StoreConfig {
    /// Returns the line of the audit: an actor may write anything into source and reason, so they are masked.
    pub(crate) fn entry(&self, operation: &Operation<'_>, outcome: AuditOutcome) -> AuditEntry {
        AuditEntry {
            at: operation.now,
            actor: operation.access.map_or(Actor::Library, |access| access.actor),
            kind: operation.access.map(|access| access.kind),
            action: operation.action.to_owned(),
            outcome,
            id: operation.id,
            source: operation.source.map(|source| match source {
                Source::Other(word) => Source::Other(self.masked(word, LONGEST_WORD)),
                known => known.clone(),
            }),
            origin: operation.origin.clone().map(|origin| match origin {
                Origin::Tool(name) if self.masked(&name, usize::MAX) != name => Origin::Tool(String::new()),
                Origin::Participant(name) if self.masked(&name, usize::MAX) != name => {
                    Origin::Participant(String::new())
                }
                known => known,
            }),
            reason: self.reason(operation.reason),
        }
    }

    /// Returns a reason as it is kept.
    pub(crate) fn reason(&self, reason: Option<&str>) -> Option<String> {
        reason.map(|reason| self.masked(reason, LONGEST_REASON))
    }

    /// Returns a text of an audit line: short, without secrets and instructions. (seed 003, Safety properties)
    pub(crate) fn masked(&self, text: &str, longest: usize) -> String {
        let policy = DoorPolicy::new(SecretPolicy::Redact, InjectionPolicy::Block);
        // A secret is masked before it could be cut in two.
        match self.doors.judge(Door::StoreWrite, policy, &row_name(None), text, &mut Masks::default()) {
            Ok(passed) => text::cut(&passed.text, longest).to_owned(),
            Err(_) => "[REDACTED]".to_owned(),
        }
    }
}

/// Returns the audit's text for a refusal, without the refused text; `None` for a failure.
pub(crate) fn refusal(error: &Error) -> Option<AuditOutcome> {
    Some(match error {
        Error::Stopped { classes, .. } => AuditOutcome::Refused(classes.join(", ")),
        Error::TooLarge { .. } => AuditOutcome::TooLarge,
        Error::Denied { .. } => AuditOutcome::Denied,
        Error::Config { setting, .. } => AuditOutcome::Refused((*setting).to_owned()),
        _ => return None,
    })
}
