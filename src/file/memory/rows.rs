//! What the file says, in memory: the rows, the profile, and the index.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::facts::{self, FactIndex, Stated};
use super::learnings::Learnings;
use super::record::{Change, Record, VERSION};
use crate::base::access::{Actor, Scope};
use crate::base::error::{At, Error, Refusal, Result, corrupt};
use crate::base::name::StateName;
use crate::disk::mark::Mark;
use crate::disk::{Disk, DiskFile, Open, STATE_FOLDER, Stat, atomic};
use crate::facts::{ConsolidationEvent, EventOutcome, Fact};
use crate::gate::Tombstones;
use crate::memory::{
    AuditEntry, Filter, Found, Hit, Memory, MemoryId, NewMemory, Query, SnapshotRow, Syntax,
};
use crate::search::rank::{Card, Entities, Index, Plan, Ranking, Row, Search, Sight};
use crate::store::fact;
use crate::store::forget::Burial;

/// The rows of a file, as far as it was read.
#[derive(Default)]
pub(super) struct Rows {
    by_id: BTreeMap<MemoryId, Stored>,
    /// The rows that stand, by when they were last touched.
    by_time: BTreeSet<(DateTime<Utc>, MemoryId)>,
    /// Those that are pinned, deleted ones included.
    pinned: BTreeSet<MemoryId>,
    profile: BTreeMap<String, String>,
    pub(super) learnings: Learnings,
    index: Index,
    pub(super) fact_index: FactIndex,
    forgotten: Option<Arc<Tombstones>>,
    last_id: i64,
    /// Whether the line was read that says whose the file is.
    is_owned: bool,
    file: Option<Held>,
    read_to: u64,
    lines: usize,
    /// The last line has no end: it is being written, a crash left it, or an editor.
    torn: bool,
    /// A change failed, and nobody knows what of it the disk holds.
    doubtful: bool,
}

/// The file that was read. It is held open: as long as it is, no other file has its number.
struct Held {
    file: Box<dyn DiskFile>,
    id: (u64, u64),
    /// Whether its name is durable.
    settled: bool,
}

/// A row, what it says as a fact, and whether it is deleted.
pub(super) struct Stored {
    pub(super) memory: Memory,
    pub(super) stated: Stated,
    /// Where it is pinned.
    pub(super) pinned_by: Option<Actor>,
    /// When, and by whom.
    deleted: Option<(DateTime<Utc>, Actor)>,
}

impl Rows {
    /// Reads what was added to the file since it was last read; all of it where it is another file.
    pub(super) fn catch_up(&mut self, disk: &dyn Disk, scope: &Scope) -> Result<()> {
        let name = StateName::MEMORIES;
        let stat = disk.stat(name.as_str()).at("look at", &*name)?;
        let held = self.file.as_ref().map(|held| held.id);
        let is_other = |stat: Stat| {
            // Where the system does not say which file it is, any change may be another one.
            let is_unknown = stat.id == (0, 0) && stat.len != self.read_to;
            held != Some(stat.id) || is_unknown || stat.len < self.read_to
        };
        if stat.is_none_or(is_other) {
            return self.read_anew(disk, scope);
        }
        if stat.is_some_and(|stat| stat.len == self.read_to) {
            return Ok(());
        }
        let bytes = self.read(self.read_to, u64::MAX)?;
        // A person may have changed what was read before.
        if self.take(&bytes, scope).is_err() { self.read_anew(disk, scope) } else { Ok(()) }
    }

    /// Reads the whole file, and compares it with its mark.
    fn read_anew(&mut self, disk: &dyn Disk, scope: &Scope) -> Result<()> {
        // Before the file: whoever changes that meanwhile writes the mark too.
        let mut mark = Mark::read(disk, StateName::MEMORIES_MARK.as_str());
        loop {
            self.reset();
            let bytes = if self.hold(disk)? { self.read(0, u64::MAX)? } else { Vec::new() };
            if let Err(error) = self.take(&bytes, scope) {
                // Not half of it: the next verb says the same.
                self.reset();
                return Err(error);
            }
            let whole = usize::try_from(self.read_to).map_or(&bytes[..], |to| &bytes[..to]);
            let Some(missed) = mark.filter(|mark| !mark.is_in(whole)) else { return Ok(()) };
            mark = Mark::read(disk, StateName::MEMORIES_MARK.as_str());
            if mark.as_ref() == Some(&missed) {
                let found = self.lines as u64;
                self.reset();
                return Err(Error::Shrunk {
                    name: StateName::MEMORIES.to_string(),
                    mark: StateName::MEMORIES_MARK.to_string(),
                    held: missed.held,
                    found,
                    of: "lines",
                });
            }
        }
    }

    fn reset(&mut self) {
        *self = Self { doubtful: self.doubtful, ..Self::default() };
    }

    /// Says beside the file that this line is its last. Where that cannot be written, the line counts all the same.
    fn mark(&self, disk: &dyn Disk, line: &[u8]) {
        let mark = Mark::new(self.lines as u64).with_line(line);
        let _ = mark.write(disk, StateName::MEMORIES_MARK.as_str());
    }

    /// Opens the file that has the name; `false` where there is none.
    fn hold(&mut self, disk: &dyn Disk) -> Result<bool> {
        let name = StateName::MEMORIES;
        let file = match disk.open(name.as_str(), Open::Read) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error).at("open", &*name),
        };
        let id = file.stat().at("look at", &*name)?.id;
        self.file = Some(Held { file, id, settled: false });
        Ok(true)
    }

    /// Reads the file from a place.
    fn read(&self, from: u64, len: u64) -> Result<Vec<u8>> {
        let Some(held) = &self.file else { return Ok(Vec::new()) };
        atomic::read_range(held.file.as_ref(), from, len).at("read", &*StateName::MEMORIES)
    }

    /// Adds a line: one append and one sync. Under the write guard, and caught up.
    pub(super) fn append(
        &mut self,
        disk: &dyn Disk,
        scope: &Scope,
        record: &Record,
        bound: Option<u64>,
    ) -> Result<()> {
        let mut lines = record.line();
        if !self.is_owned {
            lines.insert_str(0, &Record::opened(record.at, scope).line());
        }
        if record.change.adds() && bound.is_some_and(|bound| self.read_to + lines.len() as u64 > bound) {
            return Err(io::Error::from(ErrorKind::StorageFull)).at("append to", &*StateName::MEMORIES);
        }
        self.mend(disk)?;
        let added = self.add(disk, lines.as_bytes());
        let taken = added.and_then(|is_next| {
            if is_next { self.take(lines.as_bytes(), scope) } else { self.catch_up(disk, scope) }
        });
        self.doubtful |= taken.is_err();
        taken?;
        self.mark(disk, record.line().as_bytes());
        Ok(())
    }

    /// Makes bytes durable at the end of the file; whether they stand right behind what was read.
    fn add(&mut self, disk: &dyn Disk, bytes: &[u8]) -> Result<bool> {
        let name = StateName::MEMORIES;
        let path = name.as_str();
        let file = disk.open(path, Open::Append).at("open", path)?;
        let stat = file.stat().at("look at", path)?;
        let held = self.file.as_mut().filter(|held| held.id == stat.id && stat.len == self.read_to);
        if !held.as_ref().is_some_and(|held| held.settled) {
            // Also where the file stood: whoever made it may have been killed before its name was durable.
            atomic::sync_folders_of(disk, path)?;
        }
        file.append(bytes).at("append to", path)?;
        file.sync().map_err(atomic::unsynced).at("sync", path)?;
        let is_next = held.is_some();
        if let Some(held) = held {
            held.settled = true;
        }
        Ok(is_next)
    }

    /// Writes the whole lines anew where something else may stand there: what a crash left of an unfinished one, or
    /// what failed to become durable. Under the write guard: else it may be a line that is being written.
    fn mend(&mut self, disk: &dyn Disk) -> Result<()> {
        if (self.torn || self.doubtful) && self.file.is_some() {
            let mut whole = self.read(0, self.read_to)?;
            if whole.last().is_some_and(|last| *last != b'\n') {
                whole.push(b'\n');
            }
            self.replace(disk, &whole)?;
        }
        Ok(())
    }

    /// Puts other bytes in the place of the file, which say the same.
    fn replace(&mut self, disk: &dyn Disk, bytes: &[u8]) -> Result<()> {
        let replaced =
            atomic::replace(disk, StateName::MEMORIES.as_str(), bytes).and_then(|()| self.hold(disk));
        self.doubtful |= replaced.is_err();
        replaced?;
        if let Some(held) = &mut self.file {
            held.settled = true;
        }
        (self.torn, self.doubtful, self.read_to) = (false, false, bytes.len() as u64);
        Ok(())
    }

    /// Writes the file anew without the words of these rows, each line in its place, and with a line that says so.
    pub(super) fn purge(
        &mut self,
        disk: &dyn Disk,
        scope: &Scope,
        record: Record,
        gone: &[MemoryId],
    ) -> Result<()> {
        self.rewrite(disk, scope, record, |line| line.forgetting(gone))
    }

    /// As [`purge`](Self::purge), and without the statement in any other line; returns in how many it stood.
    pub(super) fn forget(
        &mut self,
        disk: &dyn Disk,
        scope: &Scope,
        record: Record,
        gone: &[MemoryId],
        burial: &Burial,
    ) -> Result<u64> {
        if !self.is_owned {
            return self.append(disk, scope, &record, None).map(|()| 0);
        }
        let mut struck = 0;
        self.rewrite(disk, scope, record, |line| {
            let is_told_apart = matches!(line.change, Change::Profile { .. } | Change::Learned { .. });
            let without = line.clone().forgetting(gone);
            let elsewhere = without.clone().unwrap_or(line).struck(&|text| burial.holds(text));
            struck += u64::from(elsewhere.is_some() && !is_told_apart);
            elsewhere.or(without)
        })?;
        Ok(struck)
    }

    /// Writes the file anew, where lines are to read otherwise, with one line more.
    fn rewrite(
        &mut self,
        disk: &dyn Disk,
        scope: &Scope,
        record: Record,
        mut otherwise: impl FnMut(Record) -> Option<Record>,
    ) -> Result<()> {
        let bytes = self.read(0, self.read_to)?;
        sweep(disk, &bytes)?;
        let mut kept = Vec::with_capacity(bytes.len());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let forgotten = parsed(line, 0).ok().and_then(&mut otherwise);
            match forgotten {
                Some(record) => kept.extend_from_slice(record.line().as_bytes()),
                None => kept.extend_from_slice(line),
            }
        }
        if kept.last().is_some_and(|last| *last != b'\n') {
            kept.push(b'\n');
        }
        let line = record.line();
        kept.extend_from_slice(line.as_bytes());
        // Of the file before and of the one after, since either may be there after a crash.
        let mut mark = Mark::new(self.lines as u64 + 1).with_line(line.as_bytes());
        if let Some(last) = bytes.split(|byte| *byte == b'\n').rfind(|line| !line.trim_ascii().is_empty()) {
            mark = mark.with_line(last);
        }
        mark.write_durably(disk, StateName::MEMORIES_MARK.as_str())?;
        self.replace(disk, &kept)?;
        self.lines += 1;
        self.mark(disk, line.as_bytes());
        self.apply(record, scope)
    }

    /// The latest lines of the audit first.
    pub(super) fn audit(&self, limit: usize) -> Result<Vec<AuditEntry>> {
        let bytes = self.read(0, self.read_to)?;
        let mut entries = Vec::new();
        let lines: Vec<_> = bytes.split(|byte| *byte == b'\n').enumerate().collect();
        for (at, line) in lines.into_iter().rev().filter(|(_, line)| !line.trim_ascii().is_empty()) {
            if entries.len() >= limit {
                break;
            }
            entries.extend(parsed(line, at + 1)?.entries());
        }
        entries.truncate(limit);
        Ok(entries)
    }

    /// Takes in what stands behind what was read.
    fn take(&mut self, bytes: &[u8], scope: &Scope) -> Result<()> {
        self.torn = false;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let number = self.lines + 1;
            let is_whole = line.ends_with(b"\n");
            match parsed(line, number) {
                Ok(record) => self.apply(record, scope)?,
                Err(_) if line.trim_ascii().is_empty() => {}
                // What a crash, or a writer that is at it, leaves of a line: its beginning, or zeros.
                Err(_) if !is_whole && matches!(line[0], b'{' | 0) => {
                    self.torn = true;
                    break;
                }
                Err(error) => return Err(error),
            }
            self.lines = number;
            self.read_to += line.len() as u64;
            // A person's editor may have left out the end of the last line.
            self.torn = !is_whole;
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
        let (at, actor) = (record.at, record.actor);
        if !self.is_owned && !matches!(record.change, Change::Opened { .. }) {
            return Err(Error::Corrupt {
                name: StateName::MEMORIES.to_string(),
                line: self.lines + 1,
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
                self.check_id(id.get())?;
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
                    self.check_id(event.id.get())?;
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
                self.check_id(id.get())?;
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

    /// Refuses an id that no store gives, and behind which there is none.
    fn check_id(&self, id: i64) -> Result<()> {
        if (1..i64::MAX).contains(&id) {
            return Ok(());
        }
        Err(Error::Corrupt {
            name: StateName::MEMORIES.to_string(),
            line: self.lines + 1,
            column: 0,
            what: "an id is out of range",
        })
    }

    /// Carries out an event.
    fn rule(&mut self, event: ConsolidationEvent) {
        if event.outcome == EventOutcome::Applied {
            for change in &event.changes {
                self.hide(change.id);
                if let Some(stored) = self.by_id.get_mut(&change.id) {
                    self.fact_index.set(stored, false);
                    stored.stated.status = Some(change.after);
                    self.fact_index.set(stored, true);
                }
                self.show(change.id);
            }
        }
        if let Some((older, newer)) = facts::restated(&event)
            && let Some(again) = self.by_id.get(&newer).map(|stored| stored.memory.created_at)
        {
            self.hide(older);
            if let Some(stored) = self.by_id.get_mut(&older) {
                stored.memory.updated_at = stored.memory.updated_at.max(again);
            }
            self.show(older);
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

    /// What was forgotten.
    pub(super) fn forgotten(&self) -> Option<&Arc<Tombstones>> {
        self.forgotten.as_ref()
    }

    /// The rows that say it, deleted and retired ones too.
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

    /// A row that was deleted at this time or later.
    pub(super) fn deleted_since(&self, id: MemoryId, cutoff: DateTime<Utc>) -> Option<&Stored> {
        self.by_id.get(&id).filter(|stored| stored.deleted.is_some_and(|(at, _)| at >= cutoff))
    }

    /// A row that is not deleted, retired or not.
    pub(super) fn undeleted(&self, id: MemoryId) -> Option<&Stored> {
        self.by_id.get(&id).filter(|stored| stored.deleted.is_none())
    }

    /// Such a row as a fact.
    pub(super) fn fact(&self, id: MemoryId) -> Option<Fact> {
        let Stored { memory, stated, .. } = self.undeleted(id)?;
        Some(fact::fact(memory.clone(), stated.about.clone(), stated.valid_from, stated.status))
    }

    /// Those that a row replaced, by id.
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

    pub(super) fn get(&self, id: MemoryId, sight: Sight) -> Option<&Memory> {
        let stored = self.undeleted(id).filter(|stored| !stored.stated.is_retired())?;
        (sight == Sight::All || stored.memory.shared).then_some(&stored.memory)
    }

    /// The newest rows first.
    pub(super) fn list(&self, filter: &Filter, sight: Sight) -> Vec<&Memory> {
        if !filter.retired {
            let rows = self.by_time.iter().rev().filter_map(|(_, id)| self.get(*id, sight));
            return rows.filter(|memory| filter.takes(memory)).take(filter.limit).collect();
        }
        let rows = self.by_id.values().filter(|stored| stored.deleted.is_none()).map(|stored| &stored.memory);
        let is_seen = |memory: &&Memory| (sight == Sight::All || memory.shared) && filter.takes(memory);
        let mut rows: Vec<_> = rows.filter(is_seen).collect();
        rows.sort_by_key(|memory| std::cmp::Reverse((memory.updated_at, memory.id)));
        rows.truncate(filter.limit);
        rows
    }

    /// The row of the same dream that has these words, and whether it comes back with them.
    pub(super) fn promoted(&self, new: &NewMemory) -> Option<(MemoryId, bool)> {
        new.dream.as_ref()?;
        let is_same =
            |stored: &&Stored| stored.memory.dream == new.dream && stored.memory.content == new.content;
        let standing = self.by_id.values().filter(is_same).min_by_key(|stored| stored.deleted.is_some())?;
        let is_back = standing.deleted.is_some_and(|(_, actor)| actor == Actor::Library);
        Some((standing.memory.id, is_back))
    }

    /// The rows of a prompt: the pinned ones before the others.
    pub(super) fn snapshot(&self, limit: usize, sight: Sight) -> Vec<SnapshotRow> {
        let is_told = |memory: &&Memory| memory.is_trusted() && !self.fact_index.waits(memory.id);
        let mut pinned: Vec<_> =
            self.pinned.iter().filter_map(|id| self.get(*id, sight)).filter(is_told).collect();
        pinned.sort_by_key(|memory| std::cmp::Reverse((memory.updated_at, memory.id)));
        let rest = self.by_time.iter().rev().filter_map(|(_, id)| self.get(*id, sight));
        let rest = rest.filter(|memory| is_told(memory) && !memory.pinned);
        let row = |memory: &Memory| {
            SnapshotRow::new(memory.id, memory.category.clone(), memory.content.clone(), memory.pinned)
        };
        pinned.into_iter().chain(rest).take(limit).map(row).collect()
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
        let (outcome, ranked) = search.run(query.order, query.filter.limit);
        let hits = ranked.into_iter().filter_map(|ranked| {
            let memory = memory(self.index.row(ranked.number))?.clone();
            Some(Hit { memory, score: ranked.score, why: ranked.why })
        });
        Found { outcome, hits: hits.collect() }
    }
}

/// Removes copies of the file that killed processes left unfinished: what is purged stands in them too. Other
/// unfinished files are left to the next claim.
fn sweep(disk: &dyn Disk, file: &[u8]) -> Result<()> {
    let first = file.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    for entry in disk.list(STATE_FOLDER).at("list", STATE_FOLDER)? {
        let path = format!("{STATE_FOLDER}/{}", entry.name);
        if atomic::is_temporary(&entry.name)
            && atomic::read(disk, &path, first.len() as u64)?.is_some_and(|copy| copy.starts_with(first))
        {
            atomic::remove(disk, &path)?;
        }
    }
    Ok(())
}

/// Parses a line; the error says which one is damaged.
fn parsed(line: &[u8], number: usize) -> Result<Record> {
    // Some editors put a byte order mark in front.
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    serde_json::from_slice(line).map_err(|error| {
        let Error::Corrupt { name, column, what, .. } = corrupt(StateName::MEMORIES.as_str(), &error) else {
            unreachable!("it makes nothing else");
        };
        Error::Corrupt { name, line: number, column, what }
    })
}
