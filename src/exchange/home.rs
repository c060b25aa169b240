//! A workspace that forgets a statement, and the changes that this takes.

use std::ops::Range;

use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::name::{DocName, Name};
use crate::base::receipt::ForgetPlace;
use crate::format::JournalName;
use crate::format::documents::sections;
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
    /// The lines that leave whatever they say.
    pub(super) theirs: Option<&'a dyn Theirs>,
    /// Whether the statement has ASCII alone.
    pub(super) is_ascii: bool,
}

/// The lines that leave because of their speaker, and not because of their words.
pub(super) trait Theirs {
    /// Returns their places in a document, ascending and apart, none beyond the end of its line. The name is `None` for a
    /// text of an unknown document: its speaker is unknown.
    fn find(&self, name: Option<&str>, text: &str) -> Vec<Range<usize>>;

    /// Returns what others say in journals of some forgotten statements.
    fn said_by_others(&self, forgotten: &Tombstones) -> Vec<&str>;

    /// Returns the mark in the place of words, of as many bytes.
    fn mark(&self, words: &str) -> String;
}

impl Home<'_> {
    /// Returns bytes without the statement; `None` where they do not hold it.
    pub(super) fn struck(&self, name: Option<&str>, bytes: &[u8]) -> Option<Vec<u8>> {
        let struck = session::struck(bytes, self.only);
        let places = self.theirs_in(name, bytes);
        let Some(theirs) = self.theirs.filter(|_| !places.is_empty()) else { return struck };
        let mut all = struck.unwrap_or_else(|| bytes.to_vec());
        for place in places {
            let mark = theirs.mark(&String::from_utf8_lossy(&bytes[place.clone()]));
            all[place].copy_from_slice(mark.as_bytes());
        }
        Some(sections::marked_anew(bytes, all))
    }

    /// Returns the places of lines that leave whatever they say: of a text alone.
    pub(super) fn theirs_in(&self, name: Option<&str>, bytes: &[u8]) -> Vec<Range<usize>> {
        match (self.theirs, std::str::from_utf8(bytes)) {
            (Some(theirs), Ok(text)) if !bytes.contains(&0) => theirs.find(name, text),
            _ => Vec::new(),
        }
    }

    /// Returns whether a text holds the statement.
    pub(super) fn holds(&self, name: Option<&str>, text: &str) -> bool {
        self.only.holds(text) || !self.theirs_in(name, text.as_bytes()).is_empty()
    }

    pub(super) fn count(&self, name: Option<&str>, bytes: &[u8]) -> u64 {
        let places = self.theirs_in(name, bytes);
        let mut count = places.len() as u64;
        for found in self.only.find(&String::from_utf8_lossy(bytes)) {
            let mut is_apart = true;
            for place in &places {
                is_apart &= place.end <= found.start || found.end <= place.start;
            }
            count += u64::from(is_apart);
        }
        count
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
