//! What errors call rows and learnings.

use crate::base::name::{Name, StateName};
use crate::memory::MemoryId;

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
