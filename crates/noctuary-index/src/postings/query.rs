//! A question for the best rows, and the score of a row.

use super::best::Best;
use super::bound::Bound;
use super::error::Result;
use crate::rank::{Visibility, gain, norm};

/// A word of the query.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The word, as the index has it.
    pub term: &'a str,
    /// How much it says, from 0. A word of weight 0 finds nothing, and is only counted in the found rows.
    pub weight: f64,
}

/// The gain of a row for a word that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gain {
    /// The gain of BM25: by how often the row has it, and how long the row is.
    Bm25,
    /// The same for each row that has it. Where weights are whole numbers, sums are exact.
    Once,
}

/// A question for the best rows.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The words.
    pub terms: &'a [Asked<'a>],
    /// The rows in sight.
    pub visibility: Visibility,
    /// The gain of a row for each word.
    pub gain: Gain,
    /// The mean length of a row.
    pub mean: f64,
    /// How much it counts that a row has more of the words. Its score is multiplied by 1 + this × their share of the
    /// whole weight.
    pub coverage: f64,
    /// The weight of all words.
    pub whole: f64,
    /// The most rows that are found.
    pub most: usize,
}

impl Query<'_> {
    /// The score of a row, of the gains of its words and their weights together.
    #[inline]
    pub(crate) fn score(&self, gained: f64, covered: f64) -> f64 {
        gained * (1.0 + self.coverage * (covered / self.whole))
    }

    /// Returns whether a row that gains no more scores less than another. Sums depend on their order a little.
    #[inline]
    pub(crate) fn is_below(&self, gained: f64, covered: f64, least: f64) -> bool {
        self.score(gained, covered) * MARGIN < least
    }

    /// As [`is_below`](Self::is_below), also of rows that lose to the other where they score the same.
    #[inline]
    pub(crate) fn is_under(&self, (gained, covered): (f64, f64), least: f64, loses_ties: bool) -> bool {
        let is_same = loses_ties && self.gain == Gain::Once && self.score(gained, covered) <= least;
        is_same || self.is_below(gained, covered, least)
    }

    /// Returns the gain for a word that a row has so often.
    #[inline]
    pub(crate) fn gain(&self, count: u32, norm: f64) -> f64 {
        match self.gain {
            Gain::Bm25 => gain(count.into(), norm),
            Gain::Once => 1.0,
        }
    }

    /// Returns the greatest gain of the rows of a list.
    #[inline]
    pub(crate) fn most_gain(&self, bound: &Bound) -> f64 {
        match self.gain {
            Gain::Bm25 => bound.gain(self.mean),
            Gain::Once => 1.0,
        }
    }
}

const MARGIN: f64 = 1.0 + 1e-9;

/// How the lengths of rows count, of one mean.
#[derive(Debug)]
pub(crate) struct Norms {
    mean: f64,
    of_short: Vec<f64>,
}

impl Norms {
    pub(crate) fn of(mean: f64) -> Self {
        Self { mean, of_short: (0..256).map(|length| norm(length, mean)).collect() }
    }

    #[inline]
    pub(crate) fn get(&self, length: u32) -> f64 {
        self.of_short.get(length as usize).copied().unwrap_or_else(|| norm(length, self.mean))
    }
}

/// Whether a row is to be found, by a condition of the caller.
pub(crate) type Filter<'f> = &'f mut dyn FnMut(i64) -> Result<bool>;

/// A search that is under way.
pub(crate) struct Search<'s, 'f> {
    pub(crate) query: &'s Query<'s>,
    pub(crate) norms: Norms,
    pub(crate) best: Best,
    pub(crate) filter: Option<Filter<'f>>,
}

impl Search<'_, '_> {
    /// Takes a row that is one of the best, is not removed, and passes the filter.
    pub(crate) fn offer(
        &mut self,
        id: i64,
        score: f64,
        row: (u32, bool),
        counts: &[u32],
        stands: impl FnOnce() -> bool,
    ) -> Result<()> {
        if !self.best.takes(score, id) || !stands() {
            return Ok(());
        }
        if let Some(filter) = &mut self.filter
            && !filter(id)?
        {
            return Ok(());
        }
        self.best.put(id, score, row, counts);
        Ok(())
    }
}
