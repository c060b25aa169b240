//! The rows that say a statement.
//!
//! Each row has a signature of its words. It is in an index beside the row's id. So rows that cannot say a
//! statement are skipped without being read.

use crate::sql::memory::COLUMNS;
use crate::sql::memory::FACT;
use crate::sql::memory::NOTES;
use crate::sql::memory::read_fact;
use crate::sql::memory::worded;
use crate::sqlite::error::carried;
use rusqlite::{Connection, params};

use super::table::Table;
use crate::gate::signature;
use crate::sql::Columns;
use crate::sqlite::columns::ReadAll;
use crate::sqlite::driver::{Found, Run};
use crate::store::forget::signature_of;

/// The signature of an unknown row has all bits.
pub(super) const COLUMN: (&str, &str) = ("signature", "INTEGER NOT NULL DEFAULT -1");

/// The indexes are of all rows, those that are found and those that are not.
const INDEXES: &str = "
    CREATE INDEX idx_memories_touched ON memories (user_id, agent_id, updated_at, id, signature)
        WHERE deleted_at IS NULL AND retired_at IS NULL;
    CREATE INDEX idx_memories_gone ON memories (user_id, agent_id, deleted_at, id, signature)
        WHERE deleted_at IS NOT NULL OR retired_at IS NOT NULL;
";

pub(super) const TRIGGER_NAME: &str = "memories_unsigned";

/// Other programs know of no signature. A file with another text of the trigger has the signatures of an earlier version.
pub(super) const TRIGGER: &str = "
    DROP TRIGGER IF EXISTS memories_unsigned;
    CREATE TRIGGER memories_unsigned AFTER UPDATE OF category, content, metadata, source, origin, session, speaker,
        subject, slot, cites ON memories WHEN new.signature IS old.signature /* of each spelling */ BEGIN
        UPDATE memories SET signature = -1 WHERE id = new.id;
    END;
";

/// Writes the signatures, and makes the indexes.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    sign(connection)?;
    connection.execute_batch(INDEXES)?;
    connection.execute_batch(&format!(
        "CREATE INDEX idx_audit_worded ON memory_audit (user_id, agent_id, id) WHERE {}",
        worded()
    ))?;
    connection.execute_batch(TRIGGER)
}

/// Writes the signatures of rows without one.
pub(super) fn sign(connection: &Connection) -> rusqlite::Result<()> {
    let unsigned: Vec<i64> = {
        let mut statement = connection.prepare("SELECT id FROM memories WHERE signature = -1")?;
        statement.query([])?.all(|found| found.get(0))?
    };
    let mut rows =
        connection.prepare(&format!("SELECT {COLUMNS}, {FACT} FROM memories m WHERE m.id = ?1"))?;
    let mut write = connection.prepare("UPDATE memories SET signature = ?2 WHERE id = ?1")?;
    for id in unsigned {
        let signed = rows.query_row([id], |found| {
            let found = Found { row: found, run: Run::of(connection) };
            let fact = read_fact(&found).map_err(carried)?;
            // Notes of another program may have a part that is not read.
            let notes = found.borrowed(NOTES).map_err(carried)?.map_or(0, |notes| signature(&notes));
            Ok(signature_of(&fact.memory, fact.key.as_ref()) | notes)
        })?;
        write.execute((id, signed.cast_signed()))?;
    }
    Ok(())
}

/// Makes every signature anew: rows may have changed that no trigger saw.
pub(super) fn renew(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TRIGGER)?;
    connection.execute_batch("UPDATE memories SET signature = -1")?;
    sign(connection)
}

impl Table<'_> {
    /// Returns the rows whose signatures have all bits of one, deleted and retired ones too, by id.
    pub(super) fn all_signed(&self, asked: u64) -> rusqlite::Result<Vec<i64>> {
        let mut ids: Vec<i64> = Vec::new();
        for (index, which) in [
            ("idx_memories_touched", "deleted_at IS NULL AND retired_at IS NULL"),
            ("idx_memories_gone", "(deleted_at IS NOT NULL OR retired_at IS NOT NULL)"),
        ] {
            let sql = format!(
                "SELECT id FROM memories INDEXED BY {index}
                 WHERE user_id = ?1 AND agent_id = ?2 AND {which} AND signature & ?3 = ?3"
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut found = statement.query(params![self.user(), self.agent(), asked.cast_signed()])?;
            while let Some(found) = found.next()? {
                ids.push(found.get(0)?);
            }
        }
        ids.sort_unstable();
        Ok(ids)
    }
}

#[cfg(test)]
mod tests;
