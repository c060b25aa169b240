//! Bytes on disk, with the index of words and without.

use std::path::Path;

use noctuary::memory::{NewMemory, Source};
use rusqlite::Connection;

use super::rows::Rows;
use super::{SQLITE, hand};
use crate::home::{Kind, agent, at};
use crate::measure::{Effort, Row};

/// Of facts a quarter are enough.
const OF_FACTS: u32 = 4;

pub(super) fn bytes(_effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let folder = tempfile::tempdir_in(rows.folder.path()).unwrap();
    let facts = tempfile::tempdir_in(rows.folder.path()).unwrap();
    write_facts(rows, facts.path());
    let of_facts = rows.count / OF_FACTS;
    for (what, from, count) in [
        ("bytes of a row, observations", rows.database(), rows.count),
        ("bytes of a row, facts", facts.path().join("life.db"), of_facts),
    ] {
        let path = folder.path().join("copy.db");
        hand::connect(&from).execute("VACUUM INTO ?1", [path.to_str().unwrap()]).unwrap();
        let with = size(&path);
        let copy = Connection::open(&path).unwrap();
        drop_index(&copy);
        copy.execute_batch("VACUUM").unwrap();
        drop(copy);
        let bytes = [size(&path), with].map(|bytes| bytes / f64::from(count));
        let labels = [SQLITE, what, "the same without the index"];
        table.push(Row { labels, bare: bytes[0], ours: bytes[1], bound: Some(1.2), rounds: 1 });
        std::fs::remove_file(&path).unwrap();
    }
}

/// Removes what finds words and what finds statements.
fn drop_index(copy: &Connection) {
    let sql = "SELECT type, name FROM sqlite_schema
        WHERE name LIKE 'memory\\_terms\\_%' ESCAPE '\\' AND type IN ('table', 'trigger') OR name = 'idx_memories_gone'
        ORDER BY type DESC";
    let mut statement = copy.prepare(sql).unwrap();
    let found = statement.query_map([], |row| <(String, String)>::try_from(row)).unwrap();
    let drops: Vec<String> =
        found.map(|found| found.map(|(kind, name)| format!("DROP {kind} {name};")).unwrap()).collect();
    assert!(drops.len() > 5, "{drops:?}");
    drop(statement);
    copy.execute_batch(&drops.concat()).unwrap();
}

fn write_facts(rows: &Rows, folder: &Path) {
    let store = Kind::Sqlite.open(folder);
    let numbers: Vec<u32> = (0..rows.count / OF_FACTS).collect();
    for batch in numbers.chunks(1_000) {
        let row = |number: &u32| NewMemory::new("fact", rows.language.row(*number), Source::AgentRecorded);
        let batch: Vec<NewMemory> = batch.iter().map(row).collect();
        store.write_all(&agent(), &batch, at(0)).unwrap();
    }
}

fn size(path: &Path) -> f64 {
    let bytes = std::fs::metadata(path).unwrap().len();
    f64::from(u32::try_from(bytes).unwrap())
}
