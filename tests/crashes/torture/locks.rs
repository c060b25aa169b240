//! One holder at a time: sixteen processes, an oracle that knows nothing of leases, crashes while holding,
//! stop and continue signals, clocks that jump, other file systems, and guards deleted under their holder.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{TimeDelta, Utc};
use noctuary::testing::{Faults, FaultyDisk};
use noctuary::workspace::{Claim, ClaimTerms, Lease, LostBy};
use noctuary::{
    DocName, Error, FileWorkspace, LlmReply, Outcome, Workspace, WriteMode, dream_once_at, llm_fn,
};
use rustix::process::{Signal, getpid, kill_process};

use super::kit::{self, Score, add, each_second, end, length, read, scratch, signal, start, unfinished};
use noctuary_tests::common::dice::Dice;
use noctuary_tests::common::in_role;
use noctuary_tests::dreaming::dreamer_over;

const PROCESSES: usize = 16;
const GUARD: &str = ".dreaming.d/guard";

/// Where the lease is of, and what is done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    Files,
    Sqlite,
    /// Each process has a clock of its own, which jumps by hours both ways.
    Clocks,
    /// The guard is deleted under its holder.
    GuardsGo,
}

impl Case {
    fn word(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Sqlite => "sqlite",
            Self::Clocks => "clocks",
            Self::GuardsGo => "guards-go",
        }
    }

    fn of(word: &str) -> Self {
        let cases = [Self::Files, Self::Sqlite, Self::Clocks, Self::GuardsGo];
        *cases.iter().find(|case| case.word() == word).unwrap()
    }

    fn open(self, root: &Path) -> noctuary::Result<Arc<dyn Workspace>> {
        let life = root.join("life");
        Ok(match self {
            Self::Files | Self::Clocks | Self::GuardsGo => Arc::new(FileWorkspace::open(life)?),
            Self::Sqlite => Arc::new(noctuary::SqliteWorkspace::open(
                life.join("life.db"),
                noctuary::Scope::user("marta"),
            )?),
        })
    }
}

/// Where a holder writes its epoch. A document takes some hundreds, since one in a database is written whole.
fn epochs(epoch: u64) -> DocName {
    DocName::parse(format!("epochs/{:08}.md", epoch / 256)).unwrap()
}

/// The one document of a run in which epochs may begin anew.
fn tellers() -> DocName {
    DocName::parse("tellers.md").unwrap()
}

fn complain(root: &Path, what: &str) {
    add(&root.join("errors"), format!("{what}\n").as_bytes());
}

/// A process that claims again and again.
struct Claimer<'r> {
    root: &'r Path,
    workspace: Arc<dyn Workspace>,
    /// Its clock, where that jumps.
    clock: Option<(FaultyDisk, Faults)>,
    oracle: fs::File,
    counts: fs::File,
    chance: Dice,
}

/// Claims until it is time, or until it dies while it holds.
pub(crate) fn child(root: &Path, words: &[&str]) {
    let case = Case::of(words[0]);
    let until = Instant::now() + Duration::from_millis(words[1].parse().unwrap());
    let appending = |file: &str| fs::File::options().append(true).open(root.join(file)).unwrap();
    let mut claimer = Claimer {
        root,
        workspace: case.open(root).unwrap(),
        clock: None,
        oracle: appending("oracle"),
        counts: appending("counts"),
        chance: Dice(words[2].parse().unwrap()),
    };
    let mut terms = ClaimTerms { settle: Duration::ZERO, ..ClaimTerms::default() };
    if case == Case::Clocks {
        let faults = Faults::new();
        let disk = FaultyDisk::new(noctuary::testing::folder(root.join("life")).unwrap(), faults.clone());
        claimer.workspace = Arc::new(FileWorkspace::on_disk(Arc::new(disk.clone())));
        claimer.clock = Some((disk, faults));
        // So that the heartbeat too writes what such a clock says.
        terms.ttl = Duration::from_millis(1);
    }
    while Instant::now() < until {
        claimer.jump();
        let lease = match claimer.workspace.claim(&terms) {
            Ok(Claim::Granted(lease)) => lease,
            Ok(Claim::Held(_)) => {
                std::thread::sleep(
                    Duration::from_micros(500) + Duration::from_micros(claimer.chance.below(5000)),
                );
                continue;
            }
            // A guard that is deleted three times while one claims.
            Err(Error::Busy { .. }) if case == Case::GuardsGo => continue,
            // Two who claim at once, each with a guard: one sweeps away what the other is about to place.
            Err(Error::Io { source, .. })
                if case == Case::GuardsGo && source.kind() == io::ErrorKind::NotFound =>
            {
                claimer.count("s");
                continue;
            }
            Err(error) => {
                complain(root, &format!("a claim: {error:?}"));
                continue;
            }
        };
        if case == Case::GuardsGo {
            claimer.hold_and_tell_often(lease.as_ref());
        } else {
            claimer.hold(lease.as_ref());
        }
        claimer.count("g");
        if claimer.chance.one_in(9) {
            claimer.count("a");
            kill_process(getpid(), Signal::KILL).unwrap();
        }
        if let Err(error) = lease.release()
            && case != Case::GuardsGo
        {
            complain(root, &format!("a release: {error:?}"));
        }
        std::thread::yield_now();
    }
}

impl Claimer<'_> {
    /// Says how something went, in one byte.
    fn count(&self, word: &str) {
        assert_eq!((&self.counts).write(word.as_bytes()).unwrap(), 1);
    }

    /// Sets the clock by hours, ahead or back.
    fn jump(&mut self) {
        if let Some((disk, faults)) = &self.clock {
            disk.shift_clock(TimeDelta::minutes(self.chance.below(48 * 60) - 24 * 60));
            // It remembers each operation.
            faults.disarm();
        }
    }

    /// Holds the lease and the oracle for a moment.
    fn hold(&mut self, lease: &dyn Lease) {
        if self.oracle.try_lock().is_err() {
            self.count("d");
            return;
        }
        if self.chance.one_in(8) {
            std::thread::sleep(Duration::from_micros(self.chance.below(300)));
        } else {
            std::thread::yield_now();
        }
        if self.chance.one_in(2) {
            self.jump();
        }
        let epoch = lease.epoch();
        if let Err(error) = lease.append(&epochs(epoch), format!("{epoch}\n").as_bytes()) {
            complain(self.root, &format!("a fenced append: {error:?}"));
        }
        // Given back before the lease is, and before a crash: the kernel promises no order among the files of a
        // process that dies.
        self.oracle.unlock().unwrap();
    }

    /// Writes a few lines that say who holds. Once another has written, not one more may follow.
    fn hold_and_tell_often(&mut self, lease: &dyn Lease) {
        let me = self.chance.roll();
        for _ in 0..4 {
            match lease.append(&tellers(), format!("{me} {}\n", lease.epoch()).as_bytes()) {
                Ok(()) => {}
                Err(Error::LeaseLost(LostBy::Guard | LostBy::Token | LostBy::Epoch)) => {
                    self.count("l");
                    break;
                }
                Err(error) => complain(self.root, &format!("a fenced append: {error:?}")),
            }
            std::thread::sleep(Duration::from_micros(self.chance.below(1500)));
        }
    }
}

/// Runs processes until the time is over; those that died are replaced, and some are stopped for a while.
fn stress(score: &mut Score, case: Case, root: &Path) -> Stressed {
    fs::create_dir_all(root.join("life")).unwrap();
    for file in ["oracle", "counts"] {
        fs::write(root.join(file), "").unwrap();
    }
    drop(case.open(root).unwrap());
    let mut chance = Dice::fresh();
    let until = Instant::now() + length();
    let begin = |chance: &mut Dice| {
        let left = until.saturating_duration_since(Instant::now()).as_millis();
        start(&format!("claims {} {left} {}", case.word(), chance.roll()), root)
    };
    let mut children: Vec<Child> = (0..PROCESSES).map(|_| begin(&mut chance)).collect();
    let mut stressed = Stressed::default();
    let mut stopped: Option<(usize, Instant)> = None;
    while Instant::now() < until {
        for child in &mut children {
            if child.try_wait().unwrap().is_some() {
                *child = begin(&mut chance);
            }
        }
        match stopped {
            Some((at, till)) if till <= Instant::now() => {
                signal(&children[at], Signal::CONT);
                stopped = None;
            }
            None if chance.one_in(20) => {
                let at = chance.below(PROCESSES);
                signal(&children[at], Signal::STOP);
                stressed.stops += 1;
                stopped = Some((at, Instant::now() + Duration::from_micros(chance.below(5000))));
            }
            _ => {}
        }
        if case == Case::GuardsGo
            && chance.one_in(10)
            && fs::remove_file(root.join("life").join(GUARD)).is_ok()
        {
            stressed.deleted += 1;
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    if let Some((at, _)) = stopped {
        signal(&children[at], Signal::CONT);
    }
    let patience = Instant::now() + Duration::from_secs(20);
    for child in &mut children {
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > patience {
                score.violation("a process hangs");
                end(child);
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    let errors = read(&root.join("errors"));
    let lines = errors.lines().count();
    score.check(errors.is_empty(), || {
        format!("{lines} errors, the first: {}", errors.lines().next().unwrap_or_default())
    });
    for word in read(&root.join("counts")).chars() {
        match word {
            'g' => stressed.granted += 1,
            'a' => stressed.crashes += 1,
            'd' => stressed.doubled += 1,
            'l' => stressed.lost += 1,
            's' => stressed.swept += 1,
            other => panic!("nobody counts {other:?}"),
        }
    }
    stressed
}

/// The events.
#[derive(Debug, Default)]
struct Stressed {
    granted: u64,
    crashes: u64,
    doubled: u64,
    lost: u64,
    swept: u64,
    stops: u64,
    deleted: u64,
}

/// Returns the epochs that holders appended in a folder, in the order of their documents; none before its first run.
fn appended_epochs(case: Case, root: &Path) -> Vec<u64> {
    let Ok(workspace) = case.open(root) else { return Vec::new() };
    let mut numbers = Vec::new();
    for name in workspace.list(Some(&DocName::parse("epochs").unwrap())).unwrap().documents {
        let written = workspace.read(&name).unwrap().unwrap();
        let text = String::from_utf8_lossy(written.bytes()).into_owned();
        numbers.extend(text.lines().map(|line| line.parse::<u64>().unwrap()));
    }
    numbers
}

/// The stress of a case in a folder, and what must be true after it.
fn run_in(title: &'static str, case: Case, root: &Path, is_on_a_drive: bool) -> bool {
    let mut score = Score::new(title);
    // A run that was too short to mean anything is followed by a longer one in the same folder.
    let before = appended_epochs(case, root).len();
    let Stressed { granted, crashes, doubled, stops, .. } = stress(&mut score, case, root);
    score.check(doubled == 0, || format!("{doubled} double holds"));
    let workspace = case.open(root).unwrap();
    let numbers = appended_epochs(case, root);
    score.check(numbers.windows(2).all(|pair| pair[0] < pair[1]), || "epochs do not rise".to_owned());
    let appends = numbers.len() - before;
    score.check(appends as u64 == granted - doubled, || {
        format!("{appends} fenced appends of {granted} holders")
    });
    // After the last crash nobody waits.
    let begun = Instant::now();
    let next = workspace.claim(&ClaimTerms::default()).unwrap();
    score.check(matches!(next, Claim::Granted(_)), || format!("the next claim finds {next:?}"));
    score.check(begun.elapsed() < Duration::from_millis(900), || "the next claim had to wait".to_owned());
    let counts = format!(
        "{PROCESSES} processes, {granted} acquisitions, {crashes} crashes while holding, {stops} stops, \
         {doubled} double holds"
    );
    // A drive that is waited for takes most of the time.
    let least = if is_on_a_drive { 20 } else { 60 };
    score.finish(
        &counts,
        &[
            ("acquisitions", granted, each_second(least)),
            ("crashes", crashes, each_second(least) / 12),
            ("stops", stops, each_second(2)),
        ],
    )
}

pub(crate) fn run(case: Case) -> bool {
    let title = match case {
        Case::Files => "lock (files)",
        Case::Sqlite => "lock (sqlite)",
        Case::Clocks => "lock (clocks that jump)",
        Case::GuardsGo => return run_with_deleted_guards(),
    };
    run_in(title, case, scratch(0).path(), false)
}

/// The same on the other device: the life, and so both lock files, on the disk instead of in memory.
pub(crate) fn run_on_the_disk() -> bool {
    run_in("lock (on the disk)", Case::Files, scratch(1).path(), true)
}

/// The state folder and the journals on devices of their own, in a mount namespace of this test's.
pub(crate) fn run_across_devices() {
    let (folder, other) = (scratch(1), scratch(0));
    for place in [folder.path().join("life"), other.path().to_owned()] {
        for below in [".dreaming.d", "memory"] {
            fs::create_dir_all(place.join(below)).unwrap();
        }
    }
    let mut command = Command::new("unshare");
    let script = r#"mount --bind "$1/.dreaming.d" "$2/.dreaming.d" && mount --bind "$1/memory" "$2/memory" || exit 77
        shift 2; exec "$@""#;
    command.args(["-rm", "sh", "-c", script, "sh"]).arg(other.path()).arg(folder.path().join("life"));
    let role = in_role(super::HERE, "claims-across-devices", folder.path());
    command.arg(role.get_program()).args(role.get_args());
    command.envs(role.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let done = command.stdin(Stdio::null()).output();
    let Some(done) = done.ok().filter(|done| done.status.code() != Some(77)) else {
        println!("lock (across devices): skipped, nothing can be mounted here");
        return;
    };
    let said = String::from_utf8_lossy(&done.stdout);
    let ours = said.lines().filter(|line| line.starts_with("lock ") || line.starts_with("  violation"));
    ours.for_each(|line| println!("{line}"));
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stderr));
}

/// Runs inside the namespace.
pub(crate) fn across_devices(root: &Path) {
    use std::os::unix::fs::MetadataExt;
    let life = root.join("life");
    let device = |path: &Path| fs::metadata(path).unwrap().dev();
    // The test harness has begun a line of its own.
    println!();
    if device(&life) == device(&life.join("memory")) {
        println!("lock (across devices): skipped, both places are on one device");
        return;
    }
    verbs_across_devices(&life);
    kit::run(|| run_in("lock (across devices)", Case::Files, root, true));
    assert_eq!(unfinished(&life), Vec::<std::path::PathBuf>::new());
}

/// Each verb works on a folder of another device or says why not, and nothing is lost.
fn verbs_across_devices(life: &Path) {
    let workspace = FileWorkspace::open(life).unwrap();
    let (journal, document) = (DocName::parse("memory/2025-03-01-a.md").unwrap(), DocName::MEMORY);
    let seen = workspace.write(&journal, b"- [user] note one\n", WriteMode::Create).unwrap();
    let note: &[u8] = b"- [user] we sign the lease on Friday\n";
    workspace.write(&journal, note, WriteMode::IfRevision(seen)).unwrap();
    let moved = workspace.rename(&journal, &DocName::parse("a.md").unwrap());
    let is_typed =
        matches!(&moved, Err(Error::Io { source, .. }) if source.kind() == io::ErrorKind::CrossesDevices);
    assert!(is_typed, "{moved:?}");
    assert_eq!(workspace.read(&journal).unwrap().unwrap().bytes(), note, "a refused rename loses nothing");
    assert!(!life.join("a.md").exists());
    workspace.write(&document, b"# Memory\n", WriteMode::Create).unwrap();
    let model = llm_fn(|_| Ok(LlmReply::new("- The lease is signed on Friday. (memory/2025-03-01-a.md#L1)")));
    let report = dream_once_at(&dreamer_over(Arc::new(workspace), |_| ()), &model, &Utc::now).unwrap();
    assert_eq!(report.outcome, Outcome::Appended, "{report:?}");
    assert!(read(&life.join("MEMORY.md")).contains("signed on Friday"));
    assert_eq!(unfinished(life), Vec::<std::path::PathBuf>::new());
}

fn run_with_deleted_guards() -> bool {
    let mut score = Score::new("guard deleted");
    let folder = scratch(0);
    let root = folder.path();
    let Stressed { granted, lost, swept, deleted, .. } = stress(&mut score, Case::GuardsGo, root);
    let written = read(&root.join("life/tellers.md"));
    let holders: Vec<&str> = written.lines().filter_map(|line| line.split(' ').next()).collect();
    let mut runs = holders.clone();
    runs.dedup();
    let mut unique = runs.clone();
    unique.sort_unstable();
    unique.dedup();
    score.check(unique.len() == runs.len(), || {
        format!("{} holders wrote after another had written", runs.len() - unique.len())
    });
    let epochs: Vec<u64> =
        written.lines().map(|line| line.split(' ').nth(1).unwrap().parse().unwrap()).collect();
    let falls = epochs.windows(2).filter(|pair| pair[0] > pair[1]).count();
    let counts = format!(
        "{granted} acquisitions, {deleted} guards deleted, {lost} leases lost, {} writes, {swept} claims swept \
         by another, epochs began anew {falls} times",
        holders.len()
    );
    score.finish(
        &counts,
        &[("guards deleted", deleted, each_second(5)), ("leases lost", lost, each_second(1))],
    )
}
