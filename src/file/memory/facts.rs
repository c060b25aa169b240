//! The index of rows as facts, beside the rows: in memory.

use std::collections::{BTreeMap, BTreeSet};

use super::row::Stored;
use crate::facts::{ConsolidationEvent, EventId, EventOutcome, FactKey, Suspect, SuspectReason, Verdict};
use crate::memory::MemoryId;
use crate::store::forget::Burial;
use crate::store::{event, fact};

/// The index of rows as facts, beside the rows.
#[derive(Default)]
pub(super) struct FactIndex {
    by_normal: BTreeMap<String, BTreeSet<MemoryId>>,
    by_key: BTreeMap<(String, String), BTreeSet<MemoryId>>,
    pending: BTreeSet<MemoryId>,
    /// Newer and older row of a pair, why, and which event closed it.
    suspects: BTreeMap<(MemoryId, MemoryId), (SuspectReason, Option<EventId>)>,
    events: Vec<ConsolidationEvent>,
}

impl FactIndex {
    /// Takes a row in, or out.
    pub(super) fn set(&mut self, stored: &Stored, comes: bool) {
        let id = stored.memory.id;
        let normal =
            fact::normal(&stored.memory.category, &stored.memory.content, stored.stated.about.as_ref());
        if let Some(normal) = normal {
            set(&mut self.by_normal, normal, id, comes);
        }
        if let Some(key) = &stored.stated.about {
            set(&mut self.by_key, key.normal(), id, comes);
        }
        if comes && stored.stated.is_pending() {
            self.pending.insert(id);
        } else {
            self.pending.remove(&id);
        }
    }

    pub(super) fn suspect(&mut self, id: MemoryId, suspects: &[Suspect]) {
        self.suspects.extend(suspects.iter().map(|suspect| ((id, suspect.id), (suspect.reason, None))));
    }

    /// Returns the facts that wait, deleted ones included.
    pub(super) fn pending(&self) -> impl Iterator<Item = MemoryId> {
        self.pending.iter().copied()
    }

    pub(super) fn waits(&self, id: MemoryId) -> bool {
        self.pending.contains(&id)
    }

    /// Forgets rows that are gone for good.
    pub(super) fn forget(&mut self, gone: &BTreeSet<MemoryId>) {
        self.suspects.retain(|(newer, older), _| !gone.contains(newer) && !gone.contains(older));
    }

    /// Takes a statement out of the reasons.
    pub(super) fn strike(&mut self, burial: &Burial) {
        for event in &mut self.events {
            event.reason = event.reason.take().filter(|reason| !burial.holds(reason));
        }
    }

    pub(super) fn next_event(&self) -> EventId {
        EventId::new(self.events.iter().map(|event| event.id.get()).max().unwrap_or(0) + 1)
    }

    pub(super) fn tell(&mut self, event: ConsolidationEvent) {
        let (id, pair, is_back) = (event.id, event::pair(&event), event.reverts.is_some());
        self.events.push(event);
        let Some((one, other)) = pair else { return };
        let decided = if is_back {
            let is_of_pair = |event: &&ConsolidationEvent| {
                [Some((one, other)), Some((other, one))].contains(&event::pair(event))
            };
            event::decided(self.events.iter().filter(is_of_pair))
        } else {
            Some(id)
        };
        for pair in [(one, other), (other, one)] {
            if let Some((_, closed)) = self.suspects.get_mut(&pair) {
                *closed = decided;
            }
        }
    }

    /// Returns the events in their order.
    pub(super) fn events(&self) -> &[ConsolidationEvent] {
        &self.events
    }

    /// Returns the rows in a normal form, by id.
    pub(super) fn stated(&self, normal: &str) -> impl Iterator<Item = MemoryId> {
        self.by_normal.get(normal).into_iter().flatten().copied()
    }

    /// Whether more than one row is in a normal form.
    pub(super) fn has_others(&self, normal: &str) -> bool {
        self.by_normal.get(normal).is_some_and(|rows| rows.len() > 1)
    }

    /// Returns the rows of a key, by id.
    pub(super) fn of_key(&self, key: &FactKey) -> impl Iterator<Item = MemoryId> {
        self.by_key.get(&key.normal()).into_iter().flatten().copied()
    }

    /// Returns the pairs that nobody decided on: newer and older row, and why.
    pub(super) fn open_pairs(&self) -> impl Iterator<Item = (MemoryId, MemoryId, SuspectReason)> {
        let open = self.suspects.iter().filter(|(_, (_, closed))| closed.is_none());
        open.map(|((newer, older), (reason, _))| (*newer, *older, *reason))
    }
}

fn set<K: Ord>(index: &mut BTreeMap<K, BTreeSet<MemoryId>>, key: K, id: MemoryId, comes: bool) {
    let ids = index.entry(key).or_default();
    if comes {
        ids.insert(id);
    } else {
        ids.remove(&id);
    }
}

/// Returns the row that was stated again by a fact that settled.
pub(super) fn restated(event: &ConsolidationEvent) -> Option<(MemoryId, MemoryId)> {
    let is_settled = event.verdict == Verdict::Settle && event.outcome == EventOutcome::Applied;
    is_settled.then_some(event.older.zip(event.newer)).flatten()
}
