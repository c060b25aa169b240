//! Forgetting for good, in the tables that no server has.

use std::sync::{Arc, PoisonError};

use super::mirror::tables::{FILLS, SPOT, SYNC};
use super::table::Table;
use crate::base::error::Result;
use crate::gate::Tombstones;
use crate::sql::memory::{read_tombstones, rows_holding};
use crate::sql::{DriverExt, params};
use crate::store::forget::{Burial, Struck};

impl Table<'_> {
    /// Returns the tombstones of this scope; `None` if it has forgotten nothing.
    pub(super) fn known_tombstones(&self) -> Result<Option<Arc<Tombstones>>> {
        let data = self.folded(|| self.held.borrow_mut().data_version(self.connection))?;
        let version = (data, self.backend.database().forgets());
        let mut known = self.backend.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, forgotten)) = &*known
            && *at == version
        {
            return Ok(forgotten.clone());
        }
        let forgotten = read_tombstones(self)?.map(Arc::new);
        *known = Some((version, forgotten.clone()));
        Ok(forgotten)
    }

    /// Takes a statement out of the mirror of trades, which is the owner's: a trade leaves whole, an error loses its words.
    pub(super) fn strike_mirror(&self, burial: &Burial, struck: &mut Struck) -> Result<()> {
        for (mirror, words) in [(FILLS, FILLS.words), (SPOT, SPOT.words), (SYNC, "last_error")] {
            let Some(table) = self.folded(|| mirror.standing(self.connection))? else { continue };
            let sql = match words {
                "last_error" => format!("UPDATE {table} SET last_error = NULL WHERE rowid = $3"),
                _ => format!("DELETE FROM {table} WHERE rowid = $3"),
            };
            let (whose, columns) = (format!("{table} WHERE $1 = '' AND $2 = ''"), words.split(", "));
            for id in rows_holding(self, burial, &whose, "rowid", &columns.collect::<Vec<_>>())? {
                self.run(&sql, params![id])?;
                struck.trades += 1;
            }
        }
        Ok(())
    }
}
