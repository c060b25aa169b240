//! Lines of the audit about what was done around a store, not in its rows.

use chrono::{DateTime, Utc};

use super::admit::main_only;
use super::backend::Backend;
use super::names::row_name;
use super::store::Store;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::memory::{AuditEntry, AuditOutcome};

impl<B: Backend> Store<B> {
    /// Adds a line to the audit.
    pub(crate) fn tell(
        &self,
        access: &Access,
        action: &str,
        outcome: AuditOutcome,
        now: DateTime<Utc>,
    ) -> Result<()> {
        main_only(self.scope(), access, &row_name(None))?;
        let mut entry = AuditEntry::new(now, access.actor, action, outcome);
        entry.kind = Some(access.kind);
        self.backend().change("tell the audit of", |rows| rows.refuse(entry))
    }
}
