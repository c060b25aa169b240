//! Newer statements are found before the ones that they update, and better answers are not buried.
//!
//! The rows are generated, the same every time: chains of states in ten wordings, between rows about the same subject,
//! about the same slot of others, and about neither.
#![expect(clippy::unwrap_used, reason = "helpers of a test")]

use std::collections::BTreeMap;

use crate::memory::chains::{ABOUT, SEED, SUBJECTS, chains, shuffle, world};
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use noctuary::memory::{Hit, MemoryId, NewMemory, Place, Query, Role, Source};
use noctuary::testing::contract::memory as contract;
use noctuary::{Access, Actor, MemoryStore, SessionKind};
use noctuary_tests::common::backends;
use noctuary_tests::common::dice::Dice;
use noctuary_tests::open_store;
use std::sync::Arc;

/// A store of each kind, and what it holds of what was said.
struct Told {
    _folder: tempfile::TempDir,
    store: Arc<dyn MemoryStore>,
    ids: Vec<MemoryId>,
}

fn access() -> Access {
    Access::new(SessionKind::Main, Actor::Library, contract::scope())
}

fn stores(lines: &[String], in_conversations: bool) -> Vec<Told> {
    let told = backends().map(|backend| {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn MemoryStore> = open_store!(backend, folder.path(), contract::scope());
        let ids = lines.iter().enumerate().map(|(at, line)| {
            let (session, position) = (at / 20, at % 20);
            let now = day(session);
            let place = Place {
                session: format!("s{session}"),
                position: u64::try_from(position).unwrap(),
                role: Role::User,
                speaker: None,
                said_at: Some(now),
            };
            let memory = NewMemory::new("observation", line, Source::ChatExtracted);
            store.write(&access(), &if in_conversations { memory.at(place) } else { memory }, now).unwrap()
        });
        let ids = ids.collect();
        Told { _folder: folder, store, ids }
    });
    told.collect()
}

fn day(number: usize) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 1, 5, 8, 0, 0).unwrap() + TimeDelta::days(i64::try_from(number).unwrap())
}

impl Told {
    fn ask(&self, question: &str) -> Vec<Hit> {
        self.store.search(&access(), &Query::new(question)).unwrap().hits
    }

    fn told(&self, question: &str) -> Vec<String> {
        self.ask(question).into_iter().map(|hit| hit.memory.content).take(4).collect()
    }

    /// The ranks of lines, from 0.
    fn ranks(&self, question: &str, lines: &[usize]) -> Vec<Option<usize>> {
        let found = self.ask(question);
        let rank = |line: &usize| found.iter().position(|hit| hit.memory.id == self.ids[*line]);
        lines.iter().map(rank).collect()
    }
}

#[test]
#[ignore = "sweep"]
fn the_newest_state_is_found_first() {
    // By wording: chains, and those whose newest state is found before the others, by store.
    let mut dice = Dice(SEED);
    let mut counts: BTreeMap<&str, (usize, [usize; 3])> = BTreeMap::new();
    for world_number in 0..3 {
        let chains = chains(&mut dice, 120);
        let (lines, places) = world(&mut dice, &chains);
        let stores = stores(&lines, world_number % 2 == 0);
        for (chain, places) in chains.iter().zip(&places) {
            let (all, first) = counts.entry(chain.wording).or_default();
            *all += 1;
            for (told, first) in stores.iter().zip(first) {
                let ranks = told.ranks(&chain.question, places);
                let (newest, before) = ranks.split_last().unwrap();
                let is_first =
                    newest.is_some_and(|newest| before.iter().flatten().all(|rank| newest < *rank));
                *first += usize::from(is_first);
                if !is_first {
                    println!(
                        "{}: {:?} {ranks:?} {:#?}",
                        chain.question,
                        chain.states,
                        told.told(&chain.question)
                    );
                }
            }
        }
    }
    for (wording, (all, first)) in &counts {
        println!("{wording:<14} {all:>3} chains, newest first in {first:>3?}");
    }
    let all: usize = counts.values().map(|(all, _)| all).sum();
    assert_eq!((counts.len(), all), (10, 360));
    for store in backends() {
        let first: usize = counts.values().map(|(_, first)| first[store]).sum();
        println!("newest first in {first} of {all}");
        assert!(first * 100 >= all * 95, "{first} of {all}: {counts:?}");
    }
}

/// Two that are both true: `{s}` is the subject, `{x}` what both are about, `{a}` what one is about and `{b}` the other.
const SIBLINGS: [(&str, [&str; 2], [&str; 2]); 4] = [
    (
        "{s} uses {x} for {a}.",
        ["{s} uses {x} for {b}.", "{s} now uses {x} for {b}."],
        ["What does {s} use for {a}?", "{x} for {a}"],
    ),
    (
        "The budget of {s} for {a} is $400.",
        ["The budget of {s} for {b} is $250.", "The budget of {s} for {b} was updated to $300."],
        ["What is the budget of {s} for {a}?", "budget for {a}"],
    ),
    (
        "{s} meets the {x} people about {a} on Monday.",
        ["{s} meets the {x} people about {b} on Thursday.", "{s} moved the {x} people and {b} to Friday."],
        ["When does {s} meet the {x} people about {a}?", "{x} meeting about {a}"],
    ),
    (
        "In the report on {x} {s} wants {a} in colour.",
        [
            "In the report on {x} {s} wants {b} in colour.",
            "{s} has changed the report on {x}: {b} in colour.",
        ],
        ["What does {s} want of {a} in the report on {x}?", "report on {x}, {a}"],
    ),
];
const ABOUT_BOTH: [&str; 6] = ["Bun", "Redis", "Notion", "Docker", "Figma", "Slack"];
const ABOUT_ONE: [(&str, &str); 9] = [
    ("testing", "bundling"),
    ("caching", "queues"),
    ("travel", "books"),
    ("planning", "reviews"),
    ("charts", "tables"),
    ("sketches", "icons"),
    ("alerts", "chat"),
    ("hiring", "training"),
    ("backups", "logs"),
];

#[test]
fn a_row_that_answers_better_is_not_buried_by_a_newer_sibling() {
    let mut dice = Dice(SEED);
    let mut buried = Vec::new();
    let mut asked = 0;
    for world_number in 0..4 {
        let mut pairs: Vec<(usize, usize)> =
            (0..ABOUT_ONE.len()).flat_map(|one| (0..2).map(move |way| (one, way))).collect();
        shuffle(&mut dice, &mut pairs);
        let (mut lines, mut questions) = (Vec::new(), Vec::new());
        for (number, (one, way)) in pairs.into_iter().enumerate() {
            let (first, then, ask) = SIBLINGS[(number + world_number) % SIBLINGS.len()];
            // Two pairs about the same are about it with different ones, so that a question has one answer.
            let (subject, both) =
                (dice.pick(&SUBJECTS), ABOUT_BOTH[(2 * one + way + world_number) % ABOUT_BOTH.len()]);
            let (a, b) = if way == 0 { ABOUT_ONE[one] } else { (ABOUT_ONE[one].1, ABOUT_ONE[one].0) };
            let fill = |template: &str| {
                template.replace("{s}", subject).replace("{x}", both).replace("{a}", a).replace("{b}", b)
            };
            questions.push((lines.len(), fill(dice.pick(&ask))));
            lines.push(fill(first));
            if dice.below(2) == 0 {
                lines.push(dice.pick(&ABOUT).replace("{s}", subject));
            }
            lines.push(fill(dice.pick(&then)));
        }
        for told in stores(&lines, world_number % 2 == 0) {
            for (line, question) in &questions {
                asked += 1;
                let found = told.ask(question);
                if found[0].memory.id != told.ids[*line] {
                    let found: Vec<&str> =
                        found.iter().take(3).map(|hit| hit.memory.content.as_str()).collect();
                    buried.push(format!("{question} {:?}: {found:?}", lines[*line]));
                }
            }
        }
    }
    println!("{} of {asked} not found first: {buried:#?}", buried.len());
    assert_eq!(asked, 72 * backends().count());
    assert!(buried.is_empty());
}
