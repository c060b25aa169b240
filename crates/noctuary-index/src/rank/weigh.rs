//! The weights of the words of one query, and of rows by their length.

use super::asked::says_how;
use super::fuse::Search;
use super::pool::RowNo;

/// Number of words of a query up to which coverage counts in full. In a longer one a row has some of them by chance.
const FEW_WORDS: f64 = 5.0;

impl Search<'_> {
    /// Returns the weight of a word; 0 if no row has it.
    pub(super) fn weight(&self, word: usize) -> f64 {
        self.frequencies.weight(word) * self.factor(word)
    }

    /// Returns the weight of a row with every word of the query.
    pub(super) fn whole(&self) -> f64 {
        let worth = (0..self.pool.words()).map(|word| self.frequencies.worth(word) * self.factor(word));
        worth.sum::<f64>().max(f64::MIN_POSITIVE)
    }

    /// Returns the weight of coverage in this query.
    pub(super) fn coverage(&self) -> f64 {
        let words = f64::from(u32::try_from(self.pool.words().max(1)).unwrap_or(u32::MAX));
        self.ranking.coverage * (FEW_WORDS / words).min(1.0)
    }

    /// Returns 1 for a short row, and the less the longer a row is.
    pub(super) fn shortness(&self, number: RowNo) -> f64 {
        (f64::from(self.ranking.short) / f64::from(self.pool.row(number).bytes.max(1))).min(1.0)
    }

    fn factor(&self, word: usize) -> f64 {
        let is_how = self.plan.terms.get(word).is_some_and(|term| says_how(&term.written));
        if is_how { self.ranking.how_to_answer } else { 1.0 }
    }
}
