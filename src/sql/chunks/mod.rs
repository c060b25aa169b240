//! Chunks of documents, as an index in either database has them: searched, with their edges, and what was seen of each document.

mod driver;
mod edges;
mod search;
mod seen;

pub(crate) use driver::{ChunkDriver, InSight, in_sight};
pub(crate) use edges::{
    ChunkText, EdgeTable, chunks_after, edges_of_chunk, neighborhood, top_entities, words,
};
pub(crate) use search::ChunkSearch;
pub(crate) use seen::{all_seen, nanos, seen_of};
