//! The tables of artifacts.

use rusqlite::Connection;

/// The table where its name is free or ours, and where it is not.
pub(super) const SEEDS: &str = "chat_artifacts";
const OURS: &str = "memory_artifacts";

/// Makes the tables.
pub(in crate::sqlite) fn make(connection: &Connection) -> rusqlite::Result<()> {
    let name = if has_table(connection, SEEDS)? { OURS } else { SEEDS };
    connection.execute_batch(&format!(
        "CREATE TABLE IF NOT EXISTS {name} (
             number INTEGER PRIMARY KEY AUTOINCREMENT,
             id TEXT NOT NULL UNIQUE,
             user_id TEXT NOT NULL,
             agent_id TEXT NOT NULL DEFAULT '',
             type TEXT NOT NULL,
             status TEXT NOT NULL DEFAULT 'running',
             title TEXT NOT NULL DEFAULT '',
             session_id TEXT,
             is_shared INTEGER NOT NULL DEFAULT 0,
             data TEXT,
             size INTEGER NOT NULL DEFAULT 0,
             error TEXT,
             created_at TEXT NOT NULL,
             updated_at TEXT NOT NULL
         );
         CREATE INDEX IF NOT EXISTS idx_artifacts_scope ON {name} (user_id, agent_id, created_at, id);
         CREATE TABLE IF NOT EXISTS memory_artifact_audit (
             number INTEGER PRIMARY KEY AUTOINCREMENT,
             created_at TEXT NOT NULL,
             user_id TEXT NOT NULL,
             agent_id TEXT NOT NULL DEFAULT '',
             actor TEXT NOT NULL,
             session_kind TEXT NOT NULL,
             action TEXT NOT NULL,
             artifact_id TEXT NOT NULL
         );
         CREATE INDEX IF NOT EXISTS idx_artifact_audit_id ON memory_artifact_audit (artifact_id);"
    ))
}

/// Returns the name of the table of artifacts.
pub(in crate::sqlite) fn table(connection: &Connection) -> rusqlite::Result<&'static str> {
    Ok(if has_table(connection, OURS)? { OURS } else { SEEDS })
}

fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")?.exists([name])
}
