//! One store at one size: written, asked, opened by fresh processes, and asked to forget.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use noctuary::MemoryStore;
use serde::Serialize;

use crate::child;
use crate::home::{Kind, agent, at, human, query};
use crate::language::Language;
use crate::sheet::{Line, Sheet, Unit};
use crate::table::thousands;
use crate::verbs;
use crate::writes::{Singly, Writer};

/// How much is measured.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) rows: u32,
    /// For the single writes of a quarter, and for all searches.
    pub(crate) time: Duration,
    /// For all facts, where fewer may do than there are to be.
    pub(crate) facts: Option<Duration>,
    pub(crate) questions: u32,
    pub(crate) processes: usize,
}

/// The figures that are compared over time: rows a second, milliseconds, megabytes.
#[derive(Serialize)]
pub(crate) struct Figures {
    fact_write_first: f64,
    fact_write_last: f64,
    write_last: f64,
    search_p50_ms: f64,
    search_p95_ms: f64,
    forget_ms: f64,
    open_ms: f64,
    /// `null` where the system does not say it.
    rss_mb: Option<f64>,
}

/// Measures a store in two folders of its own, which are removed.
pub(crate) fn run(kind: Kind, size: Size, folder: &Path, language: &Language) -> (Figures, Sheet) {
    let mut sheet = Sheet { store: kind.name(), rows: size.rows, lines: Vec::new() };
    let facts = tempfile::tempdir_in(folder).unwrap();
    let [first, last] = write_facts(kind, size, facts.path(), language, &mut sheet.lines);
    drop(facts);
    let rows = tempfile::tempdir_in(folder).unwrap();
    let written = write_rows(kind, size, rows.path(), language, &mut sheet.lines);
    let store = kind.open(rows.path());
    let (middle, slow) = search(&*store, size, language, &mut sheet.lines);
    sheet.lines.extend(verbs::of_rows(&*store, language, size.rows));
    drop(store);
    let (open, peak) = child::open_and_peak(kind, rows.path(), size.processes);
    sheet.lines.push(Line::time("open, first search", open * 1e3));
    let megabytes = Line { verb: "memory of 60 searches".to_owned(), cost: 0.0, unit: Unit::Megabytes };
    sheet.lines.extend(peak.map(|cost| Line { cost, ..megabytes }));
    let forgotten = forget(&*kind.open(rows.path()), size, language, &mut sheet.lines);
    let figures = Figures {
        fact_write_first: round(first.rate()),
        fact_write_last: round(last.rate()),
        write_last: round(written.rate()),
        search_p50_ms: round(middle),
        search_p95_ms: round(slow),
        forget_ms: round(forgotten),
        open_ms: round(open),
        rss_mb: peak.map(round),
    };
    (figures, sheet)
}

/// Writes facts: the first quarter one by one, two quarters at once, and the last one by one.
fn write_facts(
    kind: Kind,
    size: Size,
    folder: &Path,
    language: &Language,
    lines: &mut Vec<Line>,
) -> [Singly; 2] {
    let store = kind.open(folder);
    let until = size.facts.map(|time| Instant::now() + time);
    let mut writer = Writer { store: &*store, language, category: "fact", rows: 0, until };
    let quarter = size.rows / 4;
    let first = writer.singly(quarter, size.time);
    let middle = writer.at_once(size.rows - 2 * quarter);
    let last = writer.singly(quarter, size.time);
    if writer.rows < size.rows {
        let (rows, of) = (thousands(writer.rows.into()), thousands(size.rows.into()));
        println!(
            "{}: the figures of {of} facts are those of {rows}: there was no time for more",
            kind.name()
        );
    }
    lines.push(line_of("write of a fact, first quarter", kind, first));
    lines.push(line_of("write of a fact, last quarter", kind, last));
    lines.push(Line::rows("write_all of 1,000 facts", 1.0 / middle));
    lines.extend(verbs::of_facts(&*store, language, writer.rows));
    [first, last]
}

/// Writes rows that are no facts: three quarters at once, and the last one by one.
fn write_rows(kind: Kind, size: Size, folder: &Path, language: &Language, lines: &mut Vec<Line>) -> Singly {
    let store = kind.open(folder);
    let mut writer = Writer { store: &*store, language, category: "observation", rows: 0, until: None };
    let many = writer.at_once(size.rows - size.rows / 4);
    let last = writer.singly(size.rows / 4, size.time);
    lines.push(line_of("write of an observation, last quarter", kind, last));
    lines.push(Line::rows("write_all of 1,000 observations", 1.0 / many));
    last
}

/// The line of rows that were written one by one. If they were not all, it is said.
fn line_of(verb: &str, kind: Kind, written: Singly) -> Line {
    if written.rows < written.of {
        let (rows, of) = (thousands(written.rows.into()), thousands(written.of.into()));
        let seconds = written.spent.as_secs_f64();
        println!("{}: {verb}: {rows} of {of} rows were written one by one, in {seconds:.1} s", kind.name());
    }
    Line::rows(verb, written.rate())
}

/// The median and the ninety-fifth of a hundred, in milliseconds.
fn search(store: &dyn MemoryStore, size: Size, language: &Language, lines: &mut Vec<Line>) -> (f64, f64) {
    let mut found = 0;
    let mut ask = |number| found += store.search(&agent(), &query(language, number)).unwrap().hits.len();
    // Other questions than those that are measured.
    (0..5).for_each(|number| ask(u32::MAX / 2 + number));
    let mut spent = verbs::each(size.questions, size.time, &mut ask);
    assert!(found > 0, "the words of the questions are in the rows");
    spent.sort_unstable_by(f64::total_cmp);
    let [middle, slow] = [50, 95].map(|hundredth| spent[(spent.len() - 1) * hundredth / 100]);
    lines.push(Line::time("search, median", middle));
    lines.push(Line::time("search, 95 of 100", slow));
    (middle / 1e3, slow / 1e3)
}

/// The median of forgetting statements of the same words that no row says, in milliseconds.
fn forget(store: &dyn MemoryStore, size: Size, language: &Language, lines: &mut Vec<Line>) -> f64 {
    let (human, now) = (human(), at(size.rows));
    let statement = |number: u32| language.row(u32::MAX - number);
    let mut forgotten = verbs::each(5, size.time, &mut |number| {
        let receipts = store.forget(&human, &statement(number), now).unwrap();
        assert!(receipts.iter().all(|receipt| receipt.found == 0), "no row says it");
    });
    let calls = u32::try_from(forgotten.len()).unwrap();
    let mut lifted = verbs::each(calls, size.time, &mut |number| {
        assert!(store.lift(&human, &statement(number), now).unwrap(), "it was forgotten");
    });
    for (verb, spent) in [("forget of what is nowhere", &mut forgotten), ("lift", &mut lifted)] {
        spent.sort_unstable_by(f64::total_cmp);
        lines.push(Line::time(verb, spent[spent.len() / 2]));
    }
    forgotten[forgotten.len() / 2] / 1e3
}

/// Writes the figures of both stores into a file.
pub(crate) fn write_json(path: &Path, [sqlite, file]: &[Figures; 2]) {
    #[derive(Serialize)]
    struct Both<'a> {
        sqlite: &'a Figures,
        file: &'a Figures,
    }
    let mut text = serde_json::to_string_pretty(&Both { sqlite, file }).unwrap();
    text.push('\n');
    fs::write(path, text).unwrap();
}

/// Writes the figures as `--json` does and reads them back: the keys are those that others read.
pub(crate) fn assert_keys(figures: &[Figures; 2], folder: &Path) {
    let folder = tempfile::tempdir_in(folder).unwrap();
    let path = folder.path().join("figures.json");
    write_json(&path, figures);
    let read: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let keys = |value: &serde_json::Value| {
        let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys.join(" ")
    };
    assert_eq!(keys(&read), "file sqlite");
    for store in ["sqlite", "file"] {
        assert_eq!(
            keys(&read[store]),
            "fact_write_first fact_write_last forget_ms open_ms rss_mb search_p50_ms search_p95_ms write_last"
        );
        for (key, figure) in read[store].as_object().unwrap() {
            // Memory is measured on Linux alone.
            let is_there = figure.as_f64().is_some_and(|figure| figure > 0.0);
            assert!(is_there || (key == "rss_mb" && figure.is_null()), "{store}: {key}: {figure}");
        }
    }
}

/// To thousandths.
fn round(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}
