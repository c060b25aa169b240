//! The store's reads and changes of the rows of a file: each change is a line.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::record::{Change, Record};
use super::row::Stored;
use super::table::Table;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::facts::{ConsolidationEvent, EventId, Fact, FactKey, Suspect, Suspicion};
use crate::format::DreamId;
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::memory::{
    AuditEntry, AuditOutcome, Learning, LearningId, Memory, MemoryId, NewLearning, NewMemory, SnapshotRow,
};
use crate::search::rank::{Term, Visibility};
use crate::store::Edit;
use crate::store::backend::{Changes, Editable, Facts, Rows};
use crate::store::event;
use crate::store::forget::{Burial, Struck};

impl Facts for Table<'_> {
    fn fact(&self, id: MemoryId) -> Result<Option<Fact>> {
        Ok(self.lines.rows.fact(id))
    }

    fn contents(&self, ids: &[MemoryId], take: &mut dyn FnMut(MemoryId, &str)) -> Result<()> {
        for stored in ids.iter().filter_map(|id| self.lines.rows.undeleted(*id)) {
            take(stored.memory.id, &stored.memory.content);
        }
        Ok(())
    }

    fn latest_with(&self, visibility: Visibility, words: &[&Term], most: usize) -> Result<Vec<Vec<i64>>> {
        let index = &self.lines.rows.index;
        Ok(words.iter().map(|word| index.latest_with(&word.stem, visibility, most)).collect())
    }

    fn pending(&self) -> Result<Vec<Fact>> {
        Ok(self.each(self.lines.rows.fact_index.pending()))
    }

    fn is_pending(&self) -> Result<bool> {
        Ok(self.lines.rows.is_pending())
    }

    fn stated_as_pending(&self) -> Result<Vec<Fact>> {
        Ok(self.lines.rows.stated_as_pending().into_iter().map(Stored::fact).collect())
    }

    fn of_key(&self, key: &FactKey) -> Result<Vec<Fact>> {
        Ok(self.each(self.lines.rows.fact_index.of_key(key)))
    }

    fn replaced_by(&self, id: MemoryId) -> Result<Vec<Fact>> {
        Ok(self.lines.rows.replaced_by(id))
    }

    fn suspicions(&self, limit: usize) -> Result<Vec<Suspicion>> {
        let rows = &self.lines.rows;
        let standing = |id: MemoryId| rows.fact(id).filter(|fact| !fact.status.state.is_retired());
        let pairs = rows.fact_index.open_pairs().filter_map(|(newer, older, reason)| {
            Some(Suspicion::new(standing(older)?, standing(newer)?, reason))
        });
        Ok(pairs.take(limit).collect())
    }

    fn retired_since(&self, since: DateTime<Utc>) -> Result<u64> {
        let events = self.lines.rows.fact_index.events().iter().filter(|event| event.at >= since);
        Ok(events.map(event::retired_by).sum())
    }

    fn event(&self, id: EventId) -> Result<Option<ConsolidationEvent>> {
        Ok(self.lines.rows.fact_index.events().iter().find(|event| event.id == id).cloned())
    }

    fn events_after(&self, id: EventId) -> Result<Vec<ConsolidationEvent>> {
        let events = self.lines.rows.fact_index.events().iter();
        Ok(events.filter(|event| event.id > id).cloned().collect())
    }

    fn decisions(&self, limit: usize) -> Result<Vec<ConsolidationEvent>> {
        Ok(self.lines.rows.fact_index.events().iter().rev().take(limit).cloned().collect())
    }
}

impl Rows for Table<'_> {
    fn get(&self, id: MemoryId, visibility: Visibility) -> Result<Option<Memory>> {
        Ok(self.lines.rows.get(id, visibility).cloned())
    }

    fn snapshot(&self, limit: usize, visibility: Visibility) -> Result<Vec<SnapshotRow>> {
        Ok(self.lines.rows.snapshot(limit, visibility))
    }

    fn editable(&self, id: MemoryId, deleted_since: Option<DateTime<Utc>>) -> Result<Option<Editable>> {
        let rows = &self.lines.rows;
        let stored = match deleted_since {
            Some(since) => rows.deleted_since(id, since),
            None => rows.undeleted(id),
        };
        Ok(stored.map(|Stored { memory, stated, pinned_by, .. }| Editable {
            source: memory.source.clone(),
            category: memory.category.clone(),
            state: stated.status.map(|status| status.state),
            pinned_by: *pinned_by,
        }))
    }

    fn promoted(&self, dream: &DreamId, content: &str) -> Result<Option<(MemoryId, bool)>> {
        Ok(self.lines.rows.promoted(dream, content))
    }

    fn saying(&self, burial: &Burial) -> Result<Vec<Fact>> {
        Ok(self.lines.rows.holding(burial).map(Stored::fact).collect())
    }

    fn profile(&self, keys: Option<&[&str]>) -> Result<Vec<(String, String)>> {
        let is_told = |key: &str| keys.is_none_or(|keys| keys.contains(&key));
        let profile = self.lines.rows.profile().iter().filter(|(key, _)| is_told(key));
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
}

impl Changes for Table<'_> {
    fn write(&mut self, memory: &NewMemory, suspects: &[Suspect], entry: AuditEntry) -> Result<MemoryId> {
        let id = self.lines.rows.next_id();
        self.append(&Record::new(entry, Change::written(id, memory, suspects.to_vec())))?;
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
            Edit::Restore => Change::Restored { id },
            Edit::Pin(true) => Change::Pinned { id },
            Edit::Pin(false) => Change::Unpinned { id },
        };
        self.append(&Record::new(entry, change))
    }

    fn rule(&mut self, events: &mut [ConsolidationEvent], now: DateTime<Utc>) -> Result<()> {
        let first = self.lines.rows.fact_index.next_event().get();
        for (id, event) in (first..).zip(events.iter_mut()) {
            event.id = EventId::new(id);
        }
        let entry = AuditEntry::new(now, Actor::Library, "facts", AuditOutcome::Done);
        self.append(&Record::new(entry, Change::Ruled { events: events.to_vec() }))
    }

    fn learn(&mut self, learning: &NewLearning, entry: AuditEntry) -> Result<LearningId> {
        let id = self.lines.rows.learnings.next_id();
        let NewLearning { content, context } = learning.clone();
        self.append(&Record::new(entry, Change::Learned { id, content: Some(content), context }))?;
        Ok(id)
    }

    fn set_profile(&mut self, key: &str, value: &str, entry: AuditEntry) -> Result<()> {
        let change = Change::Profile { key: key.to_owned(), value: Some(value.to_owned()) };
        self.append(&Record::new(entry, change))
    }

    fn forget(
        &mut self,
        rows: &[MemoryId],
        burial: &Burial,
        key: &TombstoneKey,
        entry: AuditEntry,
    ) -> Result<Struck> {
        let change = Change::Forgot { ids: rows.to_vec(), stone: burial.stone, key: key.clone() };
        let record = Record::new(entry, change);
        let reasons = self.lines.forget(self.disk, self.scope, record, rows, burial)?;
        let (profile, learnings) = self.lines.rows.strike(burial);
        Ok(Struck { profile, learnings, reasons })
    }

    fn lift(&mut self, stone: Tombstone, entry: AuditEntry) -> Result<()> {
        self.append(&Record::new(entry, Change::Lifted { stone }))
    }

    fn purge(&mut self, cutoff: DateTime<Utc>, entry: AuditEntry) -> Result<Vec<MemoryId>> {
        let gone = self.lines.rows.deleted_before(cutoff);
        if !gone.is_empty() {
            let record = Record::new(entry, Change::Purged { ids: gone.clone() });
            self.lines.purge(self.disk, self.scope, record, &gone)?;
        }
        Ok(gone)
    }

    fn refuse(&mut self, entry: AuditEntry) -> Result<()> {
        self.append(&Record::refused(entry))
    }
}

impl Table<'_> {
    fn each(&self, ids: impl Iterator<Item = MemoryId>) -> Vec<Fact> {
        ids.filter_map(|id| self.lines.rows.fact(id)).collect()
    }
}
