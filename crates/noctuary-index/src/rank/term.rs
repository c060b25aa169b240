//! A word that is looked for.

use super::language::STEM;

/// A word that is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// The form in an index.
    pub stem: String,
    /// As it is written, folded.
    pub written: String,
}

impl Term {
    /// Returns whether it is the stem of a word in a language other than English: another term is the word itself.
    #[must_use]
    pub fn is_stem(&self) -> bool {
        self.stem.starts_with(STEM)
    }

    /// Returns how an index that stems English words itself is asked for it.
    #[must_use]
    pub fn asked(&self) -> &str {
        if self.is_stem() { &self.stem } else { &self.written }
    }
}
