//! Changes of vectors, each in one step with what it rests on.

use rusqlite::params;

use super::super::search::count;
use super::super::table::Table;
use super::read::{EMBEDDED, FAILED, SKIPPED};
use crate::base::error::Result;
use crate::embed::Generation;
use crate::store::vectors::{Entry, VectorChanges};

impl VectorChanges for Table<'_> {
    fn keep(&mut self, generation: &Generation, dimensions: usize, entries: &[(i64, Entry)]) -> Result<()> {
        self.folded(|| {
            let number = self.make_generation(generation, dimensions)?;
            let sql = "DELETE FROM memory_vectors WHERE memory_id = ?1 AND generation = ?2";
            let mut remove = self.connection.prepare_cached(sql)?;
            let mut insert = self.connection.prepare_cached(
                "INSERT INTO memory_vectors (memory_id, generation, state, attempts, vector)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for (id, entry) in entries {
                let (state, attempts, vector) = match entry {
                    Entry::Vector(bytes) => (EMBEDDED, 0, Some(bytes)),
                    Entry::Failed(attempts) => (FAILED, *attempts, None),
                    Entry::Skipped => (SKIPPED, 0, None),
                };
                // A new number, by which others see the change.
                remove.execute(params![id, number])?;
                insert.execute(params![id, number, state, attempts, vector])?;
            }
            self.note_filled(number)
        })
    }

    fn serve(&mut self, generation: &Generation, dimensions: usize) -> Result<()> {
        self.folded(|| {
            let number = self.make_generation(generation, dimensions)?;
            self.connection
                .prepare_cached(
                    "UPDATE memory_generations SET serves = (id = ?3) WHERE user_id = ?1 AND agent_id = ?2",
                )?
                .execute(params![self.user(), self.agent(), number])?;
            Ok(())
        })
    }

    fn drop_others(&mut self, generation: &Generation, most: usize) -> Result<u64> {
        self.folded(|| {
            let others = "SELECT id FROM memory_generations
                WHERE user_id = ?1 AND agent_id = ?2 AND name <> ?3 AND serves = 0";
            let bound = params![self.user(), self.agent(), generation.as_str(), count(most)];
            let sql = format!(
                "DELETE FROM memory_vectors WHERE number IN (
                   SELECT number FROM memory_vectors WHERE generation IN ({others}) LIMIT ?4)"
            );
            let removed = self.connection.prepare_cached(&sql)?.execute(bound)?;
            if removed < most {
                let sql = format!("DELETE FROM memory_generations WHERE id IN ({others})");
                let bound = params![self.user(), self.agent(), generation.as_str()];
                self.connection.prepare_cached(&sql)?.execute(bound)?;
            }
            Ok(removed as u64)
        })
    }
}

impl Table<'_> {
    /// Returns the number of a generation, which is made where there is none.
    fn make_generation(&self, generation: &Generation, dimensions: usize) -> rusqlite::Result<i64> {
        if let Some(number) = self.generation(generation)? {
            return Ok(number);
        }
        let bound = params![self.user(), self.agent(), generation.as_str(), count(dimensions), i64::MIN];
        self.connection
            .prepare_cached(
                "INSERT INTO memory_generations (user_id, agent_id, name, dimensions, filled)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(bound)?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Keeps up to which row no row waits, so that the next pass begins behind it.
    fn note_filled(&self, generation: i64) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "UPDATE memory_generations SET filled = max(filled, coalesce(
                   (SELECT m.id - 1 FROM main_memories m
                    WHERE m.id > filled AND +m.user_id = ?2 AND +m.agent_id = ?3 AND NOT EXISTS (
                      SELECT 1 FROM memory_vectors v WHERE v.memory_id = m.id AND v.generation = ?1)
                    ORDER BY m.id LIMIT 1),
                   (SELECT max(id) FROM memories), filled))
                 WHERE id = ?1",
            )?
            .execute(params![generation, self.user(), self.agent()])?;
        Ok(())
    }
}
