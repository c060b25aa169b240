//! The engine of the store, for a bundle and for the doctor.

use super::PostgresMemoryStore;
use crate::store::Store;

impl PostgresMemoryStore {
    pub(crate) fn engine(&self) -> &Store {
        &*self.store
    }
}
