//! The cycle of every commit: it is written down, carried out, and dropped.

use crate::base::error::Result;
use crate::base::name::StateName;
use crate::format::DreamId;
use crate::gate::Tombstones;
use crate::trace;
use crate::workspace::{Lease, Workspace};

/// A commit that is written down before its first step.
pub(crate) trait Recorded: Sized {
    /// The file that holds it while it is under way.
    const FILE: StateName;

    /// The result of its steps.
    type Done;

    fn id(&self) -> &DreamId;

    /// Parses the file; `None` (no file) means that nothing is under way.
    fn parse(bytes: Option<&[u8]>) -> Result<Option<Self>>;

    fn print(&self) -> Vec<u8>;

    /// Looks whether the steps can be done, before the first is done for an earlier run.
    fn check(&self, _workspace: &dyn Workspace) -> Result<()> {
        Ok(())
    }

    /// Takes out what was forgotten since, where it is not begun.
    fn strike(&mut self, workspace: &dyn Workspace, forgotten: &Tombstones) -> Result<()>;

    /// Takes out the steps that somebody else did meanwhile.
    fn take_stock(&mut self, _workspace: &dyn Workspace) -> Result<()> {
        Ok(())
    }

    /// Carries it out. Each step sees whether it was done before, so doing all of it twice is doing it once.
    fn carry_out(&self, workspace: &dyn Workspace, lease: &dyn Lease) -> Result<Self::Done>;
}

/// Records an intent and carries it out. On an error the intent stays, and the next claim finishes it.
pub(crate) fn commit<I: Recorded>(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    intent: &I,
) -> Result<I::Done> {
    trace::commit(intent.id(), || {
        lease.replace(&I::FILE, &intent.print())?;
        finish(workspace, lease, intent)
    })
}

/// Finishes the commit that an earlier run left half done; returns it where there was one. Text that was forgotten
/// since is struck out of whatever is not begun.
pub(crate) fn recover<I: Recorded>(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    forgotten: Option<&Tombstones>,
) -> Result<Option<I>> {
    let Some(mut intent) = unfinished::<I>(workspace)? else { return Ok(None) };
    intent.check(workspace)?;
    if let Some(forgotten) = forgotten {
        intent.strike(workspace, forgotten)?;
    }
    // The process that left it may have been killed before it was durable. A power loss could take it back, and leave
    // the steps that follow from it.
    lease.replace(&I::FILE, &intent.print())?;
    intent.take_stock(workspace)?;
    finish(workspace, lease, &intent)?;
    Ok(Some(intent))
}

/// Reads the commit that is half done, if there is one.
pub(crate) fn unfinished<I: Recorded>(workspace: &dyn Workspace) -> Result<Option<I>> {
    I::parse(super::home::state(workspace, &I::FILE)?.as_deref())
}

fn finish<I: Recorded>(workspace: &dyn Workspace, lease: &dyn Lease, intent: &I) -> Result<I::Done> {
    let done = intent.carry_out(workspace, lease)?;
    lease.remove(&I::FILE)?;
    Ok(done)
}
