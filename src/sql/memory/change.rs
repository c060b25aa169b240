//! Changes of rows, of the profile and of learnings, each with its line of the audit.

use chrono::{DateTime, Utc};

use super::audit::audit;
use super::driver::{MemoryDriver, Series};
use super::echo::{echo_anew, echo_key};
use super::edges::{extract_next, put_edges, put_edges_anew};
use super::fact::{apply, cardinality_word, key_column, suspect};
use super::forget::{bury, lift, overwrite};
use super::row::role_word;
use super::rows::PINNED_BY_THE_HUMAN;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::text;
use crate::edges::{Words as EdgeWords, scenario};
use crate::facts::{ConsolidationEvent, FactKey, Suspect};
use crate::format::DreamId;
use crate::gate::{Tombstone, TombstoneKey, signature};
use crate::memory::{AuditEntry, LearningId, MemoryId, NewLearning, NewMemory};
use crate::search::rank::{Card, is_name};
use crate::sql::{Dialect, DriverExt, params, word};
use crate::store::Edit;
use crate::store::backend::{Changes, Extracted, Rows};
use crate::store::fact;
use crate::store::forget::{Burial, Struck, signature_of_new};
use crate::store::practice::Rest;
use crate::store::stamp::stamp;
use crate::store::vectors::VectorChanges;

/// The most rows that one transaction of a purge removes, so that writers wait for moments only.
const PURGED_AT_ONCE: usize = 500;

const OF_ROW: &str = "WHERE user_id = $1 AND agent_id = $2 AND id = $3";

impl<T: MemoryDriver + Rows + VectorChanges> Changes for T {
    fn write(&mut self, memory: &NewMemory, suspects: &[Suspect], entry: AuditEntry) -> Result<MemoryId> {
        let id = insert(self, memory, &entry)?;
        suspect(self, id, suspects)?;
        audit(self, &AuditEntry { id: Some(id), ..entry })?;
        Ok(id)
    }

    /// All is in one transaction as it is.
    fn together(&mut self, change: &mut dyn FnMut(&mut dyn Changes) -> Result<()>) -> Result<()> {
        change(self)
    }

    fn edit(&mut self, id: MemoryId, edit: Edit<'_>, entry: AuditEntry) -> Result<()> {
        apply_edit(self, id, edit, entry.actor, entry.at)?;
        audit(self, &entry)
    }

    fn rule(&mut self, events: &mut [ConsolidationEvent], _now: DateTime<Utc>) -> Result<()> {
        events.iter_mut().try_for_each(|event| apply(self, event))
    }

    fn learn(&mut self, learning: &NewLearning, entry: AuditEntry) -> Result<LearningId> {
        let id = learn(self, learning, entry.at)?;
        audit(self, &entry)?;
        Ok(id)
    }

    fn set_profile(&mut self, key: &str, value: &str, entry: AuditEntry) -> Result<()> {
        let sql = format!(
            "{} DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
            self.new_value()
        );
        self.run(&sql, params![key, value, stamp(entry.at), word(key)])?;
        audit(self, &entry)
    }

    fn forget(
        &mut self,
        rows: &[MemoryId],
        (burial, rest): (&Burial, &[Rest]),
        key: &TombstoneKey,
        entry: AuditEntry,
    ) -> Result<Struck> {
        self.changes_forgotten();
        rest.iter().try_for_each(|rest| overwrite(self, rest))?;
        bury(self, rows, burial, key, &entry)
    }

    fn lift(&mut self, stone: Tombstone, entry: AuditEntry) -> Result<()> {
        self.changes_forgotten();
        lift(self, &stone)?;
        audit(self, &entry)
    }

    fn purge(&mut self, cutoff: DateTime<Utc>, entry: AuditEntry) -> Result<Vec<MemoryId>> {
        purge(self, cutoff, &entry)
    }

    fn extract_edges(&mut self, after: MemoryId) -> Result<Extracted> {
        let mut extracted = extract_next(self, after)?;
        if extracted.last.is_none() {
            extracted.added += self.extract_notes()?;
        }
        Ok(extracted)
    }

    fn refuse(&mut self, entry: AuditEntry) -> Result<()> {
        audit(self, &entry)
    }

    fn as_vectors_mut(&mut self) -> &mut dyn VectorChanges {
        self
    }
}

fn insert(driver: &dyn MemoryDriver, memory: &NewMemory, entry: &AuditEntry) -> Result<MemoryId> {
    let place = memory.place.as_ref();
    let speaker = place.and_then(|place| place.speaker.as_deref());
    let said_at = place.and_then(|place| place.said_at);
    let key = memory.about.as_ref();
    let cites = (!memory.cites.is_empty())
        .then(|| serde_json::to_string(&memory.cites).expect("plain data is always JSON"));
    let (fact_key, normal) = (key.map(key_column), fact::normal(&memory.category, &memory.content, key));
    let (id, at, words) = (driver.next_id(Series::Memory), stamp(entry.at), driver.dialect());
    let sql = format!(
        "INSERT INTO memories (user_id, agent_id, id, category, content, metadata, source, created_at, updated_at,
           shared, session, position, role, speaker, said_at, origin, fact_state, valid_from, subject, slot,
           cardinality, fact_key, normal, cites, dream, signature, {})
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
           $22, $23, $24, $25, {})",
        words.spell("terms", "session_word, bytes, fact_word, normal_word"),
        words.spell("$30", "$26, $27, $28, $29")
    );
    let values = params![
        id,
        &memory.category,
        &memory.content,
        memory.metadata.as_ref().map(ToString::to_string),
        memory.source.as_str(),
        &at,
        memory.shared,
        place.map(|place| place.session.as_str()),
        place.map(|place| i64::try_from(place.position).unwrap_or(i64::MAX)),
        place.map(|place| role_word(place.role)),
        speaker,
        said_at.map(stamp),
        memory.came_by().as_ref().map(ToString::to_string),
        fact::first_status(&memory.category, Some(&memory.source)).map(|status| status.state.as_str()),
        memory.valid_from.map(stamp),
        key.map(|key| key.subject.as_str()),
        key.map(|key| key.slot.as_str()),
        key.map(|key| cardinality_word(key.cardinality)),
        fact_key.clone(),
        normal.clone(),
        cites,
        memory.dream.as_ref().map(DreamId::as_str),
        signature_of_new(memory).cast_signed(),
        place.map(|place| word(&place.session)),
        memory.content.len(),
        fact_key.as_deref().map(word),
        normal.as_deref().map(word),
        driver.terms(&memory.content, speaker, said_at),
    ];
    driver.put(sql.into(), values)?;
    let id = MemoryId::new(driver.added(id));
    let card = Card {
        category: &memory.category,
        said_on: said_at.map(|said_at| said_at.date_naive()),
        speaker: speaker.filter(|speaker| is_name(speaker)),
        shared: memory.shared,
        ..Card::of(id.get(), &memory.content)
    };
    driver.index_row(memory, &card)?;
    echo_key(driver, id, key)?;
    let words = EdgeWords {
        text: &memory.content,
        subject: key.map(|key| &*key.subject),
        scenario: scenario(memory.metadata.as_ref(), entry.actor),
        ..EdgeWords::default()
    };
    put_edges(driver, id, &words, &at)?;
    Ok(id)
}

fn apply_edit(
    driver: &dyn MemoryDriver,
    id: MemoryId,
    edit: Edit<'_>,
    actor: Actor,
    now: DateTime<Utc>,
) -> Result<()> {
    let deleted_at = match edit {
        Edit::Pin(pinned) => {
            let by = if actor == Actor::Human { PINNED_BY_THE_HUMAN } else { 1 };
            let greatest = driver.dialect().greatest();
            let sql = format!(
                "UPDATE memories SET pinned = CASE WHEN $4 THEN {greatest}(pinned, $5) ELSE 0 END {OF_ROW}"
            );
            return driver.run(&sql, params![id.get(), pinned, by]);
        }
        Edit::Content(content) => {
            driver.alters_rows();
            return driver.reindexed(id, true, &mut || set_content(driver, id, content, now));
        }
        Edit::Delete => Some(stamp(now)),
        Edit::Restore(suspects) => {
            suspect(driver, id, suspects)?;
            None
        }
    };
    driver.alters_rows();
    let sql = format!("UPDATE memories SET deleted_at = $4 {OF_ROW}");
    driver.reindexed(id, true, &mut || driver.run(&sql, params![id.get(), deleted_at.clone()]))
}

fn set_content(driver: &dyn MemoryDriver, id: MemoryId, content: &str, now: DateTime<Utc>) -> Result<()> {
    let words = driver.dialect();
    let terms = match words {
        Dialect::Postgres => None,
        Dialect::Sqlite => {
            let sql = format!("SELECT speaker, said_at FROM memories {OF_ROW}");
            driver.first(&sql, params![id.get()], |found| {
                Ok(driver.terms(content, found.borrowed(0)?.as_deref(), found.time(1)?))
            })?
        }
    };
    let sql = format!(
        "UPDATE memories SET content = $4, updated_at = $5, signature = signature | $6,
           normal = CASE WHEN normal IS NOT NULL THEN $7 END, {}
         {OF_ROW} RETURNING subject, slot",
        words.spell("terms = $10", "normal_word = CASE WHEN normal IS NOT NULL THEN $8 END, bytes = $9")
    );
    let normal = text::statement(content);
    let (normal_word, signature) = (word(&normal), signature(content).cast_signed());
    let values = params![
        id.get(),
        content,
        stamp(now),
        signature,
        normal,
        normal_word,
        content.len(),
        terms.flatten(),
    ];
    let key = driver.first(&sql, values, |found| {
        let key = found.maybe(0)?.zip(found.maybe(1)?);
        Ok(key.map(|(subject, slot)| FactKey::one(subject, slot)))
    })?;
    echo_anew(driver, id, key.flatten().as_ref())?;
    put_edges_anew(driver, id)
}

fn learn(driver: &dyn MemoryDriver, learning: &NewLearning, at: DateTime<Utc>) -> Result<LearningId> {
    let (id, words) = (driver.next_id(Series::Learning), driver.dialect());
    let sql = format!(
        "INSERT INTO memory_learnings (user_id, agent_id, id, content, context, normal, created_at{})
         VALUES ($1, $2, $3, $4, $5, $6, $7{})",
        words.spell("", ", normal_word"),
        words.spell("", ", $8")
    );
    let normal = text::statement(&learning.content);
    let normal_word = word(&normal);
    let values = params![id, &learning.content, learning.context.clone(), normal, stamp(at), normal_word];
    driver.put(sql.into(), values)?;
    Ok(LearningId::new(driver.added(id)))
}

fn purge(driver: &dyn MemoryDriver, cutoff: DateTime<Utc>, entry: &AuditEntry) -> Result<Vec<MemoryId>> {
    let sql = format!(
        "SELECT id FROM memories {} WHERE user_id = $1 AND agent_id = $2 AND deleted_at < $3 ORDER BY id LIMIT $4",
        driver.dialect().spell("INDEXED BY idx_memories_gone", "")
    );
    let ids = driver
        .all(&sql, params![stamp(cutoff), PURGED_AT_ONCE], |found| Ok(MemoryId::new(found.number(0)?)))?;
    driver.remove_rows(&ids, false)?;
    for id in &ids {
        audit(driver, &AuditEntry { id: Some(*id), ..entry.clone() })?;
    }
    Ok(ids)
}
