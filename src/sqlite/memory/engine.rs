//! The engine of the store.

use super::SqliteMemoryStore;
use crate::store::Store;

impl SqliteMemoryStore {
    pub(crate) fn engine(&self) -> &Store {
        &*self.store
    }
}
