//! Rows as facts: what the rules read, and the events that they say.

use chrono::{DateTime, Utc};
use rusqlite::{Params, Row, params};

use super::audit::{ACTORS, KINDS, of_word, word};
use super::row::{self, COLUMNS, stamp};
use super::search::{listed, view};
use super::table::Table;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::word::{from_word, to_word};
use crate::facts::{
    Cardinality, ConsolidationEvent, EventId, EventOutcome, Fact, FactKey, FactStatus, StatusChange, Suspect,
    SuspectReason, Suspicion, Verdict,
};
use crate::memory::MemoryId;
use crate::search::rank::{Term, Visibility};
use crate::sqlite::columns::ReadAll;
use crate::store::backend::Facts;
use crate::store::echo::EchoWord;
use crate::store::words::Words;
use crate::store::{event, fact};

/// The columns that [`read`] reads behind those of a row.
pub(super) const FACT: &str = "m.fact_state, m.successor, m.valid_from, m.valid_until, m.retired_at, m.subject, m.slot, \
     m.cardinality";

/// The rows of a scope that are not deleted, retired ones included.
const OF_SCOPE: &str = "FROM memories m WHERE m.user_id = ?1 AND m.agent_id = ?2 AND m.deleted_at IS NULL";

impl Facts for Table<'_> {
    fn fact(&self, id: MemoryId) -> Result<Option<Fact>> {
        self.folded(|| Ok(self.select("AND m.id = ?3", Some(id.get()))?.pop()))
    }

    fn contents(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &str)) -> Result<()> {
        self.folded(|| {
            let sql = "SELECT content FROM memories WHERE id = ?1 AND user_id = ?2 AND agent_id = ?3
                       AND deleted_at IS NULL";
            let mut statement = self.connection.prepare_cached(sql)?;
            for id in ids {
                let mut rows = statement.query(params![id.get(), self.user(), self.agent()])?;
                if let Some(found) = rows.next()? {
                    match found.get_ref(0)?.as_str() {
                        Ok(text) => take(*id, text),
                        Err(_) => take(*id, &row::text(found, 0)?),
                    }
                }
            }
            Ok(())
        })
    }

    fn words(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &Words)) -> Result<()> {
        let unknown = self.known_words(ids, take);
        let mut read = Vec::with_capacity(unknown.len());
        let mut stemmer = self.lend_stemmer();
        self.contents(&unknown, &mut |id, text| read.push((id, Words::of(text, &mut stemmer))))?;
        self.return_stemmer(stemmer);
        for (id, words) in &read {
            take(*id, words);
        }
        self.know_words(read);
        Ok(())
    }

    fn latest_with(&self, visibility: Visibility, words: &[&Term], most: usize) -> Result<Vec<Vec<i64>>> {
        self.folded(|| {
            let indexed = self.ask_terms(|partition, pages| {
                words.iter().map(|word| partition.latest(pages, &word.stem, visibility, most)).collect()
            })?;
            match indexed {
                Some(lists) => Ok(lists),
                None => words.iter().map(|word| self.latest_with_one(visibility, word, most)).collect(),
            }
        })
    }

    fn echoes(&self, visibility: Visibility, words: &[EchoWord], most: usize) -> Result<Vec<Vec<MemoryId>>> {
        self.folded(|| self.latest_echoes(visibility, words, most))
    }

    fn open_suspects(
        &self,
        visibility: Visibility,
        ids: &[MemoryId],
    ) -> Result<Vec<(MemoryId, MemoryId, SuspectReason)>> {
        self.folded(|| {
            if !self.connection.prepare_cached("SELECT 1 FROM memory_suspects LIMIT 1")?.exists([])? {
                return Ok(Vec::new());
            }
            let view = view(visibility);
            let side = |one: &str, other: &str| {
                format!(
                    "SELECT r.value, s.{other}, s.reason FROM json_each(?1) r
                     CROSS JOIN memory_suspects s ON s.{one} = r.value AND s.closed_by IS NULL
                     CROSS JOIN {view} m ON m.id = s.{one} AND m.user_id = ?2 AND m.agent_id = ?3
                     CROSS JOIN {view} o ON o.id = s.{other} AND o.user_id = ?2 AND o.agent_id = ?3"
                )
            };
            let sides = [side("newer_id", "older_id"), side("older_id", "newer_id")];
            let mut statement = self.connection.prepare_cached(&sides.join(" UNION ALL "))?;
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            statement.query(params![listed(&ids), self.user(), self.agent()])?.all(|found| {
                let reason = from_word(&row::text(found, 2)?).unwrap_or(SuspectReason::Alike);
                Ok((MemoryId::new(found.get(0)?), MemoryId::new(found.get(1)?), reason))
            })
        })
    }

    fn pending(&self) -> Result<Vec<Fact>> {
        self.folded(|| self.select("AND m.fact_state = 'pending' AND ?3 IS NULL ORDER BY m.id", None::<i64>))
    }

    fn stated_as_pending(&self) -> Result<Vec<Fact>> {
        let which = "AND m.normal IN (SELECT normal FROM memories WHERE user_id = ?1 AND agent_id = ?2
                       AND fact_state = 'pending' AND deleted_at IS NULL)
                     AND (m.fact_state IS NULL OR m.fact_state NOT IN ('pending', 'superseded')) AND ?3 IS NULL";
        self.folded(|| self.select(which, None::<i64>))
    }

    fn of_key(&self, key: &FactKey) -> Result<Vec<Fact>> {
        self.folded(|| self.select("AND m.fact_key = ?3 ORDER BY m.id", key_column(key)))
    }

    fn is_pending(&self) -> Result<bool> {
        self.folded(|| {
            let sql = format!("SELECT 1 {OF_SCOPE} AND m.fact_state = 'pending' LIMIT 1");
            self.connection.prepare_cached(&sql)?.exists(params![self.user(), self.agent()])
        })
    }

    fn replaced_by(&self, id: MemoryId) -> Result<Vec<Fact>> {
        self.folded(|| self.select("AND m.successor = ?3 ORDER BY m.id", id.get()))
    }

    fn retired_lines(&self) -> Result<Vec<Fact>> {
        let which = "AND m.dream IS NOT NULL AND m.successor IS NOT NULL AND m.retired_at IS NOT NULL
                     AND ?3 IS NULL ORDER BY m.id";
        self.folded(|| self.select(which, None::<i64>))
    }

    fn suspicions(&self, limit: usize) -> Result<Vec<Suspicion>> {
        self.folded(|| self.open_pairs(limit))
    }

    fn decisions(&self, limit: usize) -> Result<Vec<ConsolidationEvent>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let bound = params![self.user(), self.agent(), limit];
        self.folded(|| self.events("ORDER BY id DESC LIMIT ?3", bound))
    }

    fn retired_since(&self, since: DateTime<Utc>) -> Result<u64> {
        self.folded(|| {
            let sql = "SELECT coalesce(sum(retired), 0) FROM memory_decisions
                       WHERE user_id = ?1 AND agent_id = ?2 AND created_at >= ?3 AND retired > 0";
            let bound = params![self.user(), self.agent(), stamp(since)];
            self.connection
                .prepare_cached(sql)?
                .query_row(bound, |found| found.get::<_, i64>(0))
                .map(|sum| u64::try_from(sum).unwrap_or(0))
        })
    }

    fn event(&self, id: EventId) -> Result<Option<ConsolidationEvent>> {
        self.folded(|| {
            let bound = params![self.user(), self.agent(), id.get()];
            Ok(self.events("AND id = ?3", bound)?.pop())
        })
    }

    fn events_after(&self, id: EventId) -> Result<Vec<ConsolidationEvent>> {
        self.folded(|| {
            let bound = params![self.user(), self.agent(), id.get()];
            self.events("AND id > ?3 ORDER BY id", bound)
        })
    }
}

impl Table<'_> {
    fn select(&self, which: &str, bound: impl rusqlite::ToSql) -> rusqlite::Result<Vec<Fact>> {
        let sql = format!("SELECT {COLUMNS}, {FACT} {OF_SCOPE} {which}");
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query(params![self.user(), self.agent(), bound])?.all(read)
    }

    /// Keeps what a new row may contradict.
    pub(super) fn suspect(&self, id: MemoryId, suspects: &[Suspect]) -> rusqlite::Result<()> {
        for suspect in suspects {
            self.connection
                .prepare_cached(
                    "INSERT INTO memory_suspects (older_id, newer_id, reason) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![suspect.id.get(), id.get(), to_word(&suspect.reason)])?;
        }
        Ok(())
    }

    /// Returns the pairs that nobody decided on.
    fn open_pairs(&self, limit: usize) -> rusqlite::Result<Vec<Suspicion>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(
            // Crossed, so that pairs come first: the planner would begin with all rows, twice.
            "SELECT s.older_id, s.newer_id, s.reason FROM memory_suspects s
             CROSS JOIN main_memories o ON o.id = s.older_id CROSS JOIN main_memories n ON n.id = s.newer_id
             WHERE s.closed_by IS NULL AND o.user_id = ?1 AND o.agent_id = ?2 AND n.user_id = ?1 AND n.agent_id = ?2
             ORDER BY s.newer_id, s.older_id LIMIT ?3",
        )?;
        let mut pairs = statement.query(params![self.user(), self.agent(), limit])?;
        let mut suspicions = Vec::new();
        while let Some(found) = pairs.next()? {
            let (older, newer, reason) = (found.get(0)?, found.get(1)?, row::text(found, 2)?);
            let one = |id: i64| Ok::<_, rusqlite::Error>(self.select("AND m.id = ?3", id)?.pop());
            if let (Some(older), Some(newer)) = (one(older)?, one(newer)?) {
                let reason = from_word(&reason).unwrap_or(SuspectReason::Alike);
                suspicions.push(Suspicion::new(older, newer, reason));
            }
        }
        Ok(suspicions)
    }

    /// Tells an event, and makes its changes where it counts.
    pub(super) fn apply(&self, event: &mut ConsolidationEvent) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO memory_decisions (created_at, user_id, agent_id, actor, session_kind,
                   decision, older_id, newer_id, outcome, reason, reverts, retired, changes)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(params![
                stamp(event.at),
                self.user(),
                self.agent(),
                word(&ACTORS, &event.actor),
                event.kind.and_then(|kind| word(&KINDS, &kind)),
                to_word(&event.verdict),
                event.older.map(MemoryId::get),
                event.newer.map(MemoryId::get),
                to_word(&event.outcome),
                event.reason,
                event.reverts.map(EventId::get),
                i64::try_from(event::retired_by(event)).unwrap_or(i64::MAX),
                serde_json::to_string(&event.changes).expect("plain data is always JSON"),
            ])?;
        event.id = EventId::new(self.connection.last_insert_rowid());
        if event.outcome != EventOutcome::Applied {
            return Ok(());
        }
        for change in &event.changes {
            self.set(change)?;
            if change.after.successor.is_some() {
                self.echo_retired(change.id)?;
            }
        }
        if let (Verdict::Settle, Some(older), Some(newer)) = (event.verdict, event.older, event.newer) {
            // It was said again.
            self.connection
                .prepare_cached(
                    "UPDATE memories SET updated_at = max(updated_at, (SELECT created_at FROM memories WHERE id = ?2))
                     WHERE id = ?1",
                )?
                .execute(params![older.get(), newer.get()])?;
        }
        if let Some((one, other)) = event::pair(event) {
            let decided = if event.reverts.is_none() {
                Some(event.id)
            } else {
                let bound = params![self.user(), self.agent(), one.get(), other.get()];
                let of_pair = "AND older_id IN (?3, ?4) AND newer_id IN (?3, ?4) ORDER BY id";
                event::decided(self.events(of_pair, bound)?.iter())
            };
            self.connection
                .prepare_cached(
                    "UPDATE memory_suspects SET closed_by = ?3
                     WHERE (older_id = ?1 AND newer_id = ?2) OR (older_id = ?2 AND newer_id = ?1)",
                )?
                .execute(params![one.get(), other.get(), decided.map(EventId::get)])?;
        }
        Ok(())
    }

    fn set(&self, change: &StatusChange) -> rusqlite::Result<()> {
        let status = change.after;
        self.connection
            .prepare_cached(
                "UPDATE memories SET fact_state = ?2, successor = ?3, valid_until = ?4, retired_at = ?5 WHERE id = ?1",
            )?
            .execute(params![
                change.id.get(),
                status.state.as_str(),
                status.successor.map(MemoryId::get),
                status.valid_until.map(stamp),
                status.retired_at.map(stamp)
            ])?;
        Ok(())
    }

    fn events(&self, which: &str, bound: impl Params) -> rusqlite::Result<Vec<ConsolidationEvent>> {
        let sql = format!(
            "SELECT id, created_at, actor, session_kind, decision, older_id, newer_id, outcome, reason, reverts,
               changes
             FROM memory_decisions WHERE user_id = ?1 AND agent_id = ?2 {which}"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let id = |found: &Row<'_>, column| {
            Ok::<_, rusqlite::Error>(found.get::<_, Option<i64>>(column)?.map(MemoryId::new))
        };
        let event = |found: &Row<'_>| {
            Ok(ConsolidationEvent {
                id: EventId::new(found.get(0)?),
                at: row::time(found, 1)?.unwrap_or_default(),
                actor: of_word(&ACTORS, &row::text(found, 2)?).unwrap_or(Actor::Library),
                kind: row::maybe(found, 3)?.and_then(|word| of_word(&KINDS, &word)),
                verdict: from_word(&row::text(found, 4)?).unwrap_or(Verdict::Settle),
                older: id(found, 5)?,
                newer: id(found, 6)?,
                outcome: from_word(&row::text(found, 7)?).unwrap_or(EventOutcome::Outdated),
                reason: row::maybe(found, 8)?,
                reverts: found.get::<_, Option<i64>>(9)?.map(EventId::new),
                changes: serde_json::from_slice(row::text(found, 10)?.as_bytes()).unwrap_or_default(),
            })
        };
        statement.query(bound)?.all(event)
    }
}

/// Returns the value that a key is looked up by.
pub(super) fn key_column(key: &FactKey) -> String {
    let (subject, slot) = key.normal();
    format!("{subject}\n{slot}")
}

pub(super) fn cardinality_word(cardinality: Cardinality) -> &'static str {
    match cardinality {
        Cardinality::One => "one",
        Cardinality::Many => "many",
    }
}

/// Reads [`COLUMNS`] and [`FACT`].
pub(super) fn read(found: &Row<'_>) -> rusqlite::Result<Fact> {
    let at = row::COLUMN_COUNT;
    let state = row::maybe(found, at)?.and_then(|word| word.parse().ok());
    let status = match state {
        None => None,
        Some(state) => Some(FactStatus {
            successor: found.get::<_, Option<i64>>(at + 1)?.map(MemoryId::new),
            valid_until: row::time(found, at + 3)?,
            retired_at: row::time(found, at + 4)?,
            ..FactStatus::standing(state)
        }),
    };
    let key = match (row::maybe(found, at + 5)?, row::maybe(found, at + 6)?) {
        (Some(subject), Some(slot)) => {
            let is_many = row::maybe(found, at + 7)?.as_deref() == Some(cardinality_word(Cardinality::Many));
            let cardinality = if is_many { Cardinality::Many } else { Cardinality::One };
            Some(FactKey { subject, slot, cardinality })
        }
        _ => None,
    };
    Ok(fact::fact(row::memory(found)?, key, row::time(found, at + 2)?, status))
}
