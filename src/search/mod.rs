//! Finding: the ranking over words, and the contract of an index of documents.

pub(crate) mod documents;
pub(crate) mod rank;

pub use documents::{
    Audience, Chunk, ChunkConfig, DocumentIndex, IndexChange, IndexEntry, SearchResult, SeenDocument,
};
pub use rank::{Entities, FinanceEntities, Fusion, GenericEntities, Ranking};
