//! The tables of vectors, of rows of a store or of chunks of an index.

use crate::sql::vectors::Names;

/// The tables under the names that `GENERATIONS`, `VECTORS` and `GONE` stand for.
///
/// `state` is 1 with a vector, 2 for a text that was sent in vain, 3 for one that needs none. `filled` is the id up to which no
/// text waits. The latest texts whose state was removed from a serving generation are in `GONE`, for processes that have them
/// in memory. It has ids and no word.
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
pub(super) fn named(names: Names, sql: &str) -> String {
    let Names { generations, vectors, gone, .. } = names;
    sql.replace("GENERATIONS", generations).replace("VECTORS", vectors).replace("GONE", gone)
}
