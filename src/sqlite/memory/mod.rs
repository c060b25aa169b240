//! A memory store inside one SQLite file, in the tables of the third seed.

mod audit;
mod fact;
mod forget;
mod learning;
mod row;
mod search;
pub(super) mod tables;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OptionalExtension, params};

use self::fact::Table;
use self::forget::Known;
use self::row::{role_word, stamp};
use self::search::{Asked, View};
use super::backup;
use super::database::{Database, is_corrupt};
use super::fold;
use super::open::{self, Others};
use crate::base::access::{Access, Actor, Scope};
use crate::base::error::{Error, Result};
use crate::base::name::StateName;
use crate::base::receipt::PlaceReceipt;
use crate::base::text;
use crate::facts::{
    ConsolidationEvent, Decision, EventId, Fact, FactState, FactStore, Recorded, Settled, Suspect, Suspicion,
};
use crate::format::DreamId;
use crate::gate::Tombstones;
use crate::memory::IndexState;
use crate::memory::{
    AuditEntry, Filter, Found, Memory, MemoryId, MemoryStore, NewMemory, Query, SnapshotRow, Source,
};
use crate::store::{self, Deed, Edit, SHARED_KEYS, StoreConfig, row_name};
use crate::trace;

/// A memory store inside one SQLite file, for one scope of it.
///
/// The tables are the seed's: `memories`, `user_profile`, and `memories_fts`, an FTS5 index over them that any
/// SQLite shell can read, and keeps in step when it adds a row. The file may be that of a
/// [`SqliteWorkspace`](crate::SqliteWorkspace): one file is one thing to [back up](Self::backup_to); two let a store be thrown away and
/// rebuilt, and a long purge does not hold up a dream: all that this process has open in one file shares one connection.
///
/// The text index holds the rows that a search may return, so words of deleted and retired rows count in no frequency.
///
/// WAL with `synchronous=FULL`: what a verb returned survives a power loss. Several processes may use the file at
/// once; whoever waits for longer than [`StoreConfig::patience`] gets [`Error::Busy`]. Not for network drives.
///
/// The scope that opens a file first owns it: rows that another program adds without a scope are its own. A verb
/// for any scope but this store's finds nothing, and changes nothing: its refusal is a line of the audit. Give each scope a file of its own: in one of
/// several, and in a session with others present, a search ranks the newest 4,096 rows that match and not all of
/// them, since the engine's own ranking would tell what rows say that are not in sight.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::memory::{NewMemory, Query, Source};
/// use noctuary::{Access, Actor, MemoryStore, Scope, SessionKind, SqliteMemoryStore};
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
    database: Database,
    location: String,
    scope: Scope,
    /// The scope as its rows name it: both are empty for the owner of the file.
    user: String,
    agent: String,
    config: StoreConfig,
    forgotten: Mutex<Known>,
}

/// What an edit asks of a row.
struct Standing {
    source: Option<Source>,
    category: String,
    state: Option<FactState>,
    pinned_by: Option<Actor>,
}

/// What `pinned` is where the human did it; 1 is anybody else.
const PINNED_BY_THE_HUMAN: i64 = 2;

/// How many rows one transaction of a purge removes, so that writers wait for moments only.
const PURGED_AT_ONCE: u32 = 500;

impl SqliteMemoryStore {
    /// Opens or makes the file. A database of the seed's own program is taken over: its rows stay, what its metadata
    /// says of a missing source is believed once, and its index is made anew.
    ///
    /// # Errors
    ///
    /// [`Error::NewerVersion`] for a file of a newer version of this library, [`Error::Corrupt`] for a file that
    /// is no SQLite database or another program's, [`Error::Shrunk`] for one that lacks its last commit,
    /// [`Error::TooManyOpen`], [`Error::NetworkFileSystem`] for a network drive.
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Self::open_with(path, scope, StoreConfig::default())
    }

    /// As [`open`](Self::open), configured.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
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

    fn over(database: Database, scope: Scope, config: StoreConfig) -> Result<Self> {
        store::check_scope(&scope)?;
        let mut inner = Inner {
            location: database.path().display().to_string(),
            database,
            user: scope.user.clone(),
            agent: scope.agent.clone(),
            scope,
            config,
            forgotten: Mutex::new(None),
        };
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

    /// Copies the whole database into a new file, as it stands at one moment, while others write: rows, profile, audit
    /// and indexes of every scope, and the documents of a workspace in the same file. As
    /// [`SqliteWorkspace::backup_to`](crate::SqliteWorkspace::backup_to); verbs of this process in the same file wait.
    ///
    /// ```
    /// # use chrono::Utc;
    /// # use noctuary::memory::{NewMemory, Query, Source};
    /// # use noctuary::{Access, Actor, MemoryStore, Scope, SessionKind, SqliteMemoryStore};
    /// # let folder = tempfile::tempdir()?;
    /// # let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
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
    /// Those of [`SqliteWorkspace::backup_to`](crate::SqliteWorkspace::backup_to).
    pub fn backup_to(&self, path: impl AsRef<Path>) -> Result<()> {
        backup::backup(&self.inner.database, path.as_ref())
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
        // Indexes have tables of their own, which this sees too.
        let verdicts: Vec<String> = self.inner.database.read("check", |connection| {
            let mut statement = connection.prepare("PRAGMA integrity_check(100)")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })?;
        let is_drifted = self.inner.database.change("check", |connection| {
            let sql = "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)";
            match connection.execute_batch(sql) {
                Err(error) if is_corrupt(&error) => Ok(true),
                checked => checked.map(|()| false),
            }
        })?;
        let is_of = |verdict: &String, index: &str| verdict.contains(index);
        let is_damaged = |verdict: &String| {
            verdict != "ok" && !is_of(verdict, "memories_fts") && !is_of(verdict, "memory_chunks_fts")
        };
        if verdicts.iter().any(is_damaged) {
            return Err(Error::Corrupt {
                name: self.inner.database.file().to_owned(),
                line: 0,
                column: 0,
                what: "the database is malformed",
            });
        }
        let is_drifted = is_drifted || verdicts.iter().any(|verdict| is_of(verdict, "memories_fts"));
        Ok(if is_drifted { IndexState::Drifted } else { IndexState::Sound })
    }

    /// Makes the index anew from the rows.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where the rows themselves cannot be read.
    pub fn rebuild_index(&self) -> Result<()> {
        self.inner.database.change("rebuild the index of", tables::rebuild)
    }
}

impl Inner {
    /// Whose file it is: the first who opens it.
    fn owner(&self) -> Result<Scope> {
        let sql = "SELECT user_id, agent_id FROM memory_owner";
        let read = |connection: &Connection| {
            let scope = |row: &rusqlite::Row<'_>| Ok(Scope { user: row.get(0)?, agent: row.get(1)? });
            connection.query_row(sql, [], scope).optional()
        };
        if let Some(owner) = self.database.read("open", read)? {
            return Ok(owner);
        }
        self.database.change("open", |connection| {
            connection.execute(
                "INSERT OR IGNORE INTO memory_owner (one, user_id, agent_id) VALUES (1, ?1, ?2)",
                params![self.scope.user, self.scope.agent],
            )?;
            Ok(read(connection)?.unwrap_or_else(|| self.scope.clone()))
        })
    }

    /// Takes in what other programs wrote, and mends an index that they left behind.
    fn catch_up(&self) -> Result<()> {
        let behind = self.database.read("open", |connection| {
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
        self.database.change("open", |connection| {
            if tables::mend_triggers(connection)? || tables::has_drifted(connection).unwrap_or(true) {
                tables::rebuild(connection)?;
            }
            tables::read_others(connection)
        })
    }

    /// The view of the rows that a session may see; `None` where it sees none.
    fn view(&self, access: &Access) -> Option<View> {
        (access.scope == self.scope).then(|| View::of(access))
    }

    /// Source, category and state of a row that stands, or of one that is deleted and may be restored.
    fn standing(
        &self,
        connection: &Connection,
        id: MemoryId,
        deleted_since: Option<DateTime<Utc>>,
    ) -> rusqlite::Result<Option<Standing>> {
        let mut statement = connection.prepare_cached(
            "SELECT source, category, fact_state, pinned FROM memories WHERE id = ?1 AND user_id = ?2 AND agent_id = ?3
             AND ((?4 IS NULL AND deleted_at IS NULL) OR deleted_at >= ?4)",
        )?;
        statement
            .query_row(params![id.get(), self.user, self.agent, deleted_since.map(stamp)], |found| {
                let source = row::maybe(found, 0)?.map(|word| Source::of(&word));
                let state = row::maybe(found, 2)?.and_then(|word| FactState::of(&word));
                let pinned_by = match found.get(3)? {
                    0 => None,
                    PINNED_BY_THE_HUMAN => Some(Actor::Human),
                    _ => Some(Actor::Agent),
                };
                Ok(Standing { source, category: row::text(found, 1)?, state, pinned_by })
            })
            .optional()
    }

    /// Writes a row, and says what it may contradict.
    fn put(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<Recorded> {
        let deed = Deed::write(access, memory, now);
        let file = self.database.file();
        let written = self.config.admit(&self.scope, access, memory).and_then(|()| {
            self.database.attempt("write to", file, |connection| {
                self.check_forgotten(connection, |forgotten| {
                    store::forget::check_row(forgotten, access, &row_name(None), memory)
                })?;
                let folded = |error| fold("write to", file, error);
                if let Some((id, is_back)) = self.promoted(connection, memory, &deed).map_err(folded)? {
                    return Ok((id, Vec::new(), is_back.then_some("memory:restored")));
                }
                let facts = Table { inner: self, connection };
                let suspects = store::fact::suspects(&facts, memory, true)?;
                let told = if store::sees_all(access) {
                    suspects.clone()
                } else {
                    store::fact::suspects(&facts, memory, false)?
                };
                let id = self.insert(connection, memory, &deed, &suspects).map_err(folded)?;
                Ok((id, told, Some("memory:written")))
            })
        });
        let (id, suspects, event) = written.map_err(|error| self.refused(&deed, error))?;
        if let Some(event) = event {
            self.config.tell(event, Some(id));
        }
        if event != Some("memory:written") {
            return Ok(Recorded::new(id, suspects));
        }
        if store::fact::first_status(&memory.category, Some(&memory.source)).is_some() {
            self.config.tell("fact:recorded", Some(id));
        }
        Ok(Recorded::new(id, suspects))
    }

    /// The row of the same dream that has these words, and whether it comes back now.
    fn promoted(
        &self,
        connection: &Connection,
        memory: &NewMemory,
        deed: &Deed<'_>,
    ) -> rusqlite::Result<Option<(MemoryId, bool)>> {
        let Some(dream) = &memory.dream else { return Ok(None) };
        let standing = connection
            .prepare_cached(
                "SELECT id, deleted_at IS NOT NULL AND 'library' IS (
                   SELECT actor FROM memory_audit
                   WHERE memory_id = m.id AND action = 'memory_delete' AND outcome = 'done'
                   ORDER BY id DESC LIMIT 1)
                 FROM memories m WHERE user_id = ?1 AND agent_id = ?2 AND dream = ?3 AND content = ?4
                 ORDER BY deleted_at IS NOT NULL, id LIMIT 1",
            )?
            .query_row(params![self.user, self.agent, dream.as_str(), memory.content], |found| {
                Ok((MemoryId::new(found.get(0)?), found.get(1)?))
            })
            .optional()?;
        if let Some((id, true)) = standing {
            apply(Edit::Restore, connection, id, Actor::Library, deed.now)?;
            self.record_done(connection, &Deed { action: Edit::Restore.action(), ..deed.clone() }.to(id))?;
        }
        Ok(standing)
    }

    fn insert(
        &self,
        connection: &Connection,
        memory: &NewMemory,
        deed: &Deed<'_>,
        suspects: &[Suspect],
    ) -> rusqlite::Result<MemoryId> {
        let place = memory.place.as_ref();
        let speaker = place.and_then(|place| place.speaker.as_deref());
        let said_at = place.and_then(|place| place.said_at);
        let key = memory.about.as_ref();
        let cites = (!memory.cites.is_empty())
            .then(|| serde_json::to_string(&memory.cites).expect("plain data is always JSON"));
        connection
            .prepare_cached(
                "INSERT INTO memories (category, content, metadata, source, created_at, updated_at, user_id,
                   agent_id, shared, session, position, role, speaker, said_at, terms, origin, fact_state,
                   valid_from, subject, slot, cardinality, fact_key, normal, cites, dream)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
                   ?19, ?20, ?21, ?22, ?23, ?24)",
            )?
            .execute(params![
                memory.category,
                memory.content,
                memory.metadata.as_ref().map(ToString::to_string),
                memory.source.word(),
                stamp(deed.now),
                self.user,
                self.agent,
                memory.shared,
                place.map(|place| &place.session),
                place.map(|place| i64::try_from(place.position).unwrap_or(i64::MAX)),
                place.map(|place| role_word(place.role)),
                speaker,
                said_at.map(stamp),
                row::terms(&memory.content, speaker, said_at),
                deed.origin.as_ref().map(ToString::to_string),
                store::fact::first_status(&memory.category, Some(&memory.source))
                    .map(|status| status.state.word()),
                memory.valid_from.map(stamp),
                key.map(|key| &key.subject),
                key.map(|key| &key.slot),
                key.map(|key| fact::cardinality_word(key.cardinality)),
                key.map(fact::key_column),
                store::fact::normal(&memory.category, &memory.content, key),
                cites,
                memory.dream.as_ref().map(DreamId::as_str),
            ])?;
        let id = MemoryId::new(connection.last_insert_rowid());
        Table { inner: self, connection }.suspect(id, suspects)?;
        self.record_done(connection, &deed.clone().to(id))?;
        Ok(id)
    }

    fn check_forgotten(
        &self,
        connection: &Connection,
        check: impl FnOnce(Option<&Arc<Tombstones>>) -> Result<()>,
    ) -> Result<()> {
        let forgotten = self.forgotten(connection);
        check(forgotten.map_err(|error| fold("write to", self.database.file(), error))?.as_ref())
    }

    /// Carries out what the rules of facts say, in one step with what they read.
    fn rule<T>(
        &self,
        rule: impl FnOnce(&Table<'_>) -> Result<(Vec<ConsolidationEvent>, T)>,
    ) -> Result<(Vec<ConsolidationEvent>, T)> {
        let file = self.database.file();
        let (events, answer) = self.database.attempt("change facts in", file, |connection| {
            let facts = Table { inner: self, connection };
            let (mut events, answer) = rule(&facts)?;
            for event in &mut events {
                facts.apply(event).map_err(|error| fold("change facts in", file, error))?;
            }
            Ok((events, answer))
        })?;
        self.config.tell_facts(&events);
        Ok((events, answer))
    }

    /// Changes one row; `false` where it does not stand.
    fn edit(&self, access: &Access, id: MemoryId, edit: Edit<'_>, now: DateTime<Utc>) -> Result<bool> {
        let name = row_name(Some(id));
        let deed = Deed::new(access, edit.action(), now).to(id);
        let deleted_since = matches!(edit, Edit::Restore).then(|| self.config.cutoff(now));
        let edited = self.config.admit_edit(&self.scope, access, &name, edit).and_then(|()| {
            let file = self.database.file();
            self.database.attempt(deed.action, file, |connection| {
                let folded = |error| fold(deed.action, file, error);
                let Some(Standing { source, category, state, pinned_by }) =
                    self.standing(connection, id, deleted_since).map_err(folded)?
                else {
                    return Ok(false);
                };
                if !edit.is_allowed(source.as_ref(), &category, state, pinned_by, access.actor) {
                    return Err(Error::Denied { name: name.clone(), kind: access.kind });
                }
                if !edit.reaches(state)? {
                    return Ok(false);
                }
                if let Edit::Content(content) = edit {
                    self.check_forgotten(connection, |forgotten| {
                        store::forget::check(forgotten, &name, content)
                    })?;
                }
                apply(edit, connection, id, access.actor, now).map_err(folded)?;
                let deed = Deed { source: source.as_ref(), ..deed.clone() };
                self.record_done(connection, &deed).map_err(folded)?;
                Ok(true)
            })
        });
        match edited {
            Ok(true) => self.config.tell(edit.event(), Some(id)),
            Ok(false) => {}
            Err(error) => return Err(self.refused(&deed, error)),
        }
        edited
    }
}

fn apply(
    edit: Edit<'_>,
    connection: &Connection,
    id: MemoryId,
    actor: Actor,
    now: DateTime<Utc>,
) -> rusqlite::Result<()> {
    let id = id.get();
    match edit {
        Edit::Content(content) => {
            let (speaker, said_at, is_compared) = connection.query_row(
                "SELECT speaker, said_at, normal IS NOT NULL FROM memories WHERE id = ?1",
                [id],
                |found| Ok((row::maybe(found, 0)?, row::time(found, 1)?, found.get::<_, bool>(2)?)),
            )?;
            let terms = row::terms(content, speaker.as_deref(), said_at);
            let normal = is_compared.then(|| text::statement(content));
            connection
                .prepare_cached(
                    "UPDATE memories SET content = ?2, terms = ?3, updated_at = ?4, normal = ?5 WHERE id = ?1",
                )?
                .execute(params![id, content, terms, stamp(now), normal])
        }
        Edit::Delete => connection
            .prepare_cached("UPDATE memories SET deleted_at = ?2 WHERE id = ?1")?
            .execute(params![id, stamp(now)]),
        Edit::Restore => {
            connection.prepare_cached("UPDATE memories SET deleted_at = NULL WHERE id = ?1")?.execute([id])
        }
        Edit::Pin(pinned) => {
            let by = if actor == Actor::Human { PINNED_BY_THE_HUMAN } else { 1 };
            connection
                .prepare_cached("UPDATE memories SET pinned = iif(?2, max(pinned, ?3), 0) WHERE id = ?1")?
                .execute(params![id, pinned, by])
        }
    }?;
    Ok(())
}

impl MemoryStore for SqliteMemoryStore {
    fn location(&self) -> String {
        self.inner.location.clone()
    }

    fn scope(&self) -> Option<&Scope> {
        Some(&self.inner.scope)
    }

    fn write(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<MemoryId> {
        trace::create(|id| *id, || Ok(self.inner.put(access, memory, now)?.id))
    }

    fn get(&self, access: &Access, id: MemoryId) -> Result<Option<Memory>> {
        let Some(view) = self.inner.view(access) else { return Ok(None) };
        self.inner.database.read("read", |connection| search::get(&self.inner, connection, view, id))
    }

    fn list(&self, access: &Access, filter: &Filter) -> Result<Vec<Memory>> {
        let Some(view) = self.inner.view(access) else { return Ok(Vec::new()) };
        self.inner.database.read("list", |connection| search::list(&self.inner, connection, view, filter))
    }

    fn snapshot(&self, access: &Access, limit: usize, now: DateTime<Utc>) -> Result<Vec<SnapshotRow>> {
        let inner = &self.inner;
        let Some(view) = inner.view(access) else { return Ok(Vec::new()) };
        // Where it cannot be settled, the prompt does without what is pending.
        let _ = self.settle(now);
        inner.database.read("list", |connection| search::snapshot(inner, connection, view, limit))
    }

    fn search(&self, access: &Access, query: &Query) -> Result<Found> {
        store::shown(self.search_unmasked(access, query)?, query, &self.inner.config.doors)
    }

    fn search_unmasked(&self, access: &Access, query: &Query) -> Result<Found> {
        trace::search(|| {
            let Some(view) = self.inner.view(access) else { return Ok(Found::nothing()) };
            let inner = self.inner.as_ref();
            let run = || {
                inner.database.read("search", |connection| {
                    Asked { inner, connection, view, query, ranking: &inner.config.ranking }.run()
                })
            };
            match run() {
                // An index that cannot be read is made anew; where the rows cannot be read either, that is said.
                Err(Error::Corrupt { .. }) => {
                    self.rebuild_index()?;
                    run()
                }
                found => found,
            }
        })
    }

    fn update(&self, access: &Access, id: MemoryId, content: &str, now: DateTime<Utc>) -> Result<bool> {
        trace::update(id, || self.inner.edit(access, id, Edit::Content(content), now))
    }

    fn delete(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool> {
        trace::delete(id, || self.inner.edit(access, id, Edit::Delete, now))
    }

    fn restore(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool> {
        trace::update(id, || self.inner.edit(access, id, Edit::Restore, now))
    }

    fn pin(&self, access: &Access, id: MemoryId, pinned: bool, now: DateTime<Utc>) -> Result<bool> {
        trace::update(id, || self.inner.edit(access, id, Edit::Pin(pinned), now))
    }

    fn purge(&self, cutoff: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64> {
        let inner = &self.inner;
        let mut purged = 0;
        loop {
            let ids: Vec<i64> = inner.database.change("purge", |connection| {
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
                    let deed = Deed::of_library("memory_removed", now).to(MemoryId::new(*id));
                    inner.record_done(connection, &deed)?;
                }
                Ok(ids)
            })?;
            for id in &ids {
                inner.config.tell("memory:purged", Some(MemoryId::new(*id)));
            }
            purged += ids.len() as u64;
            if ids.is_empty() {
                break;
            }
        }
        if purged > 0 {
            self.inner.wipe()?;
        }
        Ok(purged)
    }

    fn forget(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<Vec<PlaceReceipt>> {
        trace::forget(|| self.inner.forget(access, text, now))
    }

    fn lift(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<bool> {
        self.inner.lift(access, text, now)
    }

    fn set_profile(&self, access: &Access, key: &str, value: &str, now: DateTime<Utc>) -> Result<()> {
        let inner = &self.inner;
        let deed = Deed::new(access, "profile_write", now);
        let set = |connection: &Connection| {
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
            inner.record_done(connection, &deed)
        };
        let name = StateName::row("user_profile", "new").into();
        let file = inner.database.file();
        let written = inner.config.admit_fact(&inner.scope, access, key, value).and_then(|()| {
            inner.database.attempt("write the profile in", file, |connection| {
                inner.check_forgotten(connection, |forgotten| {
                    store::forget::check(forgotten, &name, key)?;
                    store::forget::check(forgotten, &name, value)
                })?;
                set(connection).map_err(|error| fold("write the profile in", file, error))
            })
        });
        written.map_err(|error| inner.refused(&deed, error))?;
        inner.config.tell("profile:written", None);
        Ok(())
    }

    fn profile(&self, access: &Access) -> Result<Vec<(String, String)>> {
        let inner = &self.inner;
        if access.scope != inner.scope {
            return Ok(Vec::new());
        }
        let (sql, keys) = if store::sees_all(access) {
            ("SELECT key, value FROM whole ORDER BY key", &SHARED_KEYS[..0])
        } else {
            ("SELECT key, value FROM whole WHERE key IN (?3, ?4, ?5) ORDER BY key", &SHARED_KEYS[..])
        };
        let whole = "WITH whole AS (
            SELECT key, value FROM user_profile WHERE ?1 = '' AND ?2 = ''
            UNION ALL SELECT key, value FROM guest_profile WHERE user_id = ?1 AND agent_id = ?2
        )";
        inner.database.read("read the profile in", |connection| {
            let mut statement = connection.prepare_cached(&format!("{whole} {sql}"))?;
            let bound = [inner.user.as_str(), inner.agent.as_str()].into_iter().chain(keys.iter().copied());
            statement
                .query_map(rusqlite::params_from_iter(bound), |found| {
                    Ok((row::text(found, 0)?, row::text(found, 1)?))
                })?
                .collect()
        })
    }

    fn audit(&self, access: &Access, limit: usize) -> Result<Vec<AuditEntry>> {
        let inner = &self.inner;
        store::main_only(&inner.scope, access, &StateName::row("memory_audit", "all").into())?;
        inner.database.read("read the audit of", |connection| inner.entries(connection, limit))
    }
}

impl FactStore for SqliteMemoryStore {
    fn facts_of(&self) -> Option<&Scope> {
        Some(&self.inner.scope)
    }

    fn takes_rulings(&self) -> bool {
        self.inner.config.facts.consolidation
    }

    fn record(&self, access: &Access, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded> {
        trace::create(|recorded: &Recorded| recorded.id, || self.inner.put(access, fact, now))
    }

    fn settle(&self, now: DateTime<Utc>) -> Result<Settled> {
        if !self.is_settling_due()? {
            return Ok(Settled::default());
        }
        let (events, ()) = self.inner.rule(|facts| Ok((store::fact::settle(facts, now)?, ())))?;
        Ok(store::fact::settled(&events))
    }

    fn is_settling_due(&self) -> Result<bool> {
        let inner = &self.inner;
        inner.database.read("read", |connection| Table { inner, connection }.is_pending())
    }

    fn fact(&self, access: &Access, id: MemoryId) -> Result<Option<Fact>> {
        let inner = &self.inner;
        if access.scope != inner.scope {
            return Ok(None);
        }
        let connection = &*inner.database.lock();
        store::fact::seen(&Table { inner, connection }, id, store::sees_all(access))
    }

    fn history(&self, access: &Access, id: MemoryId) -> Result<Vec<Fact>> {
        let inner = &self.inner;
        if access.scope != inner.scope {
            return Ok(Vec::new());
        }
        let connection = &*inner.database.lock();
        let facts = Table { inner, connection };
        let replaced = |id| facts.replaced_by(id).map_err(|error| fold("read", inner.database.file(), error));
        store::fact::history(&facts, &replaced, id, store::sees_all(access))
    }

    fn suspicions(&self, access: &Access, limit: usize) -> Result<Vec<Suspicion>> {
        let inner = &self.inner;
        store::main_only(&inner.scope, access, &row_name(None))?;
        inner.database.read("read", |connection| Table { inner, connection }.suspicions(limit))
    }

    fn decide(&self, access: &Access, decision: &Decision, now: DateTime<Utc>) -> Result<ConsolidationEvent> {
        let inner = &self.inner;
        let whose = (&inner.config, &inner.scope, access);
        let ruled = inner.rule(|facts| store::fact::decide(facts, whose, decision, now))?;
        store::fact::answer(ruled)
    }

    fn revert(&self, access: &Access, event: EventId, now: DateTime<Utc>) -> Result<ConsolidationEvent> {
        let inner = &self.inner;
        let whose = (&inner.config, &inner.scope, access);
        let ruled = inner.rule(|facts| store::fact::revert(facts, whose, event, now))?;
        store::fact::answer(ruled)
    }

    fn decisions(&self, access: &Access, limit: usize) -> Result<Vec<ConsolidationEvent>> {
        let inner = &self.inner;
        store::main_only(&inner.scope, access, &row_name(None))?;
        inner.database.read("read", |connection| Table { inner, connection }.decisions(limit))
    }
}

impl fmt::Debug for SqliteMemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SqliteMemoryStore({} {})", self.inner.location, self.inner.scope.user)
    }
}
