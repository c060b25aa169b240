//! The tables, and how a file comes to have them.

use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::open::Others;
use super::{fold, index, memory};
use crate::base::error::{Error, Result};
use crate::disk::mark::Mark;

/// `NOCT`, so that a file says whose it is.
const APPLICATION_ID: i64 = 0x4e4f_4354;

/// One step a version; a file at version n has run the first n.
const MIGRATIONS: &[fn(&Connection) -> rusqlite::Result<()>] = &[
    |connection| connection.execute_batch(WORKSPACE),
    memory::tables::make,
    index::tables::make,
    memory::tables::make_facts,
    memory::tables::make_learnings,
    |connection| {
        connection.execute_batch(COMMITS)?;
        memory::tables::make_index(connection)
    },
];

/// How many changes were committed, for the [mark](crate::disk::mark) beside the file.
const COMMITS: &str = "
    CREATE TABLE IF NOT EXISTS file_commits (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        number INTEGER NOT NULL
    );
    INSERT OR IGNORE INTO file_commits (one, number) VALUES (1, 0);
";

const WORKSPACE: &str = "
    CREATE TABLE memory_documents (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL DEFAULT '',
        path TEXT NOT NULL,
        content NOT NULL,
        revision TEXT NOT NULL,
        size INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        modified_ns INTEGER NOT NULL,
        UNIQUE (user_id, agent_id, path)
    );
    CREATE INDEX idx_documents_user ON memory_documents (user_id, agent_id);
    CREATE INDEX idx_documents_path ON memory_documents (path);

    CREATE TABLE memory_chunks (
        id TEXT NOT NULL PRIMARY KEY,
        document_id TEXT NOT NULL REFERENCES memory_documents (id) ON DELETE CASCADE,
        chunk_index INTEGER NOT NULL,
        content TEXT NOT NULL,
        embedding BLOB,
        created_at TEXT NOT NULL,
        UNIQUE (document_id, chunk_index)
    );
    CREATE INDEX idx_chunks_document ON memory_chunks (document_id);

    CREATE TABLE memory_document_versions (
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        path TEXT NOT NULL,
        version INTEGER NOT NULL,
        content NOT NULL,
        revision TEXT NOT NULL,
        replaced_at TEXT NOT NULL,
        PRIMARY KEY (user_id, agent_id, path, version)
    ) WITHOUT ROWID;

    CREATE TABLE workspace_state (
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        name TEXT NOT NULL,
        content NOT NULL,
        size INTEGER NOT NULL,
        modified_ns INTEGER NOT NULL,
        PRIMARY KEY (user_id, agent_id, name)
    ) WITHOUT ROWID;

    CREATE TABLE workspace_leases (
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        token TEXT NOT NULL,
        pid INTEGER NOT NULL,
        hostname TEXT NOT NULL,
        acquired_at TEXT NOT NULL,
        PRIMARY KEY (user_id, agent_id)
    ) WITHOUT ROWID;
";

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
        // Before anything is written to what may be the rest of a file. Older versions did not count.
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

/// How many changes were committed; `None` where that was not counted.
fn commits(connection: &Connection, version: usize) -> rusqlite::Result<Option<u64>> {
    let sql = match version {
        0 => "SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema)",
        COUNTED.. => "SELECT number FROM file_commits",
        _ => return Ok(None),
    };
    let number: Option<i64> = connection.query_row(sql, [], |row| row.get(0)).optional()?;
    Ok(number.map(|number| u64::try_from(number).unwrap_or(0)))
}

/// From this version on a file counts its changes.
const COUNTED: usize = 6;

/// Refuses a file that is open here and that another process brought to a newer version since.
pub(super) fn check_version(connection: &Connection, file: &str) -> Result<()> {
    look(connection, file, Others::Refused).map(drop)
}

/// Counts one more change, in the transaction that makes it; returns how many there are.
pub(super) fn count_commit(connection: &Connection) -> rusqlite::Result<u64> {
    let number: i64 = connection
        .prepare_cached("UPDATE file_commits SET number = number + 1 RETURNING number")?
        .query_row([], |row| row.get(0))?;
    Ok(u64::try_from(number).unwrap_or(0))
}

/// Refuses a file that holds less than it did.
pub(super) fn check_mark(file: &str, mark: &Mark, found: u64) -> Result<()> {
    if found >= mark.held {
        return Ok(());
    }
    let (name, mark, held) = (file.to_owned(), mark_of(file), mark.held);
    Err(Error::Shrunk { name, mark, held, found, of: "changes" })
}

/// The name of the mark of a file.
pub(super) fn mark_of(file: &str) -> String {
    format!("{file}.mark")
}

/// More than there are: each is parsed once a connection, which workspace, store and index share.
const STATEMENTS: usize = 192;

/// The version of a file; refuses what is another program's, or newer.
fn look(connection: &Connection, file: &str, others: Others) -> Result<usize> {
    let pragma = |name: &str| -> Result<i64> {
        connection.pragma_query_value(None, name, |row| row.get(0)).map_err(|error| fold("open", file, error))
    };
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    let tables: i64 = connection
        .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
        .map_err(|error| fold("open", file, error))?;
    let is_new = application == 0 && version == 0 && tables == 0;
    let is_ours = application == APPLICATION_ID || is_new;
    let is_adopted = !is_ours
        && others == Others::Adopted
        && (application, version) == (0, 0)
        && memory::tables::are_the_seeds(connection).map_err(|error| fold("open", file, error))?;
    if !is_ours && !is_adopted {
        return Err(Error::Corrupt {
            name: file.to_owned(),
            line: 0,
            column: 0,
            what: "it is a database of another program",
        });
    }
    let (found, known) = (u64::try_from(version).unwrap_or(u64::MAX), MIGRATIONS.len() as u64);
    if found > known {
        return Err(Error::NewerVersion { name: file.to_owned(), found, known });
    }
    Ok(usize::try_from(found).unwrap_or(0))
}

fn migrate(connection: &mut Connection, file: &str, others: Others) -> Result<()> {
    let folded = |error| fold("migrate", file, error);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(folded)?;
    // Looked at again under the lock: another process may have done it meanwhile.
    let version = look(&transaction, file, others)?;
    for migration in &MIGRATIONS[version..] {
        migration(&transaction).map_err(folded)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(folded)?;
    let newest = i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX);
    transaction.pragma_update(None, "user_version", newest).map_err(folded)?;
    transaction.commit().map_err(folded)
}

/// Whether a version of SQLite keeps committed transactions in WAL mode: 3.7.0 to 3.51.2 can lose them when
/// the log is reset, but for the releases that the fix was carried back to.
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
