//! The disk in memory as one process sees it, and the record of how it came to be.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::loss::Terms;
use super::volume::{Content, Effect, Node, Operation, Volume, Write};
use crate::base::error::Refusal;
use crate::disk::{Kind, Stat};

/// The disk itself: what a process sees, and the record of how it came to be.
#[derive(Debug)]
pub(super) struct MemoryDrive {
    /// The volume that was durable before the first operation of the record.
    pub(super) base: Arc<Volume>,
    pub(super) record: Vec<Operation>,
    /// The volume that a process sees.
    pub(super) live: Volume,
    /// The locks: each open file with the file that it locks.
    pub(super) locks: BTreeMap<usize, u64>,
    pub(super) opened: u64,
    pub(super) terms: Terms,
}

impl MemoryDrive {
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.terms.begun + self.terms.elapsed
    }

    pub(super) fn run(&mut self, path: &str, effect: Effect) {
        let operation = Operation { path: path.to_owned(), effect };
        self.live.apply(&operation);
        self.record.push(operation);
    }

    pub(super) fn file(&self, path: &str) -> io::Result<usize> {
        match self.live.names.get(path) {
            Some(Node::File(file)) => Ok(*file),
            Some(Node::Folder) => Err(io::Error::new(ErrorKind::InvalidInput, Refusal::NotAFile)),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    pub(super) fn folder(&self, path: &str) -> io::Result<()> {
        match self.live.names.get(path) {
            _ if self.live.is_folder(path) => Ok(()),
            Some(_) => Err(io::Error::new(ErrorKind::InvalidInput, Refusal::NotAFolder)),
            None => Err(ErrorKind::NotFound.into()),
        }
    }

    pub(super) fn stat(&self, file: usize) -> Stat {
        let Content { bytes, modified, mode, owner } = &self.live.files[file];
        let id = (1, file as u64 + 1);
        Stat {
            kind: Kind::File,
            len: bytes.len() as u64,
            modified: *modified,
            mode: *mode,
            owner: *owner,
            id,
        }
    }

    pub(super) fn write(&mut self, path: &str, file: usize, offset: usize, bytes: &[u8]) {
        if !bytes.is_empty() {
            let is_longer = offset + bytes.len() > self.live.files[file].bytes.len();
            let now = self.now();
            self.run(path, Effect::Write(Write { file, offset, bytes: bytes.into(), is_longer, now }));
        }
    }
}
