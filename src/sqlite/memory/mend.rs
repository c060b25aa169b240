//! Changes of a store under the rules of a doctor: no statement changes or removes a row.

use super::SqliteMemoryStore;
use crate::base::error::Result;
use crate::sqlite::mending::mend;

impl SqliteMemoryStore {
    /// Returns whether another version of this library made the words of the rows.
    pub(in crate::sqlite) fn are_words_older(connection: &rusqlite::Connection) -> rusqlite::Result<bool> {
        super::terms::are_older(connection)
    }

    /// As [`rebuild_index`](Self::rebuild_index), under these rules.
    pub(crate) fn mend_index(&self) -> Result<()> {
        mend(self.store.backend().database(), || self.rebuild_index())
    }

    /// Carries out a change under these rules.
    pub(crate) fn mending<T>(&self, change: impl FnOnce() -> Result<T>) -> Result<T> {
        mend(self.store.backend().database(), change)
    }
}
