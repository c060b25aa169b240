//! The table of edges, which rows and chunks share: the seed's `memory_edges`, or one beside it.
//!
//! Where another program has a table of that name with other columns, it stays as it is, and ours is `memory_row_edges`. No trigger
//! calls a function of this library, so any SQLite shell purges edges with their rows.
//!
//! Edges are found by their key in `memory_edge_keys`. It takes them in many at a time, in its order, since each would
//! be another page of a commit. The few that it does not have yet are looked through.

use std::fmt::Write as _;

use rusqlite::{Connection, ToSql};

use crate::edges::Edge;

/// The table where the seed's columns fit, and where they do not.
pub(super) const SEEDS: &str = "memory_edges";
pub(super) const OURS: &str = "memory_row_edges";

/// Our table of notes of roles.
const NOTES: &str = "memory_roles";

/// The seed's columns. (seed 003, Typed memory edges)
const COLUMNS: &str = "
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        src_table TEXT NOT NULL,
        src_id INTEGER NOT NULL,
        dst_entity_kind TEXT NOT NULL,
        dst_entity_key TEXT NOT NULL,
        edge_type TEXT NOT NULL,
        weight REAL NOT NULL DEFAULT 1.0,
        created_at TEXT NOT NULL DEFAULT (datetime('now')),
        UNIQUE(src_table, src_id, dst_entity_kind, dst_entity_key, edge_type)";

/// The source of an edge of a row, and of one of a chunk.
pub(super) const OF_ROWS: &str = "memories";
pub(super) const OF_CHUNKS: &str = "memory_chunks";
/// The source of an edge of a note of a role. (seed 003, Typed memory edges)
pub(super) const OF_NOTES: &str = "role_memory";

/// Makes the table, or takes over the seed's. Rows that are there already wait for their edges.
pub(super) fn make(connection: &Connection) -> rusqlite::Result<()> {
    let name = if has_table(connection, SEEDS)? && !fits(connection)? { OURS } else { SEEDS };
    connection.execute_batch(&format!(
        "CREATE TABLE IF NOT EXISTS {name} ({COLUMNS});
         CREATE TABLE memory_edges_due (
             one INTEGER PRIMARY KEY CHECK (one = 1),
             up_to INTEGER NOT NULL
         );
         INSERT INTO memory_edges_due (one, up_to)
             SELECT 1, max(id) FROM memories HAVING max(id) IS NOT NULL;
         CREATE TABLE memory_edge_keys (
             entity_key TEXT NOT NULL,
             src_table TEXT NOT NULL,
             src_id INTEGER NOT NULL,
             PRIMARY KEY (entity_key, src_table, src_id)
         ) WITHOUT ROWID;
         CREATE TABLE memory_edge_keys_state (
             one INTEGER PRIMARY KEY CHECK (one = 1),
             up_to INTEGER NOT NULL
         );
         INSERT INTO memory_edge_keys_state (one, up_to) VALUES (1, 0);"
    ))?;
    take_keys(connection, name)?;
    put_triggers(connection)
}

/// The most edges that wait for the table of keys.
const WAITING: i64 = 4096;

/// Takes the edges that wait into the table of keys.
fn take_keys(connection: &Connection, table: &str) -> rusqlite::Result<()> {
    let taken = format!(
        "INSERT OR IGNORE INTO memory_edge_keys (entity_key, src_table, src_id)
         SELECT dst_entity_key, src_table, src_id FROM {table}
         WHERE id > (SELECT up_to FROM memory_edge_keys_state) AND edge_type <> '{}' ORDER BY 1, 2, 3",
        Edge::CO_OCCURS_WITH
    );
    connection.prepare_cached(&taken)?.execute([])?;
    let up_to =
        format!("UPDATE memory_edge_keys_state SET up_to = coalesce((SELECT max(id) FROM {table}), 0)");
    connection.prepare_cached(&up_to)?.execute([]).map(drop)
}

/// Returns the name of the table of edges.
pub(super) fn table(connection: &Connection) -> rusqlite::Result<&'static str> {
    Ok(if fits(connection)? { SEEDS } else { OURS })
}

/// Returns whether the seed's table has columns that can be filled, and keeps each edge once.
fn fits(connection: &Connection) -> rusqlite::Result<bool> {
    const NEEDED: &str = "'src_table', 'src_id', 'dst_entity_kind', 'dst_entity_key', 'edge_type'";
    let sql = format!(
        "SELECT (SELECT count(*) FROM pragma_table_info('{SEEDS}')
              WHERE name IN ({NEEDED}, 'weight', 'created_at') OR (name = 'id' AND pk = 1)) = 8
          AND NOT EXISTS (SELECT 1 FROM pragma_table_info('{SEEDS}')
              WHERE name NOT IN ({NEEDED}, 'id', 'created_at') AND \"notnull\" AND dflt_value IS NULL)
          AND EXISTS (SELECT 1 FROM pragma_index_list('{SEEDS}') i WHERE i.\"unique\"
              AND (SELECT count(*) FROM pragma_index_info(i.name)) = 5
              AND (SELECT count(*) FROM pragma_index_info(i.name) c WHERE c.name IN ({NEEDED})) = 5)"
    );
    connection.query_row(&sql, [], |row| row.get(0))
}

fn has_table(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1")?.exists([name])
}

/// Returns the triggers, each by its name: edges go with their source, and where it reads otherwise.
fn triggers(connection: &Connection) -> rusqlite::Result<Vec<(&'static str, String)>> {
    let edges = table(connection)?;
    let gone = |source: &str, id: &str| {
        format!("DELETE FROM {edges} WHERE src_table = '{source}' AND src_id = old.{id};")
    };
    let mut triggers = vec![
        ("memory_edges_of_removed", format!("AFTER DELETE ON memories BEGIN {} END", gone(OF_ROWS, "id"))),
        (
            "memory_edges_of_changed",
            format!(
                "AFTER UPDATE OF content ON memories WHEN old.content IS NOT new.content BEGIN {} END",
                gone(OF_ROWS, "id")
            ),
        ),
        (
            "memory_edges_of_removed_chunk",
            format!("AFTER DELETE ON memory_chunks BEGIN {} END", gone(OF_CHUNKS, "number")),
        ),
        (
            "memory_edges_of_changed_chunk",
            format!(
                "AFTER UPDATE OF number, content ON memory_chunks
                 WHEN old.content IS NOT new.content OR old.number IS NOT new.number BEGIN {} END",
                gone(OF_CHUNKS, "number")
            ),
        ),
    ];
    // A text may lead to one key by more than one verb.
    let trigger = format!(
        "AFTER DELETE ON {edges} WHEN NOT EXISTS (SELECT 1 FROM {edges} WHERE src_table = old.src_table
                 AND src_id = old.src_id AND dst_entity_key = old.dst_entity_key) BEGIN
             DELETE FROM memory_edge_keys WHERE entity_key = old.dst_entity_key AND src_table = old.src_table
                 AND src_id = old.src_id; END"
    );
    triggers.push(("memory_edges_key_of_removed", trigger));
    if let Some(table) = table_of_notes(connection)? {
        let trigger = format!("AFTER DELETE ON {table} BEGIN {} END", gone(OF_NOTES, "id"));
        triggers.push(("memory_edges_of_removed_role", trigger));
    }
    let whole = |(name, body)| (name, format!("CREATE TRIGGER {name} {body}"));
    Ok(triggers.into_iter().map(whole).collect())
}

/// Returns the table of notes of roles: another program's `role_memory`, or ours, with a view of that name.
fn table_of_notes(connection: &Connection) -> rusqlite::Result<Option<&'static str>> {
    let sql = "SELECT 1 FROM pragma_table_info(?1) WHERE name = 'id'";
    for table in [OF_NOTES, NOTES] {
        if has_table(connection, table)? && connection.prepare(sql)?.exists([table])? {
            return Ok(Some(table));
        }
    }
    Ok(None)
}

/// Returns whether the edges of notes are those of our table.
pub(super) fn has_own_notes(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(table_of_notes(connection)? == Some(NOTES))
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

/// Puts triggers back that are not as they were made, and removes edges of rows and chunks that went without them.
pub(super) fn mend(connection: &Connection) -> rusqlite::Result<()> {
    if are_mended(connection)? {
        return Ok(());
    }
    put_triggers(connection)?;
    let edges = table(connection)?;
    connection.execute_batch(&format!(
        "DELETE FROM {edges} WHERE src_table = '{OF_ROWS}' AND src_id NOT IN (SELECT id FROM memories);
         DELETE FROM {edges} WHERE src_table = '{OF_CHUNKS}' AND src_id NOT IN (SELECT number FROM memory_chunks);
         DELETE FROM memory_edge_keys; UPDATE memory_edge_keys_state SET up_to = 0;"
    ))?;
    take_keys(connection, edges)?;
    let Some(notes) = table_of_notes(connection)? else { return Ok(()) };
    let orphans = format!(
        "DELETE FROM {edges} WHERE src_table = '{OF_NOTES}' AND src_id NOT IN (SELECT id FROM {notes})"
    );
    connection.execute(&orphans, []).map(drop)
}

fn put_triggers(connection: &Connection) -> rusqlite::Result<()> {
    let mut all = String::new();
    for (name, sql) in triggers(connection)? {
        let _ = write!(all, "DROP TRIGGER IF EXISTS {name}; {sql};");
    }
    connection.execute_batch(&all)
}

/// Adds the edges of a source in one statement; returns how many are new.
pub(super) fn put(
    connection: &Connection,
    table: &str,
    (source, id): (&'static str, i64),
    edges: &[Edge],
    at: &str,
) -> rusqlite::Result<usize> {
    if edges.is_empty() {
        return Ok(0);
    }
    let mut sql = format!(
        "INSERT OR IGNORE INTO {table} (src_table, src_id, dst_entity_kind, dst_entity_key, edge_type, created_at)
         VALUES "
    );
    for number in 0..edges.len() {
        let from = number * 3 + 4;
        let comma = if number == 0 { "" } else { ", " };
        let _ = write!(sql, "{comma}(?1, ?2, ?{from}, ?{}, ?{}, ?3)", from + 1, from + 2);
    }
    let mut bound: Vec<&dyn ToSql> = vec![&source, &id, &at];
    let texts: Vec<[&str; 3]> =
        edges.iter().map(|edge| [&*edge.entity.kind, &*edge.entity.key, &*edge.verb]).collect();
    bound.extend(texts.iter().flatten().map(|text| text as &dyn ToSql));
    let added = connection.prepare_cached(&sql)?.execute(bound.as_slice())?;
    let last = connection.last_insert_rowid();
    if added > 0 && last / WAITING > (last - i64::try_from(added).unwrap_or(last)) / WAITING {
        take_keys(connection, table)?;
    }
    Ok(added)
}

/// Returns the queries, each for `src_id`, of the texts of a kind that lead to a key. A name may be longer.
pub(super) fn leads_to(table: &str, key: &str, source: &'static str) -> [String; 3] {
    // A blank comes before every other sign of a key.
    let goes_on = |column: &str| format!("{column} > {key} || ' ' AND {column} < {key} || '!'");
    let known = format!("SELECT src_id FROM memory_edge_keys WHERE src_table = '{source}' AND");
    [
        format!("{known} entity_key = {key}"),
        format!("{known} {}", goes_on("entity_key")),
        // The plus keeps SQLite off the index of sources, where it would go through all of them.
        format!(
            "SELECT src_id FROM {table} WHERE id > (SELECT up_to FROM memory_edge_keys_state)
             AND +src_table = '{source}' AND edge_type <> '{}' AND (dst_entity_key = {key} OR ({}))",
            Edge::CO_OCCURS_WITH,
            goes_on("dst_entity_key")
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SQLite took the index of sources for names that go on, and each question went through all edges.
    #[test]
    fn edges_are_found_by_their_key_or_are_the_few_that_wait() {
        let connection = Connection::open_in_memory().unwrap();
        let tables = "CREATE TABLE memories (id INTEGER PRIMARY KEY, content TEXT);
             CREATE TABLE memory_chunks (number INTEGER PRIMARY KEY, content TEXT);";
        connection.execute_batch(tables).unwrap();
        make(&connection).unwrap();
        for source in [OF_ROWS, OF_CHUNKS] {
            let by = [
                "PRIMARY KEY (entity_key=? AND src_table=?)",
                "PRIMARY KEY (entity_key>? AND entity_key<?)",
                "PRIMARY KEY (rowid>?)",
            ];
            for (sql, by) in leads_to(SEEDS, "?1", source).iter().zip(by) {
                let sql = format!(
                    "EXPLAIN QUERY PLAN SELECT DISTINCT e.src_id FROM ({sql}) e ORDER BY e.src_id DESC LIMIT 9"
                );
                let mut statement = connection.prepare(&sql).unwrap();
                let mut steps = statement.query_map(["brisk"], |row| row.get::<_, String>("detail")).unwrap();
                let step = steps.next().unwrap().unwrap();
                assert!(step.starts_with("SEARCH") && step.ends_with(by), "{sql}: {step}");
            }
        }
    }
}
