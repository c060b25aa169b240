//! The tables of one scope in a database, and their rows in one view of it.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use super::terms::Held;
use crate::base::error::{Error, Result};
use crate::edges::EdgeExtractor;
use crate::gate::Tombstones;
use crate::sqlite::database::Database;
use crate::sqlite::driver::{Found, Run};
use crate::sqlite::error::fold;

/// The tables of one scope in a database.
pub(super) struct SqliteBackend {
    pub(super) database: Database,
    pub(super) location: String,
    /// The scope as its rows name it: both are empty for the owner of the file.
    pub(super) user: String,
    pub(super) agent: String,
    /// Whether the table `user_profile` is the seed's.
    pub(super) profile_of_the_seed: bool,
    pub(super) known: Mutex<Known>,
    /// The finder of edges, and the name of their table.
    pub(super) extractor: Option<Arc<dyn EdgeExtractor>>,
    pub(super) edges: &'static str,
    /// Whether notes of roles have edges there too: no other program's `role_memory` has them.
    pub(super) notes_have_edges: bool,
    /// Whether the running change adds or removes tombstones.
    pub(super) forgets: AtomicBool,
    /// The word index, while no read or change has it.
    pub(super) terms: Mutex<Held>,
}

/// The tombstones at a version of the file's data, and the number of times that this connection forgot. The
/// version grows with each commit of another connection.
pub(super) type Known = Option<((i64, u64), Option<Arc<Tombstones>>)>;

impl SqliteBackend {
    pub(super) fn database(&self) -> &Database {
        &self.database
    }

    /// Says that this change changes what is forgotten. Before another thread has the connection: it would still know
    /// what was forgotten before.
    pub(super) fn unknow(&self) {
        self.forgets.store(true, Ordering::Release);
        self.database.has_forgotten();
    }
}

/// The rows of a scope in one view of the database, or inside one change.
#[derive(Clone, Copy)]
pub(super) struct Table<'a> {
    pub(super) backend: &'a SqliteBackend,
    pub(super) connection: &'a Connection,
    /// The action, for errors.
    pub(super) action: &'static str,
    /// The word index, which a change that fails takes down with it.
    pub(super) held: &'a RefCell<Held>,
    /// Whether it is inside a change.
    pub(super) writes: bool,
}

impl Table<'_> {
    pub(super) fn user(&self) -> &str {
        &self.backend.user
    }

    pub(super) fn agent(&self) -> &str {
        &self.backend.agent
    }

    /// Returns whether the profile is in the seed's table: that of the owner, unless another program has the name.
    pub(super) fn has_profile_of_the_seed(&self) -> bool {
        self.user().is_empty() && self.backend.profile_of_the_seed
    }

    /// Returns its connection as statements run on it.
    pub(super) fn as_run(&self) -> Run<'_> {
        Run {
            connection: self.connection,
            user: self.user(),
            agent: self.agent(),
            action: self.action,
            file: self.backend.database.file(),
        }
    }

    /// Returns the columns of a row.
    pub(super) fn found<'r>(&'r self, row: &'r rusqlite::Row<'r>) -> Found<'r> {
        Found { row, run: self.as_run() }
    }

    /// Runs statements, whose errors say what was done.
    pub(super) fn folded<T>(&self, run: impl FnOnce() -> rusqlite::Result<T>) -> Result<T> {
        match run() {
            Ok(answer) => Ok(answer),
            Err(error) => Err(self.fold(error)),
        }
    }

    fn fold(&self, error: rusqlite::Error) -> Error {
        fold(self.action, self.backend.database.file(), error)
    }
}
