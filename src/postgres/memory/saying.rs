//! The rows that say a statement. Each row has a signature of its words, so that those that cannot say it are passed unread.

use super::fact::{FACT, read};
use super::row::{self, COLUMNS};
use super::table::Table;
use crate::base::error::Result;
use crate::facts::Fact;
use crate::postgres::link::params;
use crate::store::forget::Burial;

/// So many rows are read together.
const READ: usize = 500;

/// The place of the metadata among the columns.
const NOTES: usize = 4;

impl Table<'_> {
    /// Returns the rows that say a statement, deleted and retired ones too.
    pub(super) fn rows_saying(&self, burial: &Burial) -> Result<Vec<Fact>> {
        // A name is in the rows, and not in their signatures.
        let asked = if burial.is_named() { 0 } else { burial.signature };
        let sql = "SELECT id FROM memories WHERE user_id = $1 AND agent_id = $2 AND signature & $3 = $3 ORDER BY id";
        let ids: Vec<i64> = self.all(sql, params![asked.cast_signed()], |found| found.try_get(0))?;
        let sql = format!(
            "SELECT {COLUMNS}, {FACT} FROM memories m
             WHERE m.user_id = $1 AND m.agent_id = $2 AND m.id = ANY ($3) ORDER BY m.id"
        );
        let mut saying = Vec::new();
        for ids in ids.chunks(READ) {
            let read = self.all(sql.clone(), params![ids.to_vec()], |found| {
                let fact = read(found)?;
                let is_in_notes = row::borrowed(found, NOTES)?.is_some_and(|notes| burial.holds(&notes));
                let says_it = is_in_notes || burial.is_in(&fact.memory, fact.key.as_ref());
                Ok(says_it.then_some(fact))
            })?;
            saying.extend(read.into_iter().flatten());
        }
        Ok(saying)
    }
}
