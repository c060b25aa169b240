//! All files of a life that travel, as they are read for a merge.

use std::collections::BTreeMap;

use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::group::GroupName;
use crate::base::name::{DocName, StateName};
use crate::format::JournalName;
use crate::format::state::log::{self, LogLine};
use crate::format::state::registry::FILES;
use crate::session::{self, GroupView};
use crate::workspace::Workspace;

/// The way in which the versions of files came together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Each copy is of one moment.
    Whole,
    /// Files that one machine alone changed are not asked for.
    ByFile,
    /// Each file may be of another moment.
    Mixed,
}

/// The files of one life.
#[derive(Default, Clone, PartialEq, Eq)]
pub(super) struct Copied {
    pub(super) documents: BTreeMap<DocName, Vec<u8>>,
    pub(super) states: BTreeMap<StateName, Vec<u8>>,
    /// The times of change of journals, in nanoseconds since the epoch.
    pub(super) modified: BTreeMap<DocName, i64>,
    /// Its groups, each a life of its own.
    pub(super) groups: BTreeMap<GroupName, Self>,
}

/// Returns the view of a group of a life. A merge does not look at its owner.
pub(super) fn group_of<'w>(workspace: &'w dyn Workspace, group: &GroupName) -> GroupView<&'w dyn Workspace> {
    let owner = workspace.scope().cloned().unwrap_or_else(|| Scope::user(""));
    GroupView::new(workspace, &owner, group)
}

impl Copied {
    /// Reads a life: its documents, and the state that travels.
    pub(super) fn read(workspace: &dyn Workspace) -> Result<Self> {
        let mut copied = Self::default();
        for listing in session::walk(workspace, None, |_| true) {
            for name in listing?.1.documents {
                let Some(document) = workspace.read(&name)? else { continue };
                let within = GroupName::of_document(name.as_str()).and_then(|group| {
                    let inner = name.as_str().strip_prefix(group.folder().as_str())?.strip_prefix('/')?;
                    Some((DocName::parse(inner).ok()?, group))
                });
                let (inner, life) = match within {
                    Some((inner, group)) => (inner, copied.groups.entry(group).or_default()),
                    None => (name.clone(), &mut copied),
                };
                if (JournalName::is_name(inner.as_str()) || inner.as_str().starts_with(JournalName::ARCHIVED))
                    && let Some(metadata) = workspace.metadata(&name)?
                {
                    let modified = metadata.modified.timestamp_nanos_opt().unwrap_or(i64::MAX);
                    life.modified.insert(inner.clone(), modified);
                }
                life.documents.insert(inner, document.into_bytes());
            }
        }
        copied.read_states(workspace)?;
        for group in session::groups(workspace)? {
            let view = group_of(workspace, &group);
            copied.groups.entry(group).or_default().read_states(&view)?;
        }
        Ok(copied)
    }

    fn read_states(&mut self, workspace: &dyn Workspace) -> Result<()> {
        for file in FILES.iter().filter(|file| file.travels()) {
            for name in file.names_in(|name| workspace.read(name))? {
                let state = if name == StateName::FORGOTTEN {
                    session::forgotten_file(workspace)?.map(|file| file.print())
                } else {
                    workspace.read(&name)?.map(Document::into_bytes)
                };
                if let Some(state) = state {
                    self.states.insert(name, state);
                }
            }
        }
        Ok(())
    }

    /// Returns whether nothing differs, times apart.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let is_same_group = |(name, life): (&GroupName, &Self)| {
            other.groups.get(name).is_some_and(|there| life.is_same(there))
        };
        self.documents == other.documents
            && self.states == other.states
            && self.groups.len() == other.groups.len()
            && self.groups.iter().all(is_same_group)
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
