//! Chunks by words and by meaning.

use std::collections::HashMap;

use rusqlite::params;

use super::search::{CHUNKS, DOCUMENTS, result, run};
use crate::base::access::{Scope, SessionKind};
use crate::base::error::Result;
use crate::search::documents::{Audience, FoundChunks, LISTED, SearchResult, fuse};
use crate::search::rank::Ranking;
use crate::search::vectors::Wanted;
use crate::sql::vectors::count;
use crate::sqlite::driver::Run;
use crate::store::vectors::{AskedVector, Shelves, Sight};

/// Finds chunks by both, best first; ties by path and place.
pub(super) fn search(
    table: &Run<'_>,
    scope: &Scope,
    shelves: &Shelves,
    kind: SessionKind,
    text: &str,
    (asked, ranking): (&AskedVector, &Ranking),
    limit: usize,
) -> Result<FoundChunks> {
    let words = table.folded(|| run(table.connection, scope, kind, text, LISTED.max(limit)))?;
    let sight = Sight(Audience::bit(kind));
    let near = asked.near(
        table,
        shelves,
        sight,
        count(table, Some(sight))?,
        &Wanted::new(ranking.nearest.max(1)),
    )?;
    let near = match near {
        Ok(near) => near,
        Err(why) => {
            let mut words = words;
            words.truncate(limit);
            return Ok(FoundChunks::by_words(text, words).degraded(why));
        }
    };
    let ids: Vec<i64> = near.rows.iter().map(|row| row.id).collect();
    Ok(fuse((text, ranking.fusion), words, &near, chunks(table, kind, &ids)?, limit))
}

/// Reads chunks that a kind of session may read, by their numbers.
fn chunks(table: &Run<'_>, kind: SessionKind, ids: &[i64]) -> Result<HashMap<i64, SearchResult>> {
    let sql = format!(
        "SELECT {CHUNKS}, c.number FROM json_each(?1) r
         CROSS JOIN memory_chunks c ON c.number = r.value {DOCUMENTS}"
    );
    let ids = serde_json::to_string(ids).expect("numbers are always JSON");
    table.folded(|| {
        let mut statement = table.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![ids, table.user, table.agent, Audience::bit(kind)])?;
        let mut chunks = HashMap::new();
        while let Some(row) = rows.next()? {
            if let Some(found) = result(row)? {
                chunks.insert(row.get(7)?, found);
            }
        }
        Ok(chunks)
    })
}
