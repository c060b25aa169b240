//! A memory store inside one SQLite file, in the tables of the third seed.

mod backend;
mod beside;
mod driver;
mod echoes;
mod edges;
mod engine;
mod forget;
#[cfg(feature = "doctor")]
mod mend;
pub(super) mod mirror;
pub(super) mod practice;
mod row;
mod saying;
mod search;
mod store;
mod table;
pub(super) mod tables;
mod terms;
mod vectors;

pub use store::SqliteMemoryStore;
