//! Kill -9 at random over the sleeps of several processes of one sleeper: dreams, prunings, recoveries.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::Utc;
use noctuary::dream::SectionCaps;
use noctuary::format::Observations;
use noctuary::gate::{Door, DoorPolicy, Doors, Finding, InjectionPolicy, SecretPolicy};
use noctuary::sleep::{Said, SleepDreamer};
use noctuary::{
    DocName, FileWorkspace, LlmClient, LlmError, LlmReply, LlmRequest, Outcome, PiiFilter, Workspace,
    dream_once_at, llm_fn,
};
use serde_json::Value;

use super::kills::{holder, keep};
use super::kit::{Score, add, each_second, end, read, scratch, start, unfinished};
use noctuary_tests::common::dice::Dice;

const SLEEPERS: usize = 3;
/// How many words a life has: a longer one only makes each sleep slower.
const WORDS: u64 = 120;
/// Every how many dreams one is deep.
const DEEP: u64 = 3;
const INTENT: &str = ".dreaming.d/sleep-intent.json";

/// Notes each numbered word in a wording of its own, and would drop all that may be dropped.
fn mind(seed: u64) -> impl LlmClient {
    let asked = AtomicU64::new(0);
    llm_fn(move |request: &LlmRequest| -> Result<LlmReply, LlmError> {
        let mut chance = Dice(seed ^ asked.fetch_add(1, Ordering::SeqCst).rotate_left(40));
        let mut wording = || chance.below(90_000) + 10_000;
        let lines = request.user.lines().filter_map(|line| line.strip_prefix('L')?.split_once("| "));
        if request.system.contains("DROP:") {
            let named: Vec<String> = lines
                .filter(|(_, text)| text.starts_with("GRN") || text.starts_with("YLW"))
                .map(|(at, _)| format!("L{at}"))
                .collect();
            let drop = if named.is_empty() { "none".to_owned() } else { named.join(", ") };
            let wording = wording();
            return Ok(LlmReply::new(format!(
                "DROP:\n{drop}\n\nPRIORITIES:\n1. One in w{wording}.\n2. Two\n3. Three in w{wording}.\n\nDIARY:\nA day in w{wording}.\n\nThe end.\n"
            )));
        }
        let mut answer = "OBSERVATIONS:\n".to_owned();
        for (_, text) in lines {
            let Some((_, number)) = text.split_once("word n") else { continue };
            let mark = ["RED", "YLW", "GRN"][usize::from(number.as_bytes()[5] % 3)];
            answer.push_str(&format!("{mark} Noted n{} in w{}.\n", &number[..6], wording()));
        }
        Ok(LlmReply::new(format!("{answer}\nREFLECTION:\nThought in w{}.\n\nPRIORITY:\nGo on.\n", wording())))
    })
}

/// A filter that finds nothing.
#[derive(Debug)]
struct Nothing;

impl PiiFilter for Nothing {
    fn scan(&self, _: &str) -> Vec<Finding> {
        Vec::new()
    }
}

fn sleeper(life: &Path, input_bytes: u64) -> SleepDreamer {
    // It looks for nothing: the patterns are not made in the little time that a process lives.
    let doors = Doors::default()
        .filter(Arc::new(Nothing))
        .policy(Door::DreamReply, DoorPolicy::new(SecretPolicy::Reject, InjectionPolicy::Allow));
    let workspace = Arc::new(FileWorkspace::open(life).unwrap());
    let sleeper = SleepDreamer::builder(workspace).enabled(true).doors(doors).configure(|config| {
        config.deep_sleep_every = Some(DEEP);
        config.observations = SectionCaps::new(100_000, 500, 1 << 24);
        (config.budget.back_off, config.budget.max_calls_per_day) = (None, None);
        config.input_bytes = input_bytes;
        config.claim.settle = Duration::from_millis(5);
    });
    sleeper.build().unwrap()
}

/// Sleeps until it is killed.
pub(crate) fn child(folder: &Path, seed: u64) {
    let mut chance = Dice(seed);
    let mind = mind(seed);
    // Once elsewhere: the first sleep of a process makes its patterns, which takes longer than ten later ones.
    let elsewhere = folder.join(format!("elsewhere-{}", std::process::id()));
    std::fs::create_dir_all(&elsewhere).unwrap();
    let first = sleeper(&elsewhere, 1000);
    first.log(&[Said::new("user", "word n000000 of many")], Utc::now()).unwrap();
    dream_once_at(&first, &mind, &Utc::now).unwrap();
    loop {
        let sleeper = sleeper(&folder.join("life"), 100 + chance.below(400));
        let word = match sleeper.act(1).and_then(|_| dream_once_at(&sleeper, &mind, &Utc::now)) {
            Ok(report) if report.recovered.is_some() => "R",
            Ok(report) => match report.outcome {
                Outcome::LockHeld => "H",
                Outcome::Appended if report.passes.len() > 1 => "D",
                Outcome::Appended => "A",
                _ => "0",
            },
            Err(error) => {
                add(&folder.join("errors"), format!("{error} {error:?}\n").as_bytes());
                "E"
            }
        };
        add(&folder.join("sleeps"), word.as_bytes());
        std::thread::sleep(Duration::from_micros(if word == "H" { 500 } else { 50 }));
    }
}

#[derive(Default)]
struct Counts {
    kills: u64,
    /// Kills that left an intent behind.
    while_committing: u64,
    words: u64,
    lives: u64,
    sleeps: BTreeMap<char, u64>,
}

pub(crate) fn run() -> bool {
    let mut score = Score::new("sleepers");
    let mut counts = Counts::default();
    let mut chance = Dice::fresh();
    while score.goes_on() {
        live(&mut score, &mut counts, &mut chance);
        counts.lives += 1;
    }
    let of = |word| counts.sleeps.get(&word).copied().unwrap_or(0);
    let text = format!(
        "{} lives, {} kills, {} of them inside a commit, {} sleeps ({} dreams, {} and a deep sleep, {} recovered), {} words",
        counts.lives,
        counts.kills,
        counts.while_committing,
        counts.sleeps.values().sum::<u64>(),
        of('A'),
        of('D'),
        of('R'),
        counts.words
    );
    let enough = [
        ("kills", counts.kills, each_second(2)),
        ("kills inside a commit", counts.while_committing, each_second(1) / 2),
        ("words", counts.words, each_second(2)),
    ];
    score.finish(&text, &enough)
}

/// Waits for one that sleeps, or for one that commits, and then a moment; returns whom to kill. What a killed one left
/// behind is not waited for.
fn aim(life: &Path, sleepers: &[Child], chance: &mut Dice) -> usize {
    let sleeps = || holder(life).and_then(|pid| sleepers.iter().position(|sleeper| sleeper.id() == pid));
    let (for_a_commit, patience) = (chance.one_in(2), Instant::now() + Duration::from_secs(1));
    let is_there = || sleeps().is_some() && (!for_a_commit || life.join(INTENT).exists());
    while !is_there() && Instant::now() < patience {
        std::thread::sleep(Duration::from_micros(20));
    }
    let longest = 1 << chance.below(if for_a_commit { 15 } else { 18 });
    std::thread::sleep(Duration::from_micros(chance.below(longest)));
    sleeps().unwrap_or_else(|| chance.below(sleepers.len()))
}

/// One workspace: words come in, sleepers dream and die, and at last somebody looks.
fn live(score: &mut Score, counts: &mut Counts, chance: &mut Dice) {
    let folder = scratch(counts.lives);
    let root = folder.path();
    let life = root.join("life");
    std::fs::create_dir_all(&life).unwrap();
    let another = |chance: &mut Dice| start(&format!("sleeps {}", chance.roll()), root);
    let mut sleepers: Vec<Child> = (0..SLEEPERS).map(|_| another(chance)).collect();
    let (awake, person) = (sleeper(&life, 1000), FileWorkspace::open(&life).unwrap());
    let observations = DocName::parse("self/observations.md").unwrap();
    let (mut words, mut lines) = (0, 0);
    let begun = Instant::now();
    while words < WORDS && begun.elapsed() < Duration::from_secs(6) && (words < 20 || score.goes_on()) {
        for _ in 0..=chance.below(2) {
            awake
                .log(&[Said::new("user", format!("word n{words:06} of many")).calls(1)], Utc::now())
                .unwrap();
            words += 1;
        }
        if chance.one_in(4) {
            person.append(&observations, format!("Line {lines} of a person.\n").as_bytes()).unwrap();
            lines += 1;
        }
        let at = aim(&life, &sleepers, chance);
        if let Some(status) = sleepers[at].try_wait().unwrap() {
            score.violation(format!("a sleeper ended by itself, {status}: {}", read(&root.join("stderr"))));
        }
        end(&mut sleepers[at]);
        counts.kills += 1;
        counts.while_committing += u64::from(life.join(INTENT).exists());
        sleepers[at] = another(chance);
    }
    sleepers.iter_mut().for_each(end);
    counts.words += words;
    for word in read(&root.join("sleeps")).chars() {
        *counts.sleeps.entry(word).or_default() += 1;
    }
    let errors = read(&root.join("errors"));
    score.check(errors.is_empty(), || format!("errors without a fault: {errors}"));
    let mut wrong = Vec::new();
    match drain(&life, chance) {
        Ok(()) => wrong.extend(whole(&life, words, lines)),
        Err(what) => wrong.push(what),
    }
    for what in wrong {
        let kept = keep(root);
        score.violation(format!("{what}: {kept}"));
    }
}

/// Sleeps undisturbed until nothing waits.
fn drain(life: &Path, chance: &mut Dice) -> Result<(), String> {
    let mind = mind(chance.roll());
    for _ in 0..500 {
        let report = dream_once_at(&sleeper(life, 1000), &mind, &Utc::now)
            .map_err(|error| format!("a quiet sleep: {error:?}"))?;
        match report.outcome {
            Outcome::NothingNew => return Ok(()),
            Outcome::Appended => {}
            other => return Err(format!("a quiet sleep ends with {other:?}")),
        }
    }
    Err("the conversation never ends".to_owned())
}

/// Returns the faults of a workspace without a running dream.
fn whole(life: &Path, words: u64, lines: u64) -> Vec<String> {
    let mut wrong = Vec::new();
    let file = |name: &str| read(&life.join("self").join(name));
    let (observations, archive) = (file("observations.md"), file("archive.md"));
    let mut told: BTreeMap<u64, u64> = BTreeMap::new();
    for text in [&observations, &archive] {
        for (_, entry) in Observations::parse(text.as_str()).entries() {
            let rest = entry.text.strip_prefix("Noted n").unwrap_or_default();
            let is_whole = rest.len() == "000000 in w00000.".len() && rest[6..].starts_with(" in w");
            match rest.get(..6).and_then(|number| number.parse().ok()).filter(|_| is_whole) {
                Some(number) => *told.entry(number).or_default() += 1,
                None => wrong.push(format!("a torn observation: {entry}")),
            }
        }
    }
    for number in 0..words {
        let times = told.get(&number).unwrap_or(&0);
        if *times != 1 {
            wrong.push(format!("word {number} is noted {times} times"));
        }
    }
    if archive.contains("RED") {
        wrong.push("RED was pruned".to_owned());
    }
    for line in 0..lines {
        let times = observations.matches(&format!("Line {line} of a person.\n")).count();
        if times != 1 {
            wrong.push(format!("a person's line {line} stands {times} times"));
        }
    }
    let mut records = |name: &str| -> Vec<Value> {
        let (text, mut records) = (file(name), Vec::new());
        for line in text.lines() {
            match serde_json::from_str(line) {
                Ok(record) => records.push(record),
                Err(error) => wrong.push(format!("{name}: {error}: {line}")),
            }
        }
        records
    };
    let dreams = records("dreams.jsonl");
    let numbers: Vec<u64> = dreams.iter().filter_map(|dream| dream["dream"].as_u64()).collect();
    let count = numbers.len() as u64;
    let checkpoints = records("iterations.jsonl").len() as u64;
    let log = read(&life.join(".dreaming.d/log.jsonl"));
    if !numbers.iter().copied().eq(1..=count) {
        wrong.push(format!("dreams {numbers:?}"));
    }
    let diary = file("diary.md");
    let headings = diary.lines().filter(|line| line.starts_with("## "));
    let slept: Vec<u64> = headings.filter_map(|line| line.rsplit_once(", dream ")?.1.parse().ok()).collect();
    // One that was killed is made up for after a later dream.
    let deep = slept.len() as u64;
    let is_in_turn = slept.windows(2).all(|pair| pair[0] / DEEP < pair[1] / DEEP);
    let last = slept.last().copied().unwrap_or(0);
    if !is_in_turn || slept.contains(&0) || last / DEEP != count / DEEP {
        wrong.push(format!("deep sleeps after {slept:?} of {count} dreams"));
    }
    let entries = (diary.matches("A day in w").count() as u64, diary.matches("The end.\n").count() as u64);
    if entries != (deep, deep) || checkpoints != count + deep {
        wrong.push(format!("{deep} deep sleeps, {entries:?} entries, {checkpoints} checkpoints"));
    }
    let logged = log.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count() as u64;
    if logged != count + deep {
        wrong.push(format!("{logged} lines of the log for {count} dreams and {deep} deep sleeps"));
    }
    let state: Value = serde_json::from_str(&read(&life.join(".dreaming.d/sleep.json"))).unwrap_or_default();
    if state["dreams"] != count || state["last_deep"] != last {
        wrong.push(format!("state {state}"));
    }
    if life.join(INTENT).exists() {
        wrong.push("an intent is left".to_owned());
    }
    wrong.extend(unfinished(life).into_iter().map(|path| format!("{} is left", path.display())));
    wrong
}
