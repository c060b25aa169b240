//! Stores of memories and facts: what they keep, find, decide and forget.

#[path = "../common/mod.rs"]
mod common;
mod fact_model;
mod facts;
mod file_memory;
mod freshness;
mod learnings;
mod store;
mod store_forget;
mod store_search;
mod stores;
mod terms;
mod vectors;
