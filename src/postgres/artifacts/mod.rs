//! Artifacts on a PostgreSQL server.

#[cfg(feature = "artifacts")]
mod rows;
#[cfg(feature = "artifacts")]
mod store;
pub(super) mod tables;

#[cfg(feature = "artifacts")]
pub use store::PostgresArtifactStore;
