//! A memory store in one file of lines that a person can read: every change adds one.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::backend::FileBackend;
use crate::base::access::Scope;
use crate::base::error::{At, Error, Result};
use crate::disk::{Disk, OsDisk};
use crate::store::{Store, StoreConfig, check_scope, forward};

/// A memory store in a folder, for one scope: the file `.dreaming.d/memories.jsonl`, and what finds its lines.
///
/// Texts are read from the file when they are asked for. A table of the rows and a word index lie beside the file, once
/// it has a thousand lines. Opening reads the table, and the lines that came later. Both are derived: where they are
/// missing or damaged, all lines are read, and the [observer](StoreConfig::observer) hears how far that is. The folder
/// may be that of a [`FileWorkspace`](crate::FileWorkspace).
///
/// Every change adds one line, which is its audit too: when, by whom, from where and why. Earlier content of a row
/// stays in the file until the row is purged. Then its words go from every line, and the lines stay.
///
/// A change appends one line, or with [`write_all`](crate::MemoryStore::write_all) one for each row, and syncs the file
/// once. A purge writes the file anew, and so does a [`forget`](crate::MemoryStore::forget) that finds something. Some
/// changes write the table anew too. When a verb returns, its change survives a power loss; where one fails, the change
/// is there whole or not at all. The next change removes an unfinished line of a crash. A mark beside the file has the
/// hash of its last line. Where that line is missing, the file was cut short, and each verb says [`Error::Shrunk`].
/// Several processes may use the folder at once, and each sees what the others wrote. A call that waits for longer than
/// [`StoreConfig::patience`] gets [`Error::Busy`]. Not for network drives.
///
/// [Vectors](crate::vectors) of an embedder that the host brings are in `memories.vectors` beside the file. It may be
/// removed too: the rows wait for theirs again. A store without an embedder never looks for it, but where words are
/// removed for good.
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
    pub(super) store: Arc<Store<FileBackend>>,
}

impl FileMemoryStore {
    /// Opens an existing folder; the file is made by the first change.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where there is no such folder. [`Error::Corrupt`] where a line of the file is damaged.
    /// [`Error::Shrunk`] where it lacks its last commit. [`Error::NewerVersion`] for a file of a newer version.
    /// [`Error::Refused`] for the file of another scope. [`Error::NetworkFileSystem`] for a network drive.
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

    pub(super) fn over(disk: Arc<dyn Disk>, scope: Scope, config: StoreConfig, every: usize) -> Result<Self> {
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

/// Minimum number of lines after which the table of the rows is written anew.
pub(super) const EVERY: usize = 1000;

forward::contracts_of!(FileMemoryStore);
forward::vectors_of!(FileMemoryStore);

impl fmt::Debug for FileMemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileMemoryStore({} {})", self.store.location(), self.store.scope().user)
    }
}
