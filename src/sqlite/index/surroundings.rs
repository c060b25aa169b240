//! The edges of chunks, asked for: the links, tags and names of documents.

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

use super::SqliteIndex;
use crate::base::access::{Access, Scope};
use crate::base::document::SourceRef;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::base::order;
use crate::edges::{Cited, CitedSource, Edge, EdgeStore, Mention, Neighborhood, Passage, TopEntity};
use crate::search::documents::Audience;
use crate::sqlite::columns::ReadAll;
use crate::sqlite::commits;
use crate::sqlite::edges::{self, OF_CHUNKS};

/// The chunks `c` that a kind of session may read: `?1` to `?3` are the scope and the kind.
const IN_SIGHT: &str = "JOIN indexed_documents d ON d.id = c.document_id
     AND d.user_id = ?1 AND d.agent_id = ?2 AND (d.audience & ?3) <> 0";

/// The number of chunks of one step of an extraction.
const STEP: i64 = 500;

/// A chunk as it is returned.
struct Found {
    number: i64,
    passage: Option<Passage>,
}

impl SqliteIndex {
    fn mentioning(
        &self,
        connection: &Connection,
        access: &Access,
        keys: &[String],
        most: usize,
    ) -> rusqlite::Result<Vec<Found>> {
        let mut found: Vec<(String, i64, Found)> = Vec::new();
        for query in edges::leads_to(self.links.table, "?4", OF_CHUNKS) {
            let sql = format!(
                "SELECT DISTINCT d.path, c.chunk_index, c.number, c.content, c.first_line, c.last_line
                 FROM ({query}) e CROSS JOIN memory_chunks c ON c.number = e.src_id {IN_SIGHT}
                 ORDER BY d.path DESC, c.chunk_index LIMIT ?5"
            );
            let mut statement = connection.prepare_cached(&sql)?;
            for key in keys {
                let Scope { user, agent } = &self.scope;
                let most = i64::try_from(most).unwrap_or(i64::MAX);
                let mut rows =
                    statement.query(params![user, agent, Audience::bit(access.kind), key, most])?;
                while let Some(row) = rows.next()? {
                    let path: String = row.get(0)?;
                    let lines = lines(&path, row.get(4)?, row.get(5)?);
                    let text: String = row.get(3)?;
                    let passage = lines.map(|lines| Passage::new(lines, text));
                    found.push((path, row.get(1)?, Found { number: row.get(2)?, passage }));
                }
            }
        }
        // The last paths are those of the newest notes.
        order::sort_by(&mut found, |one, other| (&other.0, one.1).cmp(&(&one.0, other.1)));
        found.dedup_by_key(|(.., found)| found.number);
        Ok(found.into_iter().map(|(.., found)| found).take(most).collect())
    }

    fn edges_of_chunk(&self, connection: &Connection, number: i64) -> rusqlite::Result<Vec<Edge>> {
        let sql = format!(
            "SELECT dst_entity_kind, dst_entity_key, edge_type FROM {}
             WHERE src_table = '{OF_CHUNKS}' AND src_id = ?1 ORDER BY id",
            self.links.table
        );
        connection.prepare_cached(&sql)?.query([number])?.all(|row| edges::read(row, 0))
    }

    /// Extracts the edges of the next chunks; returns how many are new, and the last chunk.
    fn extract_next(&self, connection: &Connection, after: i64) -> rusqlite::Result<(u64, Option<i64>)> {
        let sql = "SELECT c.number, d.path, c.content, c.created_at FROM memory_chunks c
             JOIN indexed_documents d ON d.id = c.document_id
             WHERE c.number > ?1 AND d.user_id = ?2 AND d.agent_id = ?3 ORDER BY c.number LIMIT ?4";
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query(params![after, self.scope.user, self.scope.agent, STEP])?;
        let (mut added, mut last) = (0, None);
        while let Some(row) = rows.next()? {
            let number = row.get(0)?;
            last = Some(number);
            if let Ok(name) = DocName::parse(row.get::<_, String>(1)?) {
                let (text, at): (String, String) = (row.get(2)?, row.get(3)?);
                added += self.links.put(connection, &name, (number, &text), &at)? as u64;
            }
        }
        Ok((added, last))
    }
}

/// Documents have edges too: of the passages that the kind of session may read.
impl EdgeStore for SqliteIndex {
    fn neighborhood(
        &self,
        access: &Access,
        asked: &str,
        limit: usize,
        _now: DateTime<Utc>,
    ) -> Result<Neighborhood> {
        let Some(extractor) = self.links.extractor.as_ref().filter(|_| access.scope == self.scope) else {
            return Ok(Neighborhood::default());
        };
        let keys = extractor.keys(asked);
        self.database.read("read", |connection| {
            let mut found = self.mentioning(connection, access, &keys, limit.saturating_add(1))?;
            let is_cut = found.len() > limit;
            found.truncate(limit);
            let mut mentions = Vec::with_capacity(found.len());
            for Found { number, passage } in found {
                let Some(passage) = passage else { continue };
                let edges = self.edges_of_chunk(connection, number)?;
                mentions.push(Mention::new(Cited::Passage(passage), edges));
            }
            let mut around = Neighborhood::of(mentions, &keys);
            around.is_cut = is_cut;
            Ok(around)
        })
    }

    fn top_entities(&self, access: &Access, limit: usize) -> Result<Vec<TopEntity>> {
        if access.scope != self.scope {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT e.dst_entity_kind, e.dst_entity_key, e.edge_type, count(DISTINCT e.src_id) AS texts
             FROM {} e CROSS JOIN memory_chunks c ON c.number = e.src_id {IN_SIGHT}
             WHERE e.src_table = '{OF_CHUNKS}' AND e.edge_type <> '{}'
             GROUP BY 1, 2 ORDER BY texts DESC, 1, 2 LIMIT ?4",
            self.links.table,
            Edge::CO_OCCURS_WITH
        );
        self.database.read("list", |connection| {
            let Scope { user, agent } = &self.scope;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let mut statement = connection.prepare_cached(&sql)?;
            let bound = params![user, agent, Audience::bit(access.kind), limit];
            statement.query(bound)?.all(|row| {
                let texts = u64::try_from(row.get::<_, i64>(3)?).unwrap_or_default();
                Ok(TopEntity::new(edges::read(row, 0)?.entity, texts))
            })
        })
    }

    fn words(&self, access: &Access, source: &CitedSource) -> Result<Option<String>> {
        let CitedSource::Lines(lines) = source else { return Ok(None) };
        if access.scope != self.scope {
            return Ok(None);
        }
        let sql = format!(
            "SELECT c.content FROM memory_chunks c {IN_SIGHT}
             WHERE d.path = ?4 AND c.first_line = ?5 AND c.last_line = ?6 ORDER BY c.number LIMIT 1"
        );
        let number = |line: u64| i64::try_from(line).unwrap_or(i64::MAX);
        self.database.read("read", |connection| {
            let Scope { user, agent } = &self.scope;
            let (first, last) = (number(lines.first_line), number(lines.last_line));
            let bound = params![user, agent, Audience::bit(access.kind), lines.name.as_str(), first, last];
            connection.prepare_cached(&sql)?.query_row(bound, |row| row.get(0)).optional()
        })
    }

    fn extract_edges(&self) -> Result<u64> {
        let (mut all, mut after) = (0, 0);
        loop {
            let (added, last) = self
                .database
                .change("extract edges in", |connection| self.extract_next(connection, after))?;
            all += added;
            match last {
                Some(last) => after = last,
                None => return Ok(all),
            }
        }
    }

    fn edition(&self) -> Result<u64> {
        self.database.read("read", commits::edition)
    }
}

/// Returns lines of a document; `None` for a path that another program put there.
fn lines(path: &str, first: i64, last: i64) -> Option<SourceRef> {
    let number = |line: i64| u64::try_from(line).unwrap_or(1);
    let name = DocName::parse(path).ok()?;
    Some(SourceRef { name, first_line: number(first), last_line: number(last) })
}
