//! The step of a commit over a proposal.

use super::home;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::name::StateName;
use crate::format::state::proposal::ProposalStep;
use crate::workspace::{Lease, Workspace};

/// Carries out what a commit does to a proposal. Doing it twice is doing it once.
pub(super) fn carry_out(workspace: &dyn Workspace, lease: &dyn Lease, step: &ProposalStep) -> Result<()> {
    let mut list = home::proposals(workspace)?;
    match step {
        ProposalStep::Made { waiting, text } => {
            let name = waiting.name();
            // Where it stands, a person may have edited it since.
            if workspace.metadata(&name)?.is_some() {
                home::settle(lease, &name)?;
            } else {
                lease.replace(&name, text.as_bytes())?;
            }
            list.put(waiting);
        }
        ProposalStep::Answered { id, sha256 } => {
            let name = StateName::proposal(id);
            let standing = workspace.read(&name)?.map(|document| Digest::of(document.bytes()));
            // Text that a person wrote after the answer is theirs.
            if standing.is_some() && standing == *sha256 {
                lease.remove(&name)?;
            }
            list.remove(id);
        }
    }
    lease.replace(&StateName::PROPOSALS, &list.print())
}
