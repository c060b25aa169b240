//! A database of Minara itself, made by the text of seed 003: it is opened, searched, written, dreamed over and handed back.
//! Its own statements say before and after what the seed says of them. (MS-02, MS-04, MS-05, MS-07, MS-20)
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::path::Path;
use std::sync::Arc;

use noctuary::exchange::feed;
use noctuary::life::Preset;
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::store::StoreConfig;
use noctuary::{
    Access, FileWorkspace, JournalDreamer, LlmReply, MemoryStore, Scope, SqliteMemoryStore, dream_once_at,
    llm_fn,
};
use noctuary_tests::common::marta::now;
use rusqlite::Connection;

/// The statements of the seed, as they are printed there; those that it shortens are written out.
const SCHEMA: &str = r"
CREATE TABLE memories (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  category    TEXT NOT NULL,
  content     TEXT NOT NULL,
  metadata    TEXT,                -- optional JSON
  source      TEXT,                -- promoted from metadata.source
  deleted_at  TEXT,                -- soft-delete timestamp
  created_at  TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at  TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE TABLE user_profile (
  key         TEXT PRIMARY KEY,
  value       TEXT NOT NULL,
  updated_at  TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE VIRTUAL TABLE memories_fts USING fts5(
  content,
  category,
  content='memories',
  content_rowid='id'
);
CREATE TRIGGER memories_ai AFTER INSERT ON memories BEGIN
  INSERT INTO memories_fts(rowid, content, category)
    VALUES (new.id, new.content, new.category);
END;
CREATE TRIGGER memories_ad AFTER DELETE ON memories BEGIN
  INSERT INTO memories_fts(memories_fts, rowid, content, category)
    VALUES('delete', old.id, old.content, old.category);
END;
CREATE TRIGGER memories_au AFTER UPDATE ON memories BEGIN
  INSERT INTO memories_fts(memories_fts, rowid, content, category)
    VALUES('delete', old.id, old.content, old.category);
  INSERT INTO memories_fts(rowid, content, category)
    VALUES (new.id, new.content, new.category);
END;
CREATE TABLE perps_fills (
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  sub_account_id  TEXT NOT NULL,
  wallet_address  TEXT,
  oid             TEXT NOT NULL,
  ts_ms           INTEGER NOT NULL,
  symbol          TEXT NOT NULL,
  side            TEXT NOT NULL,
  dir             TEXT,
  size            REAL NOT NULL,
  price           REAL NOT NULL,
  fee             REAL NOT NULL DEFAULT 0,
  closed_pnl      REAL NOT NULL DEFAULT 0,
  raw_json        TEXT,
  fill_uid        TEXT NOT NULL,
  created_at      TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE UNIQUE INDEX uniq_perps_fills_dedup
  ON perps_fills(sub_account_id, fill_uid);
CREATE TABLE memory_edges (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  src_table TEXT NOT NULL,
  src_id INTEGER NOT NULL,
  dst_entity_kind TEXT NOT NULL,
  dst_entity_key TEXT NOT NULL,
  edge_type TEXT NOT NULL,
  weight REAL NOT NULL DEFAULT 1.0,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  UNIQUE(src_table, src_id, dst_entity_kind, dst_entity_key, edge_type)
);
CREATE TABLE audit_log (id INTEGER PRIMARY KEY AUTOINCREMENT, tool_call TEXT NOT NULL, reason TEXT);
CREATE TABLE instance_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE sessions (id TEXT PRIMARY KEY, messages TEXT NOT NULL);
";

const ROWS: &str = r#"
INSERT INTO memories (category, content, metadata, created_at, updated_at) VALUES
  ('preference', 'user always sets slippage to 0.5%', '{"source":"user_explicit"}', '2026-11-01 09:00:00', '2026-11-04 09:00:00'),
  ('observation', 'user avoided meme coins throughout Q1', NULL, '2026-11-02 09:00:00', '2026-11-02 09:00:00'),
  ('trade_outcome', 'long ETH from $3200, closed at $3450, +7.8%', NULL, '2026-11-03 09:00:00', '2026-11-03 09:00:00'),
  ('personalization', 'user treats crypto as a 5% allocation', '{"source":"inferred"}', '2026-11-04 10:00:00', '2026-11-05 10:00:00'),
  ('reference', 'TrueUSD issuer: 0x52908400098527886E0F7030069857D2E4169EE7', NULL, '2026-11-05 09:00:00', '2026-11-05 09:00:00'),
  ('lesson', 'high slippage on small pools costs more than waiting', NULL, '2026-11-05 09:30:00', '2026-11-05 09:30:00');
UPDATE memories SET deleted_at = '2026-11-06 09:00:00' WHERE category = 'lesson';
INSERT INTO user_profile (key, value) VALUES ('risk_tolerance', 'conservative'), ('home_language', 'en');
INSERT INTO perps_fills (sub_account_id, oid, ts_ms, symbol, side, size, price, fill_uid)
  VALUES ('sub-1', 'order-1', 1795230000000, 'ETH', 'buy', 1.5, 3200, 'tid-1');
INSERT INTO memory_edges (src_table, src_id, dst_entity_kind, dst_entity_key, edge_type) VALUES ('memories', 3, 'ticker', 'ETH', 'holds');
INSERT INTO audit_log (tool_call, reason) VALUES ('memory_write', 'the user said so');
INSERT INTO instance_meta VALUES ('hmac_key', 'not ours to read');
INSERT INTO sessions VALUES ('s1', '[]');
"#;

/// The seed's own queries ("Inspection and debugging"), as they are printed.
const INSPECTION: [&str; 4] = [
    "SELECT category, COUNT(*) FROM memories GROUP BY category ORDER BY 2 DESC;",
    "SELECT category, content FROM memories ORDER BY updated_at DESC LIMIT 50;",
    "SELECT MAX(updated_at) FROM memories WHERE category='personalization';",
    "SELECT m.* FROM memories m JOIN memories_fts f ON m.id=f.rowid
    WHERE memories_fts MATCH 'slippage' ORDER BY rank LIMIT 5;",
];

fn stock(path: &Path) -> Connection {
    Connection::open(path).unwrap()
}

fn marta() -> Access {
    Access::agent(Scope::user("marta"))
}

fn open(path: &Path) -> SqliteMemoryStore {
    let scope = Scope::user("marta");
    SqliteMemoryStore::open_with(path, scope, StoreConfig::preset(Preset::Minara)).unwrap()
}

/// Returns what a query says, a line a row, with the first eight columns at most: the seed's.
fn told(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count().min(8);
    let rows = statement.query_map([], |row| {
        (0..width).map(|at| row.get::<_, rusqlite::types::Value>(at)).collect::<rusqlite::Result<Vec<_>>>()
    });
    rows.unwrap().map(|row| format!("{:?}", row.unwrap())).collect()
}

fn inspected(path: &Path) -> Vec<Vec<String>> {
    INSPECTION.iter().map(|sql| told(&stock(path), sql)).collect()
}

/// Returns the tables that are Minara's alone, and how they were made.
fn of_minara(path: &Path) -> Vec<String> {
    let connection = stock(path);
    let mut all = told(
        &connection,
        "SELECT name, sql FROM sqlite_schema WHERE name IN ('perps_fills', 'audit_log', 'instance_meta', 'sessions', 'user_profile',
            'uniq_perps_fills_dedup') ORDER BY name",
    );
    for table in ["perps_fills", "audit_log", "instance_meta", "sessions", "user_profile"] {
        all.extend(told(&connection, &format!("SELECT * FROM {table}")));
    }
    all
}

fn found(store: &SqliteMemoryStore, query: &Query) -> Vec<String> {
    store.search(&marta(), query).unwrap().hits.into_iter().map(|hit| hit.memory.content).collect()
}

#[test]
fn a_database_of_minara_is_used_and_handed_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("minara.db");
    stock(&path).execute_batch(&format!("PRAGMA journal_mode = WAL; {SCHEMA} {ROWS}")).unwrap();
    let (before, beside) = (inspected(&path), of_minara(&path));
    assert_eq!(before[1].len(), 6, "the seed's query knows no deleted rows");
    assert_eq!(before[3].len(), 2);

    // Opened: nothing of it says anything else, but that words of a deleted row are in no index of ours.
    let store = open(&path);
    let after = inspected(&path);
    for query in [0, 1, 2] {
        assert_eq!(after[query], before[query], "{}", INSPECTION[query]);
    }
    // MS-07: the source comes from the metadata, once.
    let sources = told(&stock(&path), "SELECT source FROM memories WHERE id IN (1, 4) ORDER BY id");
    assert_eq!(sources, [r#"[Text("user_explicit")]"#, r#"[Text("inferred")]"#]);
    assert_eq!(after[3].len(), 1, "{:?}", after[3]);
    assert!(after[3][0].contains("always sets slippage"));
    assert_eq!(of_minara(&path), beside);

    // Searched: in plain words, and in the seed's own syntax.
    let preference = "user always sets slippage to 0.5%";
    for query in [
        Query::new("which slippage?"),
        Query::fts("slip*"),
        Query::fts("category:preference slippage"),
        Query::fts("\"always sets\""),
        Query::fts("slippage AND always"),
    ] {
        assert_eq!(found(&store, &query), [preference], "{query:?}");
    }
    assert!(found(&store, &Query::new("TrueUSD issuer"))[0].contains("0x5290"));
    let language = store.profile(&marta()).unwrap();
    assert!(language.contains(&("risk_tolerance".to_owned(), "conservative".to_owned())));

    // Written: an address is data here.
    let written = "USDC issuer: 0x8617E340B3D01FA5F11F306F4090FD50E238070D";
    let new = NewMemory::new("reference", written, Source::AgentRecorded);
    let id = store.write(&marta(), &new, now()).unwrap();

    // Dreamed over: the workspace beside it, and its lines become rows.
    let life = folder.path().join("workspace");
    std::fs::create_dir_all(life.join("memory")).unwrap();
    std::fs::write(life.join("memory/2026-11-20-repl.md"), "- [user] I moved my ledger to Porto.\n").unwrap();
    let workspace = Arc::new(FileWorkspace::open(&life).unwrap());
    let dreamer = JournalDreamer::builder(workspace.clone()).enabled(true).build().unwrap();
    let moved = "The user moved their ledger to Porto.";
    let llm =
        llm_fn(move |_| Ok(LlmReply::new(format!("### Facts\n- {moved} (memory/2026-11-20-repl.md#L1)\n"))));
    let report = dream_once_at(&dreamer, &llm, &now).unwrap();
    assert_eq!(report.promoted().count(), 1, "{report}");
    feed(workspace.as_ref(), &store, &Scope::user("marta"), now()).unwrap();
    assert!(found(&store, &Query::new("Porto ledger"))[0].contains("Porto"));
    drop(store);

    // Handed back: Minara's own statements work, and say what was done meanwhile.
    assert_eq!(of_minara(&path), beside, "its own tables stand as they were");
    let minara = stock(&path);
    let newest = told(&minara, INSPECTION[1]);
    assert!(newest.iter().any(|row| row.contains(written)) && newest.iter().any(|row| row.contains("Porto")));
    minara
        .execute_batch(
            "INSERT INTO memories (category, content, metadata) VALUES ('alert', 'BTC ETF inflows spiked on 2026-04-14', NULL);
             UPDATE memories SET content = 'user always sets slippage to 0.3%', updated_at = datetime('now') WHERE id = 1;
             UPDATE memories SET deleted_at = datetime('now') WHERE category = 'observation';
             UPDATE memories SET deleted_at = NULL WHERE category = 'lesson';",
        )
        .unwrap();
    let by_words = |word: &str| {
        let sql = format!(
            "SELECT m.content FROM memories m JOIN memories_fts f ON m.id=f.rowid
             WHERE memories_fts MATCH '{word}' AND m.deleted_at IS NULL ORDER BY m.id"
        );
        told(&minara, &sql)
    };
    assert_eq!(by_words("inflows").len(), 1);
    assert_eq!(by_words("slippage").len(), 2, "the restored lesson too");
    assert!(by_words("slippage")[0].contains("0.3%"));
    assert!(by_words("meme").is_empty());
    assert_eq!(told(&minara, "PRAGMA integrity_check"), [r#"[Text("ok")]"#]);
    minara
        .execute_batch("INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)")
        .unwrap();
    drop(minara);

    // And back again: rows that Minara wrote are found here.
    let store = open(&path);
    assert_eq!(found(&store, &Query::new("ETF inflows")), ["BTC ETF inflows spiked on 2026-04-14"]);
    assert_eq!(
        found(&store, &Query::new("which slippage is always set?"))[0],
        "user always sets slippage to 0.3%"
    );
    assert_eq!(store.get(&marta(), id).unwrap().map(|row| row.content), Some(written.to_owned()));
}
