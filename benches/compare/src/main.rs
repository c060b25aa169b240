//! The stores of noctuary beside bare FTS5 and tantivy, in one run, over the same rows and the same questions.
//!
//! ```text
//! cargo run --release                                     # 100,000 rows
//! cargo run --release -- --rows 10000 --folder /dev/shm   # fewer, in memory; without it, in `TMPDIR`
//! ```
//!
//! Rows and questions are those of `cargo bench --bench memory`: fourteen words, and two to eight words. Every engine stems by
//! Porter, joins the words by OR, scores by BM25 and returns the ten best rows with their text.
//!
//! - *sqlite*, *file*: the stores as nobody configured them. A row is judged, searched for secrets, and has its line in the
//!   audit.
//! - *FTS5*: a table of FTS5 with the text and nothing else, in WAL, synced at each commit.
//! - *tantivy*: an index with one writing thread and frequencies without positions, and with the text stored. It merges its
//!   segments in threads of its own.
//!
//! *All at once*: `write_all` of 1,000 rows for the stores, which are as many commits; one transaction, and one commit, for the
//! others. *100 a commit*: the next 2,000 rows, durable after each hundred. A commit for each row, which is what `write` of a
//! store is, is nothing that tantivy is made for. *Bytes*: of all files afterwards, with what waits in a log. *Agree*: how many of
//! the ten best rows by bare FTS5 are among the ten of an engine, in the mean. FTS5 and tantivy weigh rare words by other
//! formulas, and rows of equal score come in any order; the stores also know how new a row is and how near its words are.
//!
//! Each question is asked of all engines in turn, and each time another one is the first.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

mod engine;
mod fts5;
#[path = "../../memory/home.rs"]
#[allow(dead_code, reason = "the bench of the stores uses all of it")]
mod home;
#[path = "../../memory/language.rs"]
mod language;
mod ours;
#[path = "../../memory/table.rs"]
mod table;
mod tantivy;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine::Engine;
use home::Kind;
use language::Language;
use table::{aligned, digits, thousands};

const QUESTIONS: u32 = 400;
/// The number of rows that are written a hundred at a time.
const MORE: u32 = 2_000;

fn main() {
    let (rows, folder) = arguments();
    let language = Language::new();
    let homes: Vec<tempfile::TempDir> = (0..4).map(|_| tempfile::tempdir_in(&folder).unwrap()).collect();
    let path = |at: usize| homes[at].path();
    let mut engines: [Box<dyn Engine>; 4] = [
        Box::new(ours::Ours::open(Kind::Sqlite, path(0))),
        Box::new(ours::Ours::open(Kind::File, path(1))),
        Box::new(fts5::Fts5::open(path(2))),
        Box::new(tantivy::Tantivy::open(path(3))),
    ];
    let mut built = Vec::new();
    for engine in &mut engines {
        let at_once = rate(&mut **engine, &language, 0..rows, rows);
        let by_hundreds = rate(&mut **engine, &language, rows..rows + MORE, 100);
        engine.settle();
        built.push((at_once, by_hundreds));
    }
    let asked = ask(&mut engines, &language);
    let heads = ["", "all at once", "100 a commit", "search p50", "p95", "bytes a row", "agree"];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    for (at, engine) in engines.iter().enumerate() {
        let bytes = engine::bytes(path(at)) / f64::from(rows + MORE);
        lines.push(vec![
            engine.name().to_owned(),
            format!("{} rows/s", thousands(built[at].0)),
            format!("{} rows/s", thousands(built[at].1)),
            format!("{} ms", digits(asked[at].middle)),
            format!("{} ms", digits(asked[at].slow)),
            thousands(bytes),
            format!("{:.2} of 10", asked[at].agree),
        ]);
    }
    println!("{} rows, {QUESTIONS} questions.\n\n{}", thousands(rows.into()), aligned(&lines));
}

/// Writes rows, durable after each so many; returns how many a second.
fn rate(engine: &mut dyn Engine, language: &Language, rows: Range<u32>, commit: u32) -> f64 {
    let texts: Vec<(u32, String)> = rows.map(|number| (number, language.row(number))).collect();
    let begun = Instant::now();
    for batch in texts.chunks(commit as usize) {
        engine.write(batch);
    }
    f64::from(u32::try_from(texts.len()).unwrap()) / begun.elapsed().as_secs_f64()
}

/// The searches of one engine, in milliseconds.
struct Asked {
    middle: f64,
    slow: f64,
    agree: f64,
}

fn ask(engines: &mut [Box<dyn Engine>; 4], language: &Language) -> Vec<Asked> {
    let mut spent = vec![Vec::new(); engines.len()];
    let mut agree = vec![0; engines.len()];
    let mut expected = 0;
    for number in 0..QUESTIONS {
        let words = language.question(number);
        let mut found = vec![Vec::new(); engines.len()];
        for turn in 0..engines.len() {
            let at = (turn + number as usize) % engines.len();
            let begun = Instant::now();
            found[at] = engines[at].search(&words);
            spent[at].push(begun.elapsed().as_secs_f64() * 1e3);
        }
        let reference = &found[2];
        expected += reference.len();
        for (at, rows) in found.iter().enumerate() {
            agree[at] += rows.iter().filter(|row| reference.contains(row)).count();
        }
    }
    assert!(expected > 0, "the words of the questions are in the rows");
    let share = |agree: usize| {
        10.0 * f64::from(u32::try_from(agree).unwrap()) / f64::from(u32::try_from(expected).unwrap())
    };
    let sorted = spent.into_iter().zip(agree).map(|(mut spent, agree)| {
        spent.sort_unstable_by(f64::total_cmp);
        let at = |hundredth: usize| spent[(spent.len() - 1) * hundredth / 100];
        Asked { middle: at(50), slow: at(95), agree: share(agree) }
    });
    sorted.collect()
}

fn arguments() -> (u32, PathBuf) {
    let (mut rows, mut folder) = (100_000, std::env::temp_dir());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().unwrap_or_else(|| panic!("{argument} wants a value"));
        match argument.as_str() {
            "--rows" => rows = value.parse().unwrap_or_else(|_| panic!("{value} is no number of rows")),
            "--folder" => folder = Path::new(&value).to_owned(),
            _ => panic!("{argument} is neither --rows nor --folder"),
        }
    }
    (rows, folder)
}
