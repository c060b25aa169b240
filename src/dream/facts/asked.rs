//! The memory of a dreamer over a memory store: its questions, and the answers.

use crate::base::access::Scope;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::StateName;
use crate::format::state::asked::AskedState;
use crate::gate::TombstoneKey;
use crate::workspace::Workspace;

/// Refuses a scope that is not that of the workspace and of the store, as far as they know theirs. Each run would be
/// denied.
pub(crate) fn check_scope(scope: &Scope, workspace: Option<&Scope>, store: Option<&Scope>) -> Result<()> {
    if workspace.into_iter().chain(store).all(|own| own == scope) {
        return Ok(());
    }
    Err(Error::Config { setting: "scope", rule: "must be the same for the store and the workspace" })
}

/// Reads what a dreamer remembers of what it asked.
pub(crate) fn read(workspace: &dyn Workspace, name: &StateName) -> Result<AskedState> {
    parse(name, workspace.read(name)?.as_ref())
}

pub(crate) fn parse(name: &StateName, document: Option<&Document>) -> Result<AskedState> {
    AskedState::parse(name, document.map(Document::bytes), || hex::encode(TombstoneKey::random().as_bytes()))
}
