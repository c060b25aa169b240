//! The tables of vectors of rows, and the triggers that remove them.

use rusqlite::Connection;

use crate::sql::vectors::Names;
use crate::sqlite::vectors::{TABLES, named};

pub(super) const NAMES: Names = Names {
    generations: "memory_generations",
    id: "id",
    vectors: "memory_vectors",
    text: "text_id",
    gone: "memory_vectors_gone",
};

pub(in crate::sqlite::memory) const TRIGGER_NAMES: [&str; 3] =
    ["memory_vectors_of_changed", "memory_vectors_of_removed", "memory_vectors_ad"];

/// A file without vectors pays for nothing but a look whether there are any, and a new row for not even that.
pub(in crate::sqlite::memory) const TRIGGERS: &str = "
    DROP TRIGGER IF EXISTS memory_vectors_of_changed;
    DROP TRIGGER IF EXISTS memory_vectors_of_removed;
    DROP TRIGGER IF EXISTS memory_vectors_ad;
    CREATE TRIGGER memory_vectors_of_changed AFTER UPDATE OF id, user_id, agent_id, shared, content, deleted_at,
        retired_at ON memories
    WHEN (old.id IS NOT new.id OR old.user_id IS NOT new.user_id OR old.agent_id IS NOT new.agent_id
            OR old.shared IS NOT new.shared OR old.content IS NOT new.content
            OR (old.deleted_at IS NULL AND old.retired_at IS NULL)
                <> (new.deleted_at IS NULL AND new.retired_at IS NULL))
        AND EXISTS (SELECT 1 FROM memory_generations) BEGIN
        DELETE FROM memory_vectors WHERE text_id IN (old.id, new.id);
        UPDATE memory_generations SET filled = min(filled, new.id - 1)
        WHERE user_id = new.user_id AND agent_id = new.agent_id;
    END;
    CREATE TRIGGER memory_vectors_of_removed AFTER DELETE ON memories
    WHEN EXISTS (SELECT 1 FROM memory_generations) BEGIN
        DELETE FROM memory_vectors WHERE text_id = old.id;
    END;
    CREATE TRIGGER memory_vectors_ad AFTER DELETE ON memory_vectors
    WHEN EXISTS (SELECT 1 FROM memory_generations WHERE id = old.generation AND serves = 1) BEGIN
        INSERT INTO memory_vectors_gone (generation, text_id) VALUES (old.generation, old.text_id);
        DELETE FROM memory_vectors_gone
        WHERE number <= (SELECT max(number) FROM memory_vectors_gone) - 4096;
    END;
";

/// Makes the tables.
pub(in crate::sqlite::memory) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&named(NAMES, TABLES))?;
    connection.execute_batch(TRIGGERS)
}

/// Removes all vectors: rows may have changed that no trigger saw.
pub(in crate::sqlite::memory) fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&named(NAMES, "DELETE FROM GENERATIONS; DELETE FROM VECTORS; DELETE FROM GONE;"))
}
