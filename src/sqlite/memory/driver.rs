//! The rows of a scope, as statements and their helpers reach them.

use std::borrow::Cow;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::row;
use super::table::Table;
use crate::base::error::Result;
use crate::edges::{Edge, EdgeExtractor};
use crate::gate::Tombstones;
use crate::learning::RoleNote;
use crate::memory::{MemoryId, NewMemory};
use crate::search::rank::{Card, Stemmer, Term, Visibility};
use crate::sql::memory::{MemoryDriver, Series};
use crate::sql::{Columns, Dialect, Driver, DriverExt, Param, params, read_number};
use crate::sqlite::commits::edition;
use crate::sqlite::edges;
use crate::store::echo::EchoWord;
use crate::store::forget::{Burial, Struck};
use crate::store::practice::Numbered;
use crate::store::suspects;
use crate::store::words::Words;

impl Driver for Table<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn each(
        &self,
        sql: &str,
        values: Vec<Param>,
        take: &mut dyn FnMut(&dyn Columns) -> Result<()>,
    ) -> Result<()> {
        self.as_run().each(sql, values, take)
    }

    fn put(&self, sql: Cow<'static, str>, values: Vec<Param>) -> Result<()> {
        self.as_run().put(sql, values)
    }
}

impl MemoryDriver for Table<'_> {
    fn next_id(&self, _of: Series) -> Option<i64> {
        None
    }

    fn added(&self, _given: Option<i64>) -> i64 {
        self.connection.last_insert_rowid()
    }

    fn last_number(&self, of: Numbered) -> Result<i64> {
        let table = match of {
            Numbered::Method => "memory_methods",
            Numbered::Case => "memory_cases",
            Numbered::Preference => "memory_preferences",
            Numbered::Note => "memory_roles",
        };
        let sql = "SELECT seq FROM sqlite_sequence WHERE name = $3";
        Ok(read_number(self, sql, params![table])?.unwrap_or_default())
    }

    fn takes_note(&self, note: &RoleNote) -> Result<()> {
        self.folded(|| self.put_edges_of_note(note)).map(drop)
    }

    fn terms(&self, text: &str, speaker: Option<&str>, said_at: Option<DateTime<Utc>>) -> Option<String> {
        Some(row::terms(text, speaker, said_at))
    }

    fn index_row(&self, memory: &NewMemory, card: &Card<'_>) -> Result<()> {
        self.folded(|| self.take_row(card))?;
        if suspects::is_judged(memory) {
            // The next fact is compared with the latest ones.
            let mut stemmer = self.lend_stemmer();
            let words = Words::of(&memory.content, &mut stemmer);
            self.know_words(vec![(MemoryId::new(card.id), words)], stemmer);
        }
        Ok(())
    }

    /// Triggers take out what belongs to them.
    fn remove_rows(&self, ids: &[MemoryId], _are_found: bool) -> Result<()> {
        self.alters_rows();
        ids.iter().try_for_each(|id| self.run("DELETE FROM memories WHERE id = $3", params![id.get()]))
    }

    fn known_words(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &Words)) -> Vec<MemoryId> {
        self.words_in_memory(ids, take)
    }

    fn lend_stemmer(&self) -> Stemmer {
        self.take_stemmer()
    }

    fn know_words(&self, rows: Vec<(MemoryId, Words)>, stemmer: Stemmer) {
        self.keep_in_memory(rows, stemmer);
    }

    fn latest_of_words(&self, visibility: Visibility, words: &[&Term], most: usize) -> Result<Vec<Vec<i64>>> {
        self.folded(|| {
            let indexed = self.ask_terms(|partition, pages| {
                words.iter().map(|word| partition.latest(pages, &word.stem, visibility, most)).collect()
            })?;
            match indexed {
                Some(lists) => Ok(lists),
                None => words.iter().map(|word| self.latest_with_one(visibility, word, most)).collect(),
            }
        })
    }

    fn latest_of_echoes(
        &self,
        visibility: Visibility,
        words: &[EchoWord],
        most: usize,
    ) -> Result<Vec<Vec<MemoryId>>> {
        // Most stores have no facts.
        if !self.has_echoes()? {
            return Ok(Vec::new());
        }
        self.folded(|| self.latest_echoes(visibility, words, most))
    }

    fn has_echoes(&self) -> Result<bool> {
        self.finds("SELECT 1 FROM memory_echoes LIMIT 1", Vec::new())
    }

    fn has_suspects(&self) -> Result<bool> {
        self.finds("SELECT 1 FROM memory_suspects LIMIT 1", Vec::new())
    }

    fn alters_rows(&self) {
        self.held.borrow_mut().edits();
    }

    fn signed(&self, asked: u64) -> Result<Vec<i64>> {
        self.folded(|| self.all_signed(asked))
    }

    fn profile(&self) -> [&'static str; 2] {
        if self.has_profile_of_the_seed() {
            ["user_profile", "$1 = '' AND $2 = ''"]
        } else {
            ["guest_profile", "user_id = $1 AND agent_id = $2"]
        }
    }

    fn new_value(&self) -> &'static str {
        if self.has_profile_of_the_seed() {
            "INSERT INTO user_profile (key, value, updated_at) VALUES ($3, $4, $5) ON CONFLICT (key)"
        } else {
            "INSERT INTO guest_profile (user_id, agent_id, key, value, updated_at) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (user_id, agent_id, key)"
        }
    }

    fn forgotten(&self) -> Result<Option<Arc<Tombstones>>> {
        self.known_tombstones()
    }

    fn changes_forgotten(&self) {
        self.backend.unknow();
    }

    fn changes_note(&self, note: &RoleNote) -> Result<()> {
        self.folded(|| self.put_edges_of_note_anew(note))
    }

    fn strike_trades(&self, burial: &Burial, struck: &mut Struck) -> Result<()> {
        self.strike_mirror(burial, struck)
    }

    fn number_of_changes(&self) -> Result<u64> {
        self.folded(|| edition(self.connection))
    }

    fn extractor(&self) -> Option<&dyn EdgeExtractor> {
        self.backend.extractor.as_deref()
    }

    fn edges(&self) -> &'static str {
        self.backend.edges
    }

    fn add_edges(&self, id: MemoryId, found: &[Edge], at: &str) -> Result<u64> {
        let of_row = (edges::OF_ROWS, id.get());
        self.folded(|| Ok(edges::put(self.connection, self.backend.edges, of_row, found, at)? as u64))
    }

    fn extract_notes(&self) -> Result<u64> {
        self.folded(|| self.put_edges_of_notes())
    }

    fn rows_mentioning(&self, visibility: Visibility, keys: &[String], most: usize) -> Result<Vec<MemoryId>> {
        self.folded(|| self.latest_mentioning(visibility, keys, most))
    }

    /// Triggers do it.
    fn reindexed(&self, _id: MemoryId, _moves: bool, change: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        change()
    }
}
