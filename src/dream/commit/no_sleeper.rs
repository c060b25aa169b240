//! The place of a sleeper's commit in a build that has none.

use crate::base::error::{Error, Refusal, Result};
use crate::base::name::StateName;
use crate::gate::Tombstones;
use crate::workspace::{Lease, Workspace};

/// Refuses a life whose sleep is half done: what it would still write may hold what was forgotten.
pub(crate) fn recover_sleep(
    workspace: &dyn Workspace,
    _lease: &dyn Lease,
    _forgotten: Option<&Tombstones>,
) -> Result<()> {
    let name = StateName::SLEEP_INTENT;
    match workspace.metadata(&name)? {
        None => Ok(()),
        Some(_) => Err(Error::Refused { path: name.to_string(), reason: Refusal::AsleepHalfway }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::FileWorkspace;
    use crate::workspace::{Claim, ClaimTerms, WriteMode};

    #[test]
    fn a_sleep_that_is_half_done_is_left_to_a_build_that_can_finish_it() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = FileWorkspace::open(folder.path()).unwrap();
        let Claim::Granted(lease) = workspace.claim(&ClaimTerms::default()).unwrap() else {
            panic!("nobody holds it")
        };
        recover_sleep(&workspace, lease.as_ref(), None).unwrap();
        workspace.write(&StateName::SLEEP_INTENT, b"{}", WriteMode::Create).unwrap();
        let error = recover_sleep(&workspace, lease.as_ref(), None).unwrap_err();
        assert!(matches!(error, Error::Refused { reason: Refusal::AsleepHalfway, .. }), "{error}");
        assert_eq!(workspace.read(&StateName::SLEEP_INTENT).unwrap().unwrap().bytes(), b"{}");
    }
}
