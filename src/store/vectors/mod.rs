//! Vectors of a store's rows: how they are filled, served and searched, for every backend that keeps them.
//!
//! A backend stores and lists: bytes under a row's id, by generations. The rest is here: the text of a row, the masks of text
//! for an embedder, and the check of its answer. So are the swap of generations, and the codes in memory for a search.

mod arm;
mod backend;
mod fill;
mod home;
mod meaning;
mod probe;
mod ready;
mod shelf;

pub(crate) use arm::{Arm, AskedVector, Meaning};
pub(crate) use backend::{
    Counts, Entry, FailedRow, MemoryVectors, Serving, Shelved, Sight, Since, VectorChanges, VectorRows,
};
pub(crate) use fill::{Fill, VectorHome};
pub(crate) use meaning::asks_for_meaning;
pub(crate) use shelf::Shelves;
