//! Statements that both databases run: each is written once, and so is the reading of its rows.
//!
//! A [`Driver`] is a database inside one transaction, as one scope sees it. It runs a statement with its values, and gives rows as
//! [`Columns`]. Few words differ between the two databases: they are in a [`Dialect`]. No statement is put together here but of such
//! words: a plan that was fitted to one database stays with that one.

#[cfg(feature = "artifacts")]
pub(crate) mod artifacts;
pub(crate) mod chunks;
mod columns;
mod dialect;
mod driver;
pub(crate) mod memory;
mod param;
pub(crate) mod vectors;

pub(crate) use columns::Columns;
pub(crate) use dialect::Dialect;
pub(crate) use driver::{Driver, DriverExt, read_count, read_number, read_numbers, read_text};
pub(crate) use param::{Param, params, word};
