//! The place of a database: a file, with the guards of its scopes beside it, or the memory of this process.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use crate::base::error::{At, Result};
use crate::disk::{Disk, atomic, wall_clock};

pub(super) enum Home {
    File {
        /// The folder of the file: for the guards, and the clock.
        disk: Arc<dyn Disk>,
        path: PathBuf,
    },
    Memory {
        begun: Instant,
        is_claimed: Arc<AtomicBool>,
    },
}

/// The proof that a holder lives: dropping it gives it back, and a process that dies drops it.
pub(super) struct Guard {
    /// The identity of the file; zeros in memory.
    pub(super) id: (u64, u64),
    pub(super) held: Box<dyn fmt::Debug + Send + Sync>,
}

/// The guard of a database in memory, which has no other process.
#[derive(Debug)]
struct Claimed(Arc<AtomicBool>);

impl Drop for Claimed {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Home {
    pub(super) fn in_memory() -> Self {
        Self::Memory { begun: Instant::now(), is_claimed: Arc::default() }
    }

    /// Returns its name in reports.
    pub(super) fn location(&self) -> String {
        match self {
            Self::File { path, .. } => path.display().to_string(),
            Self::Memory { .. } => ":memory:".to_owned(),
        }
    }

    pub(super) fn clock(&self) -> DateTime<Utc> {
        match self {
            Self::File { disk, .. } => disk.clock(),
            Self::Memory { .. } => wall_clock(),
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        match self {
            Self::File { disk, .. } => disk.elapsed(),
            Self::Memory { begun, .. } => begun.elapsed(),
        }
    }

    /// Takes the guard of this name; `None` while somebody holds it.
    pub(super) fn guard(&self, name: &str) -> Result<Option<Guard>> {
        match self {
            Self::File { disk, .. } => {
                let Some(file) = atomic::lock_named(disk.as_ref(), name)? else { return Ok(None) };
                let id = file.stat().at("look at", name)?.id;
                Ok(Some(Guard { id, held: Box::new(file) }))
            }
            Self::Memory { is_claimed, .. } if is_claimed.swap(true, Ordering::Acquire) => Ok(None),
            Self::Memory { is_claimed, .. } => {
                Ok(Some(Guard { id: (0, 0), held: Box::new(Claimed(Arc::clone(is_claimed))) }))
            }
        }
    }

    /// Returns whether the guard with this id still has the name.
    pub(super) fn is_guard(&self, name: &str, id: (u64, u64)) -> Result<bool> {
        match self {
            Self::File { disk, .. } => {
                Ok(disk.stat(name).at("look at", name)?.is_some_and(|named| named.id == id))
            }
            Self::Memory { .. } => Ok(true),
        }
    }
}
