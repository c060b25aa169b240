//! The repairs of the doctor: a plan by default, carried out where it is asked for.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::doctor::{Doctor, Home};
use super::examination::Examination;
use super::finding::{DoctorFinding, FindingKind};
use crate::base::access::{Access, Scope};
use crate::base::error::Result;
use crate::disk::restrict;
use crate::file::{FileMemoryStore, FileWorkspace};
use crate::memory::AuditOutcome;
#[cfg(feature = "sqlite")]
use crate::sqlite::SqliteMemoryStore;
use crate::workspace::{Claim, ClaimTerms, Workspace};

/// Whether a plan is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Apply {
    /// Nothing is written.
    #[default]
    DryRun,
    /// The actions are carried out, and each leaves a line in the audit.
    Yes,
}

/// An action of the doctor. Each can be repeated without effect, removes no words, and asks no model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FixAction {
    /// Makes the index of a store anew from its rows.
    Index,
    /// Takes a stuck lock over by the protocol of dreams, and gives it back.
    Lock,
    /// Takes the rights of others from files of the library's state. No document is touched.
    Permissions,
}

impl FixAction {
    /// The actions, in their order.
    pub const ALL: [Self; 3] = [Self::Index, Self::Lock, Self::Permissions];

    /// Returns its word: `index`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Lock => "lock",
            Self::Permissions => "permissions",
        }
    }

    fn mends(self) -> FindingKind {
        match self {
            Self::Index => FindingKind::DriftedIndex,
            Self::Lock => FindingKind::StuckLock,
            Self::Permissions => FindingKind::OpenPermissions,
        }
    }
}

impl fmt::Display for FixAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An action on one finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Fixed {
    /// The action.
    pub action: FixAction,
    /// The finding that it mends.
    pub finding: DoctorFinding,
    /// Whether it was carried out.
    pub done: bool,
}

impl Doctor {
    /// Says what the doctor would mend of what was found, or mends it. `only` selects actions; empty means all.
    ///
    /// An action that is carried out leaves a line `doctor.fix.<name>` in the audit of the memory store. A dry run writes
    /// nothing at all.
    ///
    /// ```
    /// use chrono::Utc;
    /// use noctuary::doctor::{Apply, Doctor};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let doctor = Doctor::of(folder.path())?;
    /// let found = doctor.examine(Utc::now())?;
    /// assert!(doctor.fix(&found, Apply::DryRun, &[], Utc::now())?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the actions. Earlier actions are done, and doing all again does the rest.
    pub fn fix(
        &self,
        found: &Examination,
        apply: Apply,
        only: &[FixAction],
        now: DateTime<Utc>,
    ) -> Result<Vec<Fixed>> {
        let scope = self.scope.clone().or_else(|| found.health.scope.clone());
        let scope = scope.unwrap_or_else(|| Scope::user("user"));
        let mut fixed = Vec::new();
        for action in FixAction::ALL {
            if !only.is_empty() && !only.contains(&action) {
                continue;
            }
            let findings = found.findings.iter().filter(|finding| finding.kind == action.mends());
            for finding in findings.filter(|finding| self.may_mend(finding)) {
                let done = apply == Apply::Yes && self.carry_out(action, finding, &scope)?;
                if done {
                    self.audit(action, &scope, now)?;
                }
                fixed.push(Fixed { action, finding: finding.clone(), done });
            }
        }
        Ok(fixed)
    }

    /// Returns whether a finding is the library's own business: documents are their owner's.
    fn may_mend(&self, finding: &DoctorFinding) -> bool {
        let is_folder = matches!(self.home, Home::Folder(_));
        let is_state = finding.place.starts_with(".dream") || finding.place.starts_with(".soul");
        finding.kind != FindingKind::OpenPermissions || !is_folder || is_state
    }

    fn carry_out(&self, action: FixAction, finding: &DoctorFinding, scope: &Scope) -> Result<bool> {
        match action {
            FixAction::Index => self.rebuild(scope),
            FixAction::Lock => {
                let Some(path) = self.home.folder() else { return Ok(false) };
                match FileWorkspace::open(path)?.claim(&ClaimTerms::default())? {
                    Claim::Granted(lease) => lease.release().map(|()| true),
                    Claim::Held(_) => Ok(false),
                }
            }
            FixAction::Permissions => {
                let folder = match &self.home {
                    Home::Folder(path) => path.as_path(),
                    #[cfg(feature = "sqlite")]
                    Home::Database(path) => path.parent().unwrap_or(path),
                };
                restrict(folder, &finding.place)
            }
        }
    }

    #[cfg(feature = "sqlite")]
    fn rebuild(&self, scope: &Scope) -> Result<bool> {
        let Home::Database(path) = &self.home else { return Ok(false) };
        SqliteMemoryStore::open(path, scope.clone())?.mend_index().map(|()| true)
    }

    #[cfg(not(feature = "sqlite"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "a folder has no such index")]
    fn rebuild(&self, _scope: &Scope) -> Result<bool> {
        Ok(false)
    }

    fn audit(&self, action: FixAction, scope: &Scope, now: DateTime<Utc>) -> Result<()> {
        let access = Access::human(scope.clone());
        let action = format!("doctor.fix.{action}");
        match &self.home {
            Home::Folder(path) => {
                let store = FileMemoryStore::open(path, scope.clone())?;
                store.tell(&access, &action, AuditOutcome::Done, now)
            }
            #[cfg(feature = "sqlite")]
            Home::Database(path) => {
                let store = SqliteMemoryStore::open(path, scope.clone())?;
                store.mending(|| store.tell(&access, &action, AuditOutcome::Done, now))
            }
        }
    }
}
