//! Rows that come back as they were: from a bundle that this operator signed.

use chrono::{DateTime, Utc};

use super::admit::main_only;
use super::backend::Changes;
use super::edit::Edit;
use super::forget::Burial;
use super::names::row_name;
use super::parts::Parts;
use super::practice::may_forget;
use super::store::Store;
use super::suspects::suspects;
use super::tell::{BATCH, entry};
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::sorted::SortedMap;
use crate::facts::{ConsolidationEvent, EventId};
use crate::gate::{Tombstone, TombstoneKey, Tombstones};
use crate::memory::{MemoryId, NewLearning, NewMemory};

/// A row as it was, without its status as a fact: decisions bring that.
pub(crate) struct CarriedRow {
    pub(crate) memory: NewMemory,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) updated_at: DateTime<Utc>,
    pub(crate) pinned: bool,
    /// The row that is it already, of an import that was interrupted.
    pub(crate) standing: Option<MemoryId>,
}

/// A learning as it was.
pub(crate) struct CarriedLearning {
    pub(crate) learning: NewLearning,
    pub(crate) created_at: DateTime<Utc>,
}

impl Burial {
    /// Returns the burial of a statement that another home has forgotten, of which nobody knows the words. One that does not strike
    /// keeps it out from now on, and takes nothing away.
    fn of_stone(key: &TombstoneKey, stone: Tombstone, strikes: bool) -> Self {
        let mut alone = Tombstones::new(key.clone());
        if strikes {
            alone.insert(stone);
        }
        Self { stones: vec![stone], alone, signature: 0, rows: Vec::new(), person: None }
    }
}

impl Store {
    /// Writes rows as they were, in their order; returns their ids. All of them, or none.
    pub(crate) fn carry_rows(&self, access: &Access, rows: &[CarriedRow]) -> Result<Vec<MemoryId>> {
        main_only(self.scope(), access, &row_name(None))?;
        let mut ids = Vec::with_capacity(rows.len());
        self.backend().change("import into", |changes| {
            changes.together(&mut |changes| {
                ids.clear();
                for row in rows {
                    ids.push(carry(changes, access, row)?);
                }
                Ok(())
            })
        })?;
        Ok(ids)
    }

    /// Writes new rows through the checks of the store, each at its own time. Returns for each whether it was
    /// accepted.
    ///
    /// [`BATCH`] of them become durable together: after an error those before are there.
    pub(crate) fn carry_new(
        &self,
        access: &Access,
        rows: &[(NewMemory, DateTime<Utc>)],
    ) -> Result<Vec<Result<MemoryId>>> {
        let mut told = Vec::with_capacity(rows.len());
        for chunk in rows.chunks(BATCH) {
            let chunk: Vec<_> = chunk.iter().map(|(memory, at)| (memory, *at)).gather();
            told.extend(self.write_each(access, &chunk)?);
        }
        Ok(told)
    }

    /// Replays decisions in their order. `reverts` of each is the place of another one in this list, or the id of one that
    /// stands.
    pub(crate) fn carry_decisions(
        &self,
        access: &Access,
        decisions: &[(ConsolidationEvent, Option<CarriedDecision>)],
        now: DateTime<Utc>,
    ) -> Result<()> {
        main_only(self.scope(), access, &row_name(None))?;
        self.backend().change("import into", |changes| {
            changes.together(&mut |changes| {
                let mut ids: SortedMap<usize, EventId> = SortedMap::new();
                for (place, (decision, reverts)) in decisions.iter().enumerate() {
                    let mut event = [decision.clone()];
                    event[0].reverts = match reverts {
                        Some(CarriedDecision::Standing(id)) => Some(*id),
                        Some(CarriedDecision::Earlier(earlier)) => ids.get(earlier).copied(),
                        None => None,
                    };
                    changes.rule(&mut event, now)?;
                    ids.insert(place, event[0].id);
                }
                Ok(())
            })
        })
    }

    /// Writes learnings as they were.
    pub(crate) fn carry_learnings(&self, access: &Access, learnings: &[CarriedLearning]) -> Result<()> {
        main_only(self.scope(), access, &row_name(None))?;
        self.backend().change("import into", |changes| {
            changes.together(&mut |changes| {
                for CarriedLearning { learning, created_at } in learnings {
                    if changes.learned(&learning.content)?.is_none() {
                        changes.learn(learning, entry(access, "memory_learn", *created_at))?;
                    }
                }
                Ok(())
            })
        })
    }

    /// Sets a value of the profile as it was.
    pub(crate) fn carry_profile(
        &self,
        access: &Access,
        key: &str,
        value: &str,
        at: DateTime<Utc>,
    ) -> Result<()> {
        main_only(self.scope(), access, &row_name(None))?;
        self.backend().change("import into", |changes| {
            changes.set_profile(key, value, entry(access, "profile_write", at))
        })
    }

    /// Returns the forgotten statements of the store.
    pub(crate) fn stones(&self, access: &Access) -> Result<Option<Tombstones>> {
        main_only(self.scope(), access, &row_name(None))?;
        let stones = self.backend().read("read", |rows| rows.tombstones())?;
        Ok(stones.map(|stones| Tombstones::clone(&stones)).filter(|stones| !stones.is_empty()))
    }

    /// Keeps out the statements that another home has forgotten. With `strikes` it also removes them here. `false` if this home
    /// already has another key.
    pub(crate) fn carry_stones(
        &self,
        access: &Access,
        key: &TombstoneKey,
        stones: &[Tombstone],
        strikes: bool,
        now: DateTime<Utc>,
    ) -> Result<bool> {
        main_only(self.scope(), access, &row_name(None))?;
        self.backend().change("import into", |changes| {
            if changes.tombstone_key()?.is_some_and(|own| own != *key) {
                return Ok(false);
            }
            for stone in stones {
                let burial = Burial::of_stone(key, *stone, strikes);
                may_forget(changes, access, &burial)?;
                let saying = if strikes { changes.saying(&burial)? } else { Vec::new() };
                let ids: Vec<MemoryId> = saying.iter().map(|fact| fact.memory.id).gather();
                let parts = Parts::saying(changes, &burial)?;
                changes.forget(&ids, (&burial, &parts.rest), key, entry(access, "memory_forget", now))?;
            }
            Ok(true)
        })
    }
}

/// The decision that another one takes back.
pub(crate) enum CarriedDecision {
    Standing(EventId),
    Earlier(usize),
}

fn carry(changes: &mut dyn Changes, access: &Access, row: &CarriedRow) -> Result<MemoryId> {
    let id = if let Some(id) = row.standing {
        id
    } else {
        let suspected = suspects(changes, &row.memory, true)?;
        let mut written = entry(access, "memory_write", row.created_at);
        written.source = Some(row.memory.source.clone());
        written.origin = row.memory.came_by();
        changes.write(&row.memory, &suspected, written)?
    };
    if row.updated_at != row.created_at {
        let mut edited = entry(access, "memory_update", row.updated_at);
        edited.id = Some(id);
        changes.edit(id, Edit::Content(&row.memory.content), edited)?;
    }
    if row.pinned {
        let mut pinned = entry(access, "memory_pin", row.updated_at);
        pinned.id = Some(id);
        changes.edit(id, Edit::Pin(true), pinned)?;
    }
    Ok(id)
}
