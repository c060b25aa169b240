//! Kill -9 at random, over filling and swapping generations of vectors, in both stores and in an index.
//!
//! ```text
//! NOCTUARY_VECTOR_KILLS=2000 cargo test --release -p noctuary-tests --test sweeps killed_passes -- --include-ignored --nocapture
//! ```
//!
//! `NOCTUARY_VECTOR_HOME` is one of `file`, `sqlite` and `index`, and leaves the others out.

use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use noctuary::memory::{Filter, MemoryId, NewMemory, Query, SearchOutcome, Signal, Source};
use noctuary::testing::HashEmbedder;
use noctuary::vectors::{
    EmbedConfig, EmbedReport, Embedder, EmbeddingStatus, Purpose, VectorStore, embed_once,
};
use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};

use super::kit::{Score, add, end, read, scratch, start};
use noctuary_tests::common::dice::Dice;

/// So many kills in an ordinary run, over all homes.
const KILLS: u64 = 42;
/// So many of them in one life.
const OF_A_LIFE: u64 = 6;
/// More rows than these are not written.
const ROWS: usize = 60;

const HOMES: [&str; 3] = ["file", "sqlite", "index"];

/// A home of texts with vectors.
trait Home {
    fn vectors(&self) -> &dyn VectorStore;

    /// Adds a text, changes one, or removes one.
    fn change(&self, chance: &mut Dice);

    /// Returns all texts; of each how it is found by its own vector: `None` where it waits, else whether nothing is nearer.
    fn own(&self, model: &HashEmbedder) -> Vec<(String, Option<bool>)>;
}

fn marta() -> Access {
    Access::agent(Scope::user("marta"))
}

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

/// Another number is another generation, with other vectors of the same text.
fn model(number: u64) -> HashEmbedder {
    HashEmbedder::new(64).named(&format!("hash-{number}"))
}

/// A text that no other is like.
fn text(chance: &mut Dice) -> String {
    let mut word =
        || -> String { (0..8).map(|_| char::from(b"bcdfghjklmnprtvw"[chance.below(16)])).collect() };
    format!("{} beside {} under {}", word(), word(), word())
}

fn numbers(model: &HashEmbedder, text: &str) -> Vec<f32> {
    model.embed(&[text], Purpose::Query).unwrap().remove(0)
}

impl<S: MemoryStore + VectorStore> Home for S {
    fn vectors(&self) -> &dyn VectorStore {
        self
    }

    fn change(&self, chance: &mut Dice) {
        let rows = self.list(&marta(), &Filter::limit(1000)).unwrap();
        let any = |chance: &mut Dice| -> Option<MemoryId> {
            (!rows.is_empty()).then(|| rows[chance.below(rows.len())].id)
        };
        match (chance.below(6), any(chance)) {
            (0, Some(id)) => drop(self.update(&marta(), id, &text(chance), now()).unwrap()),
            (1, Some(id)) => drop(self.delete(&marta(), id, now()).unwrap()),
            (2, Some(_)) => drop(self.purge(Utc::now(), Utc::now()).unwrap()),
            _ if rows.len() < ROWS => {
                let row = NewMemory::new("note", text(chance), Source::AgentRecorded);
                self.write(&marta(), &row, now()).unwrap();
            }
            _ => {}
        }
    }

    fn own(&self, model: &HashEmbedder) -> Vec<(String, Option<bool>)> {
        let rows = self.list(&marta(), &Filter::limit(1000)).unwrap();
        let own = |row: noctuary::memory::Memory| {
            let numbers = numbers(model, &row.content);
            let query = Query::new(row.content.as_str()).vector(model.id(), numbers).limit(500);
            let found = self.search(&marta(), &query).unwrap();
            assert!(!matches!(found.outcome, SearchOutcome::Degraded(_)), "{:?}", found.outcome);
            let hit = found.hits.iter().find(|hit| hit.memory.id == row.id).unwrap();
            let rank = hit.why.iter().find(|(signal, _)| *signal == Signal::Meaning);
            (row.content, rank.map(|(_, rank)| *rank == 1))
        };
        rows.into_iter().map(own).collect()
    }
}

mod index {
    use noctuary::life::Indexed;
    use noctuary::memory::QueryVector;
    use noctuary::workspace::WorkspaceExt;
    use noctuary::{DocName, FileWorkspace, SqliteIndex, Workspace, WriteMode};

    use super::*;

    /// Documents in a folder, and their chunks in a database.
    pub(super) struct Documents {
        workspace: Indexed<FileWorkspace>,
        index: SqliteIndex,
    }

    impl Documents {
        pub(super) fn open(folder: &Path) -> Self {
            let index = SqliteIndex::open(folder.join("index.db"), Scope::user("marta")).unwrap();
            let workspace = FileWorkspace::open(folder.join("life")).unwrap();
            let workspace = Indexed::new(workspace, index.clone());
            workspace.sync(Utc::now()).unwrap();
            Self { workspace, index }
        }

        fn texts(&self) -> Vec<(DocName, String)> {
            let read = |number: usize| {
                let name = DocName::parse(format!("memory/{number}.md")).unwrap();
                let text = self.workspace.read_text(&name).unwrap()?;
                Some((name, text))
            };
            (0..ROWS).filter_map(read).collect()
        }
    }

    impl Home for Documents {
        fn vectors(&self) -> &dyn VectorStore {
            &self.index
        }

        fn change(&self, chance: &mut Dice) {
            let name = DocName::parse(format!("memory/{}.md", chance.below(ROWS as u64))).unwrap();
            if chance.one_in(5) {
                self.workspace.remove(&name).unwrap();
            } else {
                let text = text(chance) + "\n";
                self.workspace.write(&name, text.as_bytes(), WriteMode::Replace).unwrap();
            }
        }

        fn own(&self, model: &HashEmbedder) -> Vec<(String, Option<bool>)> {
            let own = |(name, text): (DocName, String)| {
                let near = QueryVector::new(model.id(), numbers(model, &text));
                let found = self.workspace.search_near(&marta(), &text, &near, 500).unwrap();
                assert!(!matches!(found.outcome, SearchOutcome::Degraded(_)), "{:?}", found.outcome);
                let all = format!("{name} is not among {found:?} for {text}");
                let found = found.results.into_iter().find(|found| found.path == name).expect(&all);
                (text, found.vector_score.map(|score| score > 0.99))
            };
            self.texts().into_iter().map(own).collect()
        }
    }
}

fn open(home: &str, folder: &Path) -> Box<dyn Home> {
    match home {
        "sqlite" => {
            let store = noctuary::SqliteMemoryStore::open(folder.join("memory.db"), Scope::user("marta"));
            Box::new(store.unwrap())
        }
        "index" => Box::new(index::Documents::open(folder)),
        _ => Box::new(FileMemoryStore::open(folder.join("life"), Scope::user("marta")).unwrap()),
    }
}

/// Changes texts and fills the generation of a model, a few at a time, until it is killed.
pub(crate) fn child(folder: &Path, words: &[&str]) {
    let (home, seed, number) = (words[0], words[1].parse().unwrap(), words[2].parse().unwrap());
    let (mut chance, model) = (Dice(seed), model(number));
    let home = open(home, folder);
    loop {
        for _ in 0..chance.below(4) {
            home.change(&mut chance);
        }
        let config =
            EmbedConfig::default().texts(1 + chance.below(9)).requests(1 + u32::from(chance.one_in(2)) * 40);
        let report = embed_once(home.vectors(), &model, &config).unwrap();
        add(&folder.join("passes"), if report.serves { b"S" } else { b"p" });
    }
}

/// Looks at a home whose process was killed; returns whether a generation was half filled there.
fn check(home: &dyn Home, number: u64, ends: bool) -> Result<bool, String> {
    let status = |number| -> EmbeddingStatus { home.vectors().embedding_status(model(number).id()).unwrap() };
    let before = status(number);
    let serving = (0..=number).find(|number| before.serving == Some(model(*number).id().generation()));
    if serving.is_none() && before.serving.is_some() {
        return Err(format!("{:?} serves, which nobody filled", before.serving));
    }
    let is_half = before.pending > 0 && before.embedded > 0;
    if let Some(serving) = serving {
        let standing = status(serving);
        // With fewer, a search goes by words and says so.
        if standing.pending * 10 <= standing.embedded + standing.pending {
            alike(home, serving, standing.pending)?;
        }
    }
    if !ends {
        return Ok(is_half);
    }
    let EmbedReport { embedded, serves, status: after, .. } =
        embed_once(home.vectors(), &model(number), &EmbedConfig::default()).unwrap();
    if embedded != before.pending + before.failed {
        return Err(format!("{embedded} were sent again of {before:?}"));
    }
    if !serves || after.pending > 0 || after.generations != [model(number).id().generation()] {
        return Err(format!("it does not end: {after:?}"));
    }
    alike(home, number, 0)?;
    Ok(is_half)
}

/// Compares the vectors that serve with those that the model makes of the texts as they are.
fn alike(home: &dyn Home, number: u64, waiting: u64) -> Result<(), String> {
    let mut waits = 0;
    for (text, own) in home.own(&model(number)) {
        match own {
            Some(true) => {}
            Some(false) => return Err(format!("not the vector of generation {number}: {text}")),
            None => waits += 1,
        }
    }
    if waits == waiting { Ok(()) } else { Err(format!("{waits} wait, and not {waiting}")) }
}

pub(crate) fn run() -> bool {
    let asked = std::env::var("NOCTUARY_VECTOR_KILLS").ok();
    let kills: u64 = asked.map_or(KILLS, |kills| kills.parse().unwrap());
    let (mut score, mut chance) = (Score::new("vectors"), Dice::fresh());
    let (mut killed, mut half, mut passes, mut swaps, mut life) = (0, 0, 0, 0, 0);
    while killed < kills {
        let folder = scratch(life);
        std::fs::create_dir(folder.path().join("life")).unwrap();
        let one = std::env::var("NOCTUARY_VECTOR_HOME");
        let name = one.as_deref().unwrap_or(HOMES[usize::try_from(life).unwrap() % HOMES.len()]);
        life += 1;
        for number in 0..OF_A_LIFE {
            let role = format!("embeds {name} {} {}", chance.roll(), number / 2);
            let begun = read(&folder.path().join("passes")).len();
            let mut child = start(&role, folder.path());
            // Not before it has done something: to begin takes longer than a pass.
            while read(&folder.path().join("passes")).len() == begun && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(chance.below(20_000)));
            if let Some(status) = child.try_wait().unwrap() {
                score.violation(format!(
                    "it ended by itself, {status}: {}",
                    read(&folder.path().join("stderr"))
                ));
            }
            end(&mut child);
            killed += 1;
            let home = open(name, folder.path());
            match check(home.as_ref(), number / 2, chance.one_in(3)) {
                Ok(is_half) => half += u64::from(is_half),
                Err(what) => score.violation(format!("{name}, kill {number}: {what}")),
            }
        }
        let told = read(&folder.path().join("passes"));
        passes += told.len();
        swaps += told.matches("pS").count();
    }
    let counts = format!(
        "{killed} kills in {life} lives, {half} with a generation half filled, {passes} passes, {swaps} ended a filling"
    );
    score.finish(&counts, &[("half filled", half, killed / 20), ("fillings", swaps as u64, life / 3 + 1)])
}
