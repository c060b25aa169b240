//! The records of a home: read once under the claim, and taken over from each commit.

use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::dream::commit::{self, Committed, Glimpse};
use crate::format::state::intent::Intent;
use crate::format::state::ledger::Ledger;
use crate::format::state::log::{self, Remembered};
use crate::format::state::proposal::Proposals;
use crate::format::{DreamId, DreamedState, Quarantine};
use crate::workspace::{Workspace, WorkspaceExt};

/// The bytes of the log's end that are remembered.
pub(crate) const MOST_LOG: u64 = 16 << 20;

/// Records of earlier runs.
pub(crate) struct Records {
    pub(crate) state: DreamedState,
    /// The state file as it was read or written last; another content is a peer's.
    pub(crate) state_bytes: Option<Vec<u8>>,
    pub(crate) ledger: Ledger,
    pub(crate) quarantine: Quarantine,
    pub(crate) log: Vec<Remembered>,
    memory: Glimpse,
    archive: Glimpse,
    /// The list of proposals, once it was needed.
    proposals: Option<Proposals>,
}

impl Records {
    /// Reads the state files. Documents are read when they are needed.
    pub(crate) fn read(workspace: &dyn Workspace) -> Result<Self> {
        let state_bytes = commit::state(workspace, &StateName::DREAMED)?;
        Ok(Self {
            state: DreamedState::read(state_bytes.as_deref()).state,
            ledger: Ledger::read(commit::state(workspace, &StateName::LEDGER)?)?,
            quarantine: Quarantine::read(commit::state(workspace, &StateName::QUARANTINE)?.as_deref()).state,
            log: log::remember(&workspace.read_tail(&StateName::LOG, MOST_LOG)?.text).gather(),
            state_bytes,
            memory: Glimpse::default(),
            archive: Glimpse::default(),
            proposals: None,
        })
    }

    /// Looks at curated memory: it is read where it was not, or was saved since.
    pub(crate) fn memory(&mut self, workspace: &dyn Workspace) -> Result<(DocName, &Glimpse)> {
        let name = commit::memory_of(workspace, &mut self.memory)?;
        Ok((name, &self.memory))
    }

    /// Looks at the archive, as at curated memory.
    pub(crate) fn archive(&mut self, workspace: &dyn Workspace) -> Result<&Glimpse> {
        commit::archive_of(workspace, &mut self.archive)?;
        Ok(&self.archive)
    }

    /// Returns the proposals that nobody has answered. The workspace is claimed before one is answered.
    pub(crate) fn proposals(&mut self, workspace: &dyn Workspace) -> Result<&Proposals> {
        let list = match self.proposals.take() {
            Some(list) => list,
            None => commit::proposals(workspace)?,
        };
        Ok(self.proposals.insert(list))
    }

    /// Takes over what a commit wrote.
    pub(crate) fn take_over(&mut self, intent: Intent, committed: Option<Committed>) {
        let Some(committed) = committed else { return };
        self.ledger = committed.ledger;
        (self.state, self.state_bytes) = (committed.state, Some(committed.state_bytes));
        if let Some(document) = committed.document {
            self.memory = document;
        }
        if intent.proposal.is_some() {
            self.proposals = None;
        }
        self.log.push(intent.log.into());
    }

    /// Counts a commit as done that is not carried out: a preview's, or one that a run finishes later.
    pub(crate) fn count_as_done(&mut self, intent: Intent) -> DreamId {
        self.ledger.apply(&intent.ledger);
        self.ledger.forget(&intent.forget);
        self.ledger.watermark = intent.watermark;
        self.state = intent.state;
        self.log.push(intent.log.into());
        intent.id
    }
}
