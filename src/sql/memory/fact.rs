//! Rows as facts: what the rules read, and the events that they say.

use chrono::{DateTime, Utc};

use super::driver::{MemoryDriver, Series};
use super::echo::echo_retired;
use super::row::{self, COLUMNS, numbers};
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::word::{from_word, to_word};
use crate::facts::{
    Cardinality, ConsolidationEvent, EventId, EventOutcome, Fact, FactKey, FactStatus, StatusChange, Suspect,
    SuspectReason, Suspicion, Verdict,
};
use crate::memory::MemoryId;
use crate::search::rank::{Term, Visibility};
use crate::sql::{Columns, DriverExt, Param, params, read_count, read_number, word as number_of};
use crate::store::backend::Facts;
use crate::store::echo::EchoWord;
use crate::store::searchable::Searchable;
use crate::store::stamp::stamp;
use crate::store::words::Words;
use crate::store::{event, fact};

/// The columns that [`read`] reads behind those of a row.
pub(crate) const FACT: &str = "m.fact_state, m.successor, m.valid_from, m.valid_until, m.retired_at, m.subject, m.slot, \
     m.cardinality";

/// The rows of a scope that are not deleted, retired ones included.
const OF_SCOPE: &str = "m.user_id = $1 AND m.agent_id = $2 AND m.deleted_at IS NULL";

impl<T: MemoryDriver + Searchable> Facts for T {
    fn fact(&self, id: MemoryId) -> Result<Option<Fact>> {
        one(self, id)
    }

    fn contents(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &str)) -> Result<()> {
        contents(self, ids, take)
    }

    fn words(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &Words)) -> Result<()> {
        words(self, ids, take)
    }

    fn latest_with(&self, visibility: Visibility, words: &[&Term], most: usize) -> Result<Vec<Vec<i64>>> {
        self.latest_of_words(visibility, words, most)
    }

    fn echoes(&self, visibility: Visibility, words: &[EchoWord], most: usize) -> Result<Vec<Vec<MemoryId>>> {
        self.latest_of_echoes(visibility, words, most)
    }

    fn open_suspects(
        &self,
        visibility: Visibility,
        ids: &[MemoryId],
    ) -> Result<Vec<(MemoryId, MemoryId, SuspectReason)>> {
        open_suspects(self, visibility, ids)
    }

    fn pending(&self) -> Result<Vec<Fact>> {
        select(self, "AND m.fact_state = 'pending' ORDER BY m.id", Vec::new())
    }

    fn stated_as_pending(&self) -> Result<Vec<Fact>> {
        stated_as_pending(self)
    }

    fn of_key(&self, key: &FactKey) -> Result<Vec<Fact>> {
        let key = key_column(key);
        let says = self.dialect().spell("m.fact_key = $3", "m.fact_word = $4 AND m.fact_key = $3");
        select(self, &format!("AND {says} ORDER BY m.id"), params![&key, number_of(&key)])
    }

    fn is_pending(&self) -> Result<bool> {
        let sql = format!("SELECT 1 FROM memories m WHERE {OF_SCOPE} AND m.fact_state = 'pending' LIMIT 1");
        self.finds(&sql, Vec::new())
    }

    fn replaced_by(&self, id: MemoryId) -> Result<Vec<Fact>> {
        select(self, "AND m.successor = $3 ORDER BY m.id", params![id.get()])
    }

    fn retired_lines(&self) -> Result<Vec<Fact>> {
        let which =
            "AND m.dream IS NOT NULL AND m.successor IS NOT NULL AND m.retired_at IS NOT NULL ORDER BY m.id";
        select(self, which, Vec::new())
    }

    fn suspicions(&self, limit: usize) -> Result<Vec<Suspicion>> {
        open_pairs(self, limit)
    }

    fn decisions(&self, limit: usize) -> Result<Vec<ConsolidationEvent>> {
        events(self, "ORDER BY id DESC LIMIT $3", params![limit])
    }

    fn retired_since(&self, since: DateTime<Utc>) -> Result<u64> {
        let sql = "SELECT CAST(coalesce(sum(retired), 0) AS bigint) FROM memory_decisions
             WHERE user_id = $1 AND agent_id = $2 AND created_at >= $3 AND retired > 0";
        read_count(self, sql, params![stamp(since)])
    }

    fn event(&self, id: EventId) -> Result<Option<ConsolidationEvent>> {
        Ok(events(self, "AND id = $3", params![id.get()])?.pop())
    }

    fn events_after(&self, id: EventId) -> Result<Vec<ConsolidationEvent>> {
        events(self, "AND id > $3 ORDER BY id", params![id.get()])
    }
}

fn one(driver: &dyn MemoryDriver, id: MemoryId) -> Result<Option<Fact>> {
    let row = driver.dialect().by_id("$3");
    let sql = format!("SELECT {COLUMNS}, {FACT} FROM {row} WHERE {OF_SCOPE}");
    driver.first(&sql, params![id.get()], read)
}

fn contents(driver: &dyn MemoryDriver, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &str)) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let rows = driver.dialect().by_ids("$3");
    let sql = format!("SELECT m.id, m.content FROM {rows} WHERE {OF_SCOPE}");
    driver.each(&sql, params![numbers(ids)], &mut |found| {
        take(MemoryId::new(found.number(0)?), &found.borrowed(1)?.unwrap_or_default());
        Ok(())
    })
}

fn words(driver: &dyn MemoryDriver, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &Words)) -> Result<()> {
    let unknown = driver.known_words(ids, take);
    let (mut read, mut stemmer) = (Vec::with_capacity(unknown.len()), driver.lend_stemmer());
    contents(driver, &unknown, &mut |id, text| read.push((id, Words::of(text, &mut stemmer))))?;
    for (id, words) in &read {
        take(*id, words);
    }
    driver.know_words(read, stemmer);
    Ok(())
}

/// Returns the rows that say what a fact that waits says.
fn stated_as_pending(driver: &dyn MemoryDriver) -> Result<Vec<Fact>> {
    let words = driver.dialect();
    let said = words.spell("m.normal", "m.normal_word, m.normal");
    let waits = words.spell("p.normal", "p.normal_word, p.normal");
    let which = format!(
        "AND ({said}) IN (SELECT {waits} FROM memories p
           WHERE p.user_id = $1 AND p.agent_id = $2 AND p.fact_state = 'pending' AND p.deleted_at IS NULL)
         AND (m.fact_state IS NULL OR m.fact_state NOT IN ('pending', 'superseded'))"
    );
    select(driver, &which, Vec::new())
}

fn open_suspects(
    driver: &dyn MemoryDriver,
    visibility: Visibility,
    ids: &[MemoryId],
) -> Result<Vec<(MemoryId, MemoryId, SuspectReason)>> {
    if ids.is_empty() || !driver.has_suspects()? {
        return Ok(Vec::new());
    }
    let words = driver.dialect();
    let (asked, of_scope) = (words.list("$3", "r"), words.of_scope());
    let is_seen = |id: &str| is_seen(driver, visibility, id);
    let side = |one: &str, other: &str| {
        format!(
            "SELECT s.{one}, s.{other}, s.reason FROM {asked} CROSS JOIN memory_suspects s
             WHERE {of_scope} s.{one} = r.value AND s.closed_by IS NULL AND {} AND {}",
            is_seen(&format!("s.{one}")),
            is_seen(&format!("s.{other}"))
        )
    };
    let sql = [side("newer_id", "older_id"), side("older_id", "newer_id")].join(" UNION ALL ");
    driver.all(&sql, params![numbers(ids)], |found| {
        let reason = from_word(&found.text(2)?).unwrap_or(SuspectReason::Alike);
        Ok((MemoryId::new(found.number(0)?), MemoryId::new(found.number(1)?), reason))
    })
}

/// Returns the condition that a row of the scope is in sight, by its id.
fn is_seen(driver: &dyn MemoryDriver, visibility: Visibility, id: &str) -> String {
    let (row, sight) = (driver.dialect().by_id(id), driver.dialect().in_sight(visibility));
    format!("EXISTS (SELECT 1 FROM {row} WHERE m.user_id = $1 AND m.agent_id = $2 AND {sight})")
}

fn select(driver: &dyn MemoryDriver, which: &str, values: Vec<Param>) -> Result<Vec<Fact>> {
    driver.all(&format!("SELECT {COLUMNS}, {FACT} FROM memories m WHERE {OF_SCOPE} {which}"), values, read)
}

/// Keeps what a row may contradict that is new or back: each pair once, whatever became of it.
pub(crate) fn suspect(driver: &dyn MemoryDriver, id: MemoryId, suspects: &[Suspect]) -> Result<()> {
    let [columns, values] = driver.dialect().with_scope();
    let sql = format!(
        "INSERT INTO memory_suspects ({columns}older_id, newer_id, reason) VALUES ({values}$3, $4, $5)
         ON CONFLICT DO NOTHING"
    );
    for suspect in suspects {
        driver.gets_suspects();
        let (older, newer) = (id.min(suspect.id), id.max(suspect.id));
        driver.run(&sql, params![older.get(), newer.get(), to_word(&suspect.reason)])?;
    }
    Ok(())
}

/// Returns the pairs that nobody decided on.
fn open_pairs(driver: &dyn MemoryDriver, limit: usize) -> Result<Vec<Suspicion>> {
    let sql = format!(
        "SELECT s.older_id, s.newer_id, s.reason FROM memory_suspects s
         WHERE {} s.closed_by IS NULL AND {} AND {} ORDER BY s.newer_id, s.older_id LIMIT $3",
        driver.dialect().of_scope(),
        is_seen(driver, Visibility::All, "s.older_id"),
        is_seen(driver, Visibility::All, "s.newer_id"),
    );
    let pairs = driver.all(&sql, params![limit], |found| Ok((found.id(0)?, found.id(1)?, found.text(2)?)))?;
    let mut suspicions = Vec::new();
    for (older, newer, reason) in pairs {
        let (Some(older), Some(newer)) = (older, newer) else { continue };
        if let (Some(older), Some(newer)) = (one(driver, older)?, one(driver, newer)?) {
            let reason = from_word(&reason).unwrap_or(SuspectReason::Alike);
            suspicions.push(Suspicion::new(older, newer, reason));
        }
    }
    Ok(suspicions)
}

/// Tells an event, and makes its changes where it counts.
pub(crate) fn apply(driver: &dyn MemoryDriver, event: &mut ConsolidationEvent) -> Result<()> {
    let sql = "INSERT INTO memory_decisions (user_id, agent_id, id, created_at, actor, session_kind, decision, older_id,
           newer_id, outcome, reason, reverts, retired, changes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id";
    let values = params![
        driver.next_id(Series::Decision),
        stamp(event.at),
        to_word(&event.actor),
        event.kind.as_ref().map(to_word),
        to_word(&event.verdict),
        event.older.map(MemoryId::get),
        event.newer.map(MemoryId::get),
        to_word(&event.outcome),
        event.reason.clone(),
        event.reverts.map(EventId::get),
        event::retired_by(event),
        serde_json::to_string(&event.changes).expect("plain data is always JSON"),
    ];
    let id = read_number(driver, sql, values)?;
    event.id = EventId::new(id.unwrap_or_default());
    if event.outcome != EventOutcome::Applied {
        return Ok(());
    }
    driver.alters_rows();
    for change in &event.changes {
        set(driver, change)?;
        if change.after.successor.is_some() {
            echo_retired(driver, change.id)?;
        }
    }
    if let (Verdict::Settle, Some(older), Some(newer)) = (event.verdict, event.older, event.newer) {
        // It was said again.
        let sql = format!(
            "UPDATE memories SET updated_at = {}(updated_at, (SELECT n.created_at FROM memories n
               WHERE n.user_id = $1 AND n.agent_id = $2 AND n.id = $4))
             WHERE user_id = $1 AND agent_id = $2 AND id = $3",
            driver.dialect().greatest()
        );
        driver.run(&sql, params![older.get(), newer.get()])?;
    }
    if let Some((one, other)) = event::pair(event) {
        let decided = if event.reverts.is_none() {
            Some(event.id)
        } else {
            let of_pair = "AND older_id IN ($3, $4) AND newer_id IN ($3, $4) ORDER BY id";
            event::decided(events(driver, of_pair, params![one.get(), other.get()])?.iter())
        };
        let sql = format!(
            "UPDATE memory_suspects AS s SET closed_by = $5 WHERE {}
             ((older_id = $3 AND newer_id = $4) OR (older_id = $4 AND newer_id = $3))",
            driver.dialect().of_scope()
        );
        driver.run(&sql, params![one.get(), other.get(), decided.map(EventId::get)])?;
    }
    Ok(())
}

fn set(driver: &dyn MemoryDriver, change: &StatusChange) -> Result<()> {
    let (before, after) = (change.before, change.after);
    let sql = "UPDATE memories SET fact_state = $4, successor = $5, valid_until = $6, retired_at = $7
         WHERE user_id = $1 AND agent_id = $2 AND id = $3";
    let moves = before.retired_at.is_some() != after.retired_at.is_some();
    driver.reindexed(change.id, moves, &mut || {
        let values = params![
            change.id.get(),
            after.state.as_str(),
            after.successor.map(MemoryId::get),
            after.valid_until.map(stamp),
            after.retired_at.map(stamp),
        ];
        driver.run(sql, values)
    })
}

fn events(driver: &dyn MemoryDriver, which: &str, values: Vec<Param>) -> Result<Vec<ConsolidationEvent>> {
    let sql = format!(
        "SELECT id, created_at, actor, session_kind, decision, older_id, newer_id, outcome, reason, reverts, changes
         FROM memory_decisions WHERE user_id = $1 AND agent_id = $2 {which}"
    );
    driver.all(&sql, values, |found| {
        Ok(ConsolidationEvent {
            id: EventId::new(found.number(0)?),
            at: found.time(1)?.unwrap_or_default(),
            actor: from_word(&found.text(2)?).unwrap_or(Actor::Library),
            kind: found.maybe(3)?.and_then(|word| from_word(&word)),
            verdict: from_word(&found.text(4)?).unwrap_or(Verdict::Settle),
            older: found.id(5)?,
            newer: found.id(6)?,
            outcome: from_word(&found.text(7)?).unwrap_or(EventOutcome::Outdated),
            reason: found.maybe(8)?,
            reverts: found.maybe_number(9)?.map(EventId::new),
            changes: serde_json::from_slice(found.text(10)?.as_bytes()).unwrap_or_default(),
        })
    })
}

/// Returns the value that a key is looked up by.
pub(crate) fn key_column(key: &FactKey) -> String {
    let (subject, slot) = key.normal();
    format!("{subject}\n{slot}")
}

/// Returns the word of a cardinality.
pub(crate) fn cardinality_word(cardinality: Cardinality) -> &'static str {
    match cardinality {
        Cardinality::One => "one",
        Cardinality::Many => "many",
    }
}

/// Reads [`COLUMNS`] and [`FACT`].
pub(crate) fn read(found: &dyn Columns) -> Result<Fact> {
    let at = row::COLUMN_COUNT;
    let status = match found.borrowed(at)?.and_then(|word| word.parse().ok()) {
        None => None,
        Some(state) => Some(FactStatus {
            successor: found.id(at + 1)?,
            valid_until: found.time(at + 3)?,
            retired_at: found.time(at + 4)?,
            ..FactStatus::standing(state)
        }),
    };
    let key = match (found.maybe(at + 5)?, found.maybe(at + 6)?) {
        (Some(subject), Some(slot)) => {
            let is_many = found.borrowed(at + 7)?.as_deref() == Some(cardinality_word(Cardinality::Many));
            let cardinality = if is_many { Cardinality::Many } else { Cardinality::One };
            Some(FactKey { subject, slot, cardinality })
        }
        _ => None,
    };
    Ok(fact::fact(row::memory(found)?, key, found.time(at + 2)?, status))
}
