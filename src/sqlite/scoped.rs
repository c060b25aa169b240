//! A database as one scope sees it.

use std::fmt;
use std::sync::Arc;

use rusqlite::Connection;

use super::database::Database;
use super::documents::Rows;
use super::home::Home;
use crate::base::access::Scope;
use crate::base::error::Result;
use crate::base::name::Name;

/// A database as one scope sees it: what a workspace and its leases share.
pub(super) struct ScopedDatabase {
    pub(super) database: Database,
    pub(super) home: Home,
    pub(super) scope: Scope,
}

impl ScopedDatabase {
    pub(super) fn new(database: Database, scope: Scope) -> Self {
        let home = match database.disk() {
            Some(disk) => Home::File { disk: Arc::clone(disk), path: database.path().to_owned() },
            None => Home::in_memory(),
        };
        Self { database, home, scope }
    }

    /// Runs a query on the rows of the scope.
    pub(super) fn read<T>(
        &self,
        action: &'static str,
        name: impl fmt::Display,
        query: impl FnOnce(&Connection, &Scope) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let place = format_args!("{name} in {}", self.database.file());
        self.database.read_at(action, place, |connection| query(connection, &self.scope))
    }

    /// Runs a mutation in one immediate transaction: all of it, or nothing.
    pub(super) fn write<T>(
        &self,
        action: &'static str,
        name: &Name,
        mutate: impl FnOnce(&Rows<'_>) -> Result<T>,
    ) -> Result<T> {
        let place = format_args!("{name} in {}", self.database.file());
        self.database.attempt(action, place, |connection| mutate(&self.rows(connection)))
    }

    /// Returns the rows of the scope, as a connection or a transaction on it sees them.
    pub(super) fn rows<'a>(&'a self, connection: &'a Connection) -> Rows<'a> {
        Rows { connection, scope: &self.scope, home: &self.home, file: self.database.file() }
    }
}
