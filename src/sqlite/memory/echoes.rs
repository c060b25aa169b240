//! The words of retired rows and of keys, beside the index. A search that finds one of them is led to what holds now.
//!
//! A word is a number, as in the table of a folder. A row may be listed under a word that it no longer has: no trigger
//! can make the words of a text. So the caller reads the row.

use rusqlite::{Connection, params};

use super::table::Table;
use crate::memory::MemoryId;
use crate::search::rank::Visibility;
use crate::sqlite::columns::ReadAll;
use crate::store::echo::EchoWord;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS memory_echoes (
        word INTEGER NOT NULL,
        id INTEGER NOT NULL,
        PRIMARY KEY (word, id)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS idx_echoes_row ON memory_echoes (id);
    CREATE TRIGGER IF NOT EXISTS memory_echoes_ad AFTER DELETE ON memories BEGIN
        DELETE FROM memory_echoes WHERE id = old.id;
    END;
";

/// Makes the table.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)
}

impl Table<'_> {
    /// Lists the latest rows in sight for each word.
    pub(super) fn latest_echoes(
        &self,
        visibility: Visibility,
        words: &[EchoWord],
        most: usize,
    ) -> rusqlite::Result<Vec<Vec<MemoryId>>> {
        let sight = match visibility {
            Visibility::All => "",
            Visibility::Shared => "AND m.shared = 1",
        };
        let sql = format!(
            "SELECT e.id FROM memory_echoes e CROSS JOIN memories m ON m.id = e.id
             WHERE e.word = ?1 AND m.user_id = ?2 AND m.agent_id = ?3 AND m.deleted_at IS NULL {sight}
             AND iif(m.retired_at IS NULL, m.fact_key, m.successor) IS NOT NULL
             ORDER BY e.id DESC LIMIT ?4"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let mut lists = Vec::with_capacity(words.len());
        for word in words {
            let bound = params![word.0.cast_signed(), self.user(), self.agent(), most];
            lists.push(statement.query(bound)?.all(|found| found.get(0).map(MemoryId::new))?);
        }
        Ok(lists)
    }
}
