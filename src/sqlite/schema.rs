//! The migrations that give a file its tables.

use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, TransactionBehavior};

use super::artifacts::tables as artifacts;
use super::commits::{self, check_mark, commits};
use super::edges;
use super::error::fold;
use super::index::tables as index;
use super::memory::practice::tables as practice;
use super::memory::tables as memory;
use super::removals;
use super::tables as workspace;
use crate::base::error::{Error, Result};
use crate::disk::mark::Mark;

/// `NOCT`, so that a file says whose it is.
const APPLICATION_ID: i64 = 0x4e4f_4354;

/// One step a version; a file at version n has run the first n.
pub(super) const MIGRATIONS: &[fn(&Connection) -> rusqlite::Result<()>] = &[make];

/// Makes the tables, around those of the seed's program where these exist already.
fn make(connection: &Connection) -> rusqlite::Result<()> {
    workspace::make(connection)?;
    memory::make(connection)?;
    index::make(connection)?;
    practice::make(connection)?;
    edges::make(connection)?;
    artifacts::make(connection)?;
    commits::make(connection)?;
    removals::make(connection)
}

/// The version of a file that another program made: its own numbers stay as they are.
const ADOPTED: &str = "
    CREATE TABLE IF NOT EXISTS file_version (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        version INTEGER NOT NULL
    );
";

/// The treatment of a file that another program made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// It is left alone.
    Refused,
    /// It is taken over where it has the seed's table `memories`, and no application's id.
    Adopted,
}

/// Sets a connection up, and brings the file to the newest version.
pub(super) fn prepare(
    connection: &mut Connection,
    file: &str,
    patience: Duration,
    others: Others,
    mark: Option<&Mark>,
) -> Result<()> {
    let folded = |error| fold("open", file, error);
    connection.busy_timeout(patience).map_err(folded)?;
    // One plan for a statement, whatever is bound to it: else it is planned anew each time.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(folded)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let journal_mode = if wal_is_safe(rusqlite::version_number()) { "WAL" } else { "DELETE" };
    connection
        .execute_batch(
            "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
             PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA cache_size = -4096;",
        )
        .map_err(folded)?;
    // In one transaction: another process may be making the tables between two looks.
    let version = {
        let snapshot = connection.transaction().map_err(folded)?;
        let version = look(&snapshot, file, others)?;
        // Before anything is written to what may be the rest of a file.
        if let Some(mark) = mark
            && let Some(found) = commits(&snapshot, version).map_err(folded)?
        {
            check_mark(file, mark, found)?;
        }
        version
    };
    if version < MIGRATIONS.len() {
        connection.pragma_update(None, "journal_mode", journal_mode).map_err(folded)?;
        migrate(connection, file, others)?;
    }
    connection.pragma_update(None, "journal_mode", journal_mode).map_err(folded)
}

/// Refuses a file that is open here and that another process brought to a newer version since.
pub(super) fn check_version(connection: &Connection, file: &str) -> Result<()> {
    look(connection, file, Others::Refused).map(drop)
}

/// More than there are: each is parsed once a connection, which workspace, store and index share.
const STATEMENTS: usize = 192;

/// Returns the version of a file; refuses what is another program's, or newer.
pub(super) fn look(connection: &Connection, file: &str, others: Others) -> Result<usize> {
    let found = version(connection, others).map_err(|error| fold("open", file, error))?;
    let Some(found) = found else {
        return Err(Error::Corrupt {
            name: file.to_owned(),
            line: 0,
            column: 0,
            what: "it is a database of another program",
        });
    };
    let known = MIGRATIONS.len() as u64;
    if found > known {
        return Err(Error::NewerVersion { name: file.to_owned(), found, known });
    }
    Ok(usize::try_from(found).unwrap_or(0))
}

/// Returns the version of a file; `None` for one of another program.
fn version(connection: &Connection, others: Others) -> rusqlite::Result<Option<u64>> {
    if let Some(version) = adopted_version(connection)? {
        return Ok(Some(version));
    }
    let pragma =
        |name: &str| -> rusqlite::Result<i64> { connection.pragma_query_value(None, name, |row| row.get(0)) };
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    if application == APPLICATION_ID {
        return Ok(Some(u64::try_from(version).unwrap_or(u64::MAX)));
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let is_new = application == 0 && version == 0 && tables == 0;
    let is_adopted = others == Others::Adopted && application == 0 && memory::are_the_seeds(connection)?;
    Ok((is_new || is_adopted).then_some(0))
}

/// Returns the version of a file that was taken over.
fn adopted_version(connection: &Connection) -> rusqlite::Result<Option<u64>> {
    let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'file_version'";
    if !connection.prepare(sql)?.exists([])? {
        return Ok(None);
    }
    let sql = "SELECT version FROM file_version";
    let version: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(Some(u64::try_from(version).unwrap_or(u64::MAX)))
}

fn migrate(connection: &mut Connection, file: &str, others: Others) -> Result<()> {
    let folded = |error| fold("migrate", file, error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(folded)?;
    // Looked at again under the lock: another process may have done it meanwhile.
    let version = look(&transaction, file, others)?;
    let is_of_another = is_of_another(&transaction).map_err(folded)?;
    for migration in &MIGRATIONS[version..] {
        migration(&transaction).map_err(folded)?;
    }
    set_version(&transaction, is_of_another).map_err(folded)?;
    transaction.commit().map_err(folded)
}

/// Returns whether another program made this file, which [`look`] lets pass.
fn is_of_another(connection: &Connection) -> rusqlite::Result<bool> {
    let application: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(application != APPLICATION_ID && tables > 0)
}

fn set_version(connection: &Connection, is_of_another: bool) -> rusqlite::Result<()> {
    let newest = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    if is_of_another {
        connection.execute_batch(ADOPTED)?;
        let sql = "INSERT OR REPLACE INTO file_version (one, version) VALUES (1, ?1)";
        return connection.execute(sql, [newest]).map(drop);
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", newest)
}

/// Returns whether a version of SQLite keeps committed transactions in WAL mode. 3.7.0 to 3.51.2 can lose them when
/// the log is reset, except for the releases with the backported fix.
fn wal_is_safe(version: i32) -> bool {
    version >= 3_051_003
        || (3_050_007..3_051_000).contains(&version)
        || (3_044_006..3_045_000).contains(&version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_version_keeps_its_log_and_old_ones_are_known() {
        assert!(wal_is_safe(rusqlite::version_number()));
        for (version, safe) in [
            (3_051_003, true),
            (3_051_002, false),
            (3_050_007, true),
            (3_050_006, false),
            (3_044_006, true),
            (3_044_005, false),
            (3_040_001, false),
            (3_054_001, true),
        ] {
            assert_eq!(wal_is_safe(version), safe, "{version}");
        }
    }
}
