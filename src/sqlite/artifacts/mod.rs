//! Artifacts inside one SQLite file, in the seed's table.

#[cfg(feature = "artifacts")]
mod rows;
#[cfg(feature = "artifacts")]
mod store;
pub(super) mod tables;

#[cfg(feature = "artifacts")]
pub use store::SqliteArtifactStore;
