//! Artifacts on a PostgreSQL server.

mod rows;
mod store;
pub(super) mod tables;

pub use store::PostgresArtifactStore;
