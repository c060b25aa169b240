//! The search of a store. A backend reads rows, and they are weighed here: the same rows have the same order
//! in every store.

use std::collections::BTreeSet;

use super::config::StoreConfig;
use super::echo::Asked as Echoed;
use super::vectors::Arm;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::memory::{Degraded, Filter, Found, Hit, Memory, Order, Query, SearchOutcome, Signal, Syntax};
use crate::search::postings;
use crate::search::postings::{Asked, Gain};
use crate::search::rank::{
    Card, Counted, Frequencies, GIVING_NEAR, Plan, Pool, Ranked, Ranking, Search, Term, Visibility, one_line,
};

/// Rows as a search reads them: those in sight and no others, in one view of the store. Retired and deleted rows are
/// not among them.
pub(crate) trait Searchable {
    /// Counts the rows in sight, and in how many of them each of some words occurs; of a frequent word no more than is
    /// [worth counting](Frequencies::worth_counting).
    fn frequencies(&self, visibility: Visibility, terms: &[Term]) -> Result<Frequencies>;

    /// Gives the rows that may be found until `take` returns `false`: each with its text, or with what an index counted in
    /// it. Where the plan requires something, each has its text.
    fn matching(&self, wanted: &Wanted<'_>, take: &mut Take<'_>) -> Result<()>;

    /// Gives the rows that the filter takes of those right before and right behind some rows in their conversations, at
    /// most [`REACH`](crate::search::rank::REACH) to each side, each with the row that it is beside. Their text
    /// need not be read.
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

    /// Finds rows by an expression in the backend's own language, best first, each with a rank that is the less the
    /// better; `None` where the backend has none, or does not take this for one.
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

/// Rows that may be found: those that the filter takes, and that have one of the words or may fulfil what the plan
/// requires.
///
/// By [`Order::Relevance`] those come first whose words weigh most together, then the greater id; by
/// [`Order::Recency`] the latest touched, then the greater id.
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

/// The most rows that are weighed, of those that may be found.
const MAX_WEIGHED_ROWS: usize = 512;
/// The most rows that give to their neighbours, the best.
const MAX_GIVING_ROWS: usize = 256;

/// Finds what is asked for, by words and, where there is an arm for it, by meaning.
pub(crate) fn search(
    rows: &dyn Searchable,
    config: &StoreConfig,
    ranking: &Ranking,
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
    let looked_up = frequencies.looked_up();
    let asked = Some(Echoed::new(&plan, &frequencies, &filter, query.order));
    let nearest = |arm: &Arm<'_>| arm.near(visibility, &filter, frequencies.rows(), ranking.nearest);
    let (near, lacks) = match arm.map(nearest).transpose()? {
        None => (None, None),
        Some(Ok(near)) => (Some(near).filter(|near| !near.rows.is_empty()), None),
        Some(Err(lacks)) => (None, Some(lacks)),
    };
    if looked_up.is_empty() && plan.required.is_none() && near.is_none() {
        return Ok(Answer { lacks, asked, ..Answer::nothing() });
    }
    let most = MAX_WEIGHED_ROWS.max(filter.limit.saturating_mul(2));
    let weights = looked_up.iter().map(|word| (&plan.terms[*word], frequencies.whole_weight(*word).max(1)));
    let wanted = Wanted {
        visibility,
        filter: &filter,
        plan: &plan,
        weights: weights.gather(),
        order: query.order,
        most,
    };
    let mut pool = Pool::of(&plan, &looked_up);
    let mut given = 0;
    if !looked_up.is_empty() || plan.required.is_some() {
        rows.matching(&wanted, &mut |card, counted| {
            given += 1;
            pool.take(card, counted);
            (pool.size() as usize) < most
        })?;
    }
    if given < most && plan.required.is_none() && filter == Filter::limit(filter.limit) {
        // They are all here: a backend's index may part words otherwise.
        frequencies.count(&pool);
    }
    let entities = config.entities.as_ref();
    let mut givers = Vec::new();
    if query.order == Order::Relevance && ranking.neighbours > 0.0 {
        givers = Search { pool: &pool, frequencies: &frequencies, ranking, plan: &plan, entities }
            .givers(MAX_GIVING_ROWS);
        rows.beside(visibility, &filter, &givers, &mut |giver, card| pool.put_beside(giver, card))?;
        pool.settle();
    }
    let weighing = Search { pool: &pool, frequencies: &frequencies, ranking, plan: &plan, entities };
    let mut weighed = weighing.weigh(query.order, filter.limit);
    let settled = if config.reranker.is_some() { weighing.settled(&weighed) } else { BTreeSet::new() };
    let mut shares = None;
    if let (Some(near), Some(arm)) = (&near, arm) {
        let mut ids: Vec<i64> = near.rows.iter().map(|row| row.id).gather();
        let unknown: Vec<i64> = ids.iter().copied().filter(|id| !pool.mark_near(*id)).gather();
        arm.cards(visibility, &unknown, &mut |card| pool.put_near(card))?;
        if ranking.neighbours > 0.0 {
            // The rows beside these are here already.
            givers.sort_unstable();
            ids.truncate(GIVING_NEAR);
            order::retain(&mut ids, |id| givers.binary_search(id).is_err());
            rows.beside(visibility, &filter, &ids, &mut |giver, card| pool.put_beside(giver, card))?;
            pool.settle();
        }
        let fusing = Search { pool: &pool, frequencies: &frequencies, ranking, plan: &plan, entities };
        shares = Some(fusing.fuse_meaning(&mut weighed, near));
    }
    let weighing = Search { pool: &pool, frequencies: &frequencies, ranking, plan: &plan, entities };
    let read = rows.rows(visibility, &weighing.unread(&weighed))?;
    let known = |memory: Memory| (memory.id.get(), Box::new(memory));
    let mut found: SortedMap<i64, Box<Memory>> = read.into_iter().map(known).collect();
    for (id, memory) in &found {
        pool.put_text(*id, &memory.content);
    }
    let (is_weak, ranked, renewed) =
        Search { pool: &pool, frequencies: &frequencies, ranking, plan: &plan, entities }.run(weighed);
    let outcome = certainty(&ranked, is_weak);
    let unread: Vec<i64> =
        ranked.iter().map(|ranked| ranked.id).filter(|id| !found.contains_key(id)).gather();
    let read = rows.rows(visibility, &unread)?;
    found.extend(read.into_iter().map(known));
    let hits = ranked.into_iter().filter_map(|ranked| {
        let memory = found.remove(&ranked.id)?;
        Some(Hit::new(*memory, ranked.score, ranked.why))
    });
    let mut found = Found::new(outcome, hits.gather());
    found.shares = shares;
    Ok(Answer { found, lacks, settled, renewed, asked })
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
    pub(crate) asked: Option<Echoed>,
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
