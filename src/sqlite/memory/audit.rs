//! The audit: a line for what was done and for what was refused.

use rusqlite::{Connection, params};

use super::Inner;
use super::row::{self, stamp};
use crate::base::access::{Actor, SessionKind};
use crate::base::error::Error;
use crate::memory::{AuditEntry, MemoryId, Source};
use crate::store::{Deed, refusal};

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

impl Inner {
    /// Records a refusal, and hands it on. Where the record cannot be written, the refusal still counts.
    pub(super) fn refused(&self, deed: &Deed<'_>, error: Error) -> Error {
        if let Some(why) = refusal(&error) {
            let entry = self.config.entry(deed, why);
            let _ = self.database.change(deed.action, |connection| self.record(connection, &entry));
        }
        error
    }

    /// Records what is done, in the transaction that does it.
    pub(super) fn record_done(&self, connection: &Connection, deed: &Deed<'_>) -> rusqlite::Result<()> {
        self.record(connection, &self.config.entry(deed, "done"))
    }

    fn record(&self, connection: &Connection, entry: &AuditEntry) -> rusqlite::Result<()> {
        // Whoever acts may say what was forgotten in a reason, or as a source.
        let forgotten = self.forgotten(connection)?;
        let is_kept = |text: &&str| forgotten.as_ref().is_none_or(|forgotten| !forgotten.holds(text));
        let origin = entry.origin.as_ref().map(ToString::to_string);
        connection
            .prepare_cached(
                "INSERT INTO memory_audit (created_at, user_id, agent_id, actor, session_kind, action, outcome,
                   memory_id, source, origin, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                stamp(entry.at),
                self.user,
                self.agent,
                word(&ACTORS, &entry.actor),
                entry.kind.and_then(|kind| word(&KINDS, &kind)),
                entry.action,
                entry.outcome,
                entry.id.map(MemoryId::get),
                entry.source.as_ref().map(Source::word).filter(is_kept),
                origin.as_deref().filter(is_kept),
                entry.reason.as_deref().filter(is_kept)
            ])?;
        Ok(())
    }

    /// The lines of this scope, the latest first.
    pub(super) fn entries(&self, connection: &Connection, limit: usize) -> rusqlite::Result<Vec<AuditEntry>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = connection.prepare_cached(
            "SELECT created_at, actor, session_kind, action, outcome, memory_id, source, origin, reason
             FROM memory_audit WHERE user_id = ?1 AND agent_id = ?2 ORDER BY id DESC LIMIT ?3",
        )?;
        let entry = |found: &rusqlite::Row<'_>| {
            Ok(AuditEntry {
                at: row::time(found, 0)?.unwrap_or_default(),
                actor: of_word(&ACTORS, &row::text(found, 1)?).unwrap_or(Actor::Library),
                kind: row::maybe(found, 2)?.and_then(|word| of_word(&KINDS, &word)),
                action: row::text(found, 3)?,
                outcome: row::text(found, 4)?,
                id: found.get::<_, Option<i64>>(5)?.map(MemoryId::new),
                source: row::maybe(found, 6)?.map(|word| Source::of(&word)),
                origin: row::maybe(found, 7)?.and_then(|word| word.parse().ok()),
                reason: row::maybe(found, 8)?,
            })
        };
        statement.query_map(params![self.user, self.agent, limit], entry)?.collect()
    }
}
