//! The line that a search found: a terminal and a tool show it in place of the beginning.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::sync::Arc;

use chrono::Utc;
use noctuary::life::Indexed;
use noctuary::memory::{NewMemory, Query, Source};
use noctuary::{Workspace, WriteMode};
use noctuary_tests::common::backends;
use noctuary_tests::common::marta::{agent, name, now};

use super::opened;
use crate::workspace::index_homes::{NewHome, on_each_home};

/// A row of the table: the kind of a query, the query, and the sentence that it finds.
type Row = [&'static str; 3];

fn table() -> impl Iterator<Item = Row> {
    let lines = include_str!("found.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| <[&str; 3]>::try_from(line.split('\t').collect::<Vec<_>>()).unwrap())
}

/// Returns a text with a sentence far from its beginning and its end.
fn text([kind, _, sentence]: Row) -> String {
    let filler =
        |word: &str| format!("Nothing {word} happened that night, and nobody wrote of it. ").repeat(4);
    let piano = if kind.starts_with("two words") { "The piano is out of tune." } else { "" };
    format!("{}{sentence}\n{}{piano}", filler("much"), filler("else"))
}

/// The most bytes that are shown.
const SHOWN: usize = 160;

#[test]
fn the_sentence_that_matched_is_shown_of_a_row() {
    for backend in backends() {
        let folder = tempfile::tempdir().unwrap();
        let store = opened(backend, folder.path());
        for row in table() {
            let memory = NewMemory::new("observation", text(row), Source::AgentRecorded);
            store.write(&agent(), &memory, now()).unwrap();
        }
        for row @ [kind, query, sentence] in table() {
            let hits = store.search(&agent(), &Query::new(query)).unwrap().hits;
            let hit = hits.iter().find(|hit| hit.memory.content == text(row));
            let hit = hit.unwrap_or_else(|| panic!("{kind}: {query} finds nothing"));
            assert_eq!(&hit.memory.content[hit.span.clone().unwrap()], sentence, "{kind}");
            assert!(hit.excerpt(SHOWN).contains(sentence), "{kind}");
            assert!(hit.excerpt(SHOWN).len() > sentence.len(), "{kind}: it has neighbours");
        }
        let hits = store.search(&agent(), &Query::new("observation")).unwrap().hits;
        assert!(
            hits.iter().all(|hit| hit.span.is_none() && text_begins(hit.excerpt(SHOWN))),
            "by its category"
        );
    }
}

fn text_begins(shown: &str) -> bool {
    shown.starts_with("Nothing much")
}

fn the_sentence_that_matched_is_shown_of_a_document(home: impl Fn() -> NewHome) {
    let home = home();
    let life = Indexed::new(Arc::clone(&home.workspace), Arc::clone(&home.index));
    for (number, row) in table().enumerate() {
        let text = format!("{}\n", text(row));
        life.write(&name(&format!("notes/n{number}.md")), text.as_bytes(), WriteMode::Create).unwrap();
    }
    life.sync(Utc::now()).unwrap();
    for (number, [kind, query, sentence]) in table().enumerate() {
        let path = format!("notes/n{number}.md");
        for found in
            [life.search(&agent(), query, 50).unwrap(), life.search_unmasked(&agent(), query, 50).unwrap()]
        {
            let found = found.results.into_iter().find(|found| found.path.as_str() == path);
            let found = found.unwrap_or_else(|| panic!("{kind}: {query} finds nothing"));
            assert_eq!(&found.content[found.span.clone().unwrap()], sentence, "{kind}");
            assert!(found.excerpt(SHOWN).contains(sentence), "{kind}");
        }
    }
}

on_each_home! { the_sentence_that_matched_is_shown_of_a_document }
