//! Stores of memories and facts: what they keep, find, decide and forget.

mod adopted;
mod chains;
mod cited;
mod delivered;
mod edges;
mod fact_model;
mod facts;
mod file_memory;
mod follow;
mod found;
mod freshness;
mod http_embedder;
mod http_reranker;
mod inflected;
mod learned;
mod learning;
mod learnings;
mod pages;
mod renewed;
mod scripts;
mod store;
mod store_forget;
mod store_search;
mod stores;
mod terms;
mod vectors;
