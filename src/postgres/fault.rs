//! Faults of the driver and the server, folded into the errors of this crate.

use std::fmt;
use std::io;

use ::postgres::error::{DbError, Severity, SqlState};

use crate::base::error::Error;

/// A failed attempt on a connection.
#[derive(Debug)]
pub(super) enum Fault {
    /// The driver or the server said why.
    Said(::postgres::Error),
    /// No answer came in time, or the connection's thread has ended.
    Silent,
    /// No connection was free in time.
    Exhausted,
    /// A pooler changed the connection, and nobody said that there is one.
    Pooled,
}

impl From<::postgres::Error> for Fault {
    fn from(error: ::postgres::Error) -> Self {
        Self::Said(error)
    }
}

impl Fault {
    fn server(&self) -> Option<&DbError> {
        match self {
            Self::Said(error) => error.as_db_error(),
            _ => None,
        }
    }

    /// Returns whether the connection is of no use now: it ended, is about to, or nobody knows what it does.
    pub(super) fn is_lost(&self) -> bool {
        match (self, self.server()) {
            (Self::Exhausted | Self::Pooled, _) => false,
            (_, Some(error)) => {
                matches!(error.parsed_severity(), Some(Severity::Fatal | Severity::Panic) | None)
                    || error.code().code().starts_with("57P")
            }
            // What the driver says by itself: an end of the connection, or a value of another type.
            (Self::Said(error), None) => error.is_closed() || std::error::Error::source(error).is_some(),
            (Self::Silent, None) => true,
        }
    }

    /// Folds the fault into an error by what a caller can do about it. None carries a document's text.
    pub(super) fn fold(self, action: &'static str, path: impl fmt::Display) -> Error {
        let path = path.to_string();
        let Some(error) = self.server() else {
            return match self {
                Self::Exhausted => Error::Busy { path },
                Self::Pooled => POOLED,
                Self::Said(error) if !is_of_connection(&error) => {
                    Error::Database { action, path, source: Box::new(error) }
                }
                Self::Said(error) => Error::Unavailable { path, source: Box::new(error) },
                Self::Silent => {
                    Error::Unavailable { path, source: Box::new(io::Error::from(io::ErrorKind::TimedOut)) }
                }
            };
        };
        let code = error.code();
        let io = |kind: io::ErrorKind| Error::Io { action, path: path.clone(), source: kind.into() };
        if [
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::QUERY_CANCELED,
        ]
        .contains(code)
        {
            return Error::Busy { path };
        }
        match code.code() {
            "53100" => return io(io::ErrorKind::StorageFull),
            "25006" => return io(io::ErrorKind::ReadOnlyFilesystem),
            // No such schema, table or column.
            "3F000" | "42P01" | "42703" => return not_migrated(path),
            // No such prepared statement, or another one of its name: they are of another connection.
            "26000" | "42P05" => return POOLED,
            _ => {}
        }
        let source = Box::new(Said::of(error));
        // Too many connections, a shutdown, a start, a transaction that the server ended for its silence.
        let is_passing = ["08", "53", "57P", "25P03"].iter().any(|class| code.code().starts_with(class));
        if is_passing {
            Error::Unavailable { path, source }
        } else {
            Error::Database { action, path, source }
        }
    }
}

const POOLED: Error = Error::Config {
    setting: "is_pooled",
    rule: "must be `true` where a pooler gives each transaction another connection",
};

/// Returns whether an error of the driver itself is one of the connection, and not of a value.
fn is_of_connection(error: &::postgres::Error) -> bool {
    let source = std::error::Error::source(error);
    error.is_closed() || matches!(source, Some(source) if source.is::<io::Error>())
}

/// The error of a schema that lacks tables.
pub(super) fn not_migrated(name: String) -> Error {
    Error::Corrupt { name, line: 0, column: 0, what: "its tables are missing; call `Postgres::migrate` once" }
}

/// Words of the server without its details, which may quote a row.
#[derive(Debug)]
struct Said {
    code: String,
    place: String,
    message: String,
}

impl Said {
    fn of(error: &DbError) -> Self {
        let parts = [error.table(), error.column(), error.constraint()];
        let place = parts.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let code = error.code().code();
        // Messages of these classes name roles, tables and limits, and no values.
        let is_plain =
            ["08", "28", "3D", "3F", "42", "53", "57", "58"].iter().any(|class| code.starts_with(class));
        let message = if is_plain { error.message().to_owned() } else { String::new() };
        Self { code: code.to_owned(), place, message }
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server answered {}", self.code)?;
        if !self.place.is_empty() {
            write!(f, " at {}", self.place)?;
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Said {}
