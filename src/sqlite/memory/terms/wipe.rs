//! How words of removed rows leave the tables of the index.

use crate::search::postings::error::Result;
use crate::sqlite::memory::table::Table;

use super::held::Terms;

impl Table<'_> {
    /// Takes the words of removed rows out of the pages and the log of the index.
    pub(in crate::sqlite::memory) fn wipe_terms(&self) -> rusqlite::Result<()> {
        let held = &mut *self.held.borrow_mut();
        self.take_all_changed(held)?;
        let Some(terms) = held.terms.as_mut().filter(|terms| terms.partition.holds_removed()) else {
            return Ok(());
        };
        let condensed = terms.condense(self.connection);
        if self.settled(held, condensed)?.is_some()
            && let Some(terms) = &mut held.terms
        {
            terms.save(self.connection)?;
        }
        Ok(())
    }
}

impl Terms {
    fn condense(&mut self, connection: &rusqlite::Connection) -> Result<()> {
        let mut pages = self.pages(connection);
        self.is_unsaved = true;
        self.partition.condense(&mut pages, 0)
    }
}
