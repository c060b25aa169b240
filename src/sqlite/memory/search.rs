//! Rows as they are asked for: by time, or by how well they fit.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::Inner;
use super::query::{self, Match, Plan};
use super::row::{self, COLUMNS, stamp};
use crate::memory::{Filter, Found, Hit, Memory, Order, Query, SearchOutcome};

/// What every read binds, as `?1` to `?5`, and its conditions on a view that is called `m`.
const CONDITIONS: &str = "m.user_id = ?1 AND m.agent_id = ?2 AND (?3 IS NULL OR m.category = ?3)
     AND (?4 IS NULL OR m.updated_at >= ?4) AND (?5 IS NULL OR m.updated_at < ?5)";

/// What came from a tool, a page or an import, is of nobody's own words.
const TRUSTED: &str = "AND (m.origin IS NULL OR m.origin IN ('user', 'agent', 'system'))
     AND m.source IS NOT 'imported'";

/// A list by time.
pub(super) const BY_TIME: &str = "ORDER BY m.updated_at DESC, m.id DESC";

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

fn trusted(filter: &Filter) -> &'static str {
    if filter.trusted { TRUSTED } else { "" }
}

fn limit(filter: &Filter) -> i64 {
    i64::try_from(filter.limit).unwrap_or(i64::MAX)
}

/// Lists rows by time.
pub(super) fn list(
    inner: &Inner,
    connection: &Connection,
    view: &str,
    filter: &Filter,
) -> rusqlite::Result<Vec<Memory>> {
    let sql =
        format!("SELECT {COLUMNS} FROM {view} m WHERE {CONDITIONS} {} {BY_TIME} LIMIT ?6", trusted(filter));
    let mut values = bound(inner, filter);
    values.push(Value::Integer(limit(filter)));
    connection.prepare_cached(&sql)?.query_map(params_from_iter(values), row::memory)?.collect()
}

/// Searches: the first expression of the plan that FTS5 takes, in the order that is asked for.
pub(super) fn run(
    inner: &Inner,
    connection: &Connection,
    view: &str,
    query: &Query,
) -> rusqlite::Result<Found> {
    let plan = query::plan(query);
    if query.filter.limit == 0 {
        return Ok(found(&plan, Vec::new()));
    }
    for candidate in &plan.matches {
        match matching(inner, connection, view, query, candidate) {
            Ok(memories) => return Ok(found(&plan, memories)),
            Err(error) if is_of_syntax(&error) => {}
            Err(error) => return Err(error),
        }
    }
    match &plan.literal {
        Some(literal) => Ok(found(&plan, holding(inner, connection, view, &query.filter, literal)?)),
        None => Ok(found(&plan, Vec::new())),
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

/// The rows that match an expression: by BM25, ties by the newest, then by id.
fn matching(
    inner: &Inner,
    connection: &Connection,
    view: &str,
    query: &Query,
    asked: &Match,
) -> rusqlite::Result<Vec<Memory>> {
    let filter = &query.filter;
    // FTS5 sorts by rank itself, so rows are looked at only as far as they are needed.
    let order = match query.order {
        Order::Relevance => "ORDER BY f.rank",
        Order::Recency => BY_TIME,
    };
    let sql = format!(
        "SELECT {COLUMNS}, f.rank FROM memories_fts f CROSS JOIN {view} m ON m.id = f.rowid
         WHERE memories_fts MATCH ?6 AND {CONDITIONS} {} {order}",
        trusted(filter)
    );
    let mut values = bound(inner, filter);
    values.push(Value::Text(asked.expression.clone()));
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut ranked: Vec<(f64, Memory)> = Vec::new();
    while let Some(found) = rows.next()? {
        let rank: f64 = found.get("rank")?;
        let is_enough = ranked.len() >= filter.limit;
        // Ties are read to their end.
        let is_tied = query.order == Order::Relevance
            && ranked.last().is_some_and(|(last, _)| last.total_cmp(&rank).is_eq());
        if is_enough && !is_tied {
            break;
        }
        let memory = row::memory(found)?;
        if asked.exact.iter().all(|phrase| query::holds(&memory.content, phrase)) {
            ranked.push((rank, memory));
            if ranked.len() >= filter.limit.saturating_mul(4).max(256) && query.order == Order::Relevance {
                sort(&mut ranked, filter.limit);
            }
        }
    }
    if query.order == Order::Relevance {
        sort(&mut ranked, filter.limit);
    }
    Ok(ranked.into_iter().map(|(_, memory)| memory).collect())
}

/// The order of relevance: by BM25, where less is better, then the newest, then the greater id.
fn sort(ranked: &mut Vec<(f64, Memory)>, limit: usize) {
    ranked.sort_by(|(rank, memory), (other_rank, other)| {
        rank.total_cmp(other_rank)
            .then_with(|| other.updated_at.cmp(&memory.updated_at))
            .then_with(|| other.id.cmp(&memory.id))
    });
    ranked.truncate(limit);
}

/// The rows that hold a text without words, such as `+++`, newest first.
fn holding(
    inner: &Inner,
    connection: &Connection,
    view: &str,
    filter: &Filter,
    literal: &str,
) -> rusqlite::Result<Vec<Memory>> {
    // Longer than a row can be is in none; and SQLite takes no pattern above 50,000 bytes.
    if literal.len() > inner.config.max_row_bytes {
        return Ok(Vec::new());
    }
    let sql = format!(
        "SELECT {COLUMNS} FROM {view} m WHERE {CONDITIONS} {} AND instr(m.content, ?6) > 0 {BY_TIME} LIMIT ?7",
        trusted(filter)
    );
    let mut values = bound(inner, filter);
    values.push(Value::Text(literal.to_owned()));
    values.push(Value::Integer(limit(filter)));
    connection.prepare_cached(&sql)?.query_map(params_from_iter(values), row::memory)?.collect()
}

fn found(plan: &Plan, memories: Vec<Memory>) -> Found {
    let outcome = match memories.first() {
        None => SearchOutcome::Empty,
        Some(best) if plan.matches.len() == 1 && shares_little(plan, best) => SearchOutcome::Weak,
        Some(_) => SearchOutcome::Hit,
    };
    let hits = memories.into_iter().enumerate().map(|(at, memory)| Hit {
        memory,
        score: score(at + 1),
        why: vec![("row", at + 1)],
    });
    Found { outcome, hits: hits.collect() }
}

/// Reciprocal rank, so that the first has 1.
fn score(rank: usize) -> f64 {
    61.0 / (60.0 + f64::from(u32::try_from(rank).unwrap_or(u32::MAX)))
}

/// Whether the best row holds less than a third of the words of a question that has some. Endings do not
/// count.
fn shares_little(plan: &Plan, best: &Memory) -> bool {
    let text = [&best.content, best.category.as_str()].join(" ").to_lowercase();
    let beginning = |word: &str| word.chars().take(5).collect::<String>();
    let shared = plan.words.iter().filter(|word| text.contains(&beginning(word))).count();
    plan.words.len() >= 3 && shared * 3 < plan.words.len()
}
