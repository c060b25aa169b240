//! Whether the newest of statements that contradict each other comes first, and the others are told as stale.
//!
//! The sets have the format of the `FactConsolidation` part of `MemoryAgentBench`: a line of JSON each with a `context` of numbered
//! facts, `questions`, and `answers`, a list of right ones for each question. Of two facts that contradict each other
//! the later holds. No model answers here: an answer is right where the first hit has it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::facts::FactStore;
use noctuary::memory::{Hit, NewMemory, Query, Source, categories};
use noctuary::{Access, Actor, MemoryStore, Scope, SessionKind, SqliteMemoryStore};
use serde_json::{Map, Value, json};

use super::Result;
use super::gate::read;
use super::tally::{as_f64, share};

/// Measures the sets of a folder, prints their figures, and writes them.
pub(crate) fn run(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let (mut folder, mut sets, mut json) = (None, Vec::new(), None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => json = Some(PathBuf::from(arguments.next().ok_or("--json needs a path")?)),
            "--made" => sets.push(made(arguments.next().ok_or("--made needs a number of people")?.parse()?)),
            path => folder = Some(PathBuf::from(path)),
        }
    }
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    if let Some(folder) = folder {
        sets.extend(read::<Value>(&folder)?);
    }
    for set in sets {
        let Some((name, counts)) = measure(&set)? else { continue };
        all.entry(name).or_default().add(&counts);
    }
    if all.is_empty() {
        return Err("nothing to measure: name a folder of lines with `context`, `questions` and `answers`, or --made PEOPLE".into());
    }
    println!("{:<28} questions  first  in ten  stale first  stale unmarked", "set");
    let mut figures = Map::new();
    for (name, counts) in all {
        println!(
            "{name:<28} {:>9}  {:>5}  {:>6}  {:>11}  {:>14}",
            counts.questions, counts.first, counts.in_ten, counts.stale_first, counts.unmarked
        );
        figures.insert(name, counts.figures());
    }
    if let Some(path) = json {
        fs::write(path, serde_json::to_string_pretty(&figures)? + "\n")?;
    }
    Ok(())
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Counts {
    questions: usize,
    /// The first hit has the answer.
    first: usize,
    in_ten: usize,
    /// An older statement of the same is the first hit, and nothing says that it is old.
    stale_first: usize,
    /// Older statements of the same among ten hits, of which nothing says so.
    unmarked: usize,
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.questions += other.questions;
        self.first += other.first;
        self.in_ten += other.in_ten;
        self.stale_first += other.stale_first;
        self.unmarked += other.unmarked;
    }

    fn figures(&self) -> Value {
        json!({
            "questions": self.questions,
            "first": share(as_f64(self.first), self.questions),
            "in_ten": share(as_f64(self.in_ten), self.questions),
            "stale_first": share(as_f64(self.stale_first), self.questions),
            "stale_unmarked": self.unmarked,
        })
    }
}

/// Writes the facts of a set in their order, a minute each, and asks its questions; `None` of a set of another kind.
fn measure(set: &Value) -> Result<Option<(String, Counts)>> {
    let facts: Vec<&str> = set["context"].as_str().unwrap_or_default().lines().filter_map(numbered).collect();
    let (Some(questions), Some(answers)) = (set["questions"].as_array(), set["answers"].as_array()) else {
        return Ok(None);
    };
    if facts.is_empty() {
        return Ok(None);
    }
    let scope = Scope::user("evaluation");
    let access = Access::new(SessionKind::Main, Actor::Library, scope.clone());
    let home = tempfile::tempdir()?;
    let store = SqliteMemoryStore::open(home.path().join("memory.db"), scope)?;
    let mut at: DateTime<Utc> = DateTime::UNIX_EPOCH;
    for fact in &facts {
        at += TimeDelta::minutes(1);
        store.record(&access, &NewMemory::new(categories::FACT, *fact, Source::Imported), at)?;
    }
    let mut counts = Counts::default();
    for (question, answers) in questions.iter().zip(answers) {
        let answers: Vec<&str> = answers.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let question = question.as_str().unwrap_or_default();
        let hits = store.search(&access, &Query::new(question).limit(10))?.hits;
        counts.questions += 1;
        let is_right = |hit: &Hit| answers.iter().any(|answer| has(&hit.memory.content, answer));
        counts.first += usize::from(hits.first().is_some_and(is_right));
        counts.in_ten += usize::from(hits.iter().any(is_right));
        let is_told_as_current =
            |hit: &Hit| hit.stale.is_empty() && is_replaced(&hit.memory.content, &facts, &answers);
        counts.stale_first += usize::from(hits.first().is_some_and(is_told_as_current));
        counts.unmarked += hits.iter().filter(|hit| is_told_as_current(hit)).count();
    }
    let name = set["metadata"]["source"].as_str().unwrap_or("facts").to_owned();
    Ok(Some((name, counts)))
}

/// The fact of a line such as `12. The mayor of Porto is Ana.`
fn numbered(line: &str) -> Option<&str> {
    let (number, fact) = line.trim().split_once(". ")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(fact)
}

/// Whether a text has an answer, in any case.
fn has(text: &str, answer: &str) -> bool {
    !answer.is_empty() && text.to_lowercase().contains(&answer.to_lowercase())
}

/// Whether a later fact says the same words with an answer in place of some others.
fn is_replaced(text: &str, facts: &[&str], answers: &[&str]) -> bool {
    let Some(written) = facts.iter().rposition(|fact| *fact == text) else { return false };
    facts[written + 1..].iter().any(|later| {
        answers.iter().any(|answer| {
            let Some((before, after)) = later.split_once(answer) else { return false };
            let rest = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            rest.is_some_and(|value| !value.is_empty() && value != *answer)
        })
    })
}

/// A set in the format: a property each of some people, at most 10,000, said two or three times, with questions on what holds.
fn made(people: usize) -> Value {
    const PROPERTIES: [(&str, &str, &str); 4] = [
        ("{p} lives in the city of {v}.", "Which city does {p} live in?", "Porto Lyon Turin Bergen Ghent"),
        ("The employer of {p} is {v}.", "Who is the employer of {p}?", "Hexal Norvik Belmont Tarkus Ostrea"),
        (
            "{p} plays the position of {v}.",
            "Which position does {p} play?",
            "goalkeeper striker winger libero sweeper",
        ),
        (
            "The favourite drink of {p} is {v}.",
            "What is the favourite drink of {p}?",
            "oolong cocoa cider kefir lassi",
        ),
    ];
    let (mut facts, mut questions, mut answers) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..3 {
        for person in 0..people {
            let (says, asks, values) = PROPERTIES[person % 4];
            let values: Vec<&str> = values.split(' ').collect();
            let name =
                format!("{} {}", ["Ana", "Ilya", "Mehmet", "Yuki", "Dana"][person % 5], syllables(person));
            // One in three does not change a second time.
            if round == 2 && person % 3 == 0 {
                continue;
            }
            let fill = |text: &str| text.replace("{p}", &name);
            facts.push(fill(says).replace("{v}", values[(person + round) % 5]));
            let last = if person % 3 == 0 { 1 } else { 2 };
            if round == last {
                questions.push(fill(asks));
                answers.push(vec![values[(person + round) % 5]]);
            }
        }
    }
    let lines: Vec<String> = facts.iter().enumerate().map(|(at, fact)| format!("{at}. {fact}")).collect();
    let context = format!("Here is a list of facts:\n{}", lines.join("\n"));
    json!({"context": context, "questions": questions, "answers": answers, "metadata": {"source": format!("made of {} facts", lines.len())}})
}

/// A family name for a number, another one for each.
fn syllables(number: usize) -> String {
    let all = ["ba", "de", "fi", "go", "lu", "mo", "ne", "pi", "ra", "su"];
    format!(
        "V{}{}{}{}k",
        all[number % 10],
        all[number / 10 % 10],
        all[number / 100 % 10],
        all[number / 1000 % 10]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_many_statements_comes_first_and_no_other_as_current() {
        let (_, counts) = measure(&made(120)).unwrap().unwrap();
        assert_eq!(counts.questions, 120);
        assert!(counts.first >= 114 && counts.stale_first == 0, "{counts:?}");
    }

    #[test]
    fn what_is_no_set_is_left_out() {
        for other in [json!({}), json!({"context": "Once upon a time.", "questions": [], "answers": []})] {
            assert_eq!(measure(&other).unwrap(), None);
        }
        assert_eq!(numbered("12. The mayor of Porto is Ana."), Some("The mayor of Porto is Ana."));
        assert_eq!(numbered("Dr. Ana is the mayor."), None);
    }

    #[test]
    fn an_older_value_is_known_by_the_words_around_it() {
        let facts = ["Ana lives in Porto.", "Ana lives in Lyon.", "Ilya lives in Porto."];
        assert!(is_replaced(facts[0], &facts, &["Lyon"]));
        assert!(!is_replaced(facts[1], &facts, &["Lyon"]) && !is_replaced(facts[2], &facts, &["Lyon"]));
    }
}
