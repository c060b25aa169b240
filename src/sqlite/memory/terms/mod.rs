//! The word index of a scope, in tables beside its rows.
//!
//! Its pages have all rows up to an id, except rows changed since then. Triggers in plain SQL keep the old text of these
//! in `memory_terms_changed`, whoever changes them. Behind that id are few rows. They and the changes are in memory only,
//! and a new store reads them again. When they are many, a change makes pages of them. A search asks FTS5 if another
//! program left too many of them, and until all rows of an older file are in.

mod ask;
mod count;
mod held;
mod keep;
mod pages;
mod tables;
mod take;
#[cfg(test)]
mod tests;
mod verify;
mod wipe;
mod words;

pub(super) use held::Held;
pub(super) use tables::{TRIGGERS, are_older, distrust, make};
