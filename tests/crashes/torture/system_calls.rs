//! Every system call of a tick fails once, by `strace -e inject`: killed there, or with an error.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use noctuary::testing::{Fault, Faults, FaultyDisk};
use noctuary::{DreamReport, FileWorkspace, Workspace};

use super::kit::{Score, is_long, length, read};
use noctuary_tests::common;
use noctuary_tests::common::dice::Dice;
use noctuary_tests::dreaming::{Life, Night, check_night, life_before, run_night};

/// The system calls that reach the file system.
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

/// The tick to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tick {
    Commit,
    Nothing,
    Quarantine,
    /// A commit whose predecessor was cut in the middle of its append.
    Recovery,
}

const TICKS: [Tick; 4] = [Tick::Commit, Tick::Nothing, Tick::Quarantine, Tick::Recovery];

impl Tick {
    fn of(word: &str) -> Self {
        *TICKS.iter().find(|tick| format!("{tick:?}") == word).unwrap()
    }

    /// The night that it plays.
    fn night(self) -> Night {
        match self {
            Self::Commit | Self::Recovery => Night::Commit,
            Self::Nothing => Night::Nothing,
            Self::Quarantine => Night::Quarantine,
        }
    }

    fn begin(self) -> Life {
        let life = life_before(self.night());
        if self == Self::Recovery {
            let faults = Faults::new();
            let play = |life: &Life, wording| {
                let disk = FaultyDisk::new(life.quick_disk(), faults.clone());
                self.run(Arc::new(FileWorkspace::on_disk(Arc::new(disk))), wording)
            };
            play(&life_before(Night::Commit), 0).unwrap();
            let at = faults.seen().iter().position(|step| step == "append to MEMORY.md").unwrap();
            faults.arm(at as u64 + 1, Fault::Crash);
            play(&life, 500).unwrap_err();
            assert!(life.has(".dreaming.d/intent.json"), "it was under way");
        }
        life
    }

    fn run(self, workspace: Arc<dyn Workspace>, wording: u32) -> noctuary::Result<DreamReport> {
        run_night(self.night(), workspace, &AtomicU32::new(wording))
    }
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
    let role = common::in_role(super::HERE, &format!("one-tick {tick:?}"), life.root());
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

/// Returns the broken promises after a fault and an undisturbed night.
fn look(tick: Tick, life: &Life) -> Vec<String> {
    let mut wrong: Vec<String> = check_night(tick.night(), life).err().into_iter().collect();
    // No power was lost here, so nothing excuses a hole.
    if life.memory().contains('\0') {
        wrong.push("a hole in memory".to_owned());
    }
    wrong
}

pub(crate) fn run() -> bool {
    let mut score = Score::new("system calls");
    let mut points = Vec::new();
    for tick in TICKS {
        let counts = match rehearse(tick) {
            Ok(counts) => counts,
            Err(reason) => {
                println!("system calls: skipped, {reason}");
                return true;
            }
        };
        for (call, (before, until)) in counts {
            let places = (before + 1..=until).flat_map(|at| FAULTS.map(|fault| (tick, call, at, fault)));
            points.extend(places);
        }
    }
    let all = points.len();
    let mut chance = Dice::fresh();
    for last in (1..all).rev() {
        points.swap(last, chance.below(last + 1));
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
    score.finish(&format!("{done} of {all} points"), &[("points", done, least as u64)])
}
