//! Two lives that grew apart, merged: against reading both and writing one.
//!
//! Each has 1,000 journals, most of them the same, and 100,000 rows of a memory store in a file. The bound is twice the time of reading all
//! files of both and writing as many as the merged life has, through the same workspace.
#![expect(clippy::unwrap_used, reason = "a bench may panic")]

use std::path::Path;
use std::time::{Duration, Instant};

use noctuary::exchange::Merge;
use noctuary::workspace::StateName;
use noctuary::{DocName, FileWorkspace, Workspace, WriteMode};

const RUNS: usize = 5;

/// The size of a life.
#[derive(Clone, Copy)]
struct Size {
    journals: usize,
    rows: usize,
}

fn main() {
    // Without `cargo bench` a look at whether it runs, which says nothing of speed.
    let is_bench = std::env::args().any(|argument| argument == "--bench");
    let size =
        if is_bench { Size { journals: 1_000, rows: 100_000 } } else { Size { journals: 20, rows: 500 } };
    let at = Path::new("/dev/shm").is_dir().then(|| tempfile::tempdir_in("/dev/shm").unwrap());
    let at = at.unwrap_or_else(|| tempfile::tempdir().unwrap());
    let lives = [life(at.path(), 0, size), life(at.path(), 1, size)];
    let [one, other] = [&lives[0], &lives[1]].map(|folder| FileWorkspace::open(folder).unwrap());
    let (mut plain, mut merged) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        let begin = Instant::now();
        let files = [(&one, &lives[0]), (&other, &lives[1])].map(|(life, folder)| read(life, folder));
        let out = made(at.path(), "plain", run);
        for (path, bytes) in &files[0] {
            match DocName::parse(path) {
                Ok(name) => drop(out.write(&name, bytes, WriteMode::Create).unwrap()),
                Err(_) => drop(out.write(&StateName::MEMORIES, bytes, WriteMode::Create).unwrap()),
            }
        }
        plain.push(begin.elapsed());
        let begin = Instant::now();
        let union = Merge::new(&one, &other).plan().unwrap();
        union.write(&made(at.path(), "merged", run)).unwrap();
        merged.push(begin.elapsed());
    }
    let best = |times: &[Duration]| times.iter().min().unwrap().as_secs_f64() * 1e3;
    let (plain, merged) = (best(&plain), best(&merged));
    println!("two lives of {} journals and {} rows, best of {RUNS}", size.journals, size.rows);
    println!(
        "read both and write one: {plain:.0} ms; merged: {merged:.0} ms; ratio {:.2} (at most 2)",
        merged / plain
    );
}

fn made(at: &Path, what: &str, run: usize) -> FileWorkspace {
    let folder = at.join(format!("{what}{run}"));
    std::fs::create_dir_all(&folder).unwrap();
    FileWorkspace::open(folder).unwrap()
}

fn read(life: &FileWorkspace, folder: &Path) -> Vec<(String, Vec<u8>)> {
    let rows = life.read(&StateName::MEMORIES).unwrap().unwrap().into_bytes();
    let mut all = vec![(StateName::MEMORIES.to_string(), rows)];
    for entry in std::fs::read_dir(folder.join("memory")).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("memory/{}", path.file_name().unwrap().to_str().unwrap());
        let journal = life.read(&DocName::parse(&name).unwrap()).unwrap().unwrap();
        all.push((name, journal.into_bytes()));
    }
    all
}

/// A life: what both have, and what machine `machine` added to every tenth journal and to the rows.
fn life(at: &Path, machine: usize, size: Size) -> std::path::PathBuf {
    let folder = at.join(format!("life{machine}"));
    for inner in ["memory", ".dreaming.d"] {
        std::fs::create_dir_all(folder.join(inner)).unwrap();
    }
    let day = chrono::NaiveDate::from_ymd_opt(2023, 1, 1).unwrap();
    for number in 0..size.journals {
        let date = day + chrono::Days::new(number as u64);
        let line = |hour: usize, at: usize| {
            format!(
                "- [{hour:02}:{at:02}:00] [user] On day {number} the boat {at} lay in harbour {} for repairs.\n",
                at * 7 + hour
            )
        };
        let mut text: String = (0..60).map(|at| line(9, at)).collect();
        if number % 10 == 0 {
            text.extend((0..10).map(|at| line(12 + machine, at)));
        }
        std::fs::write(folder.join(format!("memory/{date}-repl.md")), text).unwrap();
    }
    let mut rows = String::from(
        "{\"at\":\"2026-11-20T09:00:00Z\",\"actor\":\"library\",\"op\":\"opened\",\"version\":1,\"scope\":{\"user\":\"marta\",\"agent\":\"\"}}\n",
    );
    let begin = chrono::DateTime::parse_from_rfc3339("2026-11-20T09:00:00Z").unwrap();
    for number in 1..=size.rows {
        let is_own = number > size.rows * 9 / 10;
        let seconds = number * 2 + if is_own { machine } else { 0 };
        let at = begin + chrono::TimeDelta::seconds(i64::try_from(seconds).unwrap());
        let whose = if is_own { machine } else { 9 };
        rows.push_str(&format!(
            "{{\"at\":\"{}\",\"actor\":\"agent\",\"op\":\"written\",\"id\":{number},\"category\":\"observation\",\"content\":\"Row {number} of {whose}: the boat lay in harbour {}, and somebody painted it.\",\"source\":\"observed\"}}\n",
            at.format("%Y-%m-%dT%H:%M:%SZ"),
            number * 13 % 997
        ));
    }
    std::fs::write(folder.join(".dreaming.d/memories.jsonl"), rows).unwrap();
    folder
}
