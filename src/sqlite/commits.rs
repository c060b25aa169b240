//! The number of changes that a file has committed, and the [mark](crate::disk::mark) beside it that says so.

use rusqlite::{Connection, OptionalExtension};

use crate::base::digest::Hasher;
use crate::base::error::{Error, Result};
use crate::disk::mark::Mark;

/// The number of committed changes, in one row; [`removals`](super::removals) count there, too.
const TABLE: &str = "
    CREATE TABLE file_commits (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        number INTEGER NOT NULL,
        removals INTEGER NOT NULL DEFAULT 0,
        vacuumed INTEGER NOT NULL DEFAULT 0
    );
    INSERT INTO file_commits (one, number) VALUES (1, 0);
";

/// Makes the table.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLE)
}

/// Returns the number of committed changes; `None` where they were not counted: in a file of another program.
pub(super) fn commits(connection: &Connection, version: usize) -> rusqlite::Result<Option<u64>> {
    let sql = match version {
        0 => "SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema)",
        _ => "SELECT number FROM file_commits",
    };
    let number: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(number.map(|number| u64::try_from(number).unwrap_or(0)))
}

/// Counts one more change, in the transaction that makes it; returns how many there are.
pub(super) fn count_commit(connection: &Connection) -> rusqlite::Result<u64> {
    let number: i64 = connection
        .prepare_cached("UPDATE file_commits SET number = number + 1 RETURNING number")?
        .query_row([], |row| row.get(0))?;
    Ok(u64::try_from(number).unwrap_or(0))
}

/// Returns a number that is another one after any change: of this library, which counts them, or of another program.
pub(super) fn edition(connection: &Connection) -> rusqlite::Result<u64> {
    let commits: i64 =
        connection.prepare_cached("SELECT number FROM file_commits")?.query_row([], |row| row.get(0))?;
    let others: i64 = connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
    let mut hasher = Hasher::new();
    hasher.field(&commits.to_be_bytes()).field(&others.to_be_bytes());
    Ok(u64::from_be_bytes(*hasher.finish().as_bytes().first_chunk().expect("a digest is longer")))
}

/// Refuses a file that holds less than it did.
pub(super) fn check_mark(file: &str, mark: &Mark, found: u64) -> Result<()> {
    if found >= mark.held {
        return Ok(());
    }
    let (name, mark, held) = (file.to_owned(), mark_of(file), mark.held);
    Err(Error::Shrunk { name, mark, held, found, of: "changes" })
}

/// Returns the name of the mark of a file.
pub(super) fn mark_of(file: &str) -> String {
    format!("{file}.mark")
}
