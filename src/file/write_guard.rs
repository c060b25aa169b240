//! The short lock of every mutation, which all processes take.

use std::time::Duration;

use crate::base::error::{Error, Result};
use crate::disk::{Disk, DiskFile, atomic};

/// The file that is locked.
const WRITE_GUARD: &str = ".dreaming.d/write-guard";
/// The time that a mutation waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);

/// Takes the write guard; it is free again when the file is dropped.
pub(super) fn write_guard(disk: &dyn Disk) -> Result<Box<dyn DiskFile>> {
    write_guard_within(disk, PATIENCE)
}

/// As [`write_guard`], waiting for so long.
pub(super) fn write_guard_within(disk: &dyn Disk, patience: Duration) -> Result<Box<dyn DiskFile>> {
    atomic::create_folder_of(disk, WRITE_GUARD)?;
    let begun = disk.elapsed();
    let mut pause = Duration::from_micros(50);
    loop {
        if let Some(file) = atomic::lock_named(disk, WRITE_GUARD)? {
            return Ok(file);
        }
        if disk.elapsed().saturating_sub(begun) > patience {
            return Err(Error::Busy { path: WRITE_GUARD.to_owned() });
        }
        disk.pause(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}
