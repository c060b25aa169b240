//! The word index of a scope, in tables beside its rows.
//!
//! Its pages have all rows up to an id, but for those that changed since: what they were is in `memory_terms_changed`, by
//! triggers in plain SQL, whoever changes them. Behind that id are few rows. They and the changes are in memory only, and
//! a store that begins reads them again. When they are many, a change makes pages of them. Where another program left more
//! of them than a search reads by the way, and until all rows of a file that was taken over are in, a search asks FTS5.

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
