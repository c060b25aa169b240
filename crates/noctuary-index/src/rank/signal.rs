//! The rankings that a row is in.

use std::fmt;

use serde::{Deserialize, Serialize};

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
    /// Its meaning, by its vector and those of the rows around it.
    Meaning,
    /// It says an older row anew, and went up before it. The rank is its earlier one.
    Newer,
    /// The words of its key.
    Key,
    /// The words of a retired row that it replaced.
    Successor,
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Row => "row",
            Self::Neighbours => "neighbours",
            Self::Conversation => "conversation",
            Self::Meaning => "meaning",
            Self::Newer => "newer",
            Self::Key => "key",
            Self::Successor => "successor",
        })
    }
}
