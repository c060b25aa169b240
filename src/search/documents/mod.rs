//! Finding documents: the contract of an index, and the chunks that documents are cut into.

mod audience;
mod chunk;
mod index;
mod result;
mod separators;
mod structure;

pub use audience::Audience;
pub use chunk::{Chunk, ChunkConfig};
pub use index::{DocumentIndex, IndexChange, IndexEntry, SeenDocument};
pub use result::{FoundChunks, SearchResult};
