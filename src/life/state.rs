//! The state of a life's beginning.

use super::rewrite::rewrite;
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::name::StateName;
use crate::format::state::life::LifeState;
use crate::workspace::Workspace;

/// Reads the state of the life.
pub(crate) fn life(workspace: &dyn Workspace) -> Result<LifeState> {
    LifeState::parse(workspace.read(&StateName::LIFE)?.as_ref().map(Document::bytes))
}

/// Changes what the life remembers, and returns it; nothing is written where nothing changes.
pub(crate) fn remember(workspace: &dyn Workspace, change: impl Fn(&mut LifeState)) -> Result<LifeState> {
    let mut remembered = LifeState::default();
    rewrite(workspace, &StateName::LIFE, |bytes| {
        let before = LifeState::parse(bytes)?;
        remembered = before.clone();
        change(&mut remembered);
        Ok((remembered != before).then(|| remembered.print()))
    })?;
    Ok(remembered)
}
