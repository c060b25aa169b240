//! A memory store as a place of texts with vectors.

use super::backend::{Sight, VectorChanges, VectorRows};
use super::fill::VectorHome;
use crate::base::error::Result;
use crate::base::name::Name;
use crate::gate::Doors;
use crate::memory::MemoryId;
use crate::search::rank::Visibility;
use crate::store::names::row_name;
use crate::store::store::Store;

impl VectorHome for Store {
    fn sight_of_main(&self) -> Sight {
        Visibility::All.into()
    }

    fn read<T>(&self, read: impl FnOnce(&dyn VectorRows) -> Result<T>) -> Result<T> {
        self.backend().read("read", |rows| read(rows.as_vectors()))
    }

    fn change<T>(&self, change: impl FnOnce(&mut dyn VectorChanges) -> Result<T>) -> Result<T> {
        self.backend().change("write to", |rows| change(rows.as_vectors_mut()))
    }

    fn doors(&self) -> Result<Doors> {
        let forgotten = self.backend().read("read", |rows| rows.tombstones())?;
        Ok(self.config().doors.clone().heeding(forgotten))
    }

    fn name_of(&self, id: i64) -> Name {
        row_name(Some(MemoryId::new(id)))
    }
}
