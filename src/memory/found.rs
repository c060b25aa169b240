//! The rows that a search found.

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
    /// Why it was found: each list that it is in, with its rank from 1; and `newer`, with the rank that it had, where it
    /// was brought before an older row that answers the same.
    pub why: Vec<(&'static str, usize)>,
}

impl Hit {
    /// Makes a row of a store.
    #[must_use]
    pub fn new(memory: Memory, score: f64, why: Vec<(&'static str, usize)>) -> Self {
        Self { memory, score, why }
    }
}
