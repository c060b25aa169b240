//! The word index of a scope, in tables beside its rows.
//!
//! A change of this library writes the rows that it adds into the index at once. All else that changes rows, an edit or
//! another program, leaves what the index has of them in `memory_terms_changed`, by triggers in plain SQL. The next change
//! takes that in. Until then, and until all rows of an older file are in, a search asks FTS5.

mod ask;
mod count;
mod held;
mod keep;
mod pages;
mod tables;
mod take;
mod verify;
mod wipe;

pub(super) use held::Held;
pub(super) use tables::{TRIGGERS, distrust, make};
