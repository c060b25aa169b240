//! Two and three machines with one life: random days, nights, hands and syncs, against what a person expects of every line.
//!
//! A history is a list of steps that follows from one integer. `NOCTUARY_SEED=7` lives the history of that seed alone, and `1-900` those of many. One that fails is made
//! shorter as long as it fails for the same rule, and is printed step by step. `NOCTUARY_LONG_TESTS=1` lives 10,000 of them.

mod carry;
mod home;
mod oracle;
mod steps;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use noctuary::testing::cases;
use noctuary_tests::common::each;

use steps::{History, Kind};
use world::{Counts, World};

/// A rule that does not hold, and where.
#[derive(Debug, Clone)]
struct Violation {
    rule: &'static str,
    text: String,
}

type Held = Result<(), Violation>;

fn hold(holds: bool, rule: &'static str, text: impl FnOnce() -> String) -> Held {
    if holds { Ok(()) } else { Err(Violation { rule, text: text() }) }
}

/// The end of a history: what was done in it, step by step, and the rule that does not hold.
struct Lived {
    told: Vec<String>,
    counts: Counts,
    violation: Option<Violation>,
}

fn live(history: &History) -> Lived {
    let mut world = World::new(&history.kind);
    let end = catch_unwind(AssertUnwindSafe(|| {
        for step in &history.steps {
            world.step(step)?;
        }
        world.check()
    }));
    let violation = match end {
        Ok(held) => held.err(),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().cloned();
            let said = said.or_else(|| panic.downcast_ref::<&str>().map(|said| (*said).to_owned()));
            Some(Violation { rule: "nothing fails", text: said.unwrap_or_default() })
        }
    };
    Lived { told: world.told, counts: world.counts, violation }
}

/// Leaves out what the failure of a history does not need.
fn shrunk(mut history: History, mut lived: Lived) -> (History, Lived) {
    let Some(rule) = lived.violation.as_ref().map(|violation| violation.rule) else {
        return (history, lived);
    };
    let mut tries = 0;
    let mut is_better = |shorter: History, history: &mut History, lived: &mut Lived| {
        tries += 1;
        let again = live(&shorter);
        let is_it =
            tries < MOST_TRIES && again.violation.as_ref().is_some_and(|violation| violation.rule == rule);
        if is_it {
            (*history, *lived) = (shorter, again);
        }
        is_it
    };
    loop {
        let mut has_changed = false;
        let mut part = history.steps.len() / 2;
        while part > 0 {
            let mut at = 0;
            while at < history.steps.len() {
                let mut shorter = history.clone();
                shorter.steps.drain(at..(at + part).min(history.steps.len()));
                if is_better(shorter, &mut history, &mut lived) {
                    has_changed = true;
                } else {
                    at += part;
                }
            }
            part /= 2;
        }
        for plain in Kind::PLAINER {
            let mut plainer = history.clone();
            plain(&mut plainer.kind);
            if plainer.kind != history.kind {
                has_changed |= is_better(plainer, &mut history, &mut lived);
            }
        }
        if !has_changed {
            return (history, lived);
        }
    }
}

/// Lives the histories of some seeds, and tells a few of those that fail step by step.
fn live_all(seeds: &[u64]) -> Counts {
    let (failed, all) = (Mutex::new(BTreeMap::<&str, Vec<u64>>::new()), Mutex::new(Counts::default()));
    let different = Mutex::new(BTreeSet::new());
    each(seeds, |seed| {
        let history = History::of(*seed);
        let lived = live(&history);
        all.lock().unwrap().add(&lived.counts);
        let Some(rule) = lived.violation.as_ref().map(|violation| violation.rule) else { return };
        let count = {
            let mut failed = failed.lock().unwrap();
            let seeds = failed.entry(rule).or_default();
            seeds.push(*seed);
            seeds.len()
        };
        if count <= MOST_TOLD {
            let (history, lived) = shrunk(history, lived);
            // Of failures by the same steps one is told.
            let steps: Vec<_> = history.steps.iter().map(|step| step.what).collect();
            if different.lock().unwrap().insert(format!("{rule} {steps:?}")) {
                let Violation { rule, text } = lived.violation.expect("it fails");
                let steps = lived.told.join("\n  ");
                println!("seed {seed}: not so: {rule}\n{:?}\n  {steps}\n{text}\n", history.kind);
            }
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "of {} histories these fail: {failed:?}", seeds.len());
    all.into_inner().unwrap()
}

/// The most histories that are told for a rule that does not hold.
const MOST_TOLD: usize = 4;

/// The most histories that are lived to make one shorter.
const MOST_TRIES: usize = 300;

fn seeds(count: u64) -> Vec<u64> {
    let Ok(asked) = std::env::var("NOCTUARY_SEED") else { return (1..=count).collect() };
    let (first, last) = asked.split_once('-').unwrap_or((&asked, &asked));
    (first.parse().expect("a number")..=last.parse().expect("a number")).collect()
}

#[test]
fn a_few_machines_that_lived_apart_lose_nothing() {
    live_all(&seeds(12));
}

// 10,000 histories in a long run. (BX-37, BX-67)
#[test]
#[ignore = "sweep"]
fn machines_that_lived_apart_lose_nothing_double_nothing_and_give_back_what_they_took() {
    let seeds = seeds(u64::from(cases(10_000)));
    let counts = live_all(&seeds);
    println!("{} histories, {counts}", seeds.len());
    assert!(
        std::env::var_os("NOCTUARY_SEED").is_some() || counts.are_enough(seeds.len()),
        "too few to mean anything: {counts}"
    );
}
