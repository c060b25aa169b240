//! How well a memory store gives the newer of two statements, once the pairs that it suspects were judged.
//!
//! The judge answers from the labels, so that what is measured is the library: whether the pairs are found, shown,
//! decided on and kept apart afterwards.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;
use noctuary::dream::FactDreamer;
use noctuary::facts::FactStore;
use noctuary::gate::{Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
use noctuary::memory::Query;
use noctuary::store::StoreConfig;
use noctuary::{
    Access, Actor, FileMemoryStore, FileWorkspace, LlmReply, LlmRequest, MemoryStore, Scope, SessionKind,
    SqliteMemoryStore, dream_once_at, llm_fn,
};
use serde_json::{Map, Value, json};

use super::Result;
use super::retrieval::{ASKED_FOR, Corpus, Question, Session, read, spoken};
use super::tally::{as_f64, rank, share};

/// Measures each folder, prints its figures, and writes them.
pub(crate) fn run(arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut folders, mut json, mut in_a_file) = (Vec::new(), None, false);
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = Some(PathBuf::from(arguments.next().ok_or("--json needs a path")?)),
            "--file" => in_a_file = true,
            folder => folders.push(PathBuf::from(folder)),
        }
    }
    if folders.is_empty() {
        return Err("a folder with questions is needed".into());
    }
    let mut all = Map::new();
    for folder in folders {
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        println!("{name}");
        all.insert(name, measure(&folder, in_a_file)?);
    }
    if let Some(path) = json {
        fs::write(path, serde_json::to_string_pretty(&all)? + "\n")?;
    }
    Ok(())
}

#[derive(Default)]
struct Counts {
    questions: usize,
    before: usize,
    after: usize,
    suspected: usize,
    pairs: u32,
    calls: u32,
}

fn measure(folder: &Path, in_a_file: bool) -> Result<Value> {
    let (sessions, corpora, mut questions) = read(folder)?;
    let mut counts = Counts::default();
    for corpus in &corpora {
        let mut questions = questions.remove(&corpus.id).unwrap_or_default();
        questions.retain(|question| !question.fresh.is_empty() && !question.stale.is_empty());
        if !questions.is_empty() {
            Judged::new(in_a_file, corpus, &sessions)?.measure(&questions, &mut counts)?;
        }
    }
    let Counts { questions, before, after, suspected, pairs, calls } = counts;
    println!("  fresh before stale: {before}/{questions} before judging, {after}/{questions} after");
    println!("  suspected: {suspected}/{questions}; {pairs} pairs were asked about in {calls} calls\n");
    Ok(json!({
        "questions": questions,
        "fresh_first_before": share(as_f64(before), questions),
        "fresh_first": share(as_f64(after), questions),
        "suspected": share(as_f64(suspected), questions),
        "pairs": pairs,
        "calls": calls,
    }))
}

/// A store of both kinds.
trait Facts: MemoryStore + FactStore {}

impl<S: MemoryStore + FactStore> Facts for S {}

/// A store that holds a corpus: what the user said as facts, the rest as it is.
struct Judged<'a> {
    home: tempfile::TempDir,
    store: Arc<dyn Facts>,
    access: Access,
    /// By id of the row.
    turns: HashMap<i64, &'a str>,
    /// By text, as a judge is shown it.
    texts: HashMap<String, &'a str>,
}

impl<'a> Judged<'a> {
    fn new(in_a_file: bool, corpus: &'a Corpus, sessions: &'a HashMap<String, Session>) -> Result<Self> {
        let home = tempfile::tempdir()?;
        let scope = Scope::user("evaluation");
        let access = Access::new(SessionKind::Main, Actor::Library, scope.clone());
        let mut config = StoreConfig::default();
        config.doors = doors();
        config.facts.consolidation = true;
        config.facts.max_retired_a_day = u32::MAX;
        let store: Arc<dyn Facts> = if in_a_file {
            Arc::new(FileMemoryStore::open_with(home.path(), scope, config)?)
        } else {
            Arc::new(SqliteMemoryStore::open_with(home.path().join("memory.db"), scope, config)?)
        };
        let (mut turns, mut texts) = (HashMap::new(), HashMap::new());
        for said in spoken(corpus, sessions)? {
            let id = if said.is_users {
                store.record(&access, &said.row("fact"), said.at)?.id
            } else {
                store.write(&access, &said.row("observation"), said.at)?
            };
            turns.insert(id.get(), said.turn);
            texts.insert(shown(said.text), said.turn);
        }
        Ok(Self { home, store, access, turns, texts })
    }

    fn measure(&self, questions: &[Question], counts: &mut Counts) -> Result<()> {
        counts.questions += questions.len();
        for question in questions {
            counts.before += usize::from(self.is_fresh_first(question)?);
        }
        let replaces: HashSet<(&str, &str)> = questions
            .iter()
            .flat_map(|question| {
                question
                    .stale
                    .iter()
                    .flat_map(|old| question.fresh.iter().map(|new| (old.as_str(), new.as_str())))
            })
            .collect();
        let seen = Cell::new(0);
        let suspected = std::cell::RefCell::new(HashSet::new());
        let judge = |request: &LlmRequest| {
            let sides: Vec<&str> = request
                .user
                .lines()
                .filter(|line| line.starts_with('P'))
                .filter_map(|line| line.split_once("| "))
                .map(|(_, text)| text)
                .collect();
            let turn = |text: &str| self.texts.get(text).copied().unwrap_or_default();
            let mut answer = String::new();
            for (pair, sides) in sides.chunks(2).enumerate() {
                let (old, new) = (turn(sides[0]), turn(sides[1]));
                let is_replaced = replaces.contains(&(old, new));
                if is_replaced {
                    suspected.borrow_mut().insert((old.to_owned(), new.to_owned()));
                }
                seen.set(seen.get() + 1);
                answer.push_str(&format!(
                    "P{} {}\n",
                    pair + 1,
                    if is_replaced { "supersede" } else { "coexist" }
                ));
            }
            Ok(LlmReply::new(answer))
        };
        let workspace = Arc::new(FileWorkspace::open(self.home.path())?);
        let scope = self.access.scope.clone();
        let dreamer = FactDreamer::builder(workspace, self.store.clone(), scope)
            .enabled(true)
            .doors(doors())
            .configure(|config| {
                config.pace.interval = Duration::ZERO;
                config.pace.request_bytes = 1 << 20;
                config.pace.max_passes = u32::MAX;
                (config.pace.budget.max_calls_per_day, config.pace.budget.max_bytes_per_day) = (None, None);
            })
            .build()?;
        let report = dream_once_at(&dreamer, &llm_fn(judge), &|| DateTime::UNIX_EPOCH)?;
        counts.calls += report.calls;
        counts.pairs += seen.get();
        let suspected = suspected.into_inner();
        for question in questions {
            counts.after += usize::from(self.is_fresh_first(question)?);
            let is_known = question.stale.iter().any(|old| suspected.iter().any(|(known, _)| known == old));
            counts.suspected += usize::from(is_known);
        }
        Ok(())
    }

    /// Whether a question is answered by the newer statement before the older one.
    fn is_fresh_first(&self, question: &Question) -> Result<bool> {
        let found = self.store.search(&self.access, &Query::new(&question.text).limit(ASKED_FOR))?;
        let turns: Vec<&str> =
            found.hits.iter().filter_map(|hit| self.turns.get(&hit.memory.id.get()).copied()).collect();
        let (new, old) = (rank(&turns, &question.fresh), rank(&turns, &question.stale));
        Ok(new.is_some_and(|new| old.is_none_or(|old| new < old)))
    }
}

/// Talk between people is shown and kept as it is: a made-up key in it is no secret.
fn doors() -> Doors {
    let open = DoorPolicy::new(SecretPolicy::Allow, InjectionPolicy::Allow);
    Doors::default().policy(Door::StoreWrite, open).policy(Door::DreamRequest, open)
}

/// A text as it stands in a request.
fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') { ' ' } else { c })
        .collect()
}
