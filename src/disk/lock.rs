//! The kernel's advisory file lock. This module alone speaks to it.

use std::fs::File;
use std::io;

/// Frees the lock of an open file at once. Closing it is not enough: a process that another thread is starting
/// holds a copy of the descriptor until it runs, and the lock with it.
pub(super) fn unlock(file: &File) {
    #[cfg(unix)]
    let _ = rustix::fs::flock(file, rustix::fs::FlockOperation::Unlock);
    #[cfg(not(unix))]
    let _ = file.unlock();
}

/// Takes the exclusive lock of an open file; `false` where another open file has it. The kernel frees it
/// when the file is dropped, and at any death of the process.
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    // The standard library locks on fewer systems of this family than the call itself.
    #[cfg(unix)]
    let taken = rustix::fs::flock(file, rustix::fs::FlockOperation::NonBlockingLockExclusive);
    #[cfg(not(unix))]
    let taken = file.try_lock();
    match taken.map_err(io::Error::from) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}
