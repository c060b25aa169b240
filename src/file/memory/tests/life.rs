//! A life of a store, drawn from a seed, and all that the store tells afterwards.

use std::fmt::Debug;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, TimeZone, Utc};

use crate::disk::Disk;
use crate::edges::EdgeStore;
use crate::facts::{Cardinality, Decision, FactKey, FactStore};
use crate::memory::{
    Filter, LearningStore, MemoryId, NewLearning, NewMemory, Order, Place, Query, Role, Source,
};
use crate::testing::MemoryDisk;
use crate::{Access, FileMemoryStore, MemoryStore, Scope};

/// No table is written.
pub(super) const NEVER: usize = usize::MAX;

pub(super) const TABLE: &str = ".dreaming.d/memories.table";
pub(super) const FILE: &str = ".dreaming.d/memories.jsonl";

pub(super) fn open(disk: &MemoryDisk, every: usize) -> FileMemoryStore {
    on(Arc::new(disk.clone()), every)
}

pub(super) fn on(disk: Arc<dyn Disk>, every: usize) -> FileMemoryStore {
    FileMemoryStore::every(disk, Scope::user("marta"), every).unwrap()
}

pub(super) fn human() -> Access {
    Access::human(Scope::user("marta"))
}

pub(super) fn agent() -> Access {
    Access::agent(Scope::user("marta"))
}

pub(super) fn at(minute: i64) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap() + TimeDelta::minutes(minute)
}

/// Numbers that are the same each time.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) % sides
    }

    fn number(&mut self, sides: u64) -> i64 {
        self.roll(sides).cast_signed()
    }
}

const WORDS: [&str; 16] = [
    "green",
    "tea",
    "likes",
    "Porto",
    "trains",
    "C++",
    "slippage",
    "orders",
    "0.5%",
    "dogs",
    "the",
    "of",
    "住在东京",
    "quokka",
    "violins",
    "running",
];

pub(super) fn sentence(dice: &mut Dice) -> String {
    let many = 2 + dice.roll(6);
    (0..many).map(|_| WORDS[usize::try_from(dice.roll(16)).unwrap()]).collect::<Vec<_>>().join(" ")
}

fn row(dice: &mut Dice) -> NewMemory {
    let category = ["fact", "observation", "preference", "fact"][usize::try_from(dice.roll(4)).unwrap()];
    let source = [Source::AgentRecorded, Source::UserExplicit, Source::ChatExtracted];
    let mut row =
        NewMemory::new(category, sentence(dice), source[usize::try_from(dice.roll(3)).unwrap()].clone());
    if dice.roll(3) == 0 {
        row = row.shared();
    }
    if dice.roll(3) == 0 {
        row = row.at(Place {
            session: format!("session {}", dice.roll(3)),
            position: dice.roll(20),
            role: if dice.roll(2) == 0 { Role::User } else { Role::Agent },
            speaker: Some(["Anna", "user", "Ben"][usize::try_from(dice.roll(3)).unwrap()].to_owned()),
            said_at: Some(at(dice.number(9_000))),
        });
    }
    if dice.roll(4) == 0 {
        row = row.about(FactKey {
            subject: "marta".to_owned(),
            slot: WORDS[usize::try_from(dice.roll(4)).unwrap()].to_owned(),
            cardinality: Cardinality::One,
        });
    }
    if dice.roll(6) == 0 {
        row = row.because(sentence(dice));
    }
    if dice.roll(6) == 0 {
        row = row.metadata(serde_json::json!({ "of": sentence(dice) }));
    }
    row
}

/// Does something to a store at a minute.
pub(super) fn act(store: &FileMemoryStore, dice: &mut Dice, minute: i64) {
    let id = MemoryId::new(1 + dice.number(1 + minute.unsigned_abs()));
    match dice.roll(24) {
        0..=9 => drop(store.write(&agent(), &row(dice), at(minute))),
        10 => {
            let rows: Vec<NewMemory> = (0..dice.roll(5)).map(|_| row(dice)).collect();
            drop(store.write_all(&agent(), &rows, at(minute)));
        }
        11 | 12 => drop(store.update(&agent(), id, &sentence(dice), at(minute))),
        13 | 14 => drop(store.delete(&agent(), id, at(minute))),
        15 => drop(store.restore(&agent(), id, at(minute))),
        16 => drop(store.pin(&human(), id, dice.roll(3) > 0, at(minute))),
        17 => drop(store.settle(at(minute))),
        18 => {
            let other = MemoryId::new(1 + dice.number(1 + minute.unsigned_abs()));
            let decision = match dice.roll(4) {
                0 => Decision::supersede(id, other),
                1 => Decision::duplicate(id, other),
                2 => Decision::coexist(id, other),
                _ => Decision::reject(id),
            };
            drop(store.decide(&human(), &decision, at(minute)));
        }
        19 => {
            let events = store.decisions(&human(), 5).unwrap();
            let event = events.get(usize::try_from(dice.roll(5)).unwrap());
            if let Some(event) = event {
                drop(store.revert(&human(), event.id, at(minute)));
            }
        }
        20 => drop(store.forget(&human(), &sentence(dice), at(minute))),
        21 => drop(store.purge(at(minute - dice.number(60)), at(minute))),
        22 => {
            drop(store.set_profile(&human(), &format!("key_{}", dice.roll(4)), &sentence(dice), at(minute)));
        }
        _ => drop(store.learn(&agent(), &NewLearning::new(sentence(dice)), at(minute))),
    }
}

/// All that a store tells.
pub(super) fn told(store: &FileMemoryStore) -> Vec<String> {
    // Else a snapshot does it on the way.
    store.settle(at(99_999)).unwrap();
    let mut told = Vec::new();
    let mut tell = |what: &str, answer: &dyn Debug| told.push(format!("{what}: {answer:?}"));
    let mut dice = Dice::of(77);
    for access in [human(), agent(), Access { kind: crate::SessionKind::Shared, ..agent() }] {
        let mut all = Filter::limit(999);
        let rows = store.list(&access, &all).unwrap();
        for row in rows {
            tell("row", &(row.id, &row.category, &row.content, &row.source, &row.metadata, &row.place));
            tell("row", &(row.pinned, row.created_at, row.updated_at, &row.origin, row.shared));
        }
        all.retired = true;
        tell("all", &store.list(&access, &all).unwrap());
        tell("snapshot", &store.snapshot(&access, 9, at(99_999)).unwrap());
        for _ in 0..5 {
            let mut query = Query::new(sentence(&mut dice));
            if dice.roll(3) == 0 {
                query.order = Order::Recency;
            }
            if dice.roll(3) == 0 {
                query.filter = query.filter.category("fact");
            }
            let found = store.search(&access, &query).unwrap();
            let hits: Vec<_> = found.hits.iter().map(|hit| (hit.memory.id, hit.score, &hit.why)).collect();
            tell(&query.text, &(found.outcome, hits));
        }
        for query in ["\"green tea\"", "tea OR Porto", "slip*", "tea NOT green", "category:fact dogs", "%"] {
            let found = store.search(&access, &Query::new(query)).unwrap();
            tell(query, &found.hits.iter().map(|hit| (hit.memory.id, hit.score)).collect::<Vec<_>>());
        }
        tell("profile", &store.profile(&access).unwrap());
    }
    for id in (1..90).map(MemoryId::new) {
        if let Some(fact) = store.fact(&human(), id).unwrap() {
            tell("fact", &(&fact.memory.content, &fact.key, fact.valid_from, fact.status));
            if id.get() % 7 == 0 {
                tell("history", &store.history(&human(), id).unwrap());
            }
        }
    }
    tell("suspicions", &store.suspicions(&human(), 99).unwrap());
    tell("decisions", &store.decisions(&human(), 99).unwrap());
    let reasons = store.decisions(&human(), 99).unwrap();
    tell("reasons", &reasons.iter().map(|event| (event.id, &event.reason, event.at)).collect::<Vec<_>>());
    for access in [human(), Access { kind: crate::SessionKind::Shared, ..agent() }] {
        let top = store.top_entities(&access, 99).unwrap();
        tell("entities", &top.iter().map(|top| (top.entity.to_string(), top.texts)).collect::<Vec<_>>());
        for asked in ["porto", "marta", "quokka"] {
            let near = store.neighborhood(&access, asked, 20, at(99_999)).unwrap();
            tell(
                asked,
                &(
                    near.mentions.iter().map(|mention| mention.said.source()).collect::<Vec<_>>(),
                    near.neighbors
                        .iter()
                        .map(|near| (near.entity.to_string(), near.texts))
                        .collect::<Vec<_>>(),
                ),
            );
        }
    }
    let learnings = store.learnings(&human(), 99).unwrap();
    tell("learnings", &learnings.iter().map(|one| (one.id, &one.content)).collect::<Vec<_>>());
    tell("audit", &store.audit(&human(), 999).unwrap());
    told
}

/// Returns a disk on which a life was lived.
pub(super) fn lived(seed: u64, acts: i64, every: usize) -> MemoryDisk {
    let disk = MemoryDisk::new();
    let (store, mut dice) = (open(&disk, every), Dice::of(seed));
    (0..acts).for_each(|minute| act(&store, &mut dice, minute));
    disk
}

/// Returns a disk with the same files.
pub(super) fn copy(disk: &MemoryDisk) -> MemoryDisk {
    let copy = MemoryDisk::new();
    disk.files().iter().for_each(|(path, bytes)| copy.put(path, bytes));
    copy
}

/// Returns a disk with the same lines and nothing that was derived from them.
pub(super) fn bare(disk: &MemoryDisk) -> MemoryDisk {
    let copy = MemoryDisk::new();
    copy.put(FILE, &disk.files()[FILE]);
    copy
}
