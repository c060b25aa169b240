//! Rows that are written, one by one as far as the time allows, and the others many at once.

use std::time::{Duration, Instant};

use noctuary::MemoryStore;
use noctuary::memory::NewMemory;

use crate::home::{agent, at, memory};
use crate::language::Language;

/// How many rows one `write_all` brings in.
const BATCH: u32 = 1_000;
/// A quarter is cut into so many slices, each with its share of the time.
const SLICES: u32 = 50;

/// Writes rows of one category, one number after the other.
pub(crate) struct Writer<'a> {
    pub(crate) store: &'a dyn MemoryStore,
    pub(crate) language: &'a Language,
    pub(crate) category: &'static str,
    /// So many rows are written.
    pub(crate) rows: u32,
    /// No more rows are brought in after it.
    pub(crate) until: Option<Instant>,
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
    /// Writes so many rows. Of each slice the first are written one by one, until its share of the time is over.
    pub(crate) fn singly(&mut self, rows: u32, time: Duration) -> Singly {
        let mut done = Singly { of: rows, ..Singly::default() };
        for slice in 1..=SLICES {
            let mut left = share(rows, slice) - share(rows, slice - 1);
            // A tenth ahead of its share, for what is done once in the beginning.
            let allowed = time * (slice + SLICES / 10).min(SLICES) / SLICES;
            while left > 0 && (done.rows == 0 || done.spent < allowed) {
                let row = memory(self.language, self.category, self.rows);
                let begun = Instant::now();
                self.store.write(&agent(), &row, at(self.rows)).unwrap();
                done.spent += begun.elapsed();
                (left, done.rows, self.rows) = (left - 1, done.rows + 1, self.rows + 1);
            }
            if self.has_time() {
                self.at_once(left);
            }
        }
        done
    }

    /// Brings so many rows in, many at once, as long as there is time; returns the seconds of a row.
    pub(crate) fn at_once(&mut self, rows: u32) -> f64 {
        let mut spent = Duration::ZERO;
        let (start, end) = (self.rows, self.rows + rows);
        while self.rows < end && (self.rows == start || self.has_time()) {
            let next = end.min(self.rows + BATCH);
            let row = |number| memory(self.language, self.category, number);
            let batch: Vec<NewMemory> = (self.rows..next).map(row).collect();
            let begun = Instant::now();
            let written = self.store.write_all(&agent(), &batch, at(self.rows)).unwrap();
            spent += begun.elapsed();
            assert!(written.iter().all(Result::is_ok), "no row is refused");
            self.rows = next;
        }
        spent.as_secs_f64() / f64::from((self.rows - start).max(1))
    }

    fn has_time(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }
}

fn share(of: u32, slice: u32) -> u32 {
    u32::try_from(u64::from(of) * u64::from(slice) / u64::from(SLICES)).unwrap()
}
