//! Searches, by the rows alone and as nobody configured it.

use std::hint::black_box;

use noctuary::memory::{MemoryId, Query};
use noctuary::search::Ranking;
use noctuary::store::StoreConfig;
use noctuary::{FileMemoryStore, MemoryStore, SqliteMemoryStore};

use super::rows::{Question, Rows};
use super::{FILE, SQLITE, hand};
use crate::home::{Kind, agent, scope};
use crate::measure::{Effort, Row, compare};

/// A store that ranks by the rows and nothing else.
pub(super) fn rows_alone() -> StoreConfig {
    let mut config = StoreConfig::default();
    config.ranking = Ranking::rows_alone();
    config
}

pub(super) fn ask(store: &dyn MemoryStore, question: &Question) -> Vec<MemoryId> {
    let found = store.search(&agent(), &Query::new(question.text.as_str()).limit(10)).unwrap();
    found.hits.iter().map(|hit| hit.memory.id).collect()
}

/// Asks all questions in each round, of the store and by hand.
fn searches(effort: Effort, rows: &Rows, labels: [&'static str; 2], store: &dyn MemoryStore) -> Row {
    let connection = hand::connect(&rows.database());
    let mut statement = connection.prepare(hand::SEARCH).unwrap();
    for question in &rows.questions {
        let (ours, by_hand) = (ask(store, question), hand::ask(&mut statement, question));
        assert!(ours.len() >= by_hand.len(), "what is found by hand is found: {}", question.text);
    }
    let bare = |number| drop(black_box(hand::ask(&mut statement, rows.question(number))));
    let ours = |number| drop(black_box(ask(store, rows.question(number))));
    let calls = u32::try_from(rows.questions.len()).unwrap();
    let labels = [labels[0], labels[1], "MATCH … ORDER BY rank LIMIT 10"];
    compare(effort, labels, calls, || {}, Box::new(bare), Box::new(ours))
}

pub(super) fn alone(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let store = SqliteMemoryStore::open_with(rows.database(), scope(), rows_alone()).unwrap();
    let row = searches(effort, rows, [SQLITE, "search of rows alone"], &store);
    table.push(Row { bound: Some(1.15), ..row });
}

pub(super) fn fused(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let store = SqliteMemoryStore::open(rows.database(), scope()).unwrap();
    let row = searches(effort, rows, [SQLITE, "search, fused"], &store);
    table.push(Row { bound: Some(4.0), ..row });
}

pub(super) fn file(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    let folder = tempfile::tempdir_in(rows.folder.path()).unwrap();
    let store = rows.fill(Kind::File, folder.path());
    let fused = searches(effort, rows, [FILE, "search, fused"], &*store);
    drop(store);
    let store = FileMemoryStore::open_with(folder.path(), scope(), rows_alone()).unwrap();
    let beside = SqliteMemoryStore::open_with(rows.database(), scope(), rows_alone()).unwrap();
    for question in &rows.questions {
        assert_eq!(ask(&store, question), ask(&beside, question), "of both stores: {}", question.text);
    }
    let alone = searches(effort, rows, [FILE, "search of rows alone"], &store);
    table.push(Row { bound: Some(0.2), ..alone });
    table.push(fused);
}
