//! Vectors of rows, in tables beside them. A row that waits has nothing here.

use super::state::next;
use super::table::Table;
use crate::base::error::Result;
use crate::postgres::link::params;
use crate::sql::memory::{texts, texts_by_ids};
use crate::sql::vectors::{Names, VectorDriver};
use crate::sql::{Driver, DriverExt};
use crate::store::vectors::{Sight, Since};

/// Maximum number of texts that left and are remembered.
const MAX_TEXTS_LEFT: i64 = 4096;

impl VectorDriver for Table<'_> {
    fn names(&self) -> Names {
        Names {
            generations: "memory_generations",
            id: "id",
            vectors: "memory_vectors",
            text: "text_id",
            gone: "memory_vectors_gone",
        }
    }

    fn texts(&self, sight: Option<Sight>) -> String {
        texts(self.dialect(), sight)
    }

    fn texts_by_ids(&self) -> String {
        texts_by_ids(self.dialect())
    }

    fn may_have_vectors(&self) -> bool {
        self.state().generation > 0
    }

    fn next_generation(&self) -> Result<Option<i64>> {
        Ok(Some(self.with_state(|state| next(&mut state.generation))))
    }

    fn next_states(&self, count: usize) -> Result<Option<i64>> {
        let first = self.state().vector + 1;
        self.with_state(|state| state.vector += i64::try_from(count).unwrap_or(i64::MAX));
        Ok(Some(first))
    }

    /// With 0 they are those of all generations.
    fn forget_states(&self, ids: &[i64], generation: i64) -> Result<()> {
        let sql = "WITH gone AS (DELETE FROM memory_vectors WHERE user_id = $1 AND agent_id = $2
               AND text_id = ANY ($3) AND ($4 = 0 OR generation = $4) RETURNING generation, text_id)
             SELECT o.generation, o.text_id FROM gone o JOIN memory_generations g
               ON g.user_id = $1 AND g.agent_id = $2 AND g.id = o.generation AND g.serves ORDER BY 2, 1";
        let gone = self
            .all(sql, params![ids.to_vec(), generation], |found| Ok((found.number(0)?, found.number(1)?)))?;
        self.tell_gone(&gone)
    }

    fn now(&self) -> Result<Since> {
        let state = self.state();
        Ok(Since { kept: state.vector, removed: state.gone })
    }
}

impl Table<'_> {
    /// Removes the vectors of changed or removed rows, and lets the next pass look at all rows from the first one on.
    pub(super) fn drop_vectors(&self, ids: &[i64]) -> Result<()> {
        let Some(first) = ids.iter().min().filter(|_| self.may_have_vectors()) else { return Ok(()) };
        self.forget_states(ids, 0)?;
        let sql = "UPDATE memory_generations SET filled = least(filled, $3)
             WHERE user_id = $1 AND agent_id = $2 AND filled > $3";
        self.run(sql, params![first.saturating_sub(1)]).map(drop)
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
        self.run(sql, params![last - MAX_TEXTS_LEFT]).map(drop)
    }
}
