//! The right of others to a file, taken away.

use std::io;
use std::path::Path;

use crate::base::error::{At, Result};

/// Takes the rights of everybody but the owner from a file or folder; `false` where they had none. A symbolic link is left
/// alone.
pub(crate) fn restrict(folder: &Path, path: &str) -> Result<bool> {
    restrict_at(&folder.join(path)).at("change the mode of", path)
}

/// The bits of everybody but the owner.
#[cfg(unix)]
const OTHERS: u32 = 0o077;

#[cfg(unix)]
fn restrict_at(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;

    let metadata = path.symlink_metadata()?;
    let mode = metadata.permissions().mode();
    if metadata.file_type().is_symlink() || mode & OTHERS == 0 {
        return Ok(false);
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & !OTHERS))?;
    Ok(true)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "as where there are modes")]
fn restrict_at(_path: &Path) -> io::Result<bool> {
    Ok(false)
}
