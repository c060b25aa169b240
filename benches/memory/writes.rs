//! Rows that are written, one by one as far as the time allows, and the others many at once.

use std::ops::Range;
use std::time::{Duration, Instant};

use noctuary::MemoryStore;
use noctuary::memory::NewMemory;

use crate::home::{agent, at, memory};
use crate::language::Language;

/// How many rows one `write_all` brings in.
const BATCH: u32 = 1_000;
/// A quarter is cut into so many slices, each with its share of the time.
const SLICES: u32 = 50;

/// Writes rows of one category.
pub(crate) struct Writer<'a> {
    pub(crate) store: &'a dyn MemoryStore,
    pub(crate) language: &'a Language,
    pub(crate) category: &'static str,
}

/// Rows that were written one by one, of so many.
#[derive(Clone, Copy, Default)]
pub(crate) struct Singly {
    pub(crate) rows: u32,
    pub(crate) of: u32,
    pub(crate) spent: Duration,
}

impl Singly {
    /// Rows a second.
    pub(crate) fn rate(self) -> f64 {
        f64::from(self.rows) / self.spent.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

impl Writer<'_> {
    /// Writes these rows. Of each slice the first rows are written one by one, until its share of the time is over.
    pub(crate) fn singly(&self, rows: Range<u32>, time: Duration) -> Singly {
        let mut done = Singly { of: rows.end - rows.start, ..Singly::default() };
        for slice in 1..=SLICES {
            let end = rows.start + share(done.of, slice);
            let mut next = rows.start + share(done.of, slice - 1);
            while next < end && (done.rows == 0 || done.spent < time * slice / SLICES) {
                let row = self.row(next);
                let begun = Instant::now();
                self.store.write(&agent(), &row, at(next)).unwrap();
                done.spent += begun.elapsed();
                (next, done.rows) = (next + 1, done.rows + 1);
            }
            self.at_once(next..end);
        }
        done
    }

    /// Brings these rows in, many at once; returns the time that the store took.
    pub(crate) fn at_once(&self, rows: Range<u32>) -> Duration {
        let mut spent = Duration::ZERO;
        let mut start = rows.start;
        while start < rows.end {
            let end = rows.end.min(start + BATCH);
            let batch: Vec<NewMemory> = (start..end).map(|number| self.row(number)).collect();
            let begun = Instant::now();
            let written = self.store.write_all(&agent(), &batch, at(start)).unwrap();
            spent += begun.elapsed();
            assert!(written.iter().all(Result::is_ok), "no row is refused");
            start = end;
        }
        spent
    }

    fn row(&self, number: u32) -> NewMemory {
        memory(self.language, self.category, number)
    }
}

fn share(of: u32, slice: u32) -> u32 {
    u32::try_from(u64::from(of) * u64::from(slice) / u64::from(SLICES)).unwrap()
}
