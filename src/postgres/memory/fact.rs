//! Rows as facts: what the rules read, and the events that they say.

use ::postgres::{Error, Row};
use chrono::{DateTime, Utc};

use super::audit::{ACTORS, KINDS, of_word, word};
use super::columns::{self, count};
use super::row::{self, COLUMNS, stamp};
use super::search::{by_id, by_ids, in_sight};
use super::state::next;
use super::table::Table;
use super::terms::word_of;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::word::{from_word, to_word};
use crate::facts::{
    Cardinality, ConsolidationEvent, EventId, EventOutcome, Fact, FactKey, FactStatus, StatusChange, Suspect,
    SuspectReason, Suspicion, Verdict,
};
use crate::memory::MemoryId;
use crate::postgres::link::{Param, params};
use crate::search::rank::{Term, Visibility};
use crate::store::backend::Facts;
use crate::store::echo::EchoWord;
use crate::store::{event, fact};

/// The columns that [`read`] reads behind those of a row.
pub(super) const FACT: &str = "m.fact_state, m.successor, m.valid_from, m.valid_until, m.retired_at, m.subject, m.slot, \
     m.cardinality";

/// The rows of a scope that are not deleted, retired ones included.
const OF_SCOPE: &str = "FROM memories m WHERE m.user_id = $1 AND m.agent_id = $2 AND m.deleted_at IS NULL";

impl Facts for Table<'_> {
    fn fact(&self, id: MemoryId) -> Result<Option<Fact>> {
        let sql = format!(
            "SELECT {COLUMNS}, {FACT} FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND m.deleted_at IS NULL",
            by_id("$3")
        );
        self.first(sql, params![id.get()], read)
    }

    fn contents(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &str)) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        let sql = format!(
            "SELECT m.id, m.content FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND m.deleted_at IS NULL",
            by_ids("$3")
        );
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        for (id, content) in
            self.all(sql, params![ids], |found| Ok((found.try_get(0)?, row::text(found, 1)?)))?
        {
            take(MemoryId::new(id), &content);
        }
        Ok(())
    }

    fn latest_with(&self, visibility: Visibility, words: &[&Term], most: usize) -> Result<Vec<Vec<i64>>> {
        let words: Vec<i64> = words.iter().map(|word| word_of(&word.stem)).collect();
        self.latest_having(visibility, &words, most)
    }

    fn echoes(&self, visibility: Visibility, words: &[EchoWord], most: usize) -> Result<Vec<Vec<MemoryId>>> {
        self.latest_echoes(visibility, words, most)
    }

    fn open_suspects(
        &self,
        visibility: Visibility,
        ids: &[MemoryId],
    ) -> Result<Vec<(MemoryId, MemoryId, SuspectReason)>> {
        if self.state().suspects == 0 || ids.is_empty() {
            return Ok(Vec::new());
        }
        let sight = in_sight(visibility);
        let is_seen = |id: &str| {
            format!(
                "EXISTS (SELECT 1 FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND {sight})",
                by_id(&format!("s.{id}"))
            )
        };
        let side = |one: &str, other: &str| {
            format!(
                "SELECT s.{one}, s.{other}, s.reason FROM unnest($3) r (id)
                 JOIN memory_suspects s ON s.user_id = $1 AND s.agent_id = $2 AND s.{one} = r.id
                   AND s.closed_by IS NULL
                 WHERE {} AND {}",
                is_seen(one),
                is_seen(other)
            )
        };
        let sql = [side("newer_id", "older_id"), side("older_id", "newer_id")].join(" UNION ALL ");
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        self.all(sql, params![ids], |found| {
            let reason = from_word(&row::text(found, 2)?).unwrap_or(SuspectReason::Alike);
            Ok((MemoryId::new(found.try_get(0)?), MemoryId::new(found.try_get(1)?), reason))
        })
    }

    fn pending(&self) -> Result<Vec<Fact>> {
        self.select("AND m.fact_state = 'pending' ORDER BY m.id", Vec::new())
    }

    fn stated_as_pending(&self) -> Result<Vec<Fact>> {
        let which = "AND (m.normal_word, m.normal) IN (SELECT p.normal_word, p.normal FROM memories p
               WHERE p.user_id = $1 AND p.agent_id = $2 AND p.fact_state = 'pending' AND p.deleted_at IS NULL)
             AND (m.fact_state IS NULL OR m.fact_state NOT IN ('pending', 'superseded'))";
        self.select(which, Vec::new())
    }

    fn of_key(&self, key: &FactKey) -> Result<Vec<Fact>> {
        let key = key_column(key);
        self.select(
            "AND m.fact_word = $3 AND m.fact_key = $4 ORDER BY m.id",
            params![columns::word(&key), key],
        )
    }

    fn is_pending(&self) -> Result<bool> {
        self.exists(format!("SELECT 1 {OF_SCOPE} AND m.fact_state = 'pending' LIMIT 1"), Vec::new())
    }

    fn replaced_by(&self, id: MemoryId) -> Result<Vec<Fact>> {
        self.select("AND m.successor = $3 ORDER BY m.id", params![id.get()])
    }

    fn retired_lines(&self) -> Result<Vec<Fact>> {
        let which =
            "AND m.dream IS NOT NULL AND m.successor IS NOT NULL AND m.retired_at IS NOT NULL ORDER BY m.id";
        self.select(which, Vec::new())
    }

    fn suspicions(&self, limit: usize) -> Result<Vec<Suspicion>> {
        self.open_pairs(limit)
    }

    fn decisions(&self, limit: usize) -> Result<Vec<ConsolidationEvent>> {
        self.events("ORDER BY id DESC LIMIT $3", params![count(limit)])
    }

    fn retired_since(&self, since: DateTime<Utc>) -> Result<u64> {
        let sql = "SELECT coalesce(sum(retired), 0)::bigint FROM memory_decisions
             WHERE user_id = $1 AND agent_id = $2 AND created_at >= $3 AND retired > 0";
        let sum = self.first(sql, params![stamp(since)], |found| found.try_get::<_, i64>(0))?;
        Ok(u64::try_from(sum.unwrap_or(0)).unwrap_or(0))
    }

    fn event(&self, id: EventId) -> Result<Option<ConsolidationEvent>> {
        Ok(self.events("AND id = $3", params![id.get()])?.pop())
    }

    fn events_after(&self, id: EventId) -> Result<Vec<ConsolidationEvent>> {
        self.events("AND id > $3 ORDER BY id", params![id.get()])
    }
}

impl Table<'_> {
    fn select(&self, which: &str, bound: Vec<Param>) -> Result<Vec<Fact>> {
        self.all(format!("SELECT {COLUMNS}, {FACT} {OF_SCOPE} {which}"), bound, read)
    }

    /// Keeps what a new row may contradict.
    pub(super) fn suspect(&self, id: MemoryId, suspects: &[Suspect]) -> Result<()> {
        let sql = "INSERT INTO memory_suspects (user_id, agent_id, older_id, newer_id, reason) VALUES ($1, $2, $3, $4, $5)";
        for suspect in suspects {
            self.with_state(|state| state.suspects = 1);
            self.run(sql, params![suspect.id.get(), id.get(), to_word(&suspect.reason)])?;
        }
        Ok(())
    }

    /// Returns the pairs that nobody decided on.
    fn open_pairs(&self, limit: usize) -> Result<Vec<Suspicion>> {
        let sql = format!(
            "SELECT s.older_id, s.newer_id, s.reason FROM memory_suspects s
             WHERE s.user_id = $1 AND s.agent_id = $2 AND s.closed_by IS NULL
             AND EXISTS (SELECT 1 FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND {sight})
             AND EXISTS (SELECT 1 FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND {sight})
             ORDER BY s.newer_id, s.older_id LIMIT $3",
            by_id("s.older_id"),
            by_id("s.newer_id"),
            sight = in_sight(Visibility::All)
        );
        let pairs = self.all(sql, params![count(limit)], |found| {
            Ok((row::id(found, 0)?, row::id(found, 1)?, row::text(found, 2)?))
        })?;
        let mut suspicions = Vec::new();
        for (older, newer, reason) in pairs {
            let (Some(older), Some(newer)) = (older, newer) else { continue };
            if let (Some(older), Some(newer)) = (self.fact(older)?, self.fact(newer)?) {
                let reason = from_word(&reason).unwrap_or(SuspectReason::Alike);
                suspicions.push(Suspicion::new(older, newer, reason));
            }
        }
        Ok(suspicions)
    }

    /// Tells an event, and makes its changes where it counts.
    pub(super) fn apply(&self, event: &mut ConsolidationEvent) -> Result<()> {
        event.id = EventId::new(self.with_state(|state| next(&mut state.decision)));
        let sql = "INSERT INTO memory_decisions (user_id, agent_id, id, created_at, actor, session_kind,
               decision, older_id, newer_id, outcome, reason, reverts, retired, changes)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
        let bound = params![
            event.id.get(),
            stamp(event.at),
            word(&ACTORS, &event.actor),
            event.kind.and_then(|kind| word(&KINDS, &kind)),
            to_word(&event.verdict),
            event.older.map(MemoryId::get),
            event.newer.map(MemoryId::get),
            to_word(&event.outcome),
            event.reason.clone(),
            event.reverts.map(EventId::get),
            i64::try_from(event::retired_by(event)).unwrap_or(i64::MAX),
            serde_json::to_string(&event.changes).expect("plain data is always JSON"),
        ];
        self.run(sql, bound)?;
        if event.outcome != EventOutcome::Applied {
            return Ok(());
        }
        self.changes_rows();
        for change in &event.changes {
            self.set(change)?;
            if change.after.successor.is_some() {
                self.echo_retired(change.id)?;
            }
        }
        if let (Verdict::Settle, Some(older), Some(newer)) = (event.verdict, event.older, event.newer) {
            // It was said again.
            let sql =
                "UPDATE memories SET updated_at = greatest(updated_at, (SELECT n.created_at FROM memories n
                   WHERE n.user_id = $1 AND n.agent_id = $2 AND n.id = $4))
                 WHERE user_id = $1 AND agent_id = $2 AND id = $3";
            self.run(sql, params![older.get(), newer.get()])?;
        }
        if let Some((one, other)) = event::pair(event) {
            let decided = if event.reverts.is_none() {
                Some(event.id)
            } else {
                let of_pair = "AND older_id = ANY ($3) AND newer_id = ANY ($3) ORDER BY id";
                event::decided(self.events(of_pair, params![vec![one.get(), other.get()]])?.iter())
            };
            let sql = "UPDATE memory_suspects SET closed_by = $5 WHERE user_id = $1 AND agent_id = $2
                 AND ((older_id = $3 AND newer_id = $4) OR (older_id = $4 AND newer_id = $3))";
            self.run(sql, params![one.get(), other.get(), decided.map(EventId::get)])?;
        }
        Ok(())
    }

    fn set(&self, change: &StatusChange) -> Result<()> {
        let status = change.after;
        let before = self.indexed(change.id)?;
        let sql = "UPDATE memories SET fact_state = $4, successor = $5, valid_until = $6, retired_at = $7
             WHERE user_id = $1 AND agent_id = $2 AND id = $3";
        let bound = params![
            change.id.get(),
            status.state.as_str(),
            status.successor.map(MemoryId::get),
            status.valid_until.map(stamp),
            status.retired_at.map(stamp),
        ];
        self.run(sql, bound)?;
        if change.before.retired_at.is_some() != status.retired_at.is_some() {
            self.drop_vectors(&[change.id.get()])?;
            self.wait_for_vectors(change.id)?;
        }
        self.reindex(before.as_ref(), change.id)
    }

    fn events(&self, which: &str, bound: Vec<Param>) -> Result<Vec<ConsolidationEvent>> {
        let sql = format!(
            "SELECT id, created_at, actor, session_kind, decision, older_id, newer_id, outcome, reason, reverts,
               changes
             FROM memory_decisions WHERE user_id = $1 AND agent_id = $2 {which}"
        );
        self.all(sql, bound, |found| {
            Ok(ConsolidationEvent {
                id: EventId::new(found.try_get(0)?),
                at: row::time(found, 1)?.unwrap_or_default(),
                actor: of_word(&ACTORS, &row::text(found, 2)?).unwrap_or(Actor::Library),
                kind: row::maybe(found, 3)?.and_then(|word| of_word(&KINDS, &word)),
                verdict: from_word(&row::text(found, 4)?).unwrap_or(Verdict::Settle),
                older: row::id(found, 5)?,
                newer: row::id(found, 6)?,
                outcome: from_word(&row::text(found, 7)?).unwrap_or(EventOutcome::Outdated),
                reason: row::maybe(found, 8)?,
                reverts: found.try_get::<_, Option<i64>>(9)?.map(EventId::new),
                changes: serde_json::from_str(&row::text(found, 10)?).unwrap_or_default(),
            })
        })
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
pub(super) fn read(found: &Row) -> std::result::Result<Fact, Error> {
    let at = row::COLUMN_COUNT;
    let state = row::borrowed(found, at)?.and_then(|word| word.parse().ok());
    let status = match state {
        None => None,
        Some(state) => Some(FactStatus {
            successor: row::id(found, at + 1)?,
            valid_until: row::time(found, at + 3)?,
            retired_at: row::time(found, at + 4)?,
            ..FactStatus::standing(state)
        }),
    };
    let key = match (row::maybe(found, at + 5)?, row::maybe(found, at + 6)?) {
        (Some(subject), Some(slot)) => {
            let is_many =
                row::borrowed(found, at + 7)?.as_deref() == Some(cardinality_word(Cardinality::Many));
            let cardinality = if is_many { Cardinality::Many } else { Cardinality::One };
            Some(FactKey { subject, slot, cardinality })
        }
        _ => None,
    };
    Ok(fact::fact(row::memory(found)?, key, row::time(found, at + 2)?, status))
}
