//! Rows as a search reads them: the word index finds those that may fit.

use super::entry::Entry;
use super::reader::Reader;
use super::table::Table;
use crate::base::error::Result;
use crate::base::order;
use crate::memory::{Filter, Memory, MemoryId, Order};
use crate::search::postings::{Having, Hit, Pages, Partition, Result as Asking};
use crate::search::rank::{Card, Counted, Frequencies, Term, Visibility};
use crate::search::with_card;
use crate::store::searchable::{Searchable, Take, Wanted};

impl Table<'_> {
    /// Returns the rows that the index finds and counts, the best first.
    fn best(&self, wanted: &Wanted<'_>, reader: &Reader<'_>) -> Result<Vec<Hit>> {
        let terms = wanted.asked();
        let query = wanted.query(&terms);
        self.lines.rows.ask(reader, |partition, pages| {
            let mut filter = |id: i64| Ok(self.is_taken(wanted.filter, id));
            partition.best(pages, &query, if wanted.is_open() { None } else { Some(&mut filter) })
        })
    }

    /// Returns the rows that may be found by a condition, or by time, the first ones first.
    fn found(&self, wanted: &Wanted<'_>, reader: &Reader<'_>) -> Result<Vec<i64>> {
        let rows = &self.lines.rows;
        let mut found = rows.ask(reader, |partition, pages| {
            let mut ids = if let Some(required) = &wanted.plan.required {
                partition.fulfilling(pages, required, wanted.visibility)?
            } else {
                let terms: Vec<&str> = wanted.weights.iter().map(|(term, _)| &term.stem[..]).collect();
                partition.all_having(pages, (Having::Any, &terms), wanted.visibility)?
            };
            order::retain(&mut ids, |id| self.is_taken(wanted.filter, *id));
            weighed(partition, pages, wanted, ids)
        })?;
        let touched = |id: i64| rows.entry(MemoryId::new(id)).map(|entry| entry.updated);
        match wanted.order {
            Order::Relevance => found.sort_unstable_by_key(|(id, weight)| std::cmp::Reverse((*weight, *id))),
            Order::Recency => found.sort_by_cached_key(|(id, _)| std::cmp::Reverse((touched(*id), *id))),
        }
        Ok(found.into_iter().map(|(id, _)| id).collect())
    }

    fn is_taken(&self, filter: &Filter, id: i64) -> bool {
        let rows = &self.lines.rows;
        rows.entry(MemoryId::new(id)).is_some_and(|entry| entry.is_taken(filter, &rows.names))
    }

    fn read_all<'e>(&self, entries: impl Iterator<Item = &'e Entry>) -> Result<Vec<Memory>> {
        let reader = self.lines.reader();
        entries.map(|entry| self.lines.rows.memory(entry, &reader)).collect()
    }
}

/// Returns rows with the sum of what their words weigh.
fn weighed(
    partition: &Partition,
    pages: &dyn Pages,
    wanted: &Wanted<'_>,
    ids: Vec<i64>,
) -> Asking<Vec<(i64, i64)>> {
    let mut sums: Vec<(i64, i64)> = ids.into_iter().map(|id| (id, 0)).collect();
    for (term, weight) in &wanted.weights {
        let mut at = 0;
        partition.having(
            pages,
            (Having::All, &[term.stem.as_str()]),
            wanted.visibility,
            i64::MIN,
            &mut |id| {
                while sums.get(at).is_some_and(|(other, _)| *other < id) {
                    at += 1;
                }
                if let Some((_, sum)) = sums.get_mut(at).filter(|(other, _)| *other == id) {
                    *sum += weight;
                }
                Ok(at < sums.len())
            },
        )?;
    }
    Ok(sums)
}

impl Searchable for Table<'_> {
    fn frequencies(&self, visibility: Visibility, terms: &[Term]) -> Result<Frequencies> {
        let narrow = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        self.lines.rows.ask(&self.lines.reader(), |partition, pages| {
            let mut frequencies = Frequencies::of(narrow(partition.totals().rows[visibility as usize]));
            for term in terms {
                frequencies.push(narrow(partition.found_in(pages, &term.stem)?[visibility as usize]));
            }
            Ok(frequencies)
        })
    }

    fn matching(&self, wanted: &Wanted<'_>, take: &mut Take<'_>) -> Result<()> {
        let (rows, reader) = (&self.lines.rows, self.lines.reader());
        if wanted.plan.required.is_none() && wanted.order == Order::Relevance {
            for hit in self.best(wanted, &reader)? {
                let Some(entry) = rows.seen(MemoryId::new(hit.id), wanted.visibility) else { continue };
                let counted = Counted { counts: &hit.counts, length: hit.length };
                if !take(&entry.card(&rows.names, &rows.places), Some(counted)) {
                    break;
                }
            }
            return Ok(());
        }
        for id in self.found(wanted, &reader)? {
            let Some(entry) = rows.seen(MemoryId::new(id), wanted.visibility) else { continue };
            if !with_card(&rows.memory(entry, &reader)?, |card| take(card, None)) {
                break;
            }
        }
        Ok(())
    }

    fn beside(
        &self,
        visibility: Visibility,
        filter: &Filter,
        rows: &[i64],
        take: &mut dyn FnMut(i64, &Card<'_>),
    ) -> Result<()> {
        let all = &self.lines.rows;
        for giver in rows {
            let beside = all.beside(MemoryId::new(*giver), visibility);
            beside
                .filter(|entry| entry.is_taken(filter, &all.names))
                .for_each(|entry| take(*giver, &entry.card(&all.names, &all.places)));
        }
        Ok(())
    }

    fn rows(&self, visibility: Visibility, ids: &[i64]) -> Result<Vec<Memory>> {
        let rows = &self.lines.rows;
        self.read_all(ids.iter().filter_map(|id| rows.seen(MemoryId::new(*id), visibility)))
    }

    fn list(&self, visibility: Visibility, filter: &Filter) -> Result<Vec<Memory>> {
        self.read_all(self.lines.rows.list(filter, visibility).take(filter.limit))
    }

    fn holding(&self, visibility: Visibility, filter: &Filter, text: &str) -> Result<Vec<Memory>> {
        let (rows, reader) = (&self.lines.rows, self.lines.reader());
        let mut found = Vec::new();
        for entry in rows.list(filter, visibility) {
            if found.len() >= filter.limit {
                break;
            }
            if rows.content(entry, &reader)?.contains(text) {
                found.push(rows.memory(entry, &reader)?);
            }
        }
        Ok(found)
    }
}
