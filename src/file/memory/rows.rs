//! The rows that the file says, the profile, and the index, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::facts::{self, FactIndex};
use super::learnings::Learnings;
use super::record::{Change, Record, VERSION};
use super::row::Stored;
use crate::base::access::{Actor, Scope};
use crate::base::error::{Error, Refusal, Result};
use crate::base::name::StateName;
use crate::facts::{ConsolidationEvent, EventOutcome, Fact, FactState};
use crate::format::DreamId;
use crate::gate::Tombstones;
use crate::memory::{Filter, Memory, MemoryId, SnapshotRow};
use crate::search::rank::{Card, Index, Visibility};
use crate::store::fact;
use crate::store::forget::Burial;

/// The rows of a file, as far as it was read.
#[derive(Default)]
pub(super) struct Rows {
    by_id: BTreeMap<MemoryId, Stored>,
    /// The rows that stand, by when they were last touched.
    by_time: BTreeSet<(DateTime<Utc>, MemoryId)>,
    /// Pinned rows, deleted ones included.
    pinned: BTreeSet<MemoryId>,
    profile: BTreeMap<String, String>,
    pub(super) learnings: Learnings,
    pub(super) index: Index,
    pub(super) fact_index: FactIndex,
    forgotten: Option<Arc<Tombstones>>,
    last_id: i64,
    /// Whether the line with the owner of the file was read.
    pub(super) is_owned: bool,
}

impl Rows {
    /// Makes the index anew where most of it is of rows that were taken out.
    pub(super) fn tidy(&mut self) {
        if self.index.waste() > 0.5 {
            self.index = Index::default();
            // By id, as they came: what is listed by id is read from the end then.
            let standing: BTreeSet<MemoryId> = self.by_time.iter().map(|(_, id)| *id).collect();
            for id in standing {
                self.show(id);
            }
        }
    }

    /// Takes a line in.
    pub(super) fn apply(&mut self, record: Record, scope: &Scope, line: usize) -> Result<()> {
        let (at, actor) = (record.at, record.actor);
        if !self.is_owned && !matches!(record.change, Change::Opened { .. }) {
            return Err(Error::Corrupt {
                name: StateName::MEMORIES.to_string(),
                line,
                column: 0,
                what: "it does not begin with its owner",
            });
        }
        match &record.change {
            Change::Opened { version, scope: owner } => {
                let name = StateName::MEMORIES;
                if *version > VERSION {
                    return Err(Error::NewerVersion {
                        name: name.to_string(),
                        found: *version,
                        known: VERSION,
                    });
                }
                if owner != scope {
                    return Err(Error::Refused { path: name.to_string(), reason: Refusal::OtherScope });
                }
                self.is_owned = true;
            }
            Change::Written(row) => {
                let id = row.id;
                check_id(id.get(), line)?;
                self.last_id = self.last_id.max(id.get());
                if let Some((memory, stated, suspects)) = record.row() {
                    // A person may have copied a line.
                    self.remove(id);
                    self.fact_index.suspect(id, &suspects);
                    let stored = Stored { memory, stated, pinned_by: None, deleted: None };
                    self.fact_index.set(&stored, true);
                    self.by_id.insert(id, stored);
                    self.show(id);
                }
            }
            Change::Updated { id, content } => {
                if let Some(content) = content {
                    let is_shown = self.hide(*id);
                    if let Some(stored) = self.by_id.get_mut(id) {
                        self.fact_index.set(stored, false);
                        stored.memory.content.clone_from(content);
                        stored.memory.updated_at = at;
                        self.fact_index.set(stored, true);
                    }
                    if is_shown {
                        self.show(*id);
                    }
                }
            }
            Change::Deleted { id } => {
                self.hide(*id);
                if let Some(stored) = self.by_id.get_mut(id) {
                    stored.deleted = Some((at, actor));
                }
            }
            Change::Restored { id } => {
                let was_deleted = self.by_id.get_mut(id).and_then(|stored| stored.deleted.take()).is_some();
                if was_deleted {
                    self.show(*id);
                }
            }
            Change::Pinned { id } => self.set_pinned(*id, Some(record.actor)),
            Change::Unpinned { id } => self.set_pinned(*id, None),
            Change::Purged { ids } => {
                self.remove_all(ids);
            }
            Change::Ruled { events } => {
                for event in events {
                    check_id(event.id.get(), line)?;
                    self.rule(event.clone());
                }
            }
            Change::Profile { key, value: Some(value) } => {
                self.profile.insert(key.clone(), value.clone());
            }
            Change::Profile { key, value: None } => {
                self.profile.remove(key);
            }
            Change::Learned { id, content, context } => {
                check_id(id.get(), line)?;
                self.learnings.apply(*id, content.as_deref(), context.as_deref(), at);
            }
            Change::Forgot { ids, stone, key } => {
                self.remove_all(ids);
                let forgotten = self.forgotten.get_or_insert_with(|| Arc::new(Tombstones::new(key.clone())));
                Arc::make_mut(forgotten).insert(*stone);
            }
            Change::Lifted { stone } => {
                if let Some(forgotten) = &mut self.forgotten {
                    Arc::make_mut(forgotten).remove(stone);
                }
            }
            Change::Refused { .. } => {}
        }
        Ok(())
    }

    /// Carries out an event.
    fn rule(&mut self, event: ConsolidationEvent) {
        if event.outcome == EventOutcome::Applied {
            for change in &event.changes {
                if change.after.state.is_retired() {
                    self.hide(change.id);
                }
                let Some(stored) = self.by_id.get_mut(&change.id) else { continue };
                self.fact_index.set(stored, false);
                stored.stated.status = Some(change.after);
                self.fact_index.set(stored, true);
                // What is found of a row does not depend on how it stands, as long as it does.
                if !self.by_time.contains(&(stored.memory.updated_at, change.id)) {
                    self.show(change.id);
                }
            }
        }
        if let Some((older, newer)) = facts::restated(&event)
            && let Some(again) = self.by_id.get(&newer).map(|stored| stored.memory.created_at)
            && let Some(stored) = self.by_id.get_mut(&older)
        {
            let before = stored.memory.updated_at;
            stored.memory.updated_at = before.max(again);
            if self.by_time.remove(&(before, older)) {
                self.by_time.insert((stored.memory.updated_at, older));
            }
        }
        self.fact_index.tell(event);
    }

    /// Takes a row out for good.
    fn remove(&mut self, id: MemoryId) {
        self.hide(id);
        if let Some(stored) = self.by_id.remove(&id) {
            self.fact_index.set(&stored, false);
        }
    }

    /// Takes rows out for good, and what is known of them.
    fn remove_all(&mut self, ids: &[MemoryId]) {
        for id in ids {
            self.remove(*id);
            self.pinned.remove(id);
        }
        self.fact_index.forget(&ids.iter().copied().collect());
    }

    /// Lets a row be listed and found, where it stands.
    fn show(&mut self, id: MemoryId) {
        let stands = |stored: &&Stored| stored.deleted.is_none() && !stored.stated.is_retired();
        let Some(stored) = self.by_id.get(&id).filter(stands) else { return };
        self.by_time.insert((stored.memory.updated_at, id));
        Card::with(&stored.memory, |card| self.index.add(card));
    }

    /// Takes a row out of lists and searches; `false` where it is in none.
    fn hide(&mut self, id: MemoryId) -> bool {
        let Some(stored) = self.by_id.get(&id) else { return false };
        if !self.by_time.remove(&(stored.memory.updated_at, id)) {
            return false;
        }
        Card::with(&stored.memory, |card| self.index.take_out(card))
    }

    fn set_pinned(&mut self, id: MemoryId, by: Option<Actor>) {
        let Some(stored) = self.by_id.get_mut(&id) else { return };
        // A pin of the human stays theirs.
        let is_theirs = stored.pinned_by == Some(Actor::Human);
        stored.pinned_by = by.map(|by| if is_theirs { Actor::Human } else { by });
        stored.memory.pinned = by.is_some();
        if by.is_some() {
            self.pinned.insert(id);
        } else {
            self.pinned.remove(&id);
        }
    }

    /// Returns the tombstones.
    pub(super) fn forgotten(&self) -> Option<&Arc<Tombstones>> {
        self.forgotten.as_ref()
    }

    /// Returns the rows that say it, deleted and retired ones too.
    pub(super) fn holding(&self, burial: &Burial) -> impl Iterator<Item = &Stored> {
        self.by_id.values().filter(|stored| burial.is_in(&stored.memory, stored.stated.about.as_ref()))
    }

    /// Takes the statement out of what is held of other lines; returns how many values of the profile and how many
    /// learnings it was in.
    pub(super) fn strike(&mut self, burial: &Burial) -> (u64, u64) {
        let before = self.profile.len();
        self.profile.retain(|key, value| !burial.holds(key) && !burial.holds(value));
        self.fact_index.strike(burial);
        ((before - self.profile.len()) as u64, self.learnings.strike(burial))
    }

    pub(super) fn next_id(&self) -> MemoryId {
        MemoryId::new(self.last_id + 1)
    }

    /// Returns a row that was deleted at this time or later.
    pub(super) fn deleted_since(&self, id: MemoryId, cutoff: DateTime<Utc>) -> Option<&Stored> {
        self.by_id.get(&id).filter(|stored| stored.deleted.is_some_and(|(at, _)| at >= cutoff))
    }

    /// Returns a row that is not deleted, retired or not.
    pub(super) fn undeleted(&self, id: MemoryId) -> Option<&Stored> {
        self.by_id.get(&id).filter(|stored| stored.deleted.is_none())
    }

    /// Returns such a row as a fact.
    pub(super) fn fact(&self, id: MemoryId) -> Option<Fact> {
        self.undeleted(id).map(Stored::fact)
    }

    /// Rows that do not wait and are stated as one is that waits, without those that another one replaced.
    pub(super) fn stated_as_pending(&self) -> Vec<&Stored> {
        let mut known = BTreeSet::new();
        let pending = self.fact_index.pending().filter_map(|id| self.undeleted(id));
        for Stored { memory, stated, .. } in pending {
            let normal = fact::normal(&memory.category, &memory.content, stated.about.as_ref());
            known.extend(normal.into_iter().filter(|normal| self.fact_index.has_others(normal)));
        }
        let rows = known.iter().flat_map(|normal| self.fact_index.stated(normal));
        let is_other = |stored: &&Stored| {
            let state = stored.stated.status.map(|status| status.state);
            !matches!(state, Some(FactState::Pending | FactState::Superseded))
        };
        rows.filter_map(|id| self.undeleted(id)).filter(is_other).collect()
    }

    /// Returns the facts that a row replaced, by id.
    pub(super) fn replaced_by(&self, id: MemoryId) -> Vec<Fact> {
        let is_replaced =
            |stored: &&Stored| stored.stated.status.is_some_and(|status| status.successor == Some(id));
        self.by_id.values().filter(is_replaced).filter_map(|stored| self.fact(stored.memory.id)).collect()
    }

    pub(super) fn is_pending(&self) -> bool {
        self.fact_index.pending().any(|id| self.undeleted(id).is_some())
    }

    pub(super) fn deleted_before(&self, cutoff: DateTime<Utc>) -> Vec<MemoryId> {
        let expired =
            self.by_id.iter().filter(|(_, stored)| stored.deleted.is_some_and(|(at, _)| at < cutoff));
        expired.map(|(id, _)| *id).collect()
    }

    pub(super) fn profile(&self) -> &BTreeMap<String, String> {
        &self.profile
    }

    pub(super) fn get(&self, id: MemoryId, visibility: Visibility) -> Option<&Memory> {
        let stored = self.undeleted(id).filter(|stored| !stored.stated.is_retired())?;
        visibility.sees(stored.memory.shared).then_some(&stored.memory)
    }

    /// Returns the rows that a filter takes, the newest first, whatever its limit.
    pub(super) fn list<'a>(
        &'a self,
        filter: &'a Filter,
        visibility: Visibility,
    ) -> Box<dyn Iterator<Item = &'a Memory> + 'a> {
        if !filter.retired {
            let rows = self.by_time.iter().rev().filter_map(move |(_, id)| self.get(*id, visibility));
            return Box::new(rows.filter(|memory| filter.takes(memory)));
        }
        let rows = self.by_id.values().filter(|stored| stored.deleted.is_none()).map(|stored| &stored.memory);
        let is_seen = |memory: &&Memory| visibility.sees(memory.shared) && filter.takes(memory);
        let mut rows: Vec<_> = rows.filter(is_seen).collect();
        rows.sort_by_key(|memory| std::cmp::Reverse((memory.updated_at, memory.id)));
        Box::new(rows.into_iter())
    }

    /// Returns the row of a dream that has these words, and whether the library deleted it last.
    pub(super) fn promoted(&self, dream: &DreamId, content: &str) -> Option<(MemoryId, bool)> {
        let is_same = |stored: &&Stored| {
            stored.memory.dream.as_ref() == Some(dream) && stored.memory.content == content
        };
        let standing = self.by_id.values().filter(is_same).min_by_key(|stored| stored.deleted.is_some())?;
        let is_back = standing.deleted.is_some_and(|(_, actor)| actor == Actor::Library);
        Some((standing.memory.id, is_back))
    }

    /// Returns the rows of a prompt: the pinned ones before the others.
    pub(super) fn snapshot(&self, limit: usize, visibility: Visibility) -> Vec<SnapshotRow> {
        let is_told = |memory: &&Memory| memory.is_trusted() && !self.fact_index.waits(memory.id);
        let mut pinned: Vec<_> =
            self.pinned.iter().filter_map(|id| self.get(*id, visibility)).filter(is_told).collect();
        pinned.sort_by_key(|memory| std::cmp::Reverse((memory.updated_at, memory.id)));
        let rest = self.by_time.iter().rev().filter_map(|(_, id)| self.get(*id, visibility));
        let rest = rest.filter(|memory| is_told(memory) && !memory.pinned);
        let row = |memory: &Memory| {
            SnapshotRow::new(memory.id, memory.category.clone(), memory.content.clone(), memory.pinned)
        };
        pinned.into_iter().chain(rest).take(limit).map(row).collect()
    }
}

/// Refuses an id that no store gives, and behind which there is none.
fn check_id(id: i64, line: usize) -> Result<()> {
    if (1..i64::MAX).contains(&id) {
        return Ok(());
    }
    Err(Error::Corrupt {
        name: StateName::MEMORIES.to_string(),
        line,
        column: 0,
        what: "an id is out of range",
    })
}
