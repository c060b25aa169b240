//! The bounds of what one answer adds.

/// The bounds of a section. A bullet beyond them is left out whole, and reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SectionCaps {
    /// The most bullets. 50.
    pub items: usize,
    /// The most characters of a bullet, its citation included. 500.
    pub item_chars: usize,
    /// The most bytes of all bullets together. 8 KiB.
    pub bytes: usize,
}

impl SectionCaps {
    /// Sets all three.
    #[must_use]
    pub fn new(items: usize, item_chars: usize, bytes: usize) -> Self {
        Self { items, item_chars, bytes }
    }
}

impl Default for SectionCaps {
    fn default() -> Self {
        Self { items: 50, item_chars: 500, bytes: 8 << 10 }
    }
}
