//! Whether the folders of a host lie apart.

use std::path::Path;

use crate::base::error::{At, Error, Result};
use crate::disk;

/// Checks that no folder of a host is inside another: the workspace, the sandbox of tools, the uploads and the
/// artifacts. Links are followed; a folder that does not exist yet counts as what it will be. (AF-01)
///
/// ```
/// use noctuary::files::roots_apart;
///
/// let data = tempfile::tempdir()?;
/// for folder in ["workspace", "sandbox", "uploads"] {
///     std::fs::create_dir(data.path().join(folder))?;
/// }
/// let [workspace, sandbox, uploads] = ["workspace", "sandbox", "uploads"].map(|folder| data.path().join(folder));
/// roots_apart(&[&workspace, &sandbox, &uploads])?;
/// assert!(roots_apart(&[data.path(), &uploads]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Config`] where two of them share a folder; [`Error::Io`] for one at which nobody may look.
pub fn roots_apart(roots: &[&Path]) -> Result<()> {
    let mut real = Vec::with_capacity(roots.len());
    for root in roots {
        real.push(disk::canonical(root).at("look at", root.display())?);
    }
    for (at, one) in real.iter().enumerate() {
        if real[at + 1..].iter().any(|other| one.starts_with(other) || other.starts_with(one)) {
            return Err(Error::Config { setting: "roots", rule: "must lie apart: one is in another" });
        }
    }
    Ok(())
}
