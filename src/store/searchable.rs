//! The rows of a backend, as a search reads them.

use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::memory::{Filter, Memory, Order, Query};
use crate::search::postings::{self, Asked, Gain};
use crate::search::rank::{Card, Counted, Frequencies, Plan, Term, Visibility};

/// Rows as a search reads them: those in sight and no others, in one view of the store. Retired and deleted rows are
/// not among them.
pub(crate) trait Searchable {
    /// Counts the rows in sight, and in how many of them each of some words occurs. Rows of a frequent word are counted
    /// only as far as is [worth counting](Frequencies::worth_counting).
    fn frequencies(&self, visibility: Visibility, terms: &[Term]) -> Result<Frequencies>;

    /// Gives the rows that may be found until `take` returns `false`. Each has its text, or the counts of an index.
    /// Where the plan requires something, each has its text.
    fn matching(&self, wanted: &Wanted<'_>, take: &mut Take<'_>) -> Result<()>;

    /// Gives the neighbours of some rows in their conversations, as far as the filter takes them. There are at most
    /// [`REACH`](crate::search::rank::REACH) to each side, each with the row that it is beside. Their text need not be read.
    fn beside(
        &self,
        visibility: Visibility,
        filter: &Filter,
        rows: &[i64],
        take: &mut dyn FnMut(i64, &Card<'_>),
    ) -> Result<()>;

    /// Reads rows, in any order.
    fn rows(&self, visibility: Visibility, ids: &[i64]) -> Result<Vec<Memory>>;

    /// Lists rows, the latest touched first.
    fn list(&self, visibility: Visibility, filter: &Filter) -> Result<Vec<Memory>>;

    /// Lists the rows that hold a text as it is, the latest touched first.
    fn holding(&self, visibility: Visibility, filter: &Filter, text: &str) -> Result<Vec<Memory>>;

    /// Finds rows by an expression in the backend's own language, best first. A lower rank is a better one. Returns
    /// `None` where the backend has no such language, or does not take this for an expression.
    fn by_expression(
        &self,
        _visibility: Visibility,
        _query: &Query,
        _text: &str,
    ) -> Result<Option<Vec<(f64, Memory)>>> {
        Ok(None)
    }
}

/// Takes a row, and the words of the plan in it where they are counted already; `false` where no more are taken.
pub(crate) type Take<'a> = dyn FnMut(&Card<'_>, Option<Counted<'_>>) -> bool + 'a;

/// Rows that may be found. The filter takes them, and they have one of the words or may fulfil what the plan requires.
///
/// By [`Order::Relevance`] rows come first whose words weigh most together. By [`Order::Recency`] the latest touched come
/// first. Of equals the greater id comes first.
pub(crate) struct Wanted<'a> {
    pub visibility: Visibility,
    pub filter: &'a Filter,
    pub plan: &'a Plan,
    /// The words that are looked up, and what each weighs: more than 0.
    pub weights: Vec<(&'a Term, i64)>,
    pub order: Order,
    /// No more are taken.
    pub most: usize,
}

impl<'a> Wanted<'a> {
    /// Returns the words of the plan as a word index is asked for them. One that is not looked up weighs nothing, and is
    /// counted.
    pub(crate) fn asked(&self) -> Vec<Asked<'a>> {
        // Whole numbers below 2^53: their sums are exact.
        #[expect(clippy::cast_precision_loss, reason = "a weight is below 2^25")]
        let weight_of = |word: &Term| {
            self.weights.iter().find(|(term, _)| *term == word).map_or(0.0, |(_, weight)| *weight as f64)
        };
        let terms = self.plan.terms.iter();
        terms.map(|word| Asked { term: &word.stem, weight: weight_of(word) }).gather()
    }

    /// Returns the question to a word index for the best rows, by the words that were [asked](Self::asked).
    pub(crate) fn query<'t>(&self, terms: &'t [Asked<'t>]) -> postings::Query<'t> {
        postings::Query {
            terms,
            visibility: self.visibility,
            gain: Gain::Once,
            mean: 1.0,
            coverage: 0.0,
            whole: 1.0,
            most: self.most,
        }
    }

    /// Returns whether the filter takes all rows.
    pub(crate) fn is_open(&self) -> bool {
        *self.filter == Filter::limit(self.filter.limit)
    }
}
