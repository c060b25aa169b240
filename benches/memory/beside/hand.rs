//! The same by hand: a connection, and one statement over the FTS5 index.

use std::path::Path;

use rusqlite::{Connection, Statement};

use super::rows::Question;

/// The words that a memory is made of.
pub(super) type Columns = (
    i64,
    String,
    String,
    Option<String>,
    Option<String>,
    bool,
    String,
    String,
    Option<String>,
    Option<i64>,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

pub(super) const SEARCH: &str = "
    SELECT m.id, m.category, m.content, m.source, m.metadata, m.shared, m.created_at, m.updated_at, m.session,
        m.position, m.role, m.speaker, m.said_at, m.origin
    FROM memories_fts JOIN memories m ON m.id = memories_fts.rowid
    WHERE memories_fts MATCH ?1 AND m.deleted_at IS NULL ORDER BY rank LIMIT 10";

pub(super) fn ask(statement: &mut Statement<'_>, question: &Question) -> Vec<Columns> {
    let rows = statement.query_map([&question.expression], |row| Columns::try_from(row)).unwrap();
    rows.map(Result::unwrap).collect()
}

/// Opens the file, set up as the library sets up its files.
pub(super) fn connect(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch(
            "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;
             PRAGMA secure_delete = ON; PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL;",
        )
        .unwrap();
    connection
}
