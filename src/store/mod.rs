//! What every memory store decides alike: how it is configured, what it takes in, and what its audit says.
//!
//! No backend and no files: a store that keeps these rules differs from another in where its rows stand, and in
//! nothing that a session could tell.

mod admit;
pub(crate) mod backend;
mod config;
mod decide;
mod edit;
pub(crate) mod event;
pub(crate) mod fact;
pub(crate) mod forget;
pub(crate) mod forward;
mod history;
mod mask;
mod names;
mod operation;
pub(crate) mod search;
mod settle;
mod sight;
#[expect(clippy::module_inception, reason = "the store is what this room is about")]
mod store;
mod suspects;

pub use config::StoreConfig;
pub(crate) use config::check_scope;
pub(crate) use edit::Edit;
pub(crate) use mask::{Veil, masked};
pub(crate) use names::row_name;
pub(crate) use store::Store;
