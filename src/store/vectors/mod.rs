//! Vectors of a store's rows: how they are filled, served and searched, for every backend that keeps them.
//!
//! A backend stores and lists: bytes under a row's id, by generations. What a text is, what leaves for an embedder, what of
//! its answer is kept, when a generation serves, and what is in memory for a search, stands here.

mod arm;
mod backend;
mod fill;
mod meaning;
mod ready;
mod shelf;

pub(crate) use arm::Arm;
pub(crate) use backend::{Counts, Entry, FailedRow, Serving, Shelved, Since, VectorChanges, VectorRows};
pub(crate) use meaning::asks_for_meaning;
pub(crate) use shelf::Shelves;
