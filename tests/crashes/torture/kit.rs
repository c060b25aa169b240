//! Shared parts: time, chance, a folder, children, and lines of counts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};

use noctuary_tests::common;

static TURN: Mutex<()> = Mutex::new(());

/// Parts run one after another, so that none disturbs the times of another.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How many times as long as asked a part runs, where it got too little done in its time: other programs had it.
static STRETCH: AtomicU32 = AtomicU32::new(1);

/// Runs a part, again and longer while it says that it ran too little to mean anything.
pub(crate) fn run(part: impl Fn() -> bool) {
    let _alone = alone();
    for stretch in [1, 3, 9, 27] {
        STRETCH.store(stretch, Ordering::Relaxed);
        if part() {
            return;
        }
    }
    panic!("even 27 times as long was too little to mean anything");
}

/// Whether somebody asked for a long run.
pub(crate) fn is_long() -> bool {
    std::env::var_os("NOCTUARY_TORTURE_SECONDS").is_some()
}

fn asked() -> Duration {
    let asked = std::env::var("NOCTUARY_TORTURE_SECONDS").ok();
    Duration::from_secs(asked.map_or(3, |seconds| seconds.parse().unwrap()))
}

/// A time that is right on an idle machine, longer where this one turned out not to be.
pub(crate) fn stretched(time: Duration) -> Duration {
    time * STRETCH.load(Ordering::Relaxed)
}

/// How long a part runs.
pub(crate) fn length() -> Duration {
    stretched(asked())
}

/// A folder for a life: in memory where there is such a place, every other time on the disk.
pub(crate) fn scratch(round: u64) -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if round.is_multiple_of(2)
        && let Ok(folder) = tempfile::tempdir_in(memory)
    {
        return folder;
    }
    tempfile::tempdir().unwrap()
}

/// A process of this test binary that nobody talks with.
pub(crate) fn start(role: &str, folder: &Path) -> Child {
    let errors = fs::File::options().append(true).create(true).open(folder.join("stderr")).unwrap();
    common::in_role(super::HERE, role, folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .spawn()
        .unwrap()
}

/// Ends a process that this one started.
pub(crate) fn end(child: &mut Child) {
    let _ = child.kill();
    child.wait().unwrap();
}

/// Sends a signal to a process that this one started.
pub(crate) fn signal(child: &Child, signal: Signal) {
    // One that has died by itself is not yet reaped, so the number is still its own.
    let _ = rustix::process::kill_process(Pid::from_child(child), signal);
}

/// Adds bytes with one call of write.
pub(crate) fn add(path: &Path, bytes: &[u8]) {
    use std::io::Write;
    let mut file = fs::File::options().append(true).create(true).open(path).unwrap();
    assert_eq!(file.write(bytes).unwrap(), bytes.len(), "one write took all of it");
}

pub(crate) fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// The failures, and the number of tries.
pub(crate) struct Score {
    title: &'static str,
    begun: Instant,
    violations: Vec<String>,
}

impl Score {
    pub(crate) fn new(title: &'static str) -> Self {
        Self { title, begun: Instant::now(), violations: Vec::new() }
    }

    pub(crate) fn goes_on(&self) -> bool {
        self.begun.elapsed() < length()
    }

    pub(crate) fn violation(&mut self, what: impl Into<String>) {
        self.violations.push(what.into());
    }

    pub(crate) fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            self.violations.push(what());
        }
    }

    /// Prints the line of this part, and fails on violations. Each of `enough` was counted; returns whether all have
    /// reached their least.
    #[must_use]
    pub(crate) fn finish(self, counts: &str, enough: &[(&str, u64, u64)]) -> bool {
        let seconds = self.begun.elapsed().as_secs_f64();
        println!("{}: {seconds:.0} s, {counts}, {} violations", self.title, self.violations.len());
        for violation in self.violations.iter().take(5) {
            println!("  violation: {violation}");
        }
        assert!(self.violations.is_empty(), "{}: {} violations", self.title, self.violations.len());
        let few: Vec<_> = enough.iter().filter(|(_, count, least)| count < least).collect();
        for (what, count, _) in &few {
            println!("  {count} {what} are too few to mean anything");
        }
        few.is_empty()
    }
}

/// The least number for a run as long as it was asked for, given one for each second.
pub(crate) fn each_second(least: u64) -> u64 {
    least * asked().as_secs()
}

/// The files below a folder whose name says that they were never completed.
pub(crate) fn unfinished(root: &Path) -> Vec<PathBuf> {
    let files = common::tree(root).into_keys();
    files.filter(|path| path.to_string_lossy().contains(".noctuary-")).collect()
}
