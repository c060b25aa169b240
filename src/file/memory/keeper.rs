//! The parts of a store that stay the same, whatever is read of its file.

use std::sync::Arc;

use crate::disk::Disk;
use crate::edges::EdgeExtractor;
use crate::memory::MemoryObserver;

/// The parts of a store that stay the same, whatever is read of its file.
#[derive(Clone)]
pub(super) struct Keeper {
    pub(super) disk: Arc<dyn Disk>,
    /// The finder of edges.
    pub(super) edges: Option<Arc<dyn EdgeExtractor>>,
    pub(super) observer: Option<Arc<dyn MemoryObserver>>,
    /// Minimum number of lines after which the table is written anew.
    pub(super) every: usize,
}
