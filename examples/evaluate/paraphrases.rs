//! Questions that share no word with their answer, and questions that words alone settle.

use std::collections::BTreeMap;
use std::path::PathBuf;

use chrono::DateTime;
use noctuary::memory::{MemoryId, NewMemory, Query, Source};
use noctuary::vectors::{EmbedConfig, embed_once};
use noctuary::{Access, MemoryStore, SqliteMemoryStore};
use serde_json::{Map, Value, json};

use super::Result;
use super::meaning::{Arguments, Meaning};
use super::retrieval::{Measured, config, file, scope};

const PARAPHRASES: &str = include_str!("../../tests/fixtures/meaning/paraphrases.tsv");
const EXACT: &str = include_str!("../../tests/fixtures/meaning/exact.tsv");

/// A kind of question, the row that answers it, and the question.
type Case = [&'static str; 3];

/// Asks all questions by words alone, and with an embedder by both; writes the figures.
pub(crate) fn run(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut json, mut meaning) = (None, Arguments::default());
    while let Some(argument) = arguments.next() {
        if argument == "--json" {
            json = Some(PathBuf::from(arguments.next().ok_or("--json needs a path")?));
        } else if !meaning.take(&argument, &mut arguments)? {
            return Err(format!("{argument} is not known here").into());
        }
    }
    let figures = measure(meaning.open()?.as_ref())?;
    if let Some(path) = json {
        std::fs::write(path, serde_json::to_string_pretty(&figures)? + "\n")?;
    }
    Ok(())
}

/// The questions of a kind, and how many had their answer first and among the first ten: by words, and by both.
#[derive(Default)]
struct Asked {
    questions: usize,
    first: [usize; 2],
    in_ten: [usize; 2],
    /// Those that words put first, and both together do not.
    moved: usize,
}

fn measure(meaning: Option<&Meaning>) -> Result<Value> {
    let home = tempfile::tempdir()?;
    let access = Access::human(scope());
    let words = SqliteMemoryStore::open_with(file(home.path()), scope(), config(Measured::default()))?;
    let cases: Vec<Case> = [PARAPHRASES, EXACT].into_iter().flat_map(cases).collect();
    let mut rows = Vec::with_capacity(cases.len());
    for [_, row, _] in &cases {
        let row = NewMemory::new("observation", *row, Source::UserExplicit);
        rows.push(words.write(&access, &row, DateTime::UNIX_EPOCH)?);
    }
    let both = meaning.map(|meaning| -> Result<SqliteMemoryStore> {
        let mut config = config(Measured::default());
        config.embedder = Some(meaning.embedder.clone());
        let both = SqliteMemoryStore::open_with(file(home.path()), scope(), config)?;
        let report = embed_once(&both, &meaning.embedder, &EmbedConfig::default())?;
        if report.serves { Ok(both) } else { Err(format!("not all rows have a vector: {report:?}").into()) }
    });
    let both = both.transpose()?;
    let mut kinds: BTreeMap<&str, Asked> = BTreeMap::new();
    for ([kind, _, question], row) in cases.iter().zip(rows) {
        let asked = kinds.entry(kind).or_default();
        asked.questions += 1;
        let stores: [Option<&SqliteMemoryStore>; 2] = [Some(&words), both.as_ref()];
        let mut ranks = [None; 2];
        for (at, store) in stores.into_iter().enumerate() {
            let Some(store) = store else { continue };
            ranks[at] = rank(store, &access, question, row)?;
            asked.first[at] += usize::from(ranks[at] == Some(0));
            asked.in_ten[at] += usize::from(ranks[at].is_some());
        }
        if both.is_some() && ranks[0] == Some(0) && ranks[1] != Some(0) {
            asked.moved += 1;
            println!("moved: {question}");
        }
    }
    println!("{:<8} {:>3}   {:>18}   {:>18}", "", "n", "words: first, ten", "both: first, ten");
    let mut figures = Map::new();
    for (kind, asked) in &kinds {
        let [first, ten] = [asked.first, asked.in_ten];
        print!("{kind:<8} {:>3}   {:>12} {:>5}", asked.questions, first[0], ten[0]);
        println!("   {:>12} {:>5}", first[1], ten[1]);
        let of = |at: usize| json!({ "first": asked.first[at], "in_ten": asked.in_ten[at] });
        figures.insert(
            (*kind).to_owned(),
            json!({ "questions": asked.questions, "words": of(0), "fused": both.is_some().then(|| of(1)), "moved": asked.moved }),
        );
    }
    Ok(Value::Object(figures))
}

/// Returns the place of a row among the first ten, counted from 0.
fn rank(store: &dyn MemoryStore, access: &Access, question: &str, row: MemoryId) -> Result<Option<usize>> {
    let found = store.search(access, &Query::new(question).limit(10))?;
    Ok(found.hits.iter().position(|hit| hit.memory.id == row))
}

fn cases(text: &'static str) -> impl Iterator<Item = Case> {
    text.lines().map(|line| {
        let mut parts = line.splitn(3, '\t');
        std::array::from_fn(|_| parts.next().unwrap_or_default())
    })
}
