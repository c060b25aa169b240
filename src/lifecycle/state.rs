//! What a life remembers of its own beginning.

use super::rewrite::rewrite;
use crate::document::Document;
use crate::error::Result;
use crate::format::life::LifeState;
use crate::name::StateName;
use crate::workspace::Workspace;

/// What the life remembers.
pub(super) fn life(workspace: &dyn Workspace) -> Result<LifeState> {
    LifeState::parse(workspace.read(&StateName::LIFE)?.as_ref().map(Document::bytes))
}

/// Changes what the life remembers, and returns it; nothing is written where nothing changes.
pub(super) fn remember(workspace: &dyn Workspace, change: impl Fn(&mut LifeState)) -> Result<LifeState> {
    let mut remembered = LifeState::default();
    rewrite(workspace, &StateName::LIFE, |bytes| {
        let before = LifeState::parse(bytes)?;
        remembered = before.clone();
        change(&mut remembered);
        Ok((remembered != before).then(|| remembered.print()))
    })?;
    Ok(remembered)
}
