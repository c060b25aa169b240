//! Learnings of an agent about its own work, on both stores, apart from the rows.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use noctuary::Access;
use noctuary::memory::NewLearning;
use noctuary::testing::contract::learning::{self as contract, Learnings as Store};
use noctuary_tests::common::marta::now;
use noctuary_tests::open_store;

fn human() -> Access {
    Access::human(contract::scope())
}

fn open(folder: &Path, backend: usize) -> Arc<dyn Store> {
    open_store!(backend, folder, contract::scope())
}

fn backends() -> std::ops::Range<usize> {
    noctuary_tests::common::backends()
}

fn learned(store: &dyn Store) -> Vec<String> {
    store.learnings(&human(), 99).unwrap().into_iter().map(|learning| learning.content).collect()
}

#[test]
fn both_stores_keep_the_whole_contract() {
    let homes = RefCell::new(Vec::new());
    for backend in backends() {
        contract::learnings(&|| {
            let folder = tempfile::tempdir().unwrap();
            let store = open(folder.path(), backend);
            homes.borrow_mut().push(folder);
            store
        });
    }
}

fn holds(folder: &Path, word: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, word);
        }
        String::from_utf8_lossy(&fs::read(path).unwrap()).to_lowercase().contains(word)
    })
}

#[test]
fn a_learning_outlives_its_process_and_a_forgotten_one_leaves_no_word_in_any_file() {
    for backend in backends().take(2) {
        let folder = tempfile::tempdir().unwrap();
        let (store, other) = (open(folder.path(), backend), open(folder.path(), backend));
        store.learn(&human(), &NewLearning::new("Zanzibarqx Kowalski is the landlord"), now()).unwrap();
        let kept = NewLearning::new("Knock twice").context("The bell is broken");
        other.learn(&human(), &kept, now()).unwrap();
        assert_eq!(learned(store.as_ref()), ["Knock twice", "Zanzibarqx Kowalski is the landlord"]);
        assert!(holds(folder.path(), "zanzibarqx"));

        store.forget(&human(), "zanzibarqx kowalski", now()).unwrap();
        assert!(!holds(folder.path(), "zanzibarqx"), "backend {backend}");
        drop((store, other));
        let store = open(folder.path(), backend);
        assert_eq!(learned(store.as_ref()), ["Knock twice"]);
        assert_eq!(store.learnings(&human(), 9).unwrap()[0].context.as_deref(), Some("The bell is broken"));
        let next = store.learn(&human(), &NewLearning::new("Bring tea"), now()).unwrap();
        assert_eq!(next.get(), 3, "no id is used twice, also after a restart");
    }
}

mod in_sqlite {
    use noctuary::memory::LearningStore;
    use noctuary::{Scope, SqliteMemoryStore};
    use rusqlite::Connection;

    use super::*;

    fn count(connection: &Connection, table: &str) -> i64 {
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_row_is_in_learnings_and_nowhere_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        let store = SqliteMemoryStore::open(&path, contract::scope()).unwrap();
        store.learn(&human(), &NewLearning::new("Knock twice"), now()).unwrap();
        let stock = Connection::open(&path).unwrap();
        let told: String = stock.query_row("SELECT content FROM learnings", [], |row| row.get(0)).unwrap();
        assert_eq!(told, "Knock twice");
        let counts =
            ["learnings", "memories", "memories_fts", "user_profile"].map(|table| count(&stock, table));
        assert_eq!(counts, [1, 0, 0, 0]);
    }

    /// The seed's own program has a table of that name, whose columns nobody here knows.
    #[test]
    fn a_table_of_another_program_with_that_name_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("memory.db");
        Connection::open(&path)
            .unwrap()
            .execute_batch(
                "CREATE TABLE memories (id INTEGER PRIMARY KEY, category TEXT NOT NULL, content TEXT NOT NULL,
                   created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
                 CREATE TABLE learnings (id INTEGER PRIMARY KEY, lesson TEXT NOT NULL, score REAL NOT NULL);
                 INSERT INTO learnings VALUES (7, 'theirs', 0.5);",
            )
            .unwrap();
        let store = open(folder.path(), 1);
        store.learn(&human(), &NewLearning::new("Knock twice"), now()).unwrap();
        assert_eq!(learned(store.as_ref()), ["Knock twice"]);
        let stock = Connection::open(&path).unwrap();
        let theirs: String = stock.query_row("SELECT lesson FROM learnings", [], |row| row.get(0)).unwrap();
        assert_eq!((theirs.as_str(), count(&stock, "learnings")), ("theirs", 1));
    }

    #[test]
    fn a_guest_of_a_file_sees_and_forgets_its_own() {
        let said = NewLearning::new("My landlord is Jan Kowalski.");
        let access = Access::human(Scope::user("owner"));
        let owners = RefCell::new(Vec::new());
        contract::learnings(&|| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("memory.db");
            let owner = SqliteMemoryStore::open(&path, Scope::user("owner")).unwrap();
            owner.learn(&access, &said, now()).unwrap();
            let guest = open(folder.path(), 1);
            owners.borrow_mut().push((owner, folder));
            guest
        });
        for (owner, _folder) in owners.into_inner() {
            assert_eq!(owner.learnings(&access, 9).unwrap()[0].content, said.content);
        }
    }
}
