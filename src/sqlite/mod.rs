//! A workspace inside one SQLite file: documents under virtual paths, state as rows, and a lease.
//!
//! The tables are those of the fifth seed, adapted: `memory_documents` holds a document a row, by user, agent
//! and path. Text is stored as text, so that any SQLite shell shows it; bytes that are not UTF-8 as a blob.

mod backup;
mod database;
mod home;
mod index;
mod lease;
mod memory;
mod open;
mod schema;
mod words;

use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use crate::base::access::Scope;
use crate::base::digest::Hasher;
use crate::base::document::{Document, Revision};
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::{DocName, Name, Space, StateName};
use crate::disk::host;
use crate::trace;
use crate::workspace::Version;
use crate::workspace::contract::line_break_before;
use crate::workspace::{Claim, ClaimTerms, Listing, MAX_DOCUMENT, Metadata, Workspace, WriteMode};

use database::Database;
use home::Home;
use open::Others;

pub use index::SqliteIndex;
pub use memory::SqliteMemoryStore;

/// A workspace inside one SQLite file, for one scope of it.
///
/// The file is made with mode 0600, in WAL mode with `synchronous=FULL`: what a verb returned survives a power
/// loss. Several processes may use it at once; whoever waits for longer than half a minute gets
/// [`Error::Busy`]. A replaced or removed document keeps its last ten versions.
///
/// A document is at most [`MAX_DOCUMENT`] bytes, and reading a range of it takes memory for all of it. Not for
/// network drives. Beside the file stand its `-wal` and `-shm`, a `.mark` that says how many changes were committed, and
/// an empty `.guard-…` for each scope that was ever claimed.
///
/// Clones are the same workspace. All that this process has open in one file, of any scope, shares one connection: a verb of
/// one waits for a verb of another.
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
    inner: Arc<Inner>,
}

struct Inner {
    database: Database,
    home: Home,
    scope: Scope,
}

/// How many earlier versions of a document are kept.
const KEPT_VERSIONS: u32 = 10;

/// How long a statement waits for another process.
const PATIENCE: Duration = Duration::from_secs(30);

impl SqliteWorkspace {
    /// Opens or makes the file, and fixes the scope: no statement of this workspace sees another's rows.
    ///
    /// # Errors
    ///
    /// [`Error::NewerVersion`] for a file of a newer version of this library, [`Error::Corrupt`] for a file that
    /// is no SQLite database or another program's, [`Error::Shrunk`] for one that lacks its last commit,
    /// [`Error::TooManyOpen`], [`Error::NetworkFileSystem`] for a network drive.
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

    fn over(database: Database, scope: Scope) -> Self {
        let home = match database.disk() {
            Some(disk) => Home::File { disk: Arc::clone(disk), path: database.path().to_owned() },
            None => Home::in_memory(),
        };
        Self { inner: Arc::new(Inner { database, home, scope }) }
    }

    /// The scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.inner.scope
    }

    /// Copies the whole database into a new file, as it stands at one moment: documents and states of every scope,
    /// earlier versions, and the rows and indexes of whatever store lives in the file. Other processes write on meanwhile,
    /// also a dream; verbs of this process in the same file wait.
    ///
    /// The target is one plain file with mode 0600 that any copy program may take away. It is on the disk when this
    /// returns. Until then it has another name, so that a crash leaves nothing that passes for a backup, at most a
    /// `.noctuary-….tmp` beside it that may be removed. To restore, [see there](crate::manual::durability#backup-and-restore).
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
    /// [`Error::Io`] of the kind [`AlreadyExists`](std::io::ErrorKind::AlreadyExists) where something stands at the
    /// path; of another kind, or [`Error::Database`], where the folder cannot be written or the disk is full. Nothing
    /// is left at the path then. [`Error::DurabilityUnknown`] where it could not be synced.
    pub fn backup_to(&self, path: impl AsRef<Path>) -> Result<()> {
        backup::backup(&self.inner.database, path.as_ref())
    }

    fn bytes(&self, name: &Name) -> Result<Option<Vec<u8>>> {
        if self.metadata(name)?.is_none() {
            return Ok(None);
        }
        let sql = match name.space() {
            Space::Document => {
                "SELECT content FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3"
            }
            Space::State => {
                "SELECT content FROM workspace_state WHERE user_id = ?1 AND agent_id = ?2 AND name = ?3"
            }
        };
        self.inner.read("read", name, |connection, scope| {
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
        self.inner.read("list the versions of", name, |connection, scope| {
            let mut statement = connection.prepare_cached(
                "SELECT revision, replaced_at FROM memory_document_versions
                 WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3 ORDER BY version DESC",
            )?;
            let rows = statement.query_map(params![scope.user, scope.agent, name.as_str()], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
            })?;
            let mut versions = Vec::new();
            for row in rows {
                let (revision, replaced_at) = row?;
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
        let bytes = self.inner.read("read a version of", name, |connection, scope| {
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

impl Inner {
    fn read<T>(
        &self,
        action: &'static str,
        name: impl fmt::Display,
        query: impl FnOnce(&Connection, &Scope) -> rusqlite::Result<T>,
    ) -> Result<T> {
        let place = format_args!("{name} in {}", self.database.file());
        self.database.read_at(action, place, |connection| query(connection, &self.scope))
    }

    /// Runs a mutation in one immediate transaction: all of it, or nothing.
    fn write<T>(
        &self,
        action: &'static str,
        name: &Name,
        mutate: impl FnOnce(&Rows<'_>) -> Result<T>,
    ) -> Result<T> {
        let place = format_args!("{name} in {}", self.database.file());
        self.database.attempt(action, place, |connection| mutate(&Rows { connection, inner: self }))
    }

    fn place(&self, name: impl fmt::Display) -> String {
        format!("{name} in {}", self.database.file())
    }
}

/// The rows of one scope inside a transaction.
struct Rows<'a> {
    connection: &'a Connection,
    inner: &'a Inner,
}

/// A row as it stands.
struct Row {
    bytes: Vec<u8>,
    modified: i64,
}

impl Rows<'_> {
    fn run<T>(
        &self,
        name: &Name,
        query: impl FnOnce(&Connection, &Scope) -> rusqlite::Result<T>,
    ) -> Result<T> {
        query(self.connection, &self.inner.scope)
            .map_err(|error| fold("write", &self.inner.place(name), error))
    }

    fn get(&self, name: &Name) -> Result<Option<Row>> {
        self.run(name, |connection, scope| {
            let sql = match name.space() {
                Space::Document => {
                    "SELECT content, modified_ns FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3"
                }
                Space::State => {
                    "SELECT content, modified_ns FROM workspace_state WHERE user_id = ?1 AND agent_id = ?2 AND name = ?3"
                }
            };
            connection
                .prepare_cached(sql)?
                .query_row(params![scope.user, scope.agent, name.as_str()], |row| {
                    Ok(Row { bytes: content(row.get_ref(0)?)?, modified: row.get(1)? })
                })
                .optional()
        })
    }

    /// Writes a row, later than the one that stood there, so that a change of content is a change of time.
    fn put(&self, name: &Name, bytes: &[u8], standing: Option<&Row>) -> Result<()> {
        if bytes.len() as u64 > MAX_DOCUMENT {
            return Err(Error::TooLarge { name: name.clone(), len: bytes.len() as u64, limit: MAX_DOCUMENT });
        }
        let now = self.inner.home.clock();
        let modified = now.timestamp_nanos_opt().unwrap_or(i64::MAX);
        let modified = standing.map_or(modified, |row| modified.max(row.modified + 1));
        let (stamp, revision) = (stamp(now), Revision::of(bytes).to_string());
        let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
        match name.space() {
            Space::Document => {
                if standing.is_none() {
                    self.check_place(name)?;
                }
                self.run(name, |connection, scope| {
                    connection
                        .prepare_cached(
                            "INSERT INTO memory_documents
                               (id, user_id, agent_id, path, content, revision, size, created_at, updated_at, modified_ns)
                             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9)
                             ON CONFLICT (user_id, agent_id, path) DO UPDATE SET
                               content = excluded.content, revision = excluded.revision, size = excluded.size,
                               updated_at = excluded.updated_at, modified_ns = excluded.modified_ns",
                        )?
                        .execute(params![
                            document_id(scope, name),
                            scope.user,
                            scope.agent,
                            name.as_str(),
                            Content(bytes),
                            revision,
                            size,
                            stamp,
                            modified
                        ])
                })?;
            }
            Space::State => {
                self.run(name, |connection, scope| {
                    connection
                        .prepare_cached(
                            "INSERT INTO workspace_state (user_id, agent_id, name, content, size, modified_ns)
                             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                             ON CONFLICT (user_id, agent_id, name) DO UPDATE SET
                               content = excluded.content, size = excluded.size, modified_ns = excluded.modified_ns",
                        )?
                        .execute(params![scope.user, scope.agent, name.as_str(), Content(bytes), size, modified])
                })?;
            }
        }
        Ok(())
    }

    /// Refuses what a folder would refuse: a document where documents stand below, or below a document.
    fn check_place(&self, name: &Name) -> Result<()> {
        let mut above = name.as_str();
        while let Some((folder, _)) = above.rsplit_once('/') {
            above = folder;
            let is_document = self.run(name, |connection, scope| exists(connection, scope, above))?;
            if is_document {
                return Err(Error::Refused { path: above.to_owned(), reason: Refusal::NotAFolder });
            }
        }
        if self.run(name, |connection, scope| is_folder(connection, scope, name.as_str()))? {
            return Err(Error::Refused { path: name.to_string(), reason: Refusal::NotAFile });
        }
        Ok(())
    }

    /// Keeps what stands in the history, before it gives way.
    fn keep(&self, name: &Name, row: &Row) -> Result<()> {
        if name.space() == Space::State {
            return Ok(());
        }
        let (revision, stamp) = (Revision::of(&row.bytes).to_string(), stamp(self.inner.home.clock()));
        self.run(name, |connection, scope| {
            connection
                .prepare_cached(
                    "INSERT INTO memory_document_versions (user_id, agent_id, path, version, content, revision, replaced_at)
                     SELECT ?1, ?2, ?3, coalesce(max(version), 0) + 1, ?4, ?5, ?6 FROM memory_document_versions
                     WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3",
                )?
                .execute(params![scope.user, scope.agent, name.as_str(), Content(&row.bytes), revision, stamp])?;
            connection
                .prepare_cached(
                    "DELETE FROM memory_document_versions WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3
                     AND version <= (SELECT max(version) FROM memory_document_versions
                                     WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3) - ?4",
                )?
                .execute(params![scope.user, scope.agent, name.as_str(), KEPT_VERSIONS])
        })?;
        Ok(())
    }

    fn write(&self, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
        let written = Revision::of(bytes);
        let standing = self.get(name)?;
        let conflict = |standing: Option<Row>| {
            let current = standing.map(|row| Box::new(Document::new(name.clone(), row.bytes)));
            Err(Error::Conflict { name: name.clone(), current })
        };
        let current = standing.as_ref().map(|row| Revision::of(&row.bytes));
        match mode {
            WriteMode::Create if standing.is_some() => return conflict(standing),
            WriteMode::Replace | WriteMode::IfRevision(_) if current == Some(written) => return Ok(written),
            WriteMode::IfRevision(seen) if current != Some(seen) => return conflict(standing),
            _ => {}
        }
        if let Some(row) = &standing {
            self.keep(name, row)?;
        }
        self.put(name, bytes, standing.as_ref())?;
        Ok(written)
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        let standing = self.get(name)?;
        let before = standing.as_ref().map_or(&b""[..], |row| &row.bytes);
        let whole = [before, line_break_before(before.last().copied(), bytes), bytes].concat();
        self.put(name, &whole, standing.as_ref())
    }

    /// Adds exactly these bytes, if the document is still so long.
    fn finish(&self, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
        let standing = self.get(name)?;
        let before = standing.as_ref().map_or(&b""[..], |row| &row.bytes);
        if before.len() as u64 != len {
            return Ok(false);
        }
        self.put(name, &[before, rest].concat(), standing.as_ref()).map(|()| true)
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        let Some(row) = self.get(name)? else {
            if name.space() == Space::Document
                && self.run(name, |connection, scope| is_folder(connection, scope, name.as_str()))?
            {
                return Err(Error::Refused { path: name.to_string(), reason: Refusal::NotAFile });
            }
            return Ok(false);
        };
        self.keep(name, &row)?;
        self.delete(name)?;
        Ok(true)
    }

    fn delete(&self, name: &Name) -> Result<()> {
        let sql = match name.space() {
            Space::Document => {
                "DELETE FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3"
            }
            Space::State => "DELETE FROM workspace_state WHERE user_id = ?1 AND agent_id = ?2 AND name = ?3",
        };
        self.run(name, |connection, scope| {
            connection.prepare_cached(sql)?.execute(params![scope.user, scope.agent, name.as_str()])
        })?;
        Ok(())
    }
}

impl Workspace for SqliteWorkspace {
    fn location(&self) -> String {
        let Scope { user, agent } = &self.inner.scope;
        let agent = if agent.is_empty() { String::new() } else { format!("/{agent}") };
        format!("{} ({user}{agent})", self.inner.home.location())
    }

    fn scope(&self) -> Option<&Scope> {
        Some(&self.inner.scope)
    }

    fn list(&self, folder: Option<&DocName>) -> Result<Listing> {
        let place = folder.map_or("/", |name| name.as_str());
        if let Some(folder) = folder {
            let is_document = self
                .inner
                .read("list", place, |connection, scope| exists(connection, scope, folder.as_str()))?;
            if is_document {
                return Err(Error::Refused { path: folder.to_string(), reason: Refusal::NotAFolder });
            }
        }
        let prefix = folder.map_or_else(String::new, |folder| format!("{folder}/"));
        let paths: Vec<String> = self.inner.read("list", place, |connection, scope| {
            // Names below a folder are a range: `/` is followed by `0`.
            let mut statement = connection.prepare_cached(
                "SELECT path FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2
                 AND (?3 = '' OR (path > ?3 AND path < ?4)) ORDER BY path",
            )?;
            let end = folder.map_or_else(String::new, |folder| format!("{folder}0"));
            statement.query_map(params![scope.user, scope.agent, prefix, end], |row| row.get(0))?.collect()
        })?;
        let (mut documents, mut folders, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for path in paths {
            let (name, into) = match path[prefix.len()..].split_once('/') {
                None => (path.clone(), &mut documents),
                Some((below, _)) => (format!("{prefix}{below}"), &mut folders),
            };
            match DocName::parse(name.as_str()) {
                Ok(name) if into.last() != Some(&name) => into.push(name),
                Ok(_) => {}
                Err(_) => refused.push(name),
            }
        }
        Ok(Listing::new(documents, folders, refused))
    }

    fn metadata(&self, name: &Name) -> Result<Option<Metadata>> {
        let sql = match name.space() {
            Space::Document => {
                "SELECT size, modified_ns FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3"
            }
            Space::State => {
                "SELECT size, modified_ns FROM workspace_state WHERE user_id = ?1 AND agent_id = ?2 AND name = ?3"
            }
        };
        let found = self.inner.read("look at", name, |connection, scope| {
            let found: Option<(i64, i64)> = connection
                .prepare_cached(sql)?
                .query_row(params![scope.user, scope.agent, name.as_str()], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()?;
            let folder = found.is_none()
                && name.space() == Space::Document
                && is_folder(connection, scope, name.as_str())?;
            Ok((found, folder))
        })?;
        match found {
            (_, true) => Err(Error::Refused { path: name.to_string(), reason: Refusal::NotAFile }),
            (Some((size, modified)), _) => Ok(Some(Metadata {
                len: u64::try_from(size).unwrap_or(0),
                modified: DateTime::from_timestamp_nanos(modified),
            })),
            (None, _) => Ok(None),
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
        self.inner.write("write", name, |rows| rows.write(name, bytes, mode))
    }

    fn append(&self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.inner.write("append to", name, |rows| rows.append(name, bytes))
    }

    fn remove(&self, name: &Name) -> Result<bool> {
        self.inner.write("remove", name, |rows| rows.remove(name))
    }

    fn rename(&self, from: &Name, to: &Name) -> Result<()> {
        self.inner.write("rename", from, |rows| {
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
        let dropped = self.inner.write("drop versions with", name, |rows| {
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
        self.inner.database.truncate_log()?;
        Ok(dropped)
    }

    fn claim(&self, terms: &ClaimTerms) -> Result<Claim> {
        trace::claim(|| lease::claim(&self.inner, terms))
    }
}

impl fmt::Debug for SqliteWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SqliteWorkspace({})", self.location())
    }
}

/// Bytes as they are bound: text where they are text.
struct Content<'a>(&'a [u8]);

impl rusqlite::ToSql for Content<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        Ok(rusqlite::types::ToSqlOutput::Borrowed(match std::str::from_utf8(self.0) {
            // Text with a zero byte would end there for some readers.
            Ok(text) if !self.0.contains(&0) => ValueRef::Text(text.as_bytes()),
            _ => ValueRef::Blob(self.0),
        }))
    }
}

fn content(value: ValueRef<'_>) -> rusqlite::Result<Vec<u8>> {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(bytes.to_vec()),
        other => Err(rusqlite::Error::InvalidColumnType(0, "content".to_owned(), other.data_type())),
    }
}

fn exists(connection: &Connection, scope: &Scope, path: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2 AND path = ?3")?
        .exists(params![scope.user, scope.agent, path])
}

fn is_folder(connection: &Connection, scope: &Scope, path: &str) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM memory_documents WHERE user_id = ?1 AND agent_id = ?2 AND path > ?3 AND path < ?4 LIMIT 1")?
        .exists(params![scope.user, scope.agent, format!("{path}/"), format!("{path}0")])
}

/// The id of a document: a UUID (version 8) hashed from scope and path, so that making it anew keeps it.
fn document_id(scope: &Scope, name: &Name) -> String {
    let mut hasher = Hasher::new();
    hasher.field(scope.user.as_bytes()).field(scope.agent.as_bytes()).field(name.as_str().as_bytes());
    uuid(hasher)
}

fn uuid(hasher: Hasher) -> String {
    let hex = hasher.finish().short(32);
    format!("{}-{}-8{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}

fn parse_revision(text: &str) -> Option<Revision> {
    serde_json::from_value(serde_json::Value::String(text.to_owned())).ok()
}

fn stamp(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Folds an error of SQLite into one by what a caller can do about it. None carries a document's text.
fn fold(action: &'static str, path: &str, error: rusqlite::Error) -> Error {
    let path = path.to_owned();
    let corrupt = |what| Error::Corrupt { name: path.clone(), line: 0, column: 0, what };
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy { path },
        Some(ErrorCode::CannotOpen | ErrorCode::SystemIoFailure) => match host::reached_limit() {
            Some(limit) => Error::TooManyOpen { action, path, limit },
            None => Error::Database { action, path, source: Box::new(error) },
        },
        Some(ErrorCode::NotADatabase) => corrupt("it is no SQLite database"),
        Some(ErrorCode::DatabaseCorrupt) => corrupt("the database is malformed"),
        Some(ErrorCode::DiskFull) => {
            Error::Io { action, path, source: std::io::ErrorKind::StorageFull.into() }
        }
        Some(ErrorCode::ReadOnly) => {
            Error::Io { action, path, source: std::io::ErrorKind::ReadOnlyFilesystem.into() }
        }
        _ => Error::Database { action, path, source: Box::new(error) },
    }
}
