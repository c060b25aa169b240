//! The claim of a workspace for as long as something is brought into it or taken out of it.

use crate::base::error::Result;
use crate::workspace::{ClaimTerms, Lease, Workspace, claim_now};

/// Claims a workspace, so that no dream runs meanwhile.
pub(super) fn claim(workspace: &dyn Workspace) -> Result<Box<dyn Lease>> {
    claim_now(workspace, &ClaimTerms::default())
}
