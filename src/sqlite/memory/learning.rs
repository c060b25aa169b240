//! What was learned: a table of its own, beside the rows.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

use super::row::{self, stamp};
use super::{Inner, SqliteMemoryStore};
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::text;
use crate::memory::{Learning, LearningId, LearningStore, NewLearning};
use crate::sqlite::error::fold;
use crate::store::{self, Deed, learning_name};
use crate::trace;

impl LearningStore for SqliteMemoryStore {
    fn learn(&self, access: &Access, learning: &NewLearning, now: DateTime<Utc>) -> Result<LearningId> {
        trace::create(|id| *id, || self.inner.learn(access, learning, now))
    }

    fn learnings(&self, access: &Access, limit: usize) -> Result<Vec<Learning>> {
        let inner = &self.inner;
        store::main_only(&inner.scope, access, &learning_name())?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        inner.database.read("list", |connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, content, context, created_at FROM memory_learnings
                 WHERE user_id = ?1 AND agent_id = ?2 ORDER BY id DESC LIMIT ?3",
            )?;
            let learning = |found: &rusqlite::Row<'_>| {
                let written = NewLearning { content: row::text(found, 1)?, context: row::maybe(found, 2)? };
                let at = row::time(found, 3)?.unwrap_or_default();
                Ok(Learning::new(LearningId::new(found.get(0)?), written, at))
            };
            statement.query_map(params![inner.user, inner.agent, limit], learning)?.collect()
        })
    }
}

impl Inner {
    /// Records what was learned, once.
    fn learn(&self, access: &Access, learning: &NewLearning, now: DateTime<Utc>) -> Result<LearningId> {
        let deed = Deed::new(access, "memory_learn", now);
        let file = self.database.file();
        let learned = self.config.admit_learning(&self.scope, access, learning).and_then(|()| {
            self.database.attempt("write to", file, |connection| {
                self.check_forgotten(connection, |forgotten| {
                    store::forget::check_learning(forgotten, &learning_name(), learning)
                })?;
                self.insert_learning(connection, learning, &deed)
                    .map_err(|error| fold("write to", file, error))
            })
        });
        let (id, is_new) = learned.map_err(|error| self.refused(&deed, error))?;
        if is_new {
            self.config.tell("learning:written", None);
        }
        Ok(id)
    }

    /// Writes a learning, where none says the same; returns its id and whether it is new.
    fn insert_learning(
        &self,
        connection: &Connection,
        learning: &NewLearning,
        deed: &Deed<'_>,
    ) -> rusqlite::Result<(LearningId, bool)> {
        let normal = text::statement(&learning.content);
        let standing = connection
            .prepare_cached(
                "SELECT id FROM memory_learnings WHERE user_id = ?1 AND agent_id = ?2 AND normal = ?3",
            )?
            .query_row(params![self.user, self.agent, normal], |found| found.get(0))
            .optional()?;
        if let Some(id) = standing {
            return Ok((LearningId::new(id), false));
        }
        connection
            .prepare_cached(
                "INSERT INTO memory_learnings (user_id, agent_id, content, context, normal, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                self.user,
                self.agent,
                learning.content,
                learning.context,
                normal,
                stamp(deed.now)
            ])?;
        let id = LearningId::new(connection.last_insert_rowid());
        self.record_done(connection, deed)?;
        Ok((id, true))
    }
}
