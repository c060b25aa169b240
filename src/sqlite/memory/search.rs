//! Rows as a search reads them: FTS5 finds the rows that may fit, and the views limit them to rows in sight.

use crate::sql::memory::BY_TIME;
use crate::sql::memory::COLUMNS;
use crate::sql::memory::holding;
use crate::sql::memory::listed;
use crate::sql::memory::memory;
use crate::sql::memory::rows_of;
use crate::sql::memory::trusted;
use crate::sql::memory::with_card;
use crate::sqlite::error::carried;
use rusqlite::types::Value;
use rusqlite::{params, params_from_iter};

use super::row::{self, CARD, stamp};
use super::table::Table;
use crate::base::error::Result;
use crate::base::order;
use crate::memory::{Filter, Memory, Order, Query};
use crate::search::rank::{Card, Frequencies, Term, Visibility};
use crate::sqlite::columns::ReadAll;
use crate::sqlite::words;
use crate::store::searchable::{Searchable, Take, Wanted};

/// The values that every read binds, as `?1` to `?5`, and its conditions on a view that is called `m`.
pub(super) const CONDITIONS: &str =
    "m.user_id = ?1 AND m.agent_id = ?2 AND (?3 IS NULL OR m.category = ?3 COLLATE NOCASE)
     AND (?4 IS NULL OR m.updated_at >= ?4) AND (?5 IS NULL OR m.updated_at < ?5)";

/// Returns the view of the rows that a session may see.
pub(super) fn view(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::All => "main_memories",
        Visibility::Shared => "shared_memories",
    }
}

pub(super) fn count(number: usize) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Returns the ids as one value, which `json_each` reads.
pub(super) fn json(ids: &[i64]) -> Value {
    Value::Text(serde_json::to_string(ids).expect("numbers are always JSON"))
}

impl Searchable for Table<'_> {
    fn frequencies(&self, visibility: Visibility, terms: &[Term]) -> Result<Frequencies> {
        self.folded(|| {
            if let Some(frequencies) = self.indexed_frequencies(visibility, terms)? {
                return Ok(frequencies);
            }
            let (view, whose) = (view(visibility), params![self.user(), self.agent()]);
            let of_all = self.sees_whole_file(visibility)?;
            let rows: i64 = if of_all {
                let sql = "SELECT count(*) FROM memories_fts_docsize";
                self.connection.prepare_cached(sql)?.query_row([], |found| found.get(0))?
            } else {
                let sql = format!("SELECT count(*) FROM {view} m WHERE m.user_id = ?1 AND m.agent_id = ?2");
                self.connection.prepare_cached(&sql)?.query_row(whose, |found| found.get(0))?
            };
            let mut frequencies = Frequencies::of(u32::try_from(rows).unwrap_or(u32::MAX));
            if terms.is_empty() {
                return Ok(frequencies);
            }
            // Rows that are in sight anyway need not be looked at.
            let in_sight = if of_all {
                String::new()
            } else {
                format!("CROSS JOIN {view} m ON m.id = f.rowid AND m.user_id = ?1 AND m.agent_id = ?2")
            };
            let counts: Vec<String> = (4..terms.len() + 4)
                .map(|word| {
                    format!(
                        "(SELECT count(*) FROM (SELECT 1 FROM memories_fts f {in_sight}
                          WHERE memories_fts MATCH ?{word} LIMIT ?3))"
                    )
                })
                .collect();
            let mut values = self.whose();
            values.push(Value::Integer(frequencies.worth_counting().into()));
            values.extend(terms.iter().map(|term| Value::Text(words::quoted(term.asked()))));
            let sql = format!("SELECT {}", counts.join(", "));
            self.connection.prepare_cached(&sql)?.query_row(params_from_iter(values), |found| {
                for at in 0..terms.len() {
                    frequencies.push(u32::try_from(found.get::<_, i64>(at)?).unwrap_or(u32::MAX));
                }
                Ok(())
            })?;
            Ok(frequencies)
        })
    }

    fn matching(&self, wanted: &Wanted<'_>, take: &mut Take<'_>) -> Result<()> {
        self.folded(|| {
            if let Some(hits) = self.best_indexed(wanted)? {
                return self.counted(wanted.visibility, hits, take);
            }
            let Some((sql, values)) = self.matching_sql(wanted)? else { return Ok(()) };
            let mut statement = self.connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params_from_iter(values))?;
            while let Some(found) = rows.next()? {
                let text = row::text(found, 10)?;
                if !with_card(&self.found(found), &text, |card| take(card, None)).map_err(carried)? {
                    break;
                }
            }
            Ok(())
        })
    }

    fn beside(
        &self,
        visibility: Visibility,
        filter: &Filter,
        rows: &[i64],
        take: &mut dyn FnMut(i64, &Card<'_>),
    ) -> Result<()> {
        self.folded(|| self.all_beside(visibility, filter, rows, take))
    }

    fn rows(&self, visibility: Visibility, ids: &[i64]) -> Result<Vec<Memory>> {
        rows_of(self, visibility, ids)
    }

    fn list(&self, visibility: Visibility, filter: &Filter) -> Result<Vec<Memory>> {
        listed(self, visibility, filter)
    }

    fn holding(&self, visibility: Visibility, filter: &Filter, text: &str) -> Result<Vec<Memory>> {
        holding(self, visibility, filter, text)
    }

    /// Finds rows by BM25 of FTS5, ties by the newest, then by id. By time only, where BM25 would tell what others say.
    fn by_expression(
        &self,
        visibility: Visibility,
        query: &Query,
        text: &str,
    ) -> Result<Option<Vec<(f64, Memory)>>> {
        if !words::is_beyond_plans(text) {
            return Ok(None);
        }
        self.folded(|| match self.ranked_by_fts5(visibility, query, text) {
            Err(error) if is_of_syntax(&error) => Ok(None),
            found => found.map(Some),
        })
    }
}

impl Table<'_> {
    /// Returns the owner of the rows that are read, as `?1` and `?2`.
    pub(super) fn whose(&self) -> Vec<Value> {
        vec![Value::Text(self.user().to_owned()), Value::Text(self.agent().to_owned())]
    }

    pub(super) fn bound(&self, filter: &Filter) -> Vec<Value> {
        let maybe = |text: Option<String>| text.map_or(Value::Null, Value::Text);
        let mut values = self.whose();
        values.extend([
            maybe(filter.category.clone()),
            maybe(filter.since.map(stamp)),
            maybe(filter.until.map(stamp)),
        ]);
        values
    }

    /// Returns whether all rows that the text index holds are in sight. A guest's user is never empty.
    fn sees_whole_file(&self, visibility: Visibility) -> rusqlite::Result<bool> {
        let others = "SELECT 1 FROM main_memories WHERE user_id > '' LIMIT 1";
        Ok(visibility == Visibility::All
            && self.user().is_empty()
            && !self.connection.prepare_cached(others)?.exists([])?)
    }

    /// The rows in sight that have a word, the greatest id first.
    pub(super) fn latest_with_one(
        &self,
        visibility: Visibility,
        word: &Term,
        most: usize,
    ) -> rusqlite::Result<Vec<i64>> {
        let in_sight = if self.sees_whole_file(visibility)? {
            String::new()
        } else {
            let view = view(visibility);
            format!("CROSS JOIN {view} m ON m.id = f.rowid AND m.user_id = ?3 AND m.agent_id = ?4")
        };
        let sql = format!(
            "SELECT f.rowid FROM memories_fts f {in_sight} WHERE memories_fts MATCH ?1
             ORDER BY f.rowid DESC LIMIT ?2"
        );
        let mut values = vec![Value::Text(words::quoted(&word.written)), count(most)];
        if !in_sight.is_empty() {
            values.extend(self.whose());
        }
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query(params_from_iter(values))?.all(|found| found.get(0))
    }

    /// Returns the statement for the rows that may be found, and what it binds; `None` where no row can be.
    ///
    /// Each word is looked up alone. The rows are sorted by the weight of their words before any of them is read.
    fn matching_sql(&self, wanted: &Wanted<'_>) -> rusqlite::Result<Option<(String, Vec<Value>)>> {
        let (view, trusted) = (view(wanted.visibility), trusted(wanted.filter));
        let mut values = self.bound(wanted.filter);
        values.push(if wanted.plan.required.is_none() { count(wanted.most) } else { Value::Integer(-1) });
        let mut words_of = Vec::new();
        for (term, weight) in &wanted.weights {
            values.extend([Value::Integer(*weight), Value::Text(words::quoted(term.asked()))]);
            words_of.push(format!(
                "SELECT rowid AS id, ?{} AS weight FROM memories_fts WHERE memories_fts MATCH ?{}",
                values.len() - 1,
                values.len()
            ));
        }
        if words_of.is_empty() {
            words_of.push("SELECT 0 AS id, 0 AS weight WHERE 0".to_owned());
        }
        let sums =
            format!("(SELECT id, sum(weight) AS weight FROM ({}) GROUP BY id)", words_of.join(" UNION ALL "));
        let order = match wanted.order {
            Order::Relevance => "ORDER BY h.weight DESC, h.id DESC",
            Order::Recency => BY_TIME,
        };
        let first = match &wanted.plan.required {
            Some(required) => {
                let Some(expression) = words::may_fulfil(required) else { return Ok(None) };
                values.push(Value::Text(expression));
                let order = match wanted.order {
                    Order::Relevance => "ORDER BY coalesce(h.weight, 0) DESC, m.id DESC",
                    Order::Recency => BY_TIME,
                };
                format!(
                    "SELECT m.id FROM memories_fts f CROSS JOIN {view} m ON m.id = f.rowid
                     LEFT JOIN {sums} h ON h.id = f.rowid
                     WHERE memories_fts MATCH ?{} AND {CONDITIONS} {trusted} {order} LIMIT ?6",
                    values.len()
                )
            }
            None if wanted.order == Order::Relevance
                && *wanted.filter == Filter::limit(wanted.filter.limit)
                && self.sees_whole_file(wanted.visibility)? =>
            {
                format!("SELECT h.id FROM {sums} h {order} LIMIT ?6")
            }
            None => format!(
                "SELECT h.id FROM {sums} h CROSS JOIN {view} m ON m.id = h.id
                 WHERE {CONDITIONS} {trusted} {order} LIMIT ?6"
            ),
        };
        let sql = format!(
            "SELECT {CARD}, m.content FROM ({first}) p CROSS JOIN {view} m ON m.id = p.id WHERE {CONDITIONS}"
        );
        Ok(Some((sql, values)))
    }

    fn ranked_by_fts5(
        &self,
        visibility: Visibility,
        query: &Query,
        expression: &str,
    ) -> rusqlite::Result<Vec<(f64, Memory)>> {
        let filter = &query.filter;
        // FTS5 sorts by rank itself, so rows are looked at only as far as they are needed.
        let (order, rank) = match (query.order, self.sees_whole_file(visibility)?) {
            (Order::Relevance, true) => ("ORDER BY f.rank", "f.rank"),
            (Order::Recency, true) => (BY_TIME, "f.rank"),
            (_, false) => (BY_TIME, "-1.0 AS rank"),
        };
        let sql = format!(
            "SELECT {COLUMNS}, {rank} FROM memories_fts f CROSS JOIN {} m ON m.id = f.rowid
             WHERE memories_fts MATCH ?6 AND {CONDITIONS} {} {order}",
            view(visibility),
            trusted(filter)
        );
        let mut values = self.bound(filter);
        values.push(Value::Text(expression.to_owned()));
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = statement.query(params_from_iter(values))?;
        let mut rows: Vec<(f64, Memory)> = Vec::new();
        while let Some(row) = found.next()? {
            let rank: f64 = row.get("rank")?;
            // Ties are read to their end.
            let is_tied = query.order == Order::Relevance
                && rows.last().is_some_and(|(last, _)| last.total_cmp(&rank).is_eq());
            if rows.len() >= filter.limit && !is_tied {
                break;
            }
            rows.push((rank, memory(&self.found(row)).map_err(carried)?));
            if rows.len() >= filter.limit.saturating_mul(4).max(256) && is_tied {
                sort(&mut rows, filter.limit);
            }
        }
        if query.order == Order::Relevance {
            sort(&mut rows, filter.limit);
        }
        Ok(rows)
    }
}

/// Returns whether an error is one of syntax. FTS5 refuses an expression with the plainest code of all; locks, disks
/// and damage have their own.
fn is_of_syntax(error: &rusqlite::Error) -> bool {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code == rusqlite::ffi::SQLITE_ERROR,
        rusqlite::Error::SqlInputError { .. } => true,
        _ => false,
    }
}

/// Sorts by relevance: by BM25, where less is better, then the newest, then the greater id.
fn sort(rows: &mut Vec<(f64, Memory)>, limit: usize) {
    order::sort_by(rows, |(rank, memory), (other_rank, other)| {
        rank.total_cmp(other_rank)
            .then_with(|| other.updated_at.cmp(&memory.updated_at))
            .then_with(|| other.id.cmp(&memory.id))
    });
    rows.truncate(limit);
}
