//! The learning loop.

mod changes;
mod rows;

pub(crate) use rows::notes;
