//! A memory store in one file of lines that a person can read: every change adds one.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::backend::FileBackend;
use super::prefix::Prefix;
use super::record::is_merged;
use crate::base::access::{Access, Scope};
use crate::base::error::{At, Error, Result};
use crate::base::name::StateName;
use crate::disk::mark::Mark;
use crate::disk::{Disk, Open, OsDisk, atomic};
use crate::memory::AuditOutcome;
use crate::store::{Store, StoreConfig, check_scope, forward};

/// A memory store in a folder, for one scope: the file `.dreaming.d/memories.jsonl`, and what finds its lines.
///
/// Texts are read from the file when they are asked for. A table of the rows and a word index lie beside the file, once it has a
/// thousand lines; opening reads the table, and the lines that came later. Both are derived: where they are missing or
/// damaged, all lines are read, and the [observer](StoreConfig::observer) hears how far that is. The folder may be that of a [`FileWorkspace`](crate::FileWorkspace).
///
/// Every change adds one line, which is its audit too: when, by whom, from where and why. Earlier content of a row
/// stays in the file until the row is purged; then its words go from every line, and the lines stay.
///
/// A change appends one line, or with [`write_all`](crate::MemoryStore::write_all) one for each row, and syncs the file once; a purge writes the file anew, and so does a [`forget`](crate::MemoryStore::forget) that finds something. Some changes write the table anew too. When a verb returns, its change
/// survives a power loss; where one fails, the change is there whole or not at all. The next change removes an
/// unfinished line of a crash. A mark beside the file says what its last line was: where that is
/// missing, the file was emptied or cut short, and each verb says [`Error::Shrunk`]. Several processes may use the folder at once, each sees what
/// the others wrote, and a call that waits for longer than [`StoreConfig::patience`] gets [`Error::Busy`]. Not for network
/// drives.
///
/// [Vectors](crate::vectors) of an embedder that the host brings are in `memories.vectors` beside the file, which may be removed too:
/// the rows wait for theirs again. A store without an embedder never looks for it, but where words are removed for good.
///
/// The scope that opens a folder first owns it: a verb for any other scope finds nothing, and writes nothing.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::memory::{NewMemory, Query, Source};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let access = Access::agent(Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// store.write(&access, &NewMemory::new("preference", "Sets slippage to 0.5%", Source::UserExplicit), now)?;
///
/// let found = store.search(&access, &Query::new("What is my slippage?"))?;
/// assert_eq!(found.hits[0].memory.content, "Sets slippage to 0.5%");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FileMemoryStore {
    store: Arc<Store<FileBackend>>,
}

impl FileMemoryStore {
    /// Opens an existing folder; the file is made by the first change.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where there is no such folder, [`Error::Corrupt`] where a line of the file is damaged,
    /// [`Error::Shrunk`] where it lacks its last commit, [`Error::NewerVersion`] for a file of a newer version, [`Error::Refused`] for the file of another scope,
    /// [`Error::NetworkFileSystem`] for a network drive.
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Self::open_with(path, scope, StoreConfig::default())
    }

    /// As [`open`](Self::open), configured.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, scope: Scope, config: StoreConfig) -> Result<Self> {
        let path = path.as_ref();
        let disk = OsDisk::open(path).at("open", path.display())?;
        Self::over(Arc::new(disk), scope, config, EVERY)
    }

    /// Opens a store over another disk: one that fails.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    #[cfg(any(test, feature = "testing"))]
    #[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
    pub fn on_disk(disk: Arc<dyn Disk>, scope: Scope, config: StoreConfig) -> Result<Self> {
        Self::over(disk, scope, config, EVERY)
    }

    /// Opens a store over another disk, which writes its table anew after so few lines.
    #[cfg(test)]
    pub(super) fn every(disk: Arc<dyn Disk>, scope: Scope, every: usize) -> Result<Self> {
        Self::over(disk, scope, StoreConfig::default(), every)
    }

    /// Opens a store to be looked at, over a disk that refuses to write.
    pub(crate) fn looked_at(disk: Arc<dyn Disk>, scope: Scope, config: StoreConfig) -> Result<Self> {
        Self::over(disk, scope, config, EVERY)
    }

    /// Returns whether the lines are those of the last commit, by the checksum in the mark; `true` where there is none, and for a file
    /// that was merged, which another machine may have written since.
    pub(crate) fn is_as_written(disk: &dyn Disk) -> Result<bool> {
        let marked = || Mark::read(disk, StateName::MEMORIES_MARK.as_str());
        let mark = marked();
        let Some((held, sum)) = mark.clone().and_then(|mark| Some((mark.held, mark.sum?))) else {
            return Ok(true);
        };
        let lines = atomic::read(disk, StateName::MEMORIES.as_str(), u64::MAX - 1)?.unwrap_or_default();
        if is_merged(&lines) {
            return Ok(true);
        }
        let mut read = Prefix::default();
        let held = usize::try_from(held).unwrap_or(usize::MAX);
        lines.split_inclusive(|byte| *byte == b'\n').take(held).for_each(|line| read.push(line));
        // One that was cut short is told by its last line; and somebody may have written meanwhile.
        let is_sound = read.count < held || format!("{:016x}", read.edition()) == sum;
        Ok(is_sound || marked() != mark)
    }

    /// Returns whose rows a folder holds, by the first line of its file; `None` where there is none that can be read.
    pub(crate) fn owner(disk: &dyn Disk) -> Option<Scope> {
        #[derive(serde::Deserialize)]
        struct First {
            scope: Scope,
        }
        let file = disk.open(StateName::MEMORIES.as_str(), Open::Read).ok()?;
        let head = atomic::read_range(file.as_ref(), 0, 16 << 10).ok()?;
        let line = head.split(|byte| *byte == b'\n').next()?;
        serde_json::from_slice::<First>(line).ok().map(|first| first.scope)
    }

    fn over(disk: Arc<dyn Disk>, scope: Scope, config: StoreConfig, every: usize) -> Result<Self> {
        check_scope(&scope)?;
        let root = disk.root().display().to_string();
        if let Some(file_system) = disk.network().at("look at", &root)? {
            return Err(Error::NetworkFileSystem { path: root, file_system });
        }
        let backend = FileBackend::over(disk, &scope, &config, every)?;
        Ok(Self { store: Arc::new(Store::new(backend, scope, config)) })
    }

    /// Returns the scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        self.store.scope()
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &StoreConfig {
        self.store.config()
    }

    /// [Purges](crate::MemoryStore::purge) what was deleted longer ago than the retention.
    ///
    /// # Errors
    ///
    /// The errors of [`purge`](crate::MemoryStore::purge).
    pub fn purge_expired(&self, now: DateTime<Utc>) -> Result<u64> {
        self.engine().purge_expired(now)
    }
}

/// After so many lines, at least, the table of the rows is written anew.
const EVERY: usize = 1000;

impl FileMemoryStore {
    /// Returns the engine, for a bundle.
    pub(crate) fn engine(&self) -> &Store {
        &*self.store
    }

    /// Adds a line to the audit, of what was done around the store.
    pub(crate) fn tell(
        &self,
        access: &Access,
        action: &str,
        outcome: AuditOutcome,
        now: DateTime<Utc>,
    ) -> Result<()> {
        self.engine().tell(access, action, outcome, now)
    }
}

forward::contracts_of!(FileMemoryStore);
forward::vectors_of!(FileMemoryStore);

impl fmt::Debug for FileMemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileMemoryStore({} {})", self.store.location(), self.store.scope().user)
    }
}
