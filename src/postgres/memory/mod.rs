//! A memory store on a PostgreSQL server, in the tables of the third seed.

mod backend;
mod beside;
mod cards;
mod driver;
mod echoes;
mod edges;
mod engine;
#[cfg(feature = "doctor")]
mod examine;
mod forget;
mod lists;
mod search;
mod state;
mod store;
mod table;
mod tables;
mod terms;
mod vectors;

#[cfg(feature = "artifacts")]
pub(super) use state::by_chance;
pub use store::PostgresMemoryStore;
pub(super) use tables::TABLES;
