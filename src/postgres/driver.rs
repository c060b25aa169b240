//! The columns of a row, as the server gives them.

use std::borrow::Cow;

use ::postgres::Row;
use ::postgres::types::{FromSql, Type};

use super::columns::told;
use super::fault::Fault;
use crate::base::error::{Error, Result};
use crate::sql::Columns;

/// A row that was found, whose errors say what was attempted.
pub(super) struct Found<'a> {
    pub(super) row: &'a Row,
    pub(super) action: &'static str,
    /// The place, for messages.
    pub(super) place: &'a str,
}

impl Found<'_> {
    fn get<'r, T: FromSql<'r>>(&'r self, column: usize) -> Result<T> {
        self.row.try_get(column).map_err(|error| self.fold(error))
    }

    fn fold(&self, error: ::postgres::Error) -> Error {
        Fault::Said(error).fold(self.action, self.place)
    }
}

impl Columns for Found<'_> {
    /// Bytes are read as a text, whatever another program put there.
    fn borrowed(&self, column: usize) -> Result<Option<Cow<'_, str>>> {
        let is_bytes = self.row.columns().get(column).is_some_and(|of| *of.type_() == Type::BYTEA);
        if is_bytes {
            return Ok(self.get::<Option<&[u8]>>(column)?.map(String::from_utf8_lossy));
        }
        Ok(self.get::<Option<&str>>(column)?.map(told))
    }

    fn maybe_number(&self, column: usize) -> Result<Option<i64>> {
        self.get(column)
    }

    fn number(&self, column: usize) -> Result<i64> {
        self.get(column)
    }

    fn bytes(&self, column: usize) -> Result<Option<&[u8]>> {
        self.get(column)
    }

    fn real(&self, column: usize) -> Result<f64> {
        self.get(column)
    }

    fn flag(&self, column: usize) -> Result<bool> {
        self.get(column)
    }
}
