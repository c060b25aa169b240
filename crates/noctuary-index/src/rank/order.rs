//! The order in which rows are found.

/// In which order rows are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The best first.
    #[default]
    Relevance,
    /// The most recently touched first.
    Recency,
}
