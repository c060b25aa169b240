//! The tables of the learning loop, and views of them under the seed's names.
//!
//! The seed names its tables and some columns, and no more. So our tables have their own names. A table of another program
//! under a name of the seed is left alone: no view replaces it.

use rusqlite::Connection;

/// Empty ids are those of the user whose file it is. `normal` is compared between methods.
const METHODS: &str = "
    CREATE TABLE IF NOT EXISTS memory_methods (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        name TEXT NOT NULL,
        class TEXT NOT NULL,
        body TEXT NOT NULL,
        normal TEXT NOT NULL,
        confidence REAL NOT NULL,
        times_used INTEGER NOT NULL DEFAULT 0,
        successes INTEGER NOT NULL DEFAULT 0,
        quarantine INTEGER NOT NULL DEFAULT 1,
        graduated_by TEXT,
        graduated_at TEXT,
        created_at TEXT NOT NULL,
        updated_at TEXT NOT NULL,
        UNIQUE (user_id, agent_id, normal)
    );
    CREATE TABLE IF NOT EXISTS memory_cases (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        method_id INTEGER NOT NULL,
        content TEXT NOT NULL,
        outcome TEXT,
        created_at TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS idx_cases_method ON memory_cases (method_id, id);
    CREATE TABLE IF NOT EXISTS memory_outcomes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        outcome TEXT NOT NULL,
        ending TEXT NOT NULL,
        methods TEXT NOT NULL,
        created_at TEXT NOT NULL,
        UNIQUE (user_id, agent_id, outcome)
    );
    CREATE TABLE IF NOT EXISTS memory_preferences (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        dimension TEXT NOT NULL,
        kind TEXT NOT NULL,
        state TEXT NOT NULL,
        statement TEXT NOT NULL,
        tools TEXT NOT NULL,
        words TEXT NOT NULL,
        normal TEXT NOT NULL,
        approved_by TEXT,
        approved_at TEXT,
        memory_id INTEGER,
        created_at TEXT NOT NULL,
        UNIQUE (user_id, agent_id, normal)
    );
    CREATE TABLE IF NOT EXISTS memory_roles (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        user_id TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        role TEXT NOT NULL,
        subject TEXT,
        content TEXT NOT NULL,
        class TEXT,
        reflection TEXT,
        reflected_at TEXT,
        created_at TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS idx_roles_pending ON memory_roles (user_id, agent_id, id) WHERE reflected_at IS NULL;
    CREATE TRIGGER IF NOT EXISTS memory_roles_reflected BEFORE UPDATE OF class, reflection, reflected_at ON memory_roles
    WHEN old.reflected_at IS NOT NULL
    BEGIN
        SELECT RAISE(ABORT, 'a reflection is not rewritten');
    END;
    -- Whatever a program tries: a preference counts, and ceases to, by the word of the human alone.
    CREATE TRIGGER IF NOT EXISTS memory_preferences_approved BEFORE UPDATE ON memory_preferences
    WHEN NOT EXISTS (SELECT 1 FROM memory_audit WHERE id = (SELECT max(id) FROM memory_audit)
            AND actor = 'human' AND session_kind = 'main' AND outcome = 'done'
            AND action IN ('preference_approve', 'preference_withdraw'))
    BEGIN
        SELECT RAISE(ABORT, 'only the human decides on a preference');
    END;
    CREATE TRIGGER IF NOT EXISTS memory_preferences_proposed BEFORE INSERT ON memory_preferences
    WHEN new.state <> 'proposed' OR new.approved_by IS NOT NULL
    BEGIN
        SELECT RAISE(ABORT, 'a preference begins as a proposal');
    END;
    -- Whatever a program tries: a method leaves quarantine, and graduates, by the word of the human alone.
    CREATE TRIGGER IF NOT EXISTS memory_methods_judged
    BEFORE UPDATE OF quarantine, graduated_by, graduated_at ON memory_methods
    WHEN (new.quarantine < old.quarantine
            OR (new.graduated_by IS NOT NULL AND new.graduated_at IS NOT old.graduated_at))
        AND NOT EXISTS (SELECT 1 FROM memory_audit WHERE id = (SELECT max(id) FROM memory_audit)
            AND actor = 'human' AND session_kind = 'main' AND outcome = 'done'
            AND action IN ('method_graduate', 'method_lift'))
    BEGIN
        SELECT RAISE(ABORT, 'only the human graduates a method');
    END;
    CREATE TRIGGER IF NOT EXISTS memory_methods_created BEFORE INSERT ON memory_methods
    WHEN new.quarantine < 1 OR new.graduated_by IS NOT NULL
    BEGIN
        SELECT RAISE(ABORT, 'a method begins in quarantine');
    END;
    CREATE VIEW IF NOT EXISTS methodologies AS
        SELECT id, name, body, class AS asset_class, confidence, quarantine, times_used, successes, created_at,
            updated_at
        FROM memory_methods;
    CREATE VIEW IF NOT EXISTS learned_preferences AS
        SELECT id, dimension, kind, state, statement, approved_by, approved_at, created_at FROM memory_preferences;
    CREATE VIEW IF NOT EXISTS role_memory AS
        SELECT id, role, subject, content, class, reflection, reflected_at, created_at FROM memory_roles;
";

/// Adds where methods are kept.
pub(in crate::sqlite) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(METHODS)
}
