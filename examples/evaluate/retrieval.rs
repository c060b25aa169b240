//! How well a memory store finds what a question asks for.

#[path = "retrieval/year.rs"]
pub(crate) mod year;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use flate2::read::GzDecoder;
use noctuary::gate::{Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
use noctuary::memory::{Found, Hit, NewMemory, Place, Query, Role, Source};
use noctuary::search::{Fusion, Ranking};
use noctuary::store::StoreConfig;
use noctuary::{Access, Actor, FileMemoryStore, MemoryStore, Scope, SessionKind, SqliteMemoryStore};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::meaning::{Arguments, Meaning, Modes};
use super::tally::Tally;
use super::{Result, weights};

/// So many turns are asked for: enough for twenty sessions.
pub(crate) const ASKED_FOR: usize = 200;

/// Measures each folder, prints its tables, and writes the figures.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut folders, mut json, mut measured) = (Vec::new(), None, Measured::default());
    let (mut leaves_one_out, mut meaning) = (false, Arguments::default());
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = Some(PathBuf::from(arguments.next().ok_or("--json needs a path")?)),
            "--file" => measured.home = Kept::File,
            "--postgres" => {
                let url = arguments.next().ok_or("--postgres needs a URL")?;
                measured.home = Kept::Server(Box::leak(url.into_boxed_str()));
            }
            "--leave-one-out" => leaves_one_out = true,
            "--freshness" => {
                measured.ranking.freshness = arguments.next().ok_or("--freshness needs a number")?.parse()?;
            }
            "--ranks" => measured.ranking.fusion = Fusion::Ranks { k: 60.0 },
            _ if meaning.take(&argument, &mut arguments)? => {}
            folder => folders.push(PathBuf::from(folder)),
        }
    }
    if folders.is_empty() {
        return Err("a folder with questions is needed".into());
    }
    let meaning = meaning.open()?;
    if meaning.is_some() && measured.home != Kept::Sqlite {
        return Err("--embedder is measured in SQLite, without --file and --postgres".into());
    }
    let figures = if leaves_one_out {
        weights::leave_one_out(&folders, measured)?
    } else {
        let mut all = Map::new();
        for folder in folders {
            println!("{}", name_of(&folder));
            all.insert(name_of(&folder), measure(&folder, measured, meaning.as_ref())?);
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

/// The place of the rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kept {
    #[default]
    Sqlite,
    File,
    /// On the server of a URL.
    Server(&'static str),
}

/// The store to measure, with its defaults unless options change them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measured {
    pub(crate) home: Kept,
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
    pub(crate) r#type: String,
    pub(crate) text: String,
    pub(crate) gold_turns: Vec<String>,
    pub(crate) gold_sessions: Vec<String>,
    #[serde(default)]
    pub(crate) fresh: Vec<String>,
    #[serde(default)]
    pub(crate) stale: Vec<String>,
    #[serde(default)]
    pub(crate) sides: Vec<Vec<String>>,
}

/// Measures a folder; on a server, beside SQLite.
fn measure(folder: &Path, measured: Measured, meaning: Option<&Meaning>) -> Result<Value> {
    if measured.home == Kept::Sqlite || measured.home == Kept::File {
        return measure_one(folder, measured, meaning);
    }
    println!("in SQLite");
    let beside = measure_one(folder, Measured { home: Kept::Sqlite, ..measured }, None)?;
    println!("on the server");
    let figures = measure_one(folder, measured, None)?;
    let most = furthest(&beside, &figures);
    println!("The greatest difference of a share is {most:.4}.\n");
    Ok(serde_json::json!({ "sqlite": beside, "server": figures, "greatest_difference": most }))
}

/// Returns by how much two tables differ at most, in shares; times are left out.
fn furthest(one: &Value, other: &Value) -> f64 {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let shares = one.iter().filter(|(key, _)| !key.ends_with("_ms") && !key.ends_with("_us"));
            shares.map(|(key, value)| furthest(value, &other[key])).fold(0.0, f64::max)
        }
        (Value::Number(one), Value::Number(other)) => {
            (one.as_f64().unwrap_or(0.0) - other.as_f64().unwrap_or(0.0)).abs()
        }
        _ => 0.0,
    }
}

fn measure_one(folder: &Path, measured: Measured, meaning: Option<&Meaning>) -> Result<Value> {
    let (sessions, corpora, questions) = read(folder)?;
    let mut words = Tally::default();
    let mut others = meaning.map(Modes::new);
    for corpus in &corpora {
        let Some(questions) = questions.get(&corpus.id) else { continue };
        let home = tempfile::tempdir()?;
        let filled = Filled::new(measured, home.path(), corpus, &sessions)?;
        if let Some(modes) = &mut others {
            modes.open(&filled, measured, home.path())?;
        }
        for question in questions {
            let (found, time) = filled.ask(&question.text)?;
            if let Some(modes) = &mut others {
                modes.ask(question, &found)?;
            }
            words.add(question, &found, time);
        }
        leave(measured, home.path())?;
    }
    let mut figures = words.figures();
    figures["corpora"] = corpora.iter().filter(|corpus| questions.contains_key(&corpus.id)).count().into();
    if let Some(modes) = others {
        modes.figures(&mut figures);
    }
    Ok(figures)
}

/// A store that holds a corpus.
pub(crate) struct Filled<'a> {
    store: Box<dyn MemoryStore>,
    access: Access,
    places: Rc<Places<'a>>,
}

/// Turn and session, by the id of a row.
type Places<'a> = HashMap<i64, (&'a str, &'a str)>;

impl<'a> Filled<'a> {
    pub(crate) fn new(
        measured: Measured,
        home: &Path,
        corpus: &'a Corpus,
        sessions: &'a HashMap<String, Session>,
    ) -> Result<Self> {
        let access = Access::new(SessionKind::Main, Actor::Library, scope_in(measured, home));
        let store = open_store(measured, home)?;
        let mut places = HashMap::new();
        for said in spoken(corpus, sessions)? {
            let row = store.write(&access, &said.row("observation"), said.at)?;
            places.insert(row.get(), (said.turn, said.session));
        }
        Ok(Self { store, access, places: Rc::new(places) })
    }

    /// Opens the same store again, to measure it otherwise.
    pub(crate) fn again(self, measured: Measured, home: &Path) -> Result<Self> {
        let Self { store, access, places } = self;
        drop(store);
        Ok(Self { store: open_store(measured, home)?, access, places })
    }

    /// Returns the same rows behind another store.
    pub(crate) fn behind(&self, store: Box<dyn MemoryStore>) -> Self {
        Self { store, access: self.access.clone(), places: Rc::clone(&self.places) }
    }

    pub(crate) fn ask(&self, text: &str) -> Result<(Vec<(&'a str, &'a str)>, Duration)> {
        let begun = Instant::now();
        self.store.search(&self.access, &Query::new(text))?;
        let time = begun.elapsed();
        Ok((self.find(text, ASKED_FOR)?, time))
    }

    /// Returns the turns that are found, each with its session.
    pub(crate) fn find(&self, text: &str, most: usize) -> Result<Vec<(&'a str, &'a str)>> {
        Ok(self.turns(&self.hits(text, most)?.hits))
    }

    /// Returns what the store finds.
    pub(crate) fn hits(&self, text: &str, most: usize) -> Result<Found> {
        Ok(self.store.search(&self.access, &Query::new(text).limit(most))?)
    }

    /// Returns the turns of some hits, each with its session.
    pub(crate) fn turns<'b>(&self, hits: impl IntoIterator<Item = &'b Hit>) -> Vec<(&'a str, &'a str)> {
        let mut seen = BTreeSet::new();
        let places = hits.into_iter().filter_map(|hit| self.places.get(&hit.memory.id.get()).copied());
        places.filter(|(turn, _)| seen.insert(*turn)).collect()
    }
}

pub(crate) fn scope() -> Scope {
    Scope::user("evaluation")
}

/// The life of a corpus: on a server each has its own, by the name of the folder that it has meanwhile.
fn scope_in(measured: Measured, home: &Path) -> Scope {
    let name = home.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let agent = if matches!(measured.home, Kept::Server(_)) { name } else { String::new() };
    Scope { agent, ..scope() }
}

fn open_store(measured: Measured, home: &Path) -> Result<Box<dyn MemoryStore>> {
    let config = config(measured);
    Ok(match measured.home {
        Kept::File => Box::new(FileMemoryStore::open_with(home, scope(), config)?),
        Kept::Sqlite => Box::new(SqliteMemoryStore::open_with(file(home), scope(), config)?),
        #[cfg(feature = "postgres")]
        Kept::Server(url) => Box::new(server(url)?.memory_with(scope_in(measured, home), config)?),
        #[cfg(not(feature = "postgres"))]
        Kept::Server(_) => return Err("--postgres needs the feature \"postgres\"".into()),
    })
}

#[cfg(feature = "postgres")]
fn server(url: &str) -> Result<noctuary::postgres::Postgres> {
    let mut settings = noctuary::postgres::PostgresConfig::default();
    "noctuary_evaluate".clone_into(&mut settings.schema);
    let server = noctuary::postgres::Postgres::connect_with(url, settings)?;
    server.migrate()?;
    Ok(server)
}

/// Takes the life of a corpus off a server.
#[cfg_attr(not(feature = "postgres"), expect(clippy::unnecessary_wraps, reason = "a server may fail"))]
fn leave(measured: Measured, home: &Path) -> Result<()> {
    #[cfg(feature = "postgres")]
    if let Kept::Server(url) = measured.home {
        let scope = scope_in(measured, home);
        server(url)?.workspace(scope.clone())?.erase(&Access::human(scope))?;
    }
    let _ = (measured, home);
    Ok(())
}

/// The database of a corpus.
pub(crate) fn file(home: &Path) -> PathBuf {
    home.join("memory.db")
}

pub(crate) fn config(measured: Measured) -> StoreConfig {
    // What people said to each other must come in as it is: a made-up key in it is no secret.
    let mut config = StoreConfig::default();
    config.doors = Doors::default()
        .policy(Door::StoreWrite, DoorPolicy::new(SecretPolicy::Allow, InjectionPolicy::Allow));
    config.ranking = measured.ranking;
    config
}

/// The content of a folder: sessions by id, corpora, and the questions of each.
pub(crate) type Set = (HashMap<String, Session>, Vec<Corpus>, BTreeMap<String, Vec<Question>>);

/// Reads a folder.
pub(crate) fn read(folder: &Path) -> Result<Set> {
    if year::is_here(folder) {
        return year::read(folder);
    }
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
    pub(crate) session: &'a str,
    pub(crate) text: &'a str,
    /// The text of the whole turn.
    pub(crate) whole: &'a str,
    pub(crate) speaker: &'a str,
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
            let whole = if turn.text.trim().is_empty() { "(nothing)" } else { &turn.text };
            spoken.extend(parts(whole).into_iter().map(|text| Said {
                turn: &turn.id,
                session: &session.id,
                text,
                whole,
                speaker: &turn.speaker,
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
