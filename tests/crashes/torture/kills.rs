//! Kill -9 at random, over commit, quarantine and recovery, with several tickers at once; in every other life also over
//! undo, redo and the move to the archive.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::Utc;
use noctuary::dream::{DreamMode, Evidence, OverBudget, SectionCaps};
use noctuary::format::DreamId;
use noctuary::gate::{Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
use noctuary::{
    Access, DocName, DreamConfig, Error, FileWorkspace, JournalDreamer, LlmClient, LlmError, LlmReply,
    LlmRequest, Outcome, Scope, Workspace, dream_once_at, llm_fn,
};

use super::kit::{Score, add, each_second, end, is_long, read, scratch, start, stretched, unfinished};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::dreaming::{self, KEY};

/// How many tickers run at once.
const TICKERS: usize = 3;
/// How many lines a life has: a longer one only makes each tick slower.
const LINES: u64 = 250;
const LOCK: &str = ".dreaming.lock";
const INTENT: &str = ".dreaming.d/intent.json";
const MEMORY: &str = "# Memory\n\n- Operator line 0.\n";

/// Answers each numbered line in a wording of its own, and gives a key away where it is shown a leak.
pub(crate) fn model(seed: u64, leaks: bool) -> impl LlmClient {
    let asked = AtomicU64::new(0);
    llm_fn(move |request: &LlmRequest| -> Result<LlmReply, LlmError> {
        let mut chance = Dice(seed ^ asked.fetch_add(1, Ordering::SeqCst).rotate_left(40));
        if leaks && chance.one_in(20) {
            return Err(LlmError::new("no route"));
        }
        let lines = dreaming::seen(request);
        if leaks && lines.iter().any(|line| line.text.contains("leak marker")) {
            return Ok(LlmReply::new(format!("- The key is {KEY}.")));
        }
        let told = lines.iter().filter_map(|line| {
            let (_, number) = line.text.split_once("note n")?;
            let number = number.split(' ').next()?;
            let wording = chance.below(90_000) + 10_000;
            let (journal, at) = (&line.journal, line.number);
            Some(format!("- Note n{number} came in wording w{wording}. ({journal}#L{at})\n"))
        });
        let answer: String = told.collect();
        Ok(LlmReply::new(if answer.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { answer }))
    })
}

pub(crate) fn dreamer(life: &Path, chance: &mut Dice) -> JournalDreamer {
    let budget = 200 + chance.below(4000);
    unscanned(Arc::new(FileWorkspace::open(life).unwrap()), |config| {
        config.evidence = Evidence::Off;
        config.section = SectionCaps::new(100_000, 500, 1 << 24);
        config.budget.max_calls_per_day = None;
        config.budget.back_off = None;
        config.total_input_bytes = budget;
        config.max_file_bytes = budget.max(200);
        config.claim.settle = Duration::from_millis(5);
    })
}

/// A dreamer whose memory is small.
fn archiver(life: &Path, chance: &mut Dice) -> JournalDreamer {
    let mut config = dreamer(life, chance).config().clone();
    config.over_budget = OverBudget::Archive;
    config.memory_budget = 200 + chance.below(20_000);
    unscanned(Arc::new(FileWorkspace::open(life).unwrap()), |standing| *standing = config)
}

/// A dreamer that looks for no instructions in an answer: it writes nothing for them, and the patterns are not made in
/// the little time that a ticker lives.
pub(crate) fn unscanned(
    workspace: Arc<dyn Workspace>,
    change: impl FnOnce(&mut DreamConfig),
) -> JournalDreamer {
    let doors = Doors::default()
        .policy(Door::DreamReply, DoorPolicy::new(SecretPolicy::Reject, InjectionPolicy::Allow));
    let dreamer = JournalDreamer::builder(workspace).enabled(true).doors(doors);
    dreamer.configure(|config| config.window_days = None).configure(change).build().unwrap()
}

/// Takes a dream back or brings one back, any that the log knows; says which word it adds to the ticks.
fn change_of_mind(
    life: &Path,
    dreamer: &JournalDreamer,
    chance: &mut Dice,
) -> noctuary::Result<&'static str> {
    let human = Access::human(Scope::user("marta"));
    let log = read(&life.join(".dreaming.d/log.jsonl"));
    let lines = log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let words = ["appended", "undone", "redone"];
    let lines = lines.filter(|line| words.iter().any(|word| line["outcome"] == **word));
    let last: BTreeMap<String, bool> = lines
        .map(|line| (line["id"].as_str().unwrap_or_default().to_owned(), line["outcome"] == "undone"))
        .collect();
    if last.is_empty() {
        return Ok("0");
    }
    let at = chance.below(last.len());
    let (id, is_undone) = last.into_iter().nth(at).unwrap();
    let id = DreamId::parse(&id).unwrap();
    let (done, word) = if is_undone {
        (dreamer.redo_dream(&human, &id, Utc::now()), "B")
    } else {
        (dreamer.undo_dream(&human, &id, Utc::now()), "U")
    };
    match done {
        Ok(true) => Ok(word),
        Ok(false) | Err(Error::DreamStays { .. } | Error::Refused { .. }) => Ok("0"),
        Err(Error::Busy { .. }) => Ok("H"),
        Err(Error::LeaseLost(_)) => Ok("L"),
        Err(error) => Err(error),
    }
}

/// Ticks until it is killed; with a `mind` that changes it takes dreams back too, and moves some to the archive.
pub(crate) fn child(folder: &Path, seed: u64, mind: bool) {
    let mut chance = Dice(seed);
    let model = model(seed, true);
    // Once elsewhere, where nothing is written: the first night of a process makes its patterns, which takes
    // longer than ten later nights.
    let elsewhere = Arc::new(FileWorkspace::open(folder.join("elsewhere")).unwrap());
    let preview = unscanned(elsewhere, |config| config.mode = DreamMode::Preview);
    dream_once_at(&preview, &model, &Utc::now).unwrap();
    loop {
        let life = folder.join("life");
        let dreamer =
            if mind && chance.one_in(4) { archiver(&life, &mut chance) } else { dreamer(&life, &mut chance) };
        let done = if mind && chance.one_in(2) {
            change_of_mind(&life, &dreamer, &mut chance)
        } else {
            tick(&dreamer, &model, &mut chance)
        };
        let word = done.unwrap_or_else(|error| {
            add(&folder.join("errors"), format!("{error} {error:?}\n").as_bytes());
            "E"
        });
        add(&folder.join("ticks"), word.as_bytes());
        std::thread::sleep(Duration::from_micros(if word == "H" { 500 } else { 50 }));
    }
}

/// Dreams once; says how that ended in a letter.
fn tick(
    dreamer: &JournalDreamer,
    model: &dyn LlmClient,
    chance: &mut Dice,
) -> noctuary::Result<&'static str> {
    // A person gives some back unmended, and they are quarantined again.
    if chance.one_in(8) {
        release_all(dreamer)?;
    }
    let report = dream_once_at(dreamer, model, &Utc::now)?;
    Ok(match report.outcome {
        _ if report.recovered.is_some() => "R",
        Outcome::LockHeld => "H",
        Outcome::Appended => "A",
        Outcome::Quarantined => "Q",
        Outcome::LeaseLost => "L",
        Outcome::NothingToPromote => "N",
        _ => "0",
    })
}

fn release_all(dreamer: &JournalDreamer) -> noctuary::Result<()> {
    let held = dreamer.quarantine()?;
    let names: Vec<DocName> =
        held.entries().iter().flat_map(|entry| &entry.files).map(|file| file.name.clone()).collect();
    names.iter().try_for_each(|name| dreamer.release(name).map(|_| ()))
}

/// The process that the seed's lock file names: who holds the workspace, or who died with it.
pub(crate) fn holder(life: &Path) -> Option<u32> {
    let lock: serde_json::Value = serde_json::from_slice(&fs::read(life.join(LOCK)).ok()?).ok()?;
    lock["pid"].as_u64()?.try_into().ok()
}

/// Waits for a holder, then perhaps for one that commits, and then a moment of any order of length; returns whom to kill. It
/// waits for a holder for longer than a ticker begins: kills before that would meet no tick.
fn aim(life: &Path, tickers: &[Child], chance: &mut Dice) -> usize {
    let place = |pid: u32| tickers.iter().position(|ticker| ticker.id() == pid);
    let wait = |millis: u64, is_there: &dyn Fn() -> bool| {
        let patience = Instant::now() + stretched(Duration::from_millis(millis));
        while !is_there() && Instant::now() < patience {
            std::thread::sleep(Duration::from_micros(20));
        }
    };
    wait(2000, &|| holder(life).and_then(place).is_some());
    let for_a_commit = chance.one_in(2);
    if for_a_commit {
        wait(50, &|| life.join(INTENT).exists());
    }
    let longest = 1 << chance.below(if for_a_commit { 11 } else { 18 });
    std::thread::sleep(Duration::from_micros(chance.below(longest)));
    // Some die while they begin, or wait.
    let anybody = chance.below(tickers.len());
    if chance.one_in(10) { anybody } else { holder(life).and_then(place).unwrap_or(anybody) }
}

#[derive(Default)]
struct Counts {
    kills: u64,
    /// Kills that left the lock of the killed behind.
    while_holding: u64,
    /// Kills that left an intent behind.
    while_committing: u64,
    lines: u64,
    lost: u64,
    doubled: u64,
    lives: u64,
    ticks: BTreeMap<char, u64>,
}

pub(crate) fn run() -> bool {
    let mut score = Score::new("kills");
    let mut counts = Counts::default();
    let mut chance = Dice::fresh();
    while score.goes_on() {
        live(&mut score, &mut counts, &mut chance);
        counts.lives += 1;
    }
    let of = |word| counts.ticks.get(&word).copied().unwrap_or(0);
    let ticks: u64 = counts.ticks.values().sum();
    let text = format!(
        "{} lives, {} kills, {} of them while holding, {} of these inside a commit, {ticks} whole ticks ({} \
         appended, {} recovered, {} quarantined, {} undone, {} redone, {} held), {} lines, {} lost, {} doubled",
        counts.lives,
        counts.kills,
        counts.while_holding,
        counts.while_committing,
        of('A'),
        of('R'),
        of('Q'),
        of('U'),
        of('B'),
        of('H'),
        counts.lines,
        counts.lost,
        counts.doubled
    );
    let enough = [
        ("kills", counts.kills, each_second(8)),
        ("kills while holding", counts.while_holding, each_second(4)),
        ("kills inside a commit", counts.while_committing, each_second(1) / 2),
        ("lines", counts.lines, each_second(8)),
        ("ticks", ticks, each_second(15)),
        ("dreams taken back", of('U'), u64::from(is_long())),
    ];
    score.finish(&text, &enough)
}

/// Makes the life that tickers share, and the one that each begins with.
pub(crate) fn prepare(root: &Path) {
    for place in ["life", "elsewhere"] {
        fs::create_dir_all(root.join(place).join("memory")).unwrap();
        fs::write(root.join(place).join("MEMORY.md"), MEMORY).unwrap();
    }
    add(&root.join("elsewhere/memory/2025-03-01-a.md"), b"- [user] note n000000 of the day\n");
}

/// One workspace: lines come in, tickers dream and die, and at last somebody looks.
fn live(score: &mut Score, counts: &mut Counts, chance: &mut Dice) {
    let folder = scratch(counts.lives);
    let root = folder.path();
    let life = root.join("life");
    prepare(root);
    // Every other life is on the disk: two of each kind, in turn.
    let mind = counts.lives % 4 < 2;
    let another = |chance: &mut Dice| start(&format!("ticks {} {mind}", chance.roll()), root);
    let mut tickers: Vec<Child> = (0..TICKERS).map(|_| another(chance)).collect();
    let (mut numbered, mut operator) = (0, 1);
    let begun = Instant::now();
    while numbered < LINES
        && begun.elapsed() < stretched(Duration::from_secs(6))
        && (numbered < 20 || score.goes_on())
    {
        let at = aim(&life, &tickers, chance);
        if let Some(status) = tickers[at].try_wait().unwrap() {
            score.violation(format!("a ticker ended by itself, {status}: {}", read(&root.join("stderr"))));
        }
        let pid = tickers[at].id();
        end(&mut tickers[at]);
        counts.kills += 1;
        if holder(&life) == Some(pid) {
            counts.while_holding += 1;
            counts.while_committing += u64::from(life.join(INTENT).exists());
        }
        tickers[at] = another(chance);
        for _ in 0..5 {
            let day = chance.below(9) + 1;
            let journal = life.join(format!("memory/2025-03-{day:02}-s{}.md", chance.below(2)));
            match chance.below(60) {
                0 => add(&journal, format!("- [tool] leak marker {KEY}\n").as_bytes()),
                1..=3 => add(&journal, b"- [tool] nothing to see\n"),
                4..=8 => {
                    let told = format!("- Operator line {operator}.\n");
                    if mind {
                        // An undo replaces the file: an editor that asks nobody may come in between.
                        let workspace = FileWorkspace::open(&life).unwrap();
                        workspace.append(&DocName::MEMORY, told.as_bytes()).unwrap();
                    } else {
                        add(&life.join("MEMORY.md"), told.as_bytes());
                    }
                    operator += 1;
                }
                9..=25 => {
                    add(&journal, format!("- [user] note n{numbered:06} of the day\n").as_bytes());
                    numbered += 1;
                }
                _ => {}
            }
        }
    }
    tickers.iter_mut().for_each(end);
    counts.lines += numbered;
    for word in read(&root.join("ticks")).chars() {
        *counts.ticks.entry(word).or_default() += 1;
    }
    let errors = read(&root.join("errors"));
    score.check(errors.is_empty(), || format!("errors without a fault: {errors}"));
    if let Err(what) = drain(&life, chance) {
        score.violation(what);
        return;
    }
    let archive = read(&life.join("memory/archive/dreamed.md"));
    let told = numbers(&(read(&life.join("MEMORY.md")) + &archive));
    for number in 0..numbered {
        match told.get(&number) {
            None => counts.lost += 1,
            Some(1) => continue,
            Some(_) => counts.doubled += 1,
        }
        let kept = keep(root);
        score.violation(format!("line {number} stands {} times: {kept}", told.get(&number).unwrap_or(&0)));
    }
    for what in whole(&life) {
        score.violation(what);
    }
    let memory = read(&life.join("MEMORY.md"));
    score.check(memory.starts_with(MEMORY), || "what stood in memory at first stands no more".to_owned());
    let mut from = 0;
    for line in 0..operator {
        match memory[from..].find(&format!("- Operator line {line}.\n")) {
            Some(at) => from += at + 1,
            None => score.violation(format!("operator line {line} is gone or out of order")),
        }
    }
}

/// Keeps a workspace that shows a violation.
pub(crate) fn keep(root: &Path) -> String {
    let kept = std::env::temp_dir().join(format!("noctuary-torture-{}", std::process::id()));
    if !kept.exists() {
        let _ = std::process::Command::new("cp").arg("-r").arg(root).arg(&kept).status();
    }
    kept.display().to_string()
}

/// Releases what is in quarantine, and dreams undisturbed until nothing waits.
pub(crate) fn drain(life: &Path, chance: &mut Dice) -> Result<(), String> {
    let model = model(chance.roll(), false);
    for _ in 0..2000 {
        let dreamer = dreamer(life, chance);
        release_all(&dreamer).map_err(|error| format!("a release: {error}"))?;
        let report =
            dream_once_at(&dreamer, &model, &Utc::now).map_err(|error| format!("a clean tick: {error:?}"))?;
        if report.outcome == Outcome::LockHeld {
            return Err(format!("a clean tick finds the workspace held: {:?}", report.holder));
        }
        if report.outcome == Outcome::NothingNew && report.backlog.bytes == 0 {
            return Ok(());
        }
    }
    Err("the backlog never ends".to_owned())
}

/// How often each numbered line stands in memory.
pub(crate) fn numbers(memory: &str) -> BTreeMap<u64, u64> {
    let mut told = BTreeMap::new();
    for (at, mark) in memory.match_indices("Note n") {
        let rest = &memory[at + mark.len()..];
        if let Some((number, rest)) = rest.split_at_checked(6)
            && let Some(rest) = rest.strip_prefix(" came in wording w")
            && rest.split_once(". (").is_some_and(|(wording, _)| wording.len() == 5)
            && let Ok(number) = number.parse()
        {
            *told.entry(number).or_default() += 1;
        }
    }
    told
}

/// Returns the faults of a workspace without a running dream.
pub(crate) fn whole(life: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let memory = read(&life.join("MEMORY.md"));
    for (at, mark) in memory.match_indices("<!-- dream:v1 id=") {
        let id = &memory[at + mark.len()..][..16];
        if !memory[at..].contains(&format!("<!-- /dream:v1 id={id} -->")) {
            wrong.push(format!("section {id} is torn"));
        }
    }
    let undone = ".dreaming.d/history/undone.json";
    for file in [".dreamed-state.json", ".dreamed-quarantine.json", ".dreaming.d/ledger.json", undone] {
        let text = read(&life.join(file));
        if !text.is_empty() && serde_json::from_str::<serde_json::Value>(&text).is_err() {
            wrong.push(format!("{file} does not parse: {text}"));
        }
    }
    for file in [INTENT, LOCK] {
        if life.join(file).exists() {
            wrong.push(format!("{file} is left"));
        }
    }
    wrong.extend(unfinished(life).into_iter().map(|path| format!("{} is left", path.display())));
    wrong
}
