//! Fresh processes, which open a store and ask it, and say on standard output what that took.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use noctuary::MemoryStore;

use crate::home::{Kind, agent, query};
use crate::language::Language;
use crate::measure::median;

/// Says to a process that was started by this one what it is to open.
const ROLE: &str = "NOCTUARY_BENCH_OPEN";

/// The words of a process about itself.
pub(crate) struct Spent {
    pub(crate) milliseconds: f64,
    /// The most memory at once, in megabytes, where the system says it.
    pub(crate) megabytes: Option<f64>,
}

/// Starts a process that opens the store and asks so many questions.
fn spawn(kind: Kind, folder: &Path, questions: u32) -> Spent {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.env(ROLE, kind.name()).arg(folder).arg(questions.to_string());
    numbers_of(&mut command)
}

/// Runs a process that prints its milliseconds, and its megabytes if it knows them.
pub(crate) fn numbers_of(command: &mut Command) -> Spent {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    let mut numbers = said.split_whitespace().map(|number| number.parse().unwrap());
    Spent { milliseconds: numbers.next().unwrap(), megabytes: numbers.next() }
}

/// The median of the time for opening and the first search, and the memory of a process that asks sixty questions.
pub(crate) fn open_and_peak(kind: Kind, folder: &Path, processes: usize) -> (f64, Option<f64>) {
    let opened = (0..processes).map(|_| spawn(kind, folder, 1).milliseconds).collect();
    (median(opened), spawn(kind, folder, 60).megabytes)
}

/// Does what the process was started for, and returns true; false in a process that nobody here started.
pub(crate) fn is_played() -> bool {
    let Ok(role) = std::env::var(ROLE) else {
        return false;
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, questions) = (Path::new(&arguments[0]), arguments[1].parse().unwrap());
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == role).unwrap();
    let language = Language::new();
    let begun = Instant::now();
    let store = kind.open(folder);
    for number in 0..questions {
        black_box(MemoryStore::search(&*store, &agent(), &query(&language, number)).unwrap());
    }
    say(begun);
    true
}

/// Prints the time since then, and the most memory that this process had at once.
pub(crate) fn say(begun: Instant) {
    let milliseconds = begun.elapsed().as_secs_f64() * 1e3;
    println!("{milliseconds} {}", peak().map(|megabytes| megabytes.to_string()).unwrap_or_default());
}

/// The most memory that this process had at once, in megabytes, where the system says it.
fn peak() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
