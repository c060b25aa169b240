//! The edges of chunks, asked for: the links, tags and names of documents.

use ::postgres::Row;
use chrono::{DateTime, Utc};

use super::PostgresIndex;
use crate::base::access::Access;
use crate::base::document::SourceRef;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::edges::{Cited, CitedSource, Edge, EdgeStore, Entity, Mention, Neighborhood, Passage, TopEntity};
use crate::postgres::link::Param;
use crate::postgres::within::Within;
use crate::search::documents::Audience;

/// The number of chunks of one step of an extraction.
const STEP: i64 = 500;

/// The chunks `c` that a kind of session may read: `$1` to `$3` are the scope and the kind.
macro_rules! in_sight {
    ($columns:literal, $edges:literal, $rest:literal) => {
        concat!(
            "SELECT ",
            $columns,
            " FROM ",
            $edges,
            " JOIN indexed_documents d ON d.user_id = c.user_id AND d.agent_id = c.agent_id AND d.path = c.path
             WHERE c.user_id = $1 AND c.agent_id = $2 AND (d.audience & $3) <> 0 AND ",
            $rest
        )
    };
}

const MENTIONING: &str = in_sight!(
    "DISTINCT d.path, c.place, c.number, c.content, c.first_line, c.last_line",
    "chunk_edges e JOIN chunks c ON c.user_id = e.user_id AND c.agent_id = e.agent_id AND c.number = e.number",
    "e.user_id = $1 AND e.agent_id = $2
       AND (e.entity_key = $4 OR e.entity_key > $4 || ' ' AND e.entity_key < $4 || '!')
     ORDER BY d.path DESC, c.place LIMIT $5"
);
const TOP: &str = in_sight!(
    "e.entity_kind, e.entity_key, count(DISTINCT e.number) AS texts",
    "chunk_edges e JOIN chunks c ON c.user_id = e.user_id AND c.agent_id = e.agent_id AND c.number = e.number",
    "e.user_id = $1 AND e.agent_id = $2 AND e.verb <> $4
     GROUP BY 1, 2 ORDER BY texts DESC, 1, 2 LIMIT $5"
);
const LINES: &str = in_sight!(
    "c.content",
    "chunks c",
    "c.path = $4 AND c.first_line = $5 AND c.last_line = $6 ORDER BY c.number LIMIT 1"
);
const EDGES: &str = "SELECT entity_kind, entity_key, verb FROM chunk_edges
    WHERE user_id = $1 AND agent_id = $2 AND number = $3 ORDER BY place";

/// A chunk as it is returned.
struct Found {
    number: i64,
    passage: Option<Passage>,
}

fn mentioning(within: &Within<'_>, bit: &Param, keys: &[String], most: usize) -> Result<Vec<Found>> {
    let mut found: Vec<(String, i64, Found)> = Vec::new();
    for key in keys.iter().filter(|key| !key.contains('\0')) {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        for row in within.run(MENTIONING, [bit.clone(), Param::from(key), most.into()])? {
            let path: String = within.column(&row, 0)?;
            let lines = lines(&path, within.column(&row, 4)?, within.column(&row, 5)?);
            let text = within.text(&row, 3)?;
            let passage = lines.map(|lines| Passage::new(lines, text));
            let number = within.column(&row, 2)?;
            found.push((path, within.column(&row, 1)?, Found { number, passage }));
        }
    }
    // The last paths are those of the newest notes.
    found.sort_by(|one, other| (&other.0, one.1).cmp(&(&one.0, other.1)));
    found.dedup_by_key(|(.., found)| found.number);
    Ok(found.into_iter().map(|(.., found)| found).take(most).collect())
}

fn edge(within: &Within<'_>, row: &Row) -> Result<Edge> {
    let text = |column| within.column::<String>(row, column);
    Ok(Edge::new(text(2)?, Entity::new(text(0)?, text(1)?)))
}

impl PostgresIndex {
    /// Extracts the edges of the next chunks; returns how many are new, and the last chunk.
    fn extract_next(&self, within: &Within<'_>, after: i64) -> Result<(u64, Option<i64>)> {
        let sql = "SELECT number, path, content FROM chunks
            WHERE user_id = $1 AND agent_id = $2 AND number > $3 ORDER BY number LIMIT $4";
        let (mut added, mut last) = (0, None);
        for row in within.run(sql, [after.into(), STEP.into()])? {
            let number = within.column(&row, 0)?;
            last = Some(number);
            if let Ok(name) = DocName::parse(within.column::<String>(&row, 1)?) {
                added += self.links.put(within, &name, &[(number, &within.text(&row, 2)?)])?;
            }
        }
        Ok((added, last))
    }

    fn bit(access: &Access) -> Param {
        i64::from(Audience::bit(access.kind)).into()
    }
}

/// Documents have edges too: of the passages that the kind of session may read.
impl EdgeStore for PostgresIndex {
    fn neighborhood(
        &self,
        access: &Access,
        asked: &str,
        limit: usize,
        _now: DateTime<Utc>,
    ) -> Result<Neighborhood> {
        let Some(extractor) = self.links.extractor.as_ref().filter(|_| access.scope == self.scoped.scope)
        else {
            return Ok(Neighborhood::default());
        };
        let keys = extractor.keys(asked);
        self.scoped.look_within("read the edges of", |within| {
            let mut found = mentioning(within, &Self::bit(access), &keys, limit.saturating_add(1))?;
            let is_cut = found.len() > limit;
            found.truncate(limit);
            let mut mentions = Vec::with_capacity(found.len());
            for Found { number, passage } in found {
                let Some(passage) = passage else { continue };
                let rows = within.run(EDGES, [number.into()])?;
                let edges = rows.iter().map(|row| edge(within, row)).collect::<Result<_>>()?;
                mentions.push(Mention::new(Cited::Passage(passage), edges));
            }
            let mut around = Neighborhood::of(mentions, &keys);
            around.is_cut = is_cut;
            Ok(around)
        })
    }

    fn top_entities(&self, access: &Access, limit: usize) -> Result<Vec<TopEntity>> {
        if access.scope != self.scoped.scope {
            return Ok(Vec::new());
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.scoped.look_within("list the entities of", |within| {
            let rows = within.run(TOP, [Self::bit(access), Edge::CO_OCCURS_WITH.into(), limit.into()])?;
            let top = rows.iter().map(|row| {
                let entity = Entity::new(within.column::<String>(row, 0)?, within.column::<String>(row, 1)?);
                let texts: i64 = within.column(row, 2)?;
                Ok(TopEntity::new(entity, texts.unsigned_abs()))
            });
            top.collect()
        })
    }

    fn words(&self, access: &Access, source: &CitedSource) -> Result<Option<String>> {
        let CitedSource::Lines(lines) = source else { return Ok(None) };
        if access.scope != self.scoped.scope {
            return Ok(None);
        }
        let number = |line: u64| Param::Number(i64::try_from(line).unwrap_or(i64::MAX));
        self.scoped.look_within("read the edges of", |within| {
            let name = Param::from(lines.name.as_str());
            let rows = within
                .run(LINES, [Self::bit(access), name, number(lines.first_line), number(lines.last_line)])?;
            rows.first().map(|row| within.text(row, 0)).transpose()
        })
    }

    fn extract_edges(&self) -> Result<u64> {
        let (mut all, mut after) = (0, 0);
        loop {
            let (added, last) =
                self.scoped.change_within("extract edges in", |within| self.extract_next(within, after))?;
            all += added;
            match last {
                Some(last) => after = last,
                None => return Ok(all),
            }
        }
    }

    fn edition(&self) -> Result<u64> {
        let sql = "SELECT writes FROM lives WHERE user_id = $1 AND agent_id = $2";
        self.scoped.look_within("read", |within| Ok(within.one::<i64>(sql, [])?.unwrap_or(0).unsigned_abs()))
    }
}

/// Returns lines of a document; `None` for a path that another program put there.
fn lines(path: &str, first: i64, last: i64) -> Option<SourceRef> {
    let number = |line: i64| u64::try_from(line).unwrap_or(1);
    let name = DocName::parse(path).ok()?;
    Some(SourceRef { name, first_line: number(first), last_line: number(last) })
}
