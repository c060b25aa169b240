//! Changes of rows, of the profile and of learnings, each with its line of the audit.

use chrono::{DateTime, Utc};

use super::state::{by_chance, next};
use super::table::Table;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::text;
use crate::edges::{Words as EdgeWords, scenario};
use crate::facts::{ConsolidationEvent, FactKey, Suspect};
use crate::format::DreamId;
use crate::gate::{Tombstone, TombstoneKey, signature};
use crate::memory::{AuditEntry, LearningId, MemoryId, NewLearning, NewMemory};
use crate::postgres::link::params;
use crate::search::rank::{Card, is_name};
use crate::sql::DriverExt;
use crate::sql::memory::{
    PINNED_BY_THE_HUMAN, apply, audit, cardinality_word, extract_next, key_column, put_edges, put_edges_anew,
    role_word, suspect,
};
use crate::sql::word;
use crate::store::Edit;
use crate::store::backend::{Changes, Extracted};
use crate::store::fact;
use crate::store::forget::{Burial, Struck, signature_of_new};
use crate::store::practice::Rest;
use crate::store::stamp::stamp;
use crate::store::vectors::VectorChanges;

/// The most rows that one transaction of a purge removes, so that writers wait for moments only.
const PURGED_AT_ONCE: usize = 500;

impl Changes for Table<'_> {
    fn write(&mut self, memory: &NewMemory, suspects: &[Suspect], entry: AuditEntry) -> Result<MemoryId> {
        let id = self.insert(memory, &entry)?;
        suspect(self, id, suspects)?;
        audit(self, &AuditEntry { id: Some(id), ..entry })?;
        Ok(id)
    }

    /// All is in one transaction as it is.
    fn together(&mut self, change: &mut dyn FnMut(&mut dyn Changes) -> Result<()>) -> Result<()> {
        change(self)
    }

    fn edit(&mut self, id: MemoryId, edit: Edit<'_>, entry: AuditEntry) -> Result<()> {
        self.apply_edit(id, edit, entry.actor, entry.at)?;
        audit(self, &entry)
    }

    fn rule(&mut self, events: &mut [ConsolidationEvent], _now: DateTime<Utc>) -> Result<()> {
        events.iter_mut().try_for_each(|event| apply(self, event))
    }

    fn learn(&mut self, learning: &NewLearning, entry: AuditEntry) -> Result<LearningId> {
        let id = self.with_state(|state| next(&mut state.learning));
        let normal = text::statement(&learning.content);
        let sql = "INSERT INTO memory_learnings (user_id, agent_id, id, content, context, normal, normal_word, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let normal_word = word(&normal);
        let bound =
            params![id, &learning.content, learning.context.clone(), normal, normal_word, stamp(entry.at)];
        self.run(sql, bound)?;
        audit(self, &entry)?;
        Ok(LearningId::new(id))
    }

    fn set_profile(&mut self, key: &str, value: &str, entry: AuditEntry) -> Result<()> {
        let sql = "INSERT INTO user_profile (user_id, agent_id, key_word, key, value, updated_at)
             VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id, agent_id, key_word)
             DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
        self.run(sql, params![word(key), key, value, stamp(entry.at)])?;
        audit(self, &entry)
    }

    fn forget(
        &mut self,
        rows: &[MemoryId],
        (burial, rest): (&Burial, &[Rest]),
        key: &TombstoneKey,
        entry: AuditEntry,
    ) -> Result<Struck> {
        rest.iter().try_for_each(|rest| self.overwrite(rest))?;
        self.bury(rows, burial, key, &entry)
    }

    fn lift(&mut self, stone: Tombstone, entry: AuditEntry) -> Result<()> {
        self.changes_forgotten();
        let sql = "DELETE FROM memory_tombstones WHERE user_id = $1 AND agent_id = $2 AND digest = $3";
        self.run(sql, params![stone.digest.to_string()])?;
        audit(self, &entry)
    }

    fn purge(&mut self, cutoff: DateTime<Utc>, entry: AuditEntry) -> Result<Vec<MemoryId>> {
        let sql = "SELECT id FROM memories WHERE user_id = $1 AND agent_id = $2 AND deleted_at < $3
             ORDER BY id LIMIT $4";
        let ids = self.all(sql, params![stamp(cutoff), PURGED_AT_ONCE], |found| found.number(0))?;
        let ids: Vec<MemoryId> = ids.into_iter().map(MemoryId::new).collect();
        self.remove_rows(&ids)?;
        for id in &ids {
            audit(self, &AuditEntry { id: Some(*id), ..entry.clone() })?;
        }
        Ok(ids)
    }

    fn extract_edges(&mut self, after: MemoryId) -> Result<Extracted> {
        extract_next(self, after)
    }

    fn refuse(&mut self, entry: AuditEntry) -> Result<()> {
        audit(self, &entry)
    }

    fn as_vectors_mut(&mut self) -> &mut dyn VectorChanges {
        self
    }
}

impl Table<'_> {
    fn insert(&self, memory: &NewMemory, entry: &AuditEntry) -> Result<MemoryId> {
        let id = MemoryId::new(self.with_state(|state| {
            if state.change == 0 {
                state.change = by_chance();
            }
            next(&mut state.memory)
        }));
        let place = memory.place.as_ref();
        let speaker = place.and_then(|place| place.speaker.as_deref());
        let said_at = place.and_then(|place| place.said_at);
        let key = memory.about.as_ref();
        let cites = (!memory.cites.is_empty())
            .then(|| serde_json::to_string(&memory.cites).expect("plain data is always JSON"));
        let (fact_key, normal) = (key.map(key_column), fact::normal(&memory.category, &memory.content, key));
        let at = stamp(entry.at);
        let sql = "INSERT INTO memories (user_id, agent_id, id, category, content, metadata, source, created_at,
               updated_at, shared, session, session_word, position, role, speaker, said_at, bytes, origin, fact_state,
               valid_from, subject, slot, cardinality, fact_key, fact_word, normal, normal_word, cites, dream, signature)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
               $22, $23, $24, $25, $26, $27, $28, $29)";
        let bound = params![
            id.get(),
            &memory.category,
            &memory.content,
            memory.metadata.as_ref().map(ToString::to_string),
            memory.source.as_str(),
            &at,
            memory.shared,
            place.map(|place| place.session.as_str()),
            place.map(|place| word(&place.session)),
            place.map(|place| i64::try_from(place.position).unwrap_or(i64::MAX)),
            place.map(|place| role_word(place.role)),
            speaker,
            said_at.map(stamp),
            memory.content.len(),
            memory.came_by().as_ref().map(ToString::to_string),
            fact::first_status(&memory.category, Some(&memory.source)).map(|status| status.state.as_str()),
            memory.valid_from.map(stamp),
            key.map(|key| key.subject.as_str()),
            key.map(|key| key.slot.as_str()),
            key.map(|key| cardinality_word(key.cardinality)),
            fact_key.clone(),
            fact_key.as_deref().map(word),
            normal.clone(),
            normal.as_deref().map(word),
            cites,
            memory.dream.as_ref().map(DreamId::as_str),
            signature_of_new(memory).cast_signed(),
        ];
        self.put(sql, bound)?;
        let card = Card {
            category: &memory.category,
            said_on: said_at.map(|said_at| said_at.date_naive()),
            speaker: speaker.filter(|speaker| is_name(speaker)),
            shared: memory.shared,
            ..Card::of(id.get(), &memory.content)
        };
        self.index_row(&card)?;
        self.echo_key(id, key)?;
        let words = EdgeWords {
            text: &memory.content,
            subject: key.map(|key| &*key.subject),
            scenario: scenario(memory.metadata.as_ref(), entry.actor),
            ..EdgeWords::default()
        };
        put_edges(self, id, &words, &at)?;
        Ok(id)
    }

    fn apply_edit(&self, id: MemoryId, edit: Edit<'_>, actor: Actor, now: DateTime<Utc>) -> Result<()> {
        const OF_ROW: &str = "WHERE user_id = $1 AND agent_id = $2 AND id = $3";
        if let Edit::Pin(pinned) = edit {
            let by = if actor == Actor::Human { PINNED_BY_THE_HUMAN } else { 1 };
            let sql = format!(
                "UPDATE memories SET pinned = CASE WHEN $4 THEN greatest(pinned, $5) ELSE 0 END {OF_ROW}"
            );
            return self.run(sql, params![id.get(), pinned, by]).map(drop);
        }
        self.changes_rows();
        let before = self.indexed(id)?;
        match edit {
            Edit::Content(content) => {
                let normal = text::statement(content);
                let sql = format!(
                    "UPDATE memories SET content = $4, bytes = $5, updated_at = $6,
                       normal = CASE WHEN normal IS NOT NULL THEN $7 END,
                       normal_word = CASE WHEN normal IS NOT NULL THEN $8 END, signature = signature | $9
                     {OF_ROW} RETURNING subject, slot"
                );
                let normal_word = word(&normal);
                let signature = signature(content).cast_signed();
                let bound =
                    params![id.get(), content, content.len(), stamp(now), normal, normal_word, signature];
                let key = self.first(&sql, bound, |found| {
                    let key = found.maybe(0)?.zip(found.maybe(1)?);
                    Ok(key.map(|(subject, slot)| FactKey::one(subject, slot)))
                })?;
                self.echo_anew(id, key.flatten().as_ref())?;
                put_edges_anew(self, id)?;
                self.drop_vectors(&[id.get()])?;
            }
            Edit::Delete => {
                self.run(
                    format!("UPDATE memories SET deleted_at = $4 {OF_ROW}"),
                    params![id.get(), stamp(now)],
                )?;
                self.drop_vectors(&[id.get()])?;
            }
            Edit::Restore => {
                self.run(format!("UPDATE memories SET deleted_at = NULL {OF_ROW}"), params![id.get()])?;
                self.wait_for_vectors(id)?;
            }
            Edit::Pin(_) => {}
        }
        self.reindex(before.as_ref(), id)
    }

    /// Says that this change alters or removes rows that stand: what was read of them before is of no more use.
    pub(super) fn changes_rows(&self) {
        self.with_state(|state| state.change = by_chance());
    }

    /// Removes rows that a search does not find, with all that belongs to them.
    pub(super) fn remove_rows(&self, ids: &[MemoryId]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        self.changes_rows();
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        self.unecho(&ids)?;
        self.drop_vectors(&ids)?;
        for sql in [
            "DELETE FROM memory_edges WHERE user_id = $1 AND agent_id = $2 AND src_id = ANY ($3)",
            "DELETE FROM memory_suspects WHERE user_id = $1 AND agent_id = $2 AND newer_id = ANY ($3)",
            "DELETE FROM memory_suspects WHERE user_id = $1 AND agent_id = $2 AND older_id = ANY ($3)",
            "DELETE FROM memories WHERE user_id = $1 AND agent_id = $2 AND id = ANY ($3)",
        ] {
            self.run(sql, params![ids.clone()])?;
        }
        Ok(())
    }
}
