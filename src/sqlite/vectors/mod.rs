//! Vectors in tables, of rows of a store or of chunks of an index.
//!
//! A text that waits has nothing here. Each home says what its tables are called, and which view shows what to whom; every
//! statement goes through such a view.

mod change;
mod read;

use rusqlite::Connection;
use rusqlite::types::{Value, ValueRef};

use crate::base::error::Result;
use crate::store::vectors::Sight;

/// The tables of vectors, in one view of a database.
pub(super) trait VectorTables {
    /// The names of the tables.
    const NAMES: Names;

    /// Returns the view of the texts in sight: `id`, `content`, `user_id`, `agent_id`.
    fn view(sight: Sight) -> &'static str;

    fn connection(&self) -> &Connection;

    /// Returns the user and the agent of the texts, as their columns name them.
    fn owner(&self) -> [&str; 2];

    /// Runs statements, whose errors say what was done.
    fn run<A>(&self, run: impl FnOnce() -> rusqlite::Result<A>) -> Result<A>;
}

/// The names of the tables.
pub(super) struct Names {
    pub(super) generations: &'static str,
    pub(super) vectors: &'static str,
    pub(super) gone: &'static str,
    /// The view of all texts that may have a vector.
    pub(super) all: &'static str,
}

/// The tables under the names that `GENERATIONS`, `VECTORS` and `GONE` stand for.
///
/// `state` is 1 with a vector, 2 for a text that was sent in vain, 3 for one that needs none. `filled` is the id up to which no
/// text waits. The latest texts whose state was removed from a generation that serves are in `GONE`, by ids and without a
/// word, for whoever has them in memory.
pub(super) const TABLES: &str = "
    CREATE TABLE GENERATIONS (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        name TEXT NOT NULL,
        dimensions INTEGER NOT NULL,
        serves INTEGER NOT NULL DEFAULT 0,
        filled INTEGER NOT NULL,
        UNIQUE (user_id, agent_id, name)
    );
    CREATE TABLE VECTORS (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        text_id INTEGER NOT NULL,
        generation INTEGER NOT NULL,
        state INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        vector BLOB,
        UNIQUE (text_id, generation)
    );
    CREATE TABLE GONE (
        number INTEGER PRIMARY KEY,
        generation INTEGER NOT NULL,
        text_id INTEGER NOT NULL
    );
";

/// Puts the names of tables into a text of SQL.
pub(super) fn named(names: &Names, sql: &str) -> String {
    let Names { generations, vectors, gone, all } = names;
    sql.replace("GENERATIONS", generations)
        .replace("VECTORS", vectors)
        .replace("GONE", gone)
        .replace("ALL", all)
}

/// Returns the ids as one value, which `json_each` reads.
pub(super) fn listed(ids: &[i64]) -> Value {
    Value::Text(serde_json::to_string(ids).expect("numbers are always JSON"))
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns a column as text, whatever another program put there.
fn text(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(column)? {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    })
}
