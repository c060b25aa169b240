//! Rows as a search reads them: the index finds those that may fit.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::table::Table;
use crate::base::error::Result;
use crate::memory::{Filter, Memory, MemoryId, Order};
use crate::search::rank::{Card, Frequencies, Term, Visibility};
use crate::store::search::{Searchable, Take, Wanted};

impl Searchable for Table<'_> {
    fn frequencies(&self, visibility: Visibility, terms: &[Term]) -> Result<Frequencies> {
        let index = &self.lines.rows.index;
        let mut frequencies = Frequencies::of(index.len(visibility));
        for term in terms {
            frequencies.push(index.found_in(&term.stem, visibility));
        }
        Ok(frequencies)
    }

    fn matching(&self, wanted: &Wanted<'_>, take: &mut Take<'_>) -> Result<()> {
        let rows = &self.lines.rows;
        let weights: Vec<(&str, i64)> =
            wanted.weights.iter().map(|(term, weight)| (term.stem.as_str(), *weight)).collect();
        let mut found = rows.index.having(&weights, wanted.visibility);
        if let Some(required) = &wanted.plan.required {
            let weights: HashMap<i64, i64> = found.into_iter().collect();
            let may = rows.index.fulfilling(required, wanted.visibility).into_iter();
            found = may.map(|id| (id, weights.get(&id).copied().unwrap_or(0))).collect();
        }
        let memory = |id: i64| rows.get(MemoryId::new(id), wanted.visibility);
        match wanted.order {
            Order::Relevance => {
                let is_open = *wanted.filter == Filter::limit(wanted.filter.limit);
                let best = |(id, weight): &(i64, i64)| Reverse((*weight, *id));
                if is_open && wanted.plan.required.is_none() && found.len() > wanted.most {
                    found.select_nth_unstable_by_key(wanted.most, best);
                    found.truncate(wanted.most);
                }
                found.sort_unstable_by_key(best);
            }
            Order::Recency => {
                found.sort_by_cached_key(|(id, _)| {
                    Reverse((memory(*id).map(|memory| memory.updated_at), *id))
                });
            }
        }
        let memories = found.into_iter().filter_map(|(id, _)| memory(id));
        for memory in memories.filter(|memory| wanted.filter.takes(memory)) {
            if !Card::with(memory, |card| take(card, None)) {
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
        let memory = |id: i64| all.get(MemoryId::new(id), visibility);
        for giver in rows {
            let Some(place) = memory(*giver).and_then(|memory| memory.place.as_ref()) else { continue };
            let beside = all.index.beside((&place.session, place.position), *giver, visibility);
            let beside = beside.into_iter().filter_map(memory);
            beside
                .filter(|memory| filter.takes(memory))
                .for_each(|memory| Card::with(memory, |card| take(*giver, card)));
        }
        Ok(())
    }

    fn rows(&self, visibility: Visibility, ids: &[i64]) -> Result<Vec<Memory>> {
        let rows = &self.lines.rows;
        Ok(ids.iter().filter_map(|id| rows.get(MemoryId::new(*id), visibility).cloned()).collect())
    }

    fn list(&self, visibility: Visibility, filter: &Filter) -> Result<Vec<Memory>> {
        Ok(self.lines.rows.list(filter, visibility).take(filter.limit).cloned().collect())
    }

    fn holding(&self, visibility: Visibility, filter: &Filter, text: &str) -> Result<Vec<Memory>> {
        let rows = self.lines.rows.list(filter, visibility).filter(|memory| memory.content.contains(text));
        Ok(rows.take(filter.limit).cloned().collect())
    }
}
