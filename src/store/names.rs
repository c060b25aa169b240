//! Names of rows and learnings in errors.

use crate::base::name::{Name, StateName};
use crate::memory::MemoryId;

/// Returns the name of a new learning in errors.
pub(crate) fn learning_name() -> Name {
    StateName::new_row("learning").into()
}

/// Returns the name of a row in errors: `memories/42`, or `a new memory`.
pub(crate) fn row_name(id: Option<MemoryId>) -> Name {
    match id {
        Some(id) => StateName::row("memories", id).into(),
        None => StateName::new_row("memory").into(),
    }
}
