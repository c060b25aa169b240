//! Names of rows, learnings and methods in errors.

use crate::base::name::{Name, StateName};
use crate::learning::{MethodId, PreferenceId, RoleNoteId};
use crate::memory::MemoryId;

/// Returns the name of a method in errors: `methods/3`.
pub(crate) fn method_name(id: MethodId) -> Name {
    StateName::row("methods", id).into()
}

/// Returns the name of a new method in errors.
pub(crate) fn new_method_name() -> Name {
    StateName::new_row("method").into()
}

/// Returns the name of a preference in errors: `preferences/3`.
pub(crate) fn preference_name(id: PreferenceId) -> Name {
    StateName::row("preferences", id).into()
}

/// Returns the name of a new preference in errors.
pub(crate) fn new_preference_name() -> Name {
    StateName::new_row("preference").into()
}

/// Returns the name of a note of a role in errors: `role_memory/3`.
pub(crate) fn note_name(id: RoleNoteId) -> Name {
    StateName::row("role_memory", id).into()
}

/// Returns the name of a new note of a role in errors.
pub(crate) fn new_note_name() -> Name {
    StateName::new_row("note").into()
}

/// Returns the name of an outcome in errors.
pub(crate) fn outcome_name() -> Name {
    StateName::new_row("outcome").into()
}

/// Returns the name of a new learning in errors.
pub(crate) fn learning_name() -> Name {
    StateName::new_row("learning").into()
}

/// Returns the name of a row in errors: `memories/42`, or `a new memory`.
pub(crate) fn row_name(id: Option<MemoryId>) -> Name {
    match id {
        Some(id) => id.name(),
        None => StateName::new_row("memory").into(),
    }
}
