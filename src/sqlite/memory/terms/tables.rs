//! The tables of the word index, and the triggers that say what changed.

use rusqlite::Connection;

use super::held::VERSION;

const TABLES: &str = "
    CREATE TABLE memory_terms_state (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        version INTEGER NOT NULL,
        built INTEGER NOT NULL,
        epoch INTEGER NOT NULL,
        manifest BLOB,
        UNIQUE (user_id, agent_id)
    );
    CREATE TABLE memory_terms_pages (
        terms_id INTEGER NOT NULL,
        segment INTEGER NOT NULL,
        page INTEGER NOT NULL,
        bytes BLOB NOT NULL,
        PRIMARY KEY (terms_id, segment, page)
    );
    -- Changes of rows that the pages do not tell of: each row as it was before, where a search found it.
    CREATE TABLE memory_terms_changed (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        id INTEGER NOT NULL,
        was_in INTEGER NOT NULL DEFAULT 0,
        shared,
        category,
        speaker,
        said_at,
        content
    );
";

/// The numbers of counted ids begin at none, before the first row. Else that row would say that it may be in another's
/// place.
const FIRST: &str = "
    INSERT INTO sqlite_sequence (name, seq)
    SELECT 'memories', 0 FROM sqlite_schema
    WHERE type = 'table' AND name = 'memories' AND upper(sql) LIKE '%AUTOINCREMENT%'
        AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'memories');
";

/// A new row says nothing, as its id is greater than any before it. One that was given another id says so, and so does
/// each where ids are not counted.
pub(in crate::sqlite::memory) const TRIGGERS: &str = "
    DROP TRIGGER IF EXISTS memory_terms_ai;
    DROP TRIGGER IF EXISTS memory_terms_ad;
    DROP TRIGGER IF EXISTS memory_terms_au;
    CREATE TRIGGER memory_terms_ai AFTER INSERT ON memories
    WHEN new.id <= coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'memories'), new.id)
        AND new.deleted_at IS NULL AND new.retired_at IS NULL BEGIN
        INSERT INTO memory_terms_changed (user_id, agent_id, id)
        SELECT user_id, agent_id, new.id FROM memory_terms_state
        WHERE user_id = new.user_id AND agent_id = new.agent_id;
    END;
    CREATE TRIGGER memory_terms_ad AFTER DELETE ON memories
    WHEN old.deleted_at IS NULL AND old.retired_at IS NULL BEGIN
        INSERT INTO memory_terms_changed
            (user_id, agent_id, id, was_in, shared, category, speaker, said_at, content)
        SELECT user_id, agent_id, old.id, 1, old.shared, old.category, old.speaker, old.said_at, old.content
        FROM memory_terms_state WHERE user_id = old.user_id AND agent_id = old.agent_id;
    END;
    CREATE TRIGGER memory_terms_au AFTER UPDATE OF id, user_id, agent_id, shared, category, speaker, said_at,
        content, deleted_at, retired_at ON memories
    WHEN ((old.deleted_at IS NULL AND old.retired_at IS NULL)
            OR (new.deleted_at IS NULL AND new.retired_at IS NULL))
        AND (old.id IS NOT new.id OR old.user_id IS NOT new.user_id OR old.agent_id IS NOT new.agent_id
            OR old.shared IS NOT new.shared OR old.category IS NOT new.category
            OR old.speaker IS NOT new.speaker OR old.said_at IS NOT new.said_at
            OR old.content IS NOT new.content
            OR (old.deleted_at IS NULL AND old.retired_at IS NULL)
                <> (new.deleted_at IS NULL AND new.retired_at IS NULL)) BEGIN
        INSERT INTO memory_terms_changed
            (user_id, agent_id, id, was_in, shared, category, speaker, said_at, content)
        SELECT user_id, agent_id, old.id, 1, old.shared, old.category, old.speaker, old.said_at, old.content
        FROM memory_terms_state WHERE user_id = old.user_id AND agent_id = old.agent_id
        AND old.deleted_at IS NULL AND old.retired_at IS NULL;
        INSERT INTO memory_terms_changed (user_id, agent_id, id)
        SELECT user_id, agent_id, new.id
        FROM memory_terms_state WHERE user_id = new.user_id AND agent_id = new.agent_id
        AND (old.deleted_at IS NOT NULL OR old.retired_at IS NOT NULL OR old.id IS NOT new.id
            OR old.user_id IS NOT new.user_id OR old.agent_id IS NOT new.agent_id);
    END;
";

/// Makes the tables. The index of a scope is made when its store is opened.
pub(in crate::sqlite::memory) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    connection.execute_batch(FIRST)?;
    connection.execute_batch(TRIGGERS)?;
    // FTS5 answers few searches from now on: it may merge its parts later, which makes writes cheaper.
    connection.execute_batch("INSERT INTO memories_fts (memories_fts, rank) VALUES ('automerge', 8)")
}

/// Returns whether an index has terms of another version. These are made anew, with all that is derived from the words of
/// rows.
pub(in crate::sqlite::memory) fn are_older(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM memory_terms_state WHERE version <> ?1")?.exists([VERSION])
}

/// Lets every index be made anew: rows may have changed that no trigger saw.
pub(in crate::sqlite::memory) fn distrust(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "DELETE FROM memory_terms_pages; DELETE FROM memory_terms_changed; DELETE FROM memory_terms_state;",
    )
}
