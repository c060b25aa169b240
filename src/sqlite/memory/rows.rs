//! Rows, the profile, the audit and learnings, as a store reads them.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use rusqlite::{OptionalExtension, params, params_from_iter};

use super::row::{self, COLUMNS, stamp};
use super::search::{BY_TIME, TRUSTED, count, view};
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
use crate::search::rank::Visibility;
use crate::sqlite::columns::ReadAll;
use crate::sqlite::commits::edition;
use crate::store::backend::{Editable, Rows};
use crate::store::forget::Burial;
use crate::store::vectors::MemoryVectors;

/// The value of `pinned` for a row that the human pinned; 1 is anybody else.
pub(super) const PINNED_BY_THE_HUMAN: i64 = 2;

impl Rows for Table<'_> {
    fn get(&self, id: MemoryId, visibility: Visibility) -> Result<Option<Memory>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM {} m WHERE m.id = ?1 AND m.user_id = ?2 AND m.agent_id = ?3",
            view(visibility)
        );
        let bound = params![id.get(), self.user(), self.agent()];
        self.folded(|| self.connection.prepare_cached(&sql)?.query_row(bound, row::memory).optional())
    }

    fn snapshot(&self, limit: usize, visibility: Visibility) -> Result<Vec<SnapshotRow>> {
        self.folded(|| {
            let mut rows = Vec::new();
            for pinned in [true, false] {
                let sql = format!(
                    "SELECT m.id, m.category, m.content,
                       iif(instr(m.metadata, 'stale_after') > 0, m.metadata, NULL) FROM {} m
                     WHERE {} AND m.user_id = ?1 AND m.agent_id = ?2 AND m.fact_state IS NOT 'pending'
                     {TRUSTED} {BY_TIME} LIMIT ?3",
                    view(visibility),
                    if pinned { "m.pinned > 0" } else { "m.pinned = 0" }
                );
                let mut statement = self.connection.prepare_cached(&sql)?;
                let bound = (self.user(), self.agent(), count(limit - rows.len()));
                let mut found = statement.query(bound)?;
                while let Some(row) = found.next()? {
                    let id = MemoryId::new(row.get(0)?);
                    let mut shown = SnapshotRow::new(id, row::text(row, 1)?, row::text(row, 2)?, pinned);
                    let notes =
                        row::maybe(row, 3)?.and_then(|notes| serde_json::from_slice(notes.as_bytes()).ok());
                    shown.stale.extend(end_of(notes.as_ref()).map(Stale::Over));
                    rows.push(shown);
                }
            }
            Ok(rows)
        })
    }

    fn editable(&self, id: MemoryId, deleted_since: Option<DateTime<Utc>>) -> Result<Option<Editable>> {
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(
                "SELECT source, category, fact_state, pinned FROM memories
                 WHERE id = ?1 AND user_id = ?2 AND agent_id = ?3
                 AND ((?4 IS NULL AND deleted_at IS NULL) OR deleted_at >= ?4)",
            )?;
            let bound = params![id.get(), self.user(), self.agent(), deleted_since.map(stamp)];
            statement
                .query_row(bound, |found| {
                    let source = row::maybe(found, 0)?.map(|word| Source::from(word.as_str()));
                    let state = row::maybe(found, 2)?.and_then(|word| word.parse().ok());
                    let pinned_by = match found.get(3)? {
                        0 => None,
                        PINNED_BY_THE_HUMAN => Some(Actor::Human),
                        _ => Some(Actor::Agent),
                    };
                    Ok(Editable { source, category: row::text(found, 1)?, state, pinned_by })
                })
                .optional()
        })
    }

    fn promoted(&self, dream: &DreamId, content: &str) -> Result<Option<(MemoryId, bool)>> {
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(
                "SELECT id, deleted_at IS NOT NULL AND 'library' IS (
                   SELECT actor FROM memory_audit
                   WHERE memory_id = m.id AND action = 'memory_delete' AND outcome = 'done'
                   ORDER BY id DESC LIMIT 1)
                 FROM memories m WHERE user_id = ?1 AND agent_id = ?2 AND dream = ?3 AND content = ?4
                 ORDER BY deleted_at IS NOT NULL, id LIMIT 1",
            )?;
            statement
                .query_row(params![self.user(), self.agent(), dream.as_str(), content], |found| {
                    Ok((MemoryId::new(found.get(0)?), found.get(1)?))
                })
                .optional()
        })
    }

    fn saying(&self, burial: &Burial) -> Result<Vec<Fact>> {
        self.folded(|| self.rows_saying(burial))
    }

    fn profile(&self, keys: Option<&[&str]>) -> Result<Vec<(String, String)>> {
        let whole = if self.has_profile_of_the_seed() {
            "user_profile WHERE ?1 = '' AND ?2 = ''"
        } else {
            "guest_profile WHERE user_id = ?1 AND agent_id = ?2"
        };
        let places: Vec<String> = (3..keys.map_or(0, <[_]>::len) + 3).map(|at| format!("?{at}")).collect();
        let which = keys.map_or_else(String::new, |_| format!("AND key IN ({})", places.join(", ")));
        self.folded(|| {
            let sql = format!("SELECT key, value FROM {whole} {which} ORDER BY key");
            let mut statement = self.connection.prepare_cached(&sql)?;
            let bound = [self.user(), self.agent()].into_iter().chain(keys.into_iter().flatten().copied());
            statement
                .query(params_from_iter(bound))?
                .all(|found| Ok((row::text(found, 0)?, row::text(found, 1)?)))
        })
    }

    fn audit(&self, limit: usize) -> Result<Vec<AuditEntry>> {
        self.folded(|| self.entries(limit))
    }

    fn learnings(&self, limit: usize) -> Result<Vec<Learning>> {
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(
                "SELECT id, content, context, created_at FROM memory_learnings
                 WHERE user_id = ?1 AND agent_id = ?2 ORDER BY id DESC LIMIT ?3",
            )?;
            let learning = |found: &rusqlite::Row<'_>| {
                let written = NewLearning { content: row::text(found, 1)?, context: row::maybe(found, 2)? };
                let at = row::time(found, 3)?.unwrap_or_default();
                Ok(Learning::new(LearningId::new(found.get(0)?), written, at))
            };
            statement.query((self.user(), self.agent(), count(limit)))?.all(learning)
        })
    }

    fn learned(&self, content: &str) -> Result<Option<LearningId>> {
        self.folded(|| {
            let mut statement = self.connection.prepare_cached(
                "SELECT id FROM memory_learnings WHERE user_id = ?1 AND agent_id = ?2 AND normal = ?3",
            )?;
            let bound = params![self.user(), self.agent(), text::statement(content)];
            statement.query_row(bound, |found| Ok(LearningId::new(found.get(0)?))).optional()
        })
    }

    fn tombstones(&self) -> Result<Option<Arc<Tombstones>>> {
        self.folded(|| self.forgotten())
    }

    fn tombstone_key(&self) -> Result<Option<TombstoneKey>> {
        self.folded(|| self.key())
    }

    fn mentioning(&self, visibility: Visibility, keys: &[String], most: usize) -> Result<Vec<MemoryId>> {
        self.folded(|| self.rows_mentioning(visibility, keys, most))
    }

    fn edges_of(&self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>> {
        self.folded(|| self.edges_of_rows(ids))
    }

    fn top_entities(&self, visibility: Visibility, limit: usize) -> Result<Vec<TopEntity>> {
        self.folded(|| self.most_mentioned(visibility, limit))
    }

    fn edition(&self) -> Result<u64> {
        self.folded(|| edition(self.connection))
    }

    fn as_vectors(&self) -> &dyn MemoryVectors {
        self
    }
}
