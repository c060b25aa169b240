//! The audit: a line for what was done and for what was refused.

use super::driver::{MemoryDriver, Series};
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::word::{from_word, to_word};
use crate::memory::{AuditEntry, AuditOutcome, MemoryId, Source};
use crate::sql::{DriverExt, params};
use crate::store::stamp::stamp;

/// Adds a line.
pub(crate) fn audit(driver: &dyn MemoryDriver, entry: &AuditEntry) -> Result<()> {
    let sql = "INSERT INTO memory_audit (user_id, agent_id, id, created_at, actor, session_kind, action, outcome,
                 memory_id, source, origin, reason) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let values = params![
        driver.next_id(Series::Audit),
        stamp(entry.at),
        to_word(&entry.actor),
        entry.kind.as_ref().map(to_word),
        &entry.action,
        entry.outcome.to_string(),
        entry.id.map(MemoryId::get),
        entry.source.as_ref().map(Source::as_str),
        entry.origin.as_ref().map(ToString::to_string),
        entry.reason.clone(),
    ];
    driver.put(sql.into(), values)
}

/// Returns the lines of this scope, the latest first.
pub(crate) fn audited(driver: &dyn MemoryDriver, limit: usize) -> Result<Vec<AuditEntry>> {
    let sql = "SELECT created_at, actor, session_kind, action, outcome, memory_id, source, origin, reason
         FROM memory_audit WHERE user_id = $1 AND agent_id = $2 ORDER BY id DESC LIMIT $3";
    driver.all(sql, params![limit], |found| {
        Ok(AuditEntry {
            at: found.time(0)?.unwrap_or_default(),
            actor: from_word(&found.text(1)?).unwrap_or(Actor::Library),
            kind: found.maybe(2)?.and_then(|word| from_word(&word)),
            action: found.text(3)?,
            outcome: AuditOutcome::from(found.text(4)?.as_str()),
            id: found.id(5)?,
            source: found.maybe(6)?.map(|word| Source::from(word.as_str())),
            origin: found.maybe(7)?.and_then(|word| word.parse().ok()),
            reason: found.maybe(8)?,
        })
    })
}
