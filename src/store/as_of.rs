//! A search about the past: each row that was found gives way to the one of its history that counted then.

use super::backend::Rows;
use super::history::history;
use super::replace::since;
use crate::base::error::Result;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::facts::as_of;
use crate::memory::{AsOf, Filter, Found, Reached, SearchOutcome, Stale};
use crate::search::rank::Visibility;

/// The number of rows that are searched for each that is wanted: some of them came later.
pub(crate) const SEARCHED: usize = 4;

/// Puts the rows into a result that counted at a time, at most as many as the filter wants.
pub(crate) fn held(
    rows: &dyn Rows,
    visibility: Visibility,
    time: AsOf,
    filter: &Filter,
    found: &mut Found,
) -> Result<()> {
    let (mut told, mut hits) = (SortedSet::new(), Vec::new());
    for mut hit in found.hits.drain(..) {
        let now = hit.memory.id;
        let mut chain = history(rows, now, visibility == Visibility::All)?;
        order::sort_by_key(&mut chain, since);
        let Some(then) = as_of(chain, time) else { continue };
        if hits.len() == filter.limit || !filter.takes(&then.memory) || !told.insert(then.memory.id) {
            continue;
        }
        // What was said again stands, and says the same.
        if text::statement(&then.memory.content) != text::statement(&hit.memory.content) {
            (hit.stale, hit.reached) = (vec![Stale::Replaced(now)], Reached::Words);
            hit.memory = then.memory;
        }
        hits.push(hit);
    }
    if hits.is_empty() {
        found.outcome = SearchOutcome::Empty;
    }
    found.hits = hits;
    Ok(())
}
