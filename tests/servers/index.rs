//! An index on a server: the contract, the order of SQLite, and rows that a scope may not see.

#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use chrono::{DateTime, Utc};
use noctuary::life::Indexed;
use noctuary::search::{ChunkConfig, DocumentIndex, IndexChange, IndexEntry};
use noctuary::testing::contract;
use noctuary::workspace::WorkspaceExt;
use noctuary::{Access, Actor, DocName, Scope, SessionKind, SqliteIndex, Workspace, WriteMode};
use postgres::{Client, NoTls};

use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::server::{self, Fresh};

fn marta() -> Scope {
    Scope::user("marta")
}

fn doc(name: &str) -> DocName {
    DocName::parse(name).unwrap()
}

#[test]
fn an_index_on_a_server_keeps_the_contract() {
    let Some(_) = server::url() else { return };
    let servers = RefCell::new(Vec::new());
    let new = || {
        let fresh = Fresh::new();
        let index = fresh.server.index(marta()).unwrap();
        servers.borrow_mut().push(fresh);
        index
    };
    contract::index::suite(&|| Arc::new(new()));
    contract::index::suite(&|| Arc::new(Box::new(new()) as Box<dyn DocumentIndex>));
    contract::workspace(&|| {
        let fresh = Fresh::new();
        let workspace = fresh.server.workspace(contract::index::scope()).unwrap();
        let index = fresh.server.index(contract::index::scope()).unwrap();
        servers.borrow_mut().push(fresh);
        Arc::new(Indexed::new(workspace, index))
    });
}

const WORDS: [&str; 24] = [
    "harbour", "boat", "brisk", "keel", "rope", "ferry", "garden", "tea", "rye", "lisbon", "porto", "friday",
    "release", "invoice", "landlord", "sailing", "monday", "bread", "key", "storm", "anchor", "wind", "tide",
    "chart",
];

/// Some words, and the end of a line.
fn some_words(dice: &mut Dice, words: usize) -> String {
    (0..words).map(|_| dice.pick(&WORDS)).collect::<Vec<_>>().join(" ") + "\n"
}

// The owner of a whole file had the order of FTS5, a guest and a server that of the library.
#[test]
fn a_search_finds_what_sqlite_finds_in_its_order() {
    let Some(_) = server::url() else { return };
    for has_others in [false, true] {
        same_order_as_sqlite(has_others);
    }
}

/// `has_others` where somebody else has a document in the same file and on the same server.
fn same_order_as_sqlite(has_others: bool) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("index.db");
    let fresh = Fresh::new();
    let (sqlite, postgres) =
        (SqliteIndex::open(&file, marta()).unwrap(), fresh.server.index(marta()).unwrap());
    let ilya = Scope::user("ilya");
    let others: [Arc<dyn DocumentIndex>; 2] = [
        Arc::new(SqliteIndex::open(&file, ilya.clone()).unwrap()),
        Arc::new(fresh.server.index(ilya).unwrap()),
    ];
    let now = DateTime::UNIX_EPOCH;
    let put = |index: &dyn DocumentIndex, name: &DocName, text: &str| {
        let audience = noctuary::search::Audience::of(|kind| {
            kind == SessionKind::Main || name.as_str().starts_with("notes/")
        });
        let seen = noctuary::search::SeenDocument {
            size: text.len() as u64,
            modified: now,
            revision: noctuary::workspace::Revision::of(text.as_bytes()),
            audience,
            chunking: ChunkConfig::default().identity(),
        };
        let after =
            IndexEntry::Text { seen, text: text.to_owned(), chunks: ChunkConfig::default().chunks(text) };
        let change = IndexChange { name: name.clone(), before: index.seen_of(name).unwrap(), after };
        assert_eq!(index.apply(&[change], now).unwrap(), [true]);
    };
    for other in others.iter().filter(|_| has_others) {
        put(other.as_ref(), &doc("notes/secret.md"), "harbour boat brisk keel rope\n");
    }
    let mut dice = Dice(7);
    for round in 0..60 {
        let name = doc(&format!("{}/n{}.md", ["notes", "private"][dice.below(2)], dice.below(40)));
        let mut text = String::new();
        for _ in 0..=dice.below(3) {
            let words = 5 + dice.below(300);
            text += &format!("\n## {}\n{}", WORDS[dice.below(WORDS.len())], some_words(&mut dice, words));
        }
        for index in [&sqlite as &dyn DocumentIndex, &postgres] {
            put(index, &name, &text);
        }
        assert_eq!(sqlite.seen_of(&name).unwrap(), postgres.seen_of(&name).unwrap(), "{round}");
    }
    assert_eq!(sqlite.seen().unwrap(), postgres.seen().unwrap());
    let mut found = 0;
    for round in 0..48 {
        let (one, two, three) = (WORDS[dice.below(24)], WORDS[dice.below(24)], WORDS[dice.below(24)]);
        let query = match round % 6 {
            0 => one.to_owned(),
            1 => format!("{one} {two} {three}"),
            2 => format!("\"{one} {two}\""),
            3 => format!("{one} AND ({two} OR {three})"),
            4 => format!("{one} NOT {two}"),
            _ => format!("{}*", &one[..3]),
        };
        for kind in [SessionKind::Main, SessionKind::Shared] {
            let access = Access::new(kind, Actor::Agent, marta());
            let limit = 1 + dice.below(30);
            let there = postgres.search(&access, &query, limit).unwrap();
            assert_eq!(there, sqlite.search(&access, &query, limit).unwrap(), "{query:?} as {kind:?}");
            found += there.len();
        }
    }
    assert!(found > 200, "{found}");
    // What is in no document of the scope.
    let access = Access::agent(marta());
    assert!(postgres.search(&access, "secret", 9).unwrap().is_empty());
    assert!(postgres.search(&Access::agent(Scope::user("ilya")), "harbour", 9).unwrap().is_empty());
}

#[test]
fn rows_of_an_index_are_seen_by_their_scope_alone() {
    let Some(url) = server::url() else { return };
    let fresh = Fresh::new();
    let ilya = Scope { agent: "trader".to_owned(), ..Scope::user("ilya") };
    for scope in [marta(), ilya] {
        let workspace =
            Indexed::new(fresh.server.workspace(scope.clone()).unwrap(), fresh.server.index(scope).unwrap());
        workspace.write(&doc("notes/boat.md"), b"The [[boat]] of @jan\n", WriteMode::Create).unwrap();
    }
    let mut beside = Client::connect(&url, NoTls).unwrap();
    for (user, agent, seen) in [("", "", 0), ("marta", "", 1), ("ilya", "", 0), ("ilya", "trader", 1)] {
        for table in ["indexed_documents", "chunks", "chunk_words", "index_numbers"] {
            let mut transaction = beside.transaction().unwrap();
            let set = "SELECT set_config('noctuary.user', $1, true), set_config('noctuary.agent', $2, true)";
            transaction.query(set, &[&user, &agent]).unwrap();
            let sql = format!("SELECT user_id FROM {}.{table}", fresh.schema());
            assert_eq!(transaction.query(&sql, &[]).unwrap().len(), seen, "{table} as {user:?}, {agent:?}");
        }
    }
}

// A figure, not a bound: documents of one scope, each a chunk.
#[test]
fn a_search_over_many_documents_is_timed() {
    let Some(_) = server::url() else { return };
    let many = if std::env::var_os("NOCTUARY_LONG_TESTS").is_some() { 20_000 } else { 500 };
    let fresh = Fresh::new();
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteIndex::open(folder.path().join("index.db"), marta()).unwrap();
    let postgres = fresh.server.index(marta()).unwrap();
    let mut dice = Dice(9);
    let texts: Vec<String> =
        (0..many).map(|_| some_words(&mut dice, 60) + &format!("entry{}\n", dice.below(many))).collect();
    let now = Utc::now();
    for index in [&sqlite as &dyn DocumentIndex, &postgres] {
        for (at, part) in texts.chunks(100).enumerate() {
            let changes = part.iter().enumerate().map(|(number, text)| {
                let seen = noctuary::search::SeenDocument {
                    size: text.len() as u64,
                    modified: now,
                    revision: noctuary::workspace::Revision::of(text.as_bytes()),
                    audience: noctuary::search::Audience::of(|_| true),
                    chunking: ChunkConfig::default().identity(),
                };
                let chunks = ChunkConfig::default().chunks(text);
                let name = doc(&format!("notes/{:06}.md", at * 100 + number));
                IndexChange {
                    name,
                    before: None,
                    after: IndexEntry::Text { seen, text: text.clone(), chunks },
                }
            });
            let changes: Vec<_> = changes.collect();
            assert!(index.apply(&changes, now).unwrap().into_iter().all(|done| done));
        }
    }
    let access = Access::agent(marta());
    for (home, index) in [("sqlite", &sqlite as &dyn DocumentIndex), ("postgres", &postgres)] {
        for rare in [true, false] {
            let mut times: Vec<_> = (0..21)
                .map(|round| {
                    let query = if rare {
                        format!("entry{}", round * 7)
                    } else {
                        format!("{} tide", WORDS[round % 24])
                    };
                    let begun = Instant::now();
                    index.search(&access, &query, 10).unwrap();
                    begun.elapsed()
                })
                .collect();
            times.sort();
            println!(
                "{many} documents, {home}, {}: p50 {:?}",
                if rare { "rare" } else { "common" },
                times[10]
            );
        }
    }
    assert_eq!(postgres.seen().unwrap().len(), many);
    let workspace = fresh.server.workspace(marta()).unwrap();
    assert_eq!(workspace.read_text(&DocName::MEMORY).unwrap(), None);
}

// Each search read the words of all chunks of its scope.
#[test]
fn no_word_outlives_its_chunk() {
    let Some(url) = server::url() else { return };
    let fresh = Fresh::new();
    let workspace =
        Indexed::new(fresh.server.workspace(marta()).unwrap(), fresh.server.index(marta()).unwrap());
    workspace.write(&doc("notes/boat.md"), b"The boat is called Brisk.\n", WriteMode::Create).unwrap();
    workspace.write(&doc("notes/drinks.md"), b"Tea at five.\n", WriteMode::Create).unwrap();
    let found = |words: &str| workspace.search(&Access::agent(marta()), words, 9).unwrap().results.len();
    assert_eq!((found("boat"), found("tea"), found("boat OR tea"), found("bri*")), (1, 1, 2, 1));

    let mut owner = Client::connect(&url, NoTls).unwrap();
    owner
        .batch_execute(&format!(
            "SET search_path = {}; SELECT set_config('noctuary.user', 'marta', false)",
            fresh.schema()
        ))
        .unwrap();
    workspace.write(&doc("notes/drinks.md"), b"Coffee at six.\n", WriteMode::Replace).unwrap();
    assert_eq!((found("tea"), found("coffee")), (0, 1));
    let mut postings = |condition: &str| -> i64 {
        let sql = format!("SELECT count(*) FROM chunk_postings p WHERE {condition}");
        owner.query_one(&sql, &[]).unwrap().get(0)
    };
    assert!(postings("true") > 5);
    let stale =
        "NOT EXISTS (SELECT 1 FROM chunk_words w WHERE w.number = p.number AND p.word = ANY (w.words))";
    assert_eq!(postings(stale), 0);
    workspace.remove(&doc("notes/boat.md")).unwrap();
    assert_eq!(postings(stale), 0);
    fresh.server.index(marta()).unwrap().clear().unwrap();
    assert_eq!(postings("true"), 0);
}
