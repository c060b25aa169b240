//! Search: an index over documents, and the ranking of rows.
//!
//! ```
//! # #[cfg(feature = "sqlite")] {
//! use chrono::Utc;
//! use noctuary::life::Indexed;
//! use noctuary::{Access, DocName, FileWorkspace, Scope, SqliteIndex, Workspace};
//!
//! # let folder = tempfile::tempdir()?;
//! let index = SqliteIndex::open_in_memory(Scope::user("marta"))?; // or a file outside of the workspace
//! let life = Indexed::new(FileWorkspace::open(folder.path())?, index);
//! life.append(&DocName::MEMORY, b"- Releases go out on Fridays.\n")?; // found at once
//! life.sync(Utc::now())?; // finds edits by other programs
//! let marta = Access::agent(Scope::user("marta"));
//! let found = life.search(&marta, "when are the releases", 5)?.results;
//! assert_eq!(found[0].path.as_str(), "MEMORY.md");
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | Name | Use |
//! |---|---|
//! | [`Indexed`](crate::life::Indexed) | a workspace with its index; a session searches here |
//! | `SqliteIndex` | the index that ships (feature `sqlite`) |
//! | [`FoundChunks`], [`SearchResult`] | the result of a search, and a passage that was found |
//! | [`ChunkConfig`], [`Chunk`] | how documents are cut |
//! | [`Ranking`], [`Fusion`] | weights for rows of a memory store |
//! | [`Entities`], [`GenericEntities`] | names and identifiers in a text |
//! | [`DocumentIndex`], [`IndexChange`], [`IndexEntry`], [`SeenDocument`], [`Audience`] | the contract for an index of your own |
//!
//! # Limits
//!
//! - Search is by words, unless the host brings an [embedder](crate::vectors): a question that shares no word with its answer may find nothing.
//! - In a folder, only this library's documents are looked for. Declare others by [`Reach`](crate::workspace::Reach).
//! - An edit of the same length within one tick of the file system's clock is missed until a rebuild.
//! - Keep the index file outside of the workspace's folder.
//!
//! The manual has [what is indexed and who finds it](crate::manual::search).

mod card;
pub(crate) mod documents;

pub(crate) use card::with_card;
pub use documents::{
    Audience, Chunk, ChunkConfig, DocumentIndex, FoundChunks, IndexChange, IndexEntry, SearchResult,
    SeenDocument,
};
#[doc(inline)]
pub use noctuary_index::rank::{Entities, Fusion, GenericEntities, Ranking};
pub(crate) use noctuary_index::{postings, rank, vectors};
