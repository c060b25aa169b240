//! Changes of the doctor in a store.

use chrono::{DateTime, Utc};

use super::admit::main_only;
use super::methods::person_only;
use super::names::{method_name, row_name};
use super::practice::Kept;
use super::store::Store;
use super::tell::entry;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::learning::MethodId;
use crate::memory::AuditOutcome;

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
        self.tell_all(access, &[(action, outcome, now)])
    }

    /// Puts a method into quarantine where its outcomes are below the threshold. It takes none out of it.
    pub(crate) fn demote_method(&self, access: &Access, id: MethodId, now: DateTime<Utc>) -> Result<bool> {
        person_only(self, access, &method_name(id))?;
        self.backend().change("change", |rows| {
            let Some(method) = rows.method(id)? else { return Ok(false) };
            if method.quarantine > 0 || !self.config().learning.demotes(method.successes, method.uses) {
                return Ok(false);
            }
            // The word of the person who graduated it stays, and counts for nothing in quarantine.
            let kept = vec![Kept::Standing { method: id, quarantine: 1, graduated: method.graduated }];
            rows.keep(kept, entry(access, "method_quarantine", now))?;
            Ok(true)
        })
    }
}
