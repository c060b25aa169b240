//! The cost of the memory stores as their rows grow.
//!
//! Every verb is measured in the SQLite store and in the file store, at 10,000 and at 100,000 rows, through the public API.
//! Beside each cost stands its growth: that at ten times the rows over that at one time. A rate is of rows in a second, and its
//! growth is that of the time for a row. With `NOCTUARY_BENCH_MILLION=1` there
//! is a third column, which takes some minutes more.
//!
//! ```text
//! cargo bench --bench memory                                  # both sizes, and how each verb grows
//! cargo bench --bench memory -- --rows 100000 --json OUT      # one size, and its main figures in a file
//! cargo bench --bench memory -- --folder /dev/shm             # in memory; without it, in `TMPDIR`
//! cargo bench --bench memory -- alone fused file meaning write disk edges page snapshot open peak     # beside the same by hand, see `beside`
//! ```
//!
//! The rows are drawn, the same every time: fourteen words of a language whose words fall off as those of any, a third of
//! them stop words. A question has two to eight of its words, the first of them a common one, and is new each time.
//!
//! - *write of a fact*, first and last quarter: `write` of the first and of the last rows of the category `fact`, one by one; those in
//!   between are brought in by `write_all`. *write of an observation*: the last quarter of rows that no fact is.
//! - *search*: of the ten best. The median, and the time that 95 of 100 stay below.
//! - *open*: a fresh process opens the store and asks one question. Its memory is the most that a process had at once that
//!   asked sixty, as Linux has it.
//! - *forget*: of a statement of the same words that no row says.
//! - The other verbs: the median of up to a hundred calls, at rows of any age.
//!
//! In the file of `--json`: rows a second, milliseconds and megabytes.
//!
//! Every write is durable: on a disk its time is that of the disk's sync, and the figures of the stores are seen in a folder in
//! memory. No part runs on: the writes of a quarter one by one, and all searches, have two seconds each, and
//! `NOCTUARY_BENCH_SECONDS` sets another time. Where they are over, `write_all` brings in the rest of the quarter. All facts of a size have
//! 16 seconds, unless `--rows` or the million was asked for. If fewer rows were written than there are to be, it is printed.
//! `-- --quick`, and `cargo test --benches`, measure 500 rows, which says nothing of speed, and look at the file of the figures.
#![expect(clippy::unwrap_used, reason = "a benchmark stops where something fails")]

mod arguments;
mod beside;
mod child;
mod course;
mod home;
mod language;
#[path = "../measure/mod.rs"]
mod measure;
mod sheet;
mod table;
mod verbs;
mod writes;

use arguments::Arguments;
use home::Kind;
use language::Language;

fn main() {
    if child::is_played() || beside::is_played() {
        return;
    }
    let arguments = Arguments::read();
    if !arguments.names.is_empty() {
        return beside::run(&arguments);
    }
    let language = Language::new();
    let (mut sheets, mut figures) = (Vec::new(), None);
    for size in arguments.sizes() {
        let both = Kind::ALL.map(|kind| {
            let (figures, sheet) = course::run(kind, size, &arguments.folder, &language);
            sheets.push(sheet);
            figures
        });
        figures = Some(both);
    }
    sheets.sort_by_key(|sheet| sheet.store != Kind::Sqlite.name());
    sheet::print(&sheets);
    let figures = figures.expect("there is a size");
    if let Some(path) = &arguments.json {
        course::write_json(path, &figures);
    }
    if arguments.is_short {
        course::assert_keys(&figures, &arguments.folder);
    }
}
