//! Rows as they are asked for: by time, or by how well they fit.
//!
//! FTS5 finds the rows that may fit, and the ranking weighs the best of them with their neighbours and their
//! conversations. How often a word stands in the whole store is counted by FTS5 too.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use super::Inner;
use super::row::{self, CARD, COLUMNS, stamp};
use crate::base::access::Access;
use crate::memory::{Filter, Found, Hit, Memory, MemoryId, Order, Query, SearchOutcome, SnapshotRow, Syntax};
use crate::search::rank::{Frequencies, Index, Plan, REACH, Ranking, Row, Search, Sight, WEAK};
use crate::sqlite::words;
use crate::store;

/// The rows that a session may see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    Main,
    Shared,
}

impl View {
    pub(super) fn of(access: &Access) -> Self {
        if store::sees_all(access) { Self::Main } else { Self::Shared }
    }

    pub(super) fn table(self) -> &'static str {
        match self {
            Self::Main => "main_memories",
            Self::Shared => "shared_memories",
        }
    }

    /// The same, and the rows that are retired.
    fn with_retired(self) -> &'static str {
        match self {
            Self::Main => "(SELECT * FROM memories WHERE deleted_at IS NULL)",
            Self::Shared => "(SELECT * FROM memories WHERE deleted_at IS NULL AND shared = 1)",
        }
    }
}

/// What every read binds, as `?1` to `?5`, and its conditions on a view that is called `m`.
const CONDITIONS: &str =
    "m.user_id = ?1 AND m.agent_id = ?2 AND (?3 IS NULL OR m.category = ?3 COLLATE NOCASE)
     AND (?4 IS NULL OR m.updated_at >= ?4) AND (?5 IS NULL OR m.updated_at < ?5)";

/// Neighbours of a row, the nearest first.
const BEFORE: &str = "AND (m.position, m.id) < (?7, ?8) ORDER BY m.position DESC, m.id DESC LIMIT ?9";
const AFTER: &str = "AND (m.position, m.id) > (?7, ?8) ORDER BY m.position, m.id LIMIT ?9";

/// What came from a tool, a page or an import, is of nobody's own words.
macro_rules! trusted {
    () => {
        "AND (m.origin IS NULL OR m.origin IN ('user', 'agent', 'system')) AND m.source IS NOT 'imported'"
    };
}
const TRUSTED: &str = trusted!();

const DREAMED: &str = "AND m.dream IS NOT NULL";
const TRUSTED_AND_DREAMED: &str = concat!(trusted!(), " AND m.dream IS NOT NULL");

/// A list by time.
const BY_TIME: &str = "ORDER BY m.updated_at DESC, m.id DESC";

/// So many of the rows that FTS5 ranks best are weighed, where more fit.
const WEIGHED: usize = 256;
/// FTS5 ranks by all rows of the file. For a session that sees some of them this many of the newest are weighed,
/// so that nothing it finds depends on what the others say.
const WEIGHED_OF_SOME: usize = 4096;
/// The neighbours of so many of them are looked at.
const WITH_NEIGHBOURS: usize = 64;

/// A search, and where it looks.
pub(super) struct Asked<'a> {
    pub(super) inner: &'a Inner,
    pub(super) connection: &'a Connection,
    pub(super) view: View,
    pub(super) query: &'a Query,
    pub(super) ranking: &'a Ranking,
}

fn bound(inner: &Inner, filter: &Filter) -> Vec<Value> {
    let maybe = |text: Option<String>| text.map_or(Value::Null, Value::Text);
    vec![
        Value::Text(inner.user.clone()),
        Value::Text(inner.agent.clone()),
        maybe(filter.category.clone()),
        maybe(filter.since.map(stamp)),
        maybe(filter.until.map(stamp)),
    ]
}

/// The conditions of a filter that bind nothing.
fn trusted(filter: &Filter) -> &'static str {
    match (filter.trusted, filter.dreamed) {
        (false, false) => "",
        (true, false) => TRUSTED,
        (false, true) => DREAMED,
        (true, true) => TRUSTED_AND_DREAMED,
    }
}

fn count(number: usize) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Reads a row.
pub(super) fn get(
    inner: &Inner,
    connection: &Connection,
    view: View,
    id: MemoryId,
) -> rusqlite::Result<Option<Memory>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {} m WHERE m.id = ?1 AND m.user_id = ?2 AND m.agent_id = ?3",
        view.table()
    );
    let bound = params![id.get(), inner.user, inner.agent];
    connection.prepare_cached(&sql)?.query_row(bound, row::memory).optional()
}

/// The rows of a prompt, pinned ones first, as of one moment.
pub(super) fn snapshot(
    inner: &Inner,
    connection: &Connection,
    view: View,
    limit: usize,
) -> rusqlite::Result<Vec<SnapshotRow>> {
    let moment = connection.unchecked_transaction()?;
    let mut rows = Vec::new();
    for pinned in [true, false] {
        let sql = format!(
            "SELECT m.id, m.category, m.content FROM {} m
             WHERE {} AND m.user_id = ?1 AND m.agent_id = ?2 AND m.fact_state IS NOT 'pending'
             {TRUSTED} {BY_TIME} LIMIT ?3",
            view.table(),
            if pinned { "m.pinned > 0" } else { "m.pinned = 0" }
        );
        let mut statement = moment.prepare_cached(&sql)?;
        let bound = (&inner.user, &inner.agent, count(limit - rows.len()));
        for row in statement.query_map(bound, |row| {
            let id = MemoryId::new(row.get(0)?);
            Ok(SnapshotRow::new(id, row::text(row, 1)?, row::text(row, 2)?, pinned))
        })? {
            rows.push(row?);
        }
    }
    moment.finish()?;
    Ok(rows)
}

/// Lists rows by time.
pub(super) fn list(
    inner: &Inner,
    connection: &Connection,
    view: View,
    filter: &Filter,
) -> rusqlite::Result<Vec<Memory>> {
    let table = if filter.retired { view.with_retired() } else { view.table() };
    let sql =
        format!("SELECT {COLUMNS} FROM {table} m WHERE {CONDITIONS} {} {BY_TIME} LIMIT ?6", trusted(filter));
    let mut values = bound(inner, filter);
    values.push(count(filter.limit));
    connection.prepare_cached(&sql)?.query_map(params_from_iter(values), row::memory)?.collect()
}

impl Asked<'_> {
    /// Finds what is asked for, in one view of the file.
    pub(super) fn run(&self) -> rusqlite::Result<Found> {
        let snapshot = self.connection.unchecked_transaction()?;
        let found = self.find()?;
        snapshot.finish()?;
        Ok(found)
    }

    /// As [`run`](Self::run), inside a transaction.
    pub(super) fn find(&self) -> rusqlite::Result<Found> {
        let text = words::plain(&self.query.text);
        if self.query.filter.limit == 0 || text.trim().is_empty() {
            return Ok(Found::nothing());
        }
        let of_all = self.sees_whole_file()?;
        let is_fts = self.query.syntax == Syntax::Fts;
        if is_fts && words::is_beyond_plans(&text) {
            match self.matching(&text, of_all) {
                Ok(rows) => return Ok(alone(rows, &Plan::default())),
                Err(error) if is_of_syntax(&error) => {}
                Err(error) => return Err(error),
            }
        }
        let plan = Plan::of(&text, is_fts);
        if let (Some(asked), Some(named)) = (&self.query.filter.category, &plan.category)
            && !asked.eq_ignore_ascii_case(named)
        {
            return Ok(Found::nothing());
        }
        if plan.terms.is_empty() && plan.required.is_none() {
            return match plan.category {
                Some(_) => self.of_category(&plan),
                None => self.holding(text.trim()),
            };
        }
        let Some(expression) = words::of_plan(&plan) else { return Ok(Found::nothing()) };
        let is_alone = *self.ranking == Ranking::rows_alone();
        if is_alone && of_all && plan.category.is_none() && plan.required.is_none() {
            return Ok(alone(self.matching(&expression, of_all)?, &plan));
        }
        let frequencies = self.frequencies(&plan, of_all)?;
        let expression = match plan.required {
            Some(_) => expression,
            None => words::any_of(frequencies.guarded(&plan.terms)),
        };
        if expression.is_empty() {
            return Ok(Found::nothing());
        }
        self.weighed(&plan, &frequencies, &expression, of_all)
    }

    /// Whether all rows that the text index holds are in sight. A guest's user is never empty.
    fn sees_whole_file(&self) -> rusqlite::Result<bool> {
        let others = "SELECT 1 FROM main_memories WHERE user_id > '' LIMIT 1";
        Ok(self.view == View::Main
            && self.inner.user.is_empty()
            && !self.connection.prepare_cached(others)?.exists([])?)
    }

    /// The rows that match an expression of FTS5: by BM25 alone, ties by the newest, then by id. By time only, where
    /// BM25 would tell what others say.
    fn matching(&self, expression: &str, of_all: bool) -> rusqlite::Result<Vec<(f64, Memory)>> {
        let filter = &self.query.filter;
        // FTS5 sorts by rank itself, so rows are looked at only as far as they are needed.
        let (order, rank) = match (self.query.order, of_all) {
            (Order::Relevance, true) => ("ORDER BY f.rank", "f.rank"),
            (Order::Recency, true) => (BY_TIME, "f.rank"),
            (_, false) => (BY_TIME, "-1.0 AS rank"),
        };
        let sql = format!(
            "SELECT {COLUMNS}, {rank} FROM memories_fts f CROSS JOIN {} m ON m.id = f.rowid
             WHERE memories_fts MATCH ?6 AND {CONDITIONS} {} {order}",
            self.view.table(),
            trusted(filter)
        );
        let mut values = bound(self.inner, filter);
        values.push(Value::Text(expression.to_owned()));
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = statement.query(params_from_iter(values))?;
        let mut rows: Vec<(f64, Memory)> = Vec::new();
        while let Some(row) = found.next()? {
            let rank: f64 = row.get("rank")?;
            // Ties are read to their end.
            let is_tied = self.query.order == Order::Relevance
                && rows.last().is_some_and(|(last, _)| last.total_cmp(&rank).is_eq());
            if rows.len() >= filter.limit && !is_tied {
                break;
            }
            rows.push((rank, row::memory(row)?));
            if rows.len() >= filter.limit.saturating_mul(4).max(256) && is_tied {
                sort(&mut rows, filter.limit);
            }
        }
        if self.query.order == Order::Relevance {
            sort(&mut rows, filter.limit);
        }
        Ok(rows)
    }

    /// Weighs the rows that match an expression.
    fn weighed(
        &self,
        plan: &Plan,
        frequencies: &Frequencies,
        expression: &str,
        of_all: bool,
    ) -> rusqlite::Result<Found> {
        let limit = self.query.filter.limit;
        let mut most = if of_all { WEIGHED } else { WEIGHED_OF_SOME }.max(limit.saturating_mul(2));
        loop {
            let mut candidates = self.candidates(plan, expression, most, of_all)?;
            if self.query.order == Order::Relevance && self.ranking.neighbours > 0.0 {
                self.add_neighbours(plan, &mut candidates)?;
            }
            let are_all = candidates.texts.len() < most;
            candidates.index.assume(frequencies, &plan.terms);
            let found = self.weigh(plan, &candidates)?;
            // Of the rows that may fulfil a condition some do not, and others behind them may.
            if are_all || plan.required.is_none() || found.hits.len() >= limit {
                return Ok(found);
            }
            most = most.saturating_mul(4);
        }
    }

    /// The best rows for an expression by BM25, or the newest.
    fn candidates(
        &self,
        plan: &Plan,
        expression: &str,
        most: usize,
        of_all: bool,
    ) -> rusqlite::Result<Candidates> {
        let filter = self.filter(plan);
        let order = match self.query.order {
            Order::Relevance if of_all => "ORDER BY f.rank",
            _ => BY_TIME,
        };
        let givers = if of_all { WITH_NEIGHBOURS } else { usize::MAX };
        let sql = format!(
            "SELECT {CARD}, m.content FROM memories_fts f CROSS JOIN {} m ON m.id = f.rowid
             WHERE memories_fts MATCH ?6 AND {CONDITIONS} {} {order} LIMIT ?7",
            self.view.table(),
            trusted(&filter)
        );
        let mut values = bound(self.inner, &filter);
        values.extend([Value::Text(expression.to_owned()), count(most)]);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(values))?;
        // Whether a row fulfils a condition may hang on any of its words.
        let index = if plan.required.is_none() { Index::of(&plan.terms) } else { Index::default() };
        let mut candidates = Candidates { index, ..Candidates::default() };
        while let Some(row) = rows.next()? {
            let text = row::text(row, 10)?;
            let id = row::with_card(row, &text, |card| {
                candidates.index.add(card);
                if let Some((session, position)) = card.place
                    && candidates.givers.len() < givers
                {
                    candidates.givers.push((card.id, session.to_owned(), position));
                }
                card.id
            })?;
            candidates.texts.insert(id, text);
        }
        if !of_all {
            candidates.keep_best_givers(plan);
        }
        Ok(candidates)
    }

    /// Adds the rows that stand beside the best candidates in their conversations. They have no word of the query
    /// that counts, or they were candidates.
    fn add_neighbours(&self, plan: &Plan, candidates: &mut Candidates) -> rusqlite::Result<()> {
        let filter = self.filter(plan);
        let mut pairs = BTreeSet::new();
        for (direction, is_before) in [(BEFORE, true), (AFTER, false)] {
            let sql = format!(
                "SELECT {CARD}, ({CONDITIONS} {}) FROM {} m
                 WHERE m.user_id = ?1 AND m.agent_id = ?2 AND m.session = ?6 {direction}",
                trusted(&filter),
                self.view.table()
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            for (giver, session, position) in &candidates.givers {
                let mut values = bound(self.inner, &filter);
                values.extend([
                    Value::Text(session.clone()),
                    Value::Integer(i64::try_from(*position).unwrap_or(i64::MAX)),
                    Value::Integer(*giver),
                    count(REACH),
                ]);
                let mut rows = statement.query(params_from_iter(values))?;
                let mut last = *giver;
                while let Some(row) = rows.next()? {
                    let id: i64 = row.get(0)?;
                    pairs.insert(if is_before { (id, last) } else { (last, id) });
                    last = id;
                    if candidates.texts.contains_key(&id) || !candidates.beside.insert(id) {
                        continue;
                    }
                    row::with_card(row, "", |card| candidates.index.add(card))?;
                    if !row.get::<_, Option<bool>>(10)?.unwrap_or(false) {
                        candidates.unfit.insert(id);
                    }
                }
            }
        }
        candidates.index.part(|one, other| pairs.contains(&(one, other)));
        Ok(())
    }

    fn weigh(&self, plan: &Plan, candidates: &Candidates) -> rusqlite::Result<Found> {
        let config = &self.inner.config;
        let search = Search {
            index: &candidates.index,
            ranking: self.ranking,
            plan,
            sight: Sight::All,
            // Of a neighbour nothing is known by which it could fulfil a condition.
            may: &|row| {
                !candidates.unfit.contains(&row.id)
                    && (plan.required.is_none() || candidates.texts.contains_key(&row.id))
            },
            text: &|id| candidates.texts.get(&id).map(String::as_str),
            entities: config.entities.as_ref(),
        };
        let (outcome, ranked) = search.run(self.query.order, self.query.filter.limit);
        let mut hits = Vec::with_capacity(ranked.len());
        for ranked in ranked {
            let id = MemoryId::new(candidates.index.row(ranked.number).id);
            if let Some(memory) = get(self.inner, self.connection, self.view, id)? {
                hits.push(Hit { memory, score: ranked.score, why: ranked.why });
            }
        }
        Ok(Found { outcome, hits })
    }

    /// How often the words of a query stand in the rows that this search may return, whatever its filter.
    fn frequencies(&self, plan: &Plan, of_all: bool) -> rusqlite::Result<Frequencies> {
        let whose = self.inner;
        let rows: i64 = if of_all {
            self.connection
                .prepare_cached("SELECT count(*) FROM memories_fts_docsize")?
                .query_row([], |row| row.get(0))?
        } else {
            let sql = format!(
                "SELECT count(*) FROM {} m WHERE m.user_id = ?1 AND m.agent_id = ?2",
                self.view.table()
            );
            self.connection.prepare_cached(&sql)?.query_row((&whose.user, &whose.agent), |row| row.get(0))?
        };
        let mut frequencies = Frequencies::of(u32::try_from(rows).unwrap_or(u32::MAX));
        let most = i64::from(frequencies.worth_counting());
        for term in &plan.terms {
            let word = words::quoted(&term.written);
            // Rows that are in sight anyway need not be looked at.
            let found_in: i64 = if of_all {
                self.connection
                    .prepare_cached(
                        "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ?1 LIMIT ?2)",
                    )?
                    .query_row((word, most), |row| row.get(0))?
            } else {
                let sql = format!(
                    "SELECT count(*) FROM (SELECT 1 FROM memories_fts f CROSS JOIN {} m ON m.id = f.rowid
                     WHERE memories_fts MATCH ?1 AND m.user_id = ?3 AND m.agent_id = ?4 LIMIT ?2)",
                    self.view.table()
                );
                self.connection
                    .prepare_cached(&sql)?
                    .query_row((word, most, &whose.user, &whose.agent), |row| row.get(0))?
            };
            frequencies.push(u32::try_from(found_in).unwrap_or(u32::MAX));
        }
        Ok(frequencies)
    }

    /// The filter, with the category that the text names.
    fn filter(&self, plan: &Plan) -> Filter {
        let mut filter = self.query.filter.clone();
        if filter.category.is_none() {
            filter.category.clone_from(&plan.category);
        }
        filter
    }

    /// The rows of a category that is asked for alone, newest first.
    fn of_category(&self, plan: &Plan) -> rusqlite::Result<Found> {
        let rows = list(self.inner, self.connection, self.view, &self.filter(plan))?;
        Ok(alone(rows.into_iter().map(|memory| (-1.0, memory)).collect(), plan))
    }

    /// The rows that hold a text without words, such as `+++`, newest first.
    fn holding(&self, literal: &str) -> rusqlite::Result<Found> {
        // Longer than a row can be is in none; and SQLite takes no pattern above 50,000 bytes.
        if literal.len() > self.inner.config.max_row_bytes {
            return Ok(Found::nothing());
        }
        let filter = &self.query.filter;
        let sql = format!(
            "SELECT {COLUMNS} FROM {} m WHERE {CONDITIONS} {} AND instr(m.content, ?6) > 0 {BY_TIME} LIMIT ?7",
            self.view.table(),
            trusted(filter)
        );
        let mut values = bound(self.inner, filter);
        values.extend([Value::Text(literal.to_owned()), count(filter.limit)]);
        let rows: rusqlite::Result<Vec<_>> = self
            .connection
            .prepare_cached(&sql)?
            .query_map(params_from_iter(values), row::memory)?
            .map(|memory| Ok((-1.0, memory?)))
            .collect();
        Ok(alone(rows?, &Plan::default()))
    }
}

/// The rows that are weighed.
#[derive(Default)]
struct Candidates {
    index: Index,
    /// What those say that may fit.
    texts: BTreeMap<i64, String>,
    /// The best of those, with session and position, which lend to their neighbours.
    givers: Vec<(i64, String, u64)>,
    /// The neighbours.
    beside: BTreeSet<i64>,
    /// The neighbours that are not asked for.
    unfit: BTreeSet<i64>,
}

impl Candidates {
    /// Leaves those that the rows which are here rank best.
    fn keep_best_givers(&mut self, plan: &Plan) {
        let terms: Vec<&str> = plan.terms.iter().map(|term| term.stem.as_str()).collect();
        let has_place = |row: &Row| row.conversation.is_some();
        let best = self.index.best(&terms, Sight::All, &has_place, WITH_NEIGHBOURS);
        let best: BTreeSet<i64> = best.into_iter().map(|(number, _)| self.index.row(number).id).collect();
        self.givers.retain(|(id, ..)| best.contains(id));
    }
}

/// FTS5 refuses an expression with the plainest code of all; locks, disks and damage have their own.
fn is_of_syntax(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code == rusqlite::ffi::SQLITE_ERROR,
        rusqlite::Error::SqlInputError { .. } => true,
        _ => false,
    }
}

/// The order of relevance: by BM25, where less is better, then the newest, then the greater id.
fn sort(rows: &mut Vec<(f64, Memory)>, limit: usize) {
    rows.sort_by(|(rank, memory), (other_rank, other)| {
        rank.total_cmp(other_rank)
            .then_with(|| other.updated_at.cmp(&memory.updated_at))
            .then_with(|| other.id.cmp(&memory.id))
    });
    rows.truncate(limit);
}

/// Rows in the order of FTS5, of which the first has a score of 1.
fn alone(rows: Vec<(f64, Memory)>, plan: &Plan) -> Found {
    let first = rows.first().map_or(-1.0, |(rank, _)| rank.min(-f64::MIN_POSITIVE));
    let outcome = match rows.first() {
        None => SearchOutcome::Empty,
        Some((_, best)) if plan.share_in(&best.content) < WEAK => SearchOutcome::Weak,
        Some(_) => SearchOutcome::Hit,
    };
    let hits = rows.into_iter().enumerate().map(|(at, (rank, memory))| Hit {
        memory,
        score: (rank / first).clamp(0.0, 1.0),
        why: vec![("row", at + 1)],
    });
    Found { outcome, hits: hits.collect() }
}
