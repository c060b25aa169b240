//! The mark beside a store: its contents at the last commit. It tells a store that was emptied or cut short from a new
//! one.
//!
//! It is written after its commit and not synced. So after a crash it is of that commit or an earlier one. The store
//! may hold more. A mark that cannot be read says nothing.

use std::io;

use serde::{Deserialize, Serialize};

use super::atomic;
use super::contract::{Disk, Open};
use crate::base::digest::Hasher;
use crate::base::error::{At, Result};

/// The rows that a store held: `{"v":1,"held":12,"last":["0f3a9c5be2d14477"]}`, and spaces up to a fixed length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    v: u64,
    /// The number of lines or changes.
    pub(crate) held: u64,
    /// Hashes of lines, one of them there: the last one. While the file is written anew, the one before and the one
    /// after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    last: Vec<String>,
    /// A checksum of all that it held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sum: Option<String>,
}

/// In bytes. Written at once over the one that is there, so no reader sees a part of two.
const LENGTH: usize = 128;

impl Mark {
    pub(crate) fn new(held: u64) -> Self {
        Self { v: 1, held, last: Vec::new(), sum: None }
    }

    /// Returns the mark of a file with one line more.
    pub(crate) fn with_line(mut self, line: &[u8]) -> Self {
        self.last.push(hash(line));
        self
    }

    /// Returns the mark with a checksum of all that the store holds.
    pub(crate) fn with_sum(mut self, sum: u64) -> Self {
        self.sum = Some(format!("{sum:016x}"));
        self
    }

    /// Returns whether one of its lines is among those of a file.
    #[must_use]
    pub(crate) fn is_in(&self, file: &[u8]) -> bool {
        // Most often it is the last.
        let mut lines = file.split(|byte| *byte == b'\n').rev().filter(|line| !line.trim_ascii().is_empty());
        self.last.is_empty() || lines.any(|line| self.last.contains(&hash(line)))
    }

    /// Reads the mark of a name; `None` where none can be read.
    pub(crate) fn read(disk: &dyn Disk, path: &str) -> Option<Self> {
        let bytes = atomic::read(disk, path, LENGTH as u64).ok()??;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes it. Survives a power loss some time later.
    pub(crate) fn write(&self, disk: &dyn Disk, path: &str) -> io::Result<()> {
        disk.open(path, Open::Ensure)?.write_at(&self.bytes(), 0)
    }

    /// Writes it. When it returns, it survives a power loss.
    pub(crate) fn write_durably(&self, disk: &dyn Disk, path: &str) -> Result<()> {
        let file = disk.open(path, Open::Ensure).at("open", path)?;
        file.write_at(&self.bytes(), 0).at("write to", path)?;
        file.sync().map_err(atomic::unsynced).at("sync", path)?;
        atomic::sync_folders_of(disk, path)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(self).expect("plain data is always JSON");
        bytes.resize(LENGTH - 1, b' ');
        bytes.push(b'\n');
        bytes
    }
}

/// Returns the hash of a line, not of the whole file: a person may have mended a line of it.
fn hash(line: &[u8]) -> String {
    let mut hasher = Hasher::new();
    hasher.update(line.trim_ascii());
    hasher.finish().short(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_has_the_length_of_all() {
        let longest = Mark::new(u64::MAX).with_line(b"before").with_line(b"after").with_sum(u64::MAX);
        assert_eq!(longest.bytes().len(), LENGTH);
        assert_eq!(Mark::new(0).bytes().len(), LENGTH);
        let read: Mark = serde_json::from_slice(&longest.bytes()).unwrap();
        assert_eq!(read, longest);
        assert!(longest.is_in(b"one\nafter\nlater\n") && longest.is_in(b"before\r\n"));
        assert!(!longest.is_in(b"") && !longest.is_in(b"one\nafte"));
    }
}
