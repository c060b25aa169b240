//! A memory store over a backend: rights, the check of new rows, and events.

use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};

use super::admit::main_only;
use super::backend::{Backend, Changes, Editable, Facts, Rows};
use super::before::{Before, before};
use super::config::StoreConfig;
use super::echo::EchoQuery;
use super::edit::Edit;
use super::follow::{doubt, doubts, follow, holds_now};
use super::names::{learning_name, row_name};
use super::operation::{Operation, refusal};
use super::parts::Parts;
use super::search::{Answer, search};
use super::suspects::suspects;
use super::vectors::Shelves;
use super::visibility::{SHARED_KEYS, sees_all};
use super::{as_of, decide, fact, forget, history, mask, practice, replace, settle};
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::StateName;
use crate::base::order;
use crate::base::receipt::{ForgetPlace, PlaceReceipt};
use crate::base::text;
use crate::facts::{
    Cardinality, ConsolidationEvent, Decision, EventId, EventOutcome, Fact, FactKey, FactStatus, Recorded,
    Settled, Superseded, Suspect, SuspectReason, Suspicion,
};
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::memory::{
    AuditEntry, AuditOutcome, CitedLines, Degraded, EventName, Filter, ForgetRequest, Found, Learning,
    LearningId, Memory, MemoryId, NewLearning, NewMemory, Query, SearchOutcome, SnapshotRow, Stale, Syntax,
};
use crate::search::rank::{Plan, Visibility, one_line};
use crate::trace;
use crate::workspace::Workspace;

/// A store of rows, facts and learnings of one scope.
///
/// Its verbs are those of a store over any backend, so they are compiled once.
pub(crate) struct Store<B: ?Sized = dyn Backend> {
    scope: Scope,
    config: StoreConfig,
    shelves: Shelves,
    /// Whether the vectors under the embedder's name are of another model, once it was asked.
    pub(super) vectors_of_another: OnceLock<bool>,
    backend: B,
}

impl<B> Store<B> {
    pub(crate) fn new(backend: B, scope: Scope, config: StoreConfig) -> Self {
        Self { scope, config, shelves: Shelves::default(), vectors_of_another: OnceLock::new(), backend }
    }
}

impl<B: Backend + ?Sized> Store<B> {
    pub(crate) fn backend(&self) -> &B {
        &self.backend
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    pub(crate) fn config(&self) -> &StoreConfig {
        &self.config
    }

    pub(crate) fn location(&self) -> String {
        self.backend.location()
    }
}

impl Store {
    /// Returns the rows that a session may see; `None` if it sees none.
    pub(super) fn visibility(&self, access: &Access) -> Option<Visibility> {
        let visibility = if sees_all(access) { Visibility::All } else { Visibility::Shared };
        (access.scope == self.scope).then_some(visibility)
    }

    /// Makes a change that may be refused, and records where it is. Where the refusal cannot be recorded, it still counts.
    pub(super) fn attempt<T>(
        &self,
        action: &'static str,
        operation: &Operation<'_>,
        admitted: Result<()>,
        change: impl FnOnce(&mut dyn Changes, Option<Arc<Tombstones>>) -> Result<T>,
    ) -> Result<T> {
        let attempted = match admitted {
            Ok(()) => self.backend.change(action, |rows| {
                let forgotten = rows.tombstones()?;
                change(rows, forgotten)
            }),
            Err(error) => Err(error),
        };
        if let Err(error) = &attempted {
            self.record_refusal(operation, error);
        }
        attempted
    }

    /// Adds a line to the audit, if an error is a refusal.
    fn record_refusal(&self, operation: &Operation<'_>, error: &Error) {
        if let Some(why) = refusal(error) {
            let entry = self.config.entry(operation, why);
            let _ = self.backend.change(operation.action, |rows| {
                let entry = told(entry, rows.tombstones()?.as_deref());
                rows.refuse(entry)
            });
        }
    }

    /// Returns the line of the audit of something that is done.
    pub(super) fn done(&self, operation: &Operation<'_>, forgotten: Option<&Tombstones>) -> AuditEntry {
        told(self.config.entry(operation, AuditOutcome::Done), forgotten)
    }

    /// Writes a row, and says what it may contradict.
    fn put(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<Recorded> {
        let operation = Operation::write(access, memory, now);
        let admitted = self.config.admit(&self.scope, access, memory);
        let written = self.attempt("write to", &operation, admitted, |rows, forgotten| {
            forget::check_row(forgotten.as_ref(), access, &row_name(None), memory)?;
            self.put_in(rows, memory, &operation, forgotten.as_deref())
        });
        let (recorded, event) = written?;
        self.tell_written(memory, recorded.id, event);
        Ok(recorded)
    }

    /// Writes a row that passed the check. Returns the rows that it may contradict, and the event that
    /// reports it.
    pub(super) fn put_in(
        &self,
        rows: &mut dyn Changes,
        memory: &NewMemory,
        operation: &Operation<'_>,
        forgotten: Option<&Tombstones>,
    ) -> Result<(Recorded, Option<EventName>)> {
        let promoted = memory.dream.as_ref().map(|dream| rows.promoted(dream, &memory.content));
        if let Some((id, is_back)) = promoted.transpose()?.flatten() {
            if is_back {
                // What was written meanwhile was not compared with it.
                let mut suspected = Vec::new();
                for suspect in suspects(rows, memory, true)? {
                    if !replace::is_told(rows, id, suspect.id)? {
                        suspected.push(suspect);
                    }
                }
                let edit = Edit::Restore(&suspected);
                let operation = Operation { action: edit.action(), ..operation.clone() }.to(id);
                rows.edit(id, edit, self.done(&operation, forgotten))?;
            }
            return Ok((Recorded::new(id, Vec::new()), is_back.then_some(EventName::Restored)));
        }
        let suspected = suspects(rows, memory, true)?;
        let shown = match operation.access {
            Some(access) if !sees_all(access) => suspects(rows, memory, false)?,
            _ => suspected.clone(),
        };
        let id = rows.write(memory, &suspected, self.done(operation, forgotten))?;
        Ok((Recorded::new(id, shown), Some(EventName::Written)))
    }

    /// Tells of a row that was written, or of the one that was there already.
    pub(super) fn tell_written(&self, memory: &NewMemory, id: MemoryId, event: Option<EventName>) {
        if let Some(event) = event {
            self.config.tell(event, Some(id));
        }
        if event == Some(EventName::Written)
            && fact::first_status(&memory.category, Some(&memory.source)).is_some()
        {
            self.config.tell(EventName::FactRecorded, Some(id));
        }
    }

    /// Changes one row; `false` where it does not stand.
    fn edit(&self, access: &Access, id: MemoryId, edit: Edit<'_>, now: DateTime<Utc>) -> Result<bool> {
        let name = row_name(Some(id));
        let operation = Operation::new(access, edit.action(), now).to(id);
        let deleted_since = matches!(edit, Edit::Restore(_)).then(|| self.config.cutoff(now));
        let admitted = self.config.admit_edit(&self.scope, access, &name, edit);
        let is_edited = self.attempt(operation.action, &operation, admitted, |rows, forgotten| {
            let Some(row) = rows.editable(id, deleted_since)? else { return Ok(false) };
            let Editable { source, category, state, pinned_by } = row;
            if !edit.is_allowed(source.as_ref(), &category, state, pinned_by, access.actor) {
                return Err(Error::Denied { name: name.clone(), kind: access.kind });
            }
            if !edit.reaches(state)? {
                return Ok(false);
            }
            if let Edit::Content(content) = edit {
                forget::check(forgotten.as_ref(), &name, content)?;
            }
            let operation = Operation { source: source.as_ref(), ..operation.clone() };
            let entry = self.done(&operation, forgotten.as_deref());
            if !matches!(edit, Edit::Restore(_)) {
                rows.edit(id, edit, entry)?;
                return Ok(true);
            }
            // The value that took its place counts by now: two of one property would.
            rows.together(&mut |rows| {
                rows.edit(id, edit, entry.clone())?;
                match replace::beside(rows, id)? {
                    Some(value) => {
                        Err(Error::ValueStands { name: name.clone(), value: row_name(Some(value)) })
                    }
                    None => Ok(()),
                }
            })?;
            Ok(true)
        })?;
        if is_edited {
            self.config.tell(edit.event(), Some(id));
        }
        Ok(is_edited)
    }

    /// Carries out what the rules of facts say, in one step with what they read.
    fn rule<T>(
        &self,
        now: DateTime<Utc>,
        rule: impl FnOnce(&dyn Rows) -> Result<(Vec<ConsolidationEvent>, T)>,
    ) -> Result<(Vec<ConsolidationEvent>, T)> {
        let (events, answer) = self.backend.change("change facts in", |rows| {
            let (mut events, answer) = rule(rows)?;
            if !events.is_empty() {
                if let Some(forgotten) = rows.tombstones()? {
                    for event in &mut events {
                        event.reason = event.reason.take().filter(|reason| !forgotten.holds(reason));
                    }
                }
                rows.rule(&mut events, now)?;
            }
            Ok((events, answer))
        })?;
        self.config.tell_facts(&events);
        Ok((events, answer))
    }
}

/// The verbs of [`MemoryStore`](crate::MemoryStore).
impl Store {
    pub(crate) fn write(&self, access: &Access, memory: &NewMemory, now: DateTime<Utc>) -> Result<MemoryId> {
        trace::create(|id| *id, || Ok(self.put(access, memory, now)?.id))
    }

    pub(crate) fn write_all(
        &self,
        access: &Access,
        memories: &[NewMemory],
        now: DateTime<Utc>,
    ) -> Result<Vec<Result<MemoryId>>> {
        let memories: Vec<_> = memories.iter().map(|memory| (memory, now)).gather();
        self.write_each(access, &memories)
    }

    /// Writes rows in one step, each at a time of its own.
    pub(super) fn write_each(
        &self,
        access: &Access,
        memories: &[(&NewMemory, DateTime<Utc>)],
    ) -> Result<Vec<Result<MemoryId>>> {
        if memories.is_empty() {
            return Ok(Vec::new());
        }
        // Before others wait for the change.
        let admitted: Vec<Result<()>> =
            memories.iter().map(|(memory, _)| self.config.admit(&self.scope, access, memory)).gather();
        let mut judged: Vec<_> = memories.iter().zip(admitted).gather();
        let mut written = Vec::with_capacity(memories.len());
        self.backend.change("write to", |rows| {
            rows.together(&mut |rows| {
                let forgotten = rows.tombstones()?;
                for ((memory, now), admitted) in judged.drain(..) {
                    let operation = Operation::write(access, memory, *now);
                    let name = row_name(None);
                    let admitted =
                        admitted.and_then(|()| forget::check_row(forgotten.as_ref(), access, &name, memory));
                    let outcome = match admitted {
                        Ok(()) => Ok(self.put_in(rows, memory, &operation, forgotten.as_deref())?),
                        Err(error) => {
                            let Some(why) = refusal(&error) else { return Err(error) };
                            rows.refuse(told(self.config.entry(&operation, why), forgotten.as_deref()))?;
                            Err(error)
                        }
                    };
                    written.push(outcome);
                }
                Ok(())
            })
        })?;
        let outcomes = memories.iter().zip(written).map(|((memory, _), outcome)| {
            trace::create(
                |id| *id,
                || {
                    let (recorded, event) = outcome?;
                    self.tell_written(memory, recorded.id, event);
                    Ok(recorded.id)
                },
            )
        });
        Ok(outcomes.gather())
    }

    pub(crate) fn get(&self, access: &Access, id: MemoryId) -> Result<Option<Memory>> {
        let Some(visibility) = self.visibility(access) else { return Ok(None) };
        self.backend.read("read", |rows| rows.get(id, visibility))
    }

    pub(crate) fn list(&self, access: &Access, filter: &Filter) -> Result<Vec<Memory>> {
        let Some(visibility) = self.visibility(access) else { return Ok(Vec::new()) };
        if filter.deleted && (visibility != Visibility::All || access.kind != SessionKind::Main) {
            return Ok(Vec::new());
        }
        self.backend.read("list", |rows| rows.list(visibility, filter))
    }

    pub(crate) fn snapshot(
        &self,
        access: &Access,
        limit: usize,
        now: DateTime<Utc>,
    ) -> Result<Vec<SnapshotRow>> {
        let Some(visibility) = self.visibility(access) else { return Ok(Vec::new()) };
        // Where it cannot be settled, the prompt does without what is pending.
        let _ = self.settle(now);
        self.backend.read("list", |rows| {
            let mut listed = rows.snapshot(limit, visibility, self.scope.group_name().is_some())?;
            let ids: Vec<MemoryId> = listed.iter().map(|row| row.id).gather();
            let mut doubts = doubts(rows, visibility, &ids)?;
            for row in &mut listed {
                // A row says by its notes that its time is over.
                order::retain(&mut row.stale, |doubt| !matches!(doubt, Stale::Over(end) if *end > now));
                row.stale.splice(0..0, doubts.remove(&row.id).unwrap_or_default());
            }
            let journals = self.journals().filter(|_| visibility == Visibility::All);
            if let Some(mut cited) = journals.map(CitedLines::of) {
                for row in &mut listed {
                    let memory = rows.get(row.id, visibility)?;
                    row.stale.extend(memory.and_then(|memory| cited.doubt(&memory)));
                }
            }
            Ok(listed)
        })
    }

    /// Returns the journals that rows cite, where they are looked at.
    fn journals(&self) -> Option<&dyn Workspace> {
        self.config.journals.as_deref()
    }

    pub(crate) fn search(&self, access: &Access, query: &Query) -> Result<Found> {
        mask::masked(self.search_unmasked(access, query)?, query, &self.config.doors)
    }

    pub(crate) fn search_unmasked(&self, access: &Access, query: &Query) -> Result<Found> {
        trace::search(|| {
            let Some(visibility) = self.visibility(access) else { return Ok(Found::nothing()) };
            let (asked_about, kept) = (query.as_of, &query.filter);
            let wide = asked_about.map(|_| {
                // What is kept is looked at in the rows that counted then.
                let filter = Filter::limit(kept.limit.saturating_mul(as_of::SEARCHED));
                Query { filter, ..query.clone() }
            });
            let query = wide.as_ref().unwrap_or(query);
            let meaning = self.meaning(query)?;
            let more = self.to_rerank(query);
            let run = || {
                self.backend.read("search", |rows| {
                    let (arm, lacks) = match meaning.arm(rows.as_vectors(), &self.shelves) {
                        None => (None, None),
                        Some(Ok(arm)) => (Some(arm), None),
                        Some(Err(lacks)) => (None, Some(lacks)),
                    };
                    let wanted = more.as_ref().unwrap_or(query);
                    let mut answer = search(rows, &self.config, visibility, wanted, arm.as_ref())?;
                    let before = if more.is_some() {
                        let first = self.config.reranked.min(answer.found.hits.len());
                        before(rows, visibility, &wanted.filter, &answer.found.hits[..first])?
                    } else {
                        self.follow(rows, visibility, query, answer.asked.as_ref(), &mut answer.found)?;
                        Before::new()
                    };
                    Ok((Answer { lacks: lacks.or(answer.lacks), ..answer }, before))
                })
            };
            let answer = match run() {
                // Where the rows cannot be read either, that is said.
                Err(Error::Corrupt { .. }) if self.backend.mend_index()? => run(),
                found => found,
            };
            let (Answer { mut found, mut lacks, settled, renewed, asked }, before) = answer?;
            let plan = asked.as_ref().map_or_else(
                || Plan::of(&one_line(&query.text), query.syntax == Syntax::Fts),
                |asked| asked.plan.clone(),
            );
            if more.is_some() {
                let is_reranked = self.rerank(query, &mut found.hits, &settled, &renewed, &before)?;
                found.hits.truncate(query.filter.limit);
                lacks = lacks.or((!is_reranked).then_some(Degraded::NotReranked));
                let asked = asked.map(|asked| asked.limit(query.filter.limit));
                self.backend.read("search", |rows| {
                    self.follow(rows, visibility, query, asked.as_ref(), &mut found)
                })?;
            }
            if asked_about.is_some() || as_of::is_asked(query, &plan) {
                self.backend.read("search", |rows| match asked_about {
                    Some(time) => as_of::held(rows, visibility, time, kept, &mut found),
                    None => as_of::earlier(rows, visibility, kept, &mut found),
                })?;
            }
            found.outcome = lacks.map_or(found.outcome, SearchOutcome::Degraded);
            let mut sentence_in = plan.finds_sentence();
            for hit in &mut found.hits {
                hit.span = sentence_in(&hit.memory.content);
            }
            Ok(found)
        })
    }

    /// Adds the rows that hold now what was found, and says of each why it may be out of date.
    fn follow(
        &self,
        rows: &dyn Rows,
        visibility: Visibility,
        query: &Query,
        asked: Option<&EchoQuery>,
        found: &mut Found,
    ) -> Result<()> {
        if let Some(asked) = asked {
            follow(rows, &self.config.doors, visibility, asked, found)?;
        }
        doubt(rows, visibility, (query.now, self.journals()), found)
    }

    pub(crate) fn update(
        &self,
        access: &Access,
        id: MemoryId,
        content: &str,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        trace::update(id, || self.edit(access, id, Edit::Content(content), now))
    }

    pub(crate) fn delete(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool> {
        trace::delete(id, || self.edit(access, id, Edit::Delete, now))
    }

    pub(crate) fn restore(&self, access: &Access, id: MemoryId, now: DateTime<Utc>) -> Result<bool> {
        trace::update(id, || self.edit(access, id, Edit::Restore(&[]), now))
    }

    pub(crate) fn pin(
        &self,
        access: &Access,
        id: MemoryId,
        pinned: bool,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        trace::update(id, || self.edit(access, id, Edit::Pin(pinned), now))
    }

    pub(crate) fn purge(&self, cutoff: DateTime<Utc>, now: DateTime<Utc>) -> Result<u64> {
        let entry = self.config.entry(&Operation::of_library(forget::REMOVED, now), AuditOutcome::Done);
        let mut purged = 0;
        loop {
            let gone = self.backend.change("purge", |rows| rows.purge(cutoff, entry.clone()))?;
            for id in &gone {
                self.config.tell(EventName::Purged, Some(*id));
            }
            purged += gone.len() as u64;
            if gone.is_empty() {
                break;
            }
        }
        if purged > 0 {
            self.backend.wipe(false)?;
        }
        Ok(purged)
    }

    /// Purges what was deleted longer ago than the retention.
    pub(crate) fn purge_expired(&self, now: DateTime<Utc>) -> Result<u64> {
        self.purge(self.config.cutoff(now), now)
    }

    pub(crate) fn forget_all(
        &self,
        access: &Access,
        request: &ForgetRequest,
        now: DateTime<Utc>,
    ) -> Result<Vec<PlaceReceipt>> {
        trace::forget(|| {
            let operation = Operation::new(access, "memory_forget", now);
            let admitted = main_only(&self.scope, access, &row_name(None));
            let forgotten = self.attempt("forget in", &operation, admitted, |rows, forgotten| {
                let key = rows.tombstone_key()?.unwrap_or_else(TombstoneKey::random);
                let burial = forget::Burial::new(&key, request)?;
                let saying = rows.saying(&burial)?;
                for fact in &saying {
                    if !forget::may_forget(access, &fact.memory, Some(fact.status)) {
                        let name = row_name(Some(fact.memory.id));
                        return Err(Error::Denied { name, kind: access.kind });
                    }
                }
                practice::may_forget(rows, access, &burial)?;
                let ids: Vec<MemoryId> = saying.iter().map(|fact| fact.memory.id).gather();
                let entry = self.done(&operation, forgotten.as_deref());
                let edges = rows.edges_of(&ids)?.len();
                // They are removed with their rows, and with the words that they are of.
                let vectors = rows.as_vectors().kept_of(&ids)?;
                let (mut gone, mut kept, mut told) = (Vec::new(), Vec::new(), Vec::new());
                for Fact { memory, key, status, .. } in &saying {
                    let stands = !status.state.is_retired() && rows.editable(memory.id, None)?.is_some();
                    let rest = burial.rest_of(memory, key.as_ref()).filter(|_| stands);
                    let said = if burial.is_whole(memory) { "" } else { &memory.content };
                    let row = burial.told(memory.id.get(), said, rest.is_some());
                    told.push((ForgetPlace::Rows, row));
                    match rest {
                        Some(rest) => {
                            let edited = AuditEntry {
                                action: Edit::Content("").action().to_owned(),
                                id: Some(memory.id),
                                ..entry.clone()
                            };
                            rows.edit(memory.id, Edit::Content(&rest), edited)?;
                            kept.push(memory.id);
                        }
                        None => gone.push(memory.id),
                    }
                }
                let edges = edges.saturating_sub(rows.edges_of(&kept)?.len()) as u64;
                let parts = Parts::saying(rows, &burial)?;
                let to_judge = parts.to_judge_again();
                let is_judged = !to_judge.is_empty();
                if is_judged {
                    let action = "method_quarantine".to_owned();
                    rows.keep(to_judge, AuditEntry { action, ..entry.clone() })?;
                }
                let struck = parts.counted(rows.forget(&gone, (&burial, &parts.rest), &key, entry)?);
                told.extend(parts.told);
                order::retain(&mut told, |_| access.actor == Actor::Human);
                Ok((gone, kept, told, (edges, vectors), struck, is_judged))
            });
            let (gone, kept, told, beside, struck, is_judged) = forgotten?;
            for id in &gone {
                self.config.tell(EventName::Forgotten, Some(*id));
            }
            for id in &kept {
                self.config.tell(Edit::Content("").event(), Some(*id));
            }
            if is_judged {
                self.config.tell(EventName::MethodJudged, None);
            }
            let left = self.backend.wipe(true)?;
            Ok(forget::receipt((gone.len() + kept.len()) as u64, told, beside, struck, left))
        })
    }

    pub(crate) fn lift(&self, access: &Access, text: &str, now: DateTime<Utc>) -> Result<bool> {
        self.lift_stones(access, now, |known| known.stones_of(text).gather())
    }

    /// Takes back the tombstones that are meant, those that are there.
    pub(crate) fn lift_stones(
        &self,
        access: &Access,
        now: DateTime<Utc>,
        meant: impl Fn(&Tombstones) -> Vec<Tombstone>,
    ) -> Result<bool> {
        let operation = Operation::new(access, "memory_lift", now);
        let name = row_name(None);
        let admitted = main_only(&self.scope, access, &name).and_then(|()| {
            if access.actor == Actor::Human { Ok(()) } else { Err(Error::Denied { name, kind: access.kind }) }
        });
        self.attempt("lift in", &operation, admitted, |rows, forgotten| {
            let known = forgotten.as_deref();
            let stones = known.map(|known| meant(known).into_iter().filter(|stone| known.contains(stone)));
            let stones: Vec<Tombstone> = stones.into_iter().flatten().gather();
            for stone in &stones {
                rows.lift(*stone, self.done(&operation, known))?;
            }
            Ok(!stones.is_empty())
        })
    }

    pub(crate) fn set_profile(
        &self,
        access: &Access,
        key: &str,
        value: &str,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let operation = Operation::new(access, "profile_write", now);
        let name = StateName::row("user_profile", "new").into();
        let admitted = self.config.admit_fact(&self.scope, access, key, value);
        self.attempt("write the profile in", &operation, admitted, |rows, forgotten| {
            forget::check(forgotten.as_ref(), &name, key)?;
            forget::check(forgotten.as_ref(), &name, value)?;
            rows.set_profile(key, value, self.done(&operation, forgotten.as_deref()))
        })?;
        self.config.tell(EventName::ProfileWritten, None);
        Ok(())
    }

    pub(crate) fn profile(&self, access: &Access) -> Result<Vec<(String, String)>> {
        let Some(visibility) = self.visibility(access) else { return Ok(Vec::new()) };
        let keys = (visibility != Visibility::All).then_some(&SHARED_KEYS[..]);
        self.backend.read("read the profile in", |rows| rows.profile(keys))
    }

    pub(crate) fn audit(&self, access: &Access, limit: usize) -> Result<Vec<AuditEntry>> {
        main_only(&self.scope, access, &self.backend.audit_name())?;
        self.backend.read("read the audit of", |rows| rows.audit(limit))
    }
}

/// The verbs of [`FactStore`](crate::facts::FactStore).
impl Store {
    pub(crate) fn record(&self, access: &Access, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded> {
        trace::create(|recorded: &Recorded| recorded.id, || self.put(access, fact, now))
    }

    pub(crate) fn replace(&self, access: &Access, fact: &NewMemory, now: DateTime<Utc>) -> Result<Recorded> {
        main_only(&self.scope, access, &row_name(None))?;
        let Some(key @ FactKey { cardinality: Cardinality::One, .. }) = &fact.about else {
            return Err(Error::Config {
                setting: "about",
                rule: "wants a key of one value, of a fact that replaces",
            });
        };
        self.put_ruled(access, fact, now, &|rows, id| replace::decisions(rows, id, key), false)
    }

    pub(crate) fn correct(
        &self,
        access: &Access,
        id: MemoryId,
        fact: &NewMemory,
        now: DateTime<Utc>,
    ) -> Result<Recorded> {
        main_only(&self.scope, access, &row_name(Some(id)))?;
        self.put_ruled(access, fact, now, &|_, new| Ok((vec![Decision::supersede(id, new)], new)), true)
    }

    /// Writes a fact and decides by it, in one step. A decision that is refused leaves a suspect, or where all are `required`, nothing is
    /// written.
    fn put_ruled(
        &self,
        access: &Access,
        fact: &NewMemory,
        now: DateTime<Utc>,
        decisions: &dyn Fn(&dyn Facts, MemoryId) -> Result<replace::Replacements>,
        required: bool,
    ) -> Result<Recorded> {
        let operation = Operation::write(access, fact, now);
        let admitted = self.config.admit(&self.scope, access, fact);
        let whose = (&self.config, &self.scope, access);
        let mut outcome = None;
        self.attempt("write to", &operation, admitted, |rows, forgotten| {
            forget::check_row(forgotten.as_ref(), access, &row_name(None), fact)?;
            rows.together(&mut |rows| {
                let (written, event) = self.put_in(rows, fact, &operation, forgotten.as_deref())?;
                let (decisions, holds) = decisions(rows, written.id)?;
                let (mut events, mut suspects) = (Vec::new(), Vec::new());
                for decision in decisions {
                    let (mut told, refused) = decide::decide(rows, whose, &decision, now)?;
                    match refused {
                        Some(error) if required => return Err(error),
                        _ => {}
                    }
                    rows.rule(&mut told, now)?;
                    if told.iter().any(|event| event.outcome != EventOutcome::Applied) {
                        suspects.push(Suspect { id: decision.older, reason: SuspectReason::SameKey });
                    }
                    events.extend(told);
                }
                outcome = Some((Recorded::new(holds, suspects), (written.id, event), events));
                Ok(())
            })
        })?;
        let (recorded, written, events) = outcome.expect("a change that succeeds has run");
        self.tell_written(fact, written.0, written.1);
        self.config.tell_facts(&events);
        Ok(recorded)
    }

    pub(crate) fn values(&self, access: &Access, key: &FactKey) -> Result<Vec<Fact>> {
        let Some(visibility) = self.visibility(access) else { return Ok(Vec::new()) };
        self.backend.read("read", |rows| replace::values(rows, key, visibility == Visibility::All))
    }

    pub(crate) fn settle(&self, now: DateTime<Utc>) -> Result<Settled> {
        if !self.is_settling_due()? {
            return Ok(Settled::default());
        }
        let (events, ()) = self.rule(now, |rows| Ok((settle::settle(rows, now)?, ())))?;
        Ok(settle::settled(&events))
    }

    pub(crate) fn is_settling_due(&self) -> Result<bool> {
        self.backend.read("read", |rows| rows.is_pending())
    }

    pub(crate) fn fact(&self, access: &Access, id: MemoryId) -> Result<Option<Fact>> {
        let Some(visibility) = self.visibility(access) else { return Ok(None) };
        self.backend.read("read", |rows| history::seen(rows, id, visibility == Visibility::All))
    }

    pub(crate) fn history(&self, access: &Access, id: MemoryId) -> Result<Vec<Fact>> {
        let Some(visibility) = self.visibility(access) else { return Ok(Vec::new()) };
        self.backend.read("read", |rows| history::history(rows, id, visibility == Visibility::All))
    }

    pub(crate) fn superseded(&self, access: &Access) -> Result<Vec<Superseded>> {
        // They are lines of MEMORY.md.
        let Some(Visibility::All) = self.visibility(access) else { return Ok(Vec::new()) };
        self.backend.read("read", |rows| {
            let mut all = Vec::new();
            for fact in rows.retired_lines()? {
                let FactStatus { valid_until, retired_at, .. } = fact.status;
                let row = fact.memory.clone();
                // A line that another says too holds with it.
                let says_the_same =
                    |now: &Fact| text::statement(&now.memory.content) == text::statement(&row.content);
                if let Some(now) = holds_now(rows, fact, Visibility::All)?.filter(|now| !says_the_same(now)) {
                    all.push(Superseded::new(row, now.memory, valid_until.or(retired_at)));
                }
            }
            Ok(all)
        })
    }

    pub(crate) fn suspicions(&self, access: &Access, limit: usize) -> Result<Vec<Suspicion>> {
        main_only(&self.scope, access, &row_name(None))?;
        self.backend.read("read", |rows| rows.suspicions(limit))
    }

    pub(crate) fn decide(
        &self,
        access: &Access,
        decision: &Decision,
        now: DateTime<Utc>,
    ) -> Result<ConsolidationEvent> {
        let whose = (&self.config, &self.scope, access);
        decide::answer(self.rule(now, |rows| decide::decide(rows, whose, decision, now))?)
    }

    pub(crate) fn revert(
        &self,
        access: &Access,
        event: EventId,
        now: DateTime<Utc>,
    ) -> Result<ConsolidationEvent> {
        let whose = (&self.config, &self.scope, access);
        decide::answer(self.rule(now, |rows| decide::revert(rows, whose, event, now))?)
    }

    pub(crate) fn decisions(&self, access: &Access, limit: usize) -> Result<Vec<ConsolidationEvent>> {
        main_only(&self.scope, access, &row_name(None))?;
        self.backend.read("read", |rows| rows.decisions(limit))
    }
}

/// The verbs of [`LearningStore`](crate::memory::LearningStore).
impl Store {
    pub(crate) fn learn(
        &self,
        access: &Access,
        learning: &NewLearning,
        now: DateTime<Utc>,
    ) -> Result<LearningId> {
        trace::create(
            |id| *id,
            || {
                let operation = Operation::new(access, "memory_learn", now);
                let admitted = self.config.admit_learning(&self.scope, access, learning);
                let (id, is_new) = self.attempt("write to", &operation, admitted, |rows, forgotten| {
                    forget::check_learning(forgotten.as_ref(), &learning_name(), learning)?;
                    if let Some(id) = rows.learned(&learning.content)? {
                        return Ok((id, false));
                    }
                    let id = rows.learn(learning, self.done(&operation, forgotten.as_deref()))?;
                    Ok((id, true))
                })?;
                if is_new {
                    self.config.tell(EventName::LearningWritten, None);
                }
                Ok(id)
            },
        )
    }

    pub(crate) fn learnings(&self, access: &Access, limit: usize) -> Result<Vec<Learning>> {
        main_only(&self.scope, access, &learning_name())?;
        self.backend.read("list", |rows| rows.learnings(limit))
    }
}

/// Returns an entry without what was forgotten: an actor may repeat it in a reason, or as a source.
fn told(mut entry: AuditEntry, forgotten: Option<&Tombstones>) -> AuditEntry {
    if let Some(forgotten) = forgotten {
        entry.reason = entry.reason.filter(|reason| !forgotten.holds(reason));
        entry.source = entry.source.filter(|source| !forgotten.holds(source.as_str()));
        entry.origin = entry.origin.filter(|origin| !forgotten.holds(&origin.to_string()));
    }
    entry
}
