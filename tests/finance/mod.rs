//! The mirror of trades: each kept once, in the seed's tables, out of sight of all but main sessions.

use std::sync::{Arc, Mutex};

use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::dream::HistorySource;
use noctuary::edges::EdgeStore;
use noctuary::finance::{
    Fill, FinanceEdges, MirrorSource, MirrorStore, SpotActivity, SyncConfig, SyncDue, TradeHistory,
    fills_as_history, spot_as_history,
};
use noctuary::learning::{NewPreference, PreferenceStore};
use noctuary::memory::{MemoryEvent, MemoryObserver, NewMemory, Source};
use noctuary::pages::{Learned, Pages};
use noctuary::store::StoreConfig;
use noctuary::{Access, Actor, Error, MemoryStore, Scope, SessionKind, SqliteMemoryStore, SqliteWorkspace};
use rusqlite::Connection;

#[allow(clippy::unwrap_used, reason = "a day that exists")]
fn now() -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap()
}

fn marta() -> Scope {
    Scope::user("marta")
}

fn host() -> Access {
    Access::new(SessionKind::Main, Actor::Library, marta())
}

fn fill(order: &str, tid: u32) -> Fill {
    let raw = format!(r#"{{"tid":{tid},"coin":"BTC"}}"#);
    Fill::new("sub-1", order, 1_795_230_000_000 + i64::from(tid), "BTC", "buy").at(0.5, 64_000.0).raw(raw)
}

fn columns(path: &std::path::Path, table: &str) -> Vec<(String, String, bool, Option<String>)> {
    let database = Connection::open(path).expect("it is sound");
    let sql = format!("SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info('{table}')");
    let mut statement = database.prepare(&sql).expect("it is sound");
    let columns = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .expect("it is sound");
    columns.map(|column| column.expect("it is sound")).collect()
}

// FX-01, FX-04, FX-05
#[test]
fn the_tables_are_those_of_the_seed_and_come_with_the_first_trade() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let store = SqliteMemoryStore::open(&path, marta()).unwrap();
    for table in ["perps_fills", "external_spot_activities", "minara_history_sync_state"] {
        assert!(columns(&path, table).is_empty(), "{table}: a life without trades has no table of them");
    }
    assert!(store.perps_fills(&host(), None, 9).unwrap().is_empty());
    store.bulk_insert_perps_fills(&host(), &[fill("a", 1)], now()).unwrap();
    let named = |table: &str| -> Vec<String> {
        let shown = columns(&path, table).into_iter();
        shown
            .map(|(name, kind, required, _)| format!("{name} {kind}{}", if required { "!" } else { "" }))
            .collect()
    };
    assert_eq!(
        named("perps_fills"),
        [
            "id INTEGER",
            "sub_account_id TEXT!",
            "wallet_address TEXT",
            "oid TEXT!",
            "ts_ms INTEGER!",
            "symbol TEXT!",
            "side TEXT!",
            "dir TEXT",
            "size REAL!",
            "price REAL!",
            "fee REAL!",
            "closed_pnl REAL!",
            "raw_json TEXT",
            "fill_uid TEXT!",
            "created_at TEXT!"
        ]
    );
    assert_eq!(
        named("external_spot_activities"),
        [
            "id INTEGER",
            "tx_hash TEXT!",
            "ts_ms INTEGER!",
            "type TEXT!",
            "from_token TEXT",
            "to_token TEXT",
            "amount TEXT",
            "value_usd REAL",
            "status TEXT!",
            "raw_json TEXT",
            "created_at TEXT!"
        ]
    );
    assert_eq!(
        named("minara_history_sync_state"),
        [
            "source TEXT!",
            "sub_account_id TEXT!",
            "last_synced_ts_ms INTEGER",
            "last_synced_at TEXT!",
            "last_error TEXT",
            "consecutive_failures INTEGER!"
        ]
    );
    let of_fills = columns(&path, "perps_fills");
    for name in ["fee", "closed_pnl"] {
        let (.., default) = of_fills.iter().find(|(column, ..)| column == name).unwrap();
        assert_eq!(default.as_deref(), Some("0"));
    }
}

#[derive(Debug, Default)]
struct Heard(Mutex<Vec<String>>);

impl MemoryObserver for Heard {
    fn event(&self, event: &MemoryEvent) {
        self.0.lock().expect("nobody panicked").push(event.name.to_string());
    }
}

// FX-02, FX-07
#[test]
fn a_trade_is_kept_once_and_told_of_once() {
    let heard = Arc::new(Heard::default());
    let mut config = StoreConfig::default();
    config.observer = Some(heard.clone());
    let store = SqliteMemoryStore::open_in_memory_with(marta(), config).unwrap();
    let parts = [fill("order", 1), fill("order", 2), fill("order", 1)];
    let kept = store.bulk_insert_perps_fills(&host(), &parts, now()).unwrap();
    assert_eq!((kept.inserted, kept.refused), (2, 0), "two parts of one order, one of them told twice");
    assert_eq!(store.bulk_insert_perps_fills(&host(), &parts, now()).unwrap().inserted, 0);
    let mut of_another = fill("order", 1);
    of_another.sub_account_id = "sub-2".to_owned();
    assert_eq!(store.bulk_insert_perps_fills(&host(), &[of_another], now()).unwrap().inserted, 1);
    let swap = SpotActivity::new("0xfeed", 1_795_230_000_500, "swap", "confirmed")
        .tokens("USDC", "SOL")
        .amount("12.000000000000000000001");
    assert_eq!(
        store.bulk_insert_external_spot(&host(), &[swap.clone(), swap.clone()], now()).unwrap().inserted,
        1
    );
    assert_eq!(store.bulk_insert_external_spot(&host(), &[swap], now()).unwrap().inserted, 0);
    assert_eq!(
        *heard.0.lock().unwrap(),
        ["perps_fills:recorded", "perps_fills:recorded", "external_spot:recorded"],
        "nothing is told of what was known"
    );
    let amount = store.external_spot(&host(), Some("sol"), 9).unwrap()[0].amount.clone();
    assert_eq!(amount.as_deref(), Some("12.000000000000000000001"), "no digit is lost");
}

// FX-03
#[test]
fn a_fill_that_another_program_kept_by_its_sha1_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let store = SqliteMemoryStore::open(&path, marta()).unwrap();
    store.bulk_insert_perps_fills(&host(), &[fill("first", 1)], now()).unwrap();
    Connection::open(&path)
        .unwrap()
        .execute(
            "INSERT INTO perps_fills (sub_account_id, oid, ts_ms, symbol, side, size, price, fill_uid)
             VALUES ('sub-1', 'o', 5, 'BTC', 'buy', 1, 2, 'a9993e364706816aba3e25717850c26c9cd0d89d')",
            [],
        )
        .unwrap();
    let of_raw = |raw: &str| Fill::new("sub-1", "o", 5, "BTC", "buy").at(1.0, 2.0).raw(raw);
    let insert = |fill| store.bulk_insert_perps_fills(&host(), &[fill], now()).unwrap().inserted;
    assert_eq!(insert(of_raw("abc")), 0, "the SHA-1 of its record stands there");
    assert_eq!(insert(of_raw("abd")), 1);
    assert_eq!(insert(of_raw("abd")), 0);
}

// FX-06, FX-08, CF-14
#[test]
fn a_source_that_fails_rests_and_touches_no_other() {
    let store = SqliteMemoryStore::open_in_memory(marta()).unwrap();
    let sub = |name: &str| MirrorSource::PerpsFills(name.to_owned());
    let config = SyncConfig::default();
    assert_eq!((config.max_failures, config.failure_cooldown.as_secs()), (5, 1800)); // CF-14
    store.record_sync(&host(), &sub("a"), Ok(700), now()).unwrap();
    store.record_sync(&host(), &MirrorSource::Spot, Ok(900), now()).unwrap();
    let mut clock = now();
    for failures in 1..=5 {
        clock += TimeDelta::hours(1);
        let state = store.record_sync(&host(), &sub("a"), Err("503"), clock).unwrap();
        assert_eq!((state.consecutive_failures, state.last_synced_ts_ms), (failures, Some(700)));
        assert_eq!(state.last_synced_at, Some(now()), "a failure is no reading");
    }
    let state = store.sync_state(&host(), &sub("a")).unwrap();
    assert_eq!(
        state.due(&config, clock),
        SyncDue::Resting(clock + TimeDelta::minutes(30)),
        "since the last try"
    );
    assert_eq!(state.due(&config, clock + TimeDelta::minutes(30)), SyncDue::Probe);
    for other in [sub("b"), MirrorSource::Spot] {
        let state = store.sync_state(&host(), &other).unwrap();
        assert_eq!((state.consecutive_failures, state.due(&config, clock)), (0, SyncDue::Now), "{other:?}");
    }
    let back = store.record_sync(&host(), &sub("a"), Ok(650), clock).unwrap();
    assert_eq!((back.consecutive_failures, back.last_error, back.last_synced_ts_ms), (0, None, Some(700)));
    let first = store.record_sync(&host(), &sub("new"), Err("no answer"), clock).unwrap();
    assert_eq!((first.last_synced_at, first.last_tried_at), (None, Some(clock)));
}

#[test]
fn only_main_sessions_see_trades_and_no_agent_reports_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let store = SqliteMemoryStore::open(&path, marta()).unwrap();
    store.bulk_insert_perps_fills(&host(), &[fill("a", 1)], now()).unwrap();
    let agent = Access::agent(marta());
    assert_eq!(store.perps_fills(&agent, None, 9).unwrap().len(), 1);
    let is_denied = |result: noctuary::Result<()>| matches!(result, Err(Error::Denied { .. }));
    assert!(is_denied(store.bulk_insert_perps_fills(&agent, &[fill("b", 2)], now()).map(drop)));
    assert!(is_denied(store.record_sync(&agent, &MirrorSource::Spot, Ok(1), now()).map(drop)));
    for kind in [SessionKind::Shared, SessionKind::Subagent, SessionKind::Scheduled] {
        let access = Access::new(kind, Actor::Library, marta());
        assert!(is_denied(store.perps_fills(&access, None, 9).map(drop)), "{kind:?}");
        assert!(is_denied(store.external_spot(&access, None, 9).map(drop)), "{kind:?}");
        assert!(is_denied(store.sync_state(&access, &MirrorSource::Spot).map(drop)), "{kind:?}");
        assert!(is_denied(store.bulk_insert_external_spot(&access, &[], now()).map(drop)), "{kind:?}");
    }
    let guest = SqliteMemoryStore::open(&path, Scope::user("ivo")).unwrap();
    let ivo = Access::new(SessionKind::Main, Actor::Library, Scope::user("ivo"));
    assert!(is_denied(guest.perps_fills(&ivo, None, 9).map(drop)), "the tables name no scope");
    assert!(is_denied(store.perps_fills(&ivo, None, 9).map(drop)));
}

#[test]
fn secrets_are_masked_in_records_and_refused_elsewhere_and_bad_numbers_are_errors() {
    let store = SqliteMemoryStore::open_in_memory(marta()).unwrap();
    let key = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
    let mut with_key = fill("a", 1).raw(format!(r#"{{"tid":1,"note":"{key}"}}"#));
    with_key.wallet_address = Some("0x52908400098527886E0F7030069857D2E4169EE7".to_owned());
    let mut named = fill("b", 2);
    named.dir = Some(key.clone());
    let kept = store.bulk_insert_perps_fills(&host(), &[with_key, named], now()).unwrap();
    assert_eq!((kept.inserted, kept.refused), (1, 1));
    let fills = store.perps_fills(&host(), None, 9).unwrap();
    assert!(fills[0].wallet_address.is_some());
    let raw = fills[0].raw_json.as_deref().unwrap();
    assert!(raw.contains("[REDACTED:") && !raw.contains(&key), "{raw}");
    let state =
        store.record_sync(&host(), &MirrorSource::Spot, Err(&format!("401 for {key}")), now()).unwrap();
    assert!(!state.last_error.unwrap().contains(&key));
    for number in [f64::NAN, f64::INFINITY] {
        let bad = fill("c", 3).at(number, 1.0);
        let refused = store.bulk_insert_perps_fills(&host(), &[fill("d", 4), bad], now());
        assert!(matches!(refused, Err(Error::Config { .. })));
    }
    assert_eq!(store.perps_fills(&host(), None, 9).unwrap().len(), 1, "all of a batch, or nothing");
}

#[test]
fn what_is_forgotten_leaves_the_mirror_with_its_records_and_stays_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    let store = SqliteMemoryStore::open(&path, marta()).unwrap();
    let secret = fill("a", 1).raw(r#"{"tid":1,"note":"the violet harbour fund"}"#);
    store.bulk_insert_perps_fills(&host(), &[secret.clone(), fill("b", 2)], now()).unwrap();
    store.record_sync(&host(), &MirrorSource::Spot, Err("the violet harbour fund is closed"), now()).unwrap();
    let receipt = store.forget(&Access::human(marta()), "violet harbour fund", now()).unwrap();
    let line = receipt.iter().find(|line| line.place.to_string() == "mirrored trades").unwrap();
    assert_eq!((line.found, line.removed), (2, 2));
    assert_eq!(store.perps_fills(&host(), None, 9).unwrap().len(), 1);
    assert_eq!(store.sync_state(&host(), &MirrorSource::Spot).unwrap().last_error, None);
    let again = store.bulk_insert_perps_fills(&host(), &[secret], now()).unwrap();
    assert_eq!((again.inserted, again.refused), (0, 1), "a tombstone keeps it out");
    drop(store);
    let bytes: Vec<u8> = std::fs::read_dir(folder.path())
        .unwrap()
        .flat_map(|entry| std::fs::read(entry.unwrap().path()).unwrap_or_default())
        .collect();
    assert!(!String::from_utf8_lossy(&bytes).contains("violet"), "no byte of it is left in the file");
}

#[test]
fn tables_of_another_program_are_taken_over_where_they_fit_and_left_alone_where_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("minara.db");
    let database = Connection::open(&path).unwrap();
    database
        .execute_batch(
            "CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, category TEXT NOT NULL, content TEXT NOT NULL,
               metadata TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')));
             CREATE TABLE perps_fills (id INTEGER PRIMARY KEY, what TEXT NOT NULL);
             INSERT INTO perps_fills (what) VALUES ('not ours');
             CREATE TABLE external_spot_activities (id INTEGER PRIMARY KEY AUTOINCREMENT, tx_hash TEXT NOT NULL UNIQUE,
               ts_ms INTEGER NOT NULL, type TEXT NOT NULL, from_token TEXT, to_token TEXT, amount TEXT, value_usd REAL,
               status TEXT NOT NULL, raw_json TEXT, created_at TEXT NOT NULL DEFAULT (datetime('now')));
             INSERT INTO external_spot_activities (tx_hash, ts_ms, type, to_token, status)
               VALUES ('0xold', 7, 'transfer', 'ETH', 'confirmed');",
        )
        .unwrap();
    drop(database);
    let store = SqliteMemoryStore::open(&path, marta()).unwrap();
    store.bulk_insert_perps_fills(&host(), &[fill("a", 1)], now()).unwrap();
    assert_eq!(store.perps_fills(&host(), None, 9).unwrap().len(), 1);
    let old = SpotActivity::new("0xold", 7, "transfer", "confirmed");
    assert_eq!(store.bulk_insert_external_spot(&host(), &[old], now()).unwrap().inserted, 0);
    assert_eq!(store.external_spot(&host(), Some("ETH"), 9).unwrap().len(), 1);
    drop(store);
    let store = SqliteMemoryStore::open(&path, marta()).unwrap();
    assert_eq!(store.perps_fills(&host(), None, 9).unwrap().len(), 1);
    let database = Connection::open(&path).unwrap();
    let theirs: String = database.query_row("SELECT what FROM perps_fills", [], |row| row.get(0)).unwrap();
    assert_eq!(theirs, "not ours");
    assert_eq!(columns(&path, "perps_fills").len(), 2, "no column was added");
    assert_eq!(columns(&path, "memory_perps_fills").len(), 15);
}

// CP-03, CP-06, PE-05, and CP-07: a symbol that is no asset is on no page.
#[test]
fn trades_stand_on_the_page_of_their_asset_and_in_the_evidence_of_the_profile() {
    let mut config = StoreConfig::default();
    config.edges = Some(Arc::new(FinanceEdges::default()));
    let store = Arc::new(SqliteMemoryStore::open_in_memory_with(marta(), config).unwrap());
    let access = Access::agent(marta());
    let row = NewMemory::new("observation", "Marta bought EUR/USD before the vote", Source::AgentRecorded);
    store.write(&access, &row, now()).unwrap();
    let of = |symbol: &str, tid: u32| {
        let mut one = fill("o", tid);
        one.symbol = symbol.to_owned();
        one.closed_pnl = -41.5;
        one
    };
    store
        .bulk_insert_perps_fills(
            &host(),
            &[of("EUR/USD", 1), of("BTC-USD", 2), of("ETH", 3), of("a basket of ETH", 4)],
            now(),
        )
        .unwrap();
    let swap = SpotActivity::new("0xfeed", 1_795_230_000_500, "swap", "confirmed").tokens("USDC", "ETH");
    store.bulk_insert_external_spot(&host(), &[swap], now()).unwrap();
    let pages = Pages::new(store.clone()).source(Arc::new(TradeHistory::new(store.clone())));
    let page = |asked: &str| pages.page(&access, asked, true, now()).unwrap().to_markdown();
    let euro = page("eur/usd");
    assert!(euro.contains("buy 0.5 EUR/USD at 64000, profit -41.5"), "{euro}");
    assert!(euro.contains("before the vote") && !euro.contains("BTC"), "{euro}");
    let body = |page: &str| page.split_once('\n').unwrap().1.to_owned();
    assert_eq!(body(&euro), body(&page("EURUSD")), "one page, whatever it is asked for by");
    assert!(page("btc").contains("BTC-USD"));
    let ether = page("Ethereum");
    assert!(ether.contains("swap USDC to ETH, confirmed") && ether.contains("buy 0.5 ETH"), "{ether}");
    for asked in ["eth", "a basket of ETH", "basket"] {
        assert!(!page(asked).contains("buy 0.5 a basket"), "{asked}: {}", page(asked));
    }
    let shared = pages.page(&Access::shared(marta()), "eth", true, now()).unwrap();
    assert!(!shared.to_markdown().contains("swap"), "only main sessions see trades");
    store.bulk_insert_perps_fills(&host(), &[of("ETH", 9)], now()).unwrap();
    assert_eq!(page("eth").matches("buy 0.5 ETH").count(), 2, "a new trade drops the page that was kept");
    let top = store.top_entities(&access, 5).unwrap();
    assert!(top.iter().any(|one| one.entity.to_string() == "ticker:EURUSD"), "{top:?}");
    let fills = fills_as_history(store.clone(), access.clone());
    assert_eq!((fills.name(), fills.latest(2).unwrap().len()), ("perps_fills", 2));
    let spot = spot_as_history(store, access);
    assert_eq!(spot.latest(9).unwrap()[0].text, "swap USDC to ETH, confirmed");
}

#[test]
fn the_mirror_goes_with_the_life_of_its_owner_and_stays_with_that_of_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lives.db");
    let store = SqliteMemoryStore::open(&path, marta()).unwrap();
    store.bulk_insert_perps_fills(&host(), &[fill("a", 1)], now()).unwrap();
    store.record_sync(&host(), &MirrorSource::Spot, Err("503"), now()).unwrap();
    let ivo = SqliteMemoryStore::open(&path, Scope::user("ivo")).unwrap();
    let row = NewMemory::new("fact", "Ivo likes tea", Source::UserExplicit);
    ivo.write(&Access::agent(Scope::user("ivo")), &row, now()).unwrap();
    drop((store, ivo));
    let erase = |scope: Scope| {
        SqliteWorkspace::open(&path, scope.clone()).unwrap().erase(&Access::human(scope)).unwrap()
    };
    erase(Scope::user("ivo"));
    let count = |table: &str| -> i64 {
        let sql = format!("SELECT count(*) FROM {table}");
        Connection::open(&path).unwrap().query_row(&sql, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count("perps_fills"), 1);
    erase(marta());
    for table in
        ["perps_fills", "external_spot_activities", "minara_history_sync_state", "memory_history_tries"]
    {
        assert_eq!(count(table), 0, "{table}");
    }
}

#[test]
fn a_rule_that_names_a_coin_stands_on_the_page_of_its_ticker() {
    let edges = Arc::new(FinanceEdges::default());
    let mut config = StoreConfig::default();
    config.edges = Some(edges.clone());
    let store = Arc::new(SqliteMemoryStore::open_in_memory_with(marta(), config).unwrap());
    let human = Access::human(marta());
    for words in ["Never buy bitcoin with borrowed money.", "Never lend Brisk."] {
        let rule = NewPreference::hard_constraint("risk", words);
        let rule = store.propose_preference(&human, &rule, now()).unwrap();
        store.approve_preference(&human, rule, now()).unwrap();
    }
    let told = |learned: Learned<SqliteMemoryStore>| -> Vec<String> {
        let pages = Pages::new(store.clone()).source(Arc::new(learned));
        let page = pages.page(&human, "BTC", true, now()).unwrap();
        page.constraints.iter().map(|rule| rule.text.clone()).collect()
    };
    assert!(told(Learned::new(store.clone())).is_empty(), "no word of it is written there");
    let learned = Learned::new(store.clone()).extractor(edges);
    assert_eq!(told(learned), ["Never buy bitcoin with borrowed money."]);
}
