//! A store of artifacts inside one SQLite file.

use std::path::Path;
use std::sync::Arc;

use super::rows::SqliteArtifacts;
use super::tables::table;
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::sqlite::backup;
use crate::sqlite::database::Database;
use crate::sqlite::open;
use crate::sqlite::schema::Others;
use crate::store::artifacts::{ArtifactConfig, Shelf, contract_of_artifacts};
use crate::store::check_scope;

/// Artifacts inside one SQLite file, for one scope of it.
///
/// The table is the seed's `chat_artifacts`. If another program has a table of that name with other columns, ours is
/// `memory_artifacts`. The file may be that of a [`SqliteWorkspace`](crate::SqliteWorkspace) or a
/// [`SqliteMemoryStore`](crate::SqliteMemoryStore), and a [backup](Self::backup_to) of one has all of them.
///
/// Each change and its line of the audit are one transaction: what a verb returned survives a power loss. Several processes may
/// use the file at once; a call that waits for longer than [`ArtifactConfig::patience`] gets [`Error::Busy`](crate::Error::Busy).
///
/// ```
/// use chrono::Utc;
/// use noctuary::artifacts::{ArtifactData, ArtifactKind, ArtifactStore, NewArtifact};
/// use noctuary::{Access, Scope, SqliteArtifactStore};
///
/// let store = SqliteArtifactStore::open_in_memory(Scope::user("marta"))?;
/// let agent = Access::agent(Scope::user("marta"));
/// let id = store.insert(&agent, &NewArtifact::new(ArtifactKind::Spreadsheet, "Tides"), Utc::now())?;
/// let sheet = store.mark_completed(&agent, &id, &ArtifactData::csv("hour,metres\n9,1.2\n"), Utc::now())?;
/// assert_eq!(sheet.to_string(), format!("spreadsheet://{id}"));
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct SqliteArtifactStore {
    shelf: Arc<Shelf<SqliteArtifacts>>,
}

impl SqliteArtifactStore {
    /// Opens or makes the file.
    ///
    /// # Errors
    ///
    /// The errors of [`SqliteMemoryStore::open`](crate::SqliteMemoryStore::open).
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Self::open_with(path, scope, ArtifactConfig::default())
    }

    /// As [`open`](Self::open), configured.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, scope: Scope, config: ArtifactConfig) -> Result<Self> {
        let database = open::open(path.as_ref(), config.patience, Others::Adopted, None)?.marked();
        Self::over(database, scope, config)
    }

    /// Makes a store that ends with the process.
    ///
    /// # Errors
    ///
    /// [`Error::Database`](crate::Error::Database).
    pub fn open_in_memory(scope: Scope) -> Result<Self> {
        Self::open_in_memory_with(scope, ArtifactConfig::default())
    }

    /// As [`open_in_memory`](Self::open_in_memory), configured.
    ///
    /// # Errors
    ///
    /// [`Error::Database`](crate::Error::Database).
    pub fn open_in_memory_with(scope: Scope, config: ArtifactConfig) -> Result<Self> {
        Self::over(open::in_memory(config.patience, None)?, scope, config)
    }

    fn over(database: Database, scope: Scope, config: ArtifactConfig) -> Result<Self> {
        check_scope(&scope)?;
        let table = database.read("open", table)?;
        let home = SqliteArtifacts { database, scope: scope.clone(), table };
        Ok(Self { shelf: Arc::new(Shelf::new(home, scope, config)) })
    }

    /// Returns the scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        self.shelf.scope()
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &ArtifactConfig {
        self.shelf.config()
    }

    /// Copies the whole database into a new file, as [`SqliteMemoryStore::backup_to`](crate::SqliteMemoryStore::backup_to)
    /// does: artifacts and all else that is in the file.
    ///
    /// # Errors
    ///
    /// The errors of [`SqliteWorkspace::backup_to`](crate::SqliteWorkspace::backup_to).
    pub fn backup_to(&self, path: impl AsRef<Path>) -> Result<()> {
        backup::backup(&self.shelf.home().database, path.as_ref())
    }
}

contract_of_artifacts!(SqliteArtifactStore);

debug_as!(SqliteArtifactStore, |it| "SqliteArtifactStore({} {})", it.shelf.location(), it.shelf.scope().user);
