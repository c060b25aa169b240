//! The hidden files of a folder: those that no document's name leads to.

use std::io::ErrorKind;

use super::lock::LOCK;
use crate::base::error::{At, Result};
use crate::base::group::GroupName;
use crate::base::name::{DocName, Name};
use crate::base::order;
use crate::disk::{Disk, Kind, STATE_FOLDER};
use crate::format::documents::copies::original_of;
use crate::format::state::registry;

/// Returns the hidden files below the root, ascending, except the library's own. Folders of repositories, states of
/// other lives, and folders that cannot be listed are returned by their own names.
pub(super) fn hidden(disk: &dyn Disk) -> Result<Vec<Name>> {
    let mut found = Vec::new();
    let mut plain: Vec<Option<DocName>> = vec![None];
    let mut below: Vec<String> = Vec::new();
    while let Some(folder) = plain.pop() {
        let path = folder.as_ref().map_or("", |name| name.as_str());
        let entries = match disk.list(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries.at("list", path)?,
        };
        for entry in entries {
            match (DocName::within(folder.as_ref(), entry.name), entry.kind) {
                (Ok(name), Kind::Folder) => plain.push(Some(name)),
                (Err(name), kind) if name.starts_with('.') => {
                    let path = if path.is_empty() { name } else { format!("{path}/{name}") };
                    take(path, kind, &mut below, &mut found);
                }
                _ => {}
            }
        }
    }
    while let Some(folder) = below.pop() {
        // A folder that cannot be listed is told of by its name.
        let Ok(entries) = disk.list(&folder) else {
            found.push(Name::hidden(folder));
            continue;
        };
        for entry in entries {
            take(format!("{folder}/{}", entry.name), entry.kind, &mut below, &mut found);
        }
    }
    copies(disk, &mut found)?;
    order::sort(&mut found);
    Ok(found)
}

/// Finds the copies that a sync tool left in the folder of the library's state. Nothing reads them, and they may hold
/// words. A folder that cannot be listed is an error: half of the copies would be merged as if they were all.
fn copies(disk: &dyn Disk, found: &mut Vec<Name>) -> Result<()> {
    let mut folders = vec![STATE_FOLDER.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match disk.list(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries.at("list", &folder)?,
        };
        for entry in entries {
            let path = format!("{folder}/{}", entry.name);
            match entry.kind {
                Kind::Folder => folders.push(path),
                _ if original_of(&path).is_some() => found.push(Name::hidden(path)),
                _ => {}
            }
        }
    }
    Ok(())
}

/// Takes a hidden name: a folder to look into, or a file.
fn take(path: String, kind: Kind, below: &mut Vec<String>, found: &mut Vec<Name>) {
    let name = Name::hidden(path);
    // A group has state of its own, which is reached by its view.
    let own = match GroupName::of_document(name.as_str()) {
        Some(group) => &name.as_str()[group.folder().as_str().len() + 1..],
        None => name.as_str(),
    };
    if registry::of_path(own).is_some() || own == STATE_FOLDER || own.starts_with(LOCK) {
        return;
    }
    // The state of a life below this one has checksums, and that life forgets by itself.
    let is_closed = name.is_repository() || name.file_name() == STATE_FOLDER;
    if kind == Kind::Folder && !is_closed {
        below.push(name.to_string());
    } else {
        found.push(name);
    }
}
