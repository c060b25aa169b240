//! One life over twelve weeks, lived as a host would: notes by day, a night without a model, rows that follow it, and the questions
//! of the probes after each week, by the tools that a model has.
//!
//! `script.tsv` has a line for each event: its week and day, the verb, and the words. `probes.tsv` has a line for each question: its
//! kind, its words, and the statements that bear on it. `3b a phrase` is said in week 3 and states the value `b`; `3b!7 a phrase` is
//! forgotten in week 7; `0~ a phrase` is of somebody or something else, and never an answer. The value that was said last holds.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{self, Write as _};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use noctuary::exchange::{ChatFormat, ChatImport, Forget, Merge, feed};
use noctuary::format::Origin;
use noctuary::life::Indexed;
use noctuary::memory::Filter;
use noctuary::store::StoreConfig;
use noctuary::{
    Access, Extractive, FileWorkspace, JournalDreamer, Life, LifeConfig, MemoryStore, Note, Scope,
    SqliteIndex, SqliteMemoryStore, dream_once_at,
};
use serde_json::{Value, json};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const SCRIPT: &str = include_str!("script.tsv");
const PROBES: &str = include_str!("probes.tsv");

/// The number of weeks.
pub(crate) const WEEKS: u32 = 12;

/// The Monday of the first week.
const BEGIN: NaiveDate = NaiveDate::from_ymd_opt(2026, 3, 2).expect("it is a day");

/// The hits of a list among which an answer counts as found.
const DEPTH: usize = 5;

/// An event of the script.
struct Event {
    day: NaiveDate,
    verb: &'static str,
    text: &'static str,
}

/// A question, and the statements that bear on it.
pub(crate) struct Probe {
    pub(crate) kind: &'static str,
    pub(crate) question: &'static str,
    statements: Vec<Statement>,
}

/// A phrase that states a value.
struct Statement {
    week: u32,
    value: char,
    forgotten: Option<u32>,
    phrase: &'static str,
}

/// The value of what is never an answer.
const FOIL: char = '~';

fn lines(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

fn events() -> Result<Vec<Event>> {
    let mut events = Vec::new();
    for line in lines(SCRIPT) {
        let [at, verb, ref text @ ..] = line[..] else { return Err(format!("no event: {line:?}").into()) };
        let text = text.first().copied().unwrap_or_default();
        let (week, day) = at.split_once('.').ok_or("no week and day")?;
        let days = (week.parse::<u64>()? - 1) * 7 + day.parse::<u64>()? - 1;
        events.push(Event { day: BEGIN + Days::new(days), verb, text });
    }
    Ok(events)
}

/// Reads the probes.
pub(crate) fn probes() -> Result<Vec<Probe>> {
    let mut probes = Vec::new();
    for line in lines(PROBES) {
        let [kind, question, ref statements @ ..] = line[..] else { return Err("no probe".into()) };
        let statements = statements.iter().map(|text| statement(text)).collect::<Result<_>>()?;
        probes.push(Probe { kind, question, statements });
    }
    Ok(probes)
}

fn statement(text: &'static str) -> Result<Statement> {
    let (at, phrase) = text.split_once(' ').ok_or_else(|| format!("no statement: {text}"))?;
    let (at, forgotten) = match at.split_once('!') {
        Some((at, week)) => (at, Some(week.parse()?)),
        None => (at, None),
    };
    let value = at.chars().next_back().ok_or("no value")?;
    let week = at.trim_end_matches(value).parse()?;
    Ok(Statement { week, value, forgotten, phrase })
}

/// The standing of a text for a probe at the end of a week.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Current,
    Older,
    Foil,
}

impl Probe {
    /// Returns the value that holds at the end of a week; `None` before the first, and where it is forgotten.
    fn current(&self, week: u32) -> Option<char> {
        let said = self.statements.iter().filter(|said| said.week <= week && said.value != FOIL);
        said.max_by_key(|said| said.week).filter(|said| !said.is_forgotten(week)).map(|said| said.value)
    }

    /// Returns how a text stands; `None` where it says nothing of this.
    fn standing(&self, text: &str, week: u32) -> Option<Standing> {
        let current = self.current(week);
        let said = self.statements.iter().filter(|said| said.week <= week && text.contains(said.phrase));
        let all = said.map(|said| match said.value {
            FOIL => Standing::Foil,
            value if Some(value) == current => Standing::Current,
            _ => Standing::Older,
        });
        all.min_by_key(|standing| *standing as u8)
    }

    fn forgotten(&self, week: u32) -> impl Iterator<Item = &str> {
        let gone = self.statements.iter().filter(move |said| said.is_forgotten(week));
        gone.map(|said| said.phrase)
    }

    /// Returns the value that a text states.
    fn value(&self, text: &str) -> Option<char> {
        self.statements.iter().find(|said| text.contains(said.phrase)).map(|said| said.value)
    }
}

impl Statement {
    fn is_forgotten(&self, week: u32) -> bool {
        self.forgotten.is_some_and(|gone| gone <= week)
    }
}

/// A machine of the host: the folder of the life, and beside it the rows and the index.
struct Host {
    root: PathBuf,
    indexed: Indexed<FileWorkspace>,
    store: Arc<SqliteMemoryStore>,
    life: Life,
}

fn scope() -> Scope {
    Scope::user("ebru")
}

impl Host {
    fn open(root: &Path) -> Result<Self> {
        let folder = root.join("life");
        fs::create_dir_all(&folder)?;
        let indexed =
            Indexed::new(FileWorkspace::open(&folder)?, SqliteIndex::open(root.join("index.db"), scope())?);
        let mut config = StoreConfig::default();
        config.journals = Some(Arc::new(indexed.clone()));
        let store = Arc::new(SqliteMemoryStore::open_with(root.join("rows.db"), scope(), config)?);
        let life = Life::new(Arc::new(indexed.clone()), LifeConfig::default());
        Ok(Self { root: root.to_owned(), indexed, store, life })
    }

    fn notes(&self, session: &str, from: &Origin, texts: &[(DateTime<Utc>, String)]) -> Result<()> {
        let Some((first, _)) = texts.first() else { return Ok(()) };
        let mut session = self.life.begin_session(Access::agent(scope()), session, "chat", *first)?;
        for (at, text) in texts {
            let note = match text.strip_prefix("Remember: ") {
                Some(text) => Note::remember(text),
                None => Note::happened(text),
            };
            session.note(&note.from(from.clone()), *at)?;
        }
        Ok(())
    }

    fn dream(&self, night: DateTime<Utc>) -> Result<()> {
        let dreamer = JournalDreamer::builder(Arc::new(self.indexed.clone())).enabled(true).build()?;
        dream_once_at(&dreamer, &Extractive::new(), &|| night)?;
        feed(&self.indexed, self.store.as_ref(), &scope(), night)?;
        Ok(())
    }

    fn forget(&self, text: &str, now: DateTime<Utc>) -> Result<()> {
        let human = Access::human(scope());
        let forget = Forget::new(&human, text).in_files(true).store(self.store.as_ref());
        forget.workspace(&self.indexed).index(&self.indexed).run(now)?;
        Ok(())
    }

    /// Edits `MEMORY.md` as a person does: what a line has that has some words is replaced, or the whole line taken out.
    fn edit(&self, words: &str, by: Option<&str>) -> Result<()> {
        let text = self.memory()?;
        if !text.contains(words) {
            return Err(format!("nothing to edit: {words}\n{text}").into());
        }
        let edited: String = match by {
            Some(by) => text.replace(words, by),
            None => text.split_inclusive('\n').filter(|line| !line.contains(words)).collect(),
        };
        Ok(fs::write(self.root.join("life/MEMORY.md"), edited)?)
    }

    fn memory(&self) -> Result<String> {
        let path = self.root.join("life/MEMORY.md");
        Ok(if path.exists() { fs::read_to_string(path)? } else { String::new() })
    }

    /// Imports a talk of an earlier day: `2026-02-10 what the user said`.
    fn import(&self, text: &str) -> Result<()> {
        let (day, said) = text.split_once(' ').ok_or("no day to import")?;
        let path = self.root.join(format!("{day}-talk.md"));
        fs::write(&path, format!("## User\n{said}\n\n## Assistant\nThank you, noted.\n"))?;
        ChatImport::new(ChatFormat::Markdown).apply(&path, &self.indexed)?;
        Ok(())
    }
}

/// The host, and the second machine while there is one.
struct World {
    root: PathBuf,
    host: Host,
    other: Option<Host>,
}

impl World {
    fn happen(&mut self, event: &Event, at: DateTime<Utc>) -> Result<()> {
        let (host, verb) = match (event.verb.strip_prefix("other "), &self.other) {
            (Some(verb), Some(other)) => (other, verb),
            (Some(_), None) => return Err("there is no other machine".into()),
            (None, _) => (&self.host, event.verb),
        };
        let text = event.text;
        match verb {
            "cron" => {
                let hourly = (0..24).map(|hour| {
                    let text = text.replace("{n}", &(1040 + 7 * hour).to_string());
                    (at + TimeDelta::minutes(20 * hour), text)
                });
                host.notes("cron", &Origin::Tool("cron".into()), &hourly.collect::<Vec<_>>())
            }
            "forget" => host.forget(text, at),
            "remove" => host.edit(text, None),
            "replace" => {
                let (words, by) = text.split_once(" => ").ok_or("nothing to replace by")?;
                host.edit(words, Some(by))
            }
            "write" => {
                let text = host.memory()? + &format!("- {text}\n");
                Ok(fs::write(host.root.join("life/MEMORY.md"), text)?)
            }
            "import" => host.import(text),
            "part" => self.part(),
            "join" => self.join(),
            speaker => {
                let from = match speaker {
                    "user" => Origin::User,
                    "agent" => Origin::Agent,
                    name => Origin::Participant(name.to_owned()),
                };
                host.notes("chat", &from, &[(at, text.to_owned())])
            }
        }
    }

    /// Copies the life to a second machine, and keeps a copy of what both came of.
    fn part(&mut self) -> Result<()> {
        for place in ["other", "base"] {
            copy(&self.host.root.join("life"), &self.root.join(place).join("life"))?;
        }
        self.other = Some(Host::open(&self.root.join("other"))?);
        Ok(())
    }

    /// Makes one life out of both.
    fn join(&mut self) -> Result<()> {
        let other = self.other.take().ok_or("there is no other machine")?;
        let base = FileWorkspace::open(self.root.join("base/life"))?;
        let both = self.root.join("both");
        fs::create_dir(&both)?;
        let merge = Merge::new(self.host.indexed.workspace(), other.indexed.workspace()).base(&base);
        merge.plan()?.write(&FileWorkspace::open(&both)?)?;
        drop(other);
        let life = self.host.root.join("life");
        fs::rename(&life, self.root.join("before"))?;
        fs::rename(&both, &life)?;
        self.host = Host::open(&self.host.root)?;
        Ok(())
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// The figures of a week.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Week {
    /// The questions that have an answer.
    pub(crate) asked: usize,
    /// Whether the current statement comes first among rows, and where no row says anything, among documents.
    pub(crate) first: usize,
    pub(crate) first_of_rows: usize,
    pub(crate) first_of_documents: usize,
    /// Older statements that come first, and nothing says that they are old.
    pub(crate) stale_first: usize,
    /// Current statements that come first among rows, and are said to be doubtful.
    pub(crate) doubted: usize,
    /// Older statements among rows and lines of memory of which nothing says so.
    pub(crate) unmarked: usize,
    /// Forgotten statements in results, in the prompt, in rows and in memory.
    pub(crate) forgotten: usize,
    pub(crate) duplicates: usize,
    pub(crate) memory_bytes: u64,
    pub(crate) journal_bytes: u64,
    /// The wrong answers, for a person to look at.
    pub(crate) wrong: Vec<String>,
}

impl fmt::Display for Week {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>5} {:>5} {:>5} {:>9} {:>11} {:>7} {:>8} {:>9} {:>10} {:>8} {:>8}",
            self.asked,
            self.first,
            self.first_of_rows,
            self.first_of_documents,
            self.stale_first,
            self.doubted,
            self.unmarked,
            self.forgotten,
            self.duplicates,
            self.memory_bytes,
            self.journal_bytes
        )
    }
}

/// The heads of the columns of a week.
pub(crate) const HEADS: &str =
    "asked first  rows documents stale first doubted unmarked forgotten duplicates   memory journals";

/// Lives the weeks, and asks after each, or after each of some number.
pub(crate) fn live(every: u32) -> Result<Vec<(u32, Week)>> {
    let (events, probes) = (events()?, probes()?);
    let root = tempfile::tempdir()?;
    let root = root.path().to_owned();
    let host = Host::open(&root.join("host"))?;
    let mut world = World { root, host, other: None };
    let mut weeks = Vec::new();
    for week in 1..=WEEKS {
        for day in (0..7).map(|day| BEGIN + Days::new(u64::from(week - 1) * 7 + day)) {
            let morning = day.and_hms_opt(9, 0, 0).ok_or("no such morning")?.and_utc();
            for (minutes, event) in (0..).zip(events.iter().filter(|event| event.day == day)) {
                world.happen(event, morning + TimeDelta::minutes(minutes))?;
            }
            let night = morning + TimeDelta::hours(18);
            world.host.dream(night)?;
            if let Some(other) = &world.other {
                other.dream(night)?;
            }
        }
        let monday = (BEGIN + Days::new(u64::from(week) * 7)).and_hms_opt(8, 0, 0).ok_or("no such day")?;
        if week % every == 0 {
            weeks.push((week, ask(&world.host, &probes, week, monday.and_utc())?));
        }
    }
    Ok(weeks)
}

/// A text that was found: a row, or the passage of a document with its place.
struct FoundText {
    text: String,
    is_marked: bool,
    is_memory: bool,
}

fn ask(host: &Host, probes: &[Probe], week: u32, now: DateTime<Utc>) -> Result<Week> {
    host.indexed.sync(now)?;
    let mut session = host.life.begin_session(Access::agent(scope()), "ask", "chat", now)?;
    session.mark_superseded(host.store.as_ref())?;
    session.mark_doubted(host.store.as_ref(), now)?;
    let prompt = session.system_prompt()?;
    let tools = session.tools().store(host.store.clone()).indexed(&host.indexed);
    let mut figures = Week { memory_bytes: host.memory()?.len() as u64, ..Week::default() };
    for entry in fs::read_dir(host.root.join("life/memory"))? {
        let metadata = entry?.metadata()?;
        figures.journal_bytes += if metadata.is_file() { metadata.len() } else { 0 };
    }
    for probe in probes {
        let asked = json!({"query": probe.question});
        let rows: Vec<FoundText> = results(&tools.call("memory_search", &asked, now)?).collect();
        let passages: Vec<FoundText> =
            results(&tools.call("workspace_memory_search", &asked, now)?).collect();
        count(probe, week, &rows, &passages, &mut figures);
        for phrase in probe.forgotten(week) {
            let seen = rows.iter().chain(&passages).filter(|found| found.text.contains(phrase)).count();
            let seen =
                seen + usize::from(prompt.contains(phrase)) + usize::from(host.memory()?.contains(phrase));
            if seen > 0 {
                figures.wrong.push(format!("forgotten and seen: {phrase}"));
            }
            figures.forgotten += seen;
        }
    }
    let rows = host.store.list(&Access::agent(scope()), &Filter::limit(usize::MAX))?;
    let mut rows: Vec<(i64, String)> = rows.into_iter().map(|row| (row.id.get(), row.content)).collect();
    rows.sort_unstable();
    let rows: Vec<String> = rows.into_iter().map(|(_, content)| content).collect();
    let memory: Vec<String> =
        host.memory()?.lines().filter_map(|line| line.strip_prefix("- ")).map(str::to_owned).collect();
    for all in [rows, memory] {
        for twice in said_twice(&all, probes) {
            figures.duplicates += 1;
            figures.wrong.push(format!("said twice: {twice}"));
        }
    }
    Ok(figures)
}

/// Reads the results of a tool.
fn results(answer: &Value) -> impl Iterator<Item = FoundText> {
    let results = answer["results"].as_array().cloned().unwrap_or_default();
    results.into_iter().map(|result| {
        let text = result["content"].as_str().unwrap_or_default().to_owned();
        let notes = result["notes"].to_string();
        let path = result["path"].as_str();
        let is_memory = path.is_none_or(|path| path == "MEMORY.md" || path.ends_with("dreamed.md"));
        FoundText { text, is_marked: notes.contains("may be out of date"), is_memory }
    })
}

fn count(probe: &Probe, week: u32, rows: &[FoundText], passages: &[FoundText], figures: &mut Week) {
    let mut unmarked = 0;
    for found in rows.iter().chain(passages).filter(|found| found.is_memory && !found.is_marked) {
        let said = found.text.lines().filter(|line| probe.standing(line, week) == Some(Standing::Older));
        unmarked += said
            .filter(|line| !line.contains(" [superseded") && !line.contains(" [may be out of date"))
            .count();
    }
    if probe.current(week).is_none() {
        return;
    }
    let first = |found: &[FoundText]| -> Option<(Standing, bool)> {
        found.iter().take(DEPTH).find_map(|found| Some((probe.standing(&found.text, week)?, found.is_marked)))
    };
    let (row, passage) = (first(rows), first(passages));
    let is_current =
        |found: Option<(Standing, bool)>| found.is_some_and(|(standing, _)| standing == Standing::Current);
    let answer = row.or(passage);
    figures.asked += 1;
    figures.unmarked += unmarked;
    figures.first += usize::from(is_current(answer));
    figures.first_of_rows += usize::from(is_current(row));
    figures.first_of_documents += usize::from(is_current(passage));
    figures.doubted += usize::from(row == Some((Standing::Current, true)));
    figures.stale_first += usize::from(answer == Some((Standing::Older, false)));
    if !is_current(answer) || unmarked > 0 {
        let mut wrong = format!(
            "{}: {} rows {row:?}, documents {passage:?}, {unmarked} unmarked",
            probe.kind, probe.question
        );
        for found in rows.iter().take(DEPTH) {
            let _ =
                write!(wrong, "\n      row {}{}", found.text, if found.is_marked { " [marked]" } else { "" });
        }
        for found in passages.iter().take(3) {
            let _ = write!(wrong, "\n      doc {}", found.text.trim().replace('\n', "\n          "));
        }
        figures.wrong.push(wrong);
    }
}

/// Returns the statements that are there again while no other value of the same is between them.
fn said_twice(all: &[String], probes: &[Probe]) -> Vec<String> {
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    let mut twice = Vec::new();
    for (at, text) in all.iter().enumerate() {
        let Some(before) = last.insert(statement_of(text), at) else { continue };
        let between = &all[before + 1..at];
        let returns = |probe: &Probe| {
            let value = probe.value(text);
            value.is_some()
                && between.iter().any(|other| probe.value(other).is_some_and(|other| Some(other) != value))
        };
        if !probes.iter().any(returns) {
            twice.push(text.clone());
        }
    }
    twice
}

/// The words of a line without its day and its citations.
fn statement_of(line: &str) -> String {
    let line = line.split_once(" (memory/").map_or(line, |(said, _)| said);
    let undated = line.split_once(": ").filter(|(day, _)| day.parse::<NaiveDate>().is_ok());
    undated.map_or(line, |(_, said)| said).trim_end_matches('.').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe() -> Probe {
        let statements = ["1a is in Oslo", "3b is in Bergen", "5a is in Oslo again", "1~ is in Rome"];
        let statements = statements.into_iter().map(|text| statement(text).unwrap()).collect();
        Probe { kind: "returned", question: "Where is the office?", statements }
    }

    fn found(text: &str, is_marked: bool) -> FoundText {
        FoundText { text: text.to_owned(), is_marked, is_memory: true }
    }

    #[test]
    fn what_is_first_and_what_is_stale_is_counted_by_the_week() {
        let rows = [found("The office is in Oslo.", false), found("The office is in Bergen.", false)];
        for (week, first, stale_first, unmarked) in [(2, 1, 0, 0), (4, 0, 1, 1), (6, 1, 0, 1)] {
            let mut figures = Week::default();
            count(&probe(), week, &rows, &[], &mut figures);
            assert_eq!(
                (figures.asked, figures.first, figures.stale_first, figures.unmarked),
                (1, first, stale_first, unmarked),
                "{week}"
            );
        }
        let (mut figures, marked) = (Week::default(), [found("The office is in Bergen.", true)]);
        count(&probe(), 6, &marked, &[found("It is in Oslo again.", false)], &mut figures);
        assert_eq!(
            (figures.first, figures.stale_first, figures.unmarked, figures.first_of_documents),
            (0, 0, 0, 1)
        );
        let mut figures = Week::default();
        count(&probe(), 6, &[found("Ana is in Rome.", false)], &[], &mut figures);
        assert_eq!((figures.first, figures.stale_first), (0, 0), "somebody else's");
    }

    #[test]
    fn a_statement_that_is_there_again_is_a_duplicate_unless_it_returned() {
        let said = |lines: &[&str]| {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            said_twice(&lines, &[probe()]).len()
        };
        let (oslo, bergen) =
            ("2026-03-02: The office is in Oslo. (memory/2026-03-02-a.md#L1)", "The office is in Bergen.");
        assert_eq!(said(&[oslo, bergen, "2026-04-01: The office is in Oslo."]), 0);
        assert_eq!(said(&[oslo, "2026-04-01: The office is in Oslo.", bergen]), 1);
        assert_eq!(said(&[oslo, "Tea at five.", "The office is in Oslo."]), 1);
    }
}
