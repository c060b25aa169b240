//! One durable row.

use std::fs;

use noctuary::{MemoryStore, SqliteMemoryStore};
use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::rows::{Rows, memory, said_at};
use super::{SQLITE, hand};
use crate::home::{agent, scope};
use crate::measure::{Effort, Row, compare};

/// The number of rows that are written, again and again.
const WRITTEN: u32 = 2_000;

pub(super) fn row(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let folder = tempfile::tempdir_in(rows.folder.path()).unwrap();
    let copy = |name| {
        let path = folder.path().join(name);
        fs::copy(rows.database(), &path).unwrap();
        path
    };
    let store = SqliteMemoryStore::open(copy("ours.db"), scope()).unwrap();
    let connection = hand::connect(&copy("bare.db"));
    let columns: Vec<String> = connection
        .prepare("SELECT name FROM pragma_table_info('memories') WHERE name <> 'id'")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .unwrap();
    // The rows that stand are written once more, so that both sides write the same ones.
    let stand: Vec<Vec<Value>> = connection
        .prepare(&format!("SELECT {} FROM memories ORDER BY id LIMIT {WRITTEN}", columns.join(", ")))
        .and_then(|mut statement| {
            let values = |row: &rusqlite::Row<'_>| (0..columns.len()).map(|at| row.get(at)).collect();
            statement.query_map([], values)?.collect()
        })
        .unwrap();
    let memories: Vec<_> =
        (0..WRITTEN).map(|number| (memory(&rows.language, number), said_at(number))).collect();
    let places = vec!["?"; columns.len()].join(", ");
    let sql = format!("INSERT INTO memories ({}) VALUES ({places})", columns.join(", "));
    let mut insert = connection.prepare(&sql).unwrap();
    let (agent, mut of_bare, mut of_ours) = (agent(), 0, 0);
    let bare = |_| {
        of_bare += 1;
        insert.execute(params_from_iter(&stand[of_bare % stand.len()])).unwrap();
    };
    let ours = |_| {
        of_ours += 1;
        let (memory, at) = &memories[of_ours % memories.len()];
        store.write(&agent, memory, *at).unwrap();
    };
    let labels = [SQLITE, "write of one row", "INSERT"];
    let row = compare(effort, labels, 100, || {}, Box::new(bare), Box::new(ours));
    table.push(Row { bound: Some(1.25), ..row });
}
