//! A search that leads from what held once to what holds now, and from the words of a key to its fact.
//!
//! The word index holds only rows that a search may return, so words of retired rows count in no frequency. Beside it a
//! backend lists the words of keys, and of retired rows that have a successor. A search looks at these lists last, and
//! reads a bounded number of rows. It reads none if no row was retired and none has a key.

use std::cmp::Ordering;

use chrono::{DateTime, Utc};

use super::backend::Rows;
use super::echo::{EchoQuery, EchoWord, in_words};
use super::mask::Veil;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::facts::{Fact, SuspectReason};
use crate::gate::Doors;
use crate::memory::{CitedLines, Found, Hit, MemoryId, Order, Reached, SearchOutcome, Signal, Stale};
use crate::search::rank::{Stemmer, Visibility};
use crate::workspace::Workspace;

/// The most rows that are listed for one word, the latest.
const MAX_ROWS_OF_WORD: usize = 64;
/// The most rows that are read: those whose words weigh most together.
const MAX_READ_ROWS: usize = 32;
/// A longer chain is not followed.
const LINKS: usize = 256;
/// The least share of a query that makes such a row a hit, if the search finds no other rows.
const FITS: f64 = 0.5;

/// A row that was reached by other words than its own.
struct Echo {
    fact: Fact,
    share: f64,
    reached: Reached,
}

/// Adds the rows to a result that hold now what its words were true of once, and those whose key they name.
///
/// Such a row comes right behind the last one that has as much of the query, or more. A row that is further up by
/// itself stays there.
pub(crate) fn follow(
    rows: &dyn Rows,
    doors: &Doors,
    visibility: Visibility,
    asked: &EchoQuery,
    found: &mut Found,
) -> Result<()> {
    let echoes = echoes(rows, doors, visibility, asked)?;
    if echoes.is_empty() {
        return Ok(());
    }
    let mut stemmer = Stemmer::default();
    let mut shares: Vec<f64> =
        found.hits.iter().map(|hit| asked.share(&[&hit.memory.content], &mut stemmer)).gather();
    let best = echoes[0].share;
    let was_empty = found.hits.is_empty();
    for (Echo { fact, share, reached }, rank) in echoes.into_iter().zip(1..) {
        let at = shares.iter().rposition(|other| *other >= share).map_or(0, |last| last + 1);
        let there = found.hits.iter().position(|hit| hit.memory.id == fact.memory.id);
        let mut why = Vec::new();
        match there {
            Some(there) if there <= at => {
                shares[there] = shares[there].max(share);
                continue;
            }
            Some(there) => {
                why = found.hits.remove(there).why;
                shares.remove(there);
            }
            None => {}
        }
        let signal = if reached == Reached::Key { Signal::Key } else { Signal::Successor };
        why.push((signal, rank));
        let score = at.checked_sub(1).map_or(1.0, |before| found.hits[before].score);
        found.hits.insert(at, Hit { reached, ..Hit::new(fact.memory, score, why) });
        shares.insert(at, share);
    }
    if asked.order == Order::Recency {
        order::sort_by_key(&mut found.hits, |hit| std::cmp::Reverse((hit.memory.updated_at, hit.memory.id)));
    }
    found.hits.truncate(asked.limit);
    if was_empty || (found.outcome == SearchOutcome::Weak && best >= FITS) {
        found.outcome = if best >= FITS { SearchOutcome::Hit } else { SearchOutcome::Weak };
    }
    Ok(())
}

/// Returns the rows that are reached, each once, the one first that was reached by the greatest share of the words.
fn echoes(rows: &dyn Rows, doors: &Doors, visibility: Visibility, asked: &EchoQuery) -> Result<Vec<Echo>> {
    let words: Vec<EchoWord> = asked.plan.terms.iter().map(|term| EchoWord::of(&term.stem)).gather();
    let lists = rows.echoes(visibility, &words, MAX_ROWS_OF_WORD)?;
    let mut sums: SortedMap<MemoryId, f64> = SortedMap::new();
    for (list, weight) in lists.iter().zip(&asked.weights) {
        for id in list {
            *sums.entry(*id).or_default() += weight;
        }
    }
    let mut best: Vec<(f64, MemoryId)> = sums.into_iter().map(|(id, weight)| (weight, id)).gather();
    order::sort_by(&mut best, |(one, id), (other, other_id)| other.total_cmp(one).then(other_id.cmp(id)));
    best.truncate(MAX_READ_ROWS);
    let (mut stemmer, mut veil) = (Stemmer::default(), Veil::new(doors));
    let mut reached: SortedMap<MemoryId, Echo> = SortedMap::new();
    for (_, id) in best {
        let Some(fact) = rows.fact(id)?.filter(|fact| visibility.sees(fact.memory.shared)) else { continue };
        let key = fact.key.as_ref().map(in_words).unwrap_or_default();
        // Masked words lead nowhere: they could be tried one by one.
        let said = veil.text(format!("{}\n{key}", fact.memory.content))?;
        let share = asked.share(&[&said], &mut stemmer);
        if share <= 0.0 || !asked.plan.is_fulfilled_by(&said) {
            continue;
        }
        let (way, fact) = if fact.status.state.is_retired() {
            match holds_now(rows, fact, visibility)? {
                Some(now) => (Reached::Retired(id), now),
                None => continue,
            }
        } else {
            (Reached::Key, fact)
        };
        if !asked.filter.takes(&fact.memory) {
            continue;
        }
        let is_better = reached.get(&fact.memory.id).is_none_or(|other| other.share < share);
        if is_better {
            reached.insert(fact.memory.id, Echo { fact, share, reached: way });
        }
    }
    let mut echoes: Vec<Echo> = reached.into_values().gather();
    order::sort_by(&mut echoes, |one, other| {
        let by_share = other.share.total_cmp(&one.share);
        if by_share == Ordering::Equal { other.fact.memory.id.cmp(&one.fact.memory.id) } else { by_share }
    });
    Ok(echoes)
}

/// Returns the row at the end of a chain, which holds now. `None` if a session does not see each link, or no row holds.
pub(crate) fn holds_now(facts: &dyn Rows, retired: Fact, visibility: Visibility) -> Result<Option<Fact>> {
    let mut fact = retired;
    for _ in 0..LINKS {
        if !fact.status.state.is_retired() {
            return Ok(Some(fact));
        }
        let Some(next) = fact.status.successor else { return Ok(None) };
        match facts.fact(next)? {
            Some(next) if visibility.sees(next.memory.shared) => fact = next,
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// Returns why some rows may be out of date, as a session sees it.
pub(crate) fn doubts(
    rows: &dyn Rows,
    visibility: Visibility,
    ids: &[MemoryId],
) -> Result<SortedMap<MemoryId, Vec<Stale>>> {
    let mut doubts: SortedMap<MemoryId, Vec<Stale>> = SortedMap::new();
    for (id, other, reason) in rows.open_suspects(visibility, ids)? {
        let is_newer = reason == SuspectReason::SameKey && other > id;
        let doubt = if is_newer { Stale::Newer(other) } else { Stale::Suspected(other) };
        doubts.entry(id).or_default().push(doubt);
    }
    for doubts in doubts.values_mut() {
        order::sort(doubts);
        order::dedup(doubts);
    }
    Ok(doubts)
}

/// Says of each hit why it may be out of date.
pub(crate) fn doubt(
    rows: &dyn Rows,
    visibility: Visibility,
    (now, journals): (Option<DateTime<Utc>>, Option<&dyn Workspace>),
    found: &mut Found,
) -> Result<()> {
    let ids: Vec<MemoryId> = found.hits.iter().map(|hit| hit.memory.id).gather();
    let mut doubts = if ids.is_empty() { SortedMap::new() } else { doubts(rows, visibility, &ids)? };
    for hit in &mut found.hits {
        hit.stale = doubts.remove(&hit.memory.id).unwrap_or_default();
        hit.stale.extend(now.and_then(|now| hit.memory.over(now)));
    }
    // Private journals are no matter of a session with others.
    if let Some(mut cited) = journals.filter(|_| visibility == Visibility::All).map(CitedLines::of) {
        for hit in &mut found.hits {
            hit.stale.extend(cited.doubt(&hit.memory));
        }
    }
    Ok(())
}
