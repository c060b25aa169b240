//! The kernel's advisory file lock. This module alone speaks to fs4.

use std::fs::File;
use std::io;

/// Frees the lock of an open file at once. Closing it is not enough. A process that another thread is starting holds a
/// copy of the descriptor until it runs, and the lock with it.
pub(super) fn unlock(file: &File) {
    let _ = fs4::FileExt::unlock(file);
}

/// Takes the exclusive lock of an open file; `false` where another open file has it. The kernel frees it
/// when the file is dropped, and at any death of the process.
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    // Called by its path: since Rust 1.89 `file.try_lock()` would be the standard library's.
    match fs4::FileExt::try_lock(file) {
        Ok(()) => Ok(true),
        Err(fs4::TryLockError::WouldBlock) => Ok(false),
        Err(fs4::TryLockError::Error(error)) => Err(error),
    }
}
