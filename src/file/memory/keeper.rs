//! What stays the same, whatever is read of a file.

use std::sync::Arc;

use crate::disk::Disk;
use crate::memory::MemoryObserver;

/// What stays the same, whatever is read.
#[derive(Clone)]
pub(super) struct Keeper {
    pub(super) disk: Arc<dyn Disk>,
    pub(super) observer: Option<Arc<dyn MemoryObserver>>,
    /// After so many lines, at least, the table is written anew.
    pub(super) every: usize,
}
