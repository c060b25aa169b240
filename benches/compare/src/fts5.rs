//! A table of FTS5 and nothing else.

use std::path::Path;

use rusqlite::Connection;

use crate::engine::Engine;

pub(crate) struct Fts5(Connection);

impl Fts5 {
    pub(crate) fn open(folder: &Path) -> Self {
        let connection = Connection::open(folder.join("rows.db")).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                 CREATE VIRTUAL TABLE rows USING fts5 (content, tokenize = 'porter unicode61');",
            )
            .unwrap();
        Self(connection)
    }
}

impl Engine for Fts5 {
    fn name(&self) -> &'static str {
        "FTS5"
    }

    fn write(&mut self, rows: &[(u32, String)]) {
        let transaction = self.0.transaction().unwrap();
        for (number, text) in rows {
            let sql = "INSERT INTO rows (rowid, content) VALUES (?1, ?2)";
            transaction.prepare_cached(sql).unwrap().execute((number, text)).unwrap();
        }
        transaction.commit().unwrap();
    }

    fn search(&mut self, words: &[String]) -> Vec<u32> {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let sql = "SELECT rowid, content FROM rows WHERE rows MATCH ?1 ORDER BY rank LIMIT 10";
        let mut statement = self.0.prepare_cached(sql).unwrap();
        let found = statement.query_map([quoted.join(" OR ")], |row| <(u32, String)>::try_from(row)).unwrap();
        found.map(|row| row.unwrap().0).collect()
    }
}
