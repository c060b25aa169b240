//! The tables of a store: the seed's, by its names, with columns beside its own.
//!
//! Any SQLite shell can read them and add a row, because no trigger, index or view calls code of this
//! library. Further searched words are in the column `terms`.

use rusqlite::Connection;

use super::{echoes, row, saying, terms, vectors};
use crate::sqlite::columns::ReadAll;
use crate::store::fact;

const SEED: &str = "
    CREATE TABLE IF NOT EXISTS memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        category TEXT NOT NULL,
        content TEXT NOT NULL,
        metadata TEXT,
        source TEXT,
        deleted_at TEXT,
        created_at TEXT NOT NULL DEFAULT (datetime('now')),
        updated_at TEXT NOT NULL DEFAULT (datetime('now'))
    );
    CREATE TABLE IF NOT EXISTS user_profile (
        key TEXT PRIMARY KEY,
        value TEXT NOT NULL,
        updated_at TEXT NOT NULL DEFAULT (datetime('now'))
    );
";

/// Columns that the seed's table lacked once, then ours. Empty ids are those of the user whose file it is.
const COLUMNS: &[(&str, &str)] = &[
    ("metadata", "TEXT"),
    ("source", "TEXT"),
    ("deleted_at", "TEXT"),
    ("user_id", "TEXT NOT NULL DEFAULT ''"),
    ("agent_id", "TEXT NOT NULL DEFAULT ''"),
    ("shared", "INTEGER NOT NULL DEFAULT 0"),
    ("origin", "TEXT"),
    ("session", "TEXT"),
    ("position", "INTEGER"),
    ("role", "TEXT"),
    ("speaker", "TEXT"),
    ("said_at", "TEXT"),
    ("terms", "TEXT"),
    ("pinned", "INTEGER NOT NULL DEFAULT 0"),
    // The row as a fact, with its origin. `normal` and `fact_key` are compared between facts.
    ("fact_state", "TEXT"),
    ("retired_at", "TEXT"),
    ("successor", "INTEGER"),
    ("valid_from", "TEXT"),
    ("valid_until", "TEXT"),
    ("subject", "TEXT"),
    ("slot", "TEXT"),
    ("cardinality", "TEXT"),
    ("fact_key", "TEXT"),
    ("normal", "TEXT"),
    ("cites", "TEXT"),
    ("dream", "TEXT"),
    saying::COLUMN,
];

/// A word of metadata is believed once, of rows that another program wrote. (seed 003, Schema)
const SOURCES: &str = "
    UPDATE memories SET source = json_extract(metadata, '$.source')
    WHERE source IS NULL AND json_valid(metadata) AND json_type(metadata, '$.source') = 'text';
";

const OURS: &str = "
    CREATE TABLE memory_owner (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL
    );
    CREATE TABLE guest_profile (
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        key TEXT NOT NULL,
        value TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        PRIMARY KEY (user_id, agent_id, key)
    ) WITHOUT ROWID;
    CREATE TABLE memory_audit (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        created_at TEXT NOT NULL,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        actor TEXT NOT NULL,
        session_kind TEXT,
        action TEXT NOT NULL,
        outcome TEXT NOT NULL,
        memory_id INTEGER,
        source TEXT,
        origin TEXT,
        reason TEXT
    );
    CREATE VIEW IF NOT EXISTS audit_log AS
        SELECT id, action AS tool_call, actor, outcome, memory_id, source, origin, reason, created_at
        FROM memory_audit;

    CREATE VIEW main_memories AS
        SELECT * FROM memories WHERE deleted_at IS NULL AND retired_at IS NULL;
    CREATE VIEW shared_memories AS
        SELECT * FROM memories WHERE deleted_at IS NULL AND retired_at IS NULL AND shared = 1;

    CREATE INDEX idx_memories_place ON memories (user_id, agent_id, session, position)
        WHERE session IS NOT NULL;
    CREATE INDEX idx_memories_unread ON memories (id) WHERE terms IS NULL;
    CREATE INDEX IF NOT EXISTS idx_memories_pinned ON memories (user_id, agent_id, updated_at, id)
        WHERE pinned > 0 AND deleted_at IS NULL AND retired_at IS NULL;
    CREATE INDEX IF NOT EXISTS idx_memories_pending ON memories (user_id, agent_id, id)
        WHERE fact_state = 'pending' AND deleted_at IS NULL;
    CREATE INDEX IF NOT EXISTS idx_memories_normal ON memories (normal) WHERE normal IS NOT NULL;
    CREATE INDEX IF NOT EXISTS idx_memories_key ON memories (fact_key) WHERE fact_key IS NOT NULL;
    CREATE INDEX IF NOT EXISTS idx_memories_successor ON memories (successor) WHERE successor IS NOT NULL;
    CREATE INDEX IF NOT EXISTS idx_memories_dream ON memories (dream) WHERE dream IS NOT NULL;

    CREATE TABLE IF NOT EXISTS memory_suspects (
        older_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
        newer_id INTEGER NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
        reason TEXT NOT NULL,
        closed_by INTEGER,
        PRIMARY KEY (newer_id, older_id)
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS idx_suspects_older ON memory_suspects (older_id);
    CREATE TABLE IF NOT EXISTS memory_decisions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        created_at TEXT NOT NULL,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        actor TEXT NOT NULL,
        session_kind TEXT,
        decision TEXT NOT NULL,
        older_id INTEGER,
        newer_id INTEGER,
        outcome TEXT NOT NULL,
        reason TEXT,
        reverts INTEGER,
        retired INTEGER NOT NULL,
        changes TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS idx_events_retired ON memory_decisions (user_id, agent_id, created_at)
        WHERE retired > 0;
    -- The decisions on a pair. Sweeps name none, and are most of the events.
    CREATE INDEX IF NOT EXISTS idx_events_pair ON memory_decisions (older_id, newer_id)
        WHERE older_id IS NOT NULL;
    -- The view has the seed's name, and is replaced by a table of another program with that name.
    CREATE VIEW IF NOT EXISTS memory_consolidation_events AS
        SELECT id, created_at, actor, decision, older_id, newer_id, outcome, reason, reverts, retired
        FROM memory_decisions;
    -- Whatever a program tries: what a human typed, confirmed or pinned is retired by a decision of theirs alone.
    CREATE TRIGGER IF NOT EXISTS memories_protected BEFORE UPDATE OF retired_at ON memories
    WHEN new.retired_at IS NOT NULL AND old.retired_at IS NULL
        AND (old.source = 'user_manual' OR old.pinned > 0 OR old.fact_state = 'verified')
        AND NOT EXISTS (SELECT 1 FROM memory_decisions
            WHERE id = (SELECT max(id) FROM memory_decisions)
            AND actor = 'human' AND outcome = 'applied')
    BEGIN
        SELECT RAISE(ABORT, 'only the human retires this row');
    END;
    -- The columns of the key stand first: a shell before SQLite 3.41 takes a table without row ids for damaged where
    -- they do not.
    CREATE TABLE IF NOT EXISTS memory_tombstones (
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        digest TEXT NOT NULL,
        words INTEGER NOT NULL,
        mark INTEGER NOT NULL,
        PRIMARY KEY (user_id, agent_id, digest)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS memory_tombstone_keys (
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        key TEXT NOT NULL,
        PRIMARY KEY (user_id, agent_id)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS memory_learnings (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        content TEXT NOT NULL,
        context TEXT,
        normal TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (user_id, agent_id, normal)
    );
    CREATE VIEW IF NOT EXISTS learnings AS SELECT id, content, context, created_at FROM memory_learnings;
";

/// The index holds only the rows that a search may return: words of deleted and retired rows count in no
/// frequency.
const INDEX: &str = "
    CREATE VIEW found_memories AS
        SELECT id, content, category, terms FROM memories WHERE deleted_at IS NULL AND retired_at IS NULL;
    CREATE VIRTUAL TABLE memories_fts USING fts5(
        content, category, terms, content='found_memories', content_rowid='id', tokenize='porter unicode61'
    );
    CREATE INDEX IF NOT EXISTS idx_memories_shared ON memories (user_id, agent_id)
        WHERE shared = 1 AND deleted_at IS NULL AND retired_at IS NULL;
";

/// The index of another program is made anew when all columns are there.
const NO_INDEX: &str = "
    DROP TRIGGER IF EXISTS memories_ai;
    DROP TRIGGER IF EXISTS memories_ad;
    DROP TRIGGER IF EXISTS memories_au;
    DROP TABLE IF EXISTS memories_fts;
";

/// The update trigger skips a change that touches neither the text nor whether the row is found: a touch costs no
/// indexing.
const TRIGGERS: &str = "
    DROP TRIGGER IF EXISTS memories_ai;
    DROP TRIGGER IF EXISTS memories_ad;
    DROP TRIGGER IF EXISTS memories_au;
    CREATE TRIGGER memories_ai AFTER INSERT ON memories
    WHEN new.deleted_at IS NULL AND new.retired_at IS NULL BEGIN
        INSERT INTO memories_fts (rowid, content, category, terms)
        VALUES (new.id, new.content, new.category, new.terms);
    END;
    CREATE TRIGGER memories_ad AFTER DELETE ON memories
    WHEN old.deleted_at IS NULL AND old.retired_at IS NULL BEGIN
        INSERT INTO memories_fts (memories_fts, rowid, content, category, terms)
        VALUES ('delete', old.id, old.content, old.category, old.terms);
    END;
    CREATE TRIGGER memories_au AFTER UPDATE OF content, category, terms, deleted_at, retired_at ON memories
    WHEN old.content IS NOT new.content OR old.category IS NOT new.category OR old.terms IS NOT new.terms
        OR (old.deleted_at IS NULL AND old.retired_at IS NULL)
            <> (new.deleted_at IS NULL AND new.retired_at IS NULL) BEGIN
        INSERT INTO memories_fts (memories_fts, rowid, content, category, terms)
        SELECT 'delete', old.id, old.content, old.category, old.terms
        WHERE old.deleted_at IS NULL AND old.retired_at IS NULL;
        INSERT INTO memories_fts (rowid, content, category, terms)
        SELECT new.id, new.content, new.category, new.terms
        WHERE new.deleted_at IS NULL AND new.retired_at IS NULL;
    END;
";

/// Makes the tables, around those of the seed where these exist already.
pub(crate) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(SEED)?;
    add_columns(connection)?;
    connection.execute_batch(SOURCES)?;
    connection.execute_batch(NO_INDEX)?;
    connection.execute_batch(OURS)?;
    read_terms(connection)?;
    read_normals(connection)?;
    connection.execute_batch(INDEX)?;
    rebuild(connection)?;
    connection.execute_batch(TRIGGERS)?;
    saying::make(connection)?;
    terms::make(connection)?;
    vectors::make(connection)?;
    echoes::make(connection)
}

/// Adds those columns to the seed's table that are not there.
fn add_columns(connection: &Connection) -> rusqlite::Result<()> {
    let standing = columns(connection, "memories")?;
    for (column, declaration) in COLUMNS {
        if !standing.iter().any(|name| name == column) {
            connection.execute_batch(&format!("ALTER TABLE memories ADD COLUMN {column} {declaration}"))?;
        }
    }
    Ok(())
}

/// Writes the form in which rows of other programs are compared as facts.
fn read_normals(connection: &Connection) -> rusqlite::Result<()> {
    let rows: Vec<(i64, String, String)> = {
        let mut statement =
            connection.prepare("SELECT id, category, content FROM memories WHERE normal IS NULL")?;
        let rows = statement.query([])?;
        rows.all(|found| Ok((found.get(0)?, row::text(found, 1)?, row::text(found, 2)?)))?
    };
    let mut write = connection.prepare("UPDATE memories SET normal = ?2 WHERE id = ?1")?;
    for (id, category, content) in rows {
        if let Some(normal) = fact::normal(&category, &content, None) {
            write.execute((id, normal))?;
        }
    }
    Ok(())
}

/// Returns whether another program made the seed's table here.
pub(crate) fn are_the_seeds(connection: &Connection) -> rusqlite::Result<bool> {
    let standing = columns(connection, "memories")?;
    let needed = ["id", "category", "content", "created_at", "updated_at"];
    Ok(needed.iter().all(|column| standing.iter().any(|name| name == column)) && are_ids_numbers(connection)?)
}

fn are_ids_numbers(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT 1 FROM pragma_table_info('memories')
        WHERE name = 'id' AND pk = 1 AND upper(type) = 'INTEGER'
            AND (SELECT count(*) FROM pragma_table_info('memories') WHERE pk > 0) = 1";
    connection.prepare(sql)?.exists([])
}

/// Returns whether the table `user_profile` has the seed's columns. Another program may have one of its own, which is left
/// alone.
pub(in crate::sqlite) fn has_profile_of_the_seed(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT (SELECT count(*) FROM pragma_table_info('user_profile')
            WHERE name IN ('value', 'updated_at') OR (name = 'key' AND pk = 1)) = 3
        AND NOT EXISTS (SELECT 1 FROM pragma_table_info('user_profile')
            WHERE name NOT IN ('key', 'value', 'updated_at') AND ((\"notnull\" AND dflt_value IS NULL) OR pk > 0))";
    connection.query_row(sql, [], |row| row.get(0))
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
    statement.query([table])?.all(|row| row.get(0))
}

/// Makes the index anew from the rows.
pub(super) fn rebuild(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
}

/// Returns whether the triggers exist as they were made.
pub(super) fn are_mended(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(tell_changes(connection)? && stand(connection, &[saying::TRIGGER_NAME], &[saying::TRIGGER])?)
}

/// Returns whether the triggers that report changed rows exist.
fn tell_changes(connection: &Connection) -> rusqlite::Result<bool> {
    let names: Vec<&str> = TRIGGER_NAMES.into_iter().chain(vectors::TRIGGER_NAMES).collect();
    stand(connection, &names, &[TRIGGERS, terms::TRIGGERS, vectors::TRIGGERS])
}

/// Returns whether triggers of these names exist, each as it is in one of the texts.
fn stand(connection: &Connection, names: &[&str], texts: &[&str]) -> rusqlite::Result<bool> {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let sql =
        format!("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name IN ({})", quoted.join(", "));
    let mut statement = connection.prepare_cached(&sql)?;
    let standing: Vec<String> = statement.query([])?.all(|row| row.get(0))?;
    let is_ours = |trigger: &String| texts.iter().any(|all| all.contains(trigger));
    Ok(standing.len() == names.len() && standing.iter().all(is_ours))
}

const TRIGGER_NAMES: [&str; 6] =
    ["memories_ai", "memories_ad", "memories_au", "memory_terms_ai", "memory_terms_ad", "memory_terms_au"];

/// Puts triggers back that are not as they were made; returns whether rows may have changed that none saw. Then no
/// vector is trusted.
pub(super) fn mend_triggers(connection: &Connection) -> rusqlite::Result<bool> {
    if are_mended(connection)? {
        return Ok(false);
    }
    let is_behind = !tell_changes(connection)?;
    if is_behind {
        connection.execute_batch(TRIGGERS)?;
        connection.execute_batch(terms::TRIGGERS)?;
        connection.execute_batch(vectors::TRIGGERS)?;
        vectors::distrust(connection)?;
    }
    saying::renew(connection)?;
    Ok(is_behind)
}

/// Returns whether the newest row and the newest indexed row differ. This check costs nothing, and sees rows that
/// were added or removed while there were no triggers.
pub(super) fn has_drifted(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT (SELECT id FROM found_memories ORDER BY id DESC LIMIT 1)
           IS NOT (SELECT max(id) FROM memories_fts_docsize)",
        [],
        |row| row.get(0),
    )
}

/// Returns whether rows wait for their terms: another program wrote them.
pub(super) fn has_unread(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM memories WHERE terms IS NULL LIMIT 1")?.exists([])
}

/// Takes in rows that another program wrote: what they are found by, and compared by. Returns which.
pub(super) fn read_others(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let others = read_terms(connection)?;
    if !others.is_empty() {
        read_normals(connection)?;
        saying::sign(connection)?;
    }
    Ok(others)
}

/// Writes the terms of rows that another program wrote; returns which.
fn read_terms(connection: &Connection) -> rusqlite::Result<Vec<i64>> {
    let unread: Vec<i64> = {
        let mut statement = connection.prepare("SELECT id FROM memories WHERE terms IS NULL")?;
        statement.query([])?.all(|row| row.get(0))?
    };
    let mut read = connection.prepare("SELECT content, speaker, said_at FROM memories WHERE id = ?1")?;
    let mut write = connection.prepare("UPDATE memories SET terms = ?2 WHERE id = ?1")?;
    for id in &unread {
        let terms = read.query_row([id], |found| {
            let said_at = row::time(found, 2)?;
            Ok(row::terms(&row::text(found, 0)?, row::maybe(found, 1)?.as_deref(), said_at))
        })?;
        write.execute((id, terms))?;
    }
    Ok(unread)
}
