//! The rows of a scope, as statements and their helpers reach them.

use std::borrow::Cow;
use std::sync::Arc;

use super::state::{by_chance, next};
use super::table::Table;
use super::terms::word_of;
use crate::base::error::Result;
use crate::edges::{Edge, EdgeExtractor};
use crate::gate::Tombstones;
use crate::memory::{MemoryId, NewMemory};
use crate::search::rank::{Card, Term, Visibility};
use crate::sql::memory::{MemoryDriver, Series};
use crate::sql::{Columns, Dialect, Driver, Param, params, read_numbers};
use crate::store::echo::EchoWord;
use crate::store::practice::Numbered;

impl Driver for Table<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn each(
        &self,
        sql: &str,
        values: Vec<Param>,
        take: &mut dyn FnMut(&dyn Columns) -> Result<()>,
    ) -> Result<()> {
        let rows = self.run(sql.to_owned(), values)?;
        rows.iter().try_for_each(|row| take(&self.found(row)))
    }

    fn put(&self, sql: Cow<'static, str>, values: Vec<Param>) -> Result<()> {
        Table::put(self, sql, values)
    }
}

impl MemoryDriver for Table<'_> {
    fn next_id(&self, of: Series) -> Option<i64> {
        Some(self.with_state(|state| {
            next(match of {
                Series::Memory => {
                    state.change = if state.change == 0 { by_chance() } else { state.change };
                    &mut state.memory
                }
                Series::Learning => &mut state.learning,
                Series::Audit => &mut state.audit,
                Series::Decision => &mut state.decision,
                Series::Outcome => &mut state.outcome,
            })
        }))
    }

    fn added(&self, given: Option<i64>) -> i64 {
        given.unwrap_or_default()
    }

    fn last_number(&self, of: Numbered) -> Result<i64> {
        Ok(*self.state().number(of))
    }

    fn takes_number(&self, of: Numbered, number: i64) {
        self.with_state(|state| *state.number(of) = number.max(*state.number(of)));
    }

    fn index_row(&self, _memory: &NewMemory, card: &Card<'_>) -> Result<()> {
        self.take_row(card)
    }

    fn remove_rows(&self, ids: &[MemoryId], are_found: bool) -> Result<()> {
        if are_found {
            ids.iter().try_for_each(|id| self.unindex(*id))?;
        }
        self.remove_all_of(ids)
    }

    fn latest_of_words(&self, visibility: Visibility, words: &[&Term], most: usize) -> Result<Vec<Vec<i64>>> {
        let words: Vec<i64> = words.iter().map(|word| word_of(&word.stem)).collect();
        self.latest_having(visibility, &words, most)
    }

    fn latest_of_echoes(
        &self,
        visibility: Visibility,
        words: &[EchoWord],
        most: usize,
    ) -> Result<Vec<Vec<MemoryId>>> {
        self.latest_echoes(visibility, words, most)
    }

    fn has_echoes(&self) -> Result<bool> {
        Ok(self.state().echoes > 0)
    }

    fn gets_echoes(&self) {
        self.with_state(|state| state.echoes = 1);
    }

    fn has_suspects(&self) -> Result<bool> {
        Ok(self.state().suspects > 0)
    }

    fn gets_suspects(&self) {
        self.with_state(|state| state.suspects = 1);
    }

    fn alters_rows(&self) {
        self.with_state(|state| state.change = by_chance());
    }

    fn signed(&self, asked: u64) -> Result<Vec<i64>> {
        let sql = "SELECT id FROM memories WHERE user_id = $1 AND agent_id = $2 AND signature & $3 = $3 ORDER BY id";
        read_numbers(self, sql, params![asked.cast_signed()])
    }

    fn profile(&self) -> [&'static str; 2] {
        ["user_profile", "user_id = $1 AND agent_id = $2"]
    }

    fn new_value(&self) -> &'static str {
        "INSERT INTO user_profile (user_id, agent_id, key_word, key, value, updated_at)
         VALUES ($1, $2, $6, $3, $4, $5) ON CONFLICT (user_id, agent_id, key_word)"
    }

    fn forgotten(&self) -> Result<Option<Arc<Tombstones>>> {
        self.known_tombstones()
    }

    /// The number is one that no change had, whether or not it was committed.
    fn changes_forgotten(&self) {
        self.with_state(|state| state.forgets = by_chance());
    }

    fn number_of_changes(&self) -> Result<u64> {
        Ok(self.state().writes.unsigned_abs())
    }

    fn extractor(&self) -> Option<&dyn EdgeExtractor> {
        self.backend.extractor.as_deref()
    }

    fn edges(&self) -> &'static str {
        "memory_edges"
    }

    fn add_edges(&self, id: MemoryId, edges: &[Edge], at: &str) -> Result<u64> {
        self.put_edges(id, edges, at)
    }

    fn rows_mentioning(&self, visibility: Visibility, keys: &[String], most: usize) -> Result<Vec<MemoryId>> {
        self.latest_mentioning(visibility, keys, most)
    }

    fn reindexed(&self, id: MemoryId, moves: bool, change: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let before = self.indexed(id)?;
        change()?;
        if moves {
            self.drop_vectors(&[id.get()])?;
        }
        self.reindex(before.as_ref(), id)
    }
}
