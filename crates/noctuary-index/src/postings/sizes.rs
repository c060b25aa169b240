//! How much is written at once.

/// The sizes of writes. An index that is read may have any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// Number of changes that make a segment, unless its keeper wants more of them.
    pub(crate) tail: usize,
    /// Number of segments that are merged into one.
    pub(crate) fan: usize,
    /// Maximum number of postings in a block.
    pub(crate) block: usize,
    /// A page is closed before it has more bytes, unless one entry alone has more: two pages of SQLite hold it.
    pub(crate) page: usize,
    /// Number of entries of a page after which one has its term whole.
    pub(crate) apart: usize,
    /// Number of pages in a page of a directory.
    pub(crate) chunk: usize,
}

impl Sizes {
    /// The sizes of a store.
    const USUAL: Self = Self { tail: 512, fan: 8, block: 128, page: 8_000, apart: 16, chunk: 64 };
    /// The sizes of tests: a few rows cross all bounds.
    pub(crate) const SMALL: Self = Self { tail: 16, fan: 4, block: 8, page: 256, apart: 4, chunk: 8 };
}

impl Default for Sizes {
    fn default() -> Self {
        if cfg!(test) { Self::SMALL } else { Self::USUAL }
    }
}
