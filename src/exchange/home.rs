//! A workspace that forgets a statement, and the changes that this takes.

use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::name::{DocName, Name};
use crate::base::receipt::ForgetPlace;
use crate::format::JournalName;
use crate::gate::Tombstones;
use crate::life::rewrite;
use crate::session;
use crate::workspace::{Lease, Workspace};

/// The reason for what stays where files are only looked at.
pub(super) const NOT_ASKED: &str = "files are touched only where their person asks for it";

/// A workspace, and the statement that is to leave it.
pub(super) struct Home<'a> {
    pub(super) workspace: &'a dyn Workspace,
    /// `None` where files are only looked at.
    pub(super) lease: Option<&'a dyn Lease>,
    pub(super) only: &'a Tombstones,
    /// Whether the statement has ASCII alone.
    pub(super) is_ascii: bool,
}

impl Home<'_> {
    /// Returns bytes without the statement; `None` where they do not hold it.
    pub(super) fn struck(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        session::struck(bytes, self.only)
    }

    pub(super) fn count(&self, bytes: &[u8]) -> u64 {
        self.only.find(&String::from_utf8_lossy(bytes)).len() as u64
    }

    /// Changes a document or state file, even while others write to it. Where files are only looked at, it is shown
    /// to `change`, and stays.
    pub(super) fn change(
        &self,
        name: &Name,
        mut change: impl FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>>,
    ) -> Result<bool> {
        let Some(lease) = self.lease else {
            change(self.workspace.read(name)?.as_ref().map(Document::bytes))?;
            return Ok(false);
        };
        lease.check()?;
        rewrite(self.workspace, name, change)
    }
}

/// Returns the place of a document in a receipt.
pub(super) fn place_of(name: &DocName) -> ForgetPlace {
    match name.folded().as_str() {
        "memory.md" => ForgetPlace::Memory,
        folded if folded.rsplit('/').next() == Some("observations.md") => ForgetPlace::Observations,
        folded if JournalName::is_name(folded) => ForgetPlace::Journals,
        _ => ForgetPlace::Documents,
    }
}
