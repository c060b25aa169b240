//! The order in which rows are found.

/// The order of the found rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The best first.
    #[default]
    Relevance,
    /// The most recently touched first.
    Recency,
}
