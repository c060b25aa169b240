//! Homes inside one SQLite file: a workspace, a memory store and an index of documents.
//!
//! [`workspace`] has its rows in [`documents`] and its right to write in [`lease`]; [`memory`] and [`index`] are the other
//! two. All open their file in [`open`], which brings it to the newest [`schema`] and shares one connection, the
//! [`database`].

mod artifacts;
mod backup;
mod columns;
mod commits;
mod database;
mod documents;
mod driver;
mod edges;
mod erase;
mod error;
#[cfg(feature = "doctor")]
mod examine;
mod home;
mod index;
#[cfg(feature = "encryption")]
mod key;
mod lease;
mod memory;
#[cfg(feature = "doctor")]
mod mending;
mod open;
mod removals;
mod schema;
mod scoped;
mod tables;
mod vectors;
mod words;
mod workspace;

#[cfg(feature = "artifacts")]
pub use artifacts::SqliteArtifactStore;
#[cfg(feature = "doctor")]
pub(crate) use examine::Copied;
pub use index::SqliteIndex;
pub use memory::SqliteMemoryStore;
pub use workspace::SqliteWorkspace;
