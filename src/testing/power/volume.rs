//! The content of a disk in memory, and the operations that change it.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::outcome::CrashOutcome;
use crate::testing::faults::stable;

#[derive(Debug, Clone, Default)]
pub(super) struct Volume {
    pub(super) names: BTreeMap<String, Node>,
    pub(super) files: Vec<Content>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Node {
    Folder,
    File(usize),
}

#[derive(Debug, Clone)]
pub(super) struct Content {
    pub(super) bytes: Arc<Vec<u8>>,
    pub(super) modified: DateTime<Utc>,
    pub(super) mode: u32,
    pub(super) owner: (u32, u32),
}

impl Volume {
    /// Does what an operation does for all who look at the living system.
    pub(super) fn apply(&mut self, operation: &Operation) {
        let path = &operation.path;
        match &operation.effect {
            Effect::CreateFolder => drop(self.names.insert(path.clone(), Node::Folder)),
            Effect::Create { file, now } => {
                self.names.insert(path.clone(), Node::File(*file));
                self.add(*now);
            }
            Effect::Rename { file, to } => {
                self.names.remove(path);
                self.names.insert(to.clone(), Node::File(*file));
            }
            Effect::Unlink => drop(self.names.remove(path)),
            Effect::Write(write) => self.write(write, CrashOutcome::Kept),
            Effect::MakeLike { file, mode, owner } => {
                (self.files[*file].mode, self.files[*file].owner) = (*mode, *owner);
            }
            Effect::Sync { .. } | Effect::SyncFolder => {}
        }
    }

    /// Adds an empty file.
    pub(super) fn add(&mut self, now: DateTime<Utc>) {
        self.files.push(Content { bytes: Arc::default(), modified: now, mode: 0o600, owner: (0, 0) });
    }

    pub(super) fn write(&mut self, write: &Write, fate: CrashOutcome) {
        let bytes = match fate {
            CrashOutcome::Lost => return,
            CrashOutcome::Kept => &write.bytes[..],
            CrashOutcome::Torn => &write.bytes[..write.bytes.len() / 2],
            CrashOutcome::Zeroed => &[],
        };
        let content = &mut self.files[write.file];
        content.modified = write.now;
        let standing = Arc::make_mut(&mut content.bytes);
        let end = write.offset + if fate == CrashOutcome::Zeroed { write.bytes.len() } else { bytes.len() };
        if standing.len() < end {
            standing.resize(end, 0);
        }
        standing[write.offset..write.offset + bytes.len()].copy_from_slice(bytes);
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        path.is_empty() || self.names.get(path) == Some(&Node::Folder)
    }
}

#[derive(Debug, Clone)]
pub(super) struct Operation {
    pub(super) path: String,
    pub(super) effect: Effect,
}

#[derive(Debug, Clone)]
pub(super) enum Effect {
    CreateFolder,
    Create { file: usize, now: DateTime<Utc> },
    Rename { file: usize, to: String },
    Unlink,
    Write(Write),
    MakeLike { file: usize, mode: u32, owner: (u32, u32) },
    Sync { file: usize },
    SyncFolder,
}

#[derive(Debug, Clone)]
pub(super) struct Write {
    pub(super) file: usize,
    pub(super) offset: usize,
    pub(super) bytes: Arc<[u8]>,
    pub(super) is_longer: bool,
    pub(super) now: DateTime<Utc>,
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = stable(&self.path);
        match &self.effect {
            Effect::CreateFolder => write!(f, "create folder {path}"),
            Effect::Create { .. } => write!(f, "create {path}"),
            Effect::Rename { to, .. } => write!(f, "rename {path} to {}", stable(to)),
            Effect::Unlink => write!(f, "unlink {path}"),
            Effect::Write(write) => write!(f, "write {} bytes to {path}", write.bytes.len()),
            Effect::MakeLike { .. } => write!(f, "set the mode of {path}"),
            Effect::Sync { .. } => write!(f, "sync {path}"),
            Effect::SyncFolder => write!(f, "sync folder {path}"),
        }
    }
}

pub(super) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
