//! The place where an error of the operating system happened.

use std::fmt;
use std::io;

use super::error::{Error, Result};
use super::reasons::{OpenLimit, Refusal};

/// Adds the place to an error of the operating system.
pub(crate) trait At<T> {
    /// Says what was attempted (`"read"`) and on which path.
    fn at(self, action: &'static str, path: impl fmt::Display) -> Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, action: &'static str, path: impl fmt::Display) -> Result<T> {
        match self {
            Ok(value) => Ok(value),
            Err(source) => Err(placed(source, action, path.to_string())),
        }
    }
}

fn placed(source: io::Error, action: &'static str, path: String) -> Error {
    if let Some(reason) = source.get_ref().and_then(|inner| inner.downcast_ref::<Refusal>()) {
        return Error::Refused { path, reason: *reason };
    }
    match source.downcast::<Unsynced>() {
        Ok(Unsynced(source)) => Error::DurabilityUnknown { path, source },
        Err(source) => match open_limit(&source) {
            Some(limit) => Error::TooManyOpen { action, path, limit },
            None => Error::Io { action, path, source },
        },
    }
}

/// An error of a sync, inside an [`io::Error`] until its place is known.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unsynced(pub(crate) io::Error);

/// Returns the limit in an error of the operating system, if it is a limit on open files.
pub(crate) fn open_limit(error: &io::Error) -> Option<OpenLimit> {
    #[cfg(unix)]
    {
        let errno = rustix::io::Errno::from_io_error(error)?;
        if errno == rustix::io::Errno::MFILE {
            let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile);
            return Some(OpenLimit::Process(limit.current));
        }
        (errno == rustix::io::Errno::NFILE).then_some(OpenLimit::System)
    }
    #[cfg(not(unix))]
    {
        let _ = error;
        None
    }
}
