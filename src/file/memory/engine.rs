//! The engine of the store, for a bundle and for the doctor.

use super::FileMemoryStore;
use crate::store::Store;

impl FileMemoryStore {
    pub(crate) fn engine(&self) -> &Store {
        &*self.store
    }
}
