//! Pages that are dropped when a statement is forgotten.

use super::Pages;
use crate::exchange::{Forget, Kept};

impl Kept for Pages {
    fn clear(&self) -> u64 {
        Pages::clear(self)
    }
}

impl<'a> Forget<'a> {
    /// Sets the pages that are dropped from memory.
    #[cfg_attr(docsrs, doc(cfg(feature = "pages")))]
    pub fn pages(mut self, pages: &'a Pages) -> Self {
        self.pages = Some(pages);
        self
    }
}
