//! Chunks by how well they fit a text, of the documents that a kind of session may read.

use rusqlite::{Connection, Row, params};

use crate::base::access::{Scope, SessionKind};
use crate::base::name::DocName;
use crate::base::order;
use crate::search::documents::{Audience, SearchResult, WEIGHED, reciprocal, weigh};
use crate::search::rank::{Plan, one_line};
use crate::sqlite::words;

/// The columns of a chunk. A document's audience is in every statement: `?2` to `?4` are the scope and the kind.
pub(super) const CHUNKS: &str =
    "c.id, c.document_id, d.path, c.content, c.chunk_index, c.first_line, c.last_line";
pub(super) const DOCUMENTS: &str = "JOIN indexed_documents d ON d.id = c.document_id
     AND d.user_id = ?2 AND d.agent_id = ?3 AND (d.audience & ?4) <> 0";

/// A search: who asks, and for how much.
#[derive(Clone, Copy)]
struct ChunkQuery<'a> {
    connection: &'a Connection,
    scope: &'a Scope,
    kind: SessionKind,
    limit: usize,
}

/// Finds the chunks that fit a text, best first.
pub(super) fn run(
    connection: &Connection,
    scope: &Scope,
    kind: SessionKind,
    text: &str,
    limit: usize,
) -> rusqlite::Result<Vec<SearchResult>> {
    if limit == 0 {
        return Ok(Vec::new());
    }
    let query = ChunkQuery { connection, scope, kind, limit };
    let text = one_line(text);
    let plan = Plan::of(&text, false);
    match (text.trim(), words::of_plan(&plan)) {
        ("", _) => Ok(Vec::new()),
        (_, Some(expression)) if query.sees_whole_index()? => query.matching(&plan, &expression),
        (_, Some(expression)) => query.of_some(&plan, &expression),
        (literal, None) => query.holding(literal),
    }
}

/// Returns whether a text has what a query asks for.
fn is_in(plan: &Plan, text: &str) -> bool {
    plan.is_fulfilled_by(text) && (plan.required.is_some() || plan.share_in(text) > 0.0)
}

impl ChunkQuery<'_> {
    /// Returns whether all chunks of the file are in sight.
    fn sees_whole_index(self) -> rusqlite::Result<bool> {
        let others = "SELECT 1 FROM indexed_documents
                      WHERE user_id <> ?1 OR agent_id <> ?2 OR (audience & ?3) = 0 LIMIT 1";
        let bound = params![self.scope.user, self.scope.agent, Audience::bit(self.kind)];
        Ok(!self.connection.prepare_cached(others)?.exists(bound)?)
    }

    /// Ranks by BM25 over the chunks in sight. FTS5 ranks by all chunks of the file, which would tell of hidden ones.
    fn of_some(self, plan: &Plan, expression: &str) -> rusqlite::Result<Vec<SearchResult>> {
        let sql = format!(
            "SELECT {CHUNKS}, c.terms FROM memory_chunks_fts f CROSS JOIN memory_chunks c ON c.number = f.rowid
             {DOCUMENTS} WHERE memory_chunks_fts MATCH ?1 ORDER BY d.path DESC, c.chunk_index LIMIT ?5"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![
            expression,
            self.scope.user,
            self.scope.agent,
            Audience::bit(self.kind),
            WEIGHED
        ])?;
        let mut chunks = Vec::new();
        while let Some(row) = rows.next()? {
            if let Some(found) = result(row)? {
                // Its path and its headings are searched too.
                let text = [found.content.as_str(), &row.get::<_, String>(7)?].join("\n");
                chunks.push((found, text));
            }
        }
        Ok(weigh(plan, chunks, self.limit))
    }

    /// Finds chunks by BM25, ties by path and place.
    fn matching(self, plan: &Plan, expression: &str) -> rusqlite::Result<Vec<SearchResult>> {
        // FTS5 sorts by rank itself, so chunks are looked at only as far as they are needed.
        let sql = format!(
            "SELECT {CHUNKS}, f.rank, c.terms FROM memory_chunks_fts f CROSS JOIN memory_chunks c ON c.number = f.rowid
             {DOCUMENTS} WHERE memory_chunks_fts MATCH ?1 ORDER BY f.rank"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![
            expression,
            self.scope.user,
            self.scope.agent,
            Audience::bit(self.kind)
        ])?;
        let mut ranked: Vec<(f64, SearchResult)> = Vec::new();
        while let Some(row) = rows.next()? {
            let rank: f64 = row.get(7)?;
            let is_tied = ranked.last().is_some_and(|(last, _)| last.total_cmp(&rank).is_eq());
            // Ties are read to their end, since any of them may come first.
            if ranked.len() >= self.limit && !is_tied {
                break;
            }
            let Some(found) = result(row)? else { continue };
            // FTS5 parts words at marks of Hebrew and Arabic, so a single letter may be none of a word.
            let is_sure = plan.required.is_none() && plan.text.is_ascii();
            // Its path and its headings are searched too.
            let text =
                || Ok::<_, rusqlite::Error>([found.content.as_str(), &row.get::<_, String>(8)?].join("\n"));
            if is_sure || is_in(plan, &text()?) {
                ranked.push((rank, found));
                if ranked.len() >= self.limit.saturating_mul(4).max(256) {
                    sort(&mut ranked, self.limit);
                }
            }
        }
        sort(&mut ranked, self.limit);
        let scored = ranked.into_iter().enumerate().map(|(at, (rank, found))| {
            // FTS5 says less for better, and never more than 0.
            let strength = (-rank).max(0.0);
            SearchResult { score: reciprocal(at), bm25_score: Some(strength / (1.0 + strength)), ..found }
        });
        Ok(scored.collect())
    }

    /// Returns the chunks that hold a text without words, such as `+++`, by path and place.
    fn holding(self, literal: &str) -> rusqlite::Result<Vec<SearchResult>> {
        let sql = format!(
            "SELECT {CHUNKS} FROM memory_chunks c {DOCUMENTS} WHERE instr(c.content, ?1) > 0
             ORDER BY d.path, c.chunk_index LIMIT ?5"
        );
        let limit = i64::try_from(self.limit).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![
            literal,
            self.scope.user,
            self.scope.agent,
            Audience::bit(self.kind),
            limit
        ])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.extend(result(row)?);
        }
        let scored = found.into_iter().enumerate();
        Ok(scored.map(|(at, found)| SearchResult { score: reciprocal(at), ..found }).collect())
    }
}

fn sort(ranked: &mut Vec<(f64, SearchResult)>, limit: usize) {
    order::sort_by(ranked, |(rank, found), (other_rank, other)| {
        let place = |found: &SearchResult| (found.path.clone(), found.chunk_index);
        rank.total_cmp(other_rank).then_with(|| place(found).cmp(&place(other)))
    });
    ranked.truncate(limit);
}

/// Reads [`CHUNKS`]; `None` for a path that another program put there.
pub(super) fn result(row: &Row<'_>) -> rusqlite::Result<Option<SearchResult>> {
    let Ok(path) = DocName::parse(row.get::<_, String>(2)?) else { return Ok(None) };
    let line = |column| Ok::<_, rusqlite::Error>(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(1));
    Ok(Some(SearchResult {
        chunk_id: row.get(0)?,
        document_id: row.get(1)?,
        path,
        content: row.get(3)?,
        chunk_index: row.get(4)?,
        score: 0.0,
        bm25_score: None,
        vector_score: None,
        lines: (line(5)?, line(6)?),
        span: None,
        newer: None,
        origin: None,
    }))
}
