//! The frequencies of a query's words, and their weights.

use super::bm25::{ln, rarity};
use super::pool::Pool;
use super::query::Plan;
use super::term::Term;

/// The frequencies of a query's words in all rows that a search may return, whatever its filter.
#[derive(Debug, Clone, Default)]
pub struct Frequencies {
    rows: u32,
    /// The number of rows with each word; of a frequent word, any number that is [worth counting](Self::worth_counting).
    found_in: Vec<u32>,
    /// Whether words are looked up however many rows have them.
    has_every_word: bool,
}

impl Frequencies {
    /// Makes the frequencies of words in a number of rows.
    #[must_use]
    pub fn of(rows: u32) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Makes the same for a search that looks each word up, however many rows have it.
    #[must_use]
    pub fn of_every_word(rows: u32) -> Self {
        Self { rows, has_every_word: true, ..Self::default() }
    }

    /// Returns whether frequent words are left out.
    fn leaves_out(&self) -> bool {
        self.rows >= LARGE && !self.has_every_word
    }

    /// Counts the frequencies in a pool that holds all rows.
    #[must_use]
    pub fn within(pool: &Pool) -> Self {
        let mut frequencies = Self::of(pool.size());
        frequencies.found_in = (0..pool.words()).map(|word| pool.found_in(word)).collect();
        frequencies
    }

    /// Adds how many rows the next word occurs in.
    pub fn push(&mut self, found_in: u32) {
        self.found_in.push(found_in.min(self.worth_counting()));
    }

    /// Returns the number of rows worth counting: a word in more is frequent, and it does not matter in how many.
    #[must_use]
    pub fn worth_counting(&self) -> u32 {
        if self.leaves_out() { self.rows / FREQUENT + 1 } else { self.rows }
    }

    /// Counts the words that are looked up anew, in a pool with all rows that have one of them.
    pub fn count(&mut self, pool: &Pool) {
        for word in self.looked_up() {
            self.found_in[word] = pool.found_in(word);
        }
    }

    /// Returns the words that are looked up, in their order. In a large store, words that every twentieth row has
    /// are left out, except the two rarest. They cost the most and say the least.
    #[must_use]
    pub fn looked_up(&self) -> Vec<usize> {
        let mut by_rarity: Vec<usize> =
            (0..self.found_in.len()).filter(|at| self.found_in[*at] > 0).collect();
        by_rarity.sort_by_key(|at| self.found_in[*at]);
        let mut rank = 0;
        by_rarity.retain(|at| {
            rank += 1;
            rank <= 2 || !self.leaves_out() || self.found_in[*at] <= self.rows / FREQUENT
        });
        by_rarity.sort_unstable();
        by_rarity
    }

    /// Leaves out of a plan the stems that no row has. Also leaves out the forms of a word that no row has, if rows have another
    /// form of it.
    pub fn leave_out_absent(&mut self, plan: &mut Plan) {
        if !plan.terms.iter().any(Term::is_stem) {
            return;
        }
        let found: Vec<bool> = (0..plan.terms.len()).map(|word| self.found_in(word) > 0).collect();
        let has_other = |written: &str| {
            plan.terms.iter().zip(&found).any(|(term, is_found)| *is_found && term.written == written)
        };
        let is_kept =
            |(term, is_found): (&Term, &bool)| *is_found || !(term.is_stem() || has_other(&term.written));
        let kept: Vec<bool> = plan.terms.iter().zip(&found).map(is_kept).collect();
        let mut each = kept.iter();
        plan.terms.retain(|_| *each.next().unwrap_or(&true));
        let mut each = kept.iter();
        self.found_in.retain(|_| *each.next().unwrap_or(&true));
    }

    /// Counts the rows in sight.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Counts the rows with a word, as far as that is worth counting.
    pub(crate) fn found_in(&self, word: usize) -> u32 {
        self.found_in.get(word).copied().unwrap_or(0)
    }

    /// Returns the weight of a word; 0 if no row has it.
    pub(crate) fn weight(&self, word: usize) -> f64 {
        match self.found_in.get(word) {
            None | Some(0) => 0.0,
            Some(found_in) => rarity(self.rows.max(*found_in), *found_in),
        }
    }

    /// Returns the weight of a word in a query, also if no row has it.
    #[must_use]
    pub fn worth(&self, word: usize) -> f64 {
        match self.found_in.get(word) {
            None | Some(0) => ln(2.0 * f64::from(self.rows) + 2.0),
            Some(_) => self.weight(word),
        }
    }

    /// Returns the same as a whole number, whose sums are equal in any order and in any engine.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a weight is below 23")]
    pub fn whole_weight(&self, word: usize) -> i64 {
        (self.weight(word) * f64::from(1 << 20)) as i64
    }
}

/// Number of rows from which on words in a great share of them are not looked up.
const LARGE: u32 = 20_000;
/// The share: one in this number.
const FREQUENT: u32 = 20;
