//! Statements with their values, as a connection runs them.

use std::borrow::Cow;

use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Row, Statement};

use super::error::fold;
use crate::base::error::{Error, Result};
use crate::sql::{Columns, Dialect, Driver, DriverExt, Param};

/// A connection as one scope uses it, whose errors say what was attempted.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) connection: &'a Connection,
    pub(super) user: &'a str,
    pub(super) agent: &'a str,
    pub(super) action: &'static str,
    /// The file, for messages.
    pub(super) file: &'a str,
}

impl<'a> Run<'a> {
    /// A connection that belongs to no scope, while its tables are made.
    pub(super) fn of(connection: &'a Connection) -> Self {
        Self { connection, user: "", agent: "", action: "open", file: connection.path().unwrap_or_default() }
    }

    /// Binds what a statement names: `$3` is the first of the values, behind user and agent.
    fn bind(&self, statement: &mut Statement<'_>, values: &[Param]) -> rusqlite::Result<()> {
        for place in 1..=statement.parameter_count() {
            let named = statement.parameter_name(place).and_then(|name| name.strip_prefix('$')?.parse().ok());
            let value = match named {
                Some(1) => self.user.into(),
                Some(2) => self.agent.into(),
                named => named.and_then(|number: usize| values.get(number.checked_sub(3)?)).map_or_else(
                    || Err(rusqlite::Error::InvalidParameterCount(place, values.len())),
                    |value| Ok(bound(value)),
                )?,
            };
            statement.raw_bind_parameter(place, value)?;
        }
        Ok(())
    }

    fn fold(&self, error: rusqlite::Error) -> Error {
        fold(self.action, self.file, error)
    }
}

impl Driver for Run<'_> {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn each(
        &self,
        sql: &str,
        values: Vec<Param>,
        take: &mut dyn FnMut(&dyn Columns) -> Result<()>,
    ) -> Result<()> {
        let folded = |error| self.fold(error);
        let mut statement = self.connection.prepare_cached(sql).map_err(folded)?;
        self.bind(&mut statement, &values).map_err(folded)?;
        let mut rows = statement.raw_query();
        while let Some(row) = rows.next().map_err(folded)? {
            take(&Found { row, run: *self })?;
        }
        Ok(())
    }

    fn put(&self, sql: Cow<'static, str>, values: Vec<Param>) -> Result<()> {
        self.run(&sql, values)
    }
}

/// Returns a value as it is bound. Several are one text, which `json_each` reads.
fn bound(value: &Param) -> ToSqlOutput<'_> {
    let json = |text: serde_json::Result<String>| {
        ToSqlOutput::Owned(Value::Text(text.expect("plain data is always JSON")))
    };
    match value {
        Param::Text(text) | Param::MaybeText(Some(text)) => text.as_str().into(),
        Param::MaybeText(None) | Param::MaybeNumber(None) | Param::MaybeBytes(None) => {
            ToSqlOutput::Owned(Value::Null)
        }
        Param::Texts(texts) => json(serde_json::to_string(texts)),
        Param::Bytes(bytes) | Param::MaybeBytes(Some(bytes)) => bytes.as_slice().into(),
        Param::Number(number) | Param::MaybeNumber(Some(number)) => (*number).into(),
        Param::Numbers(numbers) => json(serde_json::to_string(numbers)),
        Param::Real(number) => (*number).into(),
        Param::Flag(flag) => (*flag).into(),
        #[cfg(feature = "postgres")]
        Param::ManyBytes(_) | Param::Words(_) => {
            unreachable!("a statement of a server alone binds it")
        }
    }
}

/// A row that was found.
pub(super) struct Found<'a> {
    pub(super) row: &'a Row<'a>,
    pub(super) run: Run<'a>,
}

impl Columns for Found<'_> {
    /// Reads it as a text, whatever another program put there.
    fn borrowed(&self, column: usize) -> Result<Option<Cow<'_, str>>> {
        Ok(match self.row.get_ref(column).map_err(|error| self.run.fold(error))? {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string().into()),
            ValueRef::Real(number) => Some(number.to_string().into()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
        })
    }

    fn maybe_number(&self, column: usize) -> Result<Option<i64>> {
        self.row.get(column).map_err(|error| self.run.fold(error))
    }

    fn number(&self, column: usize) -> Result<i64> {
        self.row.get(column).map_err(|error| self.run.fold(error))
    }

    fn bytes(&self, column: usize) -> Result<Option<&[u8]>> {
        let value = self.row.get_ref(column).map_err(|error| self.run.fold(error))?;
        Ok(value.as_blob_or_null().ok().flatten())
    }

    fn real(&self, column: usize) -> Result<f64> {
        self.row.get(column).map_err(|error| self.run.fold(error))
    }

    fn flag(&self, column: usize) -> Result<bool> {
        self.row.get(column).map_err(|error| self.run.fold(error))
    }
}
