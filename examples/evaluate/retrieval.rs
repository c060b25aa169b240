//! How well a memory store finds what a question asks for.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use flate2::read::GzDecoder;
use noctuary::gate::{Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
use noctuary::memory::{NewMemory, Place, Query, Role, Source};
use noctuary::search::{Fusion, Ranking};
use noctuary::store::StoreConfig;
use noctuary::{Access, Actor, FileMemoryStore, MemoryStore, Scope, SessionKind, SqliteMemoryStore};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Result, weights};

/// So many turns are asked for: enough for twenty sessions.
pub(crate) const ASKED_FOR: usize = 200;
const DEPTHS: [usize; 4] = [1, 5, 10, 20];

/// Measures each folder, prints its tables, and writes the figures.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut folders, mut json, mut measured) = (Vec::new(), None, Measured::default());
    let mut leaves_one_out = false;
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = Some(PathBuf::from(arguments.next().ok_or("--json needs a path")?)),
            "--file" => measured.in_a_file = true,
            "--leave-one-out" => leaves_one_out = true,
            "--ranks" => measured.ranking.fusion = Fusion::Ranks { k: 60.0 },
            folder => folders.push(PathBuf::from(folder)),
        }
    }
    if folders.is_empty() {
        return Err("a folder with questions is needed".into());
    }
    let figures = if leaves_one_out {
        weights::leave_one_out(&folders, measured)?
    } else {
        let mut all = Map::new();
        for folder in folders {
            println!("{}", name_of(&folder));
            all.insert(name_of(&folder), measure(&folder, measured)?);
        }
        Value::Object(all)
    };
    if let Some(path) = json {
        fs::write(path, serde_json::to_string_pretty(&figures)? + "\n")?;
    }
    Ok(())
}

/// The name of a set.
pub(crate) fn name_of(folder: &Path) -> String {
    folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The store to measure, with its defaults unless options change them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measured {
    pub(crate) in_a_file: bool,
    pub(crate) ranking: Ranking,
}

#[derive(Deserialize)]
pub(crate) struct Session {
    id: String,
    turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Turn {
    id: String,
    role: String,
    speaker: String,
    text: String,
}

#[derive(Deserialize)]
pub(crate) struct Corpus {
    pub(crate) id: String,
    /// Session and date, `2023-05-08 13:56` or empty.
    sessions: Vec<(String, String)>,
}

#[derive(Deserialize)]
pub(crate) struct Question {
    corpus: String,
    r#type: String,
    pub(crate) text: String,
    pub(crate) gold_turns: Vec<String>,
    gold_sessions: Vec<String>,
    #[serde(default)]
    pub(crate) fresh: Vec<String>,
    #[serde(default)]
    pub(crate) stale: Vec<String>,
    #[serde(default)]
    sides: Vec<Vec<String>>,
}

/// Whether any, whether all, and one through the rank of the first, summed over questions.
#[derive(Default, Clone)]
struct Ranks {
    questions: usize,
    any: [usize; DEPTHS.len()],
    all: [usize; DEPTHS.len()],
    first: f64,
}

impl Ranks {
    fn add(&mut self, found: &[&str], gold: &[String]) {
        self.questions += 1;
        for (at, depth) in DEPTHS.iter().enumerate() {
            let top = &found[..found.len().min(*depth)];
            self.any[at] += usize::from(gold.iter().any(|gold| top.contains(&gold.as_str())));
            self.all[at] += usize::from(gold.iter().all(|gold| top.contains(&gold.as_str())));
        }
        if let Some(rank) = rank(found, gold) {
            self.first += 1.0 / (as_f64(rank) + 1.0);
        }
    }

    fn any_at(&self, depth: usize) -> Value {
        self.figure(&self.any, depth)
    }

    fn all_at(&self, depth: usize) -> Value {
        self.figure(&self.all, depth)
    }

    fn figure(&self, counts: &[usize; DEPTHS.len()], depth: usize) -> Value {
        let count = DEPTHS.iter().position(|there| *there == depth).map(|at| counts[at]);
        count.map_or(Value::Null, |count| share(as_f64(count), self.questions))
    }

    fn print(&self, name: &str) {
        if self.questions > 0 {
            let part = |count: &usize| format!(" {:>5.3}", as_f64(*count) / as_f64(self.questions));
            let (any, all): (String, String) =
                (self.any.iter().map(part).collect(), self.all.iter().map(part).collect());
            let first = self.first / as_f64(self.questions);
            println!("  {name:<28} {:>5}  {any}  {all}  {first:>5.3}", self.questions);
        }
    }
}

pub(crate) fn rank(found: &[&str], gold: &[String]) -> Option<usize> {
    found.iter().position(|id| gold.iter().any(|gold| gold == id))
}

#[expect(clippy::cast_precision_loss, reason = "counts of a test set")]
pub(crate) fn as_f64(count: usize) -> f64 {
    count as f64
}

/// A share of questions; null where there are none.
pub(crate) fn share(part: f64, whole: usize) -> Value {
    if whole == 0 { Value::Null } else { json!((part / as_f64(whole) * 1e6).round() / 1e6) }
}

fn measure(folder: &Path, measured: Measured) -> Result<Value> {
    let (sessions, corpora, questions) = read(folder)?;
    let mut turns: BTreeMap<String, Ranks> = BTreeMap::new();
    let mut whole: BTreeMap<String, Ranks> = BTreeMap::new();
    let (mut fresh, mut both, mut times) = ((0, 0), (0, 0), Vec::new());
    for corpus in &corpora {
        let Some(questions) = questions.get(&corpus.id) else { continue };
        let home = tempfile::tempdir()?;
        let filled = Filled::new(measured, home.path(), corpus, &sessions)?;
        for question in questions {
            let (found, time) = filled.ask(&question.text)?;
            times.push(time);
            let ids: Vec<&str> = found.iter().map(|(turn, _)| *turn).collect();
            let mut order: Vec<&str> = Vec::new();
            for (_, session) in &found {
                if !order.contains(session) {
                    order.push(session);
                }
            }
            if !question.gold_turns.is_empty() {
                turns.entry(question.r#type.clone()).or_default().add(&ids, &question.gold_turns);
                turns.entry("~all".into()).or_default().add(&ids, &question.gold_turns);
            }
            if !question.gold_sessions.is_empty() {
                whole.entry(question.r#type.clone()).or_default().add(&order, &question.gold_sessions);
                whole.entry("~all".into()).or_default().add(&order, &question.gold_sessions);
            }
            if !question.fresh.is_empty() && !question.stale.is_empty() {
                fresh.1 += 1;
                let (new, old) = (rank(&ids, &question.fresh), rank(&ids, &question.stale));
                fresh.0 += usize::from(new.is_some_and(|new| old.is_none_or(|old| new < old)));
            }
            if !question.sides.is_empty() {
                both.1 += 1;
                let top = &ids[..ids.len().min(10)];
                both.0 += usize::from(question.sides.iter().all(|side| rank(top, side).is_some()));
            }
        }
    }

    print("turns", &turns);
    print("sessions", &whole);
    times.sort();
    let p50 = times.get(times.len() / 2).copied().unwrap_or_default();
    let turn = turns.remove("~all").unwrap_or_default();
    let session = whole.remove("~all").unwrap_or_default();
    println!("  fresh before stale {}/{}, both sides in ten {}/{}", fresh.0, fresh.1, both.0, both.1);
    println!("  {} questions, p50 of a search {p50:?}\n", times.len());
    Ok(json!({
        "turn_any@5": turn.any_at(5),
        "turn_any@10": turn.any_at(10),
        "turn_mrr": share(turn.first, turn.questions),
        "session_any@5": session.any_at(5),
        "session_any@10": session.any_at(10),
        "session_all@5": session.all_at(5),
        "session_mrr": share(session.first, session.questions),
        "fresh_first": share(as_f64(fresh.0), fresh.1),
        "both_sides@10": share(as_f64(both.0), both.1),
        "questions": times.len(),
        "p50_us": u64::try_from(p50.as_micros()).unwrap_or(u64::MAX),
    }))
}

fn print(what: &str, ranks: &BTreeMap<String, Ranks>) {
    if ranks.is_empty() {
        return;
    }
    let depths = |name: &str| {
        DEPTHS.iter().map(|depth| format!(" {:>5}", format!("{name}{depth}"))).collect::<String>()
    };
    println!("  {what:<28} {:>5}  {}  {}  {:>5}", "n", depths("any@"), depths("all@"), "mrr");
    for (name, ranks) in ranks {
        ranks.print(name.trim_start_matches('~'));
    }
}

/// A store that holds a corpus.
pub(crate) struct Filled<'a> {
    store: Box<dyn MemoryStore>,
    access: Access,
    /// By id of the row: turn and session.
    places: HashMap<i64, (&'a str, &'a str)>,
}

impl<'a> Filled<'a> {
    pub(crate) fn new(
        measured: Measured,
        home: &Path,
        corpus: &'a Corpus,
        sessions: &'a HashMap<String, Session>,
    ) -> Result<Self> {
        let access = Access::new(SessionKind::Main, Actor::Library, scope());
        let store = open_store(measured, home)?;
        let mut places = HashMap::new();
        for said in spoken(corpus, sessions)? {
            let row = store.write(&access, &said.row("observation"), said.at)?;
            places.insert(row.get(), (said.turn, said.session));
        }
        Ok(Self { store, access, places })
    }

    /// Opens the same store again, to measure it otherwise.
    pub(crate) fn again(self, measured: Measured, home: &Path) -> Result<Self> {
        let Self { store, access, places } = self;
        drop(store);
        Ok(Self { store: open_store(measured, home)?, access, places })
    }

    fn ask(&self, text: &str) -> Result<(Vec<(&'a str, &'a str)>, Duration)> {
        let begun = Instant::now();
        self.store.search(&self.access, &Query::new(text))?;
        let time = begun.elapsed();
        Ok((self.find(text, ASKED_FOR)?, time))
    }

    /// Returns the turns that are found, each with its session.
    pub(crate) fn find(&self, text: &str, most: usize) -> Result<Vec<(&'a str, &'a str)>> {
        let found = self.store.search(&self.access, &Query::new(text).limit(most))?;
        let mut seen = BTreeSet::new();
        let places = found.hits.iter().filter_map(|hit| self.places.get(&hit.memory.id.get()).copied());
        Ok(places.filter(|(turn, _)| seen.insert(*turn)).collect())
    }
}

fn scope() -> Scope {
    Scope::user("evaluation")
}

fn open_store(measured: Measured, home: &Path) -> Result<Box<dyn MemoryStore>> {
    // What people said to each other must come in as it is: a made-up key in it is no secret.
    let mut config = StoreConfig::default();
    config.doors = Doors::default()
        .policy(Door::StoreWrite, DoorPolicy::new(SecretPolicy::Allow, InjectionPolicy::Allow));
    config.ranking = measured.ranking;
    Ok(if measured.in_a_file {
        Box::new(FileMemoryStore::open_with(home, scope(), config)?)
    } else {
        Box::new(SqliteMemoryStore::open_with(home.join("memory.db"), scope(), config)?)
    })
}

/// The content of a folder: sessions by id, corpora, and the questions of each.
pub(crate) type Set = (HashMap<String, Session>, Vec<Corpus>, BTreeMap<String, Vec<Question>>);

/// Reads a folder.
pub(crate) fn read(folder: &Path) -> Result<Set> {
    let sessions = BufReader::new(GzDecoder::new(open(&folder.join("sessions.jsonl.gz"))?));
    let sessions = read_lines::<Session>(sessions)?.into_iter().map(|session| (session.id.clone(), session));
    let corpora = read_lines(BufReader::new(open(&folder.join("corpora.jsonl"))?))?;
    let mut questions: BTreeMap<String, Vec<Question>> = BTreeMap::new();
    for question in read_lines::<Question>(BufReader::new(open(&folder.join("questions.jsonl"))?))? {
        questions.entry(question.corpus.clone()).or_default().push(question);
    }
    Ok((sessions.collect(), corpora, questions))
}

/// A turn, or a part of one that a row holds.
pub(crate) struct Said<'a> {
    pub(crate) turn: &'a str,
    session: &'a str,
    pub(crate) text: &'a str,
    pub(crate) at: DateTime<Utc>,
    pub(crate) is_users: bool,
    place: Place,
}

impl Said<'_> {
    pub(crate) fn row(&self, category: &str) -> NewMemory {
        NewMemory::new(category, self.text, Source::ChatExtracted).at(self.place.clone())
    }
}

/// The turns of a corpus in their order.
pub(crate) fn spoken<'a>(
    corpus: &'a Corpus,
    sessions: &'a HashMap<String, Session>,
) -> Result<Vec<Said<'a>>> {
    let (mut spoken, mut at) = (Vec::new(), DateTime::UNIX_EPOCH);
    for (id, date) in &corpus.sessions {
        let session = sessions.get(id).ok_or_else(|| format!("no session {id}"))?;
        let said_at = NaiveDateTime::parse_from_str(date, "%Y-%m-%d %H:%M").ok().map(|date| date.and_utc());
        at = said_at.unwrap_or(at + TimeDelta::days(1));
        for (position, turn) in (0..).zip(&session.turns) {
            let is_users = turn.role == "user";
            let place = Place {
                session: session.id.clone(),
                position,
                role: if is_users { Role::User } else { Role::Agent },
                speaker: Some(turn.speaker.clone()),
                said_at,
            };
            let text = if turn.text.trim().is_empty() { "(nothing)" } else { &turn.text };
            spoken.extend(parts(text).into_iter().map(|text| Said {
                turn: &turn.id,
                session: &session.id,
                text,
                at,
                is_users,
                place: place.clone(),
            }));
        }
    }
    Ok(spoken)
}

/// A text in pieces that a row holds.
fn parts(text: &str) -> Vec<&str> {
    const LONGEST: usize = 15 * 1024;
    let (mut parts, mut rest) = (Vec::new(), text);
    while rest.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        parts.push(part);
        rest = behind;
    }
    parts.push(rest);
    parts
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| {
        format!(
            "cannot read {}: {error}; the data sets are public, and not a part of this repository",
            path.display()
        )
        .into()
    })
}

fn read_lines<T: serde::de::DeserializeOwned>(reader: impl BufRead) -> Result<Vec<T>> {
    let mut read = Vec::new();
    for line in reader.lines() {
        let line = line?;
        if !line.trim().is_empty() {
            read.push(serde_json::from_str(&line)?);
        }
    }
    Ok(read)
}
