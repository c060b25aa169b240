//! The edges of rows and of notes of roles: written with them, asked for by a key, and extracted anew.

use crate::sql::memory::{notes, put_edges_of};
use crate::sqlite::error::carried;
use rusqlite::{Connection, OptionalExtension, params};

use super::row;
use super::search::{count, view};
use super::table::Table;
use crate::base::sorted::SortedSet;
use crate::edges::edges_of_note;
use crate::learning::RoleNote;
use crate::memory::MemoryId;
use crate::search::rank::Visibility;
use crate::sqlite::columns::ReadAll;
use crate::sqlite::edges::{self, OF_NOTES, OF_ROWS};

/// The number of rows of one step of an extraction.
const STEP: u32 = 500;

impl Table<'_> {
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

    /// Lists the latest rows in sight that lead to a key.
    pub(super) fn latest_mentioning(
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

    /// Extracts the edges of the notes of this scope; returns how many are new.
    pub(super) fn put_edges_of_notes(&self) -> rusqlite::Result<u64> {
        let mut added = 0;
        let both = || Ok([notes(self, true)?, notes(self, false)?]);
        for note in both().map_err(carried)?.iter().flatten() {
            added += self.put_edges_of_note(note)? as u64;
        }
        Ok(added)
    }

    /// Extracts the edges of some rows that another program wrote before the file was taken over; `false` where there are none left.
    pub(super) fn extract_due(&self) -> rusqlite::Result<bool> {
        let Some(up_to) = due(self.connection)? else { return Ok(false) };
        let sql = "SELECT id FROM memories WHERE id <= ?1 ORDER BY id DESC LIMIT ?2";
        let ids: Vec<i64> =
            self.connection.prepare_cached(sql)?.query(params![up_to, STEP])?.all(|found| found.get(0))?;
        for id in &ids {
            put_edges_of(self, MemoryId::new(*id)).map_err(carried)?;
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
