//! Paths as they are without symbolic links.

use std::io;
use std::path::{Path, PathBuf};

/// Returns a path without symbolic links, also where the end of it does not exist yet.
///
/// # Errors
///
/// As the operating system says.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Err(error), Some(above), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
            let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
            Ok(canonical(above)?.join(name))
        }
        (found, ..) => found,
    }
}
