//! Searches that the word index answers.

use rusqlite::params_from_iter;
use rusqlite::types::Value;

use crate::memory::{Filter, Order};
use crate::search::postings::error::Error;
use crate::search::postings::query::{Asked, Gain, Query};
use crate::search::rank::{Frequencies, Term, Visibility};
use crate::sqlite::memory::row::CARD;
use crate::sqlite::memory::search::{CONDITIONS, listed, trusted, view};
use crate::sqlite::memory::table::Table;
use crate::store::search::Wanted;

impl Table<'_> {
    /// Counts rows and words in the index; `None` where it is not whole.
    pub(in crate::sqlite::memory) fn indexed_frequencies(
        &self,
        visibility: Visibility,
        terms: &[Term],
    ) -> rusqlite::Result<Option<Frequencies>> {
        let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        self.ask_terms(|partition, pages| {
            let mut frequencies = Frequencies::of(narrow(partition.totals().rows[visibility as usize]));
            for term in terms {
                let found_in = partition.found_in(pages, &term.stem)?[visibility as usize];
                frequencies.push(narrow(found_in));
            }
            Ok(frequencies)
        })
    }

    /// Returns the rows of which the words weigh most together; `None` where FTS5 is asked: by what only it reads, by time,
    /// or because the index is not whole.
    pub(in crate::sqlite::memory) fn best_indexed(
        &self,
        wanted: &Wanted<'_>,
    ) -> rusqlite::Result<Option<Vec<i64>>> {
        if wanted.plan.required.is_some() || wanted.order != Order::Relevance {
            return Ok(None);
        }
        // Whole numbers below 2^53: their sums are exact.
        #[expect(clippy::cast_precision_loss, reason = "a weight is below 2^25")]
        let asked = |(term, weight): &(&'_ Term, i64)| (term.stem.clone(), *weight as f64);
        let weights: Vec<(String, f64)> = wanted.weights.iter().map(asked).collect();
        let terms: Vec<Asked<'_>> =
            weights.iter().map(|(term, weight)| Asked { term, weight: *weight }).collect();
        let query = Query {
            terms: &terms,
            visibility: wanted.visibility,
            gain: Gain::Once,
            mean: 1.0,
            coverage: 0.0,
            whole: 1.0,
            most: wanted.most,
        };
        let sql = format!(
            "SELECT 1 FROM {} m WHERE m.id = ?6 AND {CONDITIONS} {}",
            view(wanted.visibility),
            trusted(wanted.filter)
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let bound = self.bound(wanted.filter);
        let mut is_taken = |id: i64| {
            let values = bound.iter().cloned().chain([Value::Integer(id)]);
            statement.exists(params_from_iter(values)).map_err(Error::host)
        };
        let is_open = *wanted.filter == Filter::limit(wanted.filter.limit);
        self.ask_terms(|partition, pages| {
            let hits = partition.best(pages, &query, if is_open { None } else { Some(&mut is_taken) })?;
            Ok(hits.into_iter().map(|hit| hit.id).collect())
        })
    }

    /// Returns the statement for rows by their ids, in their order, and what it binds.
    pub(in crate::sqlite::memory) fn listed_sql(
        &self,
        wanted: &Wanted<'_>,
        ids: &[i64],
    ) -> (String, Vec<Value>) {
        let mut values = self.bound(wanted.filter);
        values.push(listed(ids));
        let sql = format!(
            "SELECT {CARD}, m.content FROM json_each(?6) p CROSS JOIN {} m ON m.id = p.value WHERE {CONDITIONS}",
            view(wanted.visibility)
        );
        (sql, values)
    }
}
