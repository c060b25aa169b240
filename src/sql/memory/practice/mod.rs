//! The learning loop.

mod changes;
mod rows;

#[cfg(feature = "sqlite")]
pub(crate) use rows::notes;
