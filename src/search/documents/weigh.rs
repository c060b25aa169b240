//! Chunks in an order: by how well they fit a text, and by that and their meaning.

use std::collections::{BTreeSet, HashMap};

use super::result::{FoundChunks, SearchResult};
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::memory::Order;
use crate::search::rank::{
    Card, Frequencies, Fusion, GenericEntities, Near, Plan, Pool, Ranking, Search, fuse_lists, one_line,
};
use crate::search::vectors::Scored;

/// The most chunks by words that are fused with those by meaning.
pub(crate) const LISTED: usize = 200;
/// Maximum number of chunks with all words of a query that settle it.
const SETTLED: usize = 3;

/// A chunk that was read.
pub(crate) struct ReadChunk {
    pub(crate) number: i64,
    pub(crate) found: SearchResult,
    /// All words that it is found by.
    pub(crate) searched: String,
}

/// Ranks chunks by BM25. The frequencies are those of all chunks in sight, and are counted anew
/// where all chunks that have a word are here.
pub(crate) fn weigh(
    plan: &Plan,
    mut chunks: Vec<ReadChunk>,
    (mut frequencies, are_all): (Frequencies, bool),
    limit: usize,
) -> Vec<SearchResult> {
    // Ties: what comes first is the newest to the ranking.
    order::sort_by(&mut chunks, |one: &ReadChunk, other| {
        let (one, other) = (&one.found, &other.found);
        (&other.path, other.chunk_index).cmp(&(&one.path, one.chunk_index))
    });
    let mut pool = Pool::of(plan, &frequencies.looked_up());
    for (id, chunk) in (0..).zip(&chunks) {
        pool.take(&Card::of(id, &chunk.searched), None);
    }
    if are_all {
        frequencies.count(&pool);
    }
    let search = Search {
        pool: &pool,
        frequencies: &frequencies,
        ranking: &Ranking::rows_alone(),
        plan,
        entities: &GenericEntities,
    };
    let (_, ranked, _) = search.run(search.weigh(Order::Relevance, limit));
    let scored = ranked.into_iter().enumerate().filter_map(|(at, ranked)| {
        let ReadChunk { found, .. } = chunks.get(usize::try_from(ranked.id).unwrap_or(usize::MAX))?;
        let bm25_score = Some(ranked.strength / (1.0 + ranked.strength));
        Some(SearchResult { score: reciprocal(at), bm25_score, ..found.clone() })
    });
    scored.gather()
}

/// Returns the reciprocal rank of the place `at`, so that the first has 1.
pub(crate) fn reciprocal(at: usize) -> f64 {
    61.0 / (61.0 + f64::from(u32::try_from(at).unwrap_or(u32::MAX)))
}

/// Puts chunks by words and chunks by meaning into one order, best first; ties by path and place. `chunks` has those that are near,
/// by their numbers.
pub(crate) fn fuse(
    (text, fusion): (&str, Fusion),
    words: Vec<SearchResult>,
    near: &Near,
    mut chunks: HashMap<i64, SearchResult>,
    limit: usize,
) -> FoundChunks {
    let cosines: HashMap<i64, f64> = near.rows.iter().map(|row| (row.id, row.score)).collect();
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
    let (fused, _) = fuse_lists(&scored, near, &settled, fusion);
    let mut results: Vec<SearchResult> = fused
        .into_iter()
        .filter_map(|row| {
            let found = chunks.remove(&row.id)?;
            let vector_score = cosines.get(&row.id).map(|cosine| cosine.clamp(0.0, 1.0));
            Some(SearchResult { score: row.score.clamp(0.0, 1.0), vector_score, ..found })
        })
        .gather();
    order::sort_by(&mut results, |one, other| {
        let place = |found: &SearchResult| (found.path.clone(), found.chunk_index);
        other.score.total_cmp(&one.score).then_with(|| place(one).cmp(&place(other)))
    });
    results.truncate(limit);
    FoundChunks::by_words(text, results)
}
