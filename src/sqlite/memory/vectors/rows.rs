//! Vectors of the rows of a scope.

use super::super::table::Table;
use super::tables::NAMES;
use crate::sql::Driver;
use crate::sql::memory::{texts, texts_by_ids};
use crate::sql::vectors::{Names, VectorDriver};
use crate::store::vectors::Sight;

impl VectorDriver for Table<'_> {
    fn names(&self) -> Names {
        NAMES
    }

    fn texts(&self, sight: Option<Sight>) -> String {
        texts(self.dialect(), sight)
    }

    fn texts_by_ids(&self) -> String {
        texts_by_ids(self.dialect())
    }
}
