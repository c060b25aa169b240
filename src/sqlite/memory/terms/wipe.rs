//! How words of removed rows leave the tables of the index.

use rusqlite::Connection;

use super::held::Terms;
use crate::search::postings::Result;
use crate::sqlite::memory::table::Table;

impl Table<'_> {
    /// Takes the words of removed rows out of the pages of the index, and out of the record of changes.
    pub(in crate::sqlite::memory) fn wipe_terms(&self) -> rusqlite::Result<()> {
        let held = &mut *self.held.borrow_mut();
        self.keep(held, 0)?;
        let Some(terms) = held.terms.as_mut().filter(|terms| terms.holds_removed()) else { return Ok(()) };
        let condensed = terms.condense(self.connection);
        if self.settled(held, condensed)?.is_some()
            && let Some(terms) = &mut held.terms
        {
            self.save(terms)?;
        }
        Ok(())
    }
}

impl Terms {
    fn holds_removed(&self) -> bool {
        self.changed > self.changed_in_pages || self.partition.holds_removed()
    }

    fn condense(&mut self, connection: &Connection) -> Result<()> {
        let mut pages = self.pages(connection);
        self.partition.condense(&mut pages, 0)?;
        self.are_in_pages();
        Ok(())
    }
}
