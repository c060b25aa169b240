//! What the file says, in memory: the rows, the profile, and the index.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use super::record::{Change, Record, VERSION};
use super::{FileId, read_from};
use crate::access::Scope;
use crate::disk::{Disk, atomic};
use crate::error::{At, Error, Result, corrupt};
use crate::memory::{Filter, Found, Hit, Memory, MemoryId, Order, Query, SearchOutcome, Syntax};
use crate::name::StateName;
use crate::recall::{Card, Entities, Index, Plan, Ranking, Row, Search, Sight, WEAK};

/// The rows of a file, as far as it was read.
#[derive(Default)]
pub(super) struct Rows {
    by_id: BTreeMap<MemoryId, Stored>,
    /// The rows that stand, by when they were last touched.
    by_time: BTreeSet<(DateTime<Utc>, MemoryId)>,
    profile: BTreeMap<String, String>,
    purged: BTreeSet<MemoryId>,
    /// Whether words of a purged row still stand in the file.
    holds_purged: bool,
    index: Index,
    last_id: i64,
    read_to: u64,
    lines: usize,
    /// Bytes behind the last whole line: a line that is being written, or what a crash left of one.
    torn: bool,
    file: FileId,
}

/// A row, and whether it is deleted.
pub(super) struct Stored {
    pub(super) memory: Memory,
    deleted_at: Option<DateTime<Utc>>,
}

impl Stored {
    pub(super) fn is_deleted(&self) -> bool {
        self.deleted_at.is_some()
    }
}

impl Rows {
    /// Reads what was added to the file since it was last read; all of it where it is another file.
    pub(super) fn catch_up(&mut self, disk: &dyn Disk, scope: &Scope) -> Result<()> {
        let name = StateName::MEMORIES;
        let stat = disk.stat(name.as_str()).at("look at", &*name)?;
        let is_other = stat.is_none_or(|stat| stat.id != self.file || stat.len < self.read_to);
        if is_other && self.read_to > 0 {
            *self = Self::default();
        } else if stat.is_none_or(|stat| stat.len == self.read_to) {
            self.torn = false;
            return Ok(());
        }
        let Some((bytes, file)) = read_from(disk, self.read_to)? else { return Ok(()) };
        if self.read_to > 0 && file != self.file {
            // It was replaced between the look and the read.
            *self = Self::default();
            return self.catch_up(disk, scope);
        }
        self.file = file;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        self.torn = whole < bytes.len();
        let taken = self.take(&bytes[..whole], scope);
        if taken.is_err() {
            // Not half of it: the next verb says the same.
            *self = Self::default();
        }
        taken
    }

    fn take(&mut self, lines: &[u8], scope: &Scope) -> Result<()> {
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            self.lines += 1;
            let record: Record = serde_json::from_slice(line).map_err(|error| {
                let Error::Corrupt { name, column, what, .. } = corrupt(StateName::MEMORIES.as_str(), &error)
                else {
                    unreachable!("it makes nothing else");
                };
                Error::Corrupt { name, line: self.lines, column, what }
            })?;
            self.apply(record, scope)?;
            self.read_to += line.len() as u64;
        }
        if self.index.waste() > 0.5 {
            self.index = Index::default();
            let touched: Vec<_> = self.by_time.iter().copied().collect();
            for (_, id) in touched {
                self.show(id);
            }
        }
        Ok(())
    }

    fn apply(&mut self, record: Record, scope: &Scope) -> Result<()> {
        let at = record.at;
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
                    return Err(Error::Denied { name: name.into(), kind: crate::access::SessionKind::Main });
                }
            }
            Change::Written { id, .. } => {
                let id = *id;
                self.last_id = self.last_id.max(id.get());
                if let Some(memory) = record.memory() {
                    self.by_id.insert(id, Stored { memory, deleted_at: None });
                    self.show(id);
                }
            }
            Change::Updated { id, content } => {
                if let Some(content) = content {
                    let is_shown = self.hide(*id);
                    if let Some(stored) = self.by_id.get_mut(id) {
                        stored.memory.content.clone_from(content);
                        stored.memory.updated_at = at;
                    }
                    if is_shown {
                        self.show(*id);
                    }
                }
            }
            Change::Deleted { id } => {
                self.hide(*id);
                if let Some(stored) = self.by_id.get_mut(id) {
                    stored.deleted_at = Some(at);
                }
            }
            Change::Restored { id } => {
                let was_deleted =
                    self.by_id.get_mut(id).and_then(|stored| stored.deleted_at.take()).is_some();
                if was_deleted {
                    self.show(*id);
                }
            }
            Change::Purged { id } => {
                self.hide(*id);
                self.holds_purged |= self.by_id.remove(id).is_some();
                self.purged.insert(*id);
            }
            Change::Profile { key, value } => {
                self.profile.insert(key.clone(), value.clone());
            }
            Change::Refused { .. } => {}
        }
        Ok(())
    }

    /// Lets a row be listed and found.
    fn show(&mut self, id: MemoryId) {
        let Some(stored) = self.by_id.get(&id) else { return };
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

    /// Whether no file was read.
    pub(super) fn is_new(&self) -> bool {
        self.lines == 0
    }

    /// Takes away what a crash left of an unfinished line. Under the write guard: else it may be a line that is
    /// being written.
    pub(super) fn mend(&mut self, disk: &dyn Disk) -> Result<()> {
        if self.torn {
            let name = StateName::MEMORIES;
            let whole = atomic::read(disk, name.as_str(), self.read_to)?.unwrap_or_default();
            let whole = &whole[..usize::try_from(self.read_to).unwrap_or(usize::MAX).min(whole.len())];
            atomic::replace(disk, name.as_str(), whole)?;
            let stat = disk.stat(name.as_str()).at("look at", &*name)?;
            self.file = stat.map_or(self.file, |stat| stat.id);
            self.torn = false;
        }
        Ok(())
    }

    /// Writes the file anew without the words of purged rows, each line in its place; `false` where there are none.
    pub(super) fn compact(&mut self, disk: &dyn Disk) -> Result<bool> {
        if !self.holds_purged {
            return Ok(false);
        }
        let name = StateName::MEMORIES;
        let bytes = atomic::read(disk, name.as_str(), u64::MAX - 1)?.unwrap_or_default();
        let mut kept = Vec::with_capacity(bytes.len());
        let whole = usize::try_from(self.read_to).unwrap_or(usize::MAX).min(bytes.len());
        for line in bytes[..whole].split_inclusive(|byte| *byte == b'\n') {
            let mut record: Record =
                serde_json::from_slice(line).map_err(|error| corrupt(name.as_str(), &error))?;
            if !self.forget(&mut record.change) {
                kept.extend_from_slice(line);
                continue;
            }
            kept.extend_from_slice(record.line().as_bytes());
            kept.push(b'\n');
        }
        atomic::replace(disk, name.as_str(), &kept)?;
        Ok(true)
    }

    /// Takes the words out of a change of a purged row; `false` where there is nothing to take.
    fn forget(&self, change: &mut Change) -> bool {
        match change {
            Change::Written { id, content, metadata, place, .. } if self.purged.contains(id) => {
                (*content, *metadata, *place) = (None, None, None);
                true
            }
            Change::Updated { id, content } if self.purged.contains(id) => content.take().is_some(),
            _ => false,
        }
    }

    pub(super) fn next_id(&self) -> MemoryId {
        MemoryId::new(self.last_id + 1)
    }

    pub(super) fn stored(&self, id: MemoryId) -> Option<&Stored> {
        self.by_id.get(&id)
    }

    pub(super) fn deleted_before(&self, cutoff: DateTime<Utc>) -> Vec<MemoryId> {
        let expired = self.by_id.iter().filter(|(_, stored)| stored.deleted_at.is_some_and(|at| at < cutoff));
        expired.map(|(id, _)| *id).collect()
    }

    pub(super) fn profile(&self) -> &BTreeMap<String, String> {
        &self.profile
    }

    pub(super) fn get(&self, id: MemoryId, sight: Sight) -> Option<&Memory> {
        let stored = self.by_id.get(&id).filter(|stored| !stored.is_deleted())?;
        (sight == Sight::All || stored.memory.shared).then_some(&stored.memory)
    }

    /// The newest rows first.
    pub(super) fn list(&self, filter: &Filter, sight: Sight) -> impl Iterator<Item = &Memory> {
        let rows = self.by_time.iter().rev().filter_map(move |(_, id)| self.get(*id, sight));
        rows.filter(|memory| filter.takes(memory)).take(filter.limit)
    }

    /// The rows that fit.
    pub(super) fn search(
        &self,
        query: &Query,
        sight: Sight,
        ranking: &Ranking,
        entities: &dyn Entities,
    ) -> Found {
        let plan = Plan::of(&query.text, query.syntax == Syntax::Fts);
        let memory = |row: &Row| self.by_id.get(&MemoryId::new(row.id)).map(|stored| &stored.memory);
        let may = |row: &Row| {
            memory(row).is_some_and(|memory| {
                query.filter.takes(memory)
                    && plan.category.as_ref().is_none_or(|named| memory.category.eq_ignore_ascii_case(named))
            })
        };
        let text = |id: i64| self.by_id.get(&MemoryId::new(id)).map(|stored| stored.memory.content.as_str());
        let search =
            Search { index: &self.index, ranking, plan: &plan, sight, may: &may, text: &text, entities };
        let ranked = match query.order {
            Order::Relevance => search.best(query.filter.limit),
            Order::Recency => search.newest(query.filter.limit),
        };
        let best = ranked.iter().map(|ranked| ranked.covered).fold(0.0, f64::max);
        let outcome = match ranked.len() {
            0 => SearchOutcome::Empty,
            _ if best < WEAK && plan.required.is_none() => SearchOutcome::Weak,
            _ => SearchOutcome::Hit,
        };
        let hits = ranked.into_iter().filter_map(|ranked| {
            let memory = memory(self.index.row(ranked.number))?.clone();
            Some(Hit { memory, score: ranked.score, why: ranked.why })
        });
        Found { outcome, hits: hits.collect() }
    }
}
