//! The words of retired rows and of keys, beside the index: a search that finds one of them is led to what holds now.
//!
//! A word is a number, as in the table of a folder. A row may be listed by a word that it does not say any more, since no
//! trigger can make the words of a text; whoever asks reads the row.

use rusqlite::{Connection, params};

use super::row;
use super::table::Table;
use crate::facts::FactKey;
use crate::memory::MemoryId;
use crate::search::rank::Visibility;
use crate::sqlite::columns::ReadAll;
use crate::store::echo::{EchoWord, echo_words};

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

/// Lists a row by the words of its key, and of what it said before it was retired.
fn list(
    connection: &Connection,
    id: MemoryId,
    said: Option<&str>,
    key: Option<&FactKey>,
) -> rusqlite::Result<()> {
    let mut insert =
        connection.prepare_cached("INSERT OR IGNORE INTO memory_echoes (word, id) VALUES (?1, ?2)")?;
    for word in echo_words(said, key) {
        insert.execute(params![word.0.cast_signed(), id.get()])?;
    }
    Ok(())
}

impl Table<'_> {
    /// Lists a new row by the words of its key.
    pub(super) fn echo_key(&self, id: MemoryId, key: Option<&FactKey>) -> rusqlite::Result<()> {
        if key.is_some() { list(self.connection, id, None, key) } else { Ok(()) }
    }

    /// Lists a row that was replaced by what it says.
    pub(super) fn list_retired(&self, id: MemoryId) -> rusqlite::Result<()> {
        let sql = "SELECT content, subject, slot FROM memories WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([id.get()])?;
        let Some(found) = rows.next()? else { return Ok(()) };
        let key = row::maybe(found, 1)?.zip(row::maybe(found, 2)?);
        let key = key.map(|(subject, slot)| FactKey::one(subject, slot));
        list(self.connection, id, Some(&row::text(found, 0)?), key.as_ref())
    }

    /// Lists a row whose text changes by its key alone.
    pub(super) fn echo_anew(&self, id: i64) -> rusqlite::Result<()> {
        let gone = "DELETE FROM memory_echoes WHERE id = ?1";
        if self.connection.prepare_cached(gone)?.execute([id])? == 0 {
            return Ok(());
        }
        let sql = "SELECT subject, slot FROM memories WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(sql)?;
        let mut rows = statement.query([id])?;
        let Some(found) = rows.next()? else { return Ok(()) };
        let key = row::maybe(found, 0)?.zip(row::maybe(found, 1)?);
        let key = key.map(|(subject, slot)| FactKey::one(subject, slot));
        self.echo_key(MemoryId::new(id), key.as_ref())
    }

    /// Lists the latest rows in sight for each word.
    pub(super) fn latest_echoes(
        &self,
        visibility: Visibility,
        words: &[EchoWord],
        most: usize,
    ) -> rusqlite::Result<Vec<Vec<MemoryId>>> {
        // Most stores have no facts.
        if !self.connection.prepare_cached("SELECT 1 FROM memory_echoes LIMIT 1")?.exists([])? {
            return Ok(Vec::new());
        }
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
