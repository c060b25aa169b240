//! The pages of an index in their table.

use rusqlite::{Connection, OptionalExtension};

use crate::search::postings::{Error, Pages, Result};

/// The pages of one index.
pub(super) struct StoredPages<'a> {
    pub(super) connection: &'a Connection,
    /// The number of the index in `memory_terms_state`.
    pub(super) index: i64,
}

impl Pages for StoredPages<'_> {
    fn read(&self, segment: u64, page: u32) -> Result<Vec<u8>> {
        let sql = "SELECT bytes FROM memory_terms_pages WHERE terms_id = ?1 AND segment = ?2 AND page = ?3";
        let mut statement = self.connection.prepare_cached(sql).map_err(Error::host)?;
        let key = (self.index, segment.cast_signed(), page);
        let bytes = statement.query_row(key, |found| found.get(0)).optional().map_err(Error::host)?;
        bytes.ok_or(Error::Damaged("a page is missing"))
    }

    fn write(&mut self, segment: u64, page: u32, bytes: &[u8]) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO memory_terms_pages (terms_id, segment, page, bytes) VALUES (?1, ?2, ?3, ?4)";
        let mut statement = self.connection.prepare_cached(sql).map_err(Error::host)?;
        statement.execute((self.index, segment.cast_signed(), page, bytes)).map_err(Error::host)?;
        Ok(())
    }

    fn remove(&mut self, segment: u64, page: u32) -> Result<()> {
        let sql = "DELETE FROM memory_terms_pages WHERE terms_id = ?1 AND segment = ?2 AND page = ?3";
        let mut statement = self.connection.prepare_cached(sql).map_err(Error::host)?;
        statement.execute((self.index, segment.cast_signed(), page)).map_err(Error::host)?;
        Ok(())
    }
}
