//! The edges of chunks, asked for: the links, tags and names of documents.

use chrono::{DateTime, Utc};

use super::SqliteIndex;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::edges::{CitedSource, EdgeStore, Neighborhood, TopEntity};
use crate::sql::chunks::{self, ChunkText};
use crate::sqlite::commits;
use crate::sqlite::driver::Run;
use crate::sqlite::error::fold;

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
        let (keys, edges) = (extractor.keys(asked), self.links.edge_table());
        self.look("read", |table| chunks::neighborhood(table, &edges, access.kind, &keys, limit))
    }

    fn top_entities(&self, access: &Access, limit: usize) -> Result<Vec<TopEntity>> {
        if access.scope != self.scope {
            return Ok(Vec::new());
        }
        let edges = self.links.edge_table();
        self.look("list", |table| chunks::top_entities(table, &edges, access.kind, limit))
    }

    fn words(&self, access: &Access, source: &CitedSource) -> Result<Option<String>> {
        if access.scope != self.scope {
            return Ok(None);
        }
        self.look("read", |table| chunks::words(table, access.kind, source))
    }

    fn extract_edges(&self) -> Result<u64> {
        let (mut all, mut after) = (0, 0);
        loop {
            let (added, last) = self.alter("extract edges in", |table| self.extract_next(table, after))?;
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

impl SqliteIndex {
    /// Extracts the edges of the next chunks; returns how many are new, and the last chunk.
    fn extract_next(&self, table: &Run<'_>, after: i64) -> Result<(u64, Option<i64>)> {
        let (mut added, mut last) = (0, None);
        for ChunkText { number, name, text, at } in chunks::chunks_after(table, after)? {
            last = Some(number);
            if let Some(name) = name {
                let put = self.links.put(table.connection, &name, (number, &text), &at);
                added += put.map_err(|error| fold(table.action, table.file, error))? as u64;
            }
        }
        Ok((added, last))
    }
}
