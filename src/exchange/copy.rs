//! Copying a life from one home to another.

use super::claim::claim;
use crate::base::access::Scope;
use crate::base::error::{Error, Result};
use crate::base::group::GroupName;
use crate::base::name::Name;
use crate::format::state::registry::{self, Copied};
use crate::gate::{FORGOTTEN, Tombstones};
use crate::session::{self, GroupView};
use crate::workspace::{Workspace, WriteMode};

/// Copies all documents and the library's state from one workspace to another, byte for byte. Returns how many
/// documents of the source the target has now, those included that were there already with the same bytes.
///
/// Statements that the source has forgotten stay forgotten in the target: in documents. The tombstones of a memory
/// store stay behind with its rows. A new store beside the target knows none of them until it is asked to forget too.
/// Where the target has forgotten something itself, a document that holds it is refused. Earlier versions stay in the
/// source.
///
/// Both are claimed meanwhile, so that no dream runs in between. The ledger goes along: what a model was shown in one
/// home is not shown again in the other. An entry that has no place in a workspace (links, devices, names that are no
/// document names) is left out. So are the rows of a memory store, also of one in the same folder or database: they go
/// by `copy_rows`. Call it again to finish an interrupted copy, unless the source changed, or anything was written in
/// the target. The copy belongs to the scope of the target, not to the earlier one.
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use noctuary::exchange::copy_into;
/// use noctuary::{DocName, FileWorkspace, Scope, SqliteWorkspace, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let files = FileWorkspace::open(folder.path())?;
/// files.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create)?;
///
/// let other = tempfile::tempdir()?;
/// let database = SqliteWorkspace::open(other.path().join("life.db"), Scope::user("marta"))?;
/// assert_eq!(copy_into(&files, &database)?, 1);
/// assert_eq!(database.read(&DocName::SOUL)?.unwrap().bytes(), b"# Soul\n");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Conflict`] where a document of the same name with other content is in the target: then nothing is copied.
/// [`Error::Stopped`] for a document with a statement that the target has forgotten. [`Error::Busy`] where somebody
/// dreams in either.
pub fn copy_into(source: &dyn Workspace, target: &dyn Workspace) -> Result<u64> {
    let (_from, _to) = (claim(source)?, claim(target)?);
    check_place(source, target)?;
    copy_state(Copied::First, source, target, None)?;
    for group in session::groups(source)? {
        copy_state(Copied::First, &group_of(source, &group), &group_of(target, &group), None)?;
    }
    // A statement that both have forgotten may still be in the documents of a person, and stays hidden in either home.
    let theirs = session::forgotten(source)?;
    let forgotten = session::forgotten(target)?.filter(|ours| Some(ours) != theirs.as_ref());
    let forgotten = forgotten.as_ref();
    let mut copied = 0;
    for listing in session::walk(source, None, |_| true) {
        for name in &listing?.1.documents {
            copied += u64::from(copy(source, target, name, forgotten)?);
        }
    }
    if forgotten.is_none() {
        copy_state(Copied::AsVersion, source, target, None)?;
    }
    // Else the journals of proposals would count as read in the target, and their lines be nowhere.
    copy_state(Copied::AsText, source, target, forgotten)?;
    copy_state(Copied::Last, source, target, None)?;
    for group in session::groups(source)? {
        let (from, to) = (group_of(source, &group), group_of(target, &group));
        copy_state(Copied::AsVersion, &from, &to, None)?;
        let forgotten = session::forgotten(&to)?
            .filter(|ours| Some(ours) != session::forgotten(&from).ok().flatten().as_ref());
        copy_state(Copied::AsText, &from, &to, forgotten.as_ref())?;
        copy_state(Copied::Last, &from, &to, None)?;
    }
    Ok(copied)
}

/// Checks that no document of the target is in the way, before anything is written.
fn check_place(source: &dyn Workspace, target: &dyn Workspace) -> Result<()> {
    for listing in session::walk(target, None, |_| true) {
        for name in &listing?.1.documents {
            let Some(here) = source.read(name)? else { continue };
            let Some(there) = target.read(name)?.filter(|there| there.bytes() != here.bytes()) else {
                continue;
            };
            return Err(Error::Conflict { name: name.clone().into(), current: Some(Box::new(there)) });
        }
    }
    Ok(())
}

/// Returns the view of a group of a life. A copy does not look at its owner.
fn group_of<'w>(workspace: &'w dyn Workspace, group: &GroupName) -> GroupView<&'w dyn Workspace> {
    let owner = workspace.scope().cloned().unwrap_or_else(|| Scope::user(""));
    GroupView::new(workspace, &owner, group)
}

/// Copies the state files that are copied in one way.
fn copy_state(
    copied: Copied,
    source: &dyn Workspace,
    target: &dyn Workspace,
    forgotten: Option<&Tombstones>,
) -> Result<()> {
    for file in registry::rows(copied) {
        for name in file.names_in(|name| source.read(name))? {
            copy(source, target, &name, forgotten)?;
        }
    }
    Ok(())
}

/// Copies one name; `false` if nothing is there now.
fn copy(
    source: &dyn Workspace,
    target: &dyn Workspace,
    name: &Name,
    forgotten: Option<&Tombstones>,
) -> Result<bool> {
    let Some(document) = source.read(name)? else { return Ok(false) };
    if forgotten.is_some_and(|forgotten| forgotten.holds(&String::from_utf8_lossy(document.bytes()))) {
        return Err(Error::Stopped {
            name: name.clone(),
            classes: vec![FORGOTTEN.to_owned()],
            places: Box::default(),
        });
    }
    match target.write(name, document.bytes(), WriteMode::Create) {
        // Documents of an earlier, interrupted copy.
        Err(Error::Conflict { current: Some(current), .. }) if current.revision() == document.revision() => {
            Ok(true)
        }
        Err(error) => Err(error),
        Ok(_) => Ok(true),
    }
}
