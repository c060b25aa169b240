//! The id of a row.

use serde::{Deserialize, Serialize};

use crate::base::row_id::row_id;

/// The id of a row: positive, never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryId(i64);

row_id!(MemoryId);
