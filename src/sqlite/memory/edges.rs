//! The edges of rows and of notes of roles: written with them, asked for by a key, and extracted anew.

use rusqlite::{Connection, OptionalExtension, params};

use super::row;
use super::search::{count, listed, view};
use super::table::Table;
use crate::base::access::Actor;
use crate::base::sorted::SortedSet;
use crate::edges::{Edge, TopEntity, Words, edges_of, edges_of_note, scenario};
use crate::learning::RoleNote;
use crate::memory::MemoryId;
use crate::search::rank::Visibility;
use crate::sqlite::columns::ReadAll;
use crate::sqlite::edges::{self, OF_NOTES, OF_ROWS};
use crate::store::backend::Extracted;

/// The number of rows of one step of an extraction.
const STEP: u32 = 500;

impl Table<'_> {
    /// Adds the edges of what a row says; returns how many are new.
    pub(super) fn put_edges(&self, id: i64, words: &Words<'_>, at: &str) -> rusqlite::Result<usize> {
        let Some(extractor) = &self.backend.extractor else { return Ok(0) };
        let found = edges_of(extractor.as_ref(), words);
        edges::put(self.connection, self.backend.edges, (OF_ROWS, id), &found, at)
    }

    /// Adds the edges of a note of a role; returns how many are new. (seed 003, Typed memory edges)
    pub(super) fn put_edges_of_note(&self, note: &RoleNote) -> rusqlite::Result<usize> {
        let Some(extractor) = self.backend.extractor.as_ref().filter(|_| self.backend.notes_have_edges)
        else {
            return Ok(0);
        };
        let found = edges_of_note(extractor.as_ref(), note);
        let at = row::stamp(note.created_at);
        edges::put(self.connection, self.backend.edges, (OF_NOTES, note.id.get()), &found, &at)
    }

    /// Replaces the edges of a note whose words changed.
    pub(super) fn put_edges_of_note_anew(&self, note: &RoleNote) -> rusqlite::Result<()> {
        if !self.backend.notes_have_edges {
            return Ok(());
        }
        let sql =
            format!("DELETE FROM {} WHERE src_table = '{OF_NOTES}' AND src_id = ?1", self.backend.edges);
        self.connection.prepare_cached(&sql)?.execute([note.id.get()])?;
        self.put_edges_of_note(note).map(drop)
    }

    /// Adds the edges of a row as it stands.
    pub(super) fn put_edges_of(&self, id: i64) -> rusqlite::Result<usize> {
        let sql =
            "SELECT content, subject, iif(instr(metadata, 'scenario_id') > 0, metadata, NULL), updated_at
             FROM memories WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([id])?;
        let Some(found) = rows.next()? else { return Ok(0) };
        let (text, subject) = (row::text(found, 0)?, row::maybe(found, 1)?);
        let notes = row::maybe(found, 2)?.and_then(|notes| serde_json::from_slice(notes.as_bytes()).ok());
        let writer = if notes.is_some() { self.writer(id)? } else { Actor::Agent };
        let scenario = scenario(notes.as_ref(), writer);
        let words = Words { text: &text, subject: subject.as_deref(), scenario, ..Words::default() };
        self.put_edges(id, &words, &row::text(found, 3)?)
    }

    /// Replaces the edges of a row that another program wrote.
    pub(super) fn put_edges_anew(&self, id: i64) -> rusqlite::Result<()> {
        let sql = format!("DELETE FROM {} WHERE src_table = '{OF_ROWS}' AND src_id = ?1", self.backend.edges);
        self.connection.prepare_cached(&sql)?.execute([id])?;
        self.put_edges_of(id).map(drop)
    }

    /// Returns the writer of a row by the audit; the agent, who is trusted least, where that is not known.
    fn writer(&self, id: i64) -> rusqlite::Result<Actor> {
        let sql = "SELECT actor FROM memory_audit
            WHERE memory_id = ?1 AND action = 'memory_write' AND outcome = 'done' ORDER BY id LIMIT 1";
        let actor: Option<String> =
            self.connection.prepare_cached(sql)?.query_row([id], |found| found.get(0)).optional()?;
        Ok(match actor.as_deref() {
            Some("human") => Actor::Human,
            Some("library") => Actor::Library,
            _ => Actor::Agent,
        })
    }

    /// Lists the latest rows in sight that lead to a key.
    pub(super) fn rows_mentioning(
        &self,
        visibility: Visibility,
        keys: &[String],
        most: usize,
    ) -> rusqlite::Result<Vec<MemoryId>> {
        let mut ids = SortedSet::new();
        for query in edges::leads_to(self.backend.edges, "?3", OF_ROWS) {
            let sql = format!(
                "SELECT DISTINCT e.src_id FROM ({query}) e CROSS JOIN {} m ON m.id = e.src_id
                 WHERE m.user_id = ?1 AND m.agent_id = ?2 ORDER BY e.src_id DESC LIMIT ?4",
                view(visibility)
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            for key in keys {
                let bound = params![self.user(), self.agent(), key, count(most)];
                let mut rows = statement.query(bound)?;
                while let Some(found) = rows.next()? {
                    ids.insert(MemoryId::new(found.get(0)?));
                }
            }
        }
        Ok(ids.into_iter().rev().take(most).collect())
    }

    /// Returns the edges of rows, in the order of the ids.
    pub(super) fn edges_of_rows(&self, ids: &[MemoryId]) -> rusqlite::Result<Vec<(MemoryId, Edge)>> {
        let sql = format!(
            "SELECT e.src_id, e.dst_entity_kind, e.dst_entity_key, e.edge_type FROM json_each(?1) r
             CROSS JOIN {} e ON e.src_table = '{OF_ROWS}' AND e.src_id = r.value ORDER BY r.key, e.id",
            self.backend.edges
        );
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement
            .query([listed(&ids)])?
            .all(|found| Ok((MemoryId::new(found.get(0)?), edges::read(found, 1)?)))
    }

    pub(super) fn most_mentioned(
        &self,
        visibility: Visibility,
        limit: usize,
    ) -> rusqlite::Result<Vec<TopEntity>> {
        let sql = format!(
            "SELECT e.dst_entity_kind, e.dst_entity_key, e.edge_type, count(DISTINCT e.src_id) AS texts
             FROM {} m CROSS JOIN {} e ON e.src_table = '{OF_ROWS}' AND e.src_id = m.id
             WHERE m.user_id = ?1 AND m.agent_id = ?2 AND e.edge_type <> '{}'
             GROUP BY 1, 2 ORDER BY texts DESC, 1, 2 LIMIT ?3",
            view(visibility),
            self.backend.edges,
            Edge::CO_OCCURS_WITH
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let bound = params![self.user(), self.agent(), count(limit)];
        statement.query(bound)?.all(|found| {
            let texts = u64::try_from(found.get::<_, i64>(3)?).unwrap_or_default();
            Ok(TopEntity::new(edges::read(found, 0)?.entity, texts))
        })
    }

    /// Extracts the edges of the next rows of this scope, and after the last of them those of its notes.
    pub(super) fn extract_next(&self, after: MemoryId) -> rusqlite::Result<Extracted> {
        let sql =
            "SELECT id FROM memories WHERE id > ?1 AND user_id = ?2 AND agent_id = ?3 ORDER BY id LIMIT ?4";
        let ids: Vec<i64> = self
            .connection
            .prepare_cached(sql)?
            .query(params![after.get(), self.user(), self.agent(), STEP])?
            .all(|found| found.get(0))?;
        let mut added = 0;
        for id in &ids {
            added += self.put_edges_of(*id)? as u64;
        }
        let last = ids.last().map(|last| MemoryId::new(*last));
        if last.is_none() {
            for note in self.notes_by(true)?.into_iter().chain(self.notes_by(false)?) {
                added += self.put_edges_of_note(&note)? as u64;
            }
        }
        Ok(Extracted { added, last })
    }

    /// Extracts the edges of some rows that another program wrote before the file was taken over; `false` where there are none left.
    pub(super) fn extract_due(&self) -> rusqlite::Result<bool> {
        let Some(up_to) = due(self.connection)? else { return Ok(false) };
        let sql = "SELECT id FROM memories WHERE id <= ?1 ORDER BY id DESC LIMIT ?2";
        let ids: Vec<i64> =
            self.connection.prepare_cached(sql)?.query(params![up_to, STEP])?.all(|found| found.get(0))?;
        for id in &ids {
            self.put_edges_of(*id)?;
        }
        match ids.last() {
            Some(last) => self.connection.execute("UPDATE memory_edges_due SET up_to = ?1", [last - 1])?,
            None => self.connection.execute("DELETE FROM memory_edges_due", [])?,
        };
        Ok(true)
    }
}

/// Returns the last row that waits for its edges since the file was taken over.
pub(super) fn due(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT up_to FROM memory_edges_due")?
        .query_row([], |found| found.get(0))
        .optional()
}
