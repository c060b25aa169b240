//! Lines of the audit about what was done around a store, not in its rows.

use chrono::{DateTime, Utc};

use super::admit::main_only;
use super::names::row_name;
use super::store::Store;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::memory::{AuditEntry, AuditOutcome};

/// How many rows or lines of the audit become durable together. They are few, so that other writers need not wait for
/// long.
pub(super) const BATCH: usize = 500;

impl Store {
    /// Adds lines to the audit, in steps that are durable each.
    pub(crate) fn tell_all(
        &self,
        access: &Access,
        lines: &[(&str, AuditOutcome, DateTime<Utc>)],
    ) -> Result<()> {
        main_only(self.scope(), access, &row_name(None))?;
        for chunk in lines.chunks(BATCH) {
            self.backend().change("tell the audit of", |rows| {
                rows.together(&mut |rows| {
                    for (action, outcome, at) in chunk {
                        let mut entry = AuditEntry::new(*at, access.actor, *action, outcome.clone());
                        entry.kind = Some(access.kind);
                        rows.refuse(entry)?;
                    }
                    Ok(())
                })
            })?;
        }
        Ok(())
    }
}

/// Returns a line of the audit on what was done.
pub(super) fn entry(access: &Access, action: &str, at: DateTime<Utc>) -> AuditEntry {
    let mut entry = AuditEntry::new(at, access.actor, action, AuditOutcome::Done);
    entry.kind = Some(access.kind);
    entry
}
