//! The choice of the operation that fails.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Counts operations, remembers their names, and fails the one that it was told to.
///
/// Clones share the count.
///
/// ```
/// use noctuary::testing::{Fault, Faults};
///
/// let faults = Faults::new();
/// faults.arm(2, Fault::Error(std::io::ErrorKind::StorageFull));
/// assert!(faults.pass("write a").is_ok());
/// assert!(faults.pass("write b").is_err());
/// assert!(faults.pass("write c").is_ok());
/// assert_eq!(faults.seen(), ["write a", "write b", "write c"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Faults(Arc<Plan>);

#[derive(Debug, Default)]
struct Plan {
    count: AtomicU64,
    armed: Mutex<Option<(u64, Fault)>>,
    seen: Mutex<Vec<String>>,
}

/// The way in which an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It alone, with this error, and has no effect.
    Error(io::ErrorKind),
    /// It and all that follow: the process is gone, and nothing more reaches the disk.
    Crash,
}

impl Faults {
    /// Nothing fails.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts counting anew, and lets the `n`-th operation from here fail, from 1.
    pub fn arm(&self, n: u64, fault: Fault) {
        self.disarm();
        *self.0.armed.lock().unwrap_or_else(PoisonError::into_inner) = Some((n, fault));
    }

    /// Starts counting anew, and lets nothing fail.
    pub fn disarm(&self) {
        *self.0.armed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.0.count.store(0, Ordering::SeqCst);
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Returns the operations that were attempted since, in order.
    #[must_use]
    pub fn seen(&self) -> Vec<String> {
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts an operation.
    ///
    /// # Errors
    ///
    /// The fault, where it is this operation's turn.
    pub fn pass(&self, operation: &str) -> io::Result<()> {
        let at = self.0.count.fetch_add(1, Ordering::SeqCst) + 1;
        self.0.seen.lock().unwrap_or_else(PoisonError::into_inner).push(operation.to_owned());
        match *self.0.armed.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((n, Fault::Error(kind))) if n == at => Err(io::Error::new(kind, "a fault of the test")),
            Some((n, Fault::Crash)) if n <= at => Err(io::Error::other("crashed in the test")),
            _ => Ok(()),
        }
    }
}

/// A path without the random part of an unfinished file's name, so that two runs count the same.
pub(super) fn stable(path: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, file)) if crate::disk::atomic::is_temporary(file) => format!("{folder}/(temporary)"),
        None if crate::disk::atomic::is_temporary(path) => "(temporary)".to_owned(),
        _ => path.to_owned(),
    }
}
