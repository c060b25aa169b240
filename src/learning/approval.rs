//! The word of a person.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::access::Actor;

/// The word of a person: who gave it, and when. Nobody else gives one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Approval {
    /// Who: always the human.
    pub by: Actor,
    /// When.
    pub at: DateTime<Utc>,
}

impl Approval {
    /// Makes the approval that a store keeps.
    #[must_use]
    pub fn new(by: Actor, at: DateTime<Utc>) -> Self {
        Self { by, at }
    }
}
