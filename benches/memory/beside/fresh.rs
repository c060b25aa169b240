//! Fresh processes that open the file: as a host does, and by hand.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use noctuary::SqliteMemoryStore;
use noctuary::store::StoreConfig;

use super::rows::{Rows, questions};
use super::search::{ask, rows_alone};
use super::{SQLITE, hand};
use crate::child::{Spent, numbers_of, say};
use crate::home::scope;
use crate::language::Language;
use crate::measure::{Effort, Row, median};

/// Says to a process that was started by this one what it is to be.
const ROLE: &str = "NOCTUARY_BENCH_ROLE";

const BARE: &str = "bare";
const ALONE: &str = "alone";
const FUSED: &str = "fused";

/// Starts a process that opens the file and asks so many questions.
fn spawn(rows: &Rows, role: &str, first: usize, count: usize) -> Spent {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(ROLE, role).arg(rows.database()).args([first.to_string(), count.to_string()]);
    numbers_of(&mut command)
}

/// Does what the process was started for, and returns true; false in a process that nobody here started.
pub(crate) fn is_played() -> bool {
    let Ok(role) = std::env::var(ROLE) else {
        return false;
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = Path::new(&arguments[0]);
    let [first, count] = [&arguments[1], &arguments[2]].map(|number| number.parse().unwrap());
    let questions = questions(&Language::new());
    let asked = questions.iter().cycle().skip(first).take(count);
    let begun = Instant::now();
    if role == BARE {
        let connection = hand::connect(path);
        let mut statement = connection.prepare(hand::SEARCH).unwrap();
        asked.for_each(|question| drop(black_box(hand::ask(&mut statement, question))));
        say(begun);
    } else {
        let config = if role == ALONE { rows_alone() } else { StoreConfig::default() };
        let store = SqliteMemoryStore::open_with(path, scope(), config).unwrap();
        asked.for_each(|question| drop(black_box(ask(&store, question))));
        say(begun);
    }
    true
}

/// Starts a process of each kind in turn, and compares what `of` says of them.
fn processes(
    effort: Effort,
    rows: &Rows,
    labels: [&'static str; 3],
    role: &str,
    count: usize,
    of: impl Fn(Spent) -> Option<f64>,
) -> Option<Row> {
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    let begun = Instant::now();
    for round in 0..effort.rounds {
        bare.push(of(spawn(rows, BARE, round, count))?);
        ours.push(of(spawn(rows, role, round, count))?);
        if round > 1 && begun.elapsed() > effort.time {
            break;
        }
    }
    let rounds = bare.len();
    Some(Row { labels, bare: median(bare), ours: median(ours), bound: None, rounds })
}

pub(super) fn open(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    const BY_HAND: &str = "open, prepare and step";
    for (role, what, bound) in
        [(FUSED, "open, first search", Some(3.0)), (ALONE, "open, first search of rows alone", None)]
    {
        let microseconds = |spent: Spent| Some(spent.milliseconds * 1e3);
        let row = processes(effort, rows, [SQLITE, what, BY_HAND], role, 1, microseconds);
        table.extend(row.map(|row| Row { bound, ..row }));
    }
}

pub(super) fn peak(effort: Effort, rows: &Rows, table: &mut Vec<Row>) {
    const WHAT: &str = "peak memory of 60 searches, in KB";
    let effort = Effort { rounds: effort.rounds.min(5), ..effort };
    for (role, what, bound) in [(FUSED, WHAT, Some(2.0)), (ALONE, "the same of rows alone", None)] {
        let labels = [SQLITE, what, "the statement 60 times"];
        let kilobytes = |spent: Spent| spent.megabytes.map(|megabytes| megabytes * 1e3);
        let row = processes(effort, rows, labels, role, rows.questions.len(), kilobytes);
        table.extend(row.map(|row| Row { bound, ..row }));
    }
}
