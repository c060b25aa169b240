//! Whether words were removed from a file since it was vacuumed last.
//!
//! SQLite may keep a copy of what it moved between pages, and programs that delete without overwriting keep all of it.
//! Every removal is counted, by triggers in plain SQL. So a forgetting vacuums a file only where there may be a copy.

use std::fmt::Write as _;

use rusqlite::Connection;

use super::artifacts::tables as artifacts;
use super::edges;
use super::memory::mirror::tables::{FILLS, SPOT, SYNC};
use super::memory::tables::has_profile_of_the_seed;
use crate::base::spread::Spread;

/// The tables that hold words, with their columns of words, and how a row is displaced by another one.
const WORDED: [(&str, &str, Displaced); 16] = [
    (
        "memories",
        "category, content, metadata, source, origin, session, speaker, terms, subject, slot, cites",
        Displaced::ByOldNumber,
    ),
    ("user_profile", "key, value", Displaced::ByKey(&["key"])),
    ("guest_profile", "key, value", Displaced::ByKey(&["user_id", "agent_id", "key"])),
    ("memory_learnings", "content, context", Displaced::Never),
    ("memory_methods", "name, class, body", Displaced::Never),
    ("memory_cases", "content, outcome", Displaced::Never),
    ("memory_outcomes", "outcome", Displaced::Never),
    ("memory_roles", "role, subject, content, reflection", Displaced::Never),
    ("memory_preferences", "dimension, statement, tools, words", Displaced::Never),
    ("memory_audit", "source, origin, reason", Displaced::Never),
    ("memory_decisions", "reason, changes", Displaced::Never),
    ("memory_documents", "path, content", Displaced::ByKey(&["user_id", "agent_id", "path"])),
    (
        "memory_document_versions",
        "path, content",
        Displaced::ByKey(&["user_id", "agent_id", "path", "version"]),
    ),
    ("workspace_state", "name, content", Displaced::ByKey(&["user_id", "agent_id", "name"])),
    ("indexed_documents", "path", Displaced::ByKey(&["user_id", "agent_id", "path"])),
    ("memory_chunks", "content, terms", Displaced::Never),
];

/// `INSERT OR REPLACE` deletes a row without the trigger of a deletion.
#[derive(Clone, Copy)]
enum Displaced {
    /// Its rows have numbers, which nobody chooses.
    Never,
    /// A row whose number was given before is in the place of another one. A new number costs next to nothing.
    ByOldNumber,
    ByKey(&'static [&'static str]),
}

/// Returns the triggers, each by its name. A profile of another program is none of ours.
fn triggers(connection: &Connection) -> rusqlite::Result<impl Iterator<Item = (String, String)>> {
    let has_profile = has_profile_of_the_seed(connection)?;
    // A displaced edge leaves the same words.
    let edges = (edges::table(connection)?, "dst_entity_kind, dst_entity_key", Displaced::Never);
    let artifacts =
        (artifacts::table(connection)?, "title, data, error, session_id", Displaced::ByKey(&["id"]));
    let mut mirror = Vec::new();
    for of in [FILLS, SPOT, SYNC] {
        mirror.extend(of.standing(connection)?.map(|table| (table, of.words, Displaced::Never)));
    }
    let worded = WORDED
        .into_iter()
        .filter(move |(table, ..)| has_profile || *table != "user_profile")
        .chain([edges, artifacts])
        .chain(mirror);
    Ok(worded.spread(|(table, columns, displaced)| {
        let trigger = |name: &str, event: &str| {
            let name = format!("{table}_{name}");
            let sql = format!(
                "CREATE TRIGGER {name} {event} BEGIN UPDATE file_commits SET removals = removals + 1; END"
            );
            (name, sql)
        };
        let displaced = match displaced {
            Displaced::Never => None,
            Displaced::ByOldNumber => Some(format!(
                "AFTER INSERT ON {table} WHEN new.id <= (SELECT seq FROM sqlite_sequence WHERE name = '{table}')"
            )),
            Displaced::ByKey(key) => {
                let is_equal: Vec<String> =
                    key.iter().map(|column| format!("{column} = new.{column}")).collect();
                let is_equal = is_equal.join(" AND ");
                Some(format!(
                    "BEFORE INSERT ON {table} WHEN EXISTS (SELECT 1 FROM {table} WHERE {is_equal})"
                ))
            }
        };
        [
            Some(trigger("removed", &format!("AFTER DELETE ON {table}"))),
            Some(trigger("reworded", &format!("AFTER UPDATE OF {columns} ON {table}"))),
            displaced.map(|event| trigger("displaced", &event)),
        ]
        .into_iter()
        .flatten()
    }))
}

/// Makes the triggers. Nothing is known of what another program removed before.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(
        "UPDATE file_commits SET removals = 1
         WHERE EXISTS (SELECT 1 FROM memories) OR EXISTS (SELECT 1 FROM user_profile)",
    )?;
    put_triggers(connection)
}

/// Returns whether the triggers exist as they were made.
pub(super) fn are_mended(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement =
        connection.prepare_cached("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND name = ?1")?;
    for (name, sql) in triggers(connection)? {
        let mut found = statement.query([name])?;
        let is_ours = match found.next()? {
            Some(row) => row.get_ref(0)?.as_str().is_ok_and(|found| found == sql),
            None => false,
        };
        if !is_ours {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Puts triggers back that are not as they were made: rows may have been removed without them.
pub(super) fn mend(connection: &Connection) -> rusqlite::Result<()> {
    if are_mended(connection)? {
        return Ok(());
    }
    connection.execute_batch("UPDATE file_commits SET removals = removals + 1")?;
    put_triggers(connection)
}

pub(super) fn put_triggers(connection: &Connection) -> rusqlite::Result<()> {
    let mut all = String::new();
    for (name, sql) in triggers(connection)? {
        let _ = write!(all, "DROP TRIGGER IF EXISTS {name}; {sql};");
    }
    connection.execute_batch(&all)
}

/// Returns the number of removals, where any followed the last vacuum.
pub(super) fn since_vacuum(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    connection.prepare_cached("SELECT removals, vacuumed FROM file_commits")?.query_row([], |found| {
        let (removals, vacuumed): (i64, i64) = (found.get(0)?, found.get(1)?);
        Ok((removals != vacuumed).then_some(removals))
    })
}

/// Records that the file was vacuumed, with the number of removals.
pub(super) fn were_vacuumed(connection: &Connection, removals: i64) -> rusqlite::Result<()> {
    connection.prepare_cached("UPDATE file_commits SET vacuumed = ?1")?.execute([removals]).map(drop)
}
