//! The tables of one scope on a server, and their rows inside one transaction.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use ::postgres::Row;

use super::state::State;
use crate::base::error::{Error, Result};
use crate::edges::EdgeExtractor;
use crate::gate::Tombstones;
use crate::postgres::columns;
use crate::postgres::driver::Found;
use crate::postgres::fault::Fault;
use crate::postgres::kept::{KeptCard, Moment};
use crate::postgres::link::Param;
use crate::postgres::scoped::ScopedServer;
use crate::postgres::transaction::Transaction;

/// The tables of one scope on a server.
pub(super) struct PostgresBackend {
    pub(super) server: ScopedServer,
    pub(super) location: String,
    pub(super) extractor: Option<Arc<dyn EdgeExtractor>>,
    /// The tombstones, by the number of their last change.
    pub(super) known: Mutex<Option<(i64, Option<Arc<Tombstones>>)>>,
}

/// A word of a row that a search finds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Posting {
    pub(super) word: i64,
    pub(super) id: i64,
    pub(super) shared: bool,
}

/// The parts of a change that are not written yet.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) state: State,
    /// Words of rows that wait to be written together.
    pub(super) postings: Vec<Posting>,
    /// The stems of those words.
    pub(super) stems: BTreeMap<i64, String>,
    /// The rows in sight that a search has read.
    pub(super) cards: HashMap<i64, Arc<KeptCard>>,
    /// The moment that is seen, of a transaction that changes nothing.
    pub(super) moment: Option<Moment>,
}

/// The rows of a scope inside one transaction.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) backend: &'a PostgresBackend,
    pub(super) transaction: &'a Transaction,
    /// The action, for errors.
    pub(super) action: &'static str,
    pub(super) held: &'a RefCell<Held>,
}

impl Table<'_> {
    pub(super) fn state(&self) -> State {
        self.held.borrow().state
    }

    /// Changes the numbers of the scope, which are written when the change ends.
    pub(super) fn with_state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.held.borrow_mut().state)
    }

    /// Runs a statement on rows of the scope, whose key its first two values are.
    pub(super) fn run(&self, sql: impl Into<Cow<'static, str>>, more: Vec<Param>) -> Result<Vec<Row>> {
        self.transaction.run(sql, self.values(more)).map_err(|fault| self.fold(fault))
    }

    /// Runs a statement that adds rows to the scope and answers nothing. It goes with the next one, and its error comes with that one.
    pub(super) fn put(&self, sql: impl Into<Cow<'static, str>>, more: Vec<Param>) -> Result<()> {
        self.transaction.put(sql, self.values(more)).map_err(|fault| self.fold(fault))
    }

    /// Returns the values of a statement: the key of the scope, and its own.
    fn values(&self, more: Vec<Param>) -> Vec<Param> {
        let own = more.into_iter().map(columns::bound);
        self.backend.server.key().into_iter().chain(own).collect()
    }

    /// Returns the columns of a row.
    pub(super) fn found<'r>(&'r self, row: &'r Row) -> Found<'r> {
        Found { row, action: self.action, place: &self.backend.location }
    }

    fn fold(&self, fault: Fault) -> Error {
        fault.fold(self.action, &self.backend.location)
    }
}
