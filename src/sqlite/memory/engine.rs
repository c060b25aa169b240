//! The engine of the store, for a bundle and for the doctor.

use super::SqliteMemoryStore;
use crate::store::Store;

impl SqliteMemoryStore {
    pub(crate) fn engine(&self) -> &Store {
        &*self.store
    }
}
