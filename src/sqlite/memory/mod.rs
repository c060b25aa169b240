//! A memory store inside one SQLite file, in the tables of the third seed.

mod config;
mod door;
pub(super) mod query;
pub(super) mod row;
mod search;
pub(super) mod tables;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use self::door::{Entry, check_word};
use self::row::{role_word, stamp};
use super::open::{self, Opened, Others};
use super::{fold, schema};
use crate::access::{Access, Scope, SessionKind};
use crate::error::{Error, Result};
use crate::format::Origin;
use crate::gate::Door;
use crate::memory::{
    Filter, Found, Memory, MemoryEvent, MemoryId, MemoryStore, NewMemory, Query, SearchOutcome, Source,
};
use crate::name::StateName;

pub use config::StoreConfig;

/// A memory store inside one SQLite file, for one scope of it.
///
/// The tables are the seed's: `memories`, `user_profile`, and `memories_fts`, an FTS5 index over them that any
/// SQLite shell can read, and keeps in step when it adds a row. The file may be that of a
/// [`SqliteWorkspace`](crate::SqliteWorkspace): one file is one thing to back up; two let a store be thrown away and
/// rebuilt, and a long purge does not hold up a dream.
///
/// WAL with `synchronous=FULL`: what a verb returned survives a power loss. Several processes may use the file at
/// once; whoever waits for longer than [`StoreConfig::patience`] gets [`Error::Busy`]. Not for network drives.
///
/// The scope that opens a file first owns it: rows that another program adds without a scope are its own. A verb
/// for any scope but this store's finds nothing, and writes nothing.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::{
///     Access, Actor, MemoryStore, NewMemory, Query, Scope, SessionKind, Source, SqliteMemoryStore,
/// };
///
/// let store = SqliteMemoryStore::open_in_memory(Scope::user("marta"))?;
/// let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// store.write(&access, &NewMemory::new("preference", "Sets slippage to 0.5%", Source::UserExplicit), now)?;
///
/// let found = store.search(&access, &Query::new("What is my slippage?"))?;
/// assert_eq!(found.hits[0].memory.content, "Sets slippage to 0.5%");
///
/// let group = Access::new(SessionKind::Shared, Actor::Agent, Scope::user("marta"));
/// assert!(store.search(&group, &Query::new("slippage"))?.hits.is_empty());
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Clone)]
pub struct SqliteMemoryStore {
    inner: Arc<Inner>,
}

struct Inner {
    connection: Mutex<Connection>,
    location: String,
    file: String,
    scope: Scope,
    /// The scope as its rows name it: both are empty for the owner of the file.
    user: String,
    agent: String,
    config: StoreConfig,
}

/// How the index of a store stands to its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexState {
    /// It says what the rows say.
    Sound,
    /// It does not, and [`rebuild_index`](SqliteMemoryStore::rebuild_index) mends it.
    Drifted,
}

/// What a profile tells a session with others present. (seed 001, 3.2)
const SHARED_KEYS: [&str; 3] = ["name", "timezone", "language"];

/// How many rows one transaction of a purge removes, so that writers wait for moments only.
const PURGED_AT_ONCE: u32 = 500;

impl SqliteMemoryStore {
    /// Opens or makes the file. A database of the seed's own program is taken over: its rows stay, what its metadata
    /// says of a missing source is believed once, and its index is made anew.
    ///
    /// # Errors
    ///
    /// [`Error::NewerVersion`] for a file of a newer version of this library, [`Error::Corrupt`] for a file that
    /// is no SQLite database or another program's, [`Error::NetworkFileSystem`] for a network drive.
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Self::open_with(path, scope, StoreConfig::default())
    }

    /// As [`open`](Self::open), configured.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, scope: Scope, config: StoreConfig) -> Result<Self> {
        let Opened { connection, path, file, .. } =
            open::open(path.as_ref(), config.patience, Others::Adopted)?;
        Self::over(connection, path.display().to_string(), file, scope, config)
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
        let file = ":memory:".to_owned();
        let mut connection = Connection::open_in_memory().map_err(|error| fold("open", &file, error))?;
        schema::prepare(&mut connection, &file, config.patience, Others::Refused)?;
        Self::over(connection, file.clone(), file, scope, config)
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

    fn over(
        connection: Connection,
        location: String,
        file: String,
        scope: Scope,
        config: StoreConfig,
    ) -> Result<Self> {
        if scope.user.is_empty() {
            return Err(Error::Config { setting: "scope", rule: "must name a user" });
        }
        let mut inner = Inner {
            connection: Mutex::new(connection),
            location,
            file,
            user: scope.user.clone(),
            agent: scope.agent.clone(),
            scope,
            config,
        };
        if let Some(pages) = inner.config.max_pages {
            let connection = inner.lock();
            connection
                .pragma_update(None, "max_page_count", pages)
                .map_err(|error| fold("open", &inner.file, error))?;
        }
        if inner.owner()? == inner.scope {
            (inner.user, inner.agent) = (String::new(), String::new());
        }
        inner.catch_up()?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The scope that was fixed when it was opened.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.inner.scope
    }

    /// How it was configured.
    #[must_use]
    pub fn config(&self) -> &StoreConfig {
        &self.inner.config
    }

    /// [Purges](MemoryStore::purge) what was deleted longer ago than the retention.
    ///
    /// # Errors
    ///
    /// Those of [`purge`](MemoryStore::purge).
    pub fn purge_expired(&self, now: DateTime<Utc>) -> Result<u64> {
        self.purge(self.inner.config.cutoff(now), now)
    }

    /// Looks at the whole file: at its pages, and at whether the index says what the rows say. Takes as long as
    /// the file is large.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the file is damaged beyond its index.
    pub fn check(&self) -> Result<IndexState> {
        let verdict: String = self.inner.read("check", |connection| {
            connection.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        })?;
        let mut connection = self.inner.lock();
        let folded = |error| fold("check", &self.inner.file, error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(folded)?;
        let checked = transaction
            .execute_batch("INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)");
        let is_drifted = match checked {
            Ok(()) => false,
            Err(error) if is_corrupt(&error) => true,
            Err(error) => return Err(folded(error)),
        };
        // The index has tables of its own, which the first look sees too.
        if verdict != "ok" && !verdict.contains("memories_fts") {
            return Err(Error::Corrupt {
                name: self.inner.file.clone(),
                line: 0,
                column: 0,
                what: "the database is malformed",
            });
        }
        Ok(if is_drifted || verdict != "ok" { IndexState::Drifted } else { IndexState::Sound })
    }

    /// Makes the index anew from the rows.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the rows themselves cannot be read.
    pub fn rebuild_index(&self) -> Result<()> {
        self.inner.change("rebuild the index of", tables::rebuild)
    }
}

fn is_corrupt(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt)
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(
        &self,
        action: &'static str,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        query(&self.lock()).map_err(|error| fold(action, &self.file, error))
    }

    /// Runs a mutation in one immediate transaction: all of it, or nothing.
    fn change<T>(
        &self,
        action: &'static str,
        mutate: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T> {
        self.attempt(action, |connection| mutate(connection).map_err(|error| fold(action, &self.file, error)))
    }

    /// As [`change`](Self::change), for a mutation that may refuse.
    fn attempt<T>(&self, action: &'static str, mutate: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut connection = self.lock();
        let folded = |error| fold(action, &self.file, error);
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(folded)?;
        let done = mutate(&transaction)?;
        transaction.commit().map_err(folded)?;
        Ok(done)
    }

    /// Tells of what is durable.
    fn tell(&self, name: &'static str, id: Option<MemoryId>) {
        if let Some(observer) = &self.config.observer {
            observer.event(&MemoryEvent::new(name, id));
        }
    }

    /// Whose file it is: the first who opens it.
    fn owner(&self) -> Result<Scope> {
        let sql = "SELECT user_id, agent_id FROM memory_owner";
        let read = |connection: &Connection| {
            let scope = |row: &rusqlite::Row<'_>| Ok(Scope { user: row.get(0)?, agent: row.get(1)? });
            connection.query_row(sql, [], scope).optional()
        };
        if let Some(owner) = self.read("open", read)? {
            return Ok(owner);
        }
        self.change("open", |connection| {
            connection.execute(
                "INSERT OR IGNORE INTO memory_owner (one, user_id, agent_id) VALUES (1, ?1, ?2)",
                params![self.scope.user, self.scope.agent],
            )?;
            Ok(read(connection)?.unwrap_or_else(|| self.scope.clone()))
        })
    }

    /// Takes in what other programs wrote, and mends an index that they left behind.
    fn catch_up(&self) -> Result<()> {
        let behind = self.read("open", |connection| {
            // An index that cannot be read is behind too.
            let drifted = match tables::has_drifted(connection) {
                Err(error) if is_corrupt(&error) => true,
                looked => looked?,
            };
            Ok((tables::are_mended(connection)?, drifted, tables::has_unread(connection)?))
        })?;
        if behind == (true, false, false) {
            return Ok(());
        }
        self.change("open", |connection| {
            if tables::mend_triggers(connection)? || tables::has_drifted(connection).unwrap_or(true) {
                tables::rebuild(connection)?;
            }
            tables::read_terms(connection)
        })
    }

    /// The view of the rows that a session may see; `None` where it sees none.
    fn view(&self, access: &Access) -> Option<&'static str> {
        if access.scope != self.scope {
            return None;
        }
        Some(match access.kind {
            SessionKind::Main => "main_memories",
            SessionKind::Shared | SessionKind::Subagent | SessionKind::Scheduled => "shared_memories",
        })
    }

    /// Source and category of a row that stands, or of one that is deleted and may be restored.
    fn standing(
        &self,
        connection: &Connection,
        id: MemoryId,
        deleted_since: Option<DateTime<Utc>>,
    ) -> rusqlite::Result<Option<(Option<Source>, String)>> {
        let mut statement = connection.prepare_cached(
            "SELECT source, category FROM memories WHERE id = ?1 AND user_id = ?2 AND agent_id = ?3
             AND ((?4 IS NULL AND deleted_at IS NULL) OR deleted_at >= ?4)",
        )?;
        statement
            .query_row(params![id.get(), self.user, self.agent, deleted_since.map(stamp)], |found| {
                Ok((row::maybe(found, 0)?.map(|word| Source::of(&word)), row::text(found, 1)?))
            })
            .optional()
    }

    /// Changes one row that this actor may edit; `false` where it does not stand.
    fn edit(&self, access: &Access, id: MemoryId, edit: Edit<'_>, now: DateTime<Utc>) -> Result<bool> {
        let name = Self::row_name(Some(id));
        let (action, event, deleted_since) = match edit {
            Edit::Content(_) => ("memory_update", "memory:written", None),
            Edit::Delete => ("memory_delete", "memory:deleted", None),
            Edit::Restore => ("memory_restore", "memory:restored", Some(self.config.cutoff(now))),
        };
        let entry = Entry {
            access: Some(access),
            action,
            id: Some(id),
            source: None,
            origin: None,
            reason: None,
            now,
        };
        let refused = entry.clone();
        let edited = self.main_only(access, name.clone()).and_then(|()| {
            if let Edit::Content(content) = edit {
                self.admit_text(&name, content, 0)?;
            }
            self.attempt(action, |connection| {
                let folded = |error| fold(action, &self.file, error);
                let Some((source, category)) =
                    self.standing(connection, id, deleted_since).map_err(folded)?
                else {
                    return Ok(false);
                };
                if !Source::may_edit(source.as_ref(), &category, access.actor) {
                    return Err(Error::Denied { name: name.clone(), kind: access.kind });
                }
                edit.apply(connection, id, now).map_err(folded)?;
                let entry = Entry { source: source.as_ref(), ..entry };
                self.record(connection, &entry, "done").map_err(folded)?;
                Ok(true)
            })
        });
        match edited {
            Ok(true) => self.tell(event, Some(id)),
            Ok(false) => {}
            Err(error) => return Err(self.refused(&refused, error)),
        }
        edited
    }
}

/// What is done to one row.
#[derive(Clone, Copy)]
enum Edit<'a> {
    Content(&'a str),
    Delete,
    Restore,
}

impl Edit<'_> {
    fn apply(self, connection: &Connection, id: MemoryId, now: DateTime<Utc>) -> rusqlite::Result<()> {
        let id = id.get();
        match self {
            Self::Content(content) => {
                let (speaker, said_at) = connection.query_row(
                    "SELECT speaker, said_at FROM memories WHERE id = ?1",
                    [id],
                    |found| Ok((row::maybe(found, 0)?, row::time(found, 1)?)),
                )?;
                let terms = row::terms(content, speaker.as_deref(), said_at);
                connection
                    .prepare_cached(
                        "UPDATE memories SET content = ?2, terms = ?3, updated_at = ?4 WHERE id = ?1",
                    )?
                    .execute(params![id, content, terms, stamp(now)])
            }
            Self::Delete => connection
                .prepare_cached("UPDATE memories SET deleted_at = ?2 WHERE id = ?1")?
                .execute(params![id, stamp(now)]),
            Self::Restore => connection
                .prepare_cached("UPDATE memories SET deleted_at = NULL WHERE id = ?1")?
                .execute([id]),
        }?;
        Ok(())
    }
}

impl MemoryStore for SqliteMemoryStore {
    fn location(&self) -> String {
        self.inner.location.clone()
    }

    fn write(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<MemoryId> {
        let inner = &self.inner;
        let origin = match (&memory.origin, &memory.source) {
            (None, Source::Imported) => Some(Origin::Import),
            (origin, _) => origin.clone(),
        };
        let mut entry = Entry {
            access: Some(access),
            action: "memory_write",
            id: None,
            source: Some(&memory.source),
            origin: origin.map(|origin| origin.to_string()),
            reason: memory.reason.as_deref(),
            now,
        };
        if let Err(error) = inner.admit(access, memory) {
            return Err(inner.refused(&entry, error));
        }
        let place = memory.place.as_ref();
        let speaker = place.and_then(|place| place.speaker.as_deref());
        let said_at = place.and_then(|place| place.said_at);
        let id = inner.change("write to", |connection| {
            connection
                .prepare_cached(
                    "INSERT INTO memories (category, content, metadata, source, created_at, updated_at, user_id,
                       agent_id, shared, session, position, role, speaker, said_at, terms, origin)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
                )?
                .execute(params![
                    memory.category,
                    memory.content,
                    memory.metadata.as_ref().map(ToString::to_string),
                    memory.source.word(),
                    stamp(now),
                    inner.user,
                    inner.agent,
                    memory.shared,
                    place.map(|place| &place.session),
                    place.map(|place| i64::try_from(place.position).unwrap_or(i64::MAX)),
                    place.map(|place| role_word(place.role)),
                    speaker,
                    said_at.map(stamp),
                    row::terms(&memory.content, speaker, said_at),
                    entry.origin,
                ])?;
            let id = MemoryId::new(connection.last_insert_rowid());
            entry.id = Some(id);
            inner.record(connection, &entry, "done")?;
            Ok(id)
        })?;
        inner.tell("memory:written", Some(id));
        Ok(id)
    }

    fn get(&self, access: &Access, id: MemoryId) -> Result<Option<Memory>> {
        let Some(view) = self.inner.view(access) else { return Ok(None) };
        self.inner.read("read", |connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {} FROM {view} m WHERE m.id = ?1 AND m.user_id = ?2 AND m.agent_id = ?3",
                    row::COLUMNS
                ))?
                .query_row(params![id.get(), self.inner.user, self.inner.agent], row::memory)
                .optional()
        })
    }

    fn list(&self, access: &Access, filter: &Filter) -> Result<Vec<Memory>> {
        let Some(view) = self.inner.view(access) else { return Ok(Vec::new()) };
        self.inner.read("list", |connection| search::list(&self.inner, connection, view, filter))
    }

    fn search(&self, access: &Access, query: &Query) -> Result<Found> {
        let nothing = Found { outcome: SearchOutcome::Empty, hits: Vec::new() };
        let Some(view) = self.inner.view(access) else { return Ok(nothing) };
        let run =
            || self.inner.read("search", |connection| search::run(&self.inner, connection, view, query));
        match run() {
            // An index that cannot be read is made anew; where the rows cannot be read either, that is said.
            Err(Error::Corrupt { .. }) => {
                self.rebuild_index()?;
                run()
            }
            found => found,
        }
    }

    fn update(&self, access: &Access, id: MemoryId, content: &str, now: DateTime<Utc>) -> Result<bool> {
        self.inner.edit(access, id, Edit::Content(content), now)
    }

    fn delete(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool> {
        self.inner.edit(access, id, Edit::Delete, now)
    }

    fn restore(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool> {
        self.inner.edit(access, id, Edit::Restore, now)
    }

    fn purge(&self, cutoff: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64> {
        let inner = &self.inner;
        let mut purged = 0;
        loop {
            let ids: Vec<i64> = inner.change("purge", |connection| {
                let ids = connection
                    .prepare_cached(
                        "SELECT id FROM memories WHERE deleted_at < ?1 AND user_id = ?2 AND agent_id = ?3
                         ORDER BY id LIMIT ?4",
                    )?
                    .query_map(params![stamp(cutoff), inner.user, inner.agent, PURGED_AT_ONCE], |row| {
                        row.get(0)
                    })?
                    .collect::<rusqlite::Result<Vec<i64>>>()?;
                for id in &ids {
                    connection.prepare_cached("DELETE FROM memories WHERE id = ?1")?.execute([id])?;
                    let entry = Entry {
                        access: None,
                        action: "memory_removed",
                        id: Some(MemoryId::new(*id)),
                        source: None,
                        origin: None,
                        reason: None,
                        now,
                    };
                    inner.record(connection, &entry, "done")?;
                }
                Ok(ids)
            })?;
            for id in &ids {
                inner.tell("memory:purged", Some(MemoryId::new(*id)));
            }
            purged += ids.len() as u64;
            if ids.is_empty() {
                break;
            }
        }
        if purged > 0 {
            // The words of a removed row stay in the index until its parts are merged, and its page in the log
            // until that is written back.
            inner.change("purge", |connection| {
                connection.execute_batch("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')")
            })?;
            inner.read("purge", |connection| {
                connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            })?;
        }
        Ok(purged)
    }

    fn set_profile(&self, access: &Access, key: &str, value: &str, now: DateTime<Utc>) -> Result<()> {
        let inner = &self.inner;
        let name: crate::name::Name = StateName::row("user_profile", "new").into();
        let entry = Entry {
            access: Some(access),
            action: "profile_write",
            id: None,
            source: None,
            origin: None,
            reason: None,
            now,
        };
        let admitted = inner.main_only(access, name.clone()).and_then(|()| {
            check_word("key", key)?;
            inner.admit_text(&name, value, key.len())?;
            inner.config.doors.pass(Door::StoreWrite, &name, key)?;
            Ok(())
        });
        if let Err(error) = admitted {
            return Err(inner.refused(&entry, error));
        }
        inner.change("write the profile in", |connection| {
            if inner.user.is_empty() {
                connection
                    .prepare_cached(
                        "INSERT INTO user_profile (key, value, updated_at) VALUES (?1, ?2, ?3) ON CONFLICT (key)
                         DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
                    )?
                    .execute(params![key, value, stamp(now)])?;
            } else {
                connection
                    .prepare_cached(
                        "INSERT INTO guest_profile (user_id, agent_id, key, value, updated_at)
                         VALUES (?4, ?5, ?1, ?2, ?3) ON CONFLICT (user_id, agent_id, key)
                         DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
                    )?
                    .execute(params![key, value, stamp(now), inner.user, inner.agent])?;
            }
            inner.record(connection, &entry, "done")
        })?;
        inner.tell("profile:written", None);
        Ok(())
    }

    fn profile(&self, access: &Access) -> Result<Vec<(String, String)>> {
        let inner = &self.inner;
        if access.scope != inner.scope {
            return Ok(Vec::new());
        }
        let sql = match access.kind {
            SessionKind::Main => "SELECT key, value FROM whole ORDER BY key",
            SessionKind::Shared | SessionKind::Subagent | SessionKind::Scheduled => {
                "SELECT key, value FROM whole WHERE key IN (?3, ?4, ?5) ORDER BY key"
            }
        };
        let whole = "WITH whole AS (
            SELECT key, value FROM user_profile WHERE ?1 = '' AND ?2 = ''
            UNION ALL SELECT key, value FROM guest_profile WHERE user_id = ?1 AND agent_id = ?2
        )";
        inner.read("read the profile in", |connection| {
            let mut statement = connection.prepare_cached(&format!("{whole} {sql}"))?;
            let keys = if access.kind == SessionKind::Main { &SHARED_KEYS[..0] } else { &SHARED_KEYS[..] };
            let bound = [inner.user.as_str(), inner.agent.as_str()].into_iter().chain(keys.iter().copied());
            statement
                .query_map(rusqlite::params_from_iter(bound), |found| {
                    Ok((row::text(found, 0)?, row::text(found, 1)?))
                })?
                .collect()
        })
    }
}

impl fmt::Debug for SqliteMemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SqliteMemoryStore({} {})", self.inner.location, self.inner.scope.user)
    }
}
