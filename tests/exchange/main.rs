//! What comes from elsewhere, moves elsewhere, and is forgotten everywhere.

#[path = "../dreaming/mod.rs"]
mod dreaming;
mod feed;
mod forget;
mod importers;
