//! A database that is open: one connection, which the threads of a process share.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::{Connection, TransactionBehavior};

use super::fold;
use crate::error::Result;

/// The connection, and the file that errors name.
pub(super) struct Database {
    connection: Mutex<Connection>,
    file: String,
}

impl Database {
    pub(super) fn new(connection: Connection, file: String) -> Self {
        Self { connection: Mutex::new(connection), file }
    }

    /// The file's name in its folder.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn read<T>(
        &self,
        action: &'static str,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.read_at(action, &self.file, query)
    }

    /// As [`read`](Self::read), of a place in the file.
    pub(super) fn read_at<T>(
        &self,
        action: &'static str,
        place: impl fmt::Display,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        query(&self.lock()).map_err(|error| fold(action, &place.to_string(), error))
    }

    /// Writes the log of changes back and empties it, so that it keeps nothing of what was deleted. Where somebody
    /// reads meanwhile, a later one does it.
    pub(super) fn truncate_log(&self) -> Result<()> {
        self.read("checkpoint", |connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        })
    }

    /// Runs a mutation in one immediate transaction: all of it, or nothing.
    pub(super) fn change<T>(
        &self,
        action: &'static str,
        mutate: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.attempt(action, &self.file, |connection| {
            mutate(connection).map_err(|error| fold(action, &self.file, error))
        })
    }

    /// As [`change`](Self::change), of a place in the file, for a mutation that may refuse.
    pub(super) fn attempt<T>(
        &self,
        action: &'static str,
        place: impl fmt::Display,
        mutate: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let mut connection = self.lock();
        let folded = |error| fold(action, &place.to_string(), error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(folded)?;
        let done = mutate(&transaction)?;
        transaction.commit().map_err(folded)?;
        Ok(done)
    }
}

/// Whether SQLite found the file, or an index in it, damaged.
pub(super) fn is_corrupt(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt)
}
