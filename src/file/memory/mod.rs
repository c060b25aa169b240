//! A memory store in one file of lines that a person can read: every change adds one, and the index is in memory.

mod facts;
mod learnings;
mod record;
mod rows;

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};

use self::facts::Table;
use self::record::{Change, Record};
use self::rows::{Rows, Stored};
use super::write_guard_within;
use crate::base::access::{Access, Actor, Scope};
use crate::base::error::{At, Error, Result};
use crate::base::name::StateName;
use crate::base::receipt::PlaceReceipt;
use crate::disk::{Disk, OsDisk};
use crate::facts::{ConsolidationEvent, Decision, EventId, Fact, FactStore, Recorded, Settled, Suspicion};
use crate::gate::TombstoneKey;
use crate::memory::{
    AuditEntry, Filter, Found, Learning, LearningId, LearningStore, Memory, MemoryId, MemoryStore,
    NewLearning, NewMemory, Query, SnapshotRow,
};
use crate::search::rank::Sight;
use crate::store::forget::Burial;
use crate::store::{self, Deed, Edit, SHARED_KEYS, StoreConfig, learning_name, refusal, row_name};
use crate::trace;

/// A memory store in a folder, for one scope: the file `.dreaming.d/memories.jsonl`, and its index in memory.
///
/// Opening reads the whole file, and the rows stay in memory: right for a hundred thousand of them, not for
/// millions. The folder may be that of a [`FileWorkspace`](crate::FileWorkspace).
///
/// Every change adds one line, which is its audit too: when, by whom, from where and why. Earlier content of a row
/// stays in the file until the row is purged; then its words go from every line, and the lines stay.
///
/// A change appends one line and syncs the file once; a purge writes the file anew. When a verb returns, its change
/// survives a power loss; where one fails, the change is there whole or not at all. What a crash leaves of an
/// unfinished line is taken away by the next change. A mark beside the file says what its last line was: where that is
/// missing, the file was emptied or cut short, and each verb says [`Error::Shrunk`]. Several processes may use the folder at once, each sees what
/// the others wrote, and whoever waits for longer than [`StoreConfig::patience`] gets [`Error::Busy`]. Not for network
/// drives.
///
/// The scope that opens a folder first owns it: a verb for any other scope finds nothing, and writes nothing.
///
/// ```
/// use chrono::{TimeZone, Utc};
/// use noctuary::memory::{NewMemory, Query, Source};
/// use noctuary::{Access, Actor, FileMemoryStore, MemoryStore, Scope, SessionKind};
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
    config: StoreConfig,
    rows: Mutex<Rows>,
}

impl FileMemoryStore {
    /// Opens an existing folder; the file is made by the first change.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] where there is no such folder, [`Error::Corrupt`] where a line of the file is damaged,
    /// [`Error::Shrunk`] where it lacks its last commit, [`Error::NewerVersion`] for a file of a newer version, [`Error::Refused`] for the file of another scope,
    /// [`Error::NetworkFileSystem`] for a network drive.
    pub fn open(path: impl AsRef<Path>, scope: Scope) -> Result<Self> {
        Self::open_with(path, scope, StoreConfig::default())
    }

    /// As [`open`](Self::open), configured.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, scope: Scope, config: StoreConfig) -> Result<Self> {
        let path = path.as_ref();
        let disk = OsDisk::open(path).at("open", path.display())?;
        Self::over(Arc::new(disk), scope, config)
    }

    /// Opens a store over another disk: one that fails.
    ///
    /// # Errors
    ///
    /// Those of [`open`](Self::open).
    #[cfg(any(test, feature = "testing"))]
    #[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
    pub fn on_disk(disk: Arc<dyn Disk>, scope: Scope, config: StoreConfig) -> Result<Self> {
        Self::over(disk, scope, config)
    }

    fn over(disk: Arc<dyn Disk>, scope: Scope, config: StoreConfig) -> Result<Self> {
        store::check_scope(&scope)?;
        let root = disk.root().display().to_string();
        if let Some(file_system) = disk.network().at("look at", &root)? {
            return Err(Error::NetworkFileSystem { path: root, file_system });
        }
        let inner = Inner { disk, scope, config, rows: Mutex::new(Rows::default()) };
        drop(inner.fresh()?);
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
}

impl Inner {
    /// The rows, with what other processes wrote meanwhile.
    fn fresh(&self) -> Result<MutexGuard<'_, Rows>> {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.catch_up(self.disk.as_ref(), &self.scope)?;
        Ok(rows)
    }

    /// Which of the rows a session may see; `None` where it sees none.
    fn sight(&self, access: &Access) -> Option<Sight> {
        let sight = if store::sees_all(access) { Sight::All } else { Sight::Shared };
        (access.scope == self.scope).then_some(sight)
    }

    /// Decides on a change and makes it, while no other process changes anything.
    fn exclusively<T>(&self, change: impl FnOnce(&mut Rows) -> Result<T>) -> Result<T> {
        let _guard = write_guard_within(self.disk.as_ref(), self.config.patience)?;
        change(&mut *self.fresh()?)
    }

    /// Adds a line, and makes it durable before it counts.
    fn append(&self, rows: &mut Rows, record: &Record) -> Result<()> {
        // A reason may say what was forgotten.
        let struck = rows.forgotten().and_then(|known| record.clone().struck(&|text| known.holds(text)));
        let record = struck.as_ref().unwrap_or(record);
        rows.append(self.disk.as_ref(), &self.scope, record, self.config.max_file_bytes)
    }

    /// The line of something that is done.
    fn done(&self, deed: &Deed<'_>, change: Change) -> Record {
        Record::new(self.config.entry(deed, "done"), change)
    }

    /// Records a refusal, and hands it on. Where it cannot be recorded, the refusal still counts.
    fn refused(&self, deed: &Deed<'_>, error: Error) -> Error {
        if let Some(why) = refusal(&error) {
            let record = Record::refused(self.config.entry(deed, why));
            let _ = self.exclusively(|rows| self.append(rows, &record));
        }
        error
    }

    /// Writes a row, and says what it may contradict.
    fn put(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<Recorded> {
        let deed = Deed::write(access, memory, now);
        let written = self.config.admit(&self.scope, access, memory).and_then(|()| {
            self.exclusively(|rows| {
                store::forget::check_row(rows.forgotten(), access, &row_name(None), memory)?;
                if let Some((id, is_back)) = rows.promoted(memory) {
                    if is_back {
                        self.append(rows, &self.done(&deed, Change::Restored { id }))?;
                    }
                    return Ok((Recorded::new(id, Vec::new()), is_back.then_some("memory:restored")));
                }
                let facts = Table { rows, config: &self.config };
                let suspects = store::fact::suspects(&facts, memory, true)?;
                let told = if store::sees_all(access) {
                    suspects.clone()
                } else {
                    store::fact::suspects(&facts, memory, false)?
                };
                let id = rows.next_id();
                self.append(rows, &self.done(&deed, Change::written(id, memory, suspects)))?;
                Ok((Recorded::new(id, told), Some("memory:written")))
            })
        });
        let (recorded, event) = written.map_err(|error| self.refused(&deed, error))?;
        if let Some(event) = event {
            self.config.tell(event, Some(recorded.id));
        }
        if event != Some("memory:written") {
            return Ok(recorded);
        }
        if store::fact::first_status(&memory.category, Some(&memory.source)).is_some() {
            self.config.tell("fact:recorded", Some(recorded.id));
        }
        Ok(recorded)
    }

    /// Carries out what the rules of facts say, in one line, and in one step with what they read.
    fn rule<T>(
        &self,
        now: DateTime<Utc>,
        rule: impl FnOnce(&Table<'_>) -> Result<(Vec<ConsolidationEvent>, T)>,
    ) -> Result<(Vec<ConsolidationEvent>, T)> {
        let (events, answer) = self.exclusively(|rows| {
            let (mut events, answer) = rule(&Table { rows, config: &self.config })?;
            let first = rows.fact_index.next_event().get();
            for (id, event) in (first..).zip(&mut events) {
                event.id = EventId::new(id);
            }
            if !events.is_empty() {
                let deed = Deed::of_library("facts", now);
                self.append(rows, &self.done(&deed, Change::Ruled { events: events.clone() }))?;
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
        let edited = self.config.admit_edit(&self.scope, access, &name, edit).and_then(|()| {
            self.exclusively(|rows| {
                let standing = match edit {
                    Edit::Restore => rows.deleted_since(id, self.config.cutoff(now)),
                    Edit::Content(_) | Edit::Delete | Edit::Pin(_) => rows.undeleted(id),
                };
                let Some(Stored { memory, stated, pinned_by, .. }) = standing else { return Ok(false) };
                let state = stated.status.map(|status| status.state);
                let (source, category) = (memory.source.as_ref(), &memory.category);
                if !edit.is_allowed(source, category, state, *pinned_by, access.actor) {
                    return Err(Error::Denied { name: name.clone(), kind: access.kind });
                }
                if !edit.reaches(state)? {
                    return Ok(false);
                }
                if let Edit::Content(content) = edit {
                    store::forget::check(rows.forgotten(), &name, content)?;
                }
                let change = match edit {
                    Edit::Content(content) => Change::Updated { id, content: Some(content.to_owned()) },
                    Edit::Delete => Change::Deleted { id },
                    Edit::Restore => Change::Restored { id },
                    Edit::Pin(true) => Change::Pinned { id },
                    Edit::Pin(false) => Change::Unpinned { id },
                };
                let record = self.done(&Deed { source: memory.source.as_ref(), ..deed.clone() }, change);
                self.append(rows, &record)?;
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

    /// Forgets a text in all rows, their reasons, the profile and what was learned.
    fn forget(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<Vec<PlaceReceipt>> {
        let deed = Deed::new(access, "memory_forget", now);
        let forgot = store::main_only(&self.scope, access, &row_name(None)).and_then(|()| {
            self.exclusively(|rows| {
                let key = rows.forgotten().map_or_else(TombstoneKey::random, |known| known.key().clone());
                let burial = Burial::new(&key, text)?;
                let mut ids = Vec::new();
                for Stored { memory, stated, .. } in rows.holding(&burial) {
                    if !store::forget::may_forget(access, memory, stated.status) {
                        let name = row_name(Some(memory.id));
                        return Err(Error::Denied { name, kind: access.kind });
                    }
                    ids.push(memory.id);
                }
                let change = Change::Forgot { ids: ids.clone(), stone: burial.stone, key };
                let record = self.done(&deed, change);
                let reasons = rows.forget(self.disk.as_ref(), &self.scope, record, &ids, &burial)?;
                let struck = rows.strike(&burial);
                Ok((ids, struck, reasons))
            })
        });
        let (ids, (profile, learnings), reasons) = forgot.map_err(|error| self.refused(&deed, error))?;
        for id in &ids {
            self.config.tell("memory:forgotten", Some(*id));
        }
        Ok(store::forget::receipt(ids.len() as u64, profile, learnings, reasons, None))
    }

    /// Records what was learned, once.
    fn learn(&self, access: &Access, learning: &NewLearning, now: DateTime<Utc>) -> Result<LearningId> {
        let deed = Deed::new(access, "memory_learn", now);
        let learned = self.config.admit_learning(&self.scope, access, learning).and_then(|()| {
            self.exclusively(|rows| {
                store::forget::check_learning(rows.forgotten(), &learning_name(), learning)?;
                if let Some(id) = rows.learnings.saying(&learning.content) {
                    return Ok((id, false));
                }
                let id = rows.learnings.next_id();
                let NewLearning { content, context } = learning.clone();
                let change = Change::Learned { id, content: Some(content), context };
                self.append(rows, &self.done(&deed, change))?;
                Ok((id, true))
            })
        });
        let (id, is_new) = learned.map_err(|error| self.refused(&deed, error))?;
        if is_new {
            self.config.tell("learning:written", None);
        }
        Ok(id)
    }
}

impl MemoryStore for FileMemoryStore {
    fn location(&self) -> String {
        self.inner.disk.root().join(StateName::MEMORIES.as_str()).display().to_string()
    }

    fn scope(&self) -> Option<&Scope> {
        Some(&self.inner.scope)
    }

    fn write(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<MemoryId> {
        trace::create(|id| *id, || Ok(self.inner.put(access, memory, now)?.id))
    }

    fn get(&self, access: &Access, id: MemoryId) -> Result<Option<Memory>> {
        let Some(sight) = self.inner.sight(access) else { return Ok(None) };
        Ok(self.inner.fresh()?.get(id, sight).cloned())
    }

    fn list(&self, access: &Access, filter: &Filter) -> Result<Vec<Memory>> {
        let Some(sight) = self.inner.sight(access) else { return Ok(Vec::new()) };
        Ok(self.inner.fresh()?.list(filter, sight).into_iter().cloned().collect())
    }

    fn snapshot(&self, access: &Access, limit: usize, now: DateTime<Utc>) -> Result<Vec<SnapshotRow>> {
        let Some(sight) = self.inner.sight(access) else { return Ok(Vec::new()) };
        // Where it cannot be settled, the prompt does without what is pending.
        let _ = self.settle(now);
        Ok(self.inner.fresh()?.snapshot(limit, sight))
    }

    fn search(&self, access: &Access, query: &Query) -> Result<Found> {
        store::shown(self.search_unmasked(access, query)?, query, &self.inner.config.doors)
    }

    fn search_unmasked(&self, access: &Access, query: &Query) -> Result<Found> {
        let inner = &self.inner;
        trace::search(|| {
            let Some(sight) = inner.sight(access) else { return Ok(Found::nothing()) };
            Ok(inner.fresh()?.search(query, sight, &inner.config.ranking, inner.config.entities.as_ref()))
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
        let gone = inner.exclusively(|rows| {
            let gone = rows.deleted_before(cutoff);
            if !gone.is_empty() {
                let deed = Deed::of_library("memory_removed", now);
                let record = inner.done(&deed, Change::Purged { ids: gone.clone() });
                rows.purge(inner.disk.as_ref(), &inner.scope, record, &gone)?;
            }
            Ok(gone)
        })?;
        for id in &gone {
            inner.config.tell("memory:purged", Some(*id));
        }
        Ok(gone.len() as u64)
    }

    fn forget(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<Vec<PlaceReceipt>> {
        trace::forget(|| self.inner.forget(access, text, now))
    }

    fn lift(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<bool> {
        let inner = &self.inner;
        let deed = Deed::new(access, "memory_lift", now);
        let name = row_name(None);
        let lifted = store::main_only(&inner.scope, access, &name).and_then(|()| {
            if access.actor != Actor::Human {
                return Err(Error::Denied { name, kind: access.kind });
            }
            inner.exclusively(|rows| {
                let stone =
                    rows.forgotten().and_then(|known| known.bury(text).filter(|stone| known.contains(stone)));
                if let Some(stone) = stone {
                    inner.append(rows, &inner.done(&deed, Change::Lifted { stone }))?;
                }
                Ok(stone.is_some())
            })
        });
        lifted.map_err(|error| inner.refused(&deed, error))
    }

    fn set_profile(&self, access: &Access, key: &str, value: &str, now: DateTime<Utc>) -> Result<()> {
        let inner = &self.inner;
        let deed = Deed::new(access, "profile_write", now);
        let name = StateName::row("user_profile", "new").into();
        let written = inner.config.admit_fact(&inner.scope, access, key, value).and_then(|()| {
            inner.exclusively(|rows| {
                store::forget::check(rows.forgotten(), &name, key)?;
                store::forget::check(rows.forgotten(), &name, value)?;
                let change = Change::Profile { key: key.to_owned(), value: Some(value.to_owned()) };
                inner.append(rows, &inner.done(&deed, change))
            })
        });
        written.map_err(|error| inner.refused(&deed, error))?;
        inner.config.tell("profile:written", None);
        Ok(())
    }

    fn profile(&self, access: &Access) -> Result<Vec<(String, String)>> {
        let Some(sight) = self.inner.sight(access) else { return Ok(Vec::new()) };
        let rows = self.inner.fresh()?;
        let tells = |key: &str| sight == Sight::All || SHARED_KEYS.contains(&key);
        let profile = rows.profile().iter().filter(|(key, _)| tells(key));
        Ok(profile.map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    fn audit(&self, access: &Access, limit: usize) -> Result<Vec<AuditEntry>> {
        store::main_only(&self.inner.scope, access, &StateName::MEMORIES)?;
        self.inner.fresh()?.audit(limit)
    }
}

impl FactStore for FileMemoryStore {
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
        let (events, ()) = self.inner.rule(now, |facts| Ok((store::fact::settle(facts, now)?, ())))?;
        Ok(store::fact::settled(&events))
    }

    fn is_settling_due(&self) -> Result<bool> {
        Ok(self.inner.fresh()?.is_pending())
    }

    fn fact(&self, access: &Access, id: MemoryId) -> Result<Option<Fact>> {
        let Some(sight) = self.inner.sight(access) else { return Ok(None) };
        let rows = self.inner.fresh()?;
        let facts = Table { rows: &rows, config: &self.inner.config };
        store::fact::seen(&facts, id, sight == Sight::All)
    }

    fn history(&self, access: &Access, id: MemoryId) -> Result<Vec<Fact>> {
        let Some(sight) = self.inner.sight(access) else { return Ok(Vec::new()) };
        let rows = self.inner.fresh()?;
        let facts = Table { rows: &rows, config: &self.inner.config };
        store::fact::history(&facts, &|id| Ok(rows.replaced_by(id)), id, sight == Sight::All)
    }

    fn suspicions(&self, access: &Access, limit: usize) -> Result<Vec<Suspicion>> {
        store::main_only(&self.inner.scope, access, &row_name(None))?;
        Ok(Table { rows: &*self.inner.fresh()?, config: &self.inner.config }.suspicions(limit))
    }

    fn decide(&self, access: &Access, decision: &Decision, now: DateTime<Utc>) -> Result<ConsolidationEvent> {
        let whose = (&self.inner.config, &self.inner.scope, access);
        let ruled = self.inner.rule(now, |facts| store::fact::decide(facts, whose, decision, now))?;
        store::fact::answer(ruled)
    }

    fn revert(&self, access: &Access, event: EventId, now: DateTime<Utc>) -> Result<ConsolidationEvent> {
        let whose = (&self.inner.config, &self.inner.scope, access);
        let ruled = self.inner.rule(now, |facts| store::fact::revert(facts, whose, event, now))?;
        store::fact::answer(ruled)
    }

    fn decisions(&self, access: &Access, limit: usize) -> Result<Vec<ConsolidationEvent>> {
        store::main_only(&self.inner.scope, access, &row_name(None))?;
        Ok(self.inner.fresh()?.fact_index.decisions(limit))
    }
}

impl LearningStore for FileMemoryStore {
    fn learn(&self, access: &Access, learning: &NewLearning, now: DateTime<Utc>) -> Result<LearningId> {
        trace::create(|id| *id, || self.inner.learn(access, learning, now))
    }

    fn learnings(&self, access: &Access, limit: usize) -> Result<Vec<Learning>> {
        store::main_only(&self.inner.scope, access, &learning_name())?;
        Ok(self.inner.fresh()?.learnings.latest(limit))
    }
}

impl fmt::Debug for FileMemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileMemoryStore({} {})", self.location(), self.inner.scope.user)
    }
}
