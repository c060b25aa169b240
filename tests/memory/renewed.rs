//! An index that another version wrote is made anew once, and the doctor and a sync say so.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::sync::Arc;

use chrono::Utc;
use noctuary::doctor::{Doctor, FindingKind};
use noctuary::life::Indexed;
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::search::{IndexChange, IndexEntry, SeenDocument};
use noctuary::store::StoreConfig;
use noctuary::{MemoryStore, SqliteMemoryStore, Workspace, WriteMode};
use noctuary_tests::common::marta::{agent, marta, name, now};
use noctuary_tests::common::server;

use crate::workspace::index_homes::{NewHome, on_each_home};

const ROW: &str = "Die Rechnung ist noch nicht bezahlt.";
const QUERY: &str = "Rechnungen";

fn says_older(doctor: &Doctor) -> bool {
    let told = doctor.examine(now()).unwrap();
    told.findings
        .iter()
        .any(|finding| finding.kind == FindingKind::OlderSchema && finding.fix.contains("anew, once"))
}

fn finds(store: &dyn MemoryStore) -> bool {
    !store.search(&agent(), &Query::new(QUERY)).unwrap().hits.is_empty()
}

#[test]
fn the_words_of_a_database_are_made_anew_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("life.db");
    let open = || SqliteMemoryStore::open(&path, marta()).unwrap();
    open().write(&agent(), &NewMemory::new("observation", ROW, Source::AgentRecorded), now()).unwrap();
    let run = |sql: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let doctor = Doctor::of(&path).unwrap();
    assert!(!says_older(&doctor));
    run("UPDATE memory_terms_state SET version = 2");
    assert!(says_older(&doctor));
    assert!(finds(&open()));
    assert!(!says_older(&doctor), "once");
    assert!(finds(&open()));
}

#[test]
fn the_words_on_a_server_are_made_anew_once() {
    // Row-level security hides the row from a connection that names no scope.
    let Some(url) = server::url().map(|url| url.replace("user=noctuary_test", "user=postgres")) else {
        return;
    };
    if Some(&url) == server::url().as_ref() {
        println!("skipped: the server is not the one of .ci/postgres");
        return;
    }
    let fresh = server::Fresh::new();
    let open = || fresh.server.memory_with(marta(), StoreConfig::default()).unwrap();
    open().write(&agent(), &NewMemory::new("observation", ROW, Source::AgentRecorded), now()).unwrap();
    let doctor = Doctor::of_server(&fresh.server).scope(marta());
    assert!(!says_older(&doctor));
    let older = format!("UPDATE {}.memory_state SET numbers[18] = 4", fresh.schema());
    postgres::Client::connect(&url, postgres::NoTls).unwrap().batch_execute(&older).unwrap();
    assert!(says_older(&doctor));
    assert!(finds(&open()));
    assert!(!says_older(&doctor), "once");
}

fn documents_are_indexed_anew_once(home: impl Fn() -> NewHome) {
    let home = home();
    let index = Arc::clone(&home.index);
    let life = Indexed::new(Arc::clone(&home.workspace), Arc::clone(&home.index));
    let note = name("notes/bill.md");
    life.write(&note, format!("{ROW}\n").as_bytes(), WriteMode::Create).unwrap();
    let found = || life.search(&agent(), QUERY, 10).unwrap().results.len();
    assert_eq!((found(), life.sync(Utc::now()).unwrap().renewed), (1, 0));
    // As an older version had it.
    let before = index.seen_of(&note).unwrap().unwrap();
    let seen = SeenDocument { chunking: "markdown/2 1600/320".to_owned(), ..before.clone() };
    let after = IndexEntry::Text { seen, text: format!("{ROW}\n"), chunks: Vec::new() };
    assert_eq!(
        index.apply(&[IndexChange { name: note.clone(), before: Some(before), after }], now()).unwrap(),
        [true]
    );
    assert_eq!(found(), 0);
    let report = life.sync(Utc::now()).unwrap();
    assert_eq!((report.renewed, report.changed), (1, vec![note]));
    assert_eq!((found(), life.sync(Utc::now()).unwrap().renewed), (1, 0), "once");
}

on_each_home! { documents_are_indexed_anew_once }
