//! The search of a store. A backend reads rows, and they are weighed here: the same rows have the same order
//! in every store.

use std::collections::BTreeSet;

use super::config::StoreConfig;
use super::echo::EchoQuery;
use super::searchable::{Searchable, Wanted};
use super::vectors::Arm;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::memory::{Degraded, Filter, Found, Hit, Memory, Order, Query, SearchOutcome, Signal, Syntax};
use crate::search::rank::{
    Frequencies, GIVING_NEAR, Near, Plan, Pool, Ranked, Search, Shares, Visibility, Weighed, one_line,
};

/// The most rows that are weighed, of those that may be found.
const MAX_WEIGHED_ROWS: usize = 512;
/// The most rows that give to their neighbours, the best.
const MAX_GIVING_ROWS: usize = 256;

/// Finds what is asked for, by words and, where there is an arm for it, by meaning.
pub(crate) fn search(
    rows: &dyn Searchable,
    config: &StoreConfig,
    visibility: Visibility,
    query: &Query,
    arm: Option<&Arm<'_>>,
) -> Result<Answer> {
    let text = one_line(&query.text);
    if query.filter.limit == 0 || text.trim().is_empty() {
        return Ok(Answer::nothing());
    }
    let is_fts = query.syntax == Syntax::Fts;
    if is_fts && let Some(found) = rows.by_expression(visibility, query, &text)? {
        return Ok(Answer::of(as_ranked(found)));
    }
    let mut plan = Plan::of(&text, is_fts);
    let Some(filter) = narrowed(&query.filter, &plan) else { return Ok(Answer::nothing()) };
    if plan.terms.is_empty() && plan.required.is_none() {
        let all = match plan.category {
            Some(_) => rows.list(visibility, &filter)?,
            // Longer than a row can be is in none.
            None if text.trim().len() > config.max_row_bytes => Vec::new(),
            None => rows.holding(visibility, &filter, text.trim())?,
        };
        return Ok(Answer::of(as_ranked(all.into_iter().map(|memory| (-1.0, memory)).gather())));
    }
    let mut frequencies = rows.frequencies(visibility, &plan.terms)?;
    frequencies.leave_out_absent(&mut plan);
    let asked = Some(EchoQuery::new(&plan, &frequencies, &filter, query.order));
    let looked_up = frequencies.looked_up();
    let searching = Searching {
        rows,
        config,
        visibility,
        order: query.order,
        filter: &filter,
        plan: &plan,
        pool: Pool::of(&plan, &looked_up),
        frequencies,
        givers: Vec::new(),
        texts: SortedMap::new(),
    };
    let answer = searching.run(&looked_up, arm)?;
    Ok(Answer { asked, ..answer })
}

/// A search between its steps: each takes what it needs from the store, and leaves it here.
struct Searching<'a> {
    rows: &'a dyn Searchable,
    config: &'a StoreConfig,
    visibility: Visibility,
    order: Order,
    filter: &'a Filter,
    plan: &'a Plan,
    frequencies: Frequencies,
    /// The rows that are weighed.
    pool: Pool<'a>,
    /// The rows whose neighbours are in the pool.
    givers: Vec<i64>,
    /// The rows that were read.
    texts: SortedMap<i64, Box<Memory>>,
}

impl Searching<'_> {
    fn run(mut self, looked_up: &[usize], arm: Option<&Arm<'_>>) -> Result<Answer> {
        let in_sight = self.frequencies.rows();
        self.by_words(looked_up)?;
        self.beside()?;
        let mut weighed = self.weighing().weigh(self.order, self.filter.limit);
        let is_reranked = self.config.reranker.is_some();
        let settled = if is_reranked { self.weighing().settled(&weighed) } else { BTreeSet::new() };
        let (shares, lacks) = match arm {
            None => (None, None),
            Some(arm) => {
                match arm.near(self.visibility, self.filter, in_sight, self.config.ranking.nearest)? {
                    Ok(near) => (self.by_meaning(arm, &near, &mut weighed)?, None),
                    Err(lacks) => (None, Some(lacks)),
                }
            }
        };
        self.read(&weighed)?;
        let (is_weak, ranked, renewed) = self.weighing().run(weighed);
        let found = Found { shares, ..self.found(is_weak, ranked)? };
        Ok(Answer { found, lacks, settled, renewed, asked: None })
    }

    fn weighing(&self) -> Search<'_> {
        let Self { config, plan, pool, frequencies, .. } = self;
        let (ranking, entities) = (&config.ranking, config.entities.as_ref());
        Search { pool, frequencies, ranking, plan, entities }
    }

    /// Takes the rows that have words of the query, or fulfil its condition.
    fn by_words(&mut self, looked_up: &[usize]) -> Result<()> {
        let Self { plan, frequencies, pool, filter, .. } = self;
        if looked_up.is_empty() && plan.required.is_none() {
            return Ok(());
        }
        let most = MAX_WEIGHED_ROWS.max(filter.limit.saturating_mul(2));
        let weights =
            looked_up.iter().map(|word| (&plan.terms[*word], frequencies.whole_weight(*word).max(1)));
        let wanted = Wanted {
            visibility: self.visibility,
            filter,
            plan,
            weights: weights.gather(),
            order: self.order,
            most,
        };
        let mut given = 0;
        self.rows.matching(&wanted, &mut |card, counted| {
            given += 1;
            pool.take(card, counted);
            (pool.size() as usize) < most
        })?;
        if given < most && plan.required.is_none() && wanted.is_open() {
            // They are all here: a backend's index may part words otherwise.
            frequencies.count(pool);
        }
        Ok(())
    }

    /// Takes the neighbours of the best rows.
    fn beside(&mut self) -> Result<()> {
        if self.order != Order::Relevance || self.config.ranking.neighbours <= 0.0 {
            return Ok(());
        }
        let givers = self.weighing().givers(MAX_GIVING_ROWS);
        self.take_beside(&givers)?;
        self.givers = givers;
        Ok(())
    }

    fn take_beside(&mut self, ids: &[i64]) -> Result<()> {
        let pool = &mut self.pool;
        if !ids.is_empty() {
            self.rows
                .beside(self.visibility, self.filter, ids, &mut |giver, card| pool.put_beside(giver, card))?;
            pool.settle();
        }
        Ok(())
    }

    /// Takes the rows that are near to the question, with their neighbours, and puts words and meaning into one order.
    fn by_meaning(&mut self, arm: &Arm<'_>, near: &Near, weighed: &mut Weighed) -> Result<Option<Shares>> {
        if near.rows.is_empty() {
            return Ok(None);
        }
        let mut ids: Vec<i64> = near.rows.iter().map(|row| row.id).gather();
        let pool = &mut self.pool;
        let unknown: Vec<i64> = ids.iter().copied().filter(|id| !pool.mark_near(*id)).gather();
        if !unknown.is_empty() {
            arm.cards(self.visibility, &unknown, &mut |card| pool.put_near(card))?;
        }
        if self.config.ranking.neighbours > 0.0 {
            // The rows beside these are here already.
            self.givers.sort_unstable();
            ids.truncate(GIVING_NEAR);
            order::retain(&mut ids, |id| self.givers.binary_search(id).is_err());
            self.take_beside(&ids)?;
        }
        Ok(Some(self.weighing().fuse_meaning(weighed, near)))
    }

    /// Reads the rows whose texts may change the order.
    fn read(&mut self, weighed: &Weighed) -> Result<()> {
        self.fetch(&self.weighing().unread(weighed))?;
        for (id, memory) in &self.texts {
            self.pool.put_text(*id, &memory.content);
        }
        Ok(())
    }

    fn fetch(&mut self, ids: &[i64]) -> Result<()> {
        if !ids.is_empty() {
            let read = self.rows.rows(self.visibility, ids)?;
            self.texts.extend(read.into_iter().map(|memory| (memory.id.get(), Box::new(memory))));
        }
        Ok(())
    }

    /// Returns the rows in their order, and reads those that nobody has read.
    fn found(&mut self, is_weak: bool, ranked: Vec<Ranked>) -> Result<Found> {
        let outcome = certainty(&ranked, is_weak);
        let ids = ranked.iter().map(|ranked| ranked.id);
        let unread: Vec<i64> = ids.filter(|id| !self.texts.contains_key(id)).gather();
        self.fetch(&unread)?;
        let hits = ranked.into_iter().filter_map(|ranked| {
            let memory = self.texts.remove(&ranked.id)?;
            Some(Hit::new(*memory, ranked.score, ranked.why))
        });
        Ok(Found::new(outcome, hits.gather()))
    }
}

/// Returns how certain a search is of the rows that it found.
fn certainty(ranked: &[Ranked], is_weak: bool) -> SearchOutcome {
    match ranked {
        [] => SearchOutcome::Empty,
        _ if is_weak => SearchOutcome::Weak,
        _ => SearchOutcome::Hit,
    }
}

/// The rows that a search found, and the part that was left out.
pub(crate) struct Answer {
    pub(crate) found: Found,
    pub(crate) lacks: Option<Degraded>,
    /// The rows that words alone settle, where a reranker is to leave them in their places.
    pub(crate) settled: BTreeSet<i64>,
    /// The ids of newer rows, each with that of an older one which it says anew.
    pub(crate) renewed: Vec<(i64, i64)>,
    /// The words that were asked for, where there were any.
    pub(crate) asked: Option<EchoQuery>,
}

impl Answer {
    fn of(found: Found) -> Self {
        Self { found, lacks: None, settled: BTreeSet::new(), renewed: Vec::new(), asked: None }
    }

    fn nothing() -> Self {
        Self::of(Found::nothing())
    }
}

/// Returns the filter with the category that the text names; `None` where both name another one.
fn narrowed(filter: &Filter, plan: &Plan) -> Option<Filter> {
    let mut narrowed = Filter { retired: false, deleted: false, ..filter.clone() };
    if let (Some(asked), Some(named)) = (&filter.category, &plan.category)
        && !asked.eq_ignore_ascii_case(named)
    {
        return None;
    }
    narrowed.category = narrowed.category.or_else(|| plan.category.clone());
    Some(narrowed)
}

/// Rows in the order of a backend, of which the first has a score of 1.
fn as_ranked(rows: Vec<(f64, Memory)>) -> Found {
    let first = rows.first().map_or(-1.0, |(rank, _)| rank.min(-f64::MIN_POSITIVE));
    let outcome = if rows.is_empty() { SearchOutcome::Empty } else { SearchOutcome::Hit };
    let hits = rows.into_iter().enumerate().map(|(at, (rank, memory))| {
        Hit::new(memory, (rank / first).clamp(0.0, 1.0), vec![(Signal::Row, at + 1)])
    });
    Found::new(outcome, hits.gather())
}
