//! An inflected word finds the row with its base form, in each language that has a stemmer.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::Utc;
use noctuary::life::Indexed;
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::{FileMemoryStore, MemoryStore, Workspace, WriteMode};
use noctuary_tests::common::backends;
use noctuary_tests::common::marta::{agent, marta, name, now};

use super::opened;
use crate::workspace::index_homes::{NewHome, on_each_home};

/// A row of the table: a language, a row with a word in its base form, and a query with the word inflected.
type Row = [&'static str; 3];

fn table() -> Vec<Row> {
    let lines = include_str!("inflected.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| <[&str; 3]>::try_from(line.split('\t').collect::<Vec<_>>()).unwrap()).collect()
}

/// The least share of the pairs of a language that are found among the first ten.
const FOUND: f64 = 0.85;

/// Checks for each language how many of its pairs are found.
fn check(place: &str, finds: impl Fn(usize, Row) -> bool) {
    let mut found: BTreeMap<&str, (f64, f64, Vec<Row>)> = BTreeMap::new();
    for (number, row) in table().into_iter().enumerate() {
        let (hits, all, misses) = found.entry(row[0]).or_default();
        *all += 1.0;
        if finds(number, row) { *hits += 1.0 } else { misses.push(row) }
    }
    let few: Vec<_> = found.iter().filter(|(_, (hits, all, _))| hits / all < FOUND).collect();
    println!("{place}: {:?}", found.iter().map(|(language, found)| (language, found.0)).collect::<Vec<_>>());
    assert!(found.len() >= 16 && few.is_empty(), "{place}: {few:#?}");
}

#[test]
fn an_inflected_word_finds_a_row() {
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        let store = opened(backend, folder.path());
        for [_, text, _] in table() {
            store
                .write(&agent(), &NewMemory::new("observation", text, Source::AgentRecorded), now())
                .unwrap();
        }
        check(&format!("rows {backend}"), |_, [_, text, query]| {
            let hits = store.search(&agent(), &Query::new(query)).unwrap().hits;
            let hit = hits.iter().find(|hit| hit.memory.content == text);
            assert!(hit.is_none_or(|hit| hit.span.is_some()), "{query} is shown where it was found");
            hit.is_some()
        });
    }
}

fn an_inflected_word_finds_a_document(home: impl Fn() -> NewHome) {
    let home = home();
    let life = Indexed::new(Arc::clone(&home.workspace), Arc::clone(&home.index));
    for (number, [_, text, _]) in table().into_iter().enumerate() {
        let text = format!("{text}\n");
        life.write(&name(&format!("notes/n{number}.md")), text.as_bytes(), WriteMode::Create).unwrap();
    }
    life.sync(Utc::now()).unwrap();
    check("documents", |number, [_, _, query]| {
        let path = format!("notes/n{number}.md");
        let found = life.search(&agent(), query, 10).unwrap().results;
        found.iter().any(|found| found.path.as_str() == path)
    });
}

on_each_home! { an_inflected_word_finds_a_document }

#[test]
fn code_and_numbers_have_no_stems() {
    let folder = tempfile::tempdir().unwrap();
    let store = FileMemoryStore::open(folder.path(), marta()).unwrap();
    for text in
        ["Die Variable heißt kunden_nummern und ist neu.", "Das ist der Wert von kundenNummern im Code."]
    {
        store.write(&agent(), &NewMemory::new("observation", text, Source::AgentRecorded), now()).unwrap();
    }
    let found = |query: &str| store.search(&agent(), &Query::new(query)).unwrap().hits.len();
    assert_eq!((found("kunden_nummern"), found("kundenNummern")), (1, 1));
    assert_eq!((found("kunden_nummer"), found("kundenNummer")), (1, 0), "no word of code is inflected");
}

/// Returns the bytes of all files below a folder.
fn bytes_below(folder: &std::path::Path) -> u64 {
    let files = noctuary_tests::files_below(vec![folder.to_owned()]).into_iter();
    files.map(|file| std::fs::metadata(file).unwrap().len()).sum()
}

#[test]
#[ignore = "sweep"]
fn stems_add_less_to_a_store_than_its_words() {
    for backend in 0..2 {
        // Backwards, a text is of no language, and has as many words of the same lengths.
        let [forwards, backwards] = [false, true].map(|is_backwards| {
            let folder = tempfile::tempdir().unwrap();
            let store = opened(backend, folder.path());
            let rows = table();
            let (mut written, mut said) = (Vec::new(), 0);
            for one in &rows {
                for other in rows.iter().filter(|other| other[0] == one[0]) {
                    let text = format!("{} {}", one[1], other[1]);
                    let text = if is_backwards { text.chars().rev().collect() } else { text };
                    said += text.len();
                    written.push(NewMemory::new("observation", text, Source::AgentRecorded));
                }
            }
            store.write_all(&agent(), &written, now()).unwrap();
            drop(store);
            (bytes_below(folder.path()), said, written.len())
        });
        println!("{backend}: {forwards:?} with stems, {backwards:?} without");
        assert!(forwards.0 * 10 < backwards.0 * 15);
    }
}
