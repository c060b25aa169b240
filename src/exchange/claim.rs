//! The claim of a workspace for as long as something is brought into it or taken out of it.

use crate::base::error::{Error, Result};
use crate::workspace::{Claim, ClaimTerms, Lease, Workspace};

/// Claims a workspace, so that no dream runs meanwhile.
pub(super) fn claim(workspace: &dyn Workspace) -> Result<Box<dyn Lease>> {
    match workspace.claim(&ClaimTerms::default())? {
        Claim::Granted(lease) => Ok(lease),
        Claim::Held(_) => Err(Error::Busy { path: workspace.location() }),
    }
}
