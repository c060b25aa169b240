//! The rows that a search found.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::row::Memory;

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// The certainty of the result.
    pub outcome: SearchOutcome,
    /// The rows, best first.
    pub hits: Vec<Hit>,
}

impl Found {
    /// Rows that were found, best first.
    #[must_use]
    pub fn new(outcome: SearchOutcome, hits: Vec<Hit>) -> Self {
        Self { outcome, hits }
    }

    /// Makes a result without rows.
    #[must_use]
    pub fn nothing() -> Self {
        Self { outcome: SearchOutcome::Empty, hits: Vec::new() }
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
    /// An arm of the search failed; what the others found.
    Degraded,
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
}

impl Hit {
    /// Makes a row of a store.
    #[must_use]
    pub fn new(memory: Memory, score: f64, why: Vec<(Signal, usize)>) -> Self {
        Self { memory, score, why }
    }
}

/// A ranking that a row is in. Prints as its word: `row`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Signal {
    /// Its own words.
    Row,
    /// The rows beside it in its conversation.
    Neighbours,
    /// Its conversation as a whole.
    Conversation,
    /// It says later what an older row says too, and that went behind it: with the rank that it had.
    Newer,
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Row => "row",
            Self::Neighbours => "neighbours",
            Self::Conversation => "conversation",
            Self::Newer => "newer",
        })
    }
}
