//! The steps of an intent over curated memory: append, ledger, state, log.

use std::borrow::Cow;

use super::home::{self, Glimpse};
use super::recorded::{Recorded, recover};
use super::{by_hand, change, proposal, recover_sleep, section};
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::name::StateName;
use crate::format::documents::curated;
use crate::format::state::intent::{Change, Intent};
use crate::format::state::ledger::Ledger;
use crate::format::state::proposal::ProposalStep;
use crate::format::state::undone::Undone;
use crate::format::{DreamId, DreamedState};
use crate::gate::Tombstones;
use crate::workspace::{Lease, Workspace};

/// The books of a home after a commit, as they were written.
pub(crate) struct Committed {
    pub(crate) ledger: Ledger,
    pub(crate) state: DreamedState,
    /// The bytes of the state file.
    pub(crate) state_bytes: Vec<u8>,
    /// The document to which the section was appended.
    pub(crate) document: Option<Glimpse>,
}

/// Finishes what earlier runs left half done, by day and by night, before a verb changes files of all kinds.
pub(crate) fn recover_all(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    forgotten: Option<&Tombstones>,
) -> Result<()> {
    recover::<Intent>(workspace, lease, forgotten)?;
    recover_sleep(workspace, lease, forgotten)
}

impl Recorded for Intent {
    const FILE: StateName = StateName::INTENT;

    /// `None` where a person changed a section before it could be changed: it is theirs, and stays.
    type Done = Option<Committed>;

    fn id(&self) -> &DreamId {
        &self.id
    }

    fn parse(bytes: Option<&[u8]>) -> Result<Option<Self>> {
        Intent::parse(bytes)
    }

    fn print(&self) -> Vec<u8> {
        Intent::print(self)
    }

    /// Reads the state that a commit changes, so that damage is named before any step. A person's edit is kept before
    /// it is overwritten.
    fn check(&self, workspace: &dyn Workspace) -> Result<()> {
        by_hand::take_edits(workspace)?;
        Ledger::parse(home::state(workspace, &StateName::LEDGER)?.as_deref())?;
        Undone::parse(home::state(workspace, &StateName::UNDONE)?.as_deref())?;
        Ok(())
    }

    fn strike(&mut self, workspace: &dyn Workspace, forgotten: &Tombstones) -> Result<()> {
        if let Some(ProposalStep::Made { text, .. }) = &mut self.proposal
            && let Cow::Owned(struck) = forgotten.struck(text)
        {
            *text = struck;
        }
        if let Some(Change::Redo { kept, .. }) = &mut self.change
            && let Cow::Owned(struck) = forgotten.struck(&kept.section)
        {
            kept.section = struck;
        }
        let (Some(append), None) = (&mut self.append, &self.change) else { return Ok(()) };
        let Cow::Owned(section) = forgotten.struck(&append.section) else { return Ok(()) };
        let memory = home::bytes(workspace, &append.name)?;
        // A section that was appended in part is finished: the rest is known from its recorded text.
        if append.torn_bytes(&memory) == 0 && !curated::has_mark(&memory, &self.id) {
            self.log.section_sha256 = Some(Digest::of(section.as_bytes()));
            append.replace_section(section);
        }
        Ok(())
    }

    fn take_stock(&mut self, workspace: &dyn Workspace) -> Result<()> {
        if was_dreamed_by_peer(workspace, self)? {
            self.append = None;
        }
        Ok(())
    }

    fn carry_out(&self, workspace: &dyn Workspace, lease: &dyn Lease) -> Result<Option<Committed>> {
        if let (Some(append), Some(Change::Archive { name })) = (&self.append, &self.change)
            && !change::still_moves(workspace, self, append, name)?
        {
            return Ok(None);
        }
        let mut document = None;
        if let Some(append) = &self.append {
            section::keep(workspace, lease, self, append)?;
            document = Some(section::append(workspace, lease, self, append)?);
        }
        if let Some(step) = &self.proposal {
            proposal::carry_out(workspace, lease, step)?;
        }
        if let Some(change) = &self.change
            && !change::carry_out(workspace, lease, self, change)?
        {
            // A person changed the section between a crash and now: it is theirs, and stays.
            return Ok(None);
        }
        let mut ledger = Ledger::parse(home::state(workspace, &StateName::LEDGER)?.as_deref())?;
        ledger.apply(&self.ledger);
        ledger.forget(&self.forget);
        ledger.epoch = ledger.epoch.max(self.epoch);
        ledger.watermark.clone_from(&self.watermark);
        lease.replace(&StateName::LEDGER, &ledger.print())?;

        let standing = DreamedState::read(home::state(workspace, &StateName::DREAMED)?.as_deref()).state;
        let mut state = self.state.clone();
        let is_lowered =
            matches!(&self.change, Some(Change::Undo { mark, .. }) if *mark == standing.last_processed_mtime);
        if standing.watermark_ns() > state.watermark_ns() && !is_lowered {
            // A peer went further meanwhile; its mark stands, and the next survey sees that it is not ours.
            state.last_processed_mtime = standing.last_processed_mtime;
            state.own_mark = standing.own_mark;
        } else {
            state.own_mark.clone_from(&self.watermark);
        }
        // Keys of others are as they stand, also those that came between the intent and its recovery.
        state.others = standing.others;
        let state_bytes = state.print();
        lease.replace(&StateName::DREAMED, &state_bytes)?;

        home::append_log(workspace, lease, &self.log)?;
        if let Some(Change::Redo { .. }) = &self.change {
            change::let_go(workspace, lease, &self.id)?;
        }
        Ok(Some(Committed { ledger, state, state_bytes, document }))
    }
}

/// Returns whether a peer that knows only the watermark has dreamed the same journals since the commit stopped. Then
/// the mark is neither the one from before the commit nor the commit's own, and covers all that was shown.
fn was_dreamed_by_peer(workspace: &dyn Workspace, intent: &Intent) -> Result<bool> {
    let (Some(append), None) = (&intent.append, &intent.change) else { return Ok(false) };
    let memory = home::bytes(workspace, &append.name)?;
    if append.torn_bytes(&memory) > 0 || curated::has_mark(&memory, &intent.id) {
        return Ok(false);
    }
    let ledger = Ledger::parse(home::state(workspace, &StateName::LEDGER)?.as_deref())?;
    let standing = DreamedState::read(home::state(workspace, &StateName::DREAMED)?.as_deref()).state;
    // Where no journal was shown, as when a person accepts a proposal, no peer can have dreamed the same.
    let Some(newest) = intent.ledger.values().map(|entry| entry.modified).max() else { return Ok(false) };
    Ok(!standing.is_own()
        && standing.last_processed_mtime != ledger.watermark
        && standing.last_processed_mtime != intent.watermark
        && standing.watermark_ns() >= Some(newest))
}
