//! The tables of a workspace: documents and their earlier versions, states, leases.

use rusqlite::Connection;

const TABLES: &str = "
    CREATE TABLE memory_documents (
        id TEXT NOT NULL PRIMARY KEY,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL DEFAULT '',
        path TEXT NOT NULL,
        content NOT NULL,
        revision TEXT NOT NULL,
        size INTEGER NOT NULL,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        modified_ns INTEGER NOT NULL,
        UNIQUE (user_id, agent_id, path)
    );
    CREATE INDEX idx_documents_user ON memory_documents (user_id, agent_id);
    CREATE INDEX idx_documents_path ON memory_documents (path);

    CREATE TABLE memory_document_versions (
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        path TEXT NOT NULL,
        version INTEGER NOT NULL,
        content NOT NULL,
        revision TEXT NOT NULL,
        replaced_at TEXT NOT NULL,
        PRIMARY KEY (user_id, agent_id, path, version)
    ) WITHOUT ROWID;

    CREATE TABLE workspace_state (
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        name TEXT NOT NULL,
        content NOT NULL,
        size INTEGER NOT NULL,
        modified_ns INTEGER NOT NULL,
        PRIMARY KEY (user_id, agent_id, name)
    ) WITHOUT ROWID;

    CREATE TABLE workspace_leases (
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        token TEXT NOT NULL,
        pid INTEGER NOT NULL,
        hostname TEXT NOT NULL,
        acquired_at TEXT NOT NULL,
        PRIMARY KEY (user_id, agent_id)
    ) WITHOUT ROWID;
";

/// Makes the tables.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)
}
