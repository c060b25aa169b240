//! Every system call of a tick fails once, by `strace -e inject`: killed there, or with an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use chrono::{DateTime, TimeDelta, Utc};
use noctuary::testing::{Fault, Faults, FaultyDisk};
use noctuary::{
    DreamReport, FileWorkspace, LlmError, LlmReply, LlmRequest, Outcome, Workspace, dream_once_at, llm_fn,
};

use crate::common;
use crate::dreaming::{KEY, Life, MEMORY, dreamer_over, journal, journals_of, night};
use crate::kit::{Chance, Score, is_long, length, read, unfinished};

/// What reaches the file system.
const CALLS: [&str; 22] = [
    "open",
    "openat",
    "read",
    "pread64",
    "write",
    "pwrite64",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "ftruncate",
    "flock",
    "newfstatat",
    "statx",
    "getdents64",
];
const FAULTS: [&str; 4] = ["signal=KILL", "error=ENOSPC", "error=EIO", "error=EACCES"];
/// How many points a short run takes.
const SAMPLE: usize = 60;
/// How many a long run takes at least; it goes on until its time is over, and with `NOCTUARY_LONG_TESTS` set
/// until all are done.
const LEAST: usize = 500;

/// What a tick does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tick {
    Commit,
    Nothing,
    Quarantine,
    /// A commit whose predecessor was cut in the middle of its append.
    Recovery,
}

const TICKS: [Tick; 4] = [Tick::Commit, Tick::Nothing, Tick::Quarantine, Tick::Recovery];
const JOURNALS: [u32; 2] = [19, 20];

impl Tick {
    fn of(word: &str) -> Self {
        *TICKS.iter().find(|tick| format!("{tick:?}") == word).unwrap()
    }

    fn begin(self) -> Life {
        let said = |day| format!("- [user] what day {day} was like\n");
        let bad = if self == Self::Quarantine { format!("- the key is {KEY}\n") } else { String::new() };
        let life = Life::with(&[(19, &format!("{}{bad}", said(19))), (20, &said(20))]);
        if self == Self::Recovery {
            let faults = Faults::new();
            let disk = || Arc::new(FaultyDisk::new(life.quick_disk(), faults.clone()));
            let rehearsal = Self::Commit.begin();
            let counted = Arc::new(FaultyDisk::new(rehearsal.quick_disk(), faults.clone()));
            Self::Commit.run(Arc::new(FileWorkspace::on_disk(counted)), 0).unwrap();
            let at = faults.seen().iter().position(|step| step == "append to MEMORY.md").unwrap();
            faults.arm(at as u64 + 1, Fault::Crash);
            Self::Commit.run(Arc::new(FileWorkspace::on_disk(disk())), 500).unwrap_err();
            assert!(life.has(".dreaming.d/intent.json"), "it was under way");
        }
        life
    }

    fn answer(self, request: &LlmRequest, wording: u32) -> String {
        let shown = journals_of(request);
        match self {
            Self::Nothing => "NOTHING_TO_PROMOTE".to_owned(),
            Self::Quarantine if shown.contains(&journal(19)) => {
                format!("- The key is {KEY}, wording {wording}.")
            }
            _ => shown.iter().map(|journal| format!("- {}\n", told(journal, wording))).collect(),
        }
    }

    fn run(self, workspace: Arc<dyn Workspace>, wording: u32) -> noctuary::Result<DreamReport> {
        let dreamer = dreamer_over(workspace, |config| {
            // So that a commit has two passes, and the second is the drain.
            let commits = matches!(self, Self::Commit | Self::Recovery);
            config.total_input_bytes = if commits { 1 } else { 1 << 20 };
        });
        let asked = AtomicU32::new(wording);
        let model = llm_fn(|request: &LlmRequest| -> Result<LlmReply, LlmError> {
            Ok(LlmReply::new(self.answer(request, asked.fetch_add(1, Ordering::SeqCst))))
        });
        dream_once_at(&dreamer, &model, &clock)
    }

    fn promotes(self) -> &'static [u32] {
        match self {
            Self::Commit | Self::Recovery => &JOURNALS,
            Self::Nothing => &[],
            Self::Quarantine => &JOURNALS[1..],
        }
    }
}

fn told(journal: &str, wording: u32) -> String {
    format!("Told of {} in wording {wording}.", journal.trim_end_matches(".md"))
}

fn clock() -> DateTime<Utc> {
    night(21) + TimeDelta::nanoseconds(123_456_789)
}

/// One tick, between two calls that a trace can be cut at.
pub(crate) fn child(folder: &Path, tick: &str) {
    let workspace = Arc::new(FileWorkspace::open(folder).unwrap());
    let _ = fs::metadata("/torture-begins");
    let _ = Tick::of(tick).run(workspace, 0);
    let _ = fs::metadata("/torture-ends");
}

/// The command that plays a tick under strace.
fn traced(life: &Life, tick: Tick, arguments: &[String]) -> Command {
    let role = common::in_role(&format!("one-tick {tick:?}"), life.root());
    let mut command = Command::new("strace");
    command.arg("-f").args(arguments).arg(role.get_program()).args(role.get_args());
    command.envs(role.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("RUST_BACKTRACE", "0");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// How often each call comes before the tick, and until it ends, in the thread that dreams.
fn rehearse(tick: Tick) -> Result<BTreeMap<&'static str, (usize, usize)>, String> {
    let life = tick.begin();
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let arguments = ["-o".to_owned(), trace.display().to_string(), "-e".to_owned(), calls()];
    let status = traced(&life, tick, &arguments).status().map_err(|error| format!("no strace: {error}"))?;
    let trace = read(&trace);
    if !status.success() {
        return Err(format!("strace may not trace here: {status}"));
    }
    let begins =
        trace.lines().find(|line| line.contains("/torture-begins")).ok_or("a trace without marks")?;
    let thread = begins.split(' ').next().unwrap();
    let mut counts: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    let mut is_inside = false;
    for line in trace.lines().filter(|line| line.split(' ').next() == Some(thread)) {
        let call = line.split_once(' ').unwrap().1.trim_start().split('(').next().unwrap();
        let Some(call) = CALLS.iter().find(|known| **known == call) else { continue };
        if line.contains("/torture-ends") {
            break;
        }
        let (before, until) = counts.entry(call).or_default();
        *until += 1;
        if line.contains("/torture-begins") {
            is_inside = true;
        }
        if !is_inside || line.contains("/torture-begins") {
            *before = *until;
        }
    }
    // A thread that began late may not have counted what came before its mark under every name.
    Ok(counts)
}

fn calls() -> String {
    // A name that this machine does not know is passed over.
    format!("trace={}", CALLS.map(|call| format!("?{call}")).join(","))
}

/// One fault at one call; then an undisturbed night, and a look. Says what is wrong.
fn fail(tick: Tick, call: &str, at: usize, fault: &str) -> Vec<String> {
    let life = tick.begin();
    let place = format!("{tick:?}, {fault} at {call} {at}");
    let inject = format!("inject={call}:{fault}:when={at}");
    let arguments: Vec<String> =
        ["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject].map(str::to_owned).into();
    if let Err(error) = traced(&life, tick, &arguments).status() {
        return vec![format!("{place}: {error}")];
    }
    look(tick, &life).into_iter().map(|what| format!("{place}: {what}")).collect()
}

/// What does not hold after a fault, once a night has run undisturbed.
fn look(tick: Tick, life: &Life) -> Vec<String> {
    let report = match tick.run(life.quick_workspace(), 1000) {
        Ok(report) => report,
        Err(error) => return vec![format!("the next night: {error:?}")],
    };
    let mut wrong = Vec::new();
    let mut check = |holds: bool, what: &dyn Fn() -> String| {
        if !holds {
            wrong.push(what());
        }
    };
    let is_well = !matches!(report.outcome, Outcome::LockHeld | Outcome::LlmError | Outcome::LeaseLost);
    check(is_well, &|| format!("the next night ends {:?}", report.outcome));
    let memory = life.memory();
    check(memory.starts_with(MEMORY), &|| format!("the operator's bytes are gone\n{memory}"));
    for day in JOURNALS {
        let expected = usize::from(tick.promotes().contains(&day));
        let start = format!("Told of {} in wording", journal(day).trim_end_matches(".md"));
        let stands = memory.matches(&start).count();
        check(stands == expected, &|| format!("the line of {day} stands {stands} times\n{memory}"));
    }
    let marks = |mark| memory.matches(mark).count();
    let is_whole = marks("<!-- dream:v1 id=") == marks("<!-- /dream:v1 id=");
    check(is_whole, &|| format!("a torn section\n{memory}"));
    check(!memory.contains(KEY), &|| "the key stands in memory".to_owned());
    let quarantine = read(&life.path(".dreamed-quarantine.json")).matches("\"2026-11-19-repl.md\"").count();
    let held = usize::from(tick == Tick::Quarantine);
    check(quarantine == held, &|| format!("in quarantine {quarantine} times"));
    let before = life.tree_without_locks();
    let again = match tick.run(life.quick_workspace(), 2000) {
        Ok(again) => again,
        Err(error) => return vec![format!("the night after the next: {error:?}")],
    };
    check(again.outcome == Outcome::NothingNew && again.calls == 0, &|| format!("{:?}", again.outcome));
    check(again.recovered.is_none(), &|| "recovered twice".to_owned());
    let mut after = life.tree_without_locks();
    after.insert(".dreamed-state.json".into(), before[".dreamed-state.json"].clone());
    check(after == before, &|| "a further night changes something".to_owned());
    check(!life.has(".dreaming.lock"), &|| "a lock is left".to_owned());
    let left = unfinished(life.root());
    check(left.is_empty(), &|| format!("{left:?} are left"));
    wrong
}

pub(crate) fn run() {
    let mut score = Score::new("system calls");
    let mut points = Vec::new();
    for tick in TICKS {
        let counts = match rehearse(tick) {
            Ok(counts) => counts,
            Err(reason) => {
                println!("system calls: skipped, {reason}");
                return;
            }
        };
        for (call, (before, until)) in counts {
            let places = (before + 1..=until).flat_map(|at| FAULTS.map(|fault| (tick, call, at, fault)));
            points.extend(places);
        }
    }
    let all = points.len();
    let mut chance = Chance::fresh();
    for last in (1..all).rev() {
        points.swap(last, chance.index(last + 1));
    }
    let least = if is_long() { LEAST } else { SAMPLE };
    let takes_all = std::env::var_os("NOCTUARY_LONG_TESTS").is_some();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let (done, begun) = (AtomicUsize::new(0), Instant::now());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::SeqCst);
                    let Some((tick, call, at, fault)) = points.get(place) else { break };
                    if place >= least && !takes_all && (!is_long() || begun.elapsed() >= length()) {
                        break;
                    }
                    let found = fail(*tick, call, *at, fault);
                    wrong.lock().unwrap().extend(found);
                    done.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    for what in wrong.into_inner().unwrap() {
        score.violation(what);
    }
    let done = done.load(Ordering::SeqCst) as u64;
    score.finish(&format!("{done} of {all} points"), &[("points", done, least as u64)]);
}
