//! Homes of documents: a folder, a SQLite file, what guards them, who holds them, and how they are searched.

mod file_workspace;
mod guarded;
mod homes;
mod index;
mod index_edges;
pub(crate) mod index_homes;
mod index_vectors;
mod lease;
mod lives;
mod sqlite;
