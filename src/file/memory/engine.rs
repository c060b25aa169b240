//! The engine of the store.

use super::FileMemoryStore;
use crate::store::Store;

impl FileMemoryStore {
    pub(crate) fn engine(&self) -> &Store {
        &*self.store
    }
}
