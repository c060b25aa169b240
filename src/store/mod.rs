//! What every memory store decides alike: how it is configured, what it takes in, and what its audit says.
//!
//! No backend and no files: a store that keeps these rules differs from another in where its rows stand, and in
//! nothing that a session could tell.

mod admit;
mod config;
mod deed;
mod edit;
pub(crate) mod fact;
pub(crate) mod forget;
mod shown;

pub(crate) use admit::main_only;
pub use config::StoreConfig;
pub(crate) use config::check_scope;
pub(crate) use deed::{Deed, refusal};
pub(crate) use edit::Edit;
pub(crate) use shown::{Veil, shown};

use crate::base::access::{Access, SessionKind};
use crate::base::name::{Name, StateName};
use crate::memory::MemoryId;

/// What a profile tells a session with others present. (seed 001, 3.2)
pub(crate) const SHARED_KEYS: [&str; 3] = ["name", "timezone", "language"];

/// Whether a session sees the rows of its human, or those alone that are shared. (seed 001, 4.1)
pub(crate) fn sees_all(access: &Access) -> bool {
    match access.kind {
        SessionKind::Main => true,
        SessionKind::Shared | SessionKind::Subagent | SessionKind::Scheduled => false,
    }
}

/// What errors call a learning that is not there yet.
pub(crate) fn learning_name() -> Name {
    StateName::new_row("learning").into()
}

/// What errors call a row: `memories/42`, or `a new memory`.
pub(crate) fn row_name(id: Option<MemoryId>) -> Name {
    match id {
        Some(id) => StateName::row("memories", id).into(),
        None => StateName::new_row("memory").into(),
    }
}
