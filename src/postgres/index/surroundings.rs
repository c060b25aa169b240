//! The edges of chunks, asked for: the links, tags and names of documents.

use chrono::{DateTime, Utc};

use super::PostgresIndex;
use super::links::edge_table;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::edges::{CitedSource, EdgeStore, Neighborhood, TopEntity};
use crate::postgres::within::Within;
use crate::sql::chunks::{self, ChunkText};

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
            chunks::neighborhood(within, &edge_table(), access.kind, &keys, limit)
        })
    }

    fn top_entities(&self, access: &Access, limit: usize) -> Result<Vec<TopEntity>> {
        if access.scope != self.scoped.scope {
            return Ok(Vec::new());
        }
        self.scoped.look_within("list the entities of", |within| {
            chunks::top_entities(within, &edge_table(), access.kind, limit)
        })
    }

    fn words(&self, access: &Access, source: &CitedSource) -> Result<Option<String>> {
        if access.scope != self.scoped.scope {
            return Ok(None);
        }
        self.scoped.look_within("read the edges of", |within| chunks::words(within, access.kind, source))
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

impl PostgresIndex {
    /// Extracts the edges of the next chunks; returns how many are new, and the last chunk.
    fn extract_next(&self, within: &Within<'_>, after: i64) -> Result<(u64, Option<i64>)> {
        let (mut added, mut last) = (0, None);
        for ChunkText { number, name, text, .. } in chunks::chunks_after(within, after)? {
            last = Some(number);
            if let Some(name) = name {
                added += self.links.put(within, &name, &[(number, &text)])?;
            }
        }
        Ok((added, last))
    }
}
