//! The audit: a line for what was done and for what was refused.

use super::driver::{MemoryDriver, Series};
use crate::base::access::{Actor, SessionKind};
use crate::base::error::Result;
use crate::memory::{AuditEntry, AuditOutcome, MemoryId, Source};
use crate::sql::{DriverExt, params};
use crate::store::stamp::stamp;

/// The words of actors.
pub(crate) const ACTORS: [(Actor, &str); 3] =
    [(Actor::Human, "human"), (Actor::Agent, "agent"), (Actor::Library, "library")];
/// The words of kinds of sessions.
pub(crate) const KINDS: [(SessionKind, &str); 4] = [
    (SessionKind::Main, "main"),
    (SessionKind::Shared, "shared"),
    (SessionKind::Subagent, "subagent"),
    (SessionKind::Scheduled, "scheduled"),
];

/// Returns the word of a value.
pub(crate) fn word<T: PartialEq>(words: &[(T, &'static str)], value: &T) -> Option<&'static str> {
    words.iter().find(|(known, _)| known == value).map(|(_, word)| *word)
}

/// Returns the value of a word.
pub(crate) fn of_word<T: Copy>(words: &[(T, &'static str)], text: &str) -> Option<T> {
    words.iter().find(|(_, word)| *word == text).map(|(value, _)| *value)
}

/// Adds a line.
pub(crate) fn audit(driver: &dyn MemoryDriver, entry: &AuditEntry) -> Result<()> {
    let sql = "INSERT INTO memory_audit (user_id, agent_id, id, created_at, actor, session_kind, action, outcome,
                 memory_id, source, origin, reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let values = params![
        driver.next_id(Series::Audit),
        stamp(entry.at),
        word(&ACTORS, &entry.actor),
        entry.kind.and_then(|kind| word(&KINDS, &kind)),
        &entry.action,
        entry.outcome.to_string(),
        entry.id.map(MemoryId::get),
        entry.source.as_ref().map(Source::as_str),
        entry.origin.as_ref().map(ToString::to_string),
        entry.reason.clone(),
    ];
    driver.put(sql, values)
}

/// Returns the lines of this scope, the latest first.
pub(crate) fn audited(driver: &dyn MemoryDriver, limit: usize) -> Result<Vec<AuditEntry>> {
    let sql = "SELECT created_at, actor, session_kind, action, outcome, memory_id, source, origin, reason
         FROM memory_audit WHERE user_id = $1 AND agent_id = $2 ORDER BY id DESC LIMIT $3";
    driver.all(sql, params![limit], |found| {
        Ok(AuditEntry {
            at: found.time(0)?.unwrap_or_default(),
            actor: of_word(&ACTORS, &found.text(1)?).unwrap_or(Actor::Library),
            kind: found.maybe(2)?.and_then(|word| of_word(&KINDS, &word)),
            action: found.text(3)?,
            outcome: AuditOutcome::from(found.text(4)?.as_str()),
            id: found.id(5)?,
            source: found.maybe(6)?.map(|word| Source::from(word.as_str())),
            origin: found.maybe(7)?.and_then(|word| word.parse().ok()),
            reason: found.maybe(8)?,
        })
    })
}
