//! The home of a life: what PATH leads to.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use noctuary::artifacts::ArtifactStore;
use noctuary::doctor::Doctor;
use noctuary::edges::EdgeStore;
use noctuary::exchange::{FeedReport, StoredRows, feed};
use noctuary::facts::FactStore;
use noctuary::learning::{MethodStore, PreferenceStore, RoleStore};
use noctuary::life::{GroupName, GroupView};
use noctuary::memory::{Filter, LearningStore};
use noctuary::pages::{Learned, Pages};
use noctuary::postgres::{Postgres, PostgresMemoryStore};
use noctuary::vectors::VectorStore;
use noctuary::workspace::{Listing, Reach};
use noctuary::{
    Access, DocName, FileArtifactStore, FileMemoryStore, FileWorkspace, MemoryStore, Scope,
    SqliteArtifactStore, SqliteMemoryStore, SqliteWorkspace, Workspace,
};

use super::output::{At, Trouble, notice};
use super::place::{Place, Whose, listed};

/// A home that is open.
pub(crate) struct Home {
    pub(crate) scope: Scope,
    pub(crate) workspace: Arc<dyn Workspace>,
    pub(crate) store: Store,
}

/// The memory store of a home.
pub(crate) enum Store {
    File(FileMemoryStore),
    Sqlite(SqliteMemoryStore),
    Postgres(PostgresMemoryStore),
}

/// The verbs of every store.
pub(crate) trait AnyStore:
    MemoryStore + FactStore + LearningStore + MethodStore + PreferenceStore
{
}

impl<S: MemoryStore + FactStore + LearningStore + MethodStore + PreferenceStore> AnyStore for S {}

impl Store {
    pub(crate) fn any(&self) -> &dyn AnyStore {
        match self {
            Self::File(store) => store,
            Self::Sqlite(store) => store,
            Self::Postgres(store) => store,
        }
    }

    /// Returns the vectors of its rows.
    pub(crate) fn vectors(&self) -> &dyn VectorStore {
        match self {
            Self::File(store) => store,
            Self::Sqlite(store) => store,
            Self::Postgres(store) => store,
        }
    }

    /// Returns the store as its rows travel.
    pub(crate) fn rows(&self) -> StoredRows<'_> {
        match self {
            Self::File(store) => store.into(),
            Self::Sqlite(store) => store.into(),
            Self::Postgres(store) => store.into(),
        }
    }

    /// Returns pages over its rows, and over its rules, methods and lessons.
    pub(crate) fn into_pages(self) -> Pages {
        match self {
            Self::File(store) => pages(&Arc::new(store)),
            Self::Sqlite(store) => pages(&Arc::new(store)),
            Self::Postgres(store) => pages(&Arc::new(store)),
        }
    }
}

fn pages<S: EdgeStore + MethodStore + PreferenceStore + RoleStore + 'static>(store: &Arc<S>) -> Pages {
    Pages::new(Arc::<S>::clone(store)).source(Arc::new(Learned::new(Arc::clone(store))))
}

impl Home {
    /// Opens a home that exists, or the group of it that is named.
    pub(crate) fn open(place: &Place, whose: Whose<'_>) -> Result<Self, Trouble> {
        let home = Self::whole(place, whose)?;
        let Some(name) = whose.group else { return Ok(home) };
        let known = home.groups()?;
        if let Some(group) = known.iter().find(|known| known.to_string() == name) {
            return home.into_group(place, group, whose);
        }
        let known = known.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let known = if known.is_empty() { "none".to_owned() } else { known };
        Err(Trouble::of("no_group", &[place, &name, &known]))
    }

    /// Opens a home that exists, or the group of it that is named, also one that begins.
    pub(crate) fn begun(place: &Place, whose: Whose<'_>) -> Result<Self, Trouble> {
        let home = Self::whole(place, whose)?;
        match whose.group {
            Some(name) => {
                let group = GroupName::parse(name).map_err(noctuary::Error::from)?;
                if let Place::Path(path) = place
                    && path.is_dir()
                {
                    // By the workspace, which follows no link out of the home.
                    if let Err(error @ noctuary::Error::Refused { .. }) = home.in_groups()? {
                        return Err(error.into());
                    }
                    let folder = path.join(group.folder().as_str());
                    std::fs::create_dir_all(&folder).at("create", &folder)?;
                }
                home.into_group(place, &group, whose)
            }
            None => Ok(home),
        }
    }

    fn whole(place: &Place, whose: Whose<'_>) -> Result<Self, Trouble> {
        Self::find(place, whose)?.ok_or_else(|| nothing_at(place, whose))
    }

    /// Returns whether the life has a document or a row.
    fn is_begun(&self) -> Result<bool, Trouble> {
        let listing = self.workspace.list(None)?;
        let is_bare = listing.documents.is_empty() && listing.folders.is_empty();
        Ok(!is_bare || !self.store.any().list(&self.owner(), &Filter::limit(1))?.is_empty())
    }

    /// Lists the folder of the groups.
    fn in_groups(&self) -> Result<noctuary::Result<Listing>, Trouble> {
        let folder = DocName::parse("groups").map_err(noctuary::Error::from)?;
        Ok(self.workspace.list(Some(&folder)))
    }

    /// Returns the groups of the life.
    pub(crate) fn groups(&self) -> Result<Vec<GroupName>, Trouble> {
        Ok(self.groups_and_others()?.0)
    }

    /// Returns the groups of the life, and the folders beside theirs.
    pub(crate) fn groups_and_others(&self) -> Result<(Vec<GroupName>, Vec<String>), Trouble> {
        let (mut groups, mut others) = (Vec::new(), Vec::new());
        let listing = match self.in_groups()? {
            Err(noctuary::Error::NotFound { .. } | noctuary::Error::Refused { .. }) => {
                return Ok((groups, others));
            }
            listing => listing?,
        };
        for folder in &listing.folders {
            match GroupName::parse(folder.file_name()) {
                Ok(group) => groups.push(group),
                Err(_) => others.push(folder.to_string()),
            }
        }
        Ok((groups, others))
    }

    /// Turns it into the home of a group: its documents and state, and its own rows.
    fn into_group(self, place: &Place, group: &GroupName, whose: Whose<'_>) -> Result<Self, Trouble> {
        let scope = self.scope.group(group);
        let config = whose.stores()?;
        let store = match place {
            Place::Path(path) if path.is_dir() => {
                let folder = path.join(group.folder().as_str());
                Store::File(FileMemoryStore::open_with(folder, scope.clone(), config)?)
            }
            Place::Path(path) => Store::Sqlite(SqliteMemoryStore::open_with(path, scope.clone(), config)?),
            Place::Server(address) => {
                Store::Postgres(connect(address, whose)?.memory_with(scope.clone(), config)?)
            }
        };
        let workspace = Arc::new(GroupView::new(self.workspace, &self.scope, group));
        Ok(Self { scope, workspace, store })
    }

    /// Opens the documents and the state of an existing home. Its memory store stays closed: a copy of it may wait
    /// to be merged.
    pub(crate) fn workspace(place: &Place, whose: Whose<'_>) -> Result<Arc<dyn Workspace>, Trouble> {
        whose.is_about(place);
        match place {
            Place::Path(path) if path.is_dir() => {
                Ok(Arc::new(FileWorkspace::open(path)?.reaching(Reach::everything())))
            }
            _ => Ok(Self::open(place, whose)?.workspace),
        }
    }

    /// Opens a home; `None` where nothing is there, or not the life that is named.
    pub(crate) fn find(place: &Place, whose: Whose<'_>) -> Result<Option<Self>, Trouble> {
        whose.is_about(place);
        let path = match place {
            Place::Path(path) => path,
            Place::Server(address) => return Self::find_on_server(address, whose),
        };
        if !path.exists() {
            return Ok(None);
        }
        if path.is_file() && path.metadata().at("read", path)?.len() == 0 {
            return Err(Trouble::of("empty_file", &[place]));
        }
        unlock(path, whose)?;
        // All lives of a database are listed from a copy in memory: not for one that is named and has something.
        if path.is_file()
            && let Some(scope) = whose.named()
        {
            let home = Self::over(path, scope, whose)?;
            // Where it is damaged, the command itself says so.
            if home.is_begun().unwrap_or(true) {
                return Ok(Some(home));
            }
        }
        let Some(scope) = whose.among(Doctor::of(path)?.scopes()?)? else { return Ok(None) };
        Self::over(path, scope, whose).map(Some)
    }

    /// Opens a home, and makes one that does not exist.
    pub(crate) fn open_or_make(place: &Place, whose: Whose<'_>) -> Result<Self, Trouble> {
        whose.is_about(place);
        let path = match place {
            Place::Path(path) => path,
            Place::Server(address) => return Self::make_on_server(address, whose),
        };
        if path.exists() {
            // A life beside others, in their file.
            return match Self::find(place, whose)? {
                Some(home) => Ok(home),
                None => Self::over(path, whose.or_user(), whose),
            };
        }
        if is_database(path) {
            unlock(path, whose)?;
            return Self::database(path, whose.or_user(), whose);
        }
        std::fs::create_dir_all(path).at("create", path)?;
        Self::over(path, whose.or_user(), whose)
    }

    /// Opens the home that an import goes into; for a plan, one in memory where there is none.
    pub(crate) fn target(place: &Place, apply: bool, whose: Whose<'_>) -> Result<Self, Trouble> {
        // A group is one of a life that is there.
        match (apply, whose.group) {
            (true, Some(_)) => Self::begun(place, whose),
            (true, None) => Self::open_or_make(place, whose),
            (false, Some(_)) => match Self::open(place, whose) {
                Err(trouble) if trouble.is("no_group") => Self::in_memory(whose),
                opened => opened,
            },
            (false, None) => Self::find(place, whose)?.map_or_else(|| Self::in_memory(whose), Ok),
        }
    }

    fn in_memory(whose: Whose<'_>) -> Result<Self, Trouble> {
        let scope = whose.or_user();
        Ok(Self {
            workspace: Arc::new(SqliteWorkspace::open_in_memory(scope.clone())?),
            store: Store::Sqlite(SqliteMemoryStore::open_in_memory(scope.clone())?),
            scope,
        })
    }

    fn over(path: &Path, scope: Scope, whose: Whose<'_>) -> Result<Self, Trouble> {
        if path.is_dir() {
            let store = FileMemoryStore::open_with(path, scope.clone(), whose.stores()?)?;
            return Ok(Self {
                workspace: Arc::new(FileWorkspace::open(path)?.reaching(Reach::everything())),
                store: Store::File(store),
                scope,
            });
        }
        Self::database(path, scope, whose)
    }

    fn database(path: &Path, scope: Scope, whose: Whose<'_>) -> Result<Self, Trouble> {
        let store = SqliteMemoryStore::open_with(path, scope.clone(), whose.stores()?)?;
        Ok(Self {
            workspace: Arc::new(SqliteWorkspace::open(path, scope.clone())?),
            store: Store::Sqlite(store),
            scope,
        })
    }

    /// Opens its charts, spreadsheets and reports.
    pub(crate) fn artifacts(
        &self,
        place: &Place,
        whose: Whose<'_>,
    ) -> Result<Box<dyn ArtifactStore>, Trouble> {
        let scope = self.scope.clone();
        Ok(match place {
            Place::Path(path) if path.is_dir() => {
                // In the folder of the life, a group's forgetting would be one of the life.
                let group = scope.group_name();
                let folder = group.map_or_else(|| path.clone(), |group| path.join(group.folder().as_str()));
                Box::new(FileArtifactStore::open(folder, scope)?)
            }
            Place::Path(path) => Box::new(SqliteArtifactStore::open(path, scope)?),
            Place::Server(address) => Box::new(connect(address, whose)?.artifacts(scope)?),
        })
    }

    /// Makes the rows of the store follow the lines that dreams promoted.
    pub(crate) fn feed(&self, now: DateTime<Utc>) -> Result<FeedReport, Trouble> {
        Ok(feed(self.workspace.as_ref(), self.store.any(), &self.scope, now)?)
    }

    /// Does so where the home keeps rows: a database or a server, or a folder whose store was ever written to.
    pub(crate) fn feed_where_rows_are(&self, now: DateTime<Utc>) -> Result<(), Trouble> {
        let is_kept = match &self.store {
            Store::File(store) => !store.audit(&self.owner(), 1)?.is_empty(),
            Store::Sqlite(_) | Store::Postgres(..) => true,
        };
        if is_kept {
            self.feed(now)?;
        }
        Ok(())
    }

    /// Returns the access of the person at the terminal.
    pub(crate) fn owner(&self) -> Access {
        Access::human(self.scope.clone())
    }
}

impl Home {
    fn find_on_server(address: &str, whose: Whose<'_>) -> Result<Option<Self>, Trouble> {
        let server = connect(address, whose)?;
        let scope = whose.on_server();
        if !server.pending()?.is_empty() || !server.has_life(&scope)? {
            return Ok(None);
        }
        Self::on_server(&server, scope, whose).map(Some)
    }

    fn make_on_server(address: &str, whose: Whose<'_>) -> Result<Self, Trouble> {
        let server = connect(address, whose)?;
        server.migrate()?;
        Self::on_server(&server, whose.on_server(), whose)
    }

    fn on_server(server: &Postgres, scope: Scope, whose: Whose<'_>) -> Result<Self, Trouble> {
        let workspace = server.workspace(scope.clone())?;
        let store = server.memory_with(scope.clone(), whose.stores()?)?;
        Ok(Self { workspace: Arc::new(workspace), store: Store::Postgres(store), scope })
    }
}

/// Gives the library the key of a database, where the settings have one. One that stands there without encryption is opened so.
pub(crate) fn unlock(path: &Path, whose: Whose<'_>) -> Result<(), Trouble> {
    const PLAIN: &[u8] = b"SQLite format 3\0";
    // Once, before it is opened: to close another handle of an open database drops its locks.
    static SEEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if path.is_dir() || !SEEN.lock().is_ok_and(|mut seen| seen.insert(path.to_owned())) {
        return Ok(());
    }
    let Some(key) = whose.home.encryption_key()? else { return Ok(()) };
    let mut start = [0; PLAIN.len()];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    if read.is_ok() && start == PLAIN {
        notice("not_encrypted", &[&path.display()]);
        return Ok(());
    }
    #[cfg(feature = "sqlcipher")]
    return Ok(SqliteWorkspace::unlock(path, &key)?);
    #[cfg(not(feature = "sqlcipher"))]
    {
        drop(key);
        Err(Trouble::of("no_encryption", &[&path.display()]))
    }
}

/// Connects to a server by the settings.
pub(crate) fn connect(address: &str, whose: Whose<'_>) -> Result<Postgres, Trouble> {
    let mut config = noctuary::postgres::PostgresConfig::default();
    if let Some(schema) = &whose.server.schema {
        config.schema.clone_from(schema);
    }
    config.allow_plaintext = whose.server.allow_plaintext;
    // One terminal needs no more.
    config.max_connections = 2;
    Ok(Postgres::connect_with(address, config)?)
}

/// Returns the doctor of a home that exists.
pub(crate) fn doctor(place: &Place, whose: Whose<'_>) -> Result<Doctor, Trouble> {
    whose.is_about(place);
    let path = match place {
        Place::Path(path) => path,
        Place::Server(address) => return doctor_of_server(place, address, whose),
    };
    unlock(path, whose)?;
    let doctor = Doctor::of(path)?;
    // What cannot be read is a finding.
    let Ok(scopes) = doctor.scopes() else {
        return Ok(match whose.named() {
            Some(scope) => doctor.scope(scope),
            None => doctor,
        });
    };
    if scopes.is_empty() && whose.named().is_none() {
        return Ok(doctor);
    }
    match whose.among(scopes)? {
        Some(scope) => Ok(doctor.scope(scope)),
        None => Err(nothing_at(place, whose)),
    }
}

fn doctor_of_server(place: &Place, address: &str, whose: Whose<'_>) -> Result<Doctor, Trouble> {
    let (server, scope) = (connect(address, whose)?, whose.on_server());
    // Tables that are missing or of another version are a finding.
    if server.pending().is_ok_and(|pending| pending.is_empty()) && !server.has_life(&scope)? {
        return Err(nothing_at(place, whose));
    }
    Ok(Doctor::of_server(&server).scope(scope))
}

/// Says that a place has no life, or not the one that is named.
pub(crate) fn nothing_at(place: &Place, whose: Whose<'_>) -> Trouble {
    match place {
        Place::Path(path) if path.exists() => {
            let scopes = Doctor::of(path).and_then(|doctor| doctor.scopes()).unwrap_or_default();
            Trouble::of("no_such_life", &[&listed(&[whose.or_user()]), place, &listed(&scopes)])
        }
        Place::Path(_) => Trouble::of("no_life", &[place]),
        Place::Server(_) => Trouble::of("no_life_on_server", &[place, &whose.on_server().user]),
    }
}

/// Returns whether a path that does not exist would be a database.
pub(crate) fn is_database(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["db", "sqlite", "sqlite3"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}
