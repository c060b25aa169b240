//! Rows, the profile, the audit and learnings, as a store reads them.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::columns::{count, word};
use super::row::{self, COLUMNS, stamp};
use super::search::{BY_TIME, TRUSTED, by_id, in_sight};
use super::table::Table;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::text;
use crate::edges::{Edge, TopEntity};
use crate::facts::Fact;
use crate::format::DreamId;
use crate::gate::{TombstoneKey, Tombstones};
use crate::memory::{
    AuditEntry, Learning, LearningId, Memory, MemoryId, NewLearning, SnapshotRow, Source, Stale, end_of,
};
use crate::postgres::link::params;
use crate::search::rank::Visibility;
use crate::store::backend::{Editable, Rows};
use crate::store::forget::Burial;
use crate::store::vectors::MemoryVectors;

/// The value of `pinned` for a row that the human pinned; 1 is anybody else.
pub(super) const PINNED_BY_THE_HUMAN: i64 = 2;

impl Rows for Table<'_> {
    fn get(&self, id: MemoryId, visibility: Visibility) -> Result<Option<Memory>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM {} WHERE m.user_id = $1 AND m.agent_id = $2 AND {}",
            by_id("$3"),
            in_sight(visibility)
        );
        self.first(sql, params![id.get()], row::memory)
    }

    fn snapshot(&self, limit: usize, visibility: Visibility) -> Result<Vec<SnapshotRow>> {
        let mut rows = Vec::new();
        for pinned in [true, false] {
            let sql = format!(
                "SELECT m.id, m.category, m.content,
                   CASE WHEN strpos(m.metadata, 'stale_after') > 0 THEN m.metadata END FROM memories m
                 WHERE {} AND {} AND m.user_id = $1 AND m.agent_id = $2
                 AND m.fact_state IS DISTINCT FROM 'pending' {TRUSTED} {BY_TIME} LIMIT $3",
                in_sight(visibility),
                if pinned { "m.pinned > 0" } else { "m.pinned = 0" }
            );
            rows.extend(self.all(sql, params![count(limit - rows.len())], |row| {
                let id = MemoryId::new(row.try_get(0)?);
                let mut shown = SnapshotRow::new(id, row::text(row, 1)?, row::text(row, 2)?, pinned);
                let notes = row::maybe(row, 3)?.and_then(|notes| serde_json::from_str(&notes).ok());
                shown.stale.extend(end_of(notes.as_ref()).map(Stale::Over));
                Ok(shown)
            })?);
        }
        Ok(rows)
    }

    fn editable(&self, id: MemoryId, deleted_since: Option<DateTime<Utc>>) -> Result<Option<Editable>> {
        let sql = "SELECT source, category, fact_state, pinned FROM memories
             WHERE user_id = $1 AND agent_id = $2 AND id = $3
             AND (($4 IS NULL AND deleted_at IS NULL) OR deleted_at >= $4)";
        self.first(sql, params![id.get(), deleted_since.map(stamp)], |found| {
            let pinned_by = match found.try_get(3)? {
                0 => None,
                PINNED_BY_THE_HUMAN => Some(Actor::Human),
                _ => Some(Actor::Agent),
            };
            Ok(Editable {
                source: row::maybe(found, 0)?.map(|word| Source::from(word.as_str())),
                category: row::text(found, 1)?,
                state: row::maybe(found, 2)?.and_then(|word| word.parse().ok()),
                pinned_by,
            })
        })
    }

    fn promoted(&self, dream: &DreamId, content: &str) -> Result<Option<(MemoryId, bool)>> {
        let sql = "SELECT m.id, m.deleted_at IS NOT NULL AND coalesce((
                 SELECT a.actor = 'library' FROM memory_audit a
                 WHERE a.user_id = $1 AND a.agent_id = $2 AND a.memory_id = m.id
                 AND a.action = 'memory_delete' AND a.outcome = 'done' ORDER BY a.id DESC LIMIT 1), false)
             FROM memories m WHERE m.user_id = $1 AND m.agent_id = $2 AND m.dream = $3 AND m.content = $4
             ORDER BY m.deleted_at IS NOT NULL, m.id LIMIT 1";
        self.first(sql, params![dream.as_str(), content], |found| {
            Ok((MemoryId::new(found.try_get(0)?), found.try_get(1)?))
        })
    }

    fn saying(&self, burial: &Burial) -> Result<Vec<Fact>> {
        self.rows_saying(burial)
    }

    fn profile(&self, keys: Option<&[&str]>) -> Result<Vec<(String, String)>> {
        let (mut sql, mut bound) = (
            "SELECT key, value FROM user_profile WHERE user_id = $1 AND agent_id = $2".to_owned(),
            Vec::new(),
        );
        if let Some(keys) = keys {
            sql.push_str(" AND key = ANY ($3)");
            bound.extend(params![keys.iter().map(|key| (*key).to_owned()).collect::<Vec<String>>()]);
        }
        sql.push_str(" ORDER BY key");
        self.all(sql, bound, |found| Ok((row::text(found, 0)?, row::text(found, 1)?)))
    }

    fn audit(&self, limit: usize) -> Result<Vec<AuditEntry>> {
        self.entries(limit)
    }

    fn learnings(&self, limit: usize) -> Result<Vec<Learning>> {
        let sql = "SELECT id, content, context, created_at FROM memory_learnings
             WHERE user_id = $1 AND agent_id = $2 ORDER BY id DESC LIMIT $3";
        self.all(sql, params![count(limit)], |found| {
            let written = NewLearning { content: row::text(found, 1)?, context: row::maybe(found, 2)? };
            let at = row::time(found, 3)?.unwrap_or_default();
            Ok(Learning::new(LearningId::new(found.try_get(0)?), written, at))
        })
    }

    fn learned(&self, content: &str) -> Result<Option<LearningId>> {
        let sql = "SELECT id FROM memory_learnings
             WHERE user_id = $1 AND agent_id = $2 AND normal_word = $3 AND normal = $4";
        let normal = text::statement(content);
        self.first(sql, params![word(&normal), normal], |found| Ok(LearningId::new(found.try_get(0)?)))
    }

    fn tombstones(&self) -> Result<Option<Arc<Tombstones>>> {
        self.forgotten()
    }

    fn tombstone_key(&self) -> Result<Option<TombstoneKey>> {
        self.key()
    }

    fn mentioning(&self, visibility: Visibility, keys: &[String], most: usize) -> Result<Vec<MemoryId>> {
        self.rows_mentioning(visibility, keys, most)
    }

    fn edges_of(&self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>> {
        self.edges_of_rows(ids)
    }

    fn top_entities(&self, visibility: Visibility, limit: usize) -> Result<Vec<TopEntity>> {
        self.most_mentioned(visibility, limit)
    }

    fn edition(&self) -> Result<u64> {
        Ok(self.state().writes.unsigned_abs())
    }

    fn as_vectors(&self) -> &dyn MemoryVectors {
        self
    }
}
