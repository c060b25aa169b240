//! A memory store in one file of lines that a person can read: every change adds one, and the index is in memory.

mod record;
mod rows;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use self::record::{Change, Record, VERSION};
use self::rows::Rows;
use super::write_guard;
use crate::access::{Access, Actor, Scope, SessionKind};
use crate::disk::{Disk, Open, OsDisk, atomic};
use crate::error::{At, Error, Result};
use crate::gate::{Door, DoorPolicy, Doors, InjectionPolicy, SecretPolicy};
use crate::memory::{
    Filter, Found, Hit, Memory, MemoryId, MemoryStore, NewMemory, Query, SearchOutcome, Source,
};
use crate::name::{Name, StateName};
use crate::recall::{Entities, GenericEntities, Ranking, Sight};
use crate::text;

/// A memory store in a folder, for one scope: the file `.dreaming.d/memories.jsonl`, and its index in memory.
///
/// Opening reads the whole file, and the rows stay in memory: right for a hundred thousand of them, not for
/// millions. The folder may be that of a [`FileWorkspace`](crate::FileWorkspace).
///
/// Every change adds one line, which is its audit too: when, by whom, from where and why. Earlier content of a row
/// stays in the file until the row is purged; then its words go from every line, and the lines stay.
///
/// When a verb returns, its change survives a power loss. What a crash leaves of an unfinished line is taken away by
/// the next change. Several processes may use the folder at once, and each sees what the others wrote. Not for
/// network drives.
///
/// The scope that opens a folder first owns it: a verb for any other scope finds nothing, and writes nothing.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::{Access, Actor, FileMemoryStore, MemoryStore, NewMemory, Query, Scope, SessionKind, Source};
///
/// let folder = tempfile::tempdir()?;
/// let store = FileMemoryStore::open(folder.path(), Scope::user("marta"))?;
/// let access = Access::new(SessionKind::Main, Actor::Agent, Scope::user("marta"));
/// let now = Utc.with_ymd_and_hms(2026, 11, 21, 9, 0, 0).unwrap();
/// store.write(&access, &NewMemory::new("preference", "Sets slippage to 0.5%", Source::UserExplicit), now)?;
///
/// let found = store.search(&access, &Query::new("What is my slippage?"))?;
/// assert_eq!(found.hits[0].memory.content, "Sets slippage to 0.5%");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FileMemoryStore {
    inner: Arc<Inner>,
}

struct Inner {
    disk: Arc<dyn Disk>,
    scope: Scope,
    doors: Doors,
    ranking: Ranking,
    entities: Arc<dyn Entities>,
    rows: Mutex<Rows>,
}

/// The most bytes of a row, with all that is written beside it. What is longer belongs into a document.
const MAX_ROW: usize = 16 * 1024;
/// The most bytes of a reason in the audit.
const LONGEST_REASON: usize = 1024;
/// What a profile tells a session with others present. (seed 001, 3.2)
const SHARED_KEYS: [&str; 3] = ["name", "timezone", "language"];

impl FileMemoryStore {
    /// Opens an existing folder; the file is made by the first change.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where there is no such folder, [`Error::Corrupt`] where a line of the file is damaged,
    /// [`Error::NewerVersion`] for a file of a newer version, [`Error::Denied`] for the file of another scope.
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        let path = path.as_ref();
        let disk = OsDisk::open(path).at("open", path.display())?;
        Self::over(Arc::new(disk), scope)
    }

    /// Opens a store over another disk: one that fails.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    #[cfg(any(test, feature = "testing"))]
    pub fn on_disk(disk: Arc<dyn Disk>, scope: Scope) -> Result<Self> {
        Self::over(disk, scope)
    }

    fn over(disk: Arc<dyn Disk>, scope: Scope) -> Result<Self> {
        if scope.user.is_empty() {
            return Err(Error::Config { setting: "scope", rule: "must name a user" });
        }
        let inner = Inner {
            disk,
            scope,
            doors: Doors::default(),
            ranking: Ranking::default(),
            entities: Arc::new(GenericEntities),
            rows: Mutex::new(Rows::default()),
        };
        drop(inner.fresh()?);
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Sets what may be written, by [`Door::StoreWrite`]. Before the first use.
    #[must_use]
    pub fn with_doors(self, doors: Doors) -> Self {
        self.with(|inner| inner.doors = doors)
    }

    /// Sets how rows are weighed. Before the first use.
    #[must_use]
    pub fn with_ranking(self, ranking: Ranking) -> Self {
        self.with(|inner| inner.ranking = ranking)
    }

    /// Sets what finds entities. Before the first use.
    #[must_use]
    pub fn with_entities(self, entities: Arc<dyn Entities>) -> Self {
        self.with(|inner| inner.entities = entities)
    }

    fn with(mut self, set: impl FnOnce(&mut Inner)) -> Self {
        let inner = &self.inner;
        let mut fresh = Inner {
            disk: Arc::clone(&inner.disk),
            scope: inner.scope.clone(),
            doors: inner.doors.clone(),
            ranking: inner.ranking,
            entities: Arc::clone(&inner.entities),
            rows: Mutex::new(std::mem::take(&mut *inner.lock())),
        };
        set(&mut fresh);
        self.inner = Arc::new(fresh);
        self
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rows, with what other processes wrote meanwhile.
    fn fresh(&self) -> Result<MutexGuard<'_, Rows>> {
        let mut rows = self.lock();
        rows.catch_up(self.disk.as_ref(), &self.scope)?;
        Ok(rows)
    }

    /// Which of the rows a session may see; `None` where it sees none.
    fn sight(&self, access: &Access) -> Option<Sight> {
        (access.scope == self.scope).then_some(match access.kind {
            SessionKind::Main => Sight::All,
            SessionKind::Shared | SessionKind::Subagent | SessionKind::Scheduled => Sight::Shared,
        })
    }

    /// Decides on a change and makes it durable, while no other process changes anything. A refusal is recorded.
    fn change<T>(
        &self,
        access: Option<&Access>,
        now: DateTime<Utc>,
        said: Said<'_>,
        decide: impl FnOnce(&Rows) -> Result<(T, Vec<Change>)>,
    ) -> Result<T> {
        let _guard = write_guard(self.disk.as_ref())?;
        let mut rows = self.fresh()?;
        let record = |change| Record {
            at: now,
            actor: access.map_or(Actor::Library, |access| access.actor),
            kind: access.map(|access| access.kind),
            source: said.source.map(|source| self.masked_source(source)),
            reason: said.reason.map(|reason| self.masked(reason)),
            change,
        };
        let (done, changes) = match decide(&rows) {
            Ok(decided) => decided,
            Err(error) => {
                if let Some(why) = refusal(&error) {
                    // Where it cannot be recorded, the refusal still counts.
                    let change = Change::Refused { what: said.what.to_owned(), why };
                    let _ = self.append(&mut rows, vec![record(change)]);
                }
                return Err(error);
            }
        };
        self.append(&mut rows, changes.into_iter().map(record).collect())?;
        Ok(done)
    }

    /// Adds lines, and makes them durable before they count.
    fn append(&self, rows: &mut Rows, mut records: Vec<Record>) -> Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        let disk = self.disk.as_ref();
        let name = StateName::MEMORIES;
        if rows.is_new() {
            let opened = Change::Opened { version: VERSION, scope: self.scope.clone() };
            records.insert(0, Record { change: opened, ..Record::of_library(records[0].at) });
        }
        rows.mend(disk)?;
        let lines: String = records.iter().map(|record| record.line() + "\n").collect();
        let written = super::append(disk, &name, lines.as_bytes());
        if written.is_err() {
            // Nobody knows what of it stands there: what does is read again before the next verb.
            *rows = Rows::default();
            return written;
        }
        rows.catch_up(disk, &self.scope)
    }

    /// Whether a row may come in.
    fn admit(&self, access: &Access, memory: &NewMemory, name: &Name) -> Result<()> {
        if access.scope != self.scope || !memory.source.may_be_claimed(access.actor) {
            return Err(Error::Denied { name: name.clone(), kind: access.kind });
        }
        if memory.category.trim().is_empty() || memory.category.chars().any(char::is_control) {
            return Err(Error::Config { setting: "category", rule: "must be one line of text" });
        }
        let place = memory.place.as_ref();
        let notes = memory.metadata.as_ref().map(ToString::to_string).unwrap_or_default();
        let speaker = place.and_then(|place| place.speaker.as_deref()).unwrap_or_default();
        let beside = [&memory.category, memory.source.word(), speaker, &notes].join("\n");
        // The session is an id of the host's, and ids look like keys: it is not looked at.
        self.admit_text(name, &memory.content, beside.len() + place.map_or(0, |place| place.session.len()))?;
        self.doors.pass(Door::StoreWrite, name, &beside).map(|_| ())
    }

    /// Whether a text may come in, with so many bytes beside it.
    fn admit_text(&self, name: &Name, content: &str, beside: usize) -> Result<()> {
        if content.trim().is_empty() {
            return Err(Error::Config { setting: "content", rule: "must not be empty" });
        }
        let len = content.len() + beside;
        if len > MAX_ROW {
            return Err(Error::TooLarge { name: name.clone(), len: len as u64, limit: MAX_ROW as u64 });
        }
        self.doors.pass(Door::StoreWrite, name, content).map(|_| ())
    }

    fn masked_source(&self, source: &Source) -> Source {
        match source {
            Source::Other(word) => Source::Other(self.masked(word)),
            known => known.clone(),
        }
    }

    /// A text of the audit: short, without secrets and instructions. (seed 003, Safety properties)
    fn masked(&self, text: &str) -> String {
        let policy = DoorPolicy::new(SecretPolicy::Redact, InjectionPolicy::Block);
        let doors = self.doors.clone().policy(Door::StoreWrite, policy);
        match doors.pass(Door::StoreWrite, &StateName::MEMORIES, text) {
            Ok(passed) => passed.text[..text::floor_boundary(&passed.text, LONGEST_REASON)].to_owned(),
            Err(_) => "[REDACTED]".to_owned(),
        }
    }

    /// Changes one row that this actor may edit; `false` where there is none.
    fn edit(&self, access: &Access, id: MemoryId, edit: Edit<'_>, now: DateTime<Utc>) -> Result<bool> {
        let name: Name = StateName::MEMORIES.into();
        let denied = || Err(Error::Denied { name: name.clone(), kind: access.kind });
        self.change(Some(access), now, Said::of(edit.word()), |rows| {
            if access.kind != SessionKind::Main || access.scope != self.scope {
                return denied();
            }
            if let Edit::Content(content) = edit {
                self.admit_text(&name, content, 0)?;
            }
            let Some(stored) = rows.stored(id) else { return Ok((false, Vec::new())) };
            if stored.is_deleted() != matches!(edit, Edit::Restore) {
                return Ok((false, Vec::new()));
            }
            let may_edit =
                Source::may_edit(stored.memory.source.as_ref(), &stored.memory.category, access.actor);
            if may_edit { Ok((true, vec![edit.change(id)])) } else { denied() }
        })
    }
}

/// What the audit is told of a change beside the change.
#[derive(Clone, Copy)]
struct Said<'a> {
    what: &'static str,
    source: Option<&'a Source>,
    reason: Option<&'a str>,
}

impl Said<'_> {
    fn of(what: &'static str) -> Self {
        Self { what, source: None, reason: None }
    }
}

/// Why something was refused, without its text; `None` for a failure.
fn refusal(error: &Error) -> Option<String> {
    match error {
        Error::Stopped { classes, .. } => Some(classes.join(", ")),
        Error::TooLarge { .. } => Some("too large".to_owned()),
        Error::Denied { .. } => Some("denied".to_owned()),
        Error::Config { setting, .. } => Some((*setting).to_owned()),
        _ => None,
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
    fn word(self) -> &'static str {
        match self {
            Self::Content(_) => "update",
            Self::Delete => "delete",
            Self::Restore => "restore",
        }
    }

    fn change(self, id: MemoryId) -> Change {
        match self {
            Self::Content(content) => Change::Updated { id, content: Some(content.to_owned()) },
            Self::Delete => Change::Deleted { id },
            Self::Restore => Change::Restored { id },
        }
    }
}

impl MemoryStore for FileMemoryStore {
    fn location(&self) -> String {
        self.inner.disk.root().join(StateName::MEMORIES.as_str()).display().to_string()
    }

    fn write(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<MemoryId> {
        let inner = &self.inner;
        let name: Name = StateName::MEMORIES.into();
        let said = Said { what: "write", source: Some(&memory.source), reason: memory.reason.as_deref() };
        inner.change(Some(access), now, said, |rows| {
            inner.admit(access, memory, &name)?;
            let id = rows.next_id();
            Ok((id, vec![Change::written(id, memory)]))
        })
    }

    fn get(&self, access: &Access, id: MemoryId) -> Result<Option<Memory>> {
        let Some(sight) = self.inner.sight(access) else { return Ok(None) };
        Ok(self.inner.fresh()?.get(id, sight).cloned())
    }

    fn list(&self, access: &Access, filter: &Filter) -> Result<Vec<Memory>> {
        let Some(sight) = self.inner.sight(access) else { return Ok(Vec::new()) };
        Ok(self.inner.fresh()?.list(filter, sight).cloned().collect())
    }

    fn search(&self, access: &Access, query: &Query) -> Result<Found> {
        let inner = &self.inner;
        let Some(sight) = inner.sight(access) else {
            return Ok(Found { outcome: SearchOutcome::Empty, hits: Vec::<Hit>::new() });
        };
        Ok(inner.fresh()?.search(query, sight, &inner.ranking, inner.entities.as_ref()))
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
        let purged = inner.change(None, now, Said::of("purge"), |rows| {
            let expired = rows.deleted_before(cutoff);
            Ok((expired.len() as u64, expired.into_iter().map(|id| Change::Purged { id }).collect()))
        })?;
        // Also where nothing is to purge: an earlier purge may have been cut short before its words were gone.
        let _guard = write_guard(inner.disk.as_ref())?;
        let mut rows = inner.fresh()?;
        if rows.compact(inner.disk.as_ref())? {
            *rows = Rows::default();
            rows.catch_up(inner.disk.as_ref(), &inner.scope)?;
        }
        Ok(purged)
    }

    fn set_profile(&self, access: &Access, key: &str, value: &str, now: DateTime<Utc>) -> Result<()> {
        let inner = &self.inner;
        let name: Name = StateName::MEMORIES.into();
        inner.change(Some(access), now, Said::of("profile"), |_| {
            if access.kind != SessionKind::Main || access.scope != inner.scope {
                return Err(Error::Denied { name: name.clone(), kind: access.kind });
            }
            if key.trim().is_empty() || key.chars().any(char::is_control) {
                return Err(Error::Config { setting: "key", rule: "must be one line of text" });
            }
            inner.admit_text(&name, value, key.len())?;
            inner.doors.pass(Door::StoreWrite, &name, key)?;
            Ok(((), vec![Change::Profile { key: key.to_owned(), value: value.to_owned() }]))
        })
    }

    fn profile(&self, access: &Access) -> Result<Vec<(String, String)>> {
        let Some(sight) = self.inner.sight(access) else { return Ok(Vec::new()) };
        let rows = self.inner.fresh()?;
        let tells = |key: &str| sight == Sight::All || SHARED_KEYS.contains(&key);
        let profile = rows.profile().iter().filter(|(key, _)| tells(key));
        Ok(profile.map(|(key, value)| (key.clone(), value.clone())).collect())
    }
}

/// Which file has a name: device and inode.
type FileId = (u64, u64);

/// Reads what stands behind a place in the file, and which file it is.
fn read_from(disk: &dyn Disk, from: u64) -> Result<Option<(Vec<u8>, FileId)>> {
    let name = StateName::MEMORIES;
    match disk.open(name.as_str(), Open::Read) {
        Ok(file) => {
            let id = file.stat().at("look at", &*name)?.id;
            Ok(Some((atomic::read_range(file.as_ref(), from, u64::MAX).at("read", &*name)?, id)))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).at("open", &*name),
    }
}

impl fmt::Debug for FileMemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileMemoryStore({} {})", self.location(), self.inner.scope.user)
    }
}
