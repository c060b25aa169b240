//! Stores of memories and facts: what they keep, find, decide and forget.

mod adopted;
#[cfg(feature = "sqlite")]
mod chains;
#[path = "../common/mod.rs"]
mod common;
mod delivered;
mod edges;
mod fact_model;
mod facts;
mod file_memory;
mod follow;
mod freshness;
#[cfg(feature = "http")]
mod http_embedder;
#[cfg(feature = "http")]
mod http_reranker;
mod learning;
mod learnings;
mod pages;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "http")]
#[path = "../common/scripted_server.rs"]
mod scripted_server;
mod store;
mod store_forget;
mod store_search;
mod stores;
mod terms;
mod vectors;
