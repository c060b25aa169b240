//! A database of the seed's own program: its tables stay as they are beside those of a store.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::path::Path;

use noctuary::facts::{Decision, FactStore};
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::testing::contract::memory as contract;
use noctuary::{Access, Error, MemoryStore, SqliteMemoryStore, SqliteWorkspace};
use noctuary_tests::common::marta::now;
use rusqlite::Connection;

fn main_session() -> Access {
    Access::agent(contract::scope())
}

fn human() -> Access {
    Access::human(contract::scope())
}

fn fact(content: &str) -> NewMemory {
    NewMemory::new("fact", content, Source::AgentRecorded)
}

fn open(path: &Path) -> SqliteMemoryStore {
    SqliteMemoryStore::open(path, contract::scope()).unwrap()
}

fn stock(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

fn found(store: &dyn MemoryStore, text: &str) -> Vec<String> {
    let hits = store.search(&main_session(), &Query::new(text)).unwrap().hits;
    hits.into_iter().map(|hit| hit.memory.content).collect()
}

fn is_sound(path: &Path) {
    let told: String = stock(path).pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
    assert_eq!(told, "ok");
}

/// Tables that the seed's program has beside its rows, with columns that are known to it alone, and a number of its own.
const BESIDE: &str = r"
    CREATE TABLE memory_consolidation_events (
      id INTEGER PRIMARY KEY, verdict TEXT NOT NULL, fact_id INTEGER NOT NULL, judged_by TEXT NOT NULL);
    CREATE TABLE learnings (id INTEGER PRIMARY KEY, lesson TEXT NOT NULL);
    CREATE TABLE audit_log (id INTEGER PRIMARY KEY, tool_call TEXT NOT NULL);
    CREATE TABLE memory_edges (
      id INTEGER PRIMARY KEY, src_table TEXT NOT NULL, src_id INTEGER NOT NULL, dst_entity_key TEXT NOT NULL);
    CREATE TRIGGER memories_edges_ad AFTER DELETE ON memories BEGIN
      DELETE FROM memory_edges WHERE src_table = 'memories' AND src_id = old.id;
    END;
    CREATE TABLE role_memory (id INTEGER PRIMARY KEY, role TEXT NOT NULL, reflection TEXT);
    INSERT INTO memory_consolidation_events VALUES (1, 'supersedes', 7, 'model');
    INSERT INTO learnings VALUES (1, 'knock twice');
    INSERT INTO audit_log VALUES (1, 'memory_write');
    INSERT INTO memory_edges VALUES (1, 'memories', 1, 'ETH');
    PRAGMA user_version = 27;
";

/// What stands in the tables of another program, and how they were made.
fn of_the_other(stock: &Connection) -> Vec<String> {
    let tables = [
        "memory_consolidation_events",
        "learnings",
        "audit_log",
        "role_memory",
        "user_profile",
        "memory_edges",
    ];
    let mut told = Vec::new();
    for table in tables {
        let made = "SELECT sql FROM sqlite_schema WHERE name = ?1";
        told.push(stock.query_row(made, [table], |row| row.get::<_, String>(0)).unwrap());
        let mut statement = stock.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let width = statement.column_count();
        let rows = statement.query_map([], |row| {
            (0..width)
                .map(|at| row.get::<_, rusqlite::types::Value>(at))
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        told.extend(rows.unwrap().map(|row| format!("{:?}", row.unwrap())));
    }
    told
}

#[test]
fn tables_and_the_number_of_the_seeds_program_stay_as_they_are_beside_ours() {
    let older = "CREATE TABLE memories (
        id INTEGER PRIMARY KEY AUTOINCREMENT, category TEXT NOT NULL, content TEXT NOT NULL, metadata TEXT,
        created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')));";
    let newer = "CREATE TABLE memories (
        id INTEGER PRIMARY KEY, category TEXT NOT NULL, content TEXT NOT NULL, metadata TEXT, source TEXT,
        deleted_at TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')),
        updated_at TEXT NOT NULL DEFAULT (datetime('now')), weight REAL NOT NULL DEFAULT 1.0);";
    let profile = "CREATE TABLE user_profile (
        key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at TEXT NOT NULL DEFAULT (datetime('now')));
        INSERT INTO user_profile (key, value) VALUES ('home_language', 'en');";
    let other_profile = "CREATE TABLE user_profile (user TEXT PRIMARY KEY, risk TEXT NOT NULL);
        INSERT INTO user_profile VALUES ('marta', 'low');";
    for (rows, profile, knows_language) in
        [(older, profile, true), (newer, profile, true), (newer, other_profile, false)]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        stock(&path)
            .execute_batch(&format!(
                "{rows} {profile} {BESIDE} INSERT INTO memories (category, content) VALUES ('fact', 'the boat is grey');"
            ))
            .unwrap();
        let before = of_the_other(&stock(&path));
        let store = open(&path);
        assert_eq!(found(&store, "boat"), ["the boat is grey"]);
        let language = store.profile(&main_session()).unwrap();
        assert_eq!(language.iter().any(|(key, _)| key == "home_language"), knows_language);
        assert_eq!(of_the_other(&stock(&path)), before);

        // Facts, their decisions, a profile and a forgetting work beside them.
        let id = |text: &str| store.write(&main_session(), &fact(text), now()).unwrap();
        let (older, newer) = (id("Marta lives in Bern"), id("Marta lives in Faro"));
        store.decide(&human(), &Decision::supersede(older, newer), now()).unwrap();
        assert_eq!(store.decisions(&human(), 9).unwrap().len(), 1);
        if !knows_language {
            store.set_profile(&main_session(), "name", "Marta Sails", now()).unwrap();
            assert_eq!(
                store.profile(&main_session()).unwrap(),
                [("name".to_owned(), "Marta Sails".to_owned())]
            );
            store.forget(&main_session(), "Marta Sails", now()).unwrap();
            assert!(store.profile(&main_session()).unwrap().is_empty());
        }
        store.forget(&main_session(), "the boat is grey", now()).unwrap();
        let told = of_the_other(&stock(&path));
        let kept: Vec<&String> = before.iter().filter(|row| !row.contains("ETH")).collect();
        assert_eq!(told.iter().collect::<Vec<_>>(), kept, "its own trigger takes the edge of a deleted row");
        drop(store);

        let pragma = |name| stock(&path).pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!((pragma("user_version"), pragma("application_id")), (27, 0));
        let store = open(&path);
        assert_eq!(found(&store, "Faro"), ["Marta lives in Faro"]);
        assert!(SqliteWorkspace::open(&path, contract::scope()).is_ok(), "it has a version of ours");
        drop(store);
        stock(&path).execute("UPDATE file_version SET version = 2", []).unwrap();
        assert!(matches!(
            SqliteMemoryStore::open(&path, contract::scope()).unwrap_err(),
            Error::NewerVersion { found: 2, known: 1, .. }
        ));
        is_sound(&path);
    }
}
