//! Imports, moves, and forgetting everywhere.

#[path = "../dreaming/mod.rs"]
mod dreaming;
mod feed;
mod forget;
mod importers;
