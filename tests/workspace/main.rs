//! Homes of documents: a folder, a SQLite file, what guards them, who holds them, and how they are searched.

#[path = "../common/mod.rs"]
mod common;
mod file_workspace;
mod guarded;
mod homes;
mod index;
mod index_edges;
#[cfg(feature = "sqlite")]
mod index_homes;
#[cfg(all(feature = "sqlite", feature = "postgres"))]
mod index_postgres;
#[cfg(feature = "sqlite")]
mod index_vectors;
mod lease;
mod lives;
#[cfg(feature = "postgres")]
mod postgres;
mod sqlite;
