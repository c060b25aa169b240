//! Part 1: what a crash may leave, at every operation, by the record of a disk in memory.
//!
//! Each night and each verb runs once on a [`MemoryDisk`]. From its record come the states: every cut, and
//! there every combination of fates of what was not durable, or a sample where there are too many. A tenth of
//! them crash again in the recovery. Beside these: a kill, then another run or verb, then a power loss, where
//! the second one must not build on what the first one left in the cache; and every operation failing once,
//! then a power loss. At last a night runs undisturbed, and everything must be as it must be.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use noctuary::dream::ReadReason;
use noctuary::testing::{CrashOutcome, Disk, Fault, Faults, FaultyDisk, Lie, MemoryDisk};
use noctuary::workspace::{Claim, ClaimTerms, Revision};
use noctuary::{FileWorkspace, Outcome, Workspace, WriteMode};

use super::kit::{Score, each_second, is_long, length};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::dreaming::{
    Night, check_night, disk_before, disk_with, ensure, name, run_night, run_night_with, tellings, text_of,
};

type Files = BTreeMap<String, Vec<u8>>;

pub(crate) fn run() -> bool {
    let mut score = Score::new("crash states");
    let enumerates = std::env::var_os("NOCTUARY_LONG_TESTS").is_some();
    let tried = explore(None, length(), enumerates);
    for violation in &tried.violations {
        score.violation(violation);
    }
    let counts = format!(
        "{} states: {} after one power loss, all different, {} after a crash in the recovery, {} after a kill \
         and a power loss, {} after a failed operation; {} of {} cuts in every state they can leave",
        tried.states(),
        tried.once,
        tried.twice,
        tried.killed,
        tried.failed,
        tried.complete,
        tried.cuts,
    );
    let least = each_second(if is_long() { 400 } else { 40 });
    score.finish(&counts, &[("states", tried.states(), least)])
}

/// The harness sees bugs: on a drive that lies no promise can be kept, and that shows.
pub(crate) fn run_on_drives_that_lie() {
    for lie in [Lie::Sync, Lie::SyncFolder] {
        let tried = explore(Some(lie), length(), false);
        println!(
            "a drive that lies about {lie:?}: {} violations in {} states",
            tried.violations.len(),
            tried.states()
        );
        assert!(!tried.violations.is_empty(), "{lie:?}: nothing was found in {} states", tried.states());
    }
}

/// Something that changes a workspace, and what must be true after it was cut off.
struct Case {
    name: String,
    /// Before it, and after it has run whole.
    begin: MemoryDisk,
    ended: MemoryDisk,
    act: Act,
    /// The check of the remaining state; with `true` the run had said that it is done.
    check: Check,
}

/// Does it on a disk; `true` where it says that it is done.
type Act = Box<dyn Fn(Arc<dyn Disk>) -> bool + Send + Sync>;
type Check = Box<dyn Fn(&MemoryDisk, bool) -> Result<(), String> + Send + Sync>;

impl Case {
    fn new(name: impl Into<String>, begin: MemoryDisk, act: Act, check: Check) -> Self {
        let ended = begin.after_kill(begin.operations().len());
        let name = name.into();
        assert!(act(Arc::new(ended.clone())), "{name}: it runs undisturbed");
        Self { name, begin, ended, act, check }
    }

    fn act(&self, disk: &MemoryDisk) -> bool {
        (self.act)(Arc::new(disk.clone()))
    }
}

fn cases(lie: Option<Lie>) -> Vec<Case> {
    let mut cases = Vec::new();
    for night in [Night::Commit, Night::Nothing, Night::Quarantine] {
        cases.push(night_case(format!("{night:?}"), night, beginning(night, lie)));
    }
    for step in ["append to MEMORY.md", "sync MEMORY.md"] {
        cases.push(night_case(format!("recovery before {step}"), Night::Commit, cut_before(step, lie)));
    }
    let mut refreshed = night_case("heartbeat".to_owned(), Night::Commit, beginning(Night::Commit, lie));
    refreshed.ended = with_heartbeat(&refreshed.begin);
    cases.push(refreshed);
    cases.extend(verbs(lie));
    cases
}

fn beginning(night: Night, lie: Option<Lie>) -> MemoryDisk {
    lying(disk_before(night), lie)
}

fn lying(disk: MemoryDisk, lie: Option<Lie>) -> MemoryDisk {
    if let Some(lie) = lie {
        disk.lie(lie);
    }
    disk
}

/// Each night asks a model that words its answer anew.
static WORDINGS: AtomicU32 = AtomicU32::new(2000);

fn night_case(name: String, night: Night, begin: MemoryDisk) -> Case {
    let act = move |disk: Arc<dyn Disk>| {
        let workspace = Arc::new(FileWorkspace::on_disk(disk));
        let failed = [Outcome::LockHeld, Outcome::LlmError, Outcome::LeaseLost, Outcome::NotDue];
        run_night(night, workspace, &WORDINGS).is_ok_and(|report| {
            let mut journals = report.journals.iter();
            let all_read = journals.all(|journal| journal.reason != ReadReason::Unreadable);
            all_read && report.backlog.bytes == 0 && !failed.contains(&report.outcome)
        })
    };
    let check = move |left: &MemoryDisk, is_done: bool| {
        if is_done {
            let memory = text_of(&left.files(), "MEMORY.md");
            let stands = |day: &u32| tellings(&memory, *day) == 1;
            let all = night.promotes().iter().all(stands);
            ensure(all, || format!("the night had ended well, and a line is gone\n{memory}"))?;
        }
        check_night(night, left)
    };
    Case::new(name, begin, Box::new(act), Box::new(check))
}

/// A disk whose first commit was killed right before such a step; an append is torn.
fn cut_before(step: &str, lie: Option<Lie>) -> MemoryDisk {
    let steps = {
        let faults = Faults::new();
        let disk = Arc::new(FaultyDisk::new(Arc::new(beginning(Night::Commit, lie)), faults.clone()));
        run_night(Night::Commit, Arc::new(FileWorkspace::on_disk(disk)), &AtomicU32::new(0)).unwrap();
        faults.seen()
    };
    let at = steps.iter().position(|seen| seen == step).unwrap_or_else(|| panic!("no {step} in {steps:?}"));
    let (disk, faults) = (beginning(Night::Commit, lie), Faults::new());
    faults.arm(at as u64 + 1, Fault::Crash);
    let failing = Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults));
    run_night(Night::Commit, Arc::new(FileWorkspace::on_disk(failing)), &AtomicU32::new(500)).unwrap_err();
    assert!(disk.files().contains_key(".dreaming.d/intent.json"), "{step}: it was under way");
    disk
}

/// A night whose lock file is refreshed while the model thinks.
fn with_heartbeat(begin: &MemoryDisk) -> MemoryDisk {
    let disk = begin.after_kill(0);
    let is_refreshed = || disk.operations().iter().any(|seen| seen == "write 24 bytes to .dreaming.lock");
    let meanwhile = || {
        while !is_refreshed() {
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    let workspace = Arc::new(FileWorkspace::on_disk(Arc::new(disk.clone())));
    let often = |config: &mut noctuary::DreamConfig| config.claim.ttl = Duration::from_secs(1);
    run_night_with(Night::Commit, workspace, &AtomicU32::new(0), often, &meanwhile).unwrap();
    disk
}

const OLD: &str = "- as it was\n- and this line\n";
const NEW: &str = "- as it is now\n- and another line, and more of it\n";

/// The single verbs.
fn verbs(lie: Option<Lie>) -> Vec<Case> {
    let old = || lying(disk_with(&[("USER.md", OLD), ("notes/old.md", OLD)]), lie);
    let whole = |files: &Files, file: &str, text: &str| files.get(file).is_some_and(|b| b == text.as_bytes());
    let put = |at: &'static str, mode: WriteMode| {
        move |workspace: &dyn Workspace| workspace.write(&name(at), NEW.as_bytes(), mode).is_ok()
    };
    let seen = Revision::of(OLD.as_bytes());
    let mut cases = vec![
        verb("create", old(), put("a/b/new.md", WriteMode::Create), move |files, is_done| {
            whole(files, "a/b/new.md", NEW) || (!is_done && !files.contains_key("a/b/new.md"))
        }),
        verb("replace nothing", old(), put("a/b/new.md", WriteMode::Replace), move |files, is_done| {
            whole(files, "a/b/new.md", NEW) || (!is_done && !files.contains_key("a/b/new.md"))
        }),
        verb(
            "rename",
            old(),
            move |workspace| workspace.rename(&name("notes/old.md"), &name("a/new.md")).is_ok(),
            move |files, is_done| {
                let (from, to) = (files.get("notes/old.md"), files.get("a/new.md"));
                let is_whole = from.into_iter().chain(to).all(|bytes| bytes == OLD.as_bytes());
                is_whole && (to.is_some() || from.is_some()) && (!is_done || (to.is_some() && from.is_none()))
            },
        ),
        verb(
            "append to nothing",
            old(),
            move |workspace| workspace.append(&name("a/new.md"), NEW.as_bytes()).is_ok(),
            move |files, is_done| {
                let text = text_of(files, "a/new.md");
                !is_done || text.ends_with(NEW)
            },
        ),
    ];
    for at in ["USER.md", "notes/old.md"] {
        for (label, mode) in
            [("replace", WriteMode::Replace), ("replace by revision", WriteMode::IfRevision(seen))]
        {
            cases.push(verb(label, old(), put(at, mode), move |files, is_done| {
                whole(files, at, NEW) || (!is_done && whole(files, at, OLD))
            }));
        }
        cases.push(verb(
            "append",
            old(),
            move |workspace| workspace.append(&name(at), NEW.as_bytes()).is_ok(),
            move |files, is_done| {
                let text = text_of(files, at);
                text.starts_with(OLD) && (!is_done || text.ends_with(NEW))
            },
        ));
        cases.push(verb(
            "remove",
            old(),
            move |workspace| workspace.remove(&name(at)).is_ok_and(|was_there| was_there),
            move |files, is_done| !files.contains_key(at) || (!is_done && whole(files, at, OLD)),
        ));
    }
    // A verb that comes upon what a killed one left in the cache. An append does not make the name durable that
    // another gave; where the file system has a journal, the sync of the file does.
    let created = |verb: &dyn Fn(&dyn Workspace)| {
        let disk = old();
        verb(&FileWorkspace::on_disk(Arc::new(disk.clone())));
        disk
    };
    let make = |workspace: &dyn Workspace| {
        workspace.write(&name("a/b/new.md"), OLD.as_bytes(), WriteMode::Create).unwrap();
    };
    let length = created(&make).operations().len();
    for n in 1..length {
        let killed = || created(&make).after_kill(n);
        cases.push(verb(
            format!("replace after {n} steps of a create"),
            killed(),
            put("a/b/new.md", WriteMode::Replace),
            move |files, is_done| {
                let (is_new, is_old) = (whole(files, "a/b/new.md", NEW), whole(files, "a/b/new.md", OLD));
                is_new || (!is_done && (is_old || !files.contains_key("a/b/new.md")))
            },
        ));
    }
    cases
}

/// A verb, and what may stand after it.
fn verb(
    label: impl Into<String>,
    begin: MemoryDisk,
    act: impl Fn(&dyn Workspace) -> bool + Send + Sync + 'static,
    may_stand: impl Fn(&Files, bool) -> bool + Send + Sync + 'static,
) -> Case {
    let act = move |disk| act(&FileWorkspace::on_disk(disk));
    let check = move |left: &MemoryDisk, is_done: bool| {
        let files = left.files();
        ensure(may_stand(&files, is_done), || format!("done: {is_done}\n{}", shown(&files)))?;
        let workspace = FileWorkspace::on_disk(Arc::new(left.clone()));
        match workspace.claim(&ClaimTerms::default()).map_err(|error| format!("{error:?}"))? {
            Claim::Granted(lease) => lease.release().map_err(|error| format!("{error:?}"))?,
            Claim::Held(holder) => return Err(format!("held by {holder:?}")),
        }
        let documents = |files: &Files| -> Files {
            files
                .iter()
                .filter(|(file, _)| !file.starts_with('.'))
                .map(|(f, b)| (f.clone(), b.clone()))
                .collect()
        };
        let after = left.files();
        ensure(documents(&files) == documents(&after), || "a claim changes documents".to_owned())?;
        let is_left = |file: &String| file.contains("noctuary-") || file == ".dreaming.lock";
        ensure(!after.keys().any(is_left), || format!("left behind\n{}", shown(&after)))
    };
    Case::new(label, begin, Box::new(act), Box::new(check))
}

fn shown(files: &Files) -> String {
    files.iter().map(|(file, bytes)| format!("{file}: {:?}\n", String::from_utf8_lossy(bytes))).collect()
}

/// Where something goes wrong.
#[derive(Clone, Copy)]
enum Place {
    /// The power goes after so many operations.
    Power(usize),
    /// The process dies after so many; then another runs, and in it the power goes.
    Kill(usize),
    /// The n-th operation fails, reads included.
    Fail(u64, io::ErrorKind),
}

/// `EIO`, `ENOSPC`, `EACCES`.
const ERRORS: [io::ErrorKind; 3] =
    [io::ErrorKind::Other, io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied];

/// Up to how many states a cut is enumerated rather than sampled.
const FEW: u64 = 1 << 10;
/// How often a place is visited at least where everything is enumerated: a cut with more states, another one.
const SAMPLES: u64 = 1 << 9;
const VISITS: u64 = 1 << 3;
/// How many states of a cut are tried at each visit: cuts are few beside operations that may fail.
const AT_ONCE: u64 = 1 << 4;

#[derive(Debug, Default)]
struct Tried {
    once: u64,
    twice: u64,
    killed: u64,
    failed: u64,
    cuts: u64,
    complete: u64,
    violations: Vec<String>,
}

impl Tried {
    fn states(&self) -> u64 {
        self.once + self.twice + self.killed + self.failed
    }
}

struct Explorer<'c> {
    places: Vec<(&'c Case, Place)>,
    tried: Mutex<Tried>,
    /// Fingerprints of the states after one power loss.
    known: Mutex<HashSet<u64>>,
}

/// Goes round all places of all cases, a state at each, until the time is up.
fn explore(lie: Option<Lie>, time: Duration, enumerates: bool) -> Tried {
    let begun = Instant::now();
    let cases = cases(lie);
    let mut chance = Dice::fresh();
    let places = places(&cases, &mut chance);
    let cuts = places.iter().filter(|(_, place)| matches!(place, Place::Power(_))).count() as u64;
    let tried = Mutex::new(Tried { cuts, ..Tried::default() });
    let explorer = Explorer { places, tried, known: Mutex::default() };
    std::thread::scope(|scope| {
        for (half, seed) in [chance.roll(), chance.roll()].into_iter().enumerate() {
            let (explorer, mut chance) = (&explorer, Dice(seed));
            scope.spawn(move || {
                for round in 0.. {
                    let mut is_complete = true;
                    for (case, place) in explorer.places.iter().skip(half).step_by(2) {
                        is_complete &= explorer.visit(case, *place, round, &mut chance);
                        if begun.elapsed() >= time && !enumerates {
                            return;
                        }
                    }
                    if begun.elapsed() >= time && is_complete {
                        return;
                    }
                }
            });
        }
    });
    explorer.tried.into_inner().unwrap()
}

/// All places, in an order that chance decides: a short run sees some of each case.
fn places<'c>(cases: &'c [Case], chance: &mut Dice) -> Vec<(&'c Case, Place)> {
    let mut places = Vec::new();
    for case in cases {
        let begun = case.begin.operations().len();
        let cuts = begun..=case.ended.operations().len();
        places.extend(cuts.clone().map(|n| (case, Place::Power(n))));
        places.extend(cuts.map(|n| (case, Place::Kill(n))));
        let faults = Faults::new();
        (case.act)(Arc::new(FaultyDisk::new(Arc::new(case.begin.after_kill(begun)), faults.clone())));
        let steps = 1..=faults.seen().len() as u64;
        places.extend(steps.flat_map(|n| ERRORS.map(|error| (case, Place::Fail(n, error)))));
    }
    for at in (1..places.len()).rev() {
        places.swap(at, chance.below(at + 1));
    }
    places
}

impl Explorer<'_> {
    /// Tries another state of a place; `true` where that were all, or enough.
    fn visit(&self, case: &Case, place: Place, round: u64, chance: &mut Dice) -> bool {
        match place {
            Place::Power(n) => self.lose_power(case, n, round, chance),
            Place::Kill(n) => {
                self.act_and_lose(case, &case.ended.after_kill(n), chance, || {
                    format!("killed after {}", step(&case.ended, n))
                });
                self.count(|tried| tried.killed += 1);
                round + 1 >= VISITS
            }
            Place::Fail(n, error) => {
                let disk = case.begin.after_kill(case.begin.operations().len());
                let faults = Faults::new();
                faults.arm(n, Fault::Error(error));
                let is_done = (case.act)(Arc::new(FaultyDisk::new(Arc::new(disk.clone()), faults.clone())));
                let place = || {
                    let seen = faults.seen();
                    format!("{error:?} at {n}: {:?}", seen.get(usize::try_from(n).unwrap() - 1))
                };
                if round == 0 {
                    self.judge(case, &disk, is_done, place);
                } else {
                    self.lose(case, &disk, is_done, chance, place);
                }
                self.count(|tried| tried.failed += 1);
                round + 1 >= VISITS
            }
        }
    }

    fn lose_power(&self, case: &Case, n: usize, round: u64, chance: &mut Dice) -> bool {
        let loss = case.ended.power_loss(n);
        let choices = loss.choices();
        let all = choices.iter().fold(1, |all: u64, choice| all.saturating_mul(choice.len() as u64));
        let is_done = n == case.ended.operations().len();
        let states = round * AT_ONCE..(round + 1) * AT_ONCE;
        for state in states.clone() {
            let is_beyond = all <= FEW && state >= all;
            let fates =
                if all <= FEW && !is_beyond { nth(&choices, state) } else { any(&choices, state, chance) };
            let place = || format!("power lost after {}: {fates:?} of {choices:?}", step(&case.ended, n));
            let image = loss.image(&fates);
            if is_beyond || chance.one_in(10) {
                self.act_and_lose(case, &image.after_kill(0), chance, place);
                self.count(|tried| tried.twice += 1);
            }
            if !is_beyond && self.is_new(case, &image, is_done) {
                self.judge(case, &image, is_done, place);
                self.count(|tried| tried.once += 1);
            }
        }
        if all <= FEW && states.contains(&(all - 1)) {
            self.count(|tried| tried.complete += 1);
        }
        states.end >= if all <= FEW { all } else { SAMPLES }
    }

    /// Does the case again on what a crash left, and loses the power in it or after it.
    fn act_and_lose(&self, case: &Case, disk: &MemoryDisk, chance: &mut Dice, place: impl Fn() -> String) {
        let is_done = case.act(disk);
        self.lose(case, disk, is_done, chance, place);
    }

    /// Loses the power anywhere in what was done last, and every other time right after it.
    fn lose(
        &self,
        case: &Case,
        disk: &MemoryDisk,
        is_done: bool,
        chance: &mut Dice,
        place: impl Fn() -> String,
    ) {
        let end = disk.operations().len();
        let n = if chance.one_in(2) { end } else { chance.below(end + 1) };
        let loss = disk.power_loss(n);
        let fates = any(&loss.choices(), chance.below(4), chance);
        self.judge(case, &loss.image(&fates), is_done && n == end, || {
            format!("{}, then power lost after {} of {end}: {fates:?}", place(), step(disk, n))
        });
    }

    fn judge(&self, case: &Case, left: &MemoryDisk, is_done: bool, place: impl Fn() -> String) {
        if let Err(what) = (case.check)(left, is_done) {
            self.count(|tried| tried.violations.push(format!("{}, {}: {what}", case.name, place())));
        }
    }

    fn count(&self, change: impl FnOnce(&mut Tried)) {
        change(&mut self.tried.lock().unwrap());
    }

    fn is_new(&self, case: &Case, image: &MemoryDisk, is_done: bool) -> bool {
        let mut hasher = DefaultHasher::new();
        (&case.name, image.files(), is_done).hash(&mut hasher);
        self.known.lock().unwrap().insert(hasher.finish())
    }
}

fn step(disk: &MemoryDisk, n: usize) -> String {
    let operations = disk.operations();
    format!("{n} operations, before {}", operations.get(n).map_or("the end", String::as_str))
}

/// The `n`-th combination of fates.
fn nth(choices: &[&[CrashOutcome]], mut n: u64) -> Vec<CrashOutcome> {
    let mut next = |choice: &&[CrashOutcome]| {
        let len = choice.len() as u64;
        let fate = choice[usize::try_from(n % len).unwrap()];
        n /= len;
        fate
    };
    choices.iter().map(&mut next).collect()
}

/// First everything kept, as a killed process leaves it, then nothing, then any combination.
fn any(choices: &[&[CrashOutcome]], round: u64, chance: &mut Dice) -> Vec<CrashOutcome> {
    let mut fate = |choice: &&[CrashOutcome]| match round {
        0 => CrashOutcome::Kept,
        1 => CrashOutcome::Lost,
        _ => choice[chance.below(choice.len())],
    };
    choices.iter().map(&mut fate).collect()
}
