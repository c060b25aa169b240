//! A word that is looked for.

/// A word that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The form in an index.
    pub stem: String,
    /// As it is written, folded.
    pub written: String,
}
