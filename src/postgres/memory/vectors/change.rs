//! Changes of vectors, each in one step with what it rests on.

use super::super::state::next;
use super::super::table::Table;
use super::read::{EMBEDDED, FAILED, SKIPPED};
use crate::base::error::Result;
use crate::embed::Generation;
use crate::memory::MemoryId;
use crate::postgres::link::params;
use crate::search::rank::Visibility;
use crate::sql::Dialect;
use crate::sql::DriverExt;
use crate::store::vectors::{Entry, VectorChanges};

/// So many texts that left are remembered.
const REMEMBERED: i64 = 4096;

impl VectorChanges for Table<'_> {
    fn keep(&mut self, generation: &Generation, dimensions: usize, entries: &[(i64, Entry)]) -> Result<()> {
        let generation = self.make_generation(generation, dimensions)?;
        let ids: Vec<i64> = entries.iter().map(|(id, _)| *id).collect();
        let sql = "DELETE FROM memory_vectors
             WHERE user_id = $1 AND agent_id = $2 AND text_id = ANY ($3) AND generation = $4 RETURNING text_id";
        let before = self.all(sql, params![ids.clone(), generation], |found| found.number(0))?;
        if self.serves(generation)? {
            self.tell_gone(&before.into_iter().map(|id| (generation, id)).collect::<Vec<_>>())?;
        }
        let (mut numbers, mut states, mut attempts) = (Vec::new(), Vec::new(), Vec::new());
        let mut vectors: Vec<Option<Vec<u8>>> = Vec::new();
        for (_, entry) in entries {
            let (state, times, vector) = match entry {
                Entry::Vector(bytes) => (EMBEDDED, 0, Some(bytes.clone())),
                Entry::Failed(times) => (FAILED, i64::from(*times), None),
                Entry::Skipped => (SKIPPED, 0, None),
            };
            // A new number, by which others see the change.
            numbers.push(self.with_state(|state| next(&mut state.vector)));
            states.push(state);
            attempts.push(times);
            vectors.push(vector);
        }
        let sql = "INSERT INTO memory_vectors (user_id, agent_id, generation, text_id, number, state, attempts, vector)
             SELECT $1, $2, $3, e.* FROM unnest($4, $5, $6, $7, $8) e";
        self.run(sql, params![generation, ids, numbers, states, attempts, vectors])?;
        self.note_filled(generation)
    }

    fn serve(&mut self, generation: &Generation, dimensions: usize) -> Result<()> {
        let generation = self.make_generation(generation, dimensions)?;
        let sql = "UPDATE memory_generations SET serves = (id = $3) WHERE user_id = $1 AND agent_id = $2";
        self.run(sql, params![generation]).map(drop)
    }

    fn drop_others(&mut self, generation: &Generation, most: usize) -> Result<u64> {
        const OTHERS: &str = "SELECT id FROM memory_generations
             WHERE user_id = $1 AND agent_id = $2 AND name <> $3 AND NOT serves
               AND id < (SELECT max(n.id) FROM memory_generations n WHERE n.user_id = $1 AND n.agent_id = $2)";
        let sql = format!(
            "WITH gone AS (DELETE FROM memory_vectors WHERE user_id = $1 AND agent_id = $2
               AND (text_id, generation) IN (SELECT text_id, generation FROM memory_vectors
                 WHERE user_id = $1 AND agent_id = $2 AND generation IN ({OTHERS}) LIMIT $4)
               RETURNING 1)
             SELECT count(*) FROM gone"
        );
        let removed = self.first(&sql, params![generation.as_str(), most], |found| found.number(0))?;
        let removed = removed.unwrap_or(0);
        if usize::try_from(removed).unwrap_or(0) < most {
            let sql = format!(
                "DELETE FROM memory_generations WHERE user_id = $1 AND agent_id = $2 AND id IN ({OTHERS})"
            );
            self.run(sql, params![generation.as_str()])?;
        }
        Ok(removed.unsigned_abs())
    }
}

impl Table<'_> {
    /// Returns the number of a generation, which is made where there is none.
    fn make_generation(&self, generation: &Generation, dimensions: usize) -> Result<i64> {
        if let Some(number) = self.number_of(generation)? {
            return Ok(number);
        }
        let number = self.with_state(|state| next(&mut state.generation));
        let sql = "INSERT INTO memory_generations (user_id, agent_id, id, name, dimensions, filled)
             VALUES ($1, $2, $3, $4, $5, $6)";
        self.run(sql, params![number, generation.as_str(), dimensions, i64::MIN])?;
        Ok(number)
    }

    fn serves(&self, generation: i64) -> Result<bool> {
        let sql =
            "SELECT 1 FROM memory_generations WHERE user_id = $1 AND agent_id = $2 AND id = $3 AND serves";
        self.finds(sql, params![generation])
    }

    /// Keeps up to which text no text waits, so that the next pass begins behind it.
    fn note_filled(&self, generation: i64) -> Result<()> {
        let sql = format!(
            "UPDATE memory_generations g SET filled = greatest(filled, coalesce(
               (SELECT m.id - 1 FROM memories m
                WHERE m.user_id = $1 AND m.agent_id = $2 AND m.id > g.filled AND {sight} AND NOT EXISTS (
                  SELECT 1 FROM memory_vectors v WHERE v.user_id = $1 AND v.agent_id = $2 AND v.text_id = m.id
                  AND v.generation = $3)
                ORDER BY m.id LIMIT 1),
               (SELECT max(m.id) FROM memories m WHERE m.user_id = $1 AND m.agent_id = $2 AND {sight}), filled))
             WHERE user_id = $1 AND agent_id = $2 AND id = $3",
            sight = Dialect::Postgres.in_sight(Visibility::All)
        );
        self.run(sql, params![generation]).map(drop)
    }

    /// Removes the vectors of rows that are changed or removed.
    pub(in super::super) fn drop_vectors(&self, ids: &[i64]) -> Result<()> {
        if self.state().generation == 0 {
            return Ok(());
        }
        let sql = "WITH gone AS (DELETE FROM memory_vectors
               WHERE user_id = $1 AND agent_id = $2 AND text_id = ANY ($3) RETURNING generation, text_id)
             SELECT o.generation, o.text_id FROM gone o JOIN memory_generations g
               ON g.user_id = $1 AND g.agent_id = $2 AND g.id = o.generation AND g.serves ORDER BY 2, 1";
        let gone = self.all(sql, params![ids.to_vec()], |found| Ok((found.number(0)?, found.number(1)?)))?;
        self.tell_gone(&gone)?;
        let first = ids.iter().copied().min().unwrap_or(i64::MAX);
        self.wait_for_vectors(MemoryId::new(first))
    }

    /// Lets the next pass look at rows from this one on.
    fn wait_for_vectors(&self, first: MemoryId) -> Result<()> {
        if self.state().generation == 0 {
            return Ok(());
        }
        let sql = "UPDATE memory_generations SET filled = least(filled, $3)
             WHERE user_id = $1 AND agent_id = $2 AND filled > $3";
        self.run(sql, params![first.get().saturating_sub(1)]).map(drop)
    }

    /// Remembers texts whose state left a generation that serves.
    fn tell_gone(&self, gone: &[(i64, i64)]) -> Result<()> {
        if gone.is_empty() {
            return Ok(());
        }
        let numbers: Vec<i64> = gone.iter().map(|_| self.with_state(|state| next(&mut state.gone))).collect();
        let (generations, ids): (Vec<i64>, Vec<i64>) = gone.iter().copied().unzip();
        let last = self.state().gone;
        let sql = "INSERT INTO memory_vectors_gone (user_id, agent_id, number, generation, text_id)
             SELECT $1, $2, g.number, g.generation, g.text_id FROM unnest($3, $4, $5) g (number, generation, text_id)";
        self.run(sql, params![numbers, generations, ids])?;
        let sql = "DELETE FROM memory_vectors_gone WHERE user_id = $1 AND agent_id = $2 AND number <= $3";
        self.run(sql, params![last - REMEMBERED]).map(drop)
    }
}
