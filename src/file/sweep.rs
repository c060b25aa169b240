//! The remains of a write that was never ended.

use super::write_guard::write_guard;
use crate::base::error::{At, Result};
use crate::disk::{Disk, STATE_FOLDER, atomic};

/// Removes half-written files of a process that ended while it wrote. A process that still writes one holds the
/// guard.
pub(super) fn sweep(disk: &dyn Disk) -> Result<()> {
    let is_left = match disk.list(STATE_FOLDER) {
        Ok(entries) => entries.iter().any(|entry| atomic::is_temporary(&entry.name)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => return Err(error).at("list", STATE_FOLDER),
    };
    if is_left {
        let _guard = write_guard(disk)?;
        atomic::sweep(disk, STATE_FOLDER)?;
    }
    Ok(())
}
