//! A memory store inside one SQLite file, in the tables of the third seed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::table::SqliteBackend;
use crate::base::access::Scope;
use crate::base::error::{Error, Result};
use crate::memory::IndexState;
use crate::sqlite::backup;
use crate::sqlite::database::Database;
use crate::sqlite::open;
use crate::sqlite::schema::Others;
use crate::store::{Store, StoreConfig, check_scope, forward};

/// A memory store inside one SQLite file, for one scope of it.
///
/// The tables are the seed's: `memories`, `user_profile`, and the FTS5 index `memories_fts`. Any SQLite shell can read
/// it, and keeps it in step when it adds a row. The file may be that of a [`SqliteWorkspace`](crate::SqliteWorkspace):
/// one file is one thing to [back up](Self::backup_to). With two, a store can be rebuilt, and a long purge does not
/// hold up a dream. All users of one file share one connection.
///
/// Both text indexes hold the rows that a search may return, so words of deleted and retired rows count in no frequency. A
/// search reads the word index of its scope, in the tables `memory_terms_…`. Phrases, conditions, lists by time and the syntax
/// of FTS5 read `memories_fts`. So does every search while rows of another program are not in the word index yet: the next
/// change takes them in.
///
/// WAL with `synchronous=FULL`: what a verb returned survives a power loss. Several processes may use the file at
/// once; a call that waits for longer than [`StoreConfig::patience`] gets [`Error::Busy`]. Not for network drives.
///
/// The scope that opens a file first owns it: rows that another program adds without a scope are its own. A call for
/// another scope finds nothing and changes nothing; the audit has a line about its refusal. Give each scope a file of
/// its own. In a shared one, a search by FTS5's own syntax reads past the matches of all.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::memory::{NewMemory, Query, Source};
/// use noctuary::{Access, MemoryStore, Scope, SqliteMemoryStore};
///
/// let store = SqliteMemoryStore::open_in_memory(Scope::user("marta"))?;
/// let access = Access::agent(Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// store.write(&access, &NewMemory::new("preference", "Sets slippage to 0.5%", Source::UserExplicit), now)?;
///
/// let found = store.search(&access, &Query::new("What is my slippage?"))?;
/// assert_eq!(found.hits[0].memory.content, "Sets slippage to 0.5%");
///
/// let group = Access::shared(Scope::user("marta"));
/// assert!(store.search(&group, &Query::new("slippage"))?.hits.is_empty());
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct SqliteMemoryStore {
    pub(super) store: Arc<Store<SqliteBackend>>,
}

impl SqliteMemoryStore {
    #[cfg(any(test, feature = "finance"))]
    pub(super) fn backend(&self) -> &SqliteBackend {
        self.store.backend()
    }

    /// Opens or makes the file. A database of the seed's own program is taken over. Its rows stay, what its metadata
    /// says of a missing source is believed once, and its index is made anew. Its `user_version` stays, and so does
    /// each table of its own, whatever the columns: ours are beside them under other names.
    ///
    /// # Errors
    ///
    /// [`Error::NewerVersion`] for a file of a newer version of this library. [`Error::Corrupt`] for a file that is no
    /// SQLite database or another program's. [`Error::Shrunk`] for one that lacks its last commit.
    /// [`Error::TooManyOpen`]. [`Error::NetworkFileSystem`] for a network drive.
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Self::open_with(path, scope, StoreConfig::default())
    }

    /// As [`open`](Self::open), configured.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, scope: Scope, config: StoreConfig) -> Result<Self> {
        let database =
            open::open(path.as_ref(), config.patience, Others::Adopted, config.max_file_bytes)?.marked();
        Self::over(database, scope, config)
    }

    /// Makes a store that ends with the process.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub fn open_in_memory(scope: Scope) -> Result<Self> {
        Self::open_in_memory_with(scope, StoreConfig::default())
    }

    /// As [`open_in_memory`](Self::open_in_memory), configured.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub fn open_in_memory_with(scope: Scope, config: StoreConfig) -> Result<Self> {
        Self::over(open::in_memory(config.patience, config.max_file_bytes)?, scope, config)
    }

    /// Says where a store is: an explicit argument, else the seed's default `~/.minara/minara.db`. A `~/` at the
    /// front stands for `HOME`.
    ///
    /// ```
    /// use std::path::Path;
    /// use noctuary::SqliteMemoryStore;
    ///
    /// let env = |name: &str| (name == "HOME").then(|| "/home/marta".to_owned());
    /// let path = SqliteMemoryStore::locate(None, env)?;
    /// assert_eq!(path, Path::new("/home/marta/.minara/minara.db"));
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Config`] where `HOME` is needed and not set.
    pub fn locate(argument: Option<&Path>, lookup: impl Fn(&str) -> Option<String>) -> Result<PathBuf> {
        let path = argument.unwrap_or(Path::new("~/.minara/minara.db"));
        let Ok(below_home) = path.strip_prefix("~") else { return Ok(path.to_owned()) };
        let home = lookup("HOME")
            .filter(|home| !home.is_empty())
            .ok_or(Error::Config { setting: "HOME", rule: "must be set to find the memory store" })?;
        Ok(Path::new(&home).join(below_home))
    }

    pub(in crate::sqlite) fn over(database: Database, scope: Scope, config: StoreConfig) -> Result<Self> {
        check_scope(&scope)?;
        let backend = SqliteBackend::over(database, &scope, config.edges.clone())?;
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

    /// Copies the whole database into a new file, as it is at one moment, while others write. It has rows, profile,
    /// audit and indexes of every scope, and documents of a workspace in the same file. As
    /// [`SqliteWorkspace::backup_to`](crate::SqliteWorkspace::backup_to); verbs of this process in the same file wait.
    ///
    /// ```
    /// # use chrono::Utc;
    /// # use noctuary::memory::{NewMemory, Query, Source};
    /// # use noctuary::{Access, MemoryStore, Scope, SqliteMemoryStore};
    /// # let folder = tempfile::tempdir()?;
    /// # let access = Access::agent(Scope::user("marta"));
    /// let store = SqliteMemoryStore::open(folder.path().join("memory.db"), Scope::user("marta"))?;
    /// store.write(&access, &NewMemory::new("preference", "Sets slippage to 0.5%", Source::UserExplicit), Utc::now())?;
    /// store.backup_to(folder.path().join("backup.db"))?;
    ///
    /// let restored = SqliteMemoryStore::open(folder.path().join("backup.db"), Scope::user("marta"))?;
    /// assert_eq!(restored.search(&access, &Query::new("slippage"))?.hits.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`SqliteWorkspace::backup_to`](crate::SqliteWorkspace::backup_to).
    pub fn backup_to(&self, path: impl AsRef<Path>) -> Result<()> {
        backup::backup(self.store.backend().database(), path.as_ref())
    }

    /// [Purges](crate::MemoryStore::purge) what was deleted longer ago than the retention.
    ///
    /// # Errors
    ///
    /// The errors of [`purge`](crate::MemoryStore::purge).
    pub fn purge_expired(&self, now: DateTime<Utc>) -> Result<u64> {
        self.engine().purge_expired(now)
    }

    /// Looks at the whole file: at its pages, and at whether the index says what the rows say. Takes as long as
    /// the file is large.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the file is damaged beyond its index.
    pub fn check(&self) -> Result<IndexState> {
        self.store.backend().check()
    }

    /// Makes the index anew from the rows.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the rows themselves cannot be read.
    pub fn rebuild_index(&self) -> Result<()> {
        self.store.backend().rebuild_index()
    }
}

forward::contracts_of!(SqliteMemoryStore);
forward::vectors_of!(SqliteMemoryStore);

impl fmt::Debug for SqliteMemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SqliteMemoryStore({} {})", self.store.location(), self.store.scope().user)
    }
}
