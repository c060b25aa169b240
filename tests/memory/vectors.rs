//! Vectors of rows in a database: what every store promises, and what only a file or a configuration shows.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::sync::{Arc, Mutex};

use chrono::{DateTime, TimeZone, Utc};
use noctuary::life::{ContextConfig, MemoryContext};
use noctuary::memory::{Degraded, Found, MemoryId, NewMemory, Query, SearchOutcome, Signal, Source};
use noctuary::search::Ranking;
use noctuary::store::StoreConfig;
use noctuary::testing::contract::vectors;
use noctuary::testing::{EmbedScript, HashEmbedder};
use noctuary::vectors::{
    EmbedConfig, EmbedError, Embedder, Purpose, Reranker, VectorStore, embed_once, embed_once_async,
};
use noctuary::{Access, MemoryStore, Scope, SqliteMemoryStore};
use rusqlite::Connection;
use tempfile::TempDir;

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

fn noon() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 12, 0, 0).unwrap()
}

fn marta() -> Access {
    Access::agent(Scope::user("marta"))
}

fn model() -> HashEmbedder {
    HashEmbedder::new(128).alike(&["rope", "cordage"]).alike(&["bought", "purchase"])
}

fn write(store: &SqliteMemoryStore, text: &str) -> MemoryId {
    store.write(&marta(), &NewMemory::new("note", text, Source::AgentRecorded), noon()).unwrap()
}

fn fill(store: &SqliteMemoryStore) -> MemoryId {
    for number in 0..30 {
        write(store, &format!("Entry {number} about the ferry and the garden"));
    }
    write(store, "Bought rope at the harbour")
}

fn embed(store: &SqliteMemoryStore, embedder: &dyn Embedder) {
    assert!(embed_once(store, embedder, &EmbedConfig::default()).unwrap().serves);
}

fn with(change: impl FnOnce(&mut StoreConfig)) -> SqliteMemoryStore {
    let mut config = StoreConfig::default();
    change(&mut config);
    SqliteMemoryStore::open_in_memory_with(Scope::user("marta"), config).unwrap()
}

fn search(store: &SqliteMemoryStore, text: &str) -> Found {
    store.search(&marta(), &Query::new(text)).unwrap()
}

fn first(found: &Found) -> Option<MemoryId> {
    found.hits.first().map(|hit| hit.memory.id)
}

#[test]
fn an_embedder_of_the_configuration_is_asked_once_a_search_and_never_by_a_write() {
    let script = Arc::new(EmbedScript::new(model()));
    let store = with(|config| config.embedder = Some(script.clone()));
    let rope = fill(&store);
    assert!(script.asked().is_empty(), "a write returns before anything is embedded");
    embed(&store, &model());
    assert_eq!(first(&search(&store, "cordage purchase")), Some(rope));
    assert_eq!(script.asked(), [["cordage purchase"]]);
    for exact in ["\"the ferry\"", "ferry AND garden", "", "category:note"] {
        search(&store, exact);
    }
    assert_eq!(script.asked().len(), 1, "what says exactly what it wants is found by words");
    let vector = model().embed(&["cordage purchase"], Purpose::Query).unwrap().remove(0);
    let query = Query::new("cordage purchase").vector(model().id(), vector);
    assert_eq!(first(&store.search(&marta(), &query).unwrap()), Some(rope));
    assert_eq!(script.asked().len(), 1, "the host's vector is used");
}

type Spoil = fn() -> Result<Vec<Vec<f32>>, EmbedError>;

// HY-08 to HY-10
#[test]
fn an_embedder_that_fails_leaves_a_search_by_words_that_says_so() {
    let plain = with(|_| {});
    fill(&plain);
    let spoiled: [Spoil; 5] = [
        || Err(EmbedError::new("no route")),
        || Ok(Vec::new()),
        || Ok(vec![vec![1.0; 64]]),
        || Ok(vec![vec![f32::INFINITY; 128]]),
        || Ok(vec![vec![1.0; 128]; 2]),
    ];
    for spoil in spoiled {
        let script = EmbedScript::new(model()).answers(move |_, _| spoil());
        let store = with(|config| config.embedder = Some(Arc::new(script)));
        fill(&store);
        embed(&store, &model());
        let found = search(&store, "the ferry");
        assert_eq!(found.outcome, SearchOutcome::Degraded(Degraded::Failed));
        assert_eq!(found.hits, search(&plain, "the ferry").hits);
        assert_eq!(search(&store, "the ferry").outcome, SearchOutcome::Hit, "the next one is answered");
    }
}

#[test]
fn the_prompt_of_a_session_is_the_same_with_vectors() {
    let store = with(|config| config.embedder = Some(Arc::new(model())));
    fill(&store);
    let block = |store: &SqliteMemoryStore| {
        MemoryContext::take(store, &marta(), &ContextConfig::default(), noon()).unwrap()
    };
    let before = format!("{:?} {:?}", block(&store), store.snapshot(&marta(), 50, noon()).unwrap());
    embed(&store, &model());
    let after = format!("{:?} {:?}", block(&store), store.snapshot(&marta(), 50, noon()).unwrap());
    assert_eq!(before, after);
}

/// A reranker that prefers the rows with a word.
struct Prefers(&'static str, Mutex<Vec<usize>>);

impl Reranker for Prefers {
    fn rerank(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, EmbedError> {
        self.1.lock().unwrap().push(texts.len());
        match self.0 {
            "" => Err(EmbedError::new("no route")),
            "short" => Ok(Vec::new()),
            "nan" => Ok(vec![f32::NAN; texts.len()]),
            word => Ok(texts.iter().map(|text| if text.contains(word) { 1.0 } else { 0.0 }).collect()),
        }
    }
}

// BX-48
#[test]
fn a_reranker_orders_the_first_rows_and_no_others() {
    let plain = with(|_| {});
    fill(&plain);
    let prefers = Arc::new(Prefers("Entry 29 ", Mutex::default()));
    let store = with(|config| config.reranker = Some(prefers.clone()));
    fill(&store);
    let texts =
        |found: &Found| -> Vec<String> { found.hits.iter().map(|hit| hit.memory.content.clone()).collect() };
    let (by_words, found) = (search(&plain, "about the garden"), search(&store, "about the garden"));
    assert!(texts(&found)[0].starts_with("Entry 29 "));
    assert_eq!(found.hits.len(), by_words.hits.len());
    assert_eq!(prefers.1.lock().unwrap().as_slice(), [30], "more rows than were asked for");
    let scores = |found: &Found| found.hits.iter().map(|hit| hit.score).collect::<Vec<_>>();
    assert_eq!(scores(&found), scores(&by_words));
    assert!(found.hits.iter().all(|hit| !hit.why.is_empty()));
    for exact in ["\"the garden\"", "ferry AND garden"] {
        assert_eq!(search(&store, exact), search(&plain, exact));
    }
    // An identifier keeps its place.
    for store in [&store, &plain] {
        write(store, "The garden ticket ERR4711");
    }
    assert_eq!(texts(&search(&store, "garden ERR4711"))[0], "The garden ticket ERR4711");
    let few = with(|config| {
        config.reranker = Some(prefers.clone());
        config.reranked = 5;
    });
    fill(&few);
    assert_eq!(texts(&search(&few, "about the garden"))[5..], texts(&by_words)[5..]);
}

// A reranker knows of no time: it puts what was said first before what took it back.
#[test]
fn an_older_row_stays_behind_the_newer_one_that_says_it_anew() {
    let with_it = with(|config| config.reranker = Some(Arc::new(Prefers("Vim as", Mutex::default()))));
    let texts = [
        "Marta uses Vim as her editor",
        "The editor of Joris is Nano",
        "Lunch with the team was late",
        "Marta switched from Vim to Helix",
    ];
    for text in texts {
        write(&with_it, text);
    }
    let found = search(&with_it, "Which editor does Marta use?");
    let order: Vec<&str> = found.hits.iter().map(|hit| hit.memory.content.as_str()).collect();
    assert_eq!(order[..2], [texts[3], texts[0]], "{order:?}");
    assert!(found.hits.is_sorted_by(|one, other| one.score >= other.score));
}

#[test]
fn a_reranker_that_fails_leaves_the_order_and_is_said() {
    let plain = with(|_| {});
    fill(&plain);
    for bad in ["", "short", "nan"] {
        let store = with(|config| config.reranker = Some(Arc::new(Prefers(bad, Mutex::default()))));
        fill(&store);
        let found = search(&store, "about the garden");
        assert_eq!(found.outcome, SearchOutcome::Degraded(Degraded::NotReranked));
        assert_eq!(found.hits, search(&plain, "about the garden").hits);
    }
}

// HY-03, HY-04, HY-06
#[test]
fn in_the_seeds_mode_both_lists_are_fused_by_rank_with_shared_entities() {
    let store = with(|config| {
        config.ranking = Ranking::seed();
        config.embedder = Some(Arc::new(model()));
    });
    for number in 0..20 {
        write(&store, &format!("Entry {number} about the ferry"));
    }
    let both = write(&store, "Bought rope from Brisk at the harbour");
    let words = write(&store, "The office of Brisk has a harbour");
    embed(&store, &model());
    let found = search(&store, "purchase of cordage from Brisk at the harbour");
    let hit = |id: MemoryId| found.hits.iter().find(|hit| hit.memory.id == id).unwrap();
    let rank = |id: MemoryId, signal: Signal| {
        let rank = hit(id).why.iter().find(|(of, _)| *of == signal).unwrap().1;
        f64::from(u32::try_from(rank).unwrap())
    };
    for id in [both, words] {
        let (row, meaning) = (rank(id, Signal::Row), rank(id, Signal::Meaning));
        let by_hand = 61.0 / 2.0 * (1.0 / (60.0 + row) + 1.0 / (60.0 + meaning)) * (1.0 + 0.3) / (1.0 + 0.3);
        assert!((hit(id).score - by_hand).abs() < 1e-12, "{found:?}");
    }
    assert_eq!(first(&found), Some(both));
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
}

#[test]
fn a_filter_is_kept_by_meaning_too() {
    let store = with(|config| config.embedder = Some(Arc::new(model())));
    let rope = fill(&store);
    let other = store
        .write(&marta(), &NewMemory::new("plan", "Purchase more cordage", Source::AgentRecorded), noon())
        .unwrap();
    embed(&store, &model());
    let mut query = Query::new("cordage purchase");
    query.filter = query.filter.category("plan");
    let found = store.search(&marta(), &query).unwrap();
    assert_eq!(found.hits.iter().map(|hit| hit.memory.id).collect::<Vec<_>>(), [other]);
    query.filter = noctuary::memory::Filter::limit(9).category("note");
    let found = store.search(&marta(), &query).unwrap();
    assert_eq!(first(&found), Some(rope));
    assert!(found.hits.iter().all(|hit| hit.memory.category == "note"));
}

#[test]
fn an_async_host_gives_vectors_and_may_stop_at_any_time() {
    let store = with(|config| config.embedder = Some(Arc::new(model())));
    let rope = fill(&store);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let config = EmbedConfig::default().texts(10);
    // A model that hangs at the second batch: the host gives up.
    let calls = Arc::new(Mutex::new(0));
    let hangs = |texts: Vec<String>| {
        let calls = Arc::clone(&calls);
        async move {
            *calls.lock().unwrap() += 1;
            if *calls.lock().unwrap() == 2 {
                std::future::pending::<()>().await;
            }
            model().embed(&texts.iter().map(String::as_str).collect::<Vec<_>>(), Purpose::Document)
        }
    };
    let embedder = model();
    runtime.block_on(async {
        let pass = embed_once_async(&store, embedder.id(), &config, hangs);
        let limit = std::time::Duration::from_millis(100);
        assert!(tokio::time::timeout(limit, pass).await.is_err(), "it hangs");
    });
    let status = store.embedding_status(model().id()).unwrap();
    assert_eq!((status.embedded, status.pending), (10, 21));
    let embed = |texts: Vec<String>| async move {
        model().embed(&texts.iter().map(String::as_str).collect::<Vec<_>>(), Purpose::Document)
    };
    let pass = embed_once_async(&store, embedder.id(), &config, embed);
    let report = runtime.block_on(pass).unwrap();
    assert_eq!((report.embedded, report.serves), (21, true));
    assert_eq!(first(&search(&store, "cordage purchase")), Some(rope));
}

// Whoever opens an older file, or writes with no embedder, has nothing of it but empty tables.
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
