//! A file that others change meanwhile, people or processes, is changed by revision.

use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::Name;
use crate::workspace::{Workspace, WriteMode};

/// The most times that another writer may come first.
const ATTEMPTS: u32 = 256;

/// Replaces a document or state file by the result of `change`. If another writer came in between, `change`
/// is applied anew to the present bytes. `false` if `change` leaves it alone.
///
/// When it returns `true`, the new bytes survive a power loss; a crash before leaves the old ones.
pub(crate) fn rewrite(
    workspace: &dyn Workspace,
    name: &Name,
    mut change: impl FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>>,
) -> Result<bool> {
    rewrite_by(workspace, name, &mut change)
}

/// A change of the bytes of a document; `None` leaves them.
type Change<'a> = dyn FnMut(Option<&[u8]>) -> Result<Option<Vec<u8>>> + 'a;

/// The body of [`rewrite`], which is compiled once.
fn rewrite_by(workspace: &dyn Workspace, name: &Name, change: &mut Change<'_>) -> Result<bool> {
    let mut standing = workspace.read(name)?;
    let mut attempt = 0;
    loop {
        let Some(bytes) = change(standing.as_ref().map(Document::bytes))? else {
            return Ok(false);
        };
        let mode = standing.map_or(WriteMode::Create, |document| WriteMode::IfRevision(document.revision()));
        attempt += 1;
        standing = match workspace.write(name, &bytes, mode) {
            Ok(_) => return Ok(true),
            Err(Error::Conflict { current: Some(current), .. }) if attempt < ATTEMPTS => Some(*current),
            Err(Error::Conflict { current: None, .. }) if attempt < ATTEMPTS => workspace.read(name)?,
            Err(error) => return Err(error),
        };
    }
}
