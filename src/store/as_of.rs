//! A search about the past. Each found row is replaced by the row of its history that counted then, or returned with its
//! predecessors.

use super::backend::Rows;
use super::history::history;
use crate::base::error::Result;
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::facts::{FactState, as_of};
use crate::memory::{AsOf, Filter, Found, Hit, Order, Query, Reached, SearchOutcome, Stale};
use crate::search::rank::{Plan, Visibility};

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
        let chain = history(rows, now, visibility == Visibility::All)?;
        let Some(then) = as_of(chain, time) else { continue };
        if hits.len() == filter.limit || !filter.takes(&then.memory) || !told.insert(then.memory.id) {
            continue;
        }
        // What was said again says the same: it is not out of date, and the row that counts is not its repetition.
        let is_other = text::statement(&then.memory.content) != text::statement(&hit.memory.content);
        if is_other {
            (hit.stale, hit.reached) = (vec![Stale::Replaced(now)], Reached::Words);
        }
        if is_other || then.memory.id < now {
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

/// Returns whether a query asks for what was, by its words.
pub(crate) fn is_asked(query: &Query, plan: &Plan) -> bool {
    query.order == Order::Relevance && plan.required.is_none() && plan.asks_for_the_past()
}

/// Maximum number of earlier rows of one history beside the current row.
const MAX_EARLIER: usize = 3;

/// Puts before each row those that it replaced, the oldest first, at most as many as the filter wants.
pub(crate) fn earlier(
    rows: &dyn Rows,
    visibility: Visibility,
    filter: &Filter,
    found: &mut Found,
) -> Result<()> {
    let (mut told, mut hits) = (SortedSet::new(), Vec::new());
    oldest_first(rows, &mut found.hits)?;
    for hit in found.hits.drain(..) {
        let now = hit.memory.id;
        let chain = history(rows, now, visibility == Visibility::All)?;
        let (mut before, mut last) = (0, String::new());
        for fact in chain {
            if before == MAX_EARLIER {
                break;
            }
            let statement = text::statement(&fact.memory.content);
            let is_replaced = fact.status.state == FactState::Superseded && filter.takes(&fact.memory);
            // A value that is said twice in a row is one; one that returned is told again.
            if is_replaced && statement != last && told.insert(fact.memory.id) {
                (before, last) = (before + 1, statement);
                let stale = vec![Stale::Replaced(now)];
                hits.push(Hit { stale, ..Hit::new(fact.memory, hit.score, hit.why.clone()) });
            }
        }
        hits.push(hit);
    }
    hits.truncate(filter.limit);
    found.hits = hits;
    Ok(())
}

/// Puts before each row the older ones that may contradict it: nobody decided which of them was replaced.
fn oldest_first(rows: &dyn Rows, hits: &mut [Hit]) -> Result<()> {
    for at in 1..hits.len() {
        for to in 0..at {
            let (one, other) = (hits[at].memory.id, &hits[to]);
            if !other.stale.iter().any(|stale| stale.by() == Some(one)) {
                continue;
            }
            let (Some(one), Some(other)) = (rows.fact(one)?, rows.fact(other.memory.id)?) else { continue };
            if one.since() < other.since() {
                hits[to..=at].rotate_right(1);
                break;
            }
        }
    }
    Ok(())
}
