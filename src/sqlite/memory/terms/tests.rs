//! Crashes of the word index in a database: at each of its operations, and after each commit.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use chrono::{DateTime, TimeZone, Utc};
use tempfile::TempDir;

use crate::base::access::{Access, Scope};
use crate::memory::{IndexState, MemoryId, MemoryStore, NewMemory, Query, Source};
use crate::sqlite::memory::store::SqliteMemoryStore;

const WORDS: [&str; 8] = ["harbour", "boats", "ferry", "tea", "slippage", "release", "pier", "garden"];

fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).single().expect("it is a time")
}

fn access() -> Access {
    Access::agent(Scope::user("marta"))
}

fn open(folder: &Path) -> SqliteMemoryStore {
    SqliteMemoryStore::open(folder.join("memory.db"), Scope::user("marta")).expect("it opens")
}

fn text(number: usize) -> String {
    format!("{} {} {number}", WORDS[number % 8], WORDS[number / 8 % 8])
}

/// Makes a step of a history: most write a row, and some edit or delete one that may be in pages already.
fn step(store: &SqliteMemoryStore, number: usize) -> crate::Result<()> {
    let id = MemoryId::new(i64::try_from(1 + number / 3).unwrap_or(1));
    match number % 7 {
        3 => store.update(&access(), id, &text(number + 1_000), now()).map(drop),
        5 => store.delete(&access(), id, now()).map(drop),
        _ => {
            let row = NewMemory::new("observation", text(number), Source::AgentRecorded);
            store.write(&access(), &row, now()).map(drop)
        }
    }
}

/// Returns what each word finds, by ids.
fn found(store: &SqliteMemoryStore) -> Vec<Vec<i64>> {
    let ids = |word: &str| {
        let found = store.search(&access(), &Query::new(word).limit(500)).expect("it is searched");
        found.hits.iter().map(|hit| hit.memory.id.get()).collect()
    };
    WORDS.iter().map(|word| ids(word)).collect()
}

/// Checks that a store finds each row once, as one does whose index is made anew.
fn check(folder: &Path, of: &str) {
    let store = open(folder);
    assert_eq!(store.check().expect("it is looked at"), IndexState::Sound, "{of}");
    let before = found(&store);
    for ids in &before {
        let mut once = ids.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), ids.len(), "{of}");
    }
    store.rebuild_index().expect("it is made anew");
    assert_eq!(found(&store), before, "{of}");
}

fn copy(from: &Path, to: &Path) {
    for name in ["memory.db", "memory.db-wal"] {
        if let Ok(bytes) = fs::read(from.join(name)) {
            fs::write(to.join(name), bytes).expect("it is written");
        }
    }
}

/// The number of steps that write some segments and merge eight of them.
const STEPS: usize = 330;

// The power is lost after a commit: what was committed is found, and nothing twice.
#[test]
fn after_each_commit_of_a_merge_a_copy_finds_each_row_once() {
    let folder = TempDir::new().expect("a folder can be made");
    let store = open(folder.path());
    let epoch = || {
        let database = store.backend().database().lock();
        let sql = "SELECT epoch FROM memory_terms_state";
        database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap_or(0)
    };
    let (mut last, mut looked_at) = (0, 0);
    for number in 0..STEPS {
        step(&store, number).expect("it is done");
        let now = epoch();
        if now != last {
            last = now;
            looked_at += 1;
            let aside = TempDir::new().expect("a folder can be made");
            copy(folder.path(), aside.path());
            check(aside.path(), &format!("step {number}"));
        }
    }
    assert!(looked_at > 20, "{looked_at}");
}

// The first row of a new table is no change, as ids are counted from the beginning.
#[test]
fn an_edit_does_not_begin_the_index_of_a_new_store_anew() {
    let folder = TempDir::new().expect("a folder can be made");
    let store = open(folder.path());
    let index = || {
        let database = store.backend().database().lock();
        database.query_row("SELECT id FROM memory_terms_state", [], |row| row.get::<_, i64>(0))
    };
    for number in 0..200 {
        let row = NewMemory::new("observation", text(number), Source::AgentRecorded);
        store.write(&access(), &row, now()).expect("it is written");
    }
    let first = index().expect("there is an index");
    for id in [150, 1, 199, 1] {
        let text = text(usize::try_from(id).expect("it is small") + 3_000);
        assert!(store.update(&access(), MemoryId::new(id), &text, now()).expect("it is changed"));
        assert_eq!(index().expect("there is an index"), first, "row {id}");
    }
    drop(store);
    check(folder.path(), "the end");
}

// `INSERT OR REPLACE` deletes without the trigger of a deletion.
#[test]
fn a_row_that_another_program_replaced_is_found_by_its_new_words_alone() {
    let folder = TempDir::new().expect("a folder can be made");
    let store = open(folder.path());
    for number in 0..200 {
        let row = NewMemory::new("observation", text(number), Source::AgentRecorded);
        store.write(&access(), &row, now()).expect("it is written");
    }
    let shell = rusqlite::Connection::open(folder.path().join("memory.db")).expect("a shell may");
    let old: String =
        shell.query_row("SELECT content FROM memories WHERE id = 50", [], |row| row.get(0)).expect("a row");
    let sql =
        "INSERT OR REPLACE INTO memories (id, category, content) VALUES (50, 'observation', 'a lighthouse')";
    shell.execute(sql, []).expect("a shell may");
    // A change takes it in.
    store.set_profile(&access(), "name", "Marta", now()).expect("it is set");
    let ids = |words: &str| -> Vec<i64> {
        let found = store.search(&access(), &Query::new(words).limit(500)).expect("it is searched");
        found.hits.iter().map(|hit| hit.memory.id.get()).collect()
    };
    assert_eq!(ids("lighthouse"), [50]);
    assert!(!ids(&old).contains(&50), "{old}");
}

#[test]
fn rows_that_come_many_at_once_are_in_the_index_of_a_new_store() {
    let folder = TempDir::new().expect("a folder can be made");
    let store = open(folder.path());
    let rows = |from: usize| -> Vec<NewMemory> {
        let row = |number| NewMemory::new("observation", text(number), Source::AgentRecorded);
        (from..from + 1_000).map(row).collect()
    };
    for from in [0, 1_000] {
        let written = store.write_all(&access(), &rows(from), now()).expect("they are written");
        assert!(written.iter().all(Result::is_ok));
        let waiting = {
            let database = store.backend().database().lock();
            let sql = "SELECT (SELECT max(id) FROM memories) - built FROM memory_terms_state";
            database.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("there is an index")
        };
        assert!(waiting < 100, "{waiting} rows wait");
    }
}

// An operation of the index fails, such as on a full disk: the change is undone, and succeeds the next time.
#[test]
#[ignore = "sweep"]
fn a_change_that_fails_at_any_operation_of_the_index_is_undone_and_can_be_made_again() {
    let folder = TempDir::new().expect("a folder can be made");
    let store = open(folder.path());
    let run = |sql: &str| store.backend().database().lock().execute_batch(sql).expect("it is done");
    run(&failing());
    let mut failed_at = BTreeMap::new();
    for number in 0..STEPS {
        let before = found(&store);
        for fails_at in 0.. {
            run(&format!("UPDATE temp.operations SET number = 0, fails_at = {fails_at}"));
            // That was a change too: the index waits until it is asked.
            assert_eq!(found(&store), before, "step {number}, operation {fails_at}");
            if step(&store, number).is_ok() {
                break;
            }
            *failed_at.entry(fails_at).or_insert(0) += 1;
        }
    }
    assert!(failed_at.len() >= 4 && failed_at.values().sum::<u32>() > 50, "{failed_at:?}");
    drop(store);
    check(folder.path(), "the end");
}

/// Lets the operation of the index fail that has a number.
fn failing() -> String {
    let operations = [
        ("page_written", "INSERT ON main.memory_terms_pages"),
        ("page_removed", "DELETE ON main.memory_terms_pages"),
        ("state_saved", "UPDATE ON main.memory_terms_state"),
        ("change_removed", "DELETE ON main.memory_terms_changed"),
    ];
    let trigger = |(name, operation): (&str, &str)| {
        format!(
            "CREATE TEMP TRIGGER {name} BEFORE {operation} BEGIN
                SELECT RAISE(ABORT, 'the disk is full') FROM operations WHERE number = fails_at;
                UPDATE operations SET number = number + 1;
            END;"
        )
    };
    let table = "CREATE TEMP TABLE operations (number INTEGER NOT NULL, fails_at INTEGER NOT NULL);
        INSERT INTO temp.operations VALUES (0, -1);";
    table.to_owned() + &operations.map(trigger).concat()
}
