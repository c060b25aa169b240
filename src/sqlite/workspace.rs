//! A workspace inside one SQLite file: documents under virtual paths, state as rows, and a lease.
//!
//! The tables are those of the fifth seed, adapted: `memory_documents` holds a document a row, by user, agent
//! and path. Text is stored as text, so that any SQLite shell shows it; bytes that are not UTF-8 as a blob.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use chrono::DateTime;
use rusqlite::{Connection, OptionalExtension, params};

use super::backup::backup;
use super::columns::{content, parse_revision};
use super::database::Database;
use super::documents::{Statements, exists, is_folder};
use super::lease;
use super::open::{self, PATIENCE};
use super::schema::Others;
use super::scoped::ScopedDatabase;
use crate::base::access::Scope;
use crate::base::debug::debug_as;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::{DocName, Name, Space, StateName};
use crate::sqlite::columns::ReadAll;
use crate::trace;
use crate::workspace::{Claim, ClaimTerms, Listing, MAX_DOCUMENT, Metadata, Version, Workspace, WriteMode};

/// A workspace inside one SQLite file, for one scope of it.
///
/// The file is made with mode 0600, in WAL mode with `synchronous=FULL`: what a verb returned survives a power
/// loss. Several processes may use it at once; a call that waits for longer than half a minute gets
/// [`Error::Busy`]. A replaced or removed document keeps its last ten versions.
///
/// A document is at most [`MAX_DOCUMENT`] bytes, and reading a range of it takes memory for all of it. Not for network
/// drives. Beside the file are its `-wal` and `-shm`, a `.mark` with the number of commits, and `.guard-…` for each
/// claimed scope.
///
/// Clones are the same workspace. All that this process has open in one file, of any scope, shares one connection. A
/// verb of one waits for a verb of another.
///
/// ```
/// use noctuary::workspace::WorkspaceExt;
/// use noctuary::{DocName, Scope, SqliteWorkspace, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let life = SqliteWorkspace::open(folder.path().join("life.db"), Scope::user("marta"))?;
/// life.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create)?;
///
/// let other = SqliteWorkspace::open(folder.path().join("life.db"), Scope::user("ilya"))?;
/// assert_eq!(other.read_text(&DocName::SOUL)?, None, "another user's life is another life");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SqliteWorkspace {
    scoped: Arc<ScopedDatabase>,
}

impl SqliteWorkspace {
    /// Opens or makes the file, and fixes the scope: no statement of this workspace sees another's rows.
    ///
    /// # Errors
    ///
    /// [`Error::NewerVersion`] for a file of a newer version of this library. [`Error::Corrupt`] for a file that is no
    /// SQLite database or another program's. [`Error::Shrunk`] for one that lacks its last commit.
    /// [`Error::TooManyOpen`]. [`Error::NetworkFileSystem`] for a network drive.
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Ok(Self::over(open::open(path.as_ref(), PATIENCE, Others::Refused, None)?.marked(), scope))
    }

    /// Makes a workspace that ends with its last clone, for tests: nothing else reaches it, also not by the same scope.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::{Extractive, JournalDreamer, Outcome, Scope, SqliteWorkspace, dream_once};
    ///
    /// let workspace = Arc::new(SqliteWorkspace::open_in_memory(Scope::user("marta"))?);
    /// let dreamer = JournalDreamer::builder(workspace).enabled(true).build()?;
    /// assert_eq!(dream_once(&dreamer, &Extractive::new())?.outcome, Outcome::NothingNew);
    /// # Ok::<(), noctuary::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub fn open_in_memory(scope: Scope) -> Result<Self> {
        Ok(Self::over(open::in_memory(PATIENCE, None)?, scope))
    }

    /// Gives this process the key of a file. From then on it is read and written encrypted by all that opens it: workspaces,
    /// stores, indexes, and the doctor.
    ///
    /// The key is a text of any length, which takes some tenths of a second at each opening of the file, or 64 hexadecimal digits
    /// of a random key, which take none. A file that does not exist yet, or is empty, becomes an encrypted one. A
    /// [backup](Self::backup_to) has the key of the file, or the one that was given for the target: so a file is encrypted that was
    /// not, and gets another key.
    ///
    /// The encryption is SQLCipher's: each page by AES-256, with a hash that shows a change. The name and the size of the file are
    /// readable, as are the `.mark` and `.guard-…` beside it, which have no text of a person. Exports are plain text. A folder home
    /// is as private as the folder: put it on an encrypted disk.
    ///
    /// Call it before anything opens the file, and write the path's last name as everybody else does: it is known by its letters.
    ///
    /// The host chooses where SQLCipher's cryptography comes from, by a feature of `rusqlite` in its own `Cargo.toml`:
    ///
    /// ```toml
    /// noctuary = { version = "0.1", features = ["encryption"] }
    /// # With the OpenSSL of a Linux system, or `bundled-sqlcipher-vendored-openssl`, which compiles one.
    /// rusqlite = { version = ">=0.41, <0.44", features = ["bundled-sqlcipher"] }
    /// ```
    ///
    /// ```no_run
    /// use noctuary::{Scope, SqliteWorkspace};
    ///
    /// let key = std::env::var("AGENT_KEY")?;
    /// SqliteWorkspace::unlock("life.db", &key)?;
    /// let life = SqliteWorkspace::open("life.db", Scope::user("marta"))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] by [`Refusal::WrongKey`] where the file was made with another key or with none. [`Error::Config`] for an
    /// empty key, one with a zero byte or one that begins with `x'`, and where `rusqlite` was built without encryption. The errors of
    /// reading. The key is not kept then.
    #[cfg(feature = "encryption")]
    pub fn unlock(path: impl AsRef<Path>, key: &str) -> Result<()> {
        let open::Place { disk, file } = open::place_of(path.as_ref())?;
        super::key::unlock(disk.as_ref(), file, key)
    }

    pub(super) fn over(database: Database, scope: Scope) -> Self {
        Self { scoped: Arc::new(ScopedDatabase::new(database, scope)) }
    }

    pub(super) fn scoped(&self) -> &ScopedDatabase {
        &self.scoped
    }

    /// Returns the scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scoped.scope
    }

    /// Copies the whole database into a new file, as it is at one moment. It has documents and states of every scope,
    /// earlier versions, and rows and indexes of stores in the file. Other processes write on meanwhile, also a dream;
    /// verbs of this process in the same file wait.
    ///
    /// The target is one plain file with mode 0600 that any copy program may take away. It is on the disk when this
    /// returns. Until then it has another name, so that a crash leaves at most a `.noctuary-….tmp` beside it, which may
    /// be removed. To restore, [see there](crate::manual::durability#backup-and-restore).
    ///
    /// ```
    /// use noctuary::workspace::WorkspaceExt;
    /// use noctuary::{DocName, Scope, SqliteWorkspace, Workspace, WriteMode};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let life = SqliteWorkspace::open(folder.path().join("life.db"), Scope::user("marta"))?;
    /// life.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create)?;
    /// life.backup_to(folder.path().join("2026-11-21.db"))?;
    ///
    /// let restored = SqliteWorkspace::open(folder.path().join("2026-11-21.db"), Scope::user("marta"))?;
    /// assert_eq!(restored.read_text(&DocName::SOUL)?.as_deref(), Some("# Soul\n"));
    /// assert!(life.backup_to(folder.path().join("2026-11-21.db")).is_err(), "never over what is there");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Io`] of the kind [`AlreadyExists`](std::io::ErrorKind::AlreadyExists) where something is at the path.
    /// [`Error::Io`] of another kind, or [`Error::Database`], where the folder cannot be written or the disk is full.
    /// Nothing is left at the path then. [`Error::DurabilityUnknown`] where it could not be synced.
    pub fn backup_to(&self, path: impl AsRef<Path>) -> Result<()> {
        backup(&self.scoped.database, path.as_ref())
    }

    fn bytes(&self, name: &Name) -> Result<Option<Vec<u8>>> {
        if self.metadata(name)?.is_none() {
            return Ok(None);
        }
        let sql = Statements::on(name.space()).content;
        self.scoped.read("read", name, |connection, scope| {
            connection
                .prepare_cached(sql)?
                .query_row(params![scope.user, scope.agent, name.as_str()], |row| content(row.get_ref(0)?))
                .optional()
        })
    }

    /// Lists the kept earlier versions of a document, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub fn versions(&self, name: &DocName) -> Result<Vec<Version>> {
        self.scoped.read("list the versions of", name, |connection, scope| {
            let mut statement = connection.prepare_cached(
                "SELECT revision, replaced_at FROM memory_document_versions
                 WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3 ORDER BY version DESC",
            )?;
            let mut rows = statement.query(params![scope.user, scope.agent, name.as_str()])?;
            let mut versions = Vec::new();
            while let Some(row) = rows.next()? {
                let (revision, replaced_at): (String, String) = (row.get(0)?, row.get(1)?);
                if let (Some(revision), Ok(replaced_at)) = (parse_revision(&revision), replaced_at.parse()) {
                    versions.push(Version { revision, replaced_at });
                }
            }
            Ok(versions)
        })
    }

    /// Reads an earlier version of a document; `None` where it is not kept.
    ///
    /// # Errors
    ///
    /// [`Error::Database`].
    pub fn read_version(&self, name: &DocName, revision: Revision) -> Result<Option<Document>> {
        let bytes = self.scoped.read("read a version of", name, |connection, scope| {
            connection
                .prepare_cached(
                    "SELECT content FROM memory_document_versions
                     WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3 AND revision = ?4",
                )?
                .query_row(params![scope.user, scope.agent, name.as_str(), revision.to_string()], |row| {
                    content(row.get_ref(0)?)
                })
                .optional()
        })?;
        let name: Name = name.clone().into();
        Ok(bytes.map(|bytes| Document::new(name, bytes)))
    }
}

impl Workspace for SqliteWorkspace {
    fn location(&self) -> String {
        let Scope { user, agent } = &self.scoped.scope;
        let agent = if agent.is_empty() { String::new() } else { format!("/{agent}") };
        format!("{} ({user}{agent})", self.scoped.home.location())
    }

    fn scope(&self) -> Option<&Scope> {
        Some(&self.scoped.scope)
    }

    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        let place = folder.map_or("/", |name| name.as_str());
        if let Some(folder) = folder {
            let is_document = self
                .scoped
                .read("list", place, |connection, scope| exists(connection, scope, folder.as_str()))?;
            if is_document {
                return Err(Error::Refused { path: folder.to_string(), reason: Refusal::NotAFolder });
            }
        }
        let prefix = folder.map_or_else(String::new, |folder| format!("{folder}/"));
        let paths: Vec<String> = self.scoped.read("list", place, |connection, scope| {
            let Some(folder) = folder else {
                let mut statement = connection.prepare_cached(
                    "SELECT path FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2 ORDER BY path",
                )?;
                return statement.query(params![scope.user, scope.agent])?.all(|row| row.get(0));
            };
            // Names below a folder are a range: `/` is followed by `0`.
            let mut statement = connection.prepare_cached(
                "SELECT path FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2
                 AND path > ?3 AND path < ?4 ORDER BY path",
            )?;
            let end = format!("{folder}0");
            statement.query(params![scope.user, scope.agent, prefix, end])?.all(|row| row.get(0))
        })?;
        let (mut documents, mut folders, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let (name, into) = match path[prefix.len()..].split_once('/') {
                None => (path, &mut documents),
                Some((below, _)) => (format!("{prefix}{below}"), &mut folders),
            };
            match DocName::within(None, name) {
                Ok(name) if into.last() != Some(&name) => into.push(name),
                Ok(_) => {}
                Err(name) => refused.push(name),
            }
        }
        Ok(Listing::new(documents, folders, refused))
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        let found =
            self.scoped.read("look at", name, |connection, scope| Looked::at(connection, scope, name))?;
        found.judge(name)
    }

    /// Reads all of them under one lock, because the way to a name costs most; many are read in one query.
    fn metadata_of(&self, names: &[&Name]) -> Vec<Result<Option<Metadata>>> {
        let found = self.scoped.read("look at", "documents", |connection, scope| {
            let together = Looked::together(connection, scope, names)?;
            let each = names.iter().zip(together).map(|(name, found)| match found {
                Some(found) => Ok(found),
                None => Looked::at(connection, scope, name),
            });
            each.collect::<rusqlite::Result<Vec<_>>>()
        });
        match found {
            Ok(found) => names.iter().zip(found).map(|(name, found)| found.judge(name)).collect(),
            // Each has an error of its own.
            Err(_) => names.iter().map(|name| self.metadata(name)).collect(),
        }
    }

    fn read(&self, name: &Name) -> Result<Option<Document>> {
        Ok(self.bytes(name)?.map(|bytes| Document::new(name.clone(), bytes)))
    }

    fn read_range(&self, name: &Name, range: Range<u64>) -> Result<Vec<u8>> {
        let len = range.end.saturating_sub(range.start);
        if len > MAX_DOCUMENT {
            return Err(Error::TooLarge { name: name.clone(), len, limit: MAX_DOCUMENT });
        }
        let bytes = self.bytes(name)?.unwrap_or_default();
        let bound = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
        Ok(bytes[bound(range.start)..bound(range.end).max(bound(range.start))].to_vec())
    }

    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        self.scoped.write("write", name, |rows| rows.write(name, bytes, mode))
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.scoped.write("append to", name, |rows| rows.append(name, bytes))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.scoped.write("remove", name, |rows| rows.remove(name))
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        self.scoped.write("rename", from, |rows| {
            let Some(row) = rows.get(from)? else { return Err(Error::NotFound { name: from.clone() }) };
            if let Some(standing) = rows.get(to)? {
                let current = Some(Box::new(Document::new(to.clone(), standing.bytes)));
                return Err(Error::Conflict { name: to.clone(), current });
            }
            rows.delete(from)?;
            rows.put(to, &row.bytes, None)
        })
    }

    fn drop_versions(&self, holds: &dyn Fn(&str, &[u8]) -> bool) -> Result<u64> {
        let name = &StateName::FORGOTTEN;
        let dropped = self.scoped.write("drop versions with", name, |rows| {
            rows.run(name, |connection, scope| {
                let mut kept = connection.prepare_cached(
                    "SELECT path, version, content FROM memory_document_versions
                     WHERE user_id = ?1 AND agent_id = ?2",
                )?;
                let mut drop = connection.prepare_cached(
                    "DELETE FROM memory_document_versions
                     WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3 AND version = ?4",
                )?;
                let mut found: Vec<(String, i64)> = Vec::new();
                let mut rows = kept.query(params![scope.user, scope.agent])?;
                while let Some(row) = rows.next()? {
                    let path: String = row.get(0)?;
                    if holds(&path, &content(row.get_ref(2)?)?) {
                        found.push((path, row.get(1)?));
                    }
                }
                for (path, version) in &found {
                    drop.execute(params![scope.user, scope.agent, path, version])?;
                }
                Ok(found.len() as u64)
            })
        })?;
        self.scoped.database.truncate_log()?;
        Ok(dropped)
    }

    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        trace::claim(|| lease::claim(&self.scoped, terms))
    }
}

/// Least number of names for which one query over all is faster than one for each.
const MANY: usize = 8;

/// The content under a name: a row with its size and time of change, a folder, or nothing.
enum Looked {
    Row(i64, i64),
    Folder,
    Nothing,
}

impl Looked {
    fn at(connection: &Connection, scope: &Scope, name: &Name) -> rusqlite::Result<Self> {
        let row = connection
            .prepare_cached(Statements::on(name.space()).metadata)?
            .query_row(params![scope.user, scope.agent, name.as_str()], |row| {
                Ok(Self::Row(row.get(0)?, row.get(1)?))
            })
            .optional()?;
        Ok(match row {
            Some(row) => row,
            None if name.space() == Space::Document && is_folder(connection, scope, name.as_str())? => {
                Self::Folder
            }
            None => Self::Nothing,
        })
    }

    /// Looks at the rows from the first of these names to the last; `None` for a name that was not among them.
    fn together(
        connection: &Connection,
        scope: &Scope,
        names: &[&Name],
    ) -> rusqlite::Result<Vec<Option<Self>>> {
        let mut found: Vec<Option<Self>> = names.iter().map(|_| None).collect();
        let documents = || names.iter().enumerate().filter(|(_, name)| name.space() == Space::Document);
        let mut places: HashMap<&str, usize> = HashMap::new();
        if names.len() >= MANY {
            places.extend(documents().map(|(at, name)| (name.as_str(), at)));
        }
        let (Some(first), Some(last)) = (places.keys().min(), places.keys().max()) else { return Ok(found) };
        // Where others stand between them, not all of those are read.
        let most = i64::try_from(names.len().saturating_mul(2)).unwrap_or(i64::MAX);
        let mut statement = connection.prepare_cached(
            "SELECT path, size, modified_ns FROM memory_documents
             WHERE user_id = ?1 AND agent_id = ?2 AND path BETWEEN ?3 AND ?4 ORDER BY path LIMIT ?5",
        )?;
        let mut rows = statement.query(params![scope.user, scope.agent, first, last, most])?;
        while let Some(row) = rows.next()? {
            if let Some(at) = row.get_ref(0)?.as_str().ok().and_then(|path| places.get(path)) {
                found[*at] = Some(Self::Row(row.get(1)?, row.get(2)?));
            }
        }
        Ok(found)
    }

    fn judge(self, name: &Name) -> Result<Option<Metadata>> {
        match self {
            Self::Row(size, modified) => Ok(Some(Metadata {
                len: u64::try_from(size).unwrap_or(0),
                modified: DateTime::from_timestamp_nanos(modified),
            })),
            Self::Folder => Err(Error::Refused { path: name.to_string(), reason: Refusal::NotAFile }),
            Self::Nothing => Ok(None),
        }
    }
}

debug_as!(SqliteWorkspace, |it| "SqliteWorkspace({})", it.location());
