//! BX-14, BX-63: a year of talk is found, and kept by a night, at least as well as `floors.tsv` says.
//!
//! Twelve people of a house talk with one assistant, most of them in two languages. Nothing in `fixtures/year` is of anybody
//! else: its text was written for these tests, under the licence of the library. `NOCTUARY_PRINT=1` prints the figures of each
//! kind of question where nothing fails.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use noctuary::dream::SectionCaps;
use noctuary::memory::{NewMemory, Place, Query, Role, Source};
use noctuary::{
    DocName, Extractive, FileMemoryStore, FileWorkspace, JournalDreamer, MemoryStore, SqliteMemoryStore,
    Workspace, WriteMode, dream_once_at,
};
use noctuary_tests::common::marta::{agent, marta, name};

const TURNS: &str = include_str!("../fixtures/year/turns.tsv");
const QUESTIONS: &str = include_str!("../fixtures/year/questions.tsv");
const FLOORS: &str = include_str!("../fixtures/year/floors.tsv");
const KINDS: [&str; 10] =
    ["single", "preference", "two", "newest", "before", "when", "count", "paraphrase", "name", "inflected"];

fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect())
}

struct Turn {
    id: &'static str,
    session: &'static str,
    position: u64,
    day: NaiveDate,
    speaker: &'static str,
    text: &'static str,
}

fn turns() -> Vec<Turn> {
    let turn = |row: Vec<&'static str>| {
        let [id, day, speaker, text] = row.try_into().unwrap();
        let (session, position) = id.split_once('.').unwrap();
        Turn { id, session, position: position.parse().unwrap(), day: day.parse().unwrap(), speaker, text }
    };
    rows(TURNS).map(turn).collect()
}

struct Question {
    kind: &'static str,
    text: &'static str,
    gold: Vec<&'static str>,
    stale: Vec<&'static str>,
}

fn questions() -> Vec<Question> {
    let question = |row: Vec<&'static str>| Question {
        kind: row[0],
        text: row[1],
        gold: row[2].split(' ').collect(),
        stale: row.get(3).map(|ids| ids.split(' ').collect()).unwrap_or_default(),
    };
    rows(QUESTIONS).map(question).collect()
}

#[test]
fn questions_ask_for_turns_that_are_there() {
    let (turns, questions) = (turns(), questions());
    let ids: BTreeSet<&str> = turns.iter().map(|turn| turn.id).collect();
    assert_eq!(ids.len(), turns.len(), "a turn is there once");
    assert!(turns.is_sorted_by_key(|turn| turn.day));
    let said_by_people: BTreeSet<&str> = turns.iter().map(|turn| turn.speaker).collect();
    assert_eq!(said_by_people.len(), 13, "twelve people and their assistant");
    let mut asked = BTreeSet::new();
    for question in &questions {
        assert!(asked.insert(question.text), "{}", question.text);
        assert!(KINDS.contains(&question.kind), "{}", question.kind);
        let is_known = |id: &&str| ids.contains(id);
        assert!(question.gold.iter().chain(&question.stale).all(is_known), "{}", question.text);
        assert!(question.kind != "newest" || !question.stale.is_empty(), "{}", question.text);
        assert!(!question.gold.iter().any(|id| question.stale.contains(id)), "{}", question.text);
    }
    for kind in KINDS {
        assert!(questions.iter().filter(|question| question.kind == kind).count() >= 25, "{kind}");
    }
    assert!(questions.len() >= 300 && turns.len() >= 1_200);
}

/// The counts of some questions.
#[derive(Default)]
struct Counts {
    questions: u32,
    any: [u32; 3],
    all: u32,
    changed: u32,
    fresh_first: u32,
}

impl Counts {
    fn add(&mut self, question: &Question, found: &[&str]) {
        self.questions += 1;
        for (count, depth) in self.any.iter_mut().zip([1, 5, 10]) {
            *count += u32::from(found.iter().take(depth).any(|id| question.gold.contains(id)));
        }
        let top = &found[..found.len().min(5)];
        self.all += u32::from(question.gold.iter().all(|id| top.contains(id)));
        if !question.stale.is_empty() {
            let first = |ids: &[&str]| found.iter().position(|id| ids.contains(id));
            let (fresh, stale) = (first(&question.gold), first(&question.stale));
            self.changed += 1;
            self.fresh_first += u32::from(fresh.is_some_and(|fresh| stale.is_none_or(|stale| fresh < stale)));
        }
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        let share = |part: u32, whole: u32| f64::from(part) / f64::from(whole);
        let mut figures = vec![
            ("any@1", share(self.any[0], self.questions)),
            ("any@5", share(self.any[1], self.questions)),
            ("any@10", share(self.any[2], self.questions)),
            ("all@5", share(self.all, self.questions)),
        ];
        if self.changed > 0 {
            figures.push(("fresh first", share(self.fresh_first, self.changed)));
        }
        figures
    }
}

/// Fails with all figures where one of the whole is below its floor.
fn hold(what: &str, whole: &[(&'static str, f64)], kinds: &BTreeMap<&str, Vec<(&'static str, f64)>>) {
    let floors: HashMap<&str, f64> = rows(FLOORS).map(|row| (row[0], row[1].parse().unwrap())).collect();
    let mut table = format!("{what}\n");
    for (kind, figures) in
        kinds.iter().map(|(kind, figures)| (*kind, figures.as_slice())).chain([("all", whole)])
    {
        let _ = write!(table, "{kind:<12}");
        for (figure, share) in figures {
            let _ = write!(table, "  {figure} {share:.3}");
        }
        table.push('\n');
    }
    let below: Vec<String> = whole
        .iter()
        .filter(|(figure, share)| *share < floors[figure])
        .map(|(figure, share)| format!("{figure} is {share:.3}, and its floor {}", floors[figure]))
        .collect();
    assert!(below.is_empty(), "{table}{}", below.join("\n"));
    if std::env::var_os("NOCTUARY_PRINT").is_some() {
        println!("{table}");
    }
}

fn at(turn: &Turn) -> DateTime<Utc> {
    turn.day.and_hms_opt(9, 0, 0).unwrap().and_utc()
}

/// Writes each session as it ends, and asks all questions.
fn ask(what: &str, store: &dyn MemoryStore) {
    let turns = turns();
    let mut ids = HashMap::new();
    for said in turns.chunk_by(|one, other| one.session == other.session) {
        let row = |turn: &Turn| {
            let role = if turn.speaker == "Assistant" { Role::Agent } else { Role::User };
            NewMemory::new("observation", turn.text, Source::ChatExtracted).at(Place {
                session: turn.session.to_owned(),
                position: turn.position,
                role,
                speaker: Some(turn.speaker.to_owned()),
                said_at: Some(at(turn)),
            })
        };
        let written = said.iter().map(row).collect::<Vec<_>>();
        let written = store.write_all(&agent(), &written, at(&said[0])).unwrap();
        ids.extend(written.into_iter().map(Result::unwrap).zip(said.iter().map(|turn| turn.id)));
    }
    let mut whole = Counts::default();
    let mut kinds: BTreeMap<&str, Counts> = BTreeMap::new();
    for question in questions() {
        let found = store.search(&agent(), &Query::new(question.text)).unwrap();
        let found: Vec<&str> = found.hits.iter().map(|hit| ids[&hit.memory.id]).collect();
        whole.add(&question, &found);
        kinds.entry(question.kind).or_default().add(&question, &found);
    }
    let kinds = kinds.iter().map(|(kind, counts)| (*kind, counts.figures())).collect();
    hold(what, &whole.figures(), &kinds);
}

#[test]
fn a_year_is_found_in_files() {
    let folder = tempfile::tempdir().unwrap();
    ask("in files", &FileMemoryStore::open(folder.path(), marta()).unwrap());
}

#[test]
#[ignore = "sweep"]
fn a_year_is_found_in_sqlite() {
    ask("in SQLite", &SqliteMemoryStore::open_in_memory(marta()).unwrap());
}

#[test]
#[ignore = "sweep"]
fn a_night_keeps_gold_lines_of_a_year() {
    let folder = tempfile::tempdir().unwrap();
    let workspace: Arc<dyn Workspace> = Arc::new(FileWorkspace::open(folder.path()).unwrap());
    let turns = turns();
    let mut lines: HashMap<(String, u64), &str> = HashMap::new();
    for said in turns.chunk_by(|one, other| one.session == other.session) {
        let day = said[0].day;
        let journal = name(&format!("memory/{day}-s{}.md", said[0].session));
        let mut text = format!("# Memory — {day}\n\n## Session [09:00]\n\n");
        for (line, turn) in (5..).zip(said) {
            let _ = writeln!(text, "[09:{:02}:00] {}: {}", turn.position, turn.speaker, turn.text);
            lines.insert((journal.to_string(), line), turn.id);
        }
        workspace.write(&journal, text.as_bytes(), WriteMode::Create).unwrap();
    }
    let dreamer = JournalDreamer::builder(Arc::clone(&workspace))
        .enabled(true)
        .configure(|config| {
            config.window_days = None;
            config.budget.max_calls_per_day = None;
            // The share alone bounds the lines that are kept.
            config.section = SectionCaps::new(usize::MAX, usize::MAX, usize::MAX);
        })
        .build()
        .unwrap();
    let night = at(turns.last().unwrap()) + TimeDelta::hours(18);
    let mut kept = BTreeSet::new();
    loop {
        let report = dream_once_at(&dreamer, &Extractive::with_share(0.20), &|| night).unwrap();
        for source in report.promoted().flat_map(|line| &line.sources) {
            let cited = (source.first_line..=source.last_line).map(|line| (source.name.to_string(), line));
            kept.extend(cited.filter_map(|line| lines.get(&line).copied()));
        }
        if report.backlog.bytes == 0 || report.calls == 0 {
            break;
        }
    }
    assert!(workspace.metadata(&DocName::MEMORY).unwrap().is_some());
    let figures = |questions: &[&Question]| {
        let gold: BTreeSet<&str> =
            questions.iter().flat_map(|question| question.gold.iter().copied()).collect();
        let kept_lines = gold.iter().filter(|id| kept.contains(*id)).count();
        let answered =
            questions.iter().filter(|question| question.gold.iter().any(|id| kept.contains(id))).count();
        let share = |part: usize, whole: usize| {
            f64::from(u32::try_from(part).unwrap()) / f64::from(u32::try_from(whole).unwrap())
        };
        vec![
            ("gold lines kept", share(kept_lines, gold.len())),
            ("questions kept", share(answered, questions.len())),
        ]
    };
    let questions = questions();
    let kinds = KINDS.map(|kind| {
        let of_kind: Vec<&Question> = questions.iter().filter(|question| question.kind == kind).collect();
        (kind, figures(&of_kind))
    });
    hold("kept at 20 %", &figures(&questions.iter().collect::<Vec<_>>()), &kinds.into());
}
