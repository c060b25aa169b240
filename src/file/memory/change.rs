//! The store's reads and changes of the rows of a file: each change is a line.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::apply::key_hash;
use super::entry::{HAS_KEY, SHARED};
use super::facts::{self, Told};
use super::names::NONE;
use super::record::{Change, Record};
use super::table::Table;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::edges::{Edge, TopEntity};
use crate::facts::{ConsolidationEvent, EventId, Fact, FactKey, Suspect, SuspectReason, Suspicion};
use crate::format::DreamId;
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::memory::{
    AuditEntry, AuditOutcome, Learning, LearningId, Memory, MemoryId, NewLearning, NewMemory, SnapshotRow,
};
use crate::search::rank::{Term, Visibility};
use crate::store::Edit;
use crate::store::backend::{Changes, Editable, Extracted, Facts, Rows};
use crate::store::echo::EchoWord;
use crate::store::forget::{Burial, Struck};
use crate::store::practice::Rest;
use crate::store::suspects;
use crate::store::vectors::{MemoryVectors, VectorChanges};
use crate::store::words::Words;

impl Facts for Table<'_> {
    fn fact(&self, id: MemoryId) -> Result<Option<Fact>> {
        self.lines.rows.fact(id, &self.lines.reader())
    }

    fn contents(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &str)) -> Result<()> {
        let (rows, reader) = (&self.lines.rows, self.lines.reader());
        for entry in ids.iter().filter_map(|id| rows.undeleted(*id)) {
            take(entry.id, &rows.content(entry, &reader)?);
        }
        Ok(())
    }

    fn words(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &Words)) -> Result<()> {
        let (rows, reader) = (&self.lines.rows, self.lines.reader());
        let words = &mut *rows.words.borrow_mut();
        let mut entries = ids.iter().filter_map(|id| rows.undeleted(*id));
        entries.try_for_each(|entry| {
            words.of_fact(entry.id, || rows.content(entry, &reader), |words| take(entry.id, words))
        })
    }

    fn latest_with(&self, visibility: Visibility, words: &[&Term], most: usize) -> Result<Vec<Vec<i64>>> {
        self.lines.rows.ask(&self.lines.reader(), |partition, pages| {
            words.iter().map(|word| partition.latest(pages, &word.stem, visibility, most)).collect()
        })
    }

    fn echoes(&self, visibility: Visibility, words: &[EchoWord], most: usize) -> Result<Vec<Vec<MemoryId>>> {
        let rows = &self.lines.rows;
        let is_listed = |id: &MemoryId| {
            rows.undeleted(*id).filter(|entry| visibility.sees(entry.has(SHARED))).is_some_and(|entry| {
                if entry.is_retired() {
                    rows.fact_index.status(entry).is_some_and(|status| status.successor.is_some())
                } else {
                    entry.has(HAS_KEY)
                }
            })
        };
        let latest = |word: &EchoWord| {
            let ids = rows.fact_index.echoes(*word).iter().rev().copied();
            ids.filter(is_listed).take(most).collect()
        };
        Ok(words.iter().map(latest).collect())
    }

    fn open_suspects(
        &self,
        visibility: Visibility,
        ids: &[MemoryId],
    ) -> Result<Vec<(MemoryId, MemoryId, SuspectReason)>> {
        let rows = &self.lines.rows;
        let is_seen = |id: MemoryId| rows.seen(id, visibility).is_some();
        let mut open = Vec::new();
        for id in ids.iter().copied().filter(|id| is_seen(*id)) {
            let others = rows.fact_index.open_suspects(id).filter(|(other, _)| is_seen(*other));
            open.extend(others.map(|(other, reason)| (id, other, reason)));
        }
        Ok(open)
    }

    fn pending(&self) -> Result<Vec<Fact>> {
        self.each(self.lines.rows.fact_index.pending())
    }

    fn is_pending(&self) -> Result<bool> {
        Ok(self.lines.rows.is_pending())
    }

    fn stated_as_pending(&self) -> Result<Vec<Fact>> {
        self.lines.rows.stated_as_pending(&self.lines.reader())
    }

    fn of_key(&self, key: &FactKey) -> Result<Vec<Fact>> {
        let normal = key.normal();
        let mut facts = self.each(self.lines.rows.fact_index.of_key(key_hash(key)))?;
        order::retain(&mut facts, |fact| fact.key.as_ref().is_some_and(|key| key.normal() == normal));
        Ok(facts)
    }

    fn replaced_by(&self, id: MemoryId) -> Result<Vec<Fact>> {
        self.each(self.lines.rows.fact_index.replaced_by(id))
    }

    fn retired_lines(&self) -> Result<Vec<Fact>> {
        let rows = &self.lines.rows;
        let is_line = |id: &MemoryId| {
            rows.undeleted(*id).is_some_and(|entry| entry.is_retired() && entry.dream != NONE)
        };
        self.each(rows.fact_index.replaced().filter(is_line))
    }

    fn suspicions(&self, limit: usize) -> Result<Vec<Suspicion>> {
        self.lines.rows.suspicions(limit, &self.lines.reader())
    }

    fn retired_since(&self, since: DateTime<Utc>) -> Result<u64> {
        let told = self.lines.rows.fact_index.told().iter().filter(|told| told.at >= since);
        Ok(told.map(|told| u64::from(told.retired)).sum())
    }

    fn event(&self, id: EventId) -> Result<Option<ConsolidationEvent>> {
        let told = self.lines.rows.fact_index.told().iter().find(|told| told.id == id);
        let events = facts::read(told.map(std::slice::from_ref).unwrap_or_default(), &self.lines.reader())?;
        Ok(events.into_iter().next())
    }

    fn events_after(&self, id: EventId) -> Result<Vec<ConsolidationEvent>> {
        let told = self.lines.rows.fact_index.told().iter();
        let told: Vec<Told> = told.filter(|told| told.id > id).copied().collect();
        facts::read(&told, &self.lines.reader())
    }

    fn decisions(&self, limit: usize) -> Result<Vec<ConsolidationEvent>> {
        let told = self.lines.rows.fact_index.told();
        let latest = &told[told.len().saturating_sub(limit)..];
        let mut events = facts::read(latest, &self.lines.reader())?;
        events.reverse();
        Ok(events)
    }
}

impl Rows for Table<'_> {
    fn get(&self, id: MemoryId, visibility: Visibility) -> Result<Option<Memory>> {
        self.lines.rows.get(id, visibility, &self.lines.reader())
    }

    fn snapshot(&self, limit: usize, visibility: Visibility, participants: bool) -> Result<Vec<SnapshotRow>> {
        self.lines.rows.snapshot(limit, visibility, participants, &self.lines.reader())
    }

    fn editable(&self, id: MemoryId, deleted_since: Option<DateTime<Utc>>) -> Result<Option<Editable>> {
        let rows = &self.lines.rows;
        let entry = match deleted_since {
            Some(since) => rows.deleted_since(id, since),
            None => rows.undeleted(id),
        };
        let Some(entry) = entry else { return Ok(None) };
        let memory = rows.memory(entry, &self.lines.reader())?;
        Ok(Some(Editable {
            source: memory.source,
            category: memory.category,
            state: entry.state,
            pinned_by: rows.pins.get(&id).copied(),
        }))
    }

    fn promoted(&self, dream: &DreamId, content: &str) -> Result<Option<(MemoryId, bool)>> {
        self.lines.rows.promoted(dream, content, &self.lines.reader())
    }

    fn saying(&self, burial: &Burial) -> Result<Vec<Fact>> {
        self.lines.rows.saying(burial, &self.lines.reader())
    }

    fn profile(&self, keys: Option<&[&str]>) -> Result<Vec<(String, String)>> {
        let is_told = |key: &str| keys.is_none_or(|keys| keys.contains(&key));
        let profile = self.lines.rows.profile.iter().filter(|(key, _)| is_told(key));
        Ok(profile.map(|(key, value)| (key.clone(), value.clone())).collect())
    }

    fn audit(&self, limit: usize) -> Result<Vec<AuditEntry>> {
        self.lines.audit(limit)
    }

    fn learnings(&self, limit: usize) -> Result<Vec<Learning>> {
        Ok(self.lines.rows.learnings.latest(limit))
    }

    fn learned(&self, content: &str) -> Result<Option<LearningId>> {
        Ok(self.lines.rows.learnings.saying(content))
    }

    fn tombstones(&self) -> Result<Option<Arc<Tombstones>>> {
        Ok(self.lines.rows.forgotten().cloned())
    }

    fn tombstone_key(&self) -> Result<Option<TombstoneKey>> {
        Ok(self.lines.rows.forgotten().map(|known| known.key().clone()))
    }

    fn mentioning(&self, visibility: Visibility, keys: &[String], most: usize) -> Result<Vec<MemoryId>> {
        self.lines.rows.mentioning(visibility, keys, most, &self.lines.reader())
    }

    fn edges_of(&self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>> {
        self.lines.rows.edges_of_rows(ids, &self.lines.reader())
    }

    fn top_entities(&self, visibility: Visibility, limit: usize) -> Result<Vec<TopEntity>> {
        self.lines.rows.most_mentioned(visibility, limit, &self.lines.reader())
    }

    fn edition(&self) -> Result<u64> {
        Ok(self.lines.read.edition())
    }

    fn as_vectors(&self) -> &dyn MemoryVectors {
        self
    }
}

impl Changes for Table<'_> {
    fn write(&mut self, memory: &NewMemory, suspects: &[Suspect], entry: AuditEntry) -> Result<MemoryId> {
        let id = self.lines.rows.next_id();
        self.append(Record::new(entry, Change::written(id, memory, suspects.to_vec())))?;
        if suspects::is_judged(memory) {
            // The next fact is compared with the latest ones.
            self.lines.rows.words.get_mut().know(id, &memory.content);
        }
        Ok(id)
    }

    fn together(&mut self, change: &mut dyn FnMut(&mut dyn Changes) -> Result<()>) -> Result<()> {
        self.lines.begin_batch(self.disk)?;
        let changed = change(self);
        self.lines.end_batch(self.disk, self.scope, changed)
    }

    fn edit(&mut self, id: MemoryId, edit: Edit<'_>, entry: AuditEntry) -> Result<()> {
        let change = match edit {
            Edit::Content(content) => Change::Updated { id, content: Some(content.to_owned()) },
            Edit::Delete => Change::Deleted { id },
            Edit::Restore(suspects) => Change::Restored { id, suspects: suspects.to_vec() },
            Edit::Pin(true) => Change::Pinned { id },
            Edit::Pin(false) => Change::Unpinned { id },
        };
        self.append(Record::new(entry, change))
    }

    fn rule(&mut self, events: &mut [ConsolidationEvent], now: DateTime<Utc>) -> Result<()> {
        let first = self.lines.rows.fact_index.next_event().get();
        for (id, event) in (first..).zip(events.iter_mut()) {
            event.id = EventId::new(id);
        }
        let entry = AuditEntry::new(now, Actor::Library, "facts", AuditOutcome::Done);
        self.append(Record::new(entry, Change::Ruled { events: events.to_vec() }))
    }

    fn learn(&mut self, learning: &NewLearning, entry: AuditEntry) -> Result<LearningId> {
        let id = self.lines.rows.learnings.next_id();
        let NewLearning { content, context } = learning.clone();
        self.append(Record::new(entry, Change::Learned { id, content: Some(content), context }))?;
        Ok(id)
    }

    fn set_profile(&mut self, key: &str, value: &str, entry: AuditEntry) -> Result<()> {
        let change = Change::Profile { key: key.to_owned(), value: Some(value.to_owned()) };
        self.append(Record::new(entry, change))
    }

    fn forget(
        &mut self,
        rows: &[MemoryId],
        (burial, _): (&Burial, &[Rest]),
        key: &TombstoneKey,
        entry: AuditEntry,
    ) -> Result<Struck> {
        let mut ids = rows.to_vec();
        let records = if burial.stones.is_empty() {
            vec![Record::new(entry, Change::Purged { ids })]
        } else {
            // The first of them has the rows.
            let forgot = |stone: &Tombstone| {
                let change =
                    Change::Forgot { ids: std::mem::take(&mut ids), stone: *stone, key: key.clone() };
                Record::new(entry.clone(), change)
            };
            burial.stones.iter().map(forgot).gather()
        };
        self.lines.forget(self.disk, self.scope, records, rows, burial)
    }

    fn lift(&mut self, stone: Tombstone, entry: AuditEntry) -> Result<()> {
        self.append(Record::new(entry, Change::Lifted { stone }))
    }

    fn purge(&mut self, cutoff: DateTime<Utc>, entry: AuditEntry) -> Result<Vec<MemoryId>> {
        let gone = self.lines.rows.deleted_before(cutoff);
        if !gone.is_empty() {
            let record = Record::new(entry, Change::Purged { ids: gone.clone() });
            self.lines.purge(self.disk, self.scope, record, &gone)?;
        }
        Ok(gone)
    }

    /// They are made from the lines, and are always whole.
    fn extract_edges(&mut self, _after: MemoryId) -> Result<Extracted> {
        Ok(Extracted { added: 0, last: None })
    }

    fn refuse(&mut self, entry: AuditEntry) -> Result<()> {
        self.append(Record::refused(entry))
    }

    fn as_vectors_mut(&mut self) -> &mut dyn VectorChanges {
        self
    }
}

impl Table<'_> {
    fn each(&self, ids: impl Iterator<Item = MemoryId>) -> Result<Vec<Fact>> {
        let reader = self.lines.reader();
        ids.filter_map(|id| self.lines.rows.fact(id, &reader).transpose()).collect()
    }
}
