//! The home of a life: what PATH leads to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use noctuary::doctor::Doctor;
use noctuary::edges::EdgeStore;
use noctuary::facts::FactStore;
use noctuary::memory::LearningStore;
use noctuary::workspace::Reach;
use noctuary::{
    Access, FileMemoryStore, FileWorkspace, MemoryStore, Scope, SqliteMemoryStore, SqliteWorkspace, Workspace,
};

use super::config;
use super::output::Trouble;

/// A home that is open.
pub(crate) struct Home {
    pub(crate) path: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) store: Store,
}

/// The memory store of a home.
pub(crate) enum Store {
    File(FileMemoryStore),
    Sqlite(SqliteMemoryStore),
}

/// The verbs of every store.
pub(crate) trait AnyStore: MemoryStore + FactStore + LearningStore {}

impl<S: MemoryStore + FactStore + LearningStore> AnyStore for S {}

impl Store {
    pub(crate) fn any(&self) -> &dyn AnyStore {
        match self {
            Self::File(store) => store,
            Self::Sqlite(store) => store,
        }
    }
}

impl Store {
    /// Returns the store as the home of its edges.
    pub(crate) fn into_edges(self) -> Arc<dyn EdgeStore> {
        match self {
            Self::File(store) => Arc::new(store),
            Self::Sqlite(store) => Arc::new(store),
        }
    }
}

impl Home {
    /// Opens a home that exists.
    pub(crate) fn open(path: &Path, user: Option<&str>) -> Result<Self, Trouble> {
        if !path.exists() {
            let path = path.display();
            return Err(Trouble::failed(format!(
                "cannot open {path}: nothing is there; `noctuary init {path}` makes it"
            )));
        }
        if path.is_file() && path.metadata()?.len() == 0 {
            let path = path.display();
            return Err(Trouble::failed(format!(
                "cannot open {path}: it is an empty file; delete it, or put back a backup"
            )));
        }
        Self::over(path, user)
    }

    /// Opens a home, and makes one that does not exist.
    pub(crate) fn open_or_make(path: &Path, user: Option<&str>) -> Result<Self, Trouble> {
        if path.exists() {
            return Self::open(path, user);
        }
        if is_database(path) {
            let scope = Scope::user(user.unwrap_or("user"));
            return Self::database(path, scope);
        }
        std::fs::create_dir_all(path)
            .map_err(|error| Trouble::failed(format!("cannot create {}: {error}", path.display())))?;
        Self::over(path, user)
    }

    /// Makes a home in memory, to plan what would come into one that does not exist.
    pub(crate) fn in_memory(user: Option<&str>) -> Result<Self, Trouble> {
        let scope = Scope::user(user.unwrap_or("user"));
        Ok(Self {
            path: PathBuf::new(),
            workspace: Arc::new(SqliteWorkspace::open_in_memory(scope.clone())?),
            store: Store::Sqlite(SqliteMemoryStore::open_in_memory(scope.clone())?),
            scope,
        })
    }

    fn over(path: &Path, user: Option<&str>) -> Result<Self, Trouble> {
        let scope = match user {
            Some(user) => Scope::user(user),
            None => only(Doctor::of(path)?.scopes()?)?,
        };
        if path.is_dir() {
            let store = FileMemoryStore::open_with(path, scope.clone(), config::stores()?)?;
            return Ok(Self {
                path: path.to_owned(),
                workspace: Arc::new(FileWorkspace::open(path)?.reaching(Reach::everything())),
                store: Store::File(store),
                scope,
            });
        }
        Self::database(path, scope)
    }

    fn database(path: &Path, scope: Scope) -> Result<Self, Trouble> {
        let store = SqliteMemoryStore::open_with(path, scope.clone(), config::stores()?)?;
        Ok(Self {
            path: path.to_owned(),
            workspace: Arc::new(SqliteWorkspace::open(path, scope.clone())?),
            store: Store::Sqlite(store),
            scope,
        })
    }

    /// Returns the access of the person at the terminal.
    pub(crate) fn owner(&self) -> Access {
        Access::human(self.scope.clone())
    }
}

/// Returns whether a path that does not exist would be a database.
pub(crate) fn is_database(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["db", "sqlite", "sqlite3"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Returns the one life of a home.
pub(crate) fn only(mut scopes: Vec<Scope>) -> Result<Scope, Trouble> {
    match scopes.len() {
        0 => Ok(Scope::user("user")),
        1 => Ok(scopes.remove(0)),
        _ => {
            let users: Vec<&str> = scopes.iter().map(|scope| scope.user.as_str()).collect();
            Err(Trouble::usage(format!("several lives are there: say --user, one of {}", users.join(", "))))
        }
    }
}
