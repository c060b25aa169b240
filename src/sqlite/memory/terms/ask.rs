//! Searches that the word index answers.

use crate::sql::memory::trusted;
use crate::sql::memory::with_card;
use crate::sqlite::error::carried;
use rusqlite::params_from_iter;
use rusqlite::types::Value;

use crate::base::order;
use crate::memory::Order;
use crate::search::postings::{Error, Hit};
use crate::search::rank::{Counted, Frequencies, Term, Visibility};
use crate::sqlite::memory::row::CARD;
use crate::sqlite::memory::search::{CONDITIONS, json, view};
use crate::sqlite::memory::table::Table;
use crate::store::searchable::{Take, Wanted};

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

    /// Returns the rows whose words weigh most together. `None` where FTS5 is asked: by what only it reads, by time, or
    /// because the index is not whole.
    pub(in crate::sqlite::memory) fn best_indexed(
        &self,
        wanted: &Wanted<'_>,
    ) -> rusqlite::Result<Option<Vec<Hit>>> {
        if wanted.plan.required.is_some() || wanted.order != Order::Relevance {
            return Ok(None);
        }
        let terms = wanted.asked();
        let query = wanted.query(&terms);
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
        self.ask_terms(|partition, pages| {
            partition.best(pages, &query, if wanted.is_open() { None } else { Some(&mut is_taken) })
        })
    }

    /// Gives rows that the index found, without their texts. It has the rows of this scope and no others, and those that the
    /// filter takes.
    pub(in crate::sqlite::memory) fn counted(
        &self,
        visibility: Visibility,
        mut hits: Vec<Hit>,
        take: &mut Take<'_>,
    ) -> rusqlite::Result<()> {
        // In the order of the table, so that rows beside each other are read together.
        order::sort_by_key(&mut hits, |hit| hit.id);
        let ids: Vec<i64> = hits.iter().map(|hit| hit.id).collect();
        let sql =
            format!("SELECT {CARD} FROM json_each(?1) p CROSS JOIN {} m ON m.id = p.value", view(visibility));
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query([json(&ids)])?;
        let mut hits = hits.iter();
        while let Some(found) = rows.next()? {
            let id: i64 = found.get(0)?;
            let Some(hit) = hits.find(|hit| hit.id == id) else { return Ok(()) };
            let counted = Counted { counts: &hit.counts, length: hit.length };
            if !with_card(&self.found(found), "", |card| take(card, Some(counted))).map_err(carried)? {
                return Ok(());
            }
        }
        Ok(())
    }
}
