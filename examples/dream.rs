//! A night over a workspace: reads the journals, promotes what lasts into `MEMORY.md`, and says what it did.
//!
//! ```text
//! cargo run --example dream                    a copy of the bundled sample workspace
//! cargo run --example dream -- PATH            your own workspace
//! cargo run --example dream -- PATH --preview  the same, and writes nothing
//! cargo run --example dream -- PATH --all      without the window of 30 days
//! cargo run --example dream -- PATH --json     the report as JSON, for a program to read
//! cargo run --example dream -- --html FILE     and a page to look at: each line beside where it comes from
//! cargo run --example dream -- --sqlite FILE   the same life inside one SQLite file; a new file takes in
//!                                              the sample, or PATH, first
//! cargo run --example dream -- --evidence required
//!                                              holds back what cites nothing, too
//! cargo run --example dream --features http -- --endpoint URL --model NAME
//!                                              asks a model there, as Ollama's http://127.0.0.1:11434/v1; the key,
//!                                              where it wants one, is in NOCTUARY_API_KEY
//! ```
//!
//! Without an endpoint there is no model and no network: [`Extractive`] picks the lines. Put your own [`LlmClient`] in
//! its place. The variables of [`DreamConfig::from_env`] count: `WORKSPACE_DREAM_TOTAL_INPUT_BYTES` fits a request to a
//! small model.

use std::error::Error;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::{env, fs};

use chrono::{NaiveDate, TimeDelta, Utc};
use noctuary::{
    DocName, DreamConfig, DreamMode, DreamReport, Dreamer, Evidence, Extractive, Fate, FileWorkspace,
    JournalDreamer, LineReport, LlmClient, Notice, Outcome, ReadReason, SourceRef, Step, Workspace,
    WorkspaceExt,
};
use regex::Regex;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprint!("{error}");
            let mut source = error.source();
            while let Some(cause) = source {
                eprint!(": {cause}");
                source = cause.source();
            }
            eprintln!();
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments = Arguments::parse(env::args().skip(1))?;
    let workspace = open(&arguments)?;
    let before = workspace.read_text(&DocName::MEMORY)?.unwrap_or_default();
    let dreamer = JournalDreamer::builder(Arc::clone(&workspace))
        .config(DreamConfig::from_env(|name| env::var(name).ok())?)
        .enabled(true)
        .configure(|config| {
            config.mode = if arguments.preview { DreamMode::Preview } else { DreamMode::Append };
            config.evidence = arguments.evidence;
            if arguments.all {
                config.window_days = None;
            }
        })
        .build()?;
    let report = dream(&dreamer, model(&arguments)?.as_ref())?;
    if let Some(file) = &arguments.html {
        fs::write(file, html(&report, workspace.as_ref(), dreamer.config())?)?;
        eprintln!("the page is {}", file.display());
    }
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(());
    }
    Page::new(workspace.as_ref()).print(
        &report,
        &before,
        arguments.path.is_none() && arguments.sqlite.is_none(),
    )
}

/// What is asked: the model at an endpoint, or nobody.
fn model(arguments: &Arguments) -> Result<Box<dyn LlmClient>> {
    match (&arguments.endpoint, &arguments.model) {
        (Some(endpoint), Some(model)) => at_endpoint(endpoint, model),
        (None, None) => Ok(Box::new(Extractive::new())),
        _ => Err("--endpoint and --model go together".into()),
    }
}

#[cfg(feature = "http")]
fn at_endpoint(endpoint: &str, model: &str) -> Result<Box<dyn LlmClient>> {
    // Of its own, so that no vendor's key goes to somebody else's server.
    const KEY: &str = "NOCTUARY_API_KEY";
    let client = noctuary::ChatCompletions::new(endpoint, model)?;
    Ok(Box::new(if env::var_os(KEY).is_some() { client.key_from_env(KEY)? } else { client }))
}

#[cfg(not(feature = "http"))]
fn at_endpoint(_endpoint: &str, _model: &str) -> Result<Box<dyn LlmClient>> {
    Err("--endpoint needs the feature \"http\"".into())
}

/// Opens the workspace that was asked for, or a copy of the sample.
fn open(arguments: &Arguments) -> Result<Arc<dyn Workspace>> {
    let folder = || -> Result<FileWorkspace> {
        Ok(FileWorkspace::open(match &arguments.path {
            Some(path) => path.clone(),
            None => copy_sample()?,
        })?)
    };
    match &arguments.sqlite {
        None => Ok(Arc::new(folder()?)),
        Some(file) => in_sqlite(file, folder),
    }
}

#[cfg(feature = "sqlite")]
fn in_sqlite(file: &Path, folder: impl FnOnce() -> Result<FileWorkspace>) -> Result<Arc<dyn Workspace>> {
    let workspace = noctuary::SqliteWorkspace::open(file, noctuary::Scope::user("operator"))?;
    let listing = workspace.list(None)?;
    if listing.documents.is_empty() && listing.folders.is_empty() {
        let copied = noctuary::copy_into(&folder()?, &workspace)?;
        eprintln!("{} copied into {}", count(usize::try_from(copied)?, "document"), file.display());
    }
    Ok(Arc::new(workspace))
}

#[cfg(not(feature = "sqlite"))]
fn in_sqlite(_file: &Path, _folder: impl FnOnce() -> Result<FileWorkspace>) -> Result<Arc<dyn Workspace>> {
    Err("--sqlite needs the feature \"sqlite\"".into())
}

#[cfg(feature = "report")]
fn html(report: &DreamReport, workspace: &dyn Workspace, config: &DreamConfig) -> Result<String> {
    Ok(noctuary::DreamPage::new(report).budget(config.total_input_bytes).read(workspace)?.to_html())
}

#[cfg(not(feature = "report"))]
fn html(_report: &DreamReport, _workspace: &dyn Workspace, _config: &DreamConfig) -> Result<String> {
    Err("--html needs the feature \"report\"".into())
}

const USAGE: &str = "[PATH] [--preview] [--all] [--json] [--html FILE] [--sqlite FILE] \
                     [--evidence checked|required|off] [--endpoint URL --model NAME]";

/// What was asked for on the command line.
#[derive(Default)]
struct Arguments {
    path: Option<PathBuf>,
    sqlite: Option<PathBuf>,
    html: Option<PathBuf>,
    endpoint: Option<String>,
    model: Option<String>,
    evidence: Evidence,
    preview: bool,
    all: bool,
    json: bool,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut parsed = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--help" | "-h" => {
                    println!("dream {USAGE}");
                    std::process::exit(0);
                }
                "--preview" => parsed.preview = true,
                "--all" => parsed.all = true,
                "--json" => parsed.json = true,
                "--html" => parsed.html = Some(arguments.next().ok_or("--html needs a file")?.into()),
                "--endpoint" => parsed.endpoint = Some(arguments.next().ok_or("--endpoint needs a URL")?),
                "--model" => parsed.model = Some(arguments.next().ok_or("--model needs a name")?),
                "--evidence" => {
                    parsed.evidence = match arguments.next().as_deref() {
                        Some("checked") => Evidence::Checked,
                        Some("required") => Evidence::Required,
                        Some("off") => Evidence::Off,
                        _ => return Err("--evidence is checked, required or off".into()),
                    }
                }
                "--sqlite" => parsed.sqlite = Some(arguments.next().ok_or("--sqlite needs a file")?.into()),
                path if !path.starts_with('-') && parsed.path.is_none() => parsed.path = Some(path.into()),
                other => return Err(format!("{other:?} is not known; use {USAGE}").into()),
            }
        }
        Ok(parsed)
    }
}

/// Drives the steps by hand, to say on stderr what the night is at.
fn dream(dreamer: &dyn Dreamer, llm: &dyn LlmClient) -> Result<DreamReport> {
    let mut step = dreamer.begin(Utc::now())?;
    for pass in 1.. {
        match step {
            Step::Done(report) => return Ok(*report),
            Step::Ask(asked) => {
                eprintln!(
                    "pass {pass}: asking about {} of journals and memory",
                    size(asked.request().bytes() as u64)
                );
                let answer = llm.complete(asked.request());
                step = asked.resume(answer, Utc::now())?;
            }
        }
    }
    unreachable!("a run ends after its passes")
}

/// Copies the sample to a scratch folder, with all dates shifted so that the last journal is yesterday's.
fn copy_sample() -> Result<PathBuf> {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/sample");
    let scratch = env::temp_dir().join(format!("noctuary-sample-{}", std::process::id()));
    if scratch.exists() {
        fs::remove_dir_all(&scratch)?;
    }
    let date = Regex::new(r"\d{4}-\d{2}-\d{2}")?;
    let parse = |text: &str| NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
    let mut last = NaiveDate::MIN;
    for entry in fs::read_dir(sample.join("memory"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        last = last.max(date.find(&name).and_then(|found| parse(found.as_str())).unwrap_or(NaiveDate::MIN));
    }
    let shift = Utc::now().date_naive() - TimeDelta::days(1) - last;
    let shifted = |text: &str| -> String {
        let move_date = |found: &regex::Captures<'_>| match parse(&found[0]) {
            Some(date) => (date + shift).to_string(),
            None => found[0].to_owned(),
        };
        date.replace_all(text, move_date).into_owned()
    };
    for folder in ["", "memory"] {
        fs::create_dir_all(scratch.join(folder))?;
        for entry in fs::read_dir(sample.join(folder))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let text = shifted(&fs::read_to_string(entry.path())?);
                fs::write(scratch.join(folder).join(shifted(&name)), text)?;
            }
        }
    }
    Ok(scratch)
}

/// Prints a report for a person.
struct Page<'a> {
    workspace: &'a dyn Workspace,
    colour: bool,
}

impl<'a> Page<'a> {
    fn new(workspace: &'a dyn Workspace) -> Self {
        Self { workspace, colour: std::io::stdout().is_terminal() && env::var_os("NO_COLOR").is_none() }
    }

    fn print(&self, report: &DreamReport, before: &str, is_sample: bool) -> Result<()> {
        println!("{}", self.bold(&format!("A night over {}", report.workspace)));
        if is_sample {
            println!("A copy of the sample workspace; look around in it.");
        }
        println!("{}\n", outcome(report));
        self.read(report);
        self.promoted(report)?;
        self.held_back(report);
        self.masked(report);
        self.waits(report);
        Self::notices(report);
        self.diff(report, before)
    }

    fn read(&self, report: &DreamReport) {
        let read: Vec<_> = report.journals.iter().filter(|journal| journal.shown > 0).collect();
        let bytes: u64 = read.iter().map(|journal| journal.shown).sum();
        self.heading(
            "Read",
            &format!(
                "{} in {}, {}",
                count(read.len(), "journal"),
                count(report.passes.len(), "pass"),
                size(bytes)
            ),
        );
        for journal in read {
            let note = if journal.reason == ReadReason::Shown { "" } else { journal.reason.explain() };
            let row = format!("  {:<34} {:>9}  {note}", journal.name, size(journal.shown));
            println!("{}", row.trim_end());
        }
        println!();
    }

    fn promoted(&self, report: &DreamReport) -> Result<()> {
        let promoted: Vec<&LineReport> = report.promoted().collect();
        let verb = if report.mode == DreamMode::Preview { "Would promote" } else { "Promoted" };
        self.heading(verb, &count(promoted.len(), "line"));
        let mut heading = None;
        for line in promoted {
            if line.heading != heading {
                heading.clone_from(&line.heading);
                println!("  {}", self.bold(heading.as_deref().unwrap_or("Other")));
            }
            let (claim, _) = line.text.rsplit_once(" (").unwrap_or((&line.text, ""));
            println!("  - {claim}");
            for source in &line.sources {
                println!("      {}", self.faint(&self.quote(source, claim)?));
            }
            if line.sources.is_empty() {
                println!("      {}", self.faint("cites nothing"));
            }
        }
        println!();
        Ok(())
    }

    /// A source, and its words where the line does not repeat them.
    fn quote(&self, source: &SourceRef, claim: &str) -> Result<String> {
        let text = self.workspace.read_text(&source.name)?.unwrap_or_default();
        let first = usize::try_from(source.first_line)?.saturating_sub(1);
        let count = usize::try_from(source.last_line + 1 - source.first_line)?;
        let lines: Vec<&str> = text.lines().skip(first).take(count).map(str::trim).collect();
        let said = claim.rsplit(": ").next().unwrap_or(claim);
        if lines.iter().any(|line| line.ends_with(said)) {
            return Ok(source.to_string());
        }
        Ok(format!("{source}  {}", lines.join(" / ")))
    }

    fn held_back(&self, report: &DreamReport) {
        let lines: Vec<&LineReport> = report.passes.iter().flat_map(|pass| &pass.lines).collect();
        let duplicates = lines.iter().filter(|line| line.fate == Fate::Duplicate).count();
        let removed = lines.iter().filter(|line| line.fate == Fate::RemovedBefore).count();
        let held: Vec<_> = report.held().collect();
        let mut rows = Vec::new();
        for line in held {
            if let Fate::Held(hold) = &line.fate {
                let word = hold.word.as_deref().map(|word| format!(" ({word})")).unwrap_or_default();
                rows.push(format!("{}{word}: {}", hold.reason.explain(), line.text));
            }
        }
        if duplicates > 0 {
            rows.push(format!("{} that memory holds already", count(duplicates, "line")));
        }
        if removed > 0 {
            rows.push(format!("{} that somebody took out of memory before", count(removed, "line")));
        }
        for dropped in report.passes.iter().flat_map(|pass| &pass.dropped) {
            rows.push(count(usize::try_from(dropped.count).unwrap_or(usize::MAX), dropped.reason.explain()));
        }
        for stripped in report.passes.iter().flat_map(|pass| &pass.stripped) {
            rows.push(format!("{stripped}, which a machine had written into the journal"));
        }
        for blamed in report.passes.iter().flat_map(|pass| &pass.quarantined) {
            for journal in &blamed.journals {
                rows.push(format!("{journal} is in quarantine: {} in the answer", blamed.pattern));
            }
        }
        self.heading("Held back", if rows.is_empty() { "nothing" } else { "" });
        for row in rows {
            println!("  {row}");
        }
        println!();
    }

    fn masked(&self, report: &DreamReport) {
        let masked: Vec<String> = report
            .passes
            .iter()
            .flat_map(|pass| &pass.masked)
            .map(|masked| format!("{} × {}", masked.count, masked.class))
            .collect();
        if !masked.is_empty() {
            self.heading("Masked", &format!("{}, before anybody was asked", masked.join(", ")));
            println!();
        }
    }

    fn waits(&self, report: &DreamReport) {
        let backlog = &report.backlog;
        if backlog.bytes == 0 {
            self.heading("Waits", "nothing");
        } else {
            let journals = count(usize::try_from(backlog.journals).unwrap_or(usize::MAX), "journal");
            let oldest = backlog.oldest.map(|date| format!(", the oldest of {date}")).unwrap_or_default();
            self.heading("Waits", &format!("{} in {journals}{oldest}", size(backlog.bytes)));
        }
        let quiet = [ReadReason::Shown, ReadReason::AlreadyShown, ReadReason::OutsideWindow];
        for journal in
            report.journals.iter().filter(|journal| journal.pending > 0 && !quiet.contains(&journal.reason))
        {
            println!("  {:<34} {:>9}  {}", journal.name, size(journal.pending), journal.reason.explain());
        }
        let outside =
            report.journals.iter().filter(|journal| journal.reason == ReadReason::OutsideWindow).count();
        if outside > 0 {
            println!("  {} outside the window; --all reads them", count(outside, "journal"));
        }
        println!();
    }

    fn notices(report: &DreamReport) {
        for notice in &report.notices {
            let gauge = report.memory.filter(|_| *notice == Notice::MemoryOverBudget);
            let gauge = gauge.map(|gauge| format!(": {} of {} characters", gauge.chars, gauge.budget));
            println!("  Note: {notice}{}", gauge.unwrap_or_default());
        }
        if !report.notices.is_empty() {
            println!();
        }
    }

    fn diff(&self, report: &DreamReport, before: &str) -> Result<()> {
        let after = match report.mode {
            DreamMode::Preview => {
                before.to_owned()
                    + &report.passes.iter().filter_map(|pass| pass.section.as_deref()).collect::<String>()
            }
            _ => self.workspace.read_text(&DocName::MEMORY)?.unwrap_or_default(),
        };
        let Some(added) = after.strip_prefix(before).filter(|added| !added.is_empty()) else {
            self.heading("MEMORY.md", "unchanged");
            return Ok(());
        };
        self.heading("MEMORY.md", &format!("+{} lines", added.lines().count()));
        let standing: Vec<&str> = before.lines().collect();
        for line in &standing[standing.len().saturating_sub(3)..] {
            println!("    {line}");
        }
        for line in added.lines() {
            println!("  {}", self.added(&format!("+ {line}")));
        }
        Ok(())
    }

    fn heading(&self, title: &str, rest: &str) {
        println!("{}", format!("{}  {rest}", self.bold(title)).trim_end());
    }

    fn bold(&self, text: &str) -> String {
        self.paint("1", text)
    }

    fn faint(&self, text: &str) -> String {
        self.paint("2", text)
    }

    fn added(&self, text: &str) -> String {
        self.paint("32", text)
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// The ending of a run in a sentence.
fn outcome(report: &DreamReport) -> String {
    let failure = report.passes.iter().find_map(|pass| pass.failure.as_ref());
    match report.outcome {
        Outcome::Appended if report.mode == DreamMode::Preview => {
            "A preview: nothing was written.".to_owned()
        }
        Outcome::Appended => "New memory was appended; nothing above it changed.".to_owned(),
        Outcome::NothingToPromote => "Nothing new was worth keeping.".to_owned(),
        Outcome::NothingNew => "Every journal has been read already.".to_owned(),
        Outcome::LockHeld => "Somebody else is dreaming here; this run skipped.".to_owned(),
        Outcome::LlmError => {
            failure.map_or("No usable answer.".to_owned(), |failure| format!("Nothing moved: {failure}."))
        }
        other => other.word().replace('_', " "),
    }
}

fn size(bytes: u64) -> String {
    let tenths = bytes * 10 / 1024;
    if bytes < 1024 { format!("{bytes} B") } else { format!("{}.{} KiB", tenths / 10, tenths % 10) }
}

fn count(number: usize, noun: &str) -> String {
    let plural = if noun.ends_with('s') { "es" } else { "s" };
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}{plural}") }
}
