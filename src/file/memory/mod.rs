//! A memory store in one file of lines that a person can read: every change adds one.
//!
//! The lines alone count. Held in memory is what finds them. A table beside the file saves reading them all again, and
//! may be removed at any time. So may the vectors beside it, where a host brings an embedder: its rows wait for them
//! again.

mod append;
mod apply;
mod ask;
mod audit;
mod backend;
mod change;
mod checkpoint;
mod edges;
mod engine;
mod entry;
#[cfg(feature = "doctor")]
mod examine;
mod facts;
mod keeper;
mod learnings;
mod lines;
mod linked;
mod moved;
mod names;
mod pages;
mod practice;
mod practised;
mod prefix;
mod reader;
mod record;
mod rewrite;
mod row;
mod rows;
mod search;
mod span;
mod statements;
mod store;
mod table;
#[cfg(test)]
mod tests;
mod vectors;
mod words;

pub use store::FileMemoryStore;
