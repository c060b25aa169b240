//! Forgetting for good: the tombstones as they are known, and the rows with all that belongs to them.

use std::sync::{Arc, PoisonError};

use super::table::Table;
use crate::base::error::Result;
use crate::gate::Tombstones;
use crate::memory::MemoryId;
use crate::postgres::link::params;
use crate::sql::memory::{MemoryDriver, read_tombstones};

impl Table<'_> {
    /// Returns the tombstones of this scope; `None` if it has forgotten nothing.
    pub(super) fn known_tombstones(&self) -> Result<Option<Arc<Tombstones>>> {
        let version = self.state().forgets;
        if version == 0 {
            return Ok(None);
        }
        let known = self.backend.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, forgotten)) = known
            && at == version
        {
            return Ok(forgotten);
        }
        let forgotten = read_tombstones(self)?.map(Arc::new);
        *self.backend.known.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((version, forgotten.clone()));
        Ok(forgotten)
    }

    /// Removes rows that the index does not have, with all that belongs to them.
    pub(super) fn remove_all_of(&self, ids: &[MemoryId]) -> Result<()> {
        if ids.is_empty() {
            return Ok(());
        }
        self.alters_rows();
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        self.unecho(&ids)?;
        self.drop_vectors(&ids)?;
        for sql in [
            "DELETE FROM memory_edges WHERE user_id = $1 AND agent_id = $2 AND src_id = ANY ($3)",
            "DELETE FROM memory_suspects WHERE user_id = $1 AND agent_id = $2 AND newer_id = ANY ($3)",
            "DELETE FROM memory_suspects WHERE user_id = $1 AND agent_id = $2 AND older_id = ANY ($3)",
            "DELETE FROM memories WHERE user_id = $1 AND agent_id = $2 AND id = ANY ($3)",
        ] {
            self.run(sql, params![ids.clone()])?;
        }
        Ok(())
    }
}
