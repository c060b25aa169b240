//! The rows of one scope inside a transaction, as parts of a home read and change them.

use std::borrow::Cow;

use ::postgres::Row;
use ::postgres::types::FromSqlOwned;

use super::columns::bound;
use super::driver::Found;
use super::fault::Fault;
use super::link::Param;
use super::scoped::{READ, ScopedServer};
use super::transaction::{Transaction, key};
use crate::base::access::Scope;
use crate::base::error::{Error, Result};
use crate::sql::{Columns, Dialect, Driver};

/// A transaction of one scope, whose errors say what was attempted.
#[derive(Clone, Copy)]
pub(super) struct Within<'a> {
    pub(super) transaction: &'a Transaction,
    pub(super) scope: &'a Scope,
    /// The server, for messages.
    pub(super) location: &'a str,
    pub(super) action: &'static str,
}

impl Within<'_> {
    /// Runs a statement on rows of the scope, whose user and agent its first two values are.
    pub(super) fn run(
        &self,
        sql: impl Into<Cow<'static, str>>,
        more: impl IntoIterator<Item = Param>,
    ) -> Result<Vec<Row>> {
        let mut params = key(self.scope);
        params.extend(more);
        self.transaction.run(sql, params).map_err(|fault| self.fold(fault))
    }

    /// Runs a statement, and reads the first column of its first row.
    pub(super) fn one<T: FromSqlOwned>(
        &self,
        sql: impl Into<Cow<'static, str>>,
        more: impl IntoIterator<Item = Param>,
    ) -> Result<Option<T>> {
        self.run(sql, more)?.first().map(|row| self.column(row, 0)).transpose()
    }

    /// Reads a column.
    pub(super) fn column<T: FromSqlOwned>(&self, row: &Row, column: usize) -> Result<T> {
        row.try_get(column).map_err(|error| self.fold(Fault::Said(error)))
    }

    fn fold(&self, fault: Fault) -> Error {
        fault.fold(self.action, self.location)
    }
}

impl Driver for Within<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn each(
        &self,
        sql: &str,
        values: Vec<Param>,
        take: &mut dyn FnMut(&dyn Columns) -> Result<()>,
    ) -> Result<()> {
        let rows = self.run(sql.to_owned(), values.into_iter().map(bound))?;
        rows.iter().try_for_each(|row| take(&Found { row, action: self.action, place: self.location }))
    }

    fn put(&self, sql: Cow<'static, str>, values: Vec<Param>) -> Result<()> {
        let values = key(self.scope).into_iter().chain(values.into_iter().map(bound)).collect();
        self.transaction.put(sql, values).map_err(|fault| self.fold(fault))
    }
}

impl ScopedServer {
    /// Runs queries that see one moment, each with an error of its own.
    pub(super) fn look_within<T>(
        &self,
        action: &'static str,
        query: impl FnOnce(&Within<'_>) -> Result<T>,
    ) -> Result<T> {
        let location = self.location();
        let begun = Transaction::begin(&self.shared.pool, READ, std::slice::from_ref(&self.opening));
        let (transaction, _) = begun.map_err(|fault| fault.fold(action, &location))?;
        query(&Within { transaction: &transaction, scope: &self.scope, location: &location, action })
    }

    /// Runs a mutation in one transaction, alone in its scope: all of it, or nothing.
    pub(super) fn change_within<T>(
        &self,
        action: &'static str,
        mutate: impl FnOnce(&Within<'_>) -> Result<T>,
    ) -> Result<T> {
        let location = self.location();
        self.attempt(action, &location, |transaction| {
            mutate(&Within { transaction, scope: &self.scope, location: &location, action })
        })
    }
}
