//! The id of a row.

use serde::{Deserialize, Serialize};

use crate::base::name::{Name, StateName};
use crate::base::row_id::row_id;

/// The id of a row: positive, never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryId(i64);

row_id!(MemoryId);

impl MemoryId {
    /// Returns the name of the row in errors, `memories/7`: for a backend that denies it or does not find it.
    ///
    /// ```
    /// use noctuary::memory::MemoryId;
    /// use noctuary::{Error, SessionKind};
    ///
    /// let error = Error::Denied { name: MemoryId::new(7).name(), kind: SessionKind::Shared };
    /// assert!(error.to_string().starts_with("cannot access memories/7: denied"));
    /// ```
    #[must_use]
    pub fn name(self) -> Name {
        StateName::row("memories", self).into()
    }
}
