//! Durable verbs on files: the only place that writes to the file system, behind one small seam.
//!
//! Paths are relative to the root, parted by `/`, and made of checked names or of our own. No verb follows a symbolic
//! link below the root, also not one that is swapped in meanwhile. On unix each folder is opened from the one above it.
//! The seam also tells the time, so that a test can set the clock. Each of its verbs can be made to fail.

pub(crate) mod atomic;
#[cfg(feature = "artifacts")]
mod canonical;
mod contract;
pub(crate) mod host;
mod lock;
#[cfg(any(feature = "doctor", feature = "exchange"))]
mod looking;
pub(crate) mod mark;
#[cfg(feature = "doctor")]
mod mode;
mod os;
#[cfg(not(unix))]
mod os_portable;
#[cfg(unix)]
mod os_unix;

#[cfg(feature = "artifacts")]
pub(crate) use canonical::canonical;
#[cfg(any(test, feature = "testing"))]
pub use contract::Entry;
pub(crate) use contract::STATE_FOLDER;
pub use contract::{Disk, DiskFile, Kind, Open, Stat};
#[cfg(feature = "artifacts")]
pub(crate) use host::token;
#[cfg(any(feature = "doctor", feature = "exchange"))]
pub(crate) use looking::Looking;
#[cfg(feature = "doctor")]
pub(crate) use mode::restrict;
pub(crate) use os::OsDisk;
#[cfg(feature = "sqlite")]
pub(crate) use os::wall_clock;
