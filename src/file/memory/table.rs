//! The rows of a file, while nobody else of this process reads or changes them.

use std::cell::Cell;

use super::lines::Lines;
use super::record::Record;
use crate::base::access::Scope;
use crate::base::error::Result;
use crate::disk::Disk;

/// The rows of a file, while nobody else of this process reads or changes them.
pub(super) struct Table<'a> {
    pub(super) lines: &'a mut Lines,
    pub(super) disk: &'a dyn Disk,
    pub(super) scope: &'a Scope,
    /// The most bytes of the file.
    pub(super) bound: Option<u64>,
    /// Whether the vectors are those on the disk.
    pub(super) knows_vectors: Cell<bool>,
}

impl Table<'_> {
    /// Adds a line, and makes it durable before it counts.
    pub(super) fn append(&mut self, record: Record) -> Result<()> {
        self.lines.append(self.disk, self.scope, record, self.bound)
    }
}
