//! How much the postings of a list can gain at most, whatever the mean length is.

use super::bits::{Input, put_all};
use super::error::Result;
use crate::rank::{gain, norm};

/// The least length of all rows, and the greatest count and least length of those that have the term more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    length: u32,
    count: u32,
    of_many: u32,
}

impl Default for Bound {
    fn default() -> Self {
        Self { length: u32::MAX, count: 1, of_many: u32::MAX }
    }
}

impl Bound {
    /// Rows that have the term once.
    pub(crate) fn of_once(length: u32) -> Self {
        Self { length, ..Self::default() }
    }

    pub(crate) fn with_many(self, count: u32, of_many: u32) -> Self {
        Self { count, of_many, ..self }
    }

    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    pub(crate) fn of_many(&self) -> u32 {
        self.of_many
    }

    pub(crate) fn add(&mut self, count: u32, length: u32) {
        self.length = self.length.min(length);
        if count > 1 {
            self.count = self.count.max(count);
            self.of_many = self.of_many.min(length);
        }
    }

    pub(crate) fn join(&mut self, other: &Self) {
        self.length = self.length.min(other.length);
        self.count = self.count.max(other.count);
        self.of_many = self.of_many.min(other.of_many);
    }

    /// The greatest gain: it grows with the count, and falls with the length.
    #[inline]
    pub(crate) fn gain(&self, mean: f64) -> f64 {
        let once = gain(1.0, norm(self.length, mean));
        if self.count > 1 { once.max(gain(self.count.into(), norm(self.of_many, mean))) } else { once }
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_all(out, &[self.length, self.count, self.of_many].map(|number| number.wrapping_add(1).into()));
    }

    pub(crate) fn read(input: &mut Input<'_>) -> Result<Self> {
        let mut number = || Ok(input.narrow()?.wrapping_sub(1));
        Ok(Self { length: number()?, count: number()?, of_many: number()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_posting_gains_more_than_its_bound() {
        let postings = [(1, 12), (1, 5), (3, 40), (2, 30), (9, 300), (1, 0)];
        let mut bound = Bound::default();
        for (count, length) in postings {
            bound.add(count, length);
            for mean in [1.0, 3.3, 14.0, 200.0] {
                let most = bound.gain(mean);
                assert!(gain(count.into(), norm(length, mean)) <= most);
                assert!(most < 2.2);
            }
        }
        let mut out = Vec::new();
        bound.put(&mut out);
        assert_eq!(Bound::read(&mut Input::at(&out, 0)).ok(), Some(bound));
    }
}
