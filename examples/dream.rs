//! A night over a workspace: reads the journals, promotes what lasts into `MEMORY.md`, and says what it did.
//!
//! ```text
//! cargo run --example dream                    a copy of the bundled sample workspace
//! cargo run --example dream -- PATH            your own workspace: a folder, or its SQLite file
//! cargo run --example dream -- FILE --user NAME
//!                                              whose life of the SQLite file it is; user unless said
//! cargo run --example dream -- PATH --preview  the same, and writes nothing
//! cargo run --example dream -- PATH --all      without the window of 30 days
//! cargo run --example dream -- PATH --json     the report as JSON, for a program to read
//! cargo run --example dream -- --html FILE     and a page to look at: each line beside where it comes from
//! cargo run --example dream -- --sqlite FILE   copies the sample, or PATH, into a new SQLite file, and dreams there
//! cargo run --example dream --features postgres -- --postgres URL --user NAME
//!                                              the same on a PostgreSQL server: copies the sample, or PATH, into a life
//!                                              that is empty, and dreams over one that is not
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
use noctuary::dream::{DreamMode, Evidence, LineOutcome, LineReport, Notice, ReadReason, Step};
use noctuary::format::SourceRef;
use noctuary::workspace::WorkspaceExt;
use noctuary::{
    DocName, DreamConfig, DreamReport, Dreamer, Extractive, FileWorkspace, JournalDreamer, LlmClient,
    Outcome, Workspace,
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
        arguments.path.is_none() && arguments.sqlite.is_none() && arguments.postgres.is_none(),
    )
}

/// The model to ask: one at an endpoint, or none.
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
    let client = noctuary::model::ChatCompletions::new(endpoint, model)?;
    Ok(Box::new(if env::var_os(KEY).is_some() { client.key_from_env(KEY)? } else { client }))
}

#[cfg(not(feature = "http"))]
fn at_endpoint(_endpoint: &str, _model: &str) -> Result<Box<dyn LlmClient>> {
    Err("--endpoint needs the feature \"http\"".into())
}

/// Opens the workspace that was asked for, or a copy of the sample.
fn open(arguments: &Arguments) -> Result<Arc<dyn Workspace>> {
    let user = arguments.user.as_deref().unwrap_or("user");
    if let Some(url) = &arguments.postgres {
        return on_server(url, user, arguments);
    }
    if let Some(file) = &arguments.sqlite {
        if arguments.preview {
            return Err("--sqlite makes a file, and --preview writes nothing: take one of them".into());
        }
        // It may hold somebody's life, also where this user has none in it.
        if file.try_exists()? {
            let file = file.display();
            return Err(format!("{file} is there already, and nothing is copied into it; {file} alone, without --sqlite, dreams over it").into());
        }
    }
    let source: Arc<dyn Workspace> = match &arguments.path {
        Some(path) if !path.try_exists()? => {
            return Err(format!("there is no such folder: {}", path.display()).into());
        }
        // To open it would make a database of it.
        Some(path) if path.is_file() && path.metadata()?.len() == 0 => {
            return Err(format!("{} is an empty file", path.display()).into());
        }
        Some(path) if path.is_file() => in_sqlite(path, user)?,
        _ if arguments.user.is_some() && arguments.sqlite.is_none() => {
            return Err("--user is for a SQLite file: a folder holds one life".into());
        }
        Some(path) => Arc::new(FileWorkspace::open(path)?),
        None => Arc::new(FileWorkspace::open(copy_sample()?)?),
    };
    let Some(file) = &arguments.sqlite else { return Ok(source) };
    let workspace = in_sqlite(file, user)?;
    let copied = noctuary::exchange::copy_into(&source, &workspace)?;
    eprintln!("{} copied into {}", count(usize::try_from(copied)?, "document"), file.display());
    Ok(workspace)
}

fn in_sqlite(file: &Path, user: &str) -> Result<Arc<dyn Workspace>> {
    Ok(Arc::new(noctuary::SqliteWorkspace::open(file, noctuary::Scope::user(user))?))
}

#[cfg(feature = "postgres")]
fn on_server(url: &str, user: &str, arguments: &Arguments) -> Result<Arc<dyn Workspace>> {
    let server = noctuary::postgres::Postgres::connect(url)?;
    server.migrate()?;
    let life: Arc<dyn Workspace> = Arc::new(server.workspace(noctuary::Scope::user(user))?);
    let listing = life.list(None)?;
    if !(listing.documents.is_empty() && listing.folders.is_empty()) {
        return match &arguments.path {
            Some(_) => Err(format!(
                "{user} lives there already, and nothing is copied into it; without a path it dreams over it"
            )
            .into()),
            None => Ok(life),
        };
    }
    if arguments.preview {
        return Err("the life is empty, and --preview writes nothing: there is nothing to dream over".into());
    }
    let source = match &arguments.path {
        Some(path) if path.is_file() => in_sqlite(path, user)?,
        Some(path) if path.is_dir() => Arc::new(FileWorkspace::open(path)?),
        Some(path) => return Err(format!("there is no such folder: {}", path.display()).into()),
        None => Arc::new(FileWorkspace::open(copy_sample()?)?),
    };
    let copied = noctuary::exchange::copy_into(&source, &life)?;
    eprintln!("{} copied to {}", count(usize::try_from(copied)?, "document"), life.location());
    Ok(life)
}

#[cfg(not(feature = "postgres"))]
fn on_server(_url: &str, _user: &str, _arguments: &Arguments) -> Result<Arc<dyn Workspace>> {
    Err("--postgres needs the feature \"postgres\"".into())
}

#[cfg(feature = "report")]
fn html(report: &DreamReport, workspace: &dyn Workspace, config: &DreamConfig) -> Result<String> {
    Ok(noctuary::report::DreamPage::new(report).budget(config.total_input_bytes).read(workspace)?.to_html())
}

#[cfg(not(feature = "report"))]
fn html(_report: &DreamReport, _workspace: &dyn Workspace, _config: &DreamConfig) -> Result<String> {
    Err("--html needs the feature \"report\"".into())
}

const USAGE: &str = "[PATH] [--user NAME] [--preview] [--all] [--json] [--html FILE] [--sqlite FILE | --postgres URL] \
                     [--evidence checked|required|off] [--endpoint URL --model NAME]";

/// The options of the command line.
#[derive(Default)]
struct Arguments {
    path: Option<PathBuf>,
    user: Option<String>,
    sqlite: Option<PathBuf>,
    postgres: Option<String>,
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
                "--user" => {
                    let name = arguments.next().filter(|name| !name.is_empty());
                    parsed.user = Some(name.ok_or("--user needs a name")?);
                }
                "--postgres" => parsed.postgres = Some(arguments.next().ok_or("--postgres needs a URL")?),
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
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample");
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
            let is_read = journal.reason == ReadReason::Shown;
            let note = if is_read { String::new() } else { journal.reason.to_string() };
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
        let duplicates = lines.iter().filter(|line| line.fate == LineOutcome::Duplicate).count();
        let removed = lines.iter().filter(|line| line.fate == LineOutcome::RemovedBefore).count();
        let held: Vec<_> = report.held().collect();
        let mut rows = Vec::new();
        for line in held {
            if let LineOutcome::Held(hold) = &line.fate {
                let word = hold.word.as_deref().map(|word| format!(" ({word})")).unwrap_or_default();
                rows.push(format!("{}{word}: {}", hold.reason, line.text));
            }
        }
        if duplicates > 0 {
            rows.push(format!("{} that memory holds already", count(duplicates, "line")));
        }
        if removed > 0 {
            rows.push(format!("{} that somebody took out of memory before", count(removed, "line")));
        }
        for dropped in report.passes.iter().flat_map(|pass| &pass.dropped) {
            rows.push(count(
                usize::try_from(dropped.count).unwrap_or(usize::MAX),
                &dropped.reason.to_string(),
            ));
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
            println!("  {:<34} {:>9}  {}", journal.name, size(journal.pending), journal.reason);
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
        Outcome::AllHeld => {
            "Every line of the answer was held; its journals wait for another try.".to_owned()
        }
        Outcome::NothingNew => nothing_new(report).to_owned(),
        Outcome::LockHeld => "Somebody else is dreaming here; this run skipped.".to_owned(),
        Outcome::LlmError => {
            failure.map_or("No usable answer.".to_owned(), |failure| format!("Nothing moved: {failure}."))
        }
        other => other.as_str().replace('_', " "),
    }
}

/// Why there was nothing to read.
fn nothing_new(report: &DreamReport) -> &'static str {
    let is_outside = |reason| matches!(reason, ReadReason::OutsideWindow | ReadReason::Expired);
    if report.journals.is_empty() {
        "There is nothing to dream of."
    } else if report.journals.iter().any(|journal| is_outside(journal.reason)) {
        "Nothing new within the window."
    } else if report.journals.iter().all(|journal| journal.reason == ReadReason::AlreadyShown) {
        "Every journal has been read already."
    } else {
        "Nothing new that could be read."
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

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "- 09:12 [user] Decision: we release on Fridays, Ilya signs it off.\n";

    fn asked(line: &str) -> Arguments {
        Arguments::parse(line.split(' ').map(ToOwned::to_owned)).unwrap()
    }

    fn refused(line: &str) -> String {
        open(&asked(line)).err().unwrap().to_string()
    }

    /// A folder with one journal, of a day.
    fn folder(day: NaiveDate) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("memory")).unwrap();
        fs::write(folder.path().join(format!("memory/{day}-repl.md")), LINE).unwrap();
        folder
    }

    fn yesterday() -> NaiveDate {
        Utc::now().date_naive() - TimeDelta::days(1)
    }

    fn night(line: &str) -> DreamReport {
        let arguments = asked(line);
        let mode = if arguments.preview { DreamMode::Preview } else { DreamMode::Append };
        let dreamer = JournalDreamer::builder(open(&arguments).unwrap()).enabled(true);
        let dreamer = dreamer.configure(|config| config.mode = mode).build().unwrap();
        dream(&dreamer, &Extractive::new()).unwrap()
    }

    #[test]
    fn a_sqlite_file_is_made_once_and_dreamed_over_by_its_path() {
        let notes = folder(yesterday());
        let home = tempfile::tempdir().unwrap();
        let (from, file) = (notes.path().display(), home.path().join("life.db"));
        let file = file.display();
        open(&asked(&format!("{from} --sqlite {file} --user marta"))).unwrap();
        let files = || fs::read_dir(home.path()).unwrap().count();
        let (filled, made) = (fs::read(file.to_string()).unwrap(), files());

        for wrong in [format!("--sqlite {file}"), format!("{from} --sqlite {file} --user ilya")] {
            assert!(refused(&wrong).contains("is there already"), "{wrong}");
        }
        let preview = night(&format!("{file} --user marta --preview"));
        assert_eq!(preview.outcome, Outcome::Appended);
        assert_eq!(night(&format!("{file} --preview")).outcome, Outcome::NothingNew, "another's life");
        assert_eq!(fs::read(file.to_string()).unwrap(), filled, "nothing was written");
        assert_eq!(files(), made, "and no file made");

        assert_eq!(night(&format!("{file} --user marta")).promoted().count(), 1);
        assert_eq!(outcome(&night(&format!("{file} --user marta"))), "Every journal has been read already.");
    }

    #[test]
    fn a_preview_makes_no_file() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("life.db");
        assert!(refused(&format!("--sqlite {} --preview", file.display())).contains("writes nothing"));
        assert!(!file.exists());
        fs::write(&file, "").unwrap();
        assert!(refused(&format!("{} --preview", file.display())).ends_with("is an empty file"));
    }

    #[test]
    fn what_is_not_there_and_what_has_no_users_is_said() {
        assert_eq!(refused("/no/such/folder"), "there is no such folder: /no/such/folder");
        let notes = folder(yesterday());
        assert!(refused(&format!("{} --user marta", notes.path().display())).contains("one life"));
    }

    #[test]
    fn journals_outside_the_window_are_not_said_to_be_read() {
        let said = |notes: &tempfile::TempDir| outcome(&night(&notes.path().display().to_string()));
        let notes = folder(yesterday() - TimeDelta::days(300));
        assert_eq!(said(&notes), "Nothing new within the window.");
        assert_eq!(said(&tempfile::tempdir().unwrap()), "There is nothing to dream of.");
    }
}
