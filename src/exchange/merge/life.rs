//! All files of a life that travel, as they are read for a merge.

use std::collections::BTreeMap;

use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::base::name::{DocName, StateName};
use crate::format::JournalName;
use crate::format::state::log::{self, LogLine};
use crate::format::state::registry::FILES;
use crate::session;
use crate::workspace::Workspace;

/// The files of one life.
#[derive(Default, Clone, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) documents: BTreeMap<DocName, Vec<u8>>,
    pub(super) states: BTreeMap<StateName, Vec<u8>>,
    /// The times of change of journals, in nanoseconds since the epoch.
    pub(super) modified: BTreeMap<DocName, i64>,
}

impl Copied {
    /// Reads a life: its documents, and the state that travels.
    pub(super) fn read(workspace: &dyn Workspace) -> Result<Self> {
        let mut copied = Self::default();
        for listing in session::walk(workspace, None, |_| true) {
            for name in listing?.1.documents {
                let Some(document) = workspace.read(&name)? else { continue };
                if JournalName::is_name(name.as_str())
                    && let Some(metadata) = workspace.metadata(&name)?
                {
                    let modified = metadata.modified.timestamp_nanos_opt().unwrap_or(i64::MAX);
                    copied.modified.insert(name.clone(), modified);
                }
                copied.documents.insert(name, document.into_bytes());
            }
        }
        for file in FILES.iter().filter(|file| file.travels()) {
            for name in file.names_in(|name| workspace.read(name))? {
                if let Some(state) = workspace.read(&name)? {
                    copied.states.insert(name, state.into_bytes());
                }
            }
        }
        Ok(copied)
    }

    /// Returns whether nothing differs, times apart.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.documents == other.documents && self.states == other.states
    }

    pub(super) fn state(&self, name: &StateName) -> Option<&[u8]> {
        self.states.get(name).map(Vec::as_slice)
    }

    pub(super) fn document(&self, name: &DocName) -> Option<&[u8]> {
        self.documents.get(name).map(Vec::as_slice)
    }

    pub(super) fn log(&self) -> String {
        String::from_utf8_lossy(self.state(&StateName::LOG).unwrap_or_default()).into_owned()
    }

    /// Returns the lines of the log that are of dreams over journals.
    pub(super) fn passes(&self) -> Vec<LogLine> {
        log::of_curators(&self.log()).collect()
    }
}

debug_as!(Copied, |it| "Copied {{ documents: {} }}", it.documents.len());
