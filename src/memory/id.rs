//! The id of a row.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The id of a row: positive, never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryId(i64);

impl MemoryId {
    /// Makes an id of a store.
    #[must_use]
    pub fn new(id: i64) -> Self {
        Self(id)
    }

    /// Returns the number.
    #[must_use]
    pub fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
