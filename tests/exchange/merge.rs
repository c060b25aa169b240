//! Two and three machines with one life: random days, nights and syncs against a model of what a person expects.

#![expect(clippy::case_sensitive_file_extension_comparisons, reason = "the names in here are lower case")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Duration, Utc};
use noctuary::dream::{DreamMode, DreamStanding, OverBudget};
use noctuary::exchange::{Forget, Merge, MergeConflictKind, MergePlan};
use noctuary::format::JournalName;
use noctuary::life::Consent;
use noctuary::testing::{Fault, Faults, FaultyDisk, cases};
use noctuary::{
    Access, FileWorkspace, JournalDreamer, LifeConfig, LlmReply, LlmRequest, Scope, Workspace, llm_fn,
};

use crate::exchange::{put, text};
use noctuary_tests::common::each;
use noctuary_tests::dreaming::{Life, dream, dreamer_over, name, night, seen};

/// The files that are of one machine.
fn travelling(life: &Life) -> BTreeMap<String, Vec<u8>> {
    let mut tree = life.tree();
    tree.retain(|path, _| {
        !path.ends_with("guard") && path != ".dreaming.lock" && !path.ends_with(".gitignore")
    });
    tree
}

fn plan(base: Option<&Life>, one: &Life, other: &Life) -> MergePlan {
    let (one, other) = (one.quick_workspace(), other.quick_workspace());
    let base = base.map(Life::quick_workspace);
    let merge = Merge::new(one.as_ref(), other.as_ref());
    match &base {
        Some(base) => merge.base(base.as_ref()).plan().unwrap(),
        None => merge.plan().unwrap(),
    }
}

fn merged(base: Option<&Life>, one: &Life, other: &Life) -> (Life, MergePlan) {
    let out = Life::empty();
    let plan = plan(base, one, other);
    plan.write(out.quick_workspace().as_ref()).unwrap();
    (out, plan)
}

/// Promotes each stone that it is shown, in the words of its machine.
fn promotes(request: &LlmRequest, machine: usize) -> LlmReply {
    let mut lines = Vec::new();
    for line in seen(request) {
        if let Some(at) = line.text.find("Stone q") {
            let said = &line.text[at..];
            let front = if machine == 1 { "We know: " } else { "" };
            lines.push(format!("- {front}{said} ({}#L{})", line.journal, line.number));
        }
    }
    LlmReply::new(if lines.is_empty() { "NOTHING_TO_PROMOTE".to_owned() } else { lines.join("\n") })
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// What a person may expect of a life.
#[derive(Default)]
struct Expected {
    stones: usize,
    forgotten: BTreeSet<usize>,
    undone: BTreeSet<String>,
    /// Whether any dream was taken back: its journals are shown again.
    gave_back: bool,
    /// The person's own lines, and whether somebody took each out.
    mine: BTreeMap<String, bool>,
    conflicts: usize,
    /// Whether files of different moments stood together on a machine.
    partial: bool,
    /// Whether a night left its lines to a person.
    proposed: bool,
    /// The nights of proposals that a person accepted: what another night says in other words by then, the person wants so too.
    accepted: BTreeSet<String>,
}

/// What happens in a history, beside notes, dreams, edits and syncs.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each switches one thing")]
struct Kind {
    /// The days by which the clocks of the machines are off.
    days: [i64; 3],
    proposals: bool,
    archives: bool,
    /// Whether a session writes under the name of a journal that was moved away.
    reuses: bool,
    /// Whether memory has a budget, beyond which its oldest sections are moved away.
    compacts: bool,
    partial: bool,
    crashes: bool,
}

impl Kind {
    fn of(seed: u64) -> Self {
        let is = |part: u64, of: u64| (seed / part).is_multiple_of(of);
        let days = if is(1, 3) { [0, -3, 2] } else { [0; 3] };
        Self {
            days,
            proposals: is(2, 4),
            archives: is(1, 2),
            reuses: is(7, 2),
            compacts: is(4, 3),
            partial: is(3, 3),
            crashes: is(5, 3),
        }
    }
}

struct World {
    kind: Kind,
    machines: Vec<Life>,
    /// What machines were at some time when two were the same, and of which of them each came.
    moments: Vec<Life>,
    past: Vec<BTreeSet<usize>>,
    expected: Expected,
    now: DateTime<Utc>,
}

fn stone(number: usize) -> String {
    format!("Stone q{number} lies in harbour h{number}.")
}

impl World {
    fn new(machines: usize, kind: Kind) -> Self {
        let first = Life::empty();
        first.put("MEMORY.md", "# Memory\n\n- Known already.\n");
        let machines: Vec<Life> = (0..machines).map(|_| first.copy()).collect();
        let past = machines.iter().map(|_| BTreeSet::from([0])).collect();
        Self { kind, machines, moments: vec![first], past, expected: Expected::default(), now: night(10) }
    }

    /// The clock of a machine, which may be hours off.
    fn clock(&self, machine: usize) -> DateTime<Utc> {
        self.now + Duration::hours([0, -5, 3][machine]) + Duration::days(self.kind.days[machine])
    }

    /// Adds to a file; its time of change is by the clock of the machine.
    fn append(&self, machine: usize, file: &str, text: &str) {
        self.machines[machine].quick_workspace().append(&name(file), text.as_bytes()).unwrap();
        let now = self.clock(machine).timestamp_nanos_opt().unwrap();
        self.machines[machine].set_modified(file, u64::try_from(now).unwrap());
    }

    fn step(&mut self, random: &mut Random) {
        let machine = random.below(self.machines.len());
        self.now += Duration::minutes(7);
        let now = self.clock(machine);
        let workspace = self.machines[machine].quick_workspace();
        let what = random.below(14);
        told(|| format!("machine {machine}, step {what}, {now}"));
        match what {
            12 if self.kind.archives => return self.archive(machine, random),
            13 if self.kind.proposals => return self.propose(machine, random),
            12 | 13 => return,
            _ => {}
        }
        match random.below(12) {
            0..=3 => {
                self.expected.stones += 1;
                let session = ["repl".to_owned(), format!("m{machine}")][random.below(2)].clone();
                let archived = self.machines[machine].documents().into_keys();
                let session = match archived.filter(|path| path.starts_with("memory/archive/log-")).count() {
                    count if count > 0 && !self.kind.reuses => format!("{session}-{count}"),
                    _ => session,
                };
                let journal = format!("memory/{}-{session}.md", self.now.date_naive());
                let line = format!(
                    "- [{}] [user] Decision: {}\n",
                    now.format("%H:%M:%S"),
                    stone(self.expected.stones)
                );
                self.append(machine, &journal, &line);
            }
            4 | 5 => self.dream(machine),
            6 => {
                let dreamer = dreamer_over(workspace.clone(), |_| {});
                let dreams = dreamer.dreams().unwrap();
                let whole: Vec<_> =
                    dreams.iter().filter(|dream| dream.standing == DreamStanding::Whole).collect();
                if !whole.is_empty() {
                    let id = &whole[random.below(whole.len())].id;
                    let human = Access::human(Scope::user("marta"));
                    match dreamer.undo_dream(&human, id, now) {
                        Ok(true) => {
                            UNDONE.fetch_add(1, Ordering::Relaxed);
                            self.expected.undone.insert(id.to_string());
                            self.expected.gave_back = true;
                        }
                        Ok(false) => {}
                        Err(_) => {
                            STAYED.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            }
            7 if self.expected.stones > 0 => {
                let number = 1 + random.below(self.expected.stones);
                let words = stone(number);
                let is_here = self.machines[machine]
                    .documents()
                    .values()
                    .any(|bytes| String::from_utf8_lossy(bytes).contains(&words));
                if is_here {
                    let human = Access::human(Scope::user("marta"));
                    Forget::new(&human, words).in_files(true).workspace(workspace.as_ref()).run(now).unwrap();
                    self.expected.forgotten.insert(number);
                }
            }
            8 | 9 => self.edit(machine, random),
            _ => {
                let other = (machine + 1 + random.below(self.machines.len() - 1)) % self.machines.len();
                self.sync(machine, other, Some(random));
            }
        }
    }

    /// A person moves a journal away that was dreamed whole.
    fn archive(&mut self, machine: usize, random: &mut Random) {
        self.dream(machine);
        let journals: Vec<String> = self.machines[machine].documents().into_keys().collect();
        let journals: Vec<JournalName> = journals
            .iter()
            .filter(|path| !path.ends_with('/'))
            .filter_map(|path| JournalName::parse(&name(path)))
            .collect();
        if journals.is_empty() {
            return;
        }
        let journal = journals[random.below(journals.len())].clone();
        let config = LifeConfig::default();
        let life = noctuary::Life::new(self.machines[machine].quick_workspace(), config);
        let human = Access::human(Scope::user("marta"));
        let consent = Consent::given(&human, journal.clone()).unwrap();
        let to = life.archive_journal(&journal, Some(&consent), self.clock(machine)).unwrap();
        assert!(to.as_str().starts_with("memory/archive/log-"));
        ARCHIVED.fetch_add(1, Ordering::Relaxed);
    }

    /// A night leaves its lines to a person, who accepts the first proposal that waits or rejects it.
    fn propose(&mut self, machine: usize, random: &mut Random) {
        self.expected.proposed = true;
        let now = self.clock(machine);
        let dreamer = self.dreamer(machine, DreamMode::Propose);
        let before = self.log(machine);
        dream(&dreamer, &llm_fn(|request| Ok(promotes(request, machine))), now);
        let human = Access::human(Scope::user("marta"));
        let Some(first) = dreamer.proposals(&human, now).unwrap().into_iter().next() else { return };
        match random.below(3) {
            0 => {
                dreamer.accept_proposal(&human, &first.id, now).unwrap();
                self.expected.accepted.insert(first.id.to_string());
            }
            1 => assert!(dreamer.reject_proposal(&human, &first.id, now).unwrap()),
            _ => {}
        }
        self.promoted_again(machine, &before);
    }

    fn dreamer(&self, machine: usize, mode: DreamMode) -> JournalDreamer {
        dreamer_over(self.machines[machine].quick_workspace(), |config| {
            config.mode = mode;
            if self.kind.compacts {
                (config.memory_budget, config.over_budget) = (900, OverBudget::Archive);
            }
        })
    }

    fn dream(&mut self, machine: usize) {
        let dreamer = self.dreamer(machine, DreamMode::Append);
        let before = self.log(machine);
        dream(&dreamer, &llm_fn(|request| Ok(promotes(request, machine))), self.clock(machine));
        self.promoted_again(machine, &before);
    }

    fn log(&self, machine: usize) -> Vec<serde_json::Value> {
        let (life, path) = (&self.machines[machine], ".dreaming.d/log.jsonl");
        let text = if life.has(path) { life.text(path) } else { String::new() };
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Expects a dream that was taken back where a machine that knows of it has dreamed the same journals again, or a person has accepted
    /// that of a proposal.
    fn promoted_again(&mut self, machine: usize, before: &[serde_json::Value]) {
        let is_line =
            |line: &serde_json::Value, id: &str, word: &str| line["id"] == id && line["outcome"] == word;
        let after = self.log(machine);
        self.expected.undone.retain(|id| {
            let is_known = before.iter().any(|line| is_line(line, id, "undone"));
            !(is_known && after[before.len()..].iter().any(|line| is_line(line, id, "appended")))
        });
    }

    fn edit(&mut self, machine: usize, random: &mut Random) {
        let workspace = self.machines[machine].quick_workspace();
        let memory = text(workspace.as_ref(), "MEMORY.md");
        let mine: Vec<&str> = memory.lines().filter(|line| line.starts_with("- Mine ")).collect();
        let mut lines: Vec<String> = memory.lines().map(str::to_owned).collect();
        if random.below(3) == 0 && !mine.is_empty() {
            let gone = mine[random.below(mine.len())].to_owned();
            lines.retain(|line| *line != gone);
            self.expected.mine.insert(gone, true);
        } else {
            let line = format!("- Mine {} m{machine}.", self.expected.mine.len());
            let at = if random.below(2) == 0 { 2 } else { lines.len() };
            lines.insert(at, line.clone());
            self.expected.mine.insert(line, false);
        }
        put(workspace.as_ref(), "MEMORY.md", &(lines.join("\n") + "\n"));
    }

    /// Brings two machines together. With `random`, the merge may crash and be done again, or a tool may bring one machine a
    /// part of the files only.
    fn sync(&mut self, a: usize, b: usize, random: Option<&mut Random>) {
        told(|| format!("sync of {a} and {b}"));
        let last = self.past[a].intersection(&self.past[b]).max().copied().unwrap();
        let base = &self.moments[last];
        let (out, there) = merged(Some(base), &self.machines[a], &self.machines[b]);
        let (mirrored, _) = merged(Some(base), &self.machines[b], &self.machines[a]);
        let (here, mirror) = (travelling(&out), travelling(&mirrored));
        let differ: Vec<_> = here
            .iter()
            .filter(|(path, bytes)| mirror.get(*path) != Some(bytes))
            .map(|(path, _)| path)
            .collect();
        let memory = |life: &Life| text(life.quick_workspace().as_ref(), "MEMORY.md");
        assert!(
            here == mirror,
            "it matters who merges: {differ:?}\n{}\n=====\n{}",
            memory(&out),
            memory(&mirrored)
        );
        for conflict in there.conflicts() {
            assert!(matches!(conflict.kind, MergeConflictKind::Lines(_)), "{conflict}");
            self.expected.conflicts += 1;
        }
        if !there.conflicts().is_empty() {
            // The person keeps both versions, a line of both once.
            let workspace = out.quick_workspace();
            let memory = text(workspace.as_ref(), "MEMORY.md");
            let (mut kept, mut first): (Vec<&str>, Option<usize>) = (Vec::new(), None);
            for line in memory.lines() {
                if line.starts_with("<<<<<<< ") {
                    first = Some(kept.len());
                } else if line.starts_with(">>>>>>> ") {
                    first = None;
                } else if line != "=======" && first.is_none_or(|first| !kept[first..].contains(&line)) {
                    kept.push(line);
                }
            }
            put(workspace.as_ref(), "MEMORY.md", &(kept.join("\n") + "\n"));
        }
        if let Some(random) = random {
            if self.kind.crashes {
                crashed(&there, &here, random);
            }
            if self.kind.partial && random.below(3) == 0 {
                self.expected.partial = true;
                self.arrive(b, &out, random);
                self.machines[a] = out.copy();
                told(|| "a part arrived".to_owned());
                self.past[a].insert(self.moments.len());
                self.moments.push(out);
                return;
            }
        }
        (self.machines[a], self.machines[b]) = (out.copy(), out.copy());
        let mut past: BTreeSet<usize> = self.past[a].union(&self.past[b]).copied().collect();
        past.insert(self.moments.len());
        self.moments.push(out);
        (self.past[a], self.past[b]) = (past.clone(), past);
    }

    /// A tool brings some of the files of a merged life.
    fn arrive(&mut self, machine: usize, out: &Life, random: &mut Random) {
        PARTIAL.fetch_add(1, Ordering::Relaxed);
        for (path, bytes) in travelling(out) {
            if !path.ends_with('/') && random.below(2) == 0 {
                self.machines[machine].put(&path, bytes);
                let now = self.clock(machine).timestamp_nanos_opt().unwrap();
                self.machines[machine].set_modified(&path, u64::try_from(now).unwrap());
            }
        }
    }

    /// The memory of the first machine, and what was moved out of it.
    fn promoted(&self) -> String {
        let archive =
            if self.machines[0].has(DREAMED) { self.machines[0].text(DREAMED) } else { String::new() };
        self.machines[0].memory() + &archive
    }

    /// Returns how often a stone may stand in memory: once more where a person has accepted a night that says it.
    fn most(&self, memory: &str, words: &str) -> usize {
        let says_it = |id: &String| {
            let section = memory.split_once(&format!("<!-- dream:v1 id={id} ")).map(|(_, rest)| rest);
            section.and_then(|rest| rest.split_once("<!-- /")).is_some_and(|(lines, _)| lines.contains(words))
        };
        1 + usize::from(self.expected.accepted.iter().any(says_it))
    }

    fn check(&mut self, seed: u64) {
        for _ in 0..2 {
            for a in 0..self.machines.len() {
                for b in a + 1..self.machines.len() {
                    self.sync(a, b, None);
                }
            }
        }
        let first = travelling(&self.machines[0]);
        for machine in &self.machines {
            let here = travelling(machine);
            let differ: Vec<_> = here
                .iter()
                .filter(|(path, bytes)| first.get(*path) != Some(bytes))
                .map(|(path, _)| path)
                .collect();
            assert!(here == first, "seed {seed}: machines differ after the last sync: {differ:?}");
        }
        let documents = self.machines[0].documents();
        let memory = self.promoted();
        if self.machines[0].has(DREAMED) {
            let nights = self.machines[0].text(DREAMED).matches("<!-- /dream:v1").count();
            ARCHIVED_NIGHTS.fetch_add(nights, Ordering::Relaxed);
        }
        let journals: String = documents
            .iter()
            .filter(|(path, _)| path.starts_with("memory/") && *path != DREAMED)
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
            .collect();
        for number in 1..=self.expected.stones {
            let words = stone(number);
            let counts = (journals.matches(&words).count(), memory.matches(&words).count());
            if self.expected.forgotten.contains(&number) {
                assert_eq!(counts, (0, 0), "seed {seed}: {words} is back");
            } else {
                assert_eq!(counts.0, 1, "seed {seed}: {words} in journals\n{journals}");
                let most = self.most(&memory, &words);
                assert!(counts.1 <= most, "seed {seed}: {words} is doubled\n{memory}");
            }
        }
        for id in &self.expected.undone {
            assert!(
                !memory.contains(&format!("dream:v1 id={id} ")),
                "seed {seed}: dream {id} is back\n{memory}"
            );
        }
        for (line, is_gone) in &self.expected.mine {
            let count = memory.lines().filter(|known| known == line).count();
            // What was taken out where half of a sync had arrived may be back.
            let is_open = self.expected.conflicts > 0 || self.expected.partial;
            let right = if *is_gone { count == 0 || is_open } else { count == 1 };
            assert!(right, "seed {seed}: {line} is there {count} times, taken out: {is_gone}\n{memory}");
        }
        // A night over the merged life shows what nobody was shown, and doubles nothing.
        self.now += Duration::days(1);
        self.dream(0);
        let memory = self.promoted();
        for number in (1..=self.expected.stones).filter(|number| !self.expected.forgotten.contains(number)) {
            let count = memory.matches(&stone(number)).count();
            let is_whole = count == 1
                || (count == 2 && self.most(&memory, &stone(number)) == 2)
                || self.expected.gave_back
                || (count == 0 && self.expected.proposed);
            assert!(is_whole, "seed {seed}: {} is there {count} times\n{memory}", stone(number));
        }
    }
}

/// Writes a merge that crashes at some operation, and writes it again: nothing of it is lost or doubled.
fn crashed(plan: &MergePlan, whole: &BTreeMap<String, Vec<u8>>, random: &mut Random) {
    let out = Life::empty();
    let faults = Faults::new();
    let disk = FaultyDisk::new(out.quick_disk(), faults.clone());
    let workspace = FileWorkspace::on_disk(Arc::new(disk));
    faults.arm(1 + random.below(120) as u64, Fault::Crash);
    if plan.write(&workspace).is_err() {
        CRASHED.fetch_add(1, Ordering::Relaxed);
    }
    drop(workspace);
    plan.write(out.quick_workspace().as_ref()).unwrap();
    let mut again = travelling(&out);
    again.retain(|path, _| !path.ends_with(".tmp"));
    assert!(again == *whole, "a merge that was interrupted is another one");
}

/// Tells a step of the one history that was asked for.
fn told(step: impl Fn() -> String) {
    if std::env::var_os("NOCTUARY_SEED").is_some() {
        eprintln!("{}", step());
    }
}

/// Where the sections of nights are that memory had no place for.
const DREAMED: &str = "memory/archive/dreamed.md";

static ARCHIVED_NIGHTS: AtomicUsize = AtomicUsize::new(0);
static ARCHIVED: AtomicUsize = AtomicUsize::new(0);
static PARTIAL: AtomicUsize = AtomicUsize::new(0);
static CRASHED: AtomicUsize = AtomicUsize::new(0);
static UNDONE: AtomicUsize = AtomicUsize::new(0);
static STAYED: AtomicUsize = AtomicUsize::new(0);

// 10,000 histories in a long run.
#[test]
#[ignore = "sweep"]
fn machines_that_lived_apart_lose_nothing_double_nothing_and_end_the_same() {
    let all = 1..=u64::from(cases(10_000));
    let only = std::env::var("NOCTUARY_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds: Vec<u64> = only.map_or_else(|| all.collect(), |seed| vec![seed]);
    let failed = Mutex::new(Vec::new());
    each(&seeds, |seed| {
        let lived = std::panic::catch_unwind(|| {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
            let mut world = World::new(2 + random.below(2), Kind::of(*seed));
            for _ in 0..12 + random.below(20) {
                world.step(&mut random);
            }
            world.check(*seed);
        });
        if lived.is_err() {
            failed.lock().unwrap().push(*seed);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {} histories failed: {failed:?}", failed.len(), seeds.len());
    let (undone, stayed) = (UNDONE.load(Ordering::Relaxed), STAYED.load(Ordering::Relaxed));
    assert!(
        only.is_some() || undone > seeds.len() / 4,
        "dreams stay undoable: {undone} undone, {stayed} stayed"
    );
    let [archived, nights, partial, crashed] =
        [&ARCHIVED, &ARCHIVED_NIGHTS, &PARTIAL, &CRASHED].map(|count| count.load(Ordering::Relaxed));
    println!(
        "{} histories, {undone} dreams taken back, {stayed} stayed, {archived} journals and {nights} nights archived, {partial} partial syncs, {crashed} crashes",
        seeds.len()
    );
}
