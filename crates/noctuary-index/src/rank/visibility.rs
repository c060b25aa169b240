//! The rows that a search sees.

/// The rows that a search sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// All.
    All = 0,
    /// Shared rows.
    Shared = 1,
}

impl Visibility {
    /// Returns whether a row is in sight.
    #[must_use]
    pub fn sees(self, shared: bool) -> bool {
        shared || self == Self::All
    }
}

/// The number of neighbours in a conversation, to each side, that a row gives a score to.
pub const REACH: usize = 2;
