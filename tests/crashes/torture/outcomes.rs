//! Kill -9 at random, while two processes report the same outcomes and a person approves, in both stores.
//!
//! ```text
//! NOCTUARY_OUTCOME_KILLS=1000 cargo test --release -p noctuary-tests --test sweeps killed_reports -- --include-ignored --nocapture
//! ```

use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use noctuary::learning::{
    Ending, LearningConfig, MethodId, MethodStore, NewMethod, NewOutcome, NewPreference, PreferenceState,
    PreferenceStore, wilson,
};
use noctuary::memory::Filter;
use noctuary::{Access, Actor, FileMemoryStore, MemoryStore, Scope, SessionKind};

use super::kit::{Score, add, end, read, scratch, start};
use noctuary_tests::common::dice::Dice;

/// So many kills in an ordinary run, over both stores.
const KILLS: u64 = 24;
/// So many of them in one life.
const OF_A_LIFE: u64 = 6;
const METHODS: i64 = 4;

const HOMES: [&str; 2] = ["file", "sqlite"];

trait Store: MemoryStore + MethodStore + PreferenceStore {}

impl<S: MemoryStore + MethodStore + PreferenceStore> Store for S {}

fn marta() -> Access {
    Access::human(Scope::user("marta"))
}

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

fn open(home: &str, folder: &Path) -> Box<dyn Store> {
    match home {
        "sqlite" => {
            let store = noctuary::SqliteMemoryStore::open(folder.join("memory.db"), Scope::user("marta"));
            Box::new(store.unwrap())
        }
        _ => Box::new(FileMemoryStore::open(folder.join("life"), Scope::user("marta")).unwrap()),
    }
}

/// The outcome of a number: which methods, and how it ended.
fn outcome(number: u64) -> NewOutcome {
    let method = |number: u64| MethodId::new(i64::try_from(number).unwrap() % METHODS + 1);
    // The first method serves well, the others less and less.
    let is_good = number % 10 < 10 - 3 * (number % METHODS.unsigned_abs());
    let ending = if is_good { Ending::Success } else { Ending::Failure };
    let outcome = NewOutcome::new(format!("o{number}"), [method(number), method(number / 3)], ending);
    if number.is_multiple_of(7) { outcome.case(format!("Case {number}")) } else { outcome }
}

/// A store with methods that a person let out of quarantine.
fn furnish(store: &dyn Store) {
    for number in 1..=METHODS {
        let method = NewMethod::new("Way", "class", format!("Way {number}"));
        assert_eq!(store.create_method(&marta(), &method, now()).unwrap(), MethodId::new(number));
        store.quarantine_method(&marta(), MethodId::new(number), false, now()).unwrap();
    }
}

/// Reports outcomes in their order, from one on that may be counted already, until it is killed.
pub(crate) fn child(folder: &Path, words: &[&str]) {
    let (home, who, from): (_, _, u64) = (words[0], words[1], words[2].parse().unwrap());
    let store = open(home, folder);
    let host = Access::new(SessionKind::Main, Actor::Library, Scope::user("marta"));
    for number in from.. {
        store.report_outcome(&host, &outcome(number), now()).unwrap();
        if number.is_multiple_of(5) {
            let wish = NewPreference::behavioural("tone", format!("Wish {number}"));
            let id = store.propose_preference(&host, &wish, now()).unwrap();
            store.approve_preference(&marta(), id, now()).unwrap();
        }
        add(&folder.join(who), format!("{number}\n").as_bytes());
    }
}

/// The standing of the methods: uses, successes, quarantine, and cases.
type Standing = Vec<(u64, u64, u8, u64)>;

/// Returns the standing after so many outcomes, each counted once.
fn expected(outcomes: u64) -> Standing {
    let config = LearningConfig::default();
    let mut methods: Standing = (0..METHODS).map(|_| (0, 0, 0, 0)).collect();
    for number in 0..outcomes {
        let outcome = outcome(number);
        let mut ids = outcome.methods.clone();
        ids.dedup();
        for id in ids {
            let method = &mut methods[usize::try_from(id.get() - 1).unwrap()];
            method.0 += 1;
            method.1 += u64::from(outcome.ending == Ending::Success);
            method.3 += u64::from(outcome.case.is_some());
            if method.0 >= config.min_uses && wilson(method.1, method.0) < config.demotion {
                method.2 = 1;
            }
        }
    }
    methods
}

fn standing(store: &dyn Store) -> Standing {
    let methods = store.methods(&marta()).unwrap().into_iter();
    methods
        .map(|method| {
            let cases = store.method_cases(&marta(), method.id, usize::MAX).unwrap().len() as u64;
            (method.uses, method.successes, method.quarantine, cases)
        })
        .collect()
}

/// Looks at a store whose processes were killed; returns how many outcomes it counted.
fn check(store: &dyn Store, acknowledged: u64) -> Result<u64, String> {
    let found = standing(store);
    // Each process was told of nothing after its last one.
    let counted = (acknowledged..=acknowledged + 2).find(|outcomes| expected(*outcomes) == found);
    let Some(counted) = counted else {
        return Err(format!("{found:?} after {acknowledged}, and not {:?}", expected(acknowledged)));
    };
    let rows = store.list(&marta(), &Filter::limit(usize::MAX)).unwrap();
    for preference in store.preferences(&marta()).unwrap() {
        let of_it = rows.iter().filter(|row| row.content == preference.statement).count();
        let is_active = preference.state == PreferenceState::Active;
        if of_it > 1 || is_active != (of_it == 1) {
            return Err(format!("{of_it} rows of {preference:?}"));
        }
    }
    Ok(counted)
}

pub(crate) fn run() -> bool {
    let asked = std::env::var("NOCTUARY_OUTCOME_KILLS").ok();
    let kills: u64 = asked.map_or(KILLS, |kills| kills.parse().unwrap());
    let (mut score, mut chance) = (Score::new("outcomes"), Dice::fresh());
    let (mut killed, mut outcomes, mut cut, mut life) = (0, 0, 0, 0);
    while killed < kills {
        let folder = scratch(life);
        std::fs::create_dir(folder.path().join("life")).unwrap();
        let name = HOMES[usize::try_from(life).unwrap() % HOMES.len()];
        life += 1;
        furnish(open(name, folder.path()).as_ref());
        let told = || {
            let all = read(&folder.path().join("a")) + &read(&folder.path().join("b"));
            all.lines().filter_map(|line| line.parse::<u64>().ok()).max().map_or(0, |last| last + 1)
        };
        let mut counted = 0;
        for kill in 0..OF_A_LIFE {
            let begun = told();
            // The second one reports again what is counted.
            let from = [begun, begun.saturating_sub(chance.below(9))];
            let mut children = [("a", from[0]), ("b", from[1])]
                .map(|(who, from)| start(&format!("reports {name} {who} {from}"), folder.path()));
            while told() == begun && children[0].try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(chance.below(60_000)));
            for child in &mut children {
                if let Some(status) = child.try_wait().unwrap() {
                    let errors = read(&folder.path().join("stderr"));
                    score.violation(format!("it ended by itself, {status}: {errors}"));
                }
                end(child);
                killed += 1;
            }
            let acknowledged = told();
            match check(open(name, folder.path()).as_ref(), acknowledged) {
                Ok(all) => {
                    cut += u64::from(all > acknowledged);
                    counted = all;
                }
                Err(what) => score.violation(format!("{name}, kill {kill}: {what}")),
            }
        }
        outcomes += counted;
    }
    let counts = format!("{killed} kills in {life} lives, {outcomes} outcomes, {cut} counted and not told");
    score.finish(&counts, &[("outcomes", outcomes, killed)])
}
