//! The word index of a store: which rows have a term, in pages that are written in bounded steps.
//!
//! A [`Partition`] has the rows of one scope. Its keeper has the pages, the log and the manifest.

pub(crate) mod best;
pub mod bits;
mod block;
mod bound;
mod condense;
mod cursor;
mod directory;
pub(crate) mod error;
mod fulfil;
mod latest;
mod lists;
mod manifest;
mod merge;
mod page;
pub(crate) mod pages;
pub(crate) mod partition;
mod posting;
pub(crate) mod query;
#[cfg(test)]
mod record;
pub(crate) mod row;
mod run;
pub(crate) mod scan;
mod search;
mod segment;
mod sizes;
mod tail;
#[cfg(test)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "numbers of tests are small"
)]
mod tests;
mod upkeep;
mod writer;

pub use best::Hit;
pub use error::{Error, Result};
pub use pages::{DIRECTORY, Pages};
pub use partition::Partition;
pub use query::{Asked, Gain, Query};
pub use row::{Row, Totals, with_terms};
pub use scan::Having;
