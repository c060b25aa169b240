//! Chunks by words and by meaning.

use std::collections::{BTreeSet, HashMap};

use rusqlite::params;

use super::SqliteIndex;
use super::search::{CHUNKS, DOCUMENTS, result, run};
use super::vectors::ChunkTable;
use crate::base::access::SessionKind;
use crate::base::error::Result;
use crate::search::documents::{Audience, FoundChunks, SearchResult};
use crate::search::rank::{Plan, fuse_lists, one_line};
use crate::search::vectors::Scored;
use crate::sqlite::vectors::{VectorTables, listed};
use crate::store::vectors::{Asked, Sight};

/// So many chunks by words are fused.
const LISTED: usize = 200;
/// A chunk with all words of a query settles it, where no more have all of them.
const SETTLED: usize = 3;

/// Finds chunks by both, best first; ties by path and place.
pub(super) fn search(
    index: &SqliteIndex,
    kind: SessionKind,
    text: &str,
    asked: &Asked,
    limit: usize,
) -> Result<FoundChunks> {
    index.look("search", |table| {
        let words = table.run(|| run(table.connection, table.scope, kind, text, LISTED.max(limit)))?;
        let sight = Sight(Audience::bit(kind));
        let near = asked.near(table, &index.shelves, sight, table.count(sight)?, None)?;
        let near = match near {
            Ok(near) => near,
            Err(why) => {
                let mut words = words;
                words.truncate(limit);
                return Ok(FoundChunks::by_words(text, words).degraded(why));
            }
        };
        let cosines: HashMap<i64, f64> = near.rows.iter().map(|row| (row.id, row.score)).collect();
        let ids: Vec<i64> = near.rows.iter().map(|row| row.id).collect();
        let mut chunks = table.chunks(kind, &ids)?;
        let numbers: HashMap<String, i64> =
            chunks.iter().map(|(number, found)| (found.chunk_id.clone(), *number)).collect();
        let mut scored = Vec::with_capacity(words.len());
        // A chunk that is not near has a number that no chunk has.
        for (other, found) in (1..).zip(words) {
            let number = numbers.get(&found.chunk_id).copied().unwrap_or(-other);
            let share = found.bm25_score.unwrap_or(0.0).min(0.999_999);
            scored.push(Scored { id: number, score: share / (1.0 - share) });
            chunks.insert(number, found);
        }
        let plan = Plan::of(&one_line(text), false);
        let has_all =
            |row: &&Scored| chunks.get(&row.id).is_some_and(|found| plan.share_in(&found.content) >= 1.0);
        let settled: BTreeSet<i64> = scored.iter().filter(has_all).map(|row| row.id).collect();
        let settled = if settled.len() <= SETTLED { settled } else { BTreeSet::new() };
        let (fused, _) = fuse_lists(&scored, &near, &settled);
        let mut results: Vec<SearchResult> = fused
            .into_iter()
            .filter_map(|row| {
                let found = chunks.remove(&row.id)?;
                let vector_score = cosines.get(&row.id).map(|cosine| cosine.clamp(0.0, 1.0));
                Some(SearchResult { score: row.score.clamp(0.0, 1.0), vector_score, ..found })
            })
            .collect();
        results.sort_by(|one, other| {
            let place = |found: &SearchResult| (found.path.clone(), found.chunk_index);
            other.score.total_cmp(&one.score).then_with(|| place(one).cmp(&place(other)))
        });
        results.truncate(limit);
        Ok(FoundChunks::by_words(text, results))
    })
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
