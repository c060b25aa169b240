//! Rows as facts: what the rules read, and what events change.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::rows::{Rows, Stored};
use crate::base::error::Result;
use crate::facts::{
    ConsolidationEvent, EventId, EventOutcome, Fact, FactKey, FactState, FactStatus, Suspect, SuspectReason,
    Suspicion, Verdict,
};
use crate::memory::{MemoryId, Query};
use crate::search::rank::{Ranking, Sight};
use crate::store::StoreConfig;
use crate::store::fact::{self, Facts};
use crate::store::forget::Burial;

/// What is known of rows as facts, beside the rows.
#[derive(Default)]
pub(super) struct FactIndex {
    by_normal: BTreeMap<String, BTreeSet<MemoryId>>,
    by_key: BTreeMap<(String, String), BTreeSet<MemoryId>>,
    pending: BTreeSet<MemoryId>,
    /// Newer and older row of a pair, why, and which event closed it.
    suspects: BTreeMap<(MemoryId, MemoryId), (SuspectReason, Option<EventId>)>,
    events: Vec<ConsolidationEvent>,
}

/// What a row says as a fact.
#[derive(Default)]
pub(super) struct Stated {
    pub about: Option<FactKey>,
    pub valid_from: Option<DateTime<Utc>>,
    /// `None` where nothing was ever decided.
    pub status: Option<FactStatus>,
}

impl Stated {
    pub(super) fn is_retired(&self) -> bool {
        self.status.is_some_and(|status| status.state.is_retired())
    }

    pub(super) fn is_pending(&self) -> bool {
        self.status.is_some_and(|status| status.state == FactState::Pending)
    }
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

    /// Those that wait, deleted ones included.
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
        let (id, pair, is_back) = (event.id, fact::pair(&event), event.reverts.is_some());
        self.events.push(event);
        let Some((one, other)) = pair else { return };
        let decided = if is_back {
            let is_of_pair = |event: &&ConsolidationEvent| {
                [Some((one, other)), Some((other, one))].contains(&fact::pair(event))
            };
            fact::decided(self.events.iter().filter(is_of_pair))
        } else {
            Some(id)
        };
        for pair in [(one, other), (other, one)] {
            if let Some((_, closed)) = self.suspects.get_mut(&pair) {
                *closed = decided;
            }
        }
    }

    /// The latest first.
    pub(super) fn decisions(&self, limit: usize) -> Vec<ConsolidationEvent> {
        self.events.iter().rev().take(limit).cloned().collect()
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

/// The rows, as the rules read them.
pub(super) struct Table<'a> {
    pub(super) rows: &'a Rows,
    pub(super) config: &'a StoreConfig,
}

impl Table<'_> {
    fn facts<'a>(&self, ids: impl IntoIterator<Item = &'a MemoryId>) -> Vec<Fact> {
        ids.into_iter().filter_map(|id| self.rows.fact(*id)).collect()
    }

    /// The pairs that nobody decided on.
    pub(super) fn suspicions(&self, limit: usize) -> Vec<Suspicion> {
        let open = self.rows.fact_index.suspects.iter().filter(|(_, (_, closed))| closed.is_none());
        let standing = |id: MemoryId| self.rows.fact(id).filter(|fact| !fact.status.state.is_retired());
        open.filter_map(|((newer, older), (reason, _))| {
            Some(Suspicion::new(standing(*older)?, standing(*newer)?, *reason))
        })
        .take(limit)
        .collect()
    }
}

impl Facts for Table<'_> {
    fn fact(&self, id: MemoryId) -> Result<Option<Fact>> {
        Ok(self.rows.fact(id))
    }

    fn pending(&self) -> Result<Vec<Fact>> {
        Ok(self.facts(&self.rows.fact_index.pending))
    }

    fn stated(&self, normal: &str) -> Result<Vec<Fact>> {
        Ok(self.facts(self.rows.fact_index.by_normal.get(normal).into_iter().flatten()))
    }

    fn of_key(&self, key: &FactKey) -> Result<Vec<Fact>> {
        Ok(self.facts(self.rows.fact_index.by_key.get(&key.normal()).into_iter().flatten()))
    }

    fn alike(&self, text: &str, most: usize, sees_all: bool) -> Result<Vec<Fact>> {
        let query = Query::new(text).limit(most);
        let sight = if sees_all { Sight::All } else { Sight::Shared };
        let found = self.rows.search(&query, sight, &Ranking::rows_alone(), self.config.entities.as_ref());
        Ok(found.hits.into_iter().filter_map(|hit| self.rows.fact(hit.memory.id)).collect())
    }

    fn retired_since(&self, since: DateTime<Utc>) -> Result<u64> {
        let events = self.rows.fact_index.events.iter().filter(|event| event.at >= since);
        Ok(events.map(fact::retired_by).sum())
    }

    fn event(&self, id: EventId) -> Result<Option<ConsolidationEvent>> {
        Ok(self.rows.fact_index.events.iter().find(|event| event.id == id).cloned())
    }

    fn events_after(&self, id: EventId) -> Result<Vec<ConsolidationEvent>> {
        Ok(self.rows.fact_index.events.iter().filter(|event| event.id > id).cloned().collect())
    }
}

/// The row that was stated again by a fact that settled.
pub(super) fn restated(event: &ConsolidationEvent) -> Option<(MemoryId, MemoryId)> {
    let is_settled = event.verdict == Verdict::Settle && event.outcome == EventOutcome::Applied;
    is_settled.then_some(event.older.zip(event.newer)).flatten()
}
