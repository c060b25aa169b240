//! Vectors: their bytes, the nearest of them, and one order out of words and vectors. No backend, no files.
//!
//! A row keeps one blob ([`encode`]). In memory a row costs one bit a dimension, its id and its place.
//! A search narrows down in three steps, so that few blobs are read:
//!
//! 1. the nearest few thousand rows by the number of different bits;
//! 2. of these the best few hundred, by the query's own numbers against the bits;
//! 3. of these the best, by the exact product of query and blob.
//!
//! Few rows are compared exactly at once. All sums are of whole numbers, so every machine finds the same rows in
//! the same order. Among equal rows the greater id is first.
//!
//! Fusion (`weighted`, `by_ranks`, `keep_first`) takes lists of ids and scores and knows nothing else.

mod answer;
mod centre;
mod codes;
mod dimensions;
mod encoding;
mod error;
mod fusion;
mod nearest;
mod query;
mod sample;
mod search;
#[cfg(test)]
mod tests;
mod unit;

pub use answer::check_answer;
pub use centre::Centre;
pub use codes::Codes;
pub use dimensions::Dimensions;
pub use encoding::{Encoded, encode};
pub use error::{AnswerError, VectorError};
pub use fusion::Scored;
pub(crate) use fusion::{by_ranks, keep_first, weighted};
pub use query::VectorQuery;
#[cfg(test)]
use search::Effort;
pub use search::{Found, Spread, Wanted};
pub use unit::Unit;
