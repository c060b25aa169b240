//! Files in a folder that is no workspace.

use super::{sync_folders_of, temporary_beside, write};
use crate::base::error::{At, Result};
use crate::disk::Disk;

/// As [`replace`](super::replace), with the unfinished file beside it, in a folder that is no workspace.
pub(crate) fn replace_beside(disk: &dyn Disk, path: &str, bytes: &[u8]) -> Result<()> {
    let standing = disk.stat(path).at("look at", path)?;
    let temporary = temporary_beside(path);
    write(disk, &temporary, bytes, standing.as_ref())
        .and_then(|()| disk.rename(&temporary, path))
        .inspect_err(|_| {
            let _ = disk.unlink(&temporary);
        })
        .at("replace", path)?;
    sync_folders_of(disk, path)
}
