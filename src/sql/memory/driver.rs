//! The parts of a memory store that each database keeps in its own way, beside statements.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use crate::base::error::Result;
use crate::edges::{Edge, EdgeExtractor};
use crate::gate::Tombstones;
use crate::learning::RoleNote;
use crate::memory::{MemoryId, NewMemory};
use crate::search::rank::{Card, Stemmer, Term, Visibility};
use crate::sql::Driver;
use crate::store::echo::EchoWord;
use crate::store::forget::{Burial, Struck};
use crate::store::practice::Numbered;
use crate::store::words::Words;

/// A database inside one transaction, with the rows of a memory store: its ids, and the words that rows are found by.
pub(crate) trait MemoryDriver: Driver {
    /// Returns the id of the next part of a series, which is taken with it; `None` where the table itself counts up.
    fn next_id(&self, of: Series) -> Option<i64>;

    /// Returns the id of a row that was added just now. The one that it was given, or the one that the table counted up
    /// to.
    fn added(&self, given: Option<i64>) -> i64;

    /// Returns the last number that a part of the learning loop has.
    fn last_number(&self, of: Numbered) -> Result<i64>;

    /// Says that a part of the learning loop has a number.
    fn takes_number(&self, _of: Numbered, _number: i64) {}

    /// Adds what belongs to a new note of a role.
    fn takes_note(&self, _note: &RoleNote) -> Result<()> {
        Ok(())
    }

    /// Returns the words that a row is found by beside its text, where a column holds them.
    fn terms(&self, _text: &str, _speaker: Option<&str>, _said_at: Option<DateTime<Utc>>) -> Option<String> {
        None
    }

    /// Takes a new row into its indexes.
    fn index_row(&self, memory: &NewMemory, card: &Card<'_>) -> Result<()>;

    /// Removes rows, with all that belongs to them. A search may find those that `are_found`.
    fn remove_rows(&self, ids: &[MemoryId], are_found: bool) -> Result<()>;

    /// Gives the words of what rows say, where it knows them; returns the other rows.
    fn known_words(&self, ids: &[MemoryId], _take: &mut dyn FnMut(MemoryId, &Words)) -> Vec<MemoryId> {
        ids.to_vec()
    }

    /// Lends the stemmer that has stems in memory.
    fn lend_stemmer(&self) -> Stemmer {
        Stemmer::default()
    }

    /// Takes the stemmer back, and keeps the words of rows where a change of them would be seen.
    fn know_words(&self, _rows: Vec<(MemoryId, Words)>, _stemmer: Stemmer) {}

    /// As [`latest_with`](crate::store::backend::Facts::latest_with).
    fn latest_of_words(&self, visibility: Visibility, words: &[&Term], most: usize) -> Result<Vec<Vec<i64>>>;

    /// As [`echoes`](crate::store::backend::Facts::echoes).
    fn latest_of_echoes(
        &self,
        visibility: Visibility,
        words: &[EchoWord],
        most: usize,
    ) -> Result<Vec<Vec<MemoryId>>>;

    /// Returns whether any row was ever listed by its echoes.
    fn has_echoes(&self) -> Result<bool>;

    /// Says that a row is listed by its echoes.
    fn gets_echoes(&self) {}

    /// Returns whether any pair was ever suspected.
    fn has_suspects(&self) -> Result<bool>;

    /// Says that a pair is suspected.
    fn gets_suspects(&self) {}

    /// Says that this change alters existing rows: earlier copies of them must no longer be used.
    fn alters_rows(&self);

    /// Returns the rows whose signatures have all bits of one, deleted and retired ones too, by id.
    fn signed(&self, asked: u64) -> Result<Vec<i64>>;

    /// Returns the table of the profile, and the condition of its rows of this scope.
    fn profile(&self) -> [&'static str; 2];

    /// Returns the insertion of `$3` as a key of the profile, with the value `$4` and the time `$5`. The clause for an existing
    /// key is not part of it. `$6` is the number of the key.
    fn new_value(&self) -> &'static str;

    /// Returns the tombstones of this scope as they are; `None` if it has forgotten nothing.
    fn forgotten(&self) -> Result<Option<Arc<Tombstones>>>;

    /// Says that this change adds or removes tombstones.
    fn changes_forgotten(&self);

    /// Brings what belongs to a note of a role to its other words.
    fn changes_note(&self, _note: &RoleNote) -> Result<()> {
        Ok(())
    }

    /// Takes a statement out of the mirror of trades, where there is one.
    fn strike_trades(&self, _burial: &Burial, _struck: &mut Struck) -> Result<()> {
        Ok(())
    }

    /// Returns a number that is another one after any change.
    fn number_of_changes(&self) -> Result<u64>;

    /// Returns the finder of edges.
    fn extractor(&self) -> Option<&dyn EdgeExtractor>;

    /// Returns the table of edges.
    fn edges(&self) -> &'static str;

    /// Adds edges of a row; returns how many are new.
    fn add_edges(&self, id: MemoryId, edges: &[Edge], at: &str) -> Result<u64>;

    /// Extracts the edges of notes of roles, where they have any; returns how many are new.
    fn extract_notes(&self) -> Result<u64> {
        Ok(0)
    }

    /// Lists the latest rows in sight that lead to a key.
    fn rows_mentioning(&self, visibility: Visibility, keys: &[String], most: usize) -> Result<Vec<MemoryId>>;

    /// Runs a change of a row, and takes the row into its indexes as it is then. With `moves` a search found it before
    /// or finds it from now on.
    fn reindexed(&self, id: MemoryId, moves: bool, change: &mut dyn FnMut() -> Result<()>) -> Result<()>;
}

/// The parts of a store that have ids of their own, beside rows and the learning loop.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Series {
    Memory,
    Learning,
    Audit,
    Decision,
    Outcome,
}
