//! The earlier dreams of a home, and everything that a change of one is judged by.

use chrono::{DateTime, Utc};

use super::records::MOST_LOG;
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::dream::commit::{self, state};
use crate::format::documents::curated;
use crate::format::state::ledger::Ledger;
use crate::format::state::log::{self, LogLine};
use crate::format::state::undone::Undone;
use crate::format::{DreamId, DreamedState};
use crate::workspace::{Workspace, WorkspaceExt};

/// Earlier dreams as they are: memory, log, state, ledger, and what was taken back.
pub(crate) struct EarlierDreams<'w> {
    pub(crate) workspace: &'w dyn Workspace,
    pub(crate) name: DocName,
    pub(crate) memory: Document,
    pub(crate) log: Vec<LogLine>,
    pub(crate) state: DreamedState,
    pub(crate) ledger: Ledger,
    pub(crate) undone: Undone,
}

impl<'w> EarlierDreams<'w> {
    pub(crate) fn open(workspace: &'w dyn Workspace) -> Result<Self> {
        let name = commit::memory_name(workspace)?;
        let memory = workspace.read(&name)?;
        Ok(Self {
            workspace,
            memory: memory.unwrap_or_else(|| Document::new(name.clone().into(), Vec::new())),
            log: log::of_curators(&workspace.read_tail(&StateName::LOG, MOST_LOG)?.text).gather(),
            state: DreamedState::read(state(workspace, &StateName::DREAMED)?.as_deref()).state,
            ledger: Ledger::parse(state(workspace, &StateName::LEDGER)?.as_deref())?,
            undone: Undone::parse(state(workspace, &StateName::UNDONE)?.as_deref())?,
            name,
        })
    }

    /// Returns the line of the pass that appended the dream's section last.
    pub(crate) fn pass(&self, id: &DreamId) -> Option<&LogLine> {
        self.log.iter().rev().find(|line| line.id == *id && line.outcome == log::APPENDED)
    }

    /// Returns whether a person took the dream back, and it was not dreamed again since.
    pub(crate) fn is_undone(&self, id: &DreamId) -> bool {
        let words = [log::APPENDED, log::UNDONE, log::REDONE, log::ARCHIVED, log::RESTORED];
        let last =
            self.log.iter().rev().find(|line| line.id == *id && words.contains(&line.outcome.as_str()));
        last.is_some_and(|line| line.outcome == log::UNDONE)
    }

    /// Returns whether the section of a dream was moved to the archive.
    pub(crate) fn is_archived(&self, id: &DreamId) -> Result<bool> {
        Ok(curated::has_section(&commit::archive(self.workspace)?, id))
    }

    /// Keeps `MEMORY.md` as it is, before it is replaced.
    pub(crate) fn keep_preimage(&self, now: DateTime<Utc>) -> Result<()> {
        crate::life::keep_preimage(self.workspace, &DocName::MEMORY, &self.memory, now)
    }
}
