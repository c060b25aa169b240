//! What only a database shows: its shell, its backup, its bytes.

use std::sync::{Arc, Mutex};

use noctuary::memory::{Degraded, MemoryId, NewMemory, SearchOutcome, Source};
use noctuary::store::StoreConfig;
use noctuary::testing::HashEmbedder;
use noctuary::testing::contract::vectors;
use noctuary::vectors::{EmbedConfig, embed_once};
use noctuary::{Access, MemoryStore, Scope, SqliteMemoryStore};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{embed, fill, first, marta, model, noon, search, write};

// HY-11: the published size of a row, and of its vector of 1,536 numbers and of 384.
#[test]
fn a_vector_takes_its_numbers_and_a_little_more_on_disk() {
    const ROWS: u32 = 1_000;
    let sizes = [384_u32, 1536].map(|dimensions| {
        let home = Home::new();
        let store = home.open();
        let size = || {
            let pages =
                |name| -> i64 { home.shell().pragma_query_value(None, name, |row| row.get(0)).unwrap() };
            (pages("page_count") - pages("freelist_count")) * pages("page_size")
        };
        let each = |before: i64| u32::try_from(size() - before).unwrap() / ROWS;
        let empty = size();
        for number in 0..ROWS {
            write(&store, &format!("Entry {number} about the ferry and the garden"));
        }
        let (row, before) = (each(empty), size());
        embed(&store, &HashEmbedder::new(dimensions as usize));
        (row, each(before))
    });
    let [(row, small), (_, large)] = sizes;
    let told = format!(
        "A row of eight words takes {row} bytes in SQLite. A vector of 384 numbers adds {small}, one of 1,536 adds {},{:03}.",
        large / 1000,
        large % 1000
    );
    assert!(include_str!("../../../src/manual/measured.md").contains(&told), "the page does not say: {told}");
}

#[test]
fn a_store_in_a_database_keeps_the_contract_of_vectors() {
    vectors::vectors(&|| Arc::new(SqliteMemoryStore::open_in_memory(vectors::scope()).unwrap()));
}

// A file of two users: no statement takes the rows of another.
#[test]
fn a_guest_of_a_file_keeps_the_contract_of_vectors() {
    let folders = Mutex::new(Vec::new());
    vectors::vectors(&|| {
        let folder = TempDir::new().unwrap();
        let owner = SqliteMemoryStore::open(folder.path().join("memory.db"), Scope::user("otto")).unwrap();
        let otto = Access::agent(Scope::user("otto"));
        for text in ["Otto bought rope and cordage", "Otto walks the dog", "the ferry of Otto"] {
            let row = NewMemory::new("note", text, Source::AgentRecorded);
            owner.write(&otto, &row, noon()).unwrap();
        }
        embed_once(&owner, &model(), &EmbedConfig::default()).unwrap();
        let guest = SqliteMemoryStore::open(folder.path().join("memory.db"), vectors::scope()).unwrap();
        folders.lock().unwrap().push(folder);
        Arc::new(guest)
    });
}

struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn open(&self) -> SqliteMemoryStore {
        let mut config = StoreConfig::default();
        config.embedder = Some(Arc::new(model()));
        SqliteMemoryStore::open_with(self.folder.path().join("memory.db"), Scope::user("marta"), config)
            .unwrap()
    }

    fn shell(&self) -> Connection {
        Connection::open(self.folder.path().join("memory.db")).unwrap()
    }
}

#[test]
fn a_shell_that_changes_a_row_takes_its_vector_away() {
    let home = Home::new();
    let store = home.open();
    let rope = fill(&store);
    embed(&store, &model());
    let shell = home.shell();
    let vectors = |id: MemoryId| -> i64 {
        let sql = "SELECT count(*) FROM memory_vectors WHERE text_id = ?1";
        shell.query_row(sql, [id.get()], |row| row.get(0)).unwrap()
    };
    let again = |sql: &str| {
        embed(&store, &model());
        assert_eq!((vectors(rope), first(&search(&store, "cordage purchase"))), (1, Some(rope)), "{sql}");
        shell.execute_batch(sql).unwrap();
        assert_eq!(vectors(rope), 0, "{sql}");
        assert_ne!(first(&search(&store, "cordage purchase")), Some(rope), "{sql}");
    };
    let id = rope.get();
    again(&format!("UPDATE memories SET content = 'Sold the old boat' WHERE id = {id}"));
    shell
        .execute_batch(&format!("UPDATE memories SET content = 'Bought rope at noon' WHERE id = {id}"))
        .unwrap();
    again(&format!("UPDATE memories SET deleted_at = '2026-11-21 09:00:00' WHERE id = {id}"));
    shell.execute_batch(&format!("UPDATE memories SET deleted_at = NULL WHERE id = {id}")).unwrap();
    again(&format!("UPDATE memories SET retired_at = '2026-11-21 09:00:00' WHERE id = {id}"));
    shell.execute_batch(&format!("UPDATE memories SET retired_at = NULL WHERE id = {id}")).unwrap();
    again(&format!("UPDATE memories SET user_id = 'otto' WHERE id = {id}"));
    shell.execute_batch(&format!("UPDATE memories SET user_id = '' WHERE id = {id}")).unwrap();
    again(&format!("DELETE FROM memories WHERE id = {id}"));
    // What changes no word leaves the vector.
    let row = write(&store, "Bought rope at the market");
    embed(&store, &model());
    store.pin(&marta(), row, true, noon()).unwrap();
    shell
        .execute_batch(&format!("UPDATE memories SET updated_at = '2026-11-22' WHERE id = {}", row.get()))
        .unwrap();
    assert_eq!(vectors(row), 1);
}

#[test]
fn vectors_are_not_believed_after_somebody_took_the_triggers_away() {
    let home = Home::new();
    let store = home.open();
    let rope = fill(&store);
    embed(&store, &model());
    drop(store);
    home.shell()
        .execute_batch(&format!(
            "DROP TRIGGER memory_vectors_of_changed; UPDATE memories SET content = 'A boat' WHERE id = {}",
            rope.get()
        ))
        .unwrap();
    let store = home.open();
    let found = search(&store, "cordage purchase");
    assert_eq!((first(&found), found.outcome), (None, SearchOutcome::Degraded(Degraded::Missing)));
    embed(&store, &model());
    assert_ne!(first(&search(&store, "cordage purchase")), Some(rope));
}

#[test]
fn damaged_vectors_cost_their_own_rows_only() {
    let home = Home::new();
    let store = home.open();
    let rope = fill(&store);
    embed(&store, &model());
    for blob in ["x''", "x'01'", "zeroblob(133)", "'text'", "7", "NULL"] {
        let sql = format!("UPDATE memory_vectors SET vector = {blob} WHERE text_id % 2 = 0");
        home.shell().execute_batch(&sql).unwrap();
        for store in [&store, &home.open()] {
            let found = search(store, "the harbour rope");
            assert_eq!(first(&found), Some(rope), "{blob}: by words at least");
        }
    }
}

#[test]
fn a_backup_has_the_vectors() {
    let home = Home::new();
    let store = home.open();
    let rope = fill(&store);
    embed(&store, &model());
    store.backup_to(home.folder.path().join("backup.db")).unwrap();
    let found = search(&store, "cordage purchase");
    assert_eq!(first(&found), Some(rope));
    let mut config = StoreConfig::default();
    config.embedder = Some(Arc::new(model()));
    let copy = home.folder.path().join("backup.db");
    let copy = SqliteMemoryStore::open_with(copy, Scope::user("marta"), config).unwrap();
    assert_eq!(search(&copy, "cordage purchase"), found);
    assert_eq!(embed_once(&copy, &model(), &EmbedConfig::default()).unwrap().requests, 0);
}

#[test]
fn a_forgotten_row_leaves_no_byte_of_its_vector() {
    let home = Home::new();
    let store = home.open();
    fill(&store);
    write(&store, "The smuggler Jan sold us the blue rope");
    embed(&store, &model());
    let vector: Vec<u8> = {
        let sql = "SELECT vector FROM memory_vectors ORDER BY number DESC LIMIT 1";
        home.shell().query_row(sql, [], |row| row.get(0)).unwrap()
    };
    let holds = || {
        ["memory.db", "memory.db-wal"].iter().any(|name| {
            let bytes = std::fs::read(home.folder.path().join(name)).unwrap_or_default();
            bytes.windows(vector.len()).any(|window| window == vector)
        })
    };
    assert!(holds());
    store.forget(&Access::human(Scope::user("marta")), "the smuggler Jan", noon()).unwrap();
    assert!(!holds());
    // A row that other hands delete takes its vector along.
    let count = |table: &str| -> i64 {
        home.shell().query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    let vectors = count("memory_vectors");
    home.shell()
        .execute("DELETE FROM memories WHERE id = (SELECT min(text_id) FROM memory_vectors)", [])
        .unwrap();
    assert_eq!(count("memory_vectors"), vectors - 1);
}

// Whoever writes with no embedder has nothing of it but empty tables.
#[test]
fn a_file_without_an_embedder_has_no_row_in_its_tables() {
    let home = Home::new();
    let store = SqliteMemoryStore::open(home.folder.path().join("memory.db"), Scope::user("marta")).unwrap();
    let rope = fill(&store);
    store.update(&marta(), rope, "Bought twine", noon()).unwrap();
    store.delete(&marta(), rope, noon()).unwrap();
    search(&store, "the ferry");
    let shell = home.shell();
    for table in ["memory_vectors", "memory_generations", "memory_vectors_gone"] {
        let rows: i64 =
            shell.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(rows, 0, "{table}");
    }
}
