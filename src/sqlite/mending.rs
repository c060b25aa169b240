//! The writes that a doctor may make in a database: an authorizer on the connection denies all others.
//!
//! Indexes of words and vectors may be made anew, since they are derived, and edges may be added. A line may be added to the audit. A
//! method may go into quarantine: that none leaves it, a trigger sees to. No row, fact, document, preference, reflection or line of
//! the audit is changed or removed, whatever a statement says.

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use super::database::Database;
use super::edges;
use super::error::fold;
use crate::base::error::Result;

/// Tables that are made from rows and documents, and can be made again.
const DERIVED: [&str; 8] = [
    "chunk_generations",
    "chunk_vectors",
    "memory_edge_keys",
    "memories_fts",
    "memory_chunks_fts",
    "memory_terms_",
    "memory_vector",
    "memory_generations",
];

/// Columns of rows that hold what is derived from their words.
const DERIVED_COLUMNS: [&str; 2] = ["terms", "signature"];

/// Carries out a change under the rules of a doctor.
pub(super) fn mend<T>(database: &Database, change: impl FnOnce() -> Result<T>) -> Result<T> {
    let guard = |on: bool| {
        let hook = on.then_some(|context: AuthContext<'_>| judge(&context.action));
        database.lock().authorizer(hook).map_err(|error| fold("guard", database.file(), error))
    };
    guard(true)?;
    let changed = change();
    guard(false)?;
    changed
}

fn judge(action: &AuthAction<'_>) -> Authorization {
    let is_derived = |table: &str| DERIVED.iter().any(|derived| table.starts_with(derived));
    let is_allowed = match action {
        AuthAction::Insert { table_name } => {
            is_derived(table_name) || ["memory_audit", edges::SEEDS, edges::OURS].contains(table_name)
        }
        AuthAction::Delete { table_name } => is_derived(table_name),
        AuthAction::Update { table_name, column_name } => {
            is_derived(table_name)
                || (*table_name == "memories" && DERIVED_COLUMNS.contains(column_name))
                || (*table_name == "memory_methods" && ["quarantine", "updated_at"].contains(column_name))
                || *table_name == "file_commits"
                || *table_name == "sqlite_sequence"
        }
        AuthAction::Select
        | AuthAction::Read { .. }
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::Function { .. }
        | AuthAction::Recursive => true,
        AuthAction::Pragma { pragma_name, pragma_value } => {
            pragma_value.is_none() || ["wal_checkpoint", "integrity_check"].contains(pragma_name)
        }
        _ => false,
    };
    if is_allowed { Authorization::Allow } else { Authorization::Deny }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// DC-09
    #[test]
    fn a_doctor_can_neither_remove_nor_change_what_was_remembered() {
        let database = super::super::open::in_memory(super::super::open::PATIENCE, None).unwrap();
        let run =
            |sql: &str| mend(&database, || database.read("try", |connection| connection.execute_batch(sql)));
        let put = "INSERT INTO memories (category, content) VALUES ('fact', 'Likes tea')";
        database.read("write", |connection| connection.execute_batch(put)).unwrap();
        let furnish = "
            INSERT INTO memory_methods (user_id, agent_id, name, class, body, normal, confidence, created_at, updated_at)
                VALUES ('', '', 'a', 'b', 'c', 'd', .5, '', '');
            INSERT INTO memory_preferences (user_id, agent_id, dimension, kind, state, statement, tools, words, normal,
                created_at) VALUES ('', '', 'x', 'hard_constraint', 'proposed', 'x', '[]', '[]', 'x', '');
            INSERT INTO memory_roles (user_id, agent_id, role, content, class, reflection, reflected_at, created_at)
                VALUES ('', '', 'a', 'b', 'success', 'c', 'd', '');";
        database.read("write", |connection| connection.execute_batch(furnish)).unwrap();
        for sql in [
            "DELETE FROM memories",
            "UPDATE memories SET content = 'x'",
            "UPDATE memories SET fact_state = 'verified'",
            "UPDATE memories SET deleted_at = 'x'",
            put,
            "DELETE FROM memory_audit",
            "UPDATE memory_audit SET reason = 'x'",
            "UPDATE memory_methods SET graduated_by = 'human', graduated_at = 'x'",
            "UPDATE memory_methods SET quarantine = 0",
            "UPDATE memory_methods SET confidence = 1",
            "INSERT INTO memory_preferences (user_id, agent_id, dimension, kind, state, statement, tools, words, normal,
                created_at) VALUES ('', '', 'x', 'hard_constraint', 'active', 'x', '[]', '[]', 'y', '')",
            "UPDATE memory_preferences SET state = 'active'",
            "UPDATE memory_roles SET reflection = 'x'",
            "DELETE FROM memory_roles",
            "DELETE FROM memory_methods",
            "DELETE FROM memory_preferences",
            "DELETE FROM memory_edges",
            "DELETE FROM memory_documents",
            "UPDATE user_profile SET value = 'x'",
            "DELETE FROM memory_tombstones",
            "DELETE FROM memory_decisions",
            "DROP TABLE memories",
            "CREATE TABLE methodologies (id)",
            "ATTACH ':memory:' AS other",
            "PRAGMA user_version = 99",
        ] {
            assert!(run(sql).is_err(), "{sql}");
        }
        run("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')").unwrap();
        run("INSERT INTO memory_audit (created_at, user_id, agent_id, actor, action, outcome) VALUES ('', '', '', '', '', '')")
            .unwrap();
        database.read("delete", |connection| connection.execute_batch("DELETE FROM memories")).unwrap();
    }
}
