//! Rows as facts, which are read with their texts.

use super::entry::{DELETED, Entry, HAS_SUSPECTS, STATES};
use super::reader::Reader;
use super::rows::Rows;
use crate::base::error::Result;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::facts::{Fact, FactState, Suspicion};
use crate::memory::MemoryId;
use crate::store::forget::Burial;

impl Rows {
    /// Reads a row that is not deleted as a fact.
    pub(super) fn fact(&self, id: MemoryId, reader: &Reader<'_>) -> Result<Option<Fact>> {
        self.undeleted(id).map(|entry| Ok(self.stored(entry, reader)?.fact())).transpose()
    }

    pub(super) fn is_pending(&self) -> bool {
        self.fact_index.pending().any(|id| self.undeleted(id).is_some())
    }

    /// Reads the rows that do not wait and are stated as one that waits, without those that another one replaced.
    pub(super) fn stated_as_pending(&self, reader: &Reader<'_>) -> Result<Vec<Fact>> {
        let pending = self.fact_index.pending().filter_map(|id| self.undeleted(id));
        let mut waiting: SortedMap<u32, Vec<&Entry>> = SortedMap::new();
        for entry in pending.filter(|entry| entry.has(STATES)) {
            waiting.entry(entry.normal).or_default().push(entry);
        }
        let is_other = |entry: &&Entry| {
            let is_settled = !matches!(entry.state, Some(FactState::Pending | FactState::Superseded));
            entry.has(STATES) && is_settled && !entry.has(DELETED) && waiting.contains_key(&entry.normal)
        };
        let mut normals: SortedMap<u32, SortedSet<String>> = SortedMap::new();
        let mut facts = Vec::new();
        for entry in self.entries.iter().filter(is_other) {
            // Two statements may have one hash.
            if !normals.contains_key(&entry.normal) {
                let mut known = SortedSet::new();
                for entry in &waiting[&entry.normal] {
                    known.extend(self.stored(entry, reader)?.normal());
                }
                normals.insert(entry.normal, known);
            }
            let stored = self.stored(entry, reader)?;
            let known = normals.get(&entry.normal);
            if stored.normal().is_some_and(|normal| known.is_some_and(|known| known.contains(&normal))) {
                facts.push(stored.fact());
            }
        }
        Ok(facts)
    }

    /// Reads the pairs of standing rows that nobody decided on, by the newer row, then by the older.
    pub(super) fn suspicions(&self, limit: usize, reader: &Reader<'_>) -> Result<Vec<Suspicion>> {
        let standing = |id: MemoryId| self.undeleted(id).filter(|entry| !entry.is_retired());
        let mut found = Vec::new();
        for newer in self.entries.iter().filter(|entry| entry.has(HAS_SUSPECTS) && !entry.has(DELETED)) {
            if found.len() >= limit {
                break;
            }
            if newer.is_retired() {
                continue;
            }
            for (older, reason) in self.fact_index.open_suspects(newer.id) {
                if older < newer.id
                    && let Some(older) = standing(older)
                {
                    let (older, newer) = (self.stored(older, reader)?, self.stored(newer, reader)?);
                    found.push(Suspicion::new(older.fact(), newer.fact(), reason));
                }
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    /// Reads the rows that say a statement, deleted and retired ones too.
    pub(super) fn saying(&self, burial: &Burial, reader: &Reader<'_>) -> Result<Vec<Fact>> {
        let is_named = self.is_named(burial);
        let may = |entry: &&Entry| is_named || entry.signature & burial.signature == burial.signature;
        let mut facts = Vec::new();
        for entry in self.entries.iter().filter(may) {
            let stored = self.stored(entry, reader)?;
            if burial.is_in(&stored.memory, stored.stated.about.as_ref()) {
                facts.push(stored.fact());
            }
        }
        Ok(facts)
    }
}
