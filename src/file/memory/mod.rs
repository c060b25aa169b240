//! A memory store in one file of lines that a person can read: every change adds one, and the index is in memory.

mod backend;
mod change;
mod facts;
mod learnings;
mod lines;
mod record;
mod row;
mod rows;
mod search;
mod store;
mod table;

pub use store::FileMemoryStore;
