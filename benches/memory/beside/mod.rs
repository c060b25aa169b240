//! Verbs of the stores beside what a person would write by hand through rusqlite, over 100,000 rows.
//!
//! Each row of the table compares a verb with a baseline, in rounds that alternate between the two, and gives the median of the
//! rounds for one operation, their ratio, and the ratio that is to be kept to. The rows are said in conversations of
//! 20. By the name that selects it:
//!
//! - *alone*: 60 questions of two to eight words, by BM25 of the rows and nothing else. Beside it: the same words
//!   in one statement over the FTS5 index, prepared once, with the columns of a memory.
//! - *fused*: the same as a store does it that nobody configured.
//! - *file*: both of the store in a file, beside the same statement. Its ten best rows are compared with those of the store
//!   in SQLite.
//! - *meaning*: both stores with an embedder, of 384 dimensions, which costs nothing here. Beside it: words alone.
//! - *write*: one durable row. Beside it: the same values into the same tables, indexes and triggers, without the
//!   look for secrets and instructions, and without the line of the audit.
//! - *disk*: the bytes of a row in SQLite, after `VACUUM`. Beside it: the same file without the index of words.
//! - *edges*: one durable row, or one fact, that names two things, in both stores. Beside it: the same without edges.
//! - *page*: the page on a name that nobody kept, in both stores, with 200 rules and 200 lessons. Beside it: the surroundings alone.
//! - *snapshot*: the rows and the profile for a system prompt, and the block that is made of them, judged by the
//!   doors. Beside each: one statement for 50 rows, and one for the profile.
//! - *open*: a fresh process opens the file and asks one question. Beside it: the same with the same settings by hand.
//! - *peak*: the most memory of a process that opens the file and asks 60 questions, and of one that does it by
//!   hand, as Linux has it.

mod disk;
mod edges;
mod fresh;
mod hand;
mod page;
mod rows;
mod search;
mod snapshot;
mod write;

use crate::arguments::Arguments;
use crate::measure::{self, Effort, Row};
use rows::Rows;

pub(crate) use fresh::is_played;

const SQLITE: &str = "sqlite";
const FILE: &str = "file";

/// Adds its rows.
type Part = fn(Effort, &Rows, &mut Vec<Row>);

const PARTS: [(&str, Part); 11] = [
    ("alone", search::alone),
    ("fused", search::fused),
    ("file", search::file),
    ("meaning", search::meaning),
    ("write", write::row),
    ("disk", disk::bytes),
    ("edges", edges::both),
    ("page", page::cold),
    ("snapshot", snapshot::both),
    ("open", fresh::open),
    ("peak", fresh::peak),
];

/// Measures the parts that are named.
pub(crate) fn run(arguments: &Arguments) {
    for name in &arguments.names {
        let names = PARTS.map(|(part, _)| part);
        assert!(names.contains(&name.as_str()), "{name} is none of {}", names.join(", "));
    }
    let effort = Effort::of_arguments();
    let count = if arguments.is_short { 2_000 } else { arguments.rows.unwrap_or(100_000) };
    let rows = Rows::write(&arguments.folder, count);
    let mut table = Vec::new();
    for (name, measure) in PARTS {
        if arguments.names.iter().any(|wanted| wanted == name) {
            measure(effort, &rows, &mut table);
        }
    }
    measure::print(effort, ["store", "what", "baseline"], &table);
}
