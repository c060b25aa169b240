//! Changes of vectors, each in one step with what it rests on.

use rusqlite::params;

use super::read::{EMBEDDED, FAILED, SKIPPED, number_of, prepared};
use super::{VectorTables, count};
use crate::base::error::Result;
use crate::embed::Generation;
use crate::store::vectors::{Entry, VectorChanges};

impl<T: VectorTables> VectorChanges for T {
    fn keep(&mut self, generation: &Generation, dimensions: usize, entries: &[(i64, Entry)]) -> Result<()> {
        self.run(|| {
            let number = make_generation(self, generation, dimensions)?;
            let mut remove = prepared(self, "DELETE FROM VECTORS WHERE text_id = ?1 AND generation = ?2")?;
            let mut insert = prepared(
                self,
                "INSERT INTO VECTORS (text_id, generation, state, attempts, vector) VALUES (?1, ?2, ?3, ?4, ?5)",
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
            note_filled(self, number)
        })
    }

    fn serve(&mut self, generation: &Generation, dimensions: usize) -> Result<()> {
        self.run(|| {
            let number = make_generation(self, generation, dimensions)?;
            let sql = "UPDATE GENERATIONS SET serves = (id = ?3) WHERE user_id = ?1 AND agent_id = ?2";
            let [user, agent] = self.owner();
            prepared(self, sql)?.execute(params![user, agent, number]).map(drop)
        })
    }

    fn drop_others(&mut self, generation: &Generation, most: usize) -> Result<u64> {
        self.run(|| {
            let others = "SELECT id FROM GENERATIONS
                WHERE user_id = ?1 AND agent_id = ?2 AND name <> ?3 AND serves = 0
                  AND id < (SELECT max(id) FROM GENERATIONS WHERE user_id = ?1 AND agent_id = ?2)";
            let [user, agent] = self.owner();
            let sql = format!(
                "DELETE FROM VECTORS WHERE number IN (
                   SELECT number FROM VECTORS WHERE generation IN ({others}) LIMIT ?4)"
            );
            let removed =
                prepared(self, &sql)?.execute(params![user, agent, generation.as_str(), count(most)])?;
            if removed < most {
                let sql = format!("DELETE FROM GENERATIONS WHERE id IN ({others})");
                prepared(self, &sql)?.execute([user, agent, generation.as_str()])?;
            }
            Ok(removed as u64)
        })
    }
}

/// Returns the number of a generation, which is made where there is none.
fn make_generation<T: VectorTables>(
    tables: &T,
    generation: &Generation,
    dimensions: usize,
) -> rusqlite::Result<i64> {
    if let Some(number) = number_of(tables, generation)? {
        return Ok(number);
    }
    let sql = "INSERT INTO GENERATIONS (user_id, agent_id, name, dimensions, filled)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let [user, agent] = tables.owner();
    let bound = params![user, agent, generation.as_str(), count(dimensions), i64::MIN];
    prepared(tables, sql)?.execute(bound)?;
    Ok(tables.connection().last_insert_rowid())
}

/// Keeps up to which text no text waits, so that the next pass begins behind it.
fn note_filled<T: VectorTables>(tables: &T, generation: i64) -> rusqlite::Result<()> {
    let sql = "UPDATE GENERATIONS SET filled = max(filled, coalesce(
          (SELECT m.id - 1 FROM ALL m
           WHERE m.id > filled AND +m.user_id = ?2 AND +m.agent_id = ?3 AND NOT EXISTS (
             SELECT 1 FROM VECTORS v WHERE v.text_id = m.id AND v.generation = ?1)
           ORDER BY m.id LIMIT 1),
          (SELECT max(id) FROM ALL), filled))
        WHERE id = ?1";
    let [user, agent] = tables.owner();
    prepared(tables, sql)?.execute(params![generation, user, agent]).map(drop)
}
