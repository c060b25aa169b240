//! The audit: a line for what was done and for what was refused.

use rusqlite::params;

use super::row::{self, stamp};
use super::table::Table;
use crate::base::access::{Actor, SessionKind};
use crate::memory::{AuditEntry, AuditOutcome, MemoryId, Source};
use crate::sqlite::columns::ReadAll;

pub(super) const ACTORS: [(Actor, &str); 3] =
    [(Actor::Human, "human"), (Actor::Agent, "agent"), (Actor::Library, "library")];
pub(super) const KINDS: [(SessionKind, &str); 4] = [
    (SessionKind::Main, "main"),
    (SessionKind::Shared, "shared"),
    (SessionKind::Subagent, "subagent"),
    (SessionKind::Scheduled, "scheduled"),
];

pub(super) fn word<T: PartialEq>(words: &[(T, &'static str)], value: &T) -> Option<&'static str> {
    words.iter().find(|(known, _)| known == value).map(|(_, word)| *word)
}

pub(super) fn of_word<T: Copy>(words: &[(T, &'static str)], text: &str) -> Option<T> {
    words.iter().find(|(_, word)| *word == text).map(|(value, _)| *value)
}

impl Table<'_> {
    /// Adds a line.
    pub(super) fn audit_entry(&self, entry: &AuditEntry) -> rusqlite::Result<()> {
        let origin = entry.origin.as_ref().map(ToString::to_string);
        self.connection
            .prepare_cached(
                "INSERT INTO memory_audit (created_at, user_id, agent_id, actor, session_kind, action, outcome,
                   memory_id, source, origin, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                stamp(entry.at),
                self.user(),
                self.agent(),
                word(&ACTORS, &entry.actor),
                entry.kind.and_then(|kind| word(&KINDS, &kind)),
                entry.action,
                entry.outcome.to_string(),
                entry.id.map(MemoryId::get),
                entry.source.as_ref().map(Source::as_str),
                origin,
                entry.reason
            ])?;
        Ok(())
    }

    /// Returns the lines of this scope, the latest first.
    pub(super) fn entries(&self, limit: usize) -> rusqlite::Result<Vec<AuditEntry>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(
            "SELECT created_at, actor, session_kind, action, outcome, memory_id, source, origin, reason
             FROM memory_audit WHERE user_id = ?1 AND agent_id = ?2 ORDER BY id DESC LIMIT ?3",
        )?;
        let entry = |found: &rusqlite::Row<'_>| {
            Ok(AuditEntry {
                at: row::time(found, 0)?.unwrap_or_default(),
                actor: of_word(&ACTORS, &row::text(found, 1)?).unwrap_or(Actor::Library),
                kind: row::maybe(found, 2)?.and_then(|word| of_word(&KINDS, &word)),
                action: row::text(found, 3)?,
                outcome: AuditOutcome::from(row::text(found, 4)?.as_str()),
                id: found.get::<_, Option<i64>>(5)?.map(MemoryId::new),
                source: row::maybe(found, 6)?.map(|word| Source::from(word.as_str())),
                origin: row::maybe(found, 7)?.and_then(|word| word.parse().ok()),
                reason: row::maybe(found, 8)?,
            })
        };
        statement.query(params![self.user(), self.agent(), limit])?.all(entry)
    }
}
