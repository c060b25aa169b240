//! Operations that only a person may ask of a dreamer: the human of a main session. No session of an agent may, and
//! neither may this
//! library for it.

use std::sync::Arc;

use super::dreamer::JournalDreamer;
use crate::base::access::{Access, Actor, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::name::Name;
use crate::dream::commit;
use crate::format::state::intent::Intent;
use crate::gate::Tombstones;
use crate::session;
use crate::workspace::{Claim, Lease, check_scope};

/// Refuses whatever is about `name` to anybody else, the human of another scope included.
pub(crate) fn check(dreamer: &JournalDreamer, access: &Access, name: impl Into<Name>) -> Result<()> {
    let name = name.into();
    check_scope(dreamer.workspace(), access, name.clone())?;
    if access.kind == SessionKind::Main && access.actor == Actor::Human {
        return Ok(());
    }
    Err(Error::Denied { name, kind: access.kind })
}

/// A workspace that is claimed for a person.
pub(crate) struct Claimed {
    pub(crate) lease: Box<dyn Lease>,
    pub(crate) forgotten: Option<Arc<Tombstones>>,
    /// The interrupted commit that is finished now.
    pub(crate) recovered: Option<Intent>,
}

/// Claims the workspace for a person's act on `name`, and finishes what was left half done.
pub(crate) fn claim(dreamer: &JournalDreamer, access: &Access, name: impl Into<Name>) -> Result<Claimed> {
    check(dreamer, access, name)?;
    let workspace = dreamer.workspace();
    let lease = match workspace.claim(&dreamer.config.claim)? {
        Claim::Granted(lease) => lease,
        Claim::Held(_) => return Err(Error::Busy { path: workspace.location() }),
    };
    let forgotten = session::forgotten(workspace)?.map(Arc::new);
    let recovered = commit::recover(workspace, lease.as_ref(), forgotten.as_deref())?;
    commit::take_edits(workspace)?;
    Ok(Claimed { lease, forgotten, recovered })
}
