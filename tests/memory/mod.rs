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
mod groups;
mod http_embedder;
mod http_reranker;
mod inflected;
mod layers;
mod learned;
mod learning;
mod learnings;
mod minara;
mod pages;
mod renewed;
mod scripts;
mod store;
mod store_forget;
mod store_search;
mod stores;
mod terms;
mod values;
mod vectors;
mod weeks;
mod year;

use std::path::Path;
use std::sync::Arc;

use noctuary::{MemoryStore, Scope};
use noctuary_tests::common::marta::marta;

/// Marta's rows in a folder: in files, in a database, or on the server, by the number of a backend.
fn opened(backend: usize, folder: &Path) -> Arc<dyn MemoryStore> {
    opened_for(backend, folder, marta())
}

/// The rows of a scope in a folder, as [`opened`] opens them.
fn opened_for(backend: usize, folder: &Path, scope: Scope) -> Arc<dyn MemoryStore> {
    noctuary_tests::open_store!(backend, folder, scope)
}
