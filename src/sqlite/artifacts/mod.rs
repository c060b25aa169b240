//! Artifacts inside one SQLite file, in the seed's table.

mod rows;
mod store;
pub(super) mod tables;

pub use store::SqliteArtifactStore;
