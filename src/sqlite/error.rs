//! Errors of SQLite, folded into those of this crate.

use rusqlite::ErrorCode;

use crate::base::error::Error;
use crate::disk::host;

/// Folds an error of SQLite into one by what a caller can do about it. None carries a document's text.
pub(super) fn fold(action: &'static str, path: &str, error: rusqlite::Error) -> Error {
    let path = path.to_owned();
    let error = match error {
        rusqlite::Error::ToSqlConversionFailure(source) => match source.downcast::<Error>() {
            Ok(folded) => return *folded,
            Err(source) => rusqlite::Error::ToSqlConversionFailure(source),
        },
        other => other,
    };
    let corrupt = |what| Error::Corrupt { name: path.clone(), line: 0, column: 0, what };
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { path },
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => match host::reached_limit() {
            Some(limit) => Error::TooManyOpen { action, path, limit },
            None => Error::Database { action, path, source: Box::new(error) },
        },
        Some(ErrorCode::NotADatabase) if cfg!(feature = "encryption") => {
            corrupt("it is not an SQLite database, or it is encrypted: unlock it with its key first")
        }
        Some(ErrorCode::NotADatabase) => corrupt("it is not an SQLite database"),
        Some(ErrorCode::DatabaseCorrupt) => corrupt("the database is malformed"),
        Some(ErrorCode::DiskFull) => {
            Error::Io { action, path, source: std::io::ErrorKind::StorageFull.into() }
        }
        Some(ErrorCode::ReadOnly) => {
            Error::Io { action, path, source: std::io::ErrorKind::ReadOnlyFilesystem.into() }
        }
        _ => Error::Database { action, path, source: Box::new(error) },
    }
}

/// Carries an error that is folded through a call whose errors are those of SQLite; [`fold`] returns it as it was.
pub(super) fn carried(error: Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}

/// Returns whether SQLite found the file, or an index in it, damaged.
pub(super) fn is_corrupt(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}
