//! Postings: that rows have a term.

use super::bits::{Input, put_all};
use super::bound::Bound;
use super::error::Result;
use super::row::{Counts, count};

/// The fact that a row has a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    pub(crate) id: i64,
    /// How often, from 1.
    pub(crate) count: u32,
    /// The length of the row.
    pub(crate) length: u32,
    pub(crate) shared: bool,
    /// Whether it takes an older posting away.
    pub(crate) gone: bool,
}

/// Postings in short.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Sums {
    pub(crate) rows: Counts,
    /// Rows of older segments that are taken away.
    pub(crate) gone: Counts,
    pub(crate) bound: Bound,
}

impl Sums {
    pub(crate) fn add(&mut self, posting: &Posting) {
        if posting.gone {
            count(&mut self.gone, posting.shared, 1);
        } else {
            count(&mut self.rows, posting.shared, 1);
            self.bound.add(posting.count, posting.length);
        }
    }

    pub(crate) fn join(&mut self, other: &Self) {
        for sight in 0..2 {
            self.rows[sight] = self.rows[sight].saturating_add(other.rows[sight]);
            self.gone[sight] = self.gone[sight].saturating_add(other.gone[sight]);
        }
        self.bound.join(&other.bound);
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_all(out, &[self.rows[0], self.rows[1], self.gone[0], self.gone[1]]);
        self.bound.put(out);
    }

    pub(crate) fn read(input: &mut Input<'_>) -> Result<Self> {
        let rows = [input.number()?, input.number()?];
        let gone = [input.number()?, input.number()?];
        Ok(Self { rows, gone, bound: Bound::read(input)? })
    }
}
