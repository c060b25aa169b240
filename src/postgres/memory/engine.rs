//! The engine of the store.

use super::PostgresMemoryStore;
use crate::store::Store;

impl PostgresMemoryStore {
    pub(crate) fn engine(&self) -> &Store {
        &*self.store
    }
}
