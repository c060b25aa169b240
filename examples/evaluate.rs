//! Measures the shipped defaults on public data that is not in this repository.
//!
//! ```text
//! cargo run --release --example evaluate -- dream FOLDER --share 0.20 --json OUT
//! cargo run --release --example evaluate -- retrieval FOLDER… --json OUT
//! cargo run --release --example evaluate -- retrieval --leave-one-out FOLDER FOLDER…
//! cargo run --release --features postgres --example evaluate -- retrieval FOLDER… --postgres URL
//! cargo run --release --features http --example evaluate -- retrieval FOLDER… --embedder URL [--reranker URL]
//! cargo run --release --features http --example evaluate -- retrieval FOLDER… --embedder MODEL-FOLDER [--reranker MODEL-FOLDER]
//! cargo run --release --features http --example evaluate -- paraphrases --embedder URL
//! cargo run --release --example evaluate -- night FOLDER… [--limit N] --json OUT
//! cargo run --release --features http --example evaluate -- night FOLDER… --endpoint URL --model NAME [--judge]
//! cargo run --release --example evaluate -- facts FOLDER… --json OUT
//! cargo run --release --example evaluate -- consolidation [FOLDER] [--made PEOPLE] --json OUT
//! cargo run --release --features exchange --example evaluate -- weeks [--wrong] --json OUT
//! cargo run --release --example evaluate -- gate FOLDER --json OUT
//! cargo run --release --example evaluate -- clean [FOLDER…] [--with CLASS]…
//! cargo run --release --example evaluate -- release FOLDER --json examples/evaluate/release.json
//! cargo run --release --example evaluate -- tables examples/evaluate/release.json --into src/manual/measured.md
//! ```
//!
//! `dream` dreams over workspaces with a `labels.json`: `facts` and `questions`, each with the journal lines
//! that hold them (`memory/2023-05-08-s1.md#L7`). FOLDER is one such workspace or a folder of them. A line
//! counts as kept if a promoted line cites it.
//!
//! `retrieval` writes each corpus of a FOLDER (`sessions.jsonl.gz`, `corpora.jsonl`, `questions.jsonl`) into a memory
//! store and asks it every question as it stands: the one in SQLite, with `--file` the one in a file, and with `--ranks`
//! fused by reciprocal rank. `--freshness 0` leaves older rows before newer ones. With `--postgres URL` the one on a server is measured beside SQLite, and the greatest difference of
//! their shares is printed. Sessions rank by their first turn. With `--leave-one-out` each FOLDER is asked by weights that
//! were chosen on all others, from a small grid.
//!
//! With `--embedder URL` (the part before `/embeddings`) each question is asked by words alone, by vectors alone, by both, and
//! with `--reranker URL` reranked, with the differences from words alone and their intervals. `--reranker-share NUMBER`
//! sets how much its scores weigh. `--model NAME`,
//! `--document-prefix` and `--query-prefix WORDS`, `--static` and `--key-from VARIABLE` say which model it is. Vectors and
//! scores are kept in `--cache FOLDER`, `target/evaluate-vectors` unless said. In place of a URL a folder with a
//! model is served by `crates/noctuary-embed`, which is built first.
//!
//! `paraphrases` asks for rows of `tests/fixtures/meaning`: in English, Chinese and German by questions that share no word with
//! their row, and by identifiers and quotes that words alone settle. Those that both together put behind another row are
//! printed.
//!
//! `night` lives each conversation of a FOLDER, or of the sets in it, day by day: notes in journals and rows of a store, a
//! dream and a feed in each night, by `Extractive` or by a model at an endpoint. It says what reached memory, whether the cited
//! lines support it, and how many gold turns are found in 2,000 and 4,000 characters with and without memory. A promoted line finds a
//! turn if it cites all lines of its note. `stale_first` is the share of updated facts whose older statement comes first.
//! `--limit N` takes the first N conversations. `--judge` has the model judge each line too, by `evaluate/night/judge.md`.
//!
//! `facts` records what users say there as facts, has the pairs that the store suspects judged from the labels, and asks what
//! was updated: the store in SQLite, with `--file` the one in a file.
//!
//! `consolidation` reads sets in the format of the `FactConsolidation` part of `MemoryAgentBench` (`*.jsonl`, `*.jsonl.gz`: a `context` of
//! numbered facts, `questions`, `answers`), and counts how often the first hit has the answer, without a model, and how often a
//! statement that a later one replaced is told as current. `--made PEOPLE` makes a set: a property each, said two or three times.
//!
//! `weeks` lives the twelve weeks of `evaluate/weeks/script.tsv` without a model, and asks the questions of `probes.tsv` after each week,
//! by the tools of a session: whether the current statement comes first, what is told as current and is not, what was
//! forgotten and is seen, what is said twice, and how memory grows. `--wrong` prints the answers that are wrong.
//!
//! `gate` scans each example of a FOLDER (`*.jsonl`, `*.jsonl.gz`: `src`, `rule`, `kind`, `text`) for secrets, and writes a
//! line for each with the classes that were found. What is a `tp` of a rule that a class covers must be found, and an
//! `fp` must not. `clean` counts what is found in texts of which nothing should be a secret: in those of each FOLDER, or
//! of the packages that `examples/evaluate/clean/Cargo.toml` names, of classes that are off where `--with` switches them on.
//!
//! `release` makes each figure that the manual publishes and this example measures, from the sets in FOLDER, and writes one file: the
//! figures of each part, its arguments, the commit, and a hash of each set. Times are left out. `--only PART` makes
//! one part, and options about models add a retrieval with them. `tables` writes its figures into the places that a page of the manual
//! marks, or prints them. The tables of `tests/fixtures/year` are a set too, by the licence of the library.

#[cfg(feature = "http")]
#[path = "evaluate/cache.rs"]
mod cache;
#[path = "evaluate/consolidation.rs"]
mod consolidation;
#[path = "evaluate/facts.rs"]
mod facts;
#[path = "evaluate/gate.rs"]
mod gate;
#[path = "evaluate/meaning.rs"]
mod meaning;
#[path = "evaluate/night.rs"]
mod night;
#[path = "evaluate/paired.rs"]
mod paired;
#[path = "evaluate/paraphrases.rs"]
mod paraphrases;
#[path = "evaluate/release.rs"]
mod release;
#[path = "evaluate/retrieval.rs"]
mod retrieval;
#[path = "evaluate/tables.rs"]
mod tables;
#[path = "evaluate/tally.rs"]
mod tally;
#[cfg(feature = "exchange")]
#[path = "evaluate/weeks.rs"]
mod weeks;
#[path = "evaluate/weights.rs"]
mod weights;

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use noctuary::dream::SectionCaps;
use noctuary::format::JournalName;
use noctuary::workspace::WorkspaceExt;
use noctuary::{DocName, Extractive, FileWorkspace, JournalDreamer, Workspace, dream_once_at};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A line of a journal.
type Line = (String, u64);

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("dream") => dream(&DreamArguments::parse(arguments)?),
        Some("retrieval") => retrieval::run(arguments),
        Some("paraphrases") => paraphrases::run(arguments),
        Some("facts") => facts::run(arguments),
        Some("consolidation") => consolidation::run(arguments),
        Some("night") => night::run(arguments),
        #[cfg(feature = "exchange")]
        Some("weeks") => weeks::run(arguments),
        Some("gate") => gate::run(arguments),
        Some("clean") => gate::clean(arguments),
        Some("release") => release::run(arguments),
        Some("tables") => tables::run(arguments),
        _ => Err("usage: evaluate dream FOLDER [--share 0.20] [--json OUT]\n       evaluate retrieval FOLDER… [--file] [--ranks] [--freshness N] [--leave-one-out] [--embedder URL] [--reranker URL] [--json OUT]\n       evaluate paraphrases [--embedder URL] [--json OUT]\n       evaluate night FOLDER… [--limit N] [--endpoint URL --model NAME [--judge]] [--json OUT]\n       evaluate facts FOLDER… [--file] [--json OUT]\n       evaluate consolidation [FOLDER] [--made PEOPLE] [--json OUT]\n       evaluate weeks [--wrong] [--json OUT]\n       evaluate gate FOLDER [--json OUT]\n       evaluate clean [FOLDER…] [--with CLASS]…\n       evaluate release FOLDER… --json OUT [--only PART]…\n       evaluate tables RELEASE [--into PAGE]".into()),
    }
}

struct DreamArguments {
    folder: PathBuf,
    share: f64,
    json: Option<PathBuf>,
}

impl DreamArguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let (mut folder, mut share, mut json) = (None, 0.20, None);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--share" => share = arguments.next().ok_or("--share needs a number")?.parse()?,
                "--json" => json = Some(arguments.next().ok_or("--json needs a path")?.into()),
                path => folder = Some(PathBuf::from(path)),
            }
        }
        if !(0.0..=1.0).contains(&share) {
            return Err("--share lies between 0 and 1".into());
        }
        Ok(Self { folder: folder.ok_or("a folder with workspaces is needed")?, share, json })
    }
}

/// The kept lines of one workspace, as counts.
#[derive(Debug, Default, Clone, Copy)]
struct Kept {
    questions: usize,
    any: usize,
    all: usize,
    facts: usize,
    cited_facts: usize,
    bytes: usize,
    cited_bytes: usize,
}

impl Kept {
    fn add(&mut self, other: Self) {
        self.questions += other.questions;
        self.any += other.any;
        self.all += other.all;
        self.facts += other.facts;
        self.cited_facts += other.cited_facts;
        self.bytes += other.bytes;
        self.cited_bytes += other.cited_bytes;
    }

    fn figures(&self) -> Value {
        #[expect(clippy::cast_precision_loss, reason = "counts of lines and bytes of a test set")]
        let share = |part: usize, whole: usize| (part as f64 / whole.max(1) as f64 * 1e6).round() / 1e6;
        json!({
            "questions_any": share(self.any, self.questions),
            "questions_all": share(self.all, self.questions),
            "fact_lines": share(self.cited_facts, self.facts),
            "share": share(self.cited_bytes, self.bytes),
        })
    }
}

fn dream(arguments: &DreamArguments) -> Result<()> {
    let workspaces = workspaces(&arguments.folder)?;
    println!(
        "{:<16} {:>13} {:>13} {:>10} {:>7}",
        "workspace", "questions any", "questions all", "fact lines", "share"
    );
    let mut total = Kept::default();
    let mut each = serde_json::Map::new();
    for workspace in workspaces {
        let kept = measure(&workspace, arguments.share)?;
        let name = workspace.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        print_row(&name, &kept.figures());
        each.insert(name, kept.figures());
        total.add(kept);
    }
    let mut figures = total.figures();
    print_row("all", &figures);
    figures["workspaces"] = Value::Object(each);
    if let Some(path) = &arguments.json {
        fs::write(path, serde_json::to_string_pretty(&figures)? + "\n")?;
    }
    Ok(())
}

fn print_row(name: &str, figures: &Value) {
    let figure = |key: &str| figures[key].as_f64().unwrap_or(0.0);
    println!(
        "{name:<16} {:>13.3} {:>13.3} {:>10.3} {:>7.3}",
        figure("questions_any"),
        figure("questions_all"),
        figure("fact_lines"),
        figure("share")
    );
}

/// The workspaces in a folder, or the folder itself.
fn workspaces(folder: &Path) -> Result<Vec<PathBuf>> {
    if folder.join("labels.json").is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))? {
        let path = entry?.path();
        if path.join("labels.json").is_file() {
            found.push(path);
        }
    }
    found.sort();
    if found.is_empty() {
        return Err(format!("no workspace with a labels.json in {}", folder.display()).into());
    }
    Ok(found)
}

/// Dreams over a copy of a workspace until nothing waits, and looks which lines were kept.
fn measure(source: &Path, share: f64) -> Result<Kept> {
    let copy = tempfile::tempdir()?;
    fs::create_dir(copy.path().join("memory"))?;
    let mut kept = Kept::default();
    let mut last = NaiveDate::MIN;
    let mut lengths = std::collections::BTreeMap::new();
    for entry in fs::read_dir(source.join("memory"))? {
        let entry = entry?;
        let name = DocName::JOURNALS.join(&entry.file_name().to_string_lossy())?;
        let text = fs::read(entry.path())?;
        fs::write(copy.path().join(name.as_str()), &text)?;
        let Some(journal) = JournalName::parse(&name) else { continue };
        last = last.max(journal.date());
        for (number, line) in (1..).zip(String::from_utf8_lossy(&text).lines()) {
            lengths.insert((name.to_string(), number), line.len() + 1);
            kept.bytes += line.len() + 1;
        }
    }

    let cited = cited(copy.path(), last, share)?;
    let labels: Value = serde_json::from_slice(&fs::read(source.join("labels.json"))?)?;
    for question in labels["questions"].as_array().into_iter().flatten() {
        let lines = lines(&question["lines"]);
        if !lines.is_empty() {
            kept.questions += 1;
            kept.any += usize::from(lines.iter().any(|line| cited.contains(line)));
            kept.all += usize::from(lines.iter().all(|line| cited.contains(line)));
        }
    }
    let facts: BTreeSet<Line> =
        labels["facts"].as_array().into_iter().flatten().flat_map(|fact| lines(&fact["lines"])).collect();
    kept.facts = facts.len();
    kept.cited_facts = facts.intersection(&cited).count();
    kept.cited_bytes = cited.iter().filter_map(|line| lengths.get(line)).sum();
    Ok(kept)
}

/// The lines that the promoted lines cite, with the caps that follow from the share.
fn cited(path: &Path, last: NaiveDate, share: f64) -> Result<BTreeSet<Line>> {
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(path)?);
    let dreamer = JournalDreamer::builder(Arc::clone(&workspace))
        .enabled(true)
        .configure(|config| {
            config.window_days = None;
            config.budget.max_calls_per_day = None;
            // The share alone bounds what is kept.
            config.section = SectionCaps::new(usize::MAX, usize::MAX, usize::MAX);
        })
        .build()?;
    let clock: DateTime<Utc> =
        (last + TimeDelta::days(1)).and_hms_opt(3, 0, 0).ok_or("no such night")?.and_utc();
    let mut cited = BTreeSet::new();
    loop {
        let report = dream_once_at(&dreamer, &Extractive::with_share(share), &|| clock)?;
        for source in report.promoted().flat_map(|line| &line.sources) {
            cited.extend((source.first_line..=source.last_line).map(|line| (source.name.to_string(), line)));
        }
        if let Some(line) = report.held().next() {
            return Err(format!("a verbatim line was held back: {line:?}").into());
        }
        if report.backlog.bytes == 0 || report.calls == 0 {
            break;
        }
    }
    // What is cited must be what stands in MEMORY.md.
    let memory = workspace.read_text(&DocName::MEMORY)?.unwrap_or_default();
    match cited.iter().find(|(name, _)| !memory.contains(name.as_str())) {
        Some((name, _)) => Err(format!("{name} is cited in a report and not in MEMORY.md").into()),
        None => Ok(cited),
    }
}

/// The lines that a label names: `memory/x.md#L7` or `#L7-L9`.
fn lines(label: &Value) -> Vec<Line> {
    let mut lines = Vec::new();
    for reference in label.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let Some((name, range)) = reference.split_once("#L") else { continue };
        let (first, last) = range.split_once("-L").unwrap_or((range, range));
        if let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>()) {
            lines.extend((first..=last).map(|line| (name.to_owned(), line)));
        }
    }
    lines
}
