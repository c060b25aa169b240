//! A server that is only looked at, for the doctor.

use super::server::Postgres;

impl Postgres {
    /// Returns the server for a look: whatever is opened of it refuses every change.
    pub(crate) fn looking(&self) -> Self {
        Self { is_looking: true, ..self.clone() }
    }
}
