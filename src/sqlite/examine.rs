//! A look at a database that writes nothing: a copy of it in memory, which is brought to the newest version there.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::{Connection, MAIN_DB, OpenFlags};

use super::commits::{check_mark, mark_of};
use super::database::{Database, Shared};
use super::error::{fold, is_corrupt};
use super::index::SqliteIndex;
use super::memory::SqliteMemoryStore;
use super::open::PATIENCE;
use super::schema::{self, Others};
use super::workspace::SqliteWorkspace;
use crate::base::access::Scope;
use crate::base::error::{At, Error, Result};
use crate::disk::host::token;
use crate::disk::mark::Mark;
use crate::disk::{Disk, Kind, Looking, Open, OsDisk, Stat, atomic};
use crate::sqlite::columns::ReadAll;
use crate::store::StoreConfig;

/// A database as it was at one moment, in memory.
pub(crate) struct Copied {
    database: Database,
    /// The version of the tables in the file.
    pub(crate) version: u64,
    /// The newest version that is known.
    pub(crate) newest: u64,
}

/// Where a database has changed while it was read, it is read again at most so often.
const TRIES: u32 = 20;

impl Copied {
    /// Copies a file with its log. Nothing in its folder is written, also while others write.
    pub(crate) fn of(path: &Path) -> Result<Self> {
        let file = path
            .file_name()
            .and_then(|name| name.to_str())
            .ok_or(Error::Config { setting: "path", rule: "must name a file, in Unicode" })?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let disk = Looking::open(folder).at("open", folder.display())?;
        let mark = Mark::read(&disk, &mark_of(file));
        let (mut bytes, log) = read(&disk, file)?;
        if bytes.is_empty()
            && let Some(mark) = &mark
        {
            check_mark(file, mark, 0)?;
        }
        #[cfg(feature = "encryption")]
        let key = super::key::of(&disk.root().join(file));
        #[cfg(not(feature = "encryption"))]
        let key: Option<String> = None;
        if !log.is_empty() || key.is_some() {
            bytes = with_log(file, &bytes, &log, key.as_deref())?;
        }
        // A copy in memory has no log, and SQLite opens none there.
        if let Some(versions) = bytes.get_mut(18..20).filter(|versions| versions == b"\x02\x02") {
            versions.fill(1);
        }
        let open = |error| fold("open", file, error);
        let mut connection = Connection::open_in_memory().map_err(open)?;
        let len = bytes.len();
        if len > 0 {
            connection.deserialize_read_exact(MAIN_DB, Cursor::new(bytes), len, false).map_err(open)?;
        }
        let version = schema::look(&connection, file, Others::Adopted)? as u64;
        schema::prepare(&mut connection, file, PATIENCE, Others::Adopted, mark.as_ref())?;
        let shared = Shared::new(connection, None, path.to_owned(), file.to_owned(), None);
        Ok(Self {
            database: Database::new(Arc::new(shared), PATIENCE),
            version,
            newest: schema::MIGRATIONS.len() as u64,
        })
    }

    pub(crate) fn workspace(&self, scope: Scope) -> SqliteWorkspace {
        SqliteWorkspace::over(self.database.clone(), scope)
    }

    pub(crate) fn store(&self, scope: Scope, config: StoreConfig) -> Result<SqliteMemoryStore> {
        SqliteMemoryStore::over(self.database.clone(), scope, config)
    }

    pub(crate) fn index(&self, scope: Scope) -> Result<SqliteIndex> {
        SqliteIndex::over(self.database.clone(), scope)
    }

    /// Returns whether an older version of this library made the words of the rows.
    pub(crate) fn are_words_older(&self) -> Result<bool> {
        self.database.read("look at", SqliteMemoryStore::are_words_older)
    }

    /// Returns whether the text index of the rows says what they say. A store that is opened mends some of it, so this is asked
    /// before.
    pub(crate) fn is_index_sound(&self) -> Result<bool> {
        const CHECK: &str = "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)";
        const COUNT: &str =
            "SELECT (SELECT count(*) FROM memories_fts_docsize) = (SELECT count(*) FROM found_memories)";
        self.database.read("check", |connection| {
            let checked = connection.execute_batch(CHECK);
            let counted = connection.query_row(COUNT, [], |row| row.get(0));
            match (checked, counted) {
                (Err(error), _) | (_, Err(error)) if is_corrupt(&error) => Ok(false),
                (checked, counted) => checked.and(counted),
            }
        })
    }

    /// Lists whose documents and rows there are, ascending.
    pub(crate) fn scopes(&self) -> Result<Vec<Scope>> {
        const SQL: &str = "
            SELECT user_id, agent_id FROM memory_owner WHERE user_id <> ''
            UNION SELECT user_id, agent_id FROM memory_documents
            UNION SELECT user_id, agent_id FROM workspace_state
            UNION SELECT user_id, agent_id FROM memories WHERE user_id <> ''
            ORDER BY 1, 2";
        self.database.read("look at", |connection| {
            let scope = |row: &rusqlite::Row<'_>| Ok(Scope { user: row.get(0)?, agent: row.get(1)? });
            connection.prepare(SQL)?.query([])?.all(scope)
        })
    }

    /// Counts the vectors of rows by their state.
    pub(crate) fn embeddings(&self) -> Result<BTreeMap<String, u64>> {
        const SQL: &str = "
            SELECT CASE state WHEN 1 THEN 'embedded' WHEN 2 THEN 'failed' ELSE 'skipped' END, count(*)
            FROM memory_vectors GROUP BY 1";
        self.database.read("look at", |connection| {
            let mut statement = connection.prepare(SQL)?;
            let (mut rows, mut embeddings) = (statement.query([])?, BTreeMap::new());
            while let Some(row) = rows.next()? {
                embeddings.insert(row.get(0)?, row.get::<_, i64>(1)?.cast_unsigned());
            }
            Ok(embeddings)
        })
    }
}

/// Reads a database and its log, both as they were at one moment.
fn read(disk: &dyn Disk, file: &str) -> Result<(Vec<u8>, Vec<u8>)> {
    let wal = format!("{file}-wal");
    let look = || -> Result<(Option<Stat>, Option<Stat>)> {
        Ok((disk.stat(file).at("look at", file)?, disk.stat(&wal).at("look at", &wal)?))
    };
    for _ in 0..TRIES {
        let before = look()?;
        let Some(stat) = before.0 else {
            return Err(std::io::Error::from(std::io::ErrorKind::NotFound)).at("open", file);
        };
        if stat.kind != Kind::File {
            return Err(Error::Refused {
                path: file.to_owned(),
                reason: crate::base::error::Refusal::NotAFile,
            });
        }
        let bytes = atomic::read(disk, file, u64::MAX)?.unwrap_or_default();
        let log = atomic::read(disk, &wal, u64::MAX)?.unwrap_or_default();
        if look()? == before {
            return Ok((bytes, log));
        }
        disk.pause(Duration::from_millis(50));
    }
    Err(Error::Busy { path: file.to_owned() })
}

/// Returns a database with its log written back, by copies of both in the folder for temporary files. An encrypted one is so there,
/// and is returned without encryption.
fn with_log(file: &str, bytes: &[u8], log: &[u8], key: Option<&str>) -> Result<Vec<u8>> {
    let folder = std::env::temp_dir();
    let disk = OsDisk::open(&folder).at("open", folder.display())?;
    let name = format!("noctuary-{}.db", token());
    let wal = format!("{name}-wal");
    let put = |name: &str, bytes: &[u8]| -> Result<()> {
        let file = disk.open(name, Open::CreateNew).at("create", name)?;
        file.write_at(bytes, 0).at("write to", name)
    };
    let written = put(&name, bytes).and_then(|()| put(&wal, log)).and_then(|()| {
        let open = |error| fold("open", file, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(disk.root().join(&name), flags).map_err(open)?;
        if let Some(key) = key {
            return decrypted(&mut connection, key).map_err(open);
        }
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(open)?;
        drop(connection);
        Ok(atomic::read(&disk, &name, u64::MAX)?.unwrap_or_default())
    });
    for left in [wal, format!("{name}-shm"), name] {
        let _ = disk.unlink(&left);
    }
    written
}

#[cfg(feature = "encryption")]
fn decrypted(connection: &mut Connection, key: &str) -> rusqlite::Result<Vec<u8>> {
    super::key::give(connection, key)?;
    super::key::plain(connection)
}

#[cfg(not(feature = "encryption"))]
fn decrypted(_: &mut Connection, _: &str) -> rusqlite::Result<Vec<u8>> {
    Err(rusqlite::Error::InvalidQuery)
}
