//! Lines of the audit about what was done around a store, not in its rows.

use chrono::{DateTime, Utc};

use super::admit::main_only;
use super::carry::BATCH;
use super::names::row_name;
use super::store::Store;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::memory::{AuditEntry, AuditOutcome};

impl Store {
    /// Adds a line to the audit.
    pub(crate) fn tell(
        &self,
        access: &Access,
        action: &str,
        outcome: AuditOutcome,
        now: DateTime<Utc>,
    ) -> Result<()> {
        main_only(self.scope(), access, &row_name(None))?;
        self.tell_all(access, &[(action, outcome)], now)
    }

    /// Adds lines to the audit, in steps that are durable each.
    pub(crate) fn tell_all(
        &self,
        access: &Access,
        lines: &[(&str, AuditOutcome)],
        now: DateTime<Utc>,
    ) -> Result<()> {
        main_only(self.scope(), access, &row_name(None))?;
        for chunk in lines.chunks(BATCH) {
            self.backend().change("tell the audit of", |rows| {
                rows.together(&mut |rows| {
                    for (action, outcome) in chunk {
                        let mut entry = AuditEntry::new(now, access.actor, *action, outcome.clone());
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
