//! Finding documents: the contract of an index, and the chunks that documents are cut into.

mod audience;
mod chunk;
mod index;
mod result;
mod separators;
mod structure;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod weigh;

pub use audience::Audience;
pub use chunk::{Chunk, ChunkConfig};
pub use index::{DocumentIndex, IndexChange, IndexEntry, SeenDocument};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use result::mark_found;
pub(crate) use result::words_of_name;
pub use result::{FoundChunks, SearchResult};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) use weigh::{LISTED, ReadChunk, fuse, reciprocal, weigh};
