//! How a state file is changed: by what stands in it, whoever else changes it too.

use crate::document::Document;
use crate::error::{Error, Result};
use crate::format::life::LifeState;
use crate::name::StateName;
use crate::workspace::{Workspace, WriteMode};

/// Replaces a state file by what `change` makes of it; `None` leaves it. Whoever comes in between is read again.
pub(super) fn update(
    workspace: &dyn Workspace,
    name: &StateName,
    mut change: impl FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>>,
) -> Result<()> {
    loop {
        let standing = workspace.read(name)?;
        let Some(bytes) = change(standing.as_ref().map(Document::bytes))? else { return Ok(()) };
        let mode = standing.map_or(WriteMode::Create, |standing| WriteMode::IfRevision(standing.revision()));
        match workspace.write(name, &bytes, mode) {
            Err(Error::Conflict { .. }) => {}
            written => return written.map(drop),
        }
    }
}

/// What the life remembers.
pub(super) fn life(workspace: &dyn Workspace) -> Result<LifeState> {
    LifeState::parse(workspace.read(&StateName::LIFE)?.as_ref().map(Document::bytes))
}

/// Changes what the life remembers, and returns it; nothing is written where nothing changes.
pub(super) fn remember(workspace: &dyn Workspace, change: impl Fn(&mut LifeState)) -> Result<LifeState> {
    let mut remembered = LifeState::default();
    update(workspace, &StateName::LIFE, |bytes| {
        let before = LifeState::parse(bytes)?;
        remembered = before.clone();
        change(&mut remembered);
        Ok((remembered != before).then(|| remembered.print()))
    })?;
    Ok(remembered)
}
