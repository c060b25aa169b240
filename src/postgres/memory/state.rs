//! The last numbers of a scope, and the counts of what a search finds, in one row.

use ::postgres::Row;

use crate::disk::host;
use crate::postgres::link::{Param, Statement};
use crate::sql::word;
use crate::store::practice::Numbered;

/// The last numbers of a scope, and the counts of what a search finds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct State {
    /// The number of writes of the scope, of its documents too.
    pub(super) writes: i64,
    pub(super) memory: i64,
    pub(super) audit: i64,
    pub(super) decision: i64,
    pub(super) learning: i64,
    pub(super) method: i64,
    pub(super) case: i64,
    pub(super) outcome: i64,
    pub(super) preference: i64,
    pub(super) note: i64,
    pub(super) generation: i64,
    /// The last state of a vector that was kept, and the last that left a generation which serves.
    pub(super) vector: i64,
    pub(super) gone: i64,
    /// The rows that a search finds, and the shared ones of them.
    pub(super) rows: i64,
    pub(super) shared: i64,
    /// A number of the last change of tombstones, by chance; 0 before the first.
    pub(super) forgets: i64,
    /// Whether any row was ever listed by its echoes, and any pair suspected.
    pub(super) echoes: i64,
    pub(super) suspects: i64,
    /// The version of the terms of the rows.
    pub(super) terms: i64,
    /// A number of the last change of a row that is not deleted, by chance.
    pub(super) change: i64,
}

const READ: &str = "
    SELECT coalesce(l.writes, 0), coalesce(s.numbers, '{}') FROM (SELECT 1) one
    LEFT JOIN lives l ON l.user_id = $1 AND l.agent_id = $2
    LEFT JOIN memory_state s ON s.user_id = $1 AND s.agent_id = $2";

pub(super) const WRITE: &str = "
    INSERT INTO memory_state (user_id, agent_id, numbers) VALUES ($1, $2, $3)
    ON CONFLICT (user_id, agent_id) DO UPDATE SET numbers = excluded.numbers";

impl State {
    /// Returns the statement that reads it.
    pub(super) fn asked(key: Vec<Param>) -> Statement {
        Statement { sql: READ.into(), params: key }
    }

    pub(super) fn read(rows: &[Row]) -> Result<Self, ::postgres::Error> {
        let Some(row) = rows.first() else { return Ok(Self::default()) };
        let (writes, numbers): (i64, Vec<i64>) = (row.try_get(0)?, row.try_get(1)?);
        let mut state = Self { writes, ..Self::default() };
        for (slot, number) in state.slots().into_iter().zip(numbers) {
            *slot = number;
        }
        Ok(state)
    }

    /// Returns the numbers as one value.
    pub(super) fn numbers(mut self) -> Vec<i64> {
        self.slots().into_iter().map(|slot| *slot).collect()
    }

    /// Returns the last number of parts of the learning loop.
    pub(super) fn number(&mut self, of: Numbered) -> &mut i64 {
        match of {
            Numbered::Method => &mut self.method,
            Numbered::Case => &mut self.case,
            Numbered::Preference => &mut self.preference,
            Numbered::Note => &mut self.note,
        }
    }

    /// The places of the numbers in the row; a new one comes last.
    fn slots(&mut self) -> [&mut i64; 19] {
        [
            &mut self.memory,
            &mut self.audit,
            &mut self.decision,
            &mut self.learning,
            &mut self.method,
            &mut self.case,
            &mut self.outcome,
            &mut self.preference,
            &mut self.note,
            &mut self.generation,
            &mut self.vector,
            &mut self.gone,
            &mut self.rows,
            &mut self.shared,
            &mut self.forgets,
            &mut self.echoes,
            &mut self.suspects,
            &mut self.terms,
            &mut self.change,
        ]
    }
}

/// Makes a number for a change, which no change had, whether or not it was committed; it is never 0.
pub(in crate::postgres) fn by_chance() -> i64 {
    word(&host::token()) | 1
}

/// Counts one up; returns the number.
pub(super) fn next(number: &mut i64) -> i64 {
    *number += 1;
    *number
}
