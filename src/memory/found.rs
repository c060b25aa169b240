//! The rows that a search found.

use std::fmt;
use std::ops::Range;

use noctuary_index::rank::{Shares, Signal};
use serde::{Deserialize, Serialize};

use super::id::MemoryId;
use super::row::Memory;
use super::stale::Stale;
use crate::base::text;

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The certainty of the result.
    pub outcome: SearchOutcome,
    /// The rows, best first.
    pub hits: Vec<Hit>,
    /// The shares of words and of meaning in the scores; `None` where words alone count.
    pub shares: Option<Shares>,
}

impl Found {
    /// Rows that were found, best first.
    #[must_use]
    pub fn new(outcome: SearchOutcome, hits: Vec<Hit>) -> Self {
        Self { outcome, hits, shares: None }
    }

    /// Makes a result without rows.
    #[must_use]
    pub fn nothing() -> Self {
        Self { outcome: SearchOutcome::Empty, hits: Vec::new(), shares: None }
    }
}

/// The certainty of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SearchOutcome {
    /// Rows that fit well.
    Hit,
    /// Rows that share little with the query.
    Weak,
    /// Nothing.
    Empty,
    /// A part of the search was left out: the rows are those of the others.
    Degraded(Degraded),
}

/// The part of a search that was left out, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Degraded {
    /// There is an embedder, and the store has no vectors of it.
    Missing,
    /// The embedder gave no vector for the query, or the store could not read its own.
    Failed,
    /// Too many rows wait for their vectors still.
    HalfFilled {
        /// The rows that have one.
        embedded: u64,
        /// All rows that need one.
        of: u64,
    },
    /// The vectors that serve are of another generation.
    OtherGeneration,
    /// The reranker gave no scores: the rows keep their order.
    NotReranked,
}

impl fmt::Display for Degraded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("no vectors of this embedder"),
            Self::Failed => f.write_str("no vector for the query"),
            Self::HalfFilled { embedded, of } => write!(f, "{embedded} of {of} rows have a vector"),
            Self::OtherGeneration => f.write_str("the vectors are of another embedder"),
            Self::NotReranked => f.write_str("no scores of the reranker"),
        }
    }
}

/// A row that was found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Hit {
    /// The row.
    pub memory: Memory,
    /// The fit: 1 for the first row of all lists. Compares within one result only.
    pub score: f64,
    /// Why it was found: each signal that speaks for it, with the rank there from 1.
    pub why: Vec<(Signal, usize)>,
    /// The way by which it was reached.
    pub reached: Reached,
    /// Why it may be out of date; empty where nothing says so.
    pub stale: Vec<Stale>,
    /// The bytes of the sentence in its content that has the most words of the query, the first of equals. `None` where
    /// it has none, such as a row that was found by its meaning, its speaker or its day.
    pub span: Option<Range<usize>>,
}

/// The way by which a search reached a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reached {
    /// Its own words or meaning, or those beside it.
    #[default]
    Words,
    /// The words of its key: its subject, or the property that it states.
    Key,
    /// The words of this retired row, which it replaced: at once, or by others in between.
    Retired(MemoryId),
}

impl Hit {
    /// Makes a row of a store.
    #[must_use]
    pub fn new(memory: Memory, score: f64, why: Vec<(Signal, usize)>) -> Self {
        Self { memory, score, why, reached: Reached::Words, stale: Vec::new(), span: None }
    }

    /// Returns the sentence that was found with the sentences beside it, up to a limit in bytes and in whole graphemes.
    /// The beginning of the content where there is no [`span`](Self::span).
    #[must_use]
    pub fn excerpt(&self, most: usize) -> &str {
        text::excerpt(&self.memory.content, self.span.as_ref(), most)
    }
}
