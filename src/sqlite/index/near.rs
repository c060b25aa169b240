//! Chunks by words and by meaning.

use std::collections::HashMap;

use rusqlite::params;

use super::search::{CHUNKS, DOCUMENTS, result, run};
use super::vectors::ChunkTable;
use crate::base::access::SessionKind;
use crate::base::error::Result;
use crate::search::documents::{Audience, FoundChunks, LISTED, SearchResult, fuse};
use crate::sqlite::vectors::{VectorTables, listed};
use crate::store::vectors::{Asked, Shelves, Sight};

/// Finds chunks by both, best first; ties by path and place.
pub(super) fn search(
    table: &ChunkTable<'_>,
    shelves: &Shelves,
    kind: SessionKind,
    text: &str,
    asked: &Asked,
    limit: usize,
) -> Result<FoundChunks> {
    let words = table.run(|| run(table.connection, table.scope, kind, text, LISTED.max(limit)))?;
    let sight = Sight(Audience::bit(kind));
    let near = asked.near(table, shelves, sight, table.count(sight)?, None)?;
    let near = match near {
        Ok(near) => near,
        Err(why) => {
            let mut words = words;
            words.truncate(limit);
            return Ok(FoundChunks::by_words(text, words).degraded(why));
        }
    };
    let ids: Vec<i64> = near.rows.iter().map(|row| row.id).collect();
    Ok(fuse(text, words, &near, table.chunks(kind, &ids)?, limit))
}

impl ChunkTable<'_> {
    /// Counts the chunks in sight.
    fn count(&self, sight: Sight) -> Result<u64> {
        let sql =
            format!("SELECT count(*) FROM {} m WHERE m.user_id = ?1 AND m.agent_id = ?2", Self::view(sight));
        self.run(|| {
            let count: i64 =
                self.connection.prepare_cached(&sql)?.query_row(self.owner(), |found| found.get(0))?;
            Ok(count.unsigned_abs())
        })
    }

    /// Reads chunks that a kind of session may read, by their numbers.
    fn chunks(&self, kind: SessionKind, ids: &[i64]) -> Result<HashMap<i64, SearchResult>> {
        let sql = format!(
            "SELECT {CHUNKS}, c.number FROM json_each(?1) r
             CROSS JOIN memory_chunks c ON c.number = r.value {DOCUMENTS}"
        );
        self.run(|| {
            let mut statement = self.connection.prepare_cached(&sql)?;
            let bound = params![listed(ids), self.scope.user, self.scope.agent, Audience::bit(kind)];
            let mut rows = statement.query(bound)?;
            let mut chunks = HashMap::new();
            while let Some(row) = rows.next()? {
                if let Some(found) = result(row)? {
                    chunks.insert(row.get(7)?, found);
                }
            }
            Ok(chunks)
        })
    }
}
