//! Changes of rows, of the profile and of learnings, each with its line of the audit.

use chrono::{DateTime, Utc};
use rusqlite::params;

use super::row::{self, stamp};
use super::table::Table;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::text;
use crate::edges::{Words as EdgeWords, scenario};
use crate::facts::{ConsolidationEvent, Suspect};
use crate::format::DreamId;
use crate::gate::{Tombstone, TombstoneKey, signature};
use crate::memory::{AuditEntry, LearningId, MemoryId, NewLearning, NewMemory};
use crate::search::rank::{Card, is_name};
use crate::sql::memory::{
    MemoryDriver, PINNED_BY_THE_HUMAN, apply, audit, cardinality_word, extract_next, key_column, put_edges,
    put_edges_of, role_word, suspect,
};
use crate::sqlite::columns::ReadAll;
use crate::sqlite::error::carried;
use crate::store::Edit;
use crate::store::backend::{Changes, Extracted};
use crate::store::fact;
use crate::store::forget::{Burial, Struck, signature_of_new};
use crate::store::practice::Rest;
use crate::store::suspects;
use crate::store::vectors::VectorChanges;
use crate::store::words::Words;

/// The most rows that one transaction of a purge removes, so that writers wait for moments only.
const PURGED_AT_ONCE: u32 = 500;

impl Changes for Table<'_> {
    fn write(&mut self, memory: &NewMemory, suspects: &[Suspect], entry: AuditEntry) -> Result<MemoryId> {
        let id = self.folded(|| self.insert(memory, &entry))?;
        if suspects::is_judged(memory) {
            // The next fact is compared with the latest ones.
            let mut stemmer = self.lend_stemmer();
            let words = Words::of(&memory.content, &mut stemmer);
            self.know_words(vec![(id, words)], stemmer);
        }
        suspect(self, id, suspects)?;
        audit(self, &AuditEntry { id: Some(id), ..entry })?;
        Ok(id)
    }

    /// All is in one transaction as it is.
    fn together(&mut self, change: &mut dyn FnMut(&mut dyn Changes) -> Result<()>) -> Result<()> {
        change(self)
    }

    fn edit(&mut self, id: MemoryId, edit: Edit<'_>, entry: AuditEntry) -> Result<()> {
        self.held.borrow_mut().edits();
        self.folded(|| self.apply_edit(id, edit, entry.actor, entry.at))?;
        audit(self, &entry)
    }

    fn rule(&mut self, events: &mut [ConsolidationEvent], _now: DateTime<Utc>) -> Result<()> {
        self.held.borrow_mut().edits();
        events.iter_mut().try_for_each(|event| apply(self, event))
    }

    fn learn(&mut self, learning: &NewLearning, entry: AuditEntry) -> Result<LearningId> {
        self.folded(|| {
            self.connection
                .prepare_cached(
                    "INSERT INTO memory_learnings (user_id, agent_id, content, context, normal, created_at)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                )?
                .execute(params![
                    self.user(),
                    self.agent(),
                    learning.content,
                    learning.context,
                    text::statement(&learning.content),
                    stamp(entry.at)
                ])?;
            let id = LearningId::new(self.connection.last_insert_rowid());
            audit(self, &entry).map_err(carried)?;
            Ok(id)
        })
    }

    fn set_profile(&mut self, key: &str, value: &str, entry: AuditEntry) -> Result<()> {
        self.folded(|| {
            let at = stamp(entry.at);
            if self.has_profile_of_the_seed() {
                self.connection
                    .prepare_cached(
                        "INSERT INTO user_profile (key, value, updated_at) VALUES (?1, ?2, ?3) ON CONFLICT (key)
                         DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
                    )?
                    .execute(params![key, value, at])?;
            } else {
                self.connection
                    .prepare_cached(
                        "INSERT INTO guest_profile (user_id, agent_id, key, value, updated_at)
                         VALUES (?4, ?5, ?1, ?2, ?3) ON CONFLICT (user_id, agent_id, key)
                         DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
                    )?
                    .execute(params![key, value, at, self.user(), self.agent()])?;
            }
            audit(self, &entry).map_err(carried)
        })
    }

    fn forget(
        &mut self,
        rows: &[MemoryId],
        (burial, rest): (&Burial, &[Rest]),
        key: &TombstoneKey,
        entry: AuditEntry,
    ) -> Result<Struck> {
        self.backend.unknow();
        self.held.borrow_mut().edits();
        self.folded(|| {
            rest.iter().try_for_each(|rest| self.overwrite(rest))?;
            self.bury(rows, burial, key, &entry)
        })
    }

    fn lift(&mut self, stone: Tombstone, entry: AuditEntry) -> Result<()> {
        self.backend.unknow();
        self.folded(|| {
            self.connection
                .prepare_cached(
                    "DELETE FROM memory_tombstones WHERE user_id = ?1 AND agent_id = ?2 AND digest = ?3",
                )?
                .execute(params![self.user(), self.agent(), stone.digest.to_string()])?;
            audit(self, &entry).map_err(carried)
        })
    }

    fn purge(&mut self, cutoff: DateTime<Utc>, entry: AuditEntry) -> Result<Vec<MemoryId>> {
        self.held.borrow_mut().edits();
        self.folded(|| {
            let ids = self
                .connection
                .prepare_cached(
                    "SELECT id FROM memories INDEXED BY idx_memories_gone WHERE deleted_at < ?1 AND user_id = ?2
                     AND agent_id = ?3 ORDER BY id LIMIT ?4",
                )?
                .query(params![stamp(cutoff), self.user(), self.agent(), PURGED_AT_ONCE])?.all(|found| {
                    found.get(0).map(MemoryId::new)
                })?;
            for id in &ids {
                self.connection.prepare_cached("DELETE FROM memories WHERE id = ?1")?.execute([id.get()])?;
                audit(self, &AuditEntry { id: Some(*id), ..entry.clone() }).map_err(carried)?;
            }
            Ok(ids)
        })
    }

    fn extract_edges(&mut self, after: MemoryId) -> Result<Extracted> {
        let mut extracted = extract_next(self, after)?;
        if extracted.last.is_none() {
            extracted.added += self.folded(|| self.extract_notes())?;
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

impl Table<'_> {
    fn insert(&self, memory: &NewMemory, entry: &AuditEntry) -> rusqlite::Result<MemoryId> {
        let place = memory.place.as_ref();
        let speaker = place.and_then(|place| place.speaker.as_deref());
        let said_at = place.and_then(|place| place.said_at);
        let key = memory.about.as_ref();
        let cites = (!memory.cites.is_empty())
            .then(|| serde_json::to_string(&memory.cites).expect("plain data is always JSON"));
        self.connection
            .prepare_cached(
                "INSERT INTO memories (category, content, metadata, source, created_at, updated_at, user_id,
                   agent_id, shared, session, position, role, speaker, said_at, terms, origin, fact_state,
                   valid_from, subject, slot, cardinality, fact_key, normal, cites, dream, signature)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
                   ?19, ?20, ?21, ?22, ?23, ?24, ?25)",
            )?
            .execute(params![
                memory.category,
                memory.content,
                memory.metadata.as_ref().map(ToString::to_string),
                memory.source.as_str(),
                stamp(entry.at),
                self.user(),
                self.agent(),
                memory.shared,
                place.map(|place| &place.session),
                place.map(|place| i64::try_from(place.position).unwrap_or(i64::MAX)),
                place.map(|place| role_word(place.role)),
                speaker,
                said_at.map(stamp),
                row::terms(&memory.content, speaker, said_at),
                memory.came_by().as_ref().map(ToString::to_string),
                fact::first_status(&memory.category, Some(&memory.source))
                    .map(|status| status.state.as_str()),
                memory.valid_from.map(stamp),
                key.map(|key| &key.subject),
                key.map(|key| &key.slot),
                key.map(|key| cardinality_word(key.cardinality)),
                key.map(key_column),
                fact::normal(&memory.category, &memory.content, key),
                cites,
                memory.dream.as_ref().map(DreamId::as_str),
                signature_of_new(memory).cast_signed(),
            ])?;
        let id = MemoryId::new(self.connection.last_insert_rowid());
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
        put_edges(self, id, &words, &stamp(entry.at)).map_err(carried)?;
        Ok(id)
    }

    fn apply_edit(
        &self,
        id: MemoryId,
        edit: Edit<'_>,
        actor: Actor,
        now: DateTime<Utc>,
    ) -> rusqlite::Result<()> {
        let id = id.get();
        match edit {
            Edit::Content(content) => {
                let (speaker, said_at, is_compared) = self.connection.query_row(
                    "SELECT speaker, said_at, normal IS NOT NULL FROM memories WHERE id = ?1",
                    [id],
                    |found| Ok((row::maybe(found, 0)?, row::time(found, 1)?, found.get::<_, bool>(2)?)),
                )?;
                let terms = row::terms(content, speaker.as_deref(), said_at);
                self.echo_anew(id)?;
                let normal = is_compared.then(|| text::statement(content));
                let changed = self
                    .connection
                    .prepare_cached(
                        "UPDATE memories SET content = ?2, terms = ?3, updated_at = ?4, normal = ?5,
                           signature = signature | ?6 WHERE id = ?1",
                    )?
                    .execute(params![
                        id,
                        content,
                        terms,
                        stamp(now),
                        normal,
                        signature(content).cast_signed()
                    ])?;
                // A trigger took those of the words before.
                put_edges_of(self, MemoryId::new(id)).map_err(carried)?;
                Ok(changed)
            }
            Edit::Delete => self
                .connection
                .prepare_cached("UPDATE memories SET deleted_at = ?2 WHERE id = ?1")?
                .execute(params![id, stamp(now)]),
            Edit::Restore => self
                .connection
                .prepare_cached("UPDATE memories SET deleted_at = NULL WHERE id = ?1")?
                .execute([id]),
            Edit::Pin(pinned) => {
                let by = if actor == Actor::Human { PINNED_BY_THE_HUMAN } else { 1 };
                self.connection
                    .prepare_cached("UPDATE memories SET pinned = iif(?2, max(pinned, ?3), 0) WHERE id = ?1")?
                    .execute(params![id, pinned, by])
            }
        }?;
        Ok(())
    }
}
