//! The rows of the file, without their texts: what is needed to find them, and to know their state.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::edges;
use super::entry::{DELETED, Entry, PINNED, SHARED, TRUSTED};
use super::facts::FactIndex;
use super::keeper::Keeper;
use super::learnings::Learnings;
use super::moved::Moved;
use super::names::{NONE, NameNo, Names};
use super::practised::Practised;
use super::reader::Reader;
use super::row::Stored;
use super::span::Span;
use super::words::Words;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::format::DreamId;
use crate::gate::Tombstones;
use crate::learning::Method;
use crate::memory::{Filter, Memory, MemoryId, SnapshotRow, Stale};
use crate::search::rank::{REACH, Visibility, is_name};
use crate::search::with_card;
use crate::store::forget::Burial;
use crate::store::parts::Doubles;

/// The rows of a file, as far as it was read.
pub(super) struct Rows {
    /// By id.
    pub(super) entries: Vec<Entry>,
    /// The rows that are not deleted, by when they were last touched.
    pub(super) by_time: SortedMap<(DateTime<Utc>, MemoryId), ()>,
    /// Pinned rows, deleted ones included, and who pinned them.
    pub(super) pins: SortedMap<MemoryId, Actor>,
    /// When a row was deleted, and by whom.
    pub(super) deleted: SortedMap<MemoryId, (DateTime<Utc>, Actor)>,
    pub(super) dreams: SortedMap<(NameNo, MemoryId), ()>,
    /// The rows of each conversation that are not deleted, by position and id, and whether they are shared.
    pub(super) conversations: HashMap<NameNo, Vec<(u64, MemoryId, bool)>>,
    /// The lines with the present content of rows that were changed.
    pub(super) edits: SortedMap<MemoryId, Span>,
    /// The lines with text, except those of rows, in the order of the file.
    pub(super) others: Vec<Other>,
    /// Categories, sources, origins and dreams.
    pub(super) names: Names,
    /// Conversations and speakers.
    pub(super) places: Names,
    pub(super) profile: SortedMap<String, String>,
    pub(super) learnings: Learnings,
    pub(super) practised: Practised,
    pub(super) fact_index: FactIndex,
    pub(super) edges: edges::Held,
    pub(super) forgotten: Option<Arc<Tombstones>>,
    pub(super) words: RefCell<Words>,
    pub(super) moved: Moved,
    pub(super) keeper: Keeper,
    pub(super) last_id: i64,
    /// Whether the line with the owner of the file was read.
    pub(super) is_owned: bool,
}

/// A line that says something beside the rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Other {
    pub(super) line: Span,
    /// Of its text.
    pub(super) signature: u64,
    /// The row whose content it has.
    pub(super) of: Option<MemoryId>,
}

impl Rows {
    /// Makes a table without rows.
    pub(super) fn over(keeper: &Keeper) -> Self {
        Self {
            entries: Vec::new(),
            by_time: SortedMap::new(),
            pins: SortedMap::new(),
            deleted: SortedMap::new(),
            dreams: SortedMap::new(),
            conversations: HashMap::new(),
            edits: SortedMap::new(),
            others: Vec::new(),
            names: Names::default(),
            places: Names::default(),
            profile: SortedMap::new(),
            learnings: Learnings::default(),
            practised: Practised::default(),
            fact_index: FactIndex::default(),
            edges: edges::Held::default(),
            forgotten: None,
            words: RefCell::new(Words::over(keeper.disk.clone())),
            moved: Moved::default(),
            keeper: keeper.clone(),
            last_id: 0,
            is_owned: false,
        }
    }

    /// Returns the place of a row among all, or where it would be.
    pub(super) fn place(&self, id: MemoryId) -> std::result::Result<usize, usize> {
        let (Some(first), Some(last)) = (self.entries.first(), self.entries.last()) else { return Err(0) };
        if id > last.id {
            return Err(self.entries.len());
        }
        // Most often no row before it is gone.
        let guess = usize::try_from(id.get().saturating_sub(first.id.get())).unwrap_or_default();
        match self.entries.get(guess) {
            Some(entry) if entry.id == id => Ok(guess),
            _ => self.entries.binary_search_by_key(&id, |entry| entry.id),
        }
    }

    /// Returns a row, whatever became of it.
    pub(super) fn entry(&self, id: MemoryId) -> Option<&Entry> {
        self.place(id).ok().map(|at| &self.entries[at])
    }

    pub(super) fn entry_mut(&mut self, id: MemoryId) -> Option<&mut Entry> {
        self.place(id).ok().map(|at| &mut self.entries[at])
    }

    /// Returns a row that is not deleted, retired or not.
    pub(super) fn undeleted(&self, id: MemoryId) -> Option<&Entry> {
        self.entry(id).filter(|entry| !entry.has(DELETED))
    }

    /// Returns a row that is not deleted and in sight.
    pub(super) fn seen(&self, id: MemoryId, visibility: Visibility) -> Option<&Entry> {
        self.entry(id).filter(|entry| entry.stands() && visibility.sees(entry.has(SHARED)))
    }

    /// Returns the revision of a row that is not deleted and in sight.
    pub(super) fn revision(&self, id: i64, visibility: Visibility) -> Option<u64> {
        self.seen(MemoryId::new(id), visibility).map(|entry| entry.revision)
    }

    /// Reads a row with its text.
    pub(super) fn stored(&self, entry: &Entry, reader: &Reader<'_>) -> Result<Stored> {
        reader.row(entry, self.edits.get(&entry.id).copied(), self.fact_index.status(entry))
    }

    pub(super) fn memory(&self, entry: &Entry, reader: &Reader<'_>) -> Result<Memory> {
        Ok(self.stored(entry, reader)?.memory)
    }

    /// Reads the text of a row.
    pub(super) fn content(&self, entry: &Entry, reader: &Reader<'_>) -> Result<String> {
        reader.content(entry, self.edits.get(&entry.id).copied())
    }

    /// Lets a row be listed and found, unless it is deleted.
    pub(super) fn show(&mut self, id: MemoryId, reader: &Reader<'_>) -> Result<()> {
        let Some(entry) = self.entry(id).filter(|entry| entry.stands()) else { return Ok(()) };
        let memory = if self.words.borrow().is_lost { None } else { Some(self.memory(entry, reader)?) };
        self.show_as(id, memory.as_ref());
        Ok(())
    }

    /// As [`show`](Self::show), for a row that was read already.
    pub(super) fn show_as(&mut self, id: MemoryId, memory: Option<&Memory>) {
        let Some(entry) = self.entry(id).filter(|entry| entry.stands()) else { return };
        let (updated, conversation) = (entry.updated, entry.conversation);
        let place = (entry.position, id, entry.has(SHARED));
        self.by_time.insert((updated, id), ());
        self.moved.push(id.get());
        if conversation != NONE {
            let rows = self.conversations.entry(conversation).or_default();
            let at = rows.partition_point(|there| *there < place);
            if rows.get(at) != Some(&place) {
                rows.insert(at, place);
            }
        }
        match memory {
            Some(memory) => with_card(memory, |card| self.words.get_mut().add(card)),
            None => self.words.get_mut().is_lost = true,
        }
    }

    /// Takes a row out of lists and searches; `false` where it is in none.
    pub(super) fn hide(&mut self, id: MemoryId, reader: &Reader<'_>) -> Result<bool> {
        let Some(entry) = self.entry(id) else { return Ok(false) };
        let key = (entry.updated, id);
        if !self.by_time.contains_key(&key) {
            return Ok(false);
        }
        let conversation = entry.conversation;
        if !self.words.borrow().is_lost {
            let memory = self.memory(entry, reader)?;
            with_card(&memory, |card| self.words.get_mut().remove(card));
        }
        self.by_time.remove(&key);
        self.moved.push(id.get());
        if let Some(rows) = self.conversations.get_mut(&conversation) {
            order::retain(rows, |(_, other, _)| *other != id);
        }
        Ok(true)
    }

    /// Takes a row out for good.
    pub(super) fn remove(&mut self, id: MemoryId, reader: &Reader<'_>) -> Result<()> {
        self.hide(id, reader)?;
        self.link(id, false, reader)?;
        let Ok(at) = self.place(id) else { return Ok(()) };
        let entry = self.entries.remove(at);
        self.words.get_mut().forget_fact(id);
        self.fact_index.set(&entry, false);
        self.fact_index.set_status(id, None);
        self.dreams.remove(&(entry.dream, id));
        self.deleted.remove(&id);
        self.pins.remove(&id);
        self.edits.remove(&id);
        Ok(())
    }

    /// Removes rows for good, with all records of them.
    pub(super) fn remove_all(&mut self, ids: &[MemoryId], reader: &Reader<'_>) -> Result<()> {
        ids.iter().try_for_each(|id| self.remove(*id, reader))?;
        self.fact_index.forget(&ids.iter().copied().collect());
        // Also where the extractor does not find again what it found.
        self.edges.get_mut().remove_all(ids);
        Ok(())
    }

    pub(super) fn set_pinned(&mut self, id: MemoryId, by: Option<Actor>) {
        let Some(entry) = self.entry_mut(id) else { return };
        entry.set(PINNED, by.is_some());
        // A pin of the human stays theirs.
        let is_theirs = self.pins.get(&id) == Some(&Actor::Human);
        match by {
            Some(by) => self.pins.insert(id, if is_theirs { Actor::Human } else { by }),
            None => self.pins.remove(&id),
        };
    }

    /// Returns the tombstones.
    pub(super) fn forgotten(&self) -> Option<&Arc<Tombstones>> {
        self.forgotten.as_ref()
    }

    /// Returns whether names of lines say a statement. Which lines have them is not known.
    pub(super) fn is_named(&self, burial: &Burial) -> bool {
        self.names.hold(burial) || self.places.hold(burial)
    }

    /// Takes the statement out of what is held of other lines.
    pub(super) fn strike(&mut self, burial: &Burial, doubles: &Doubles) {
        self.profile.retain(|key, value| !burial.holds(key) && burial.strike(value));
        self.learnings.strike(burial, doubles);
        self.practised.strike(burial, doubles);
    }

    /// Returns the methods and learnings that say the same as another one without the statement.
    pub(super) fn doubles(&self, burial: &Burial) -> Doubles {
        let methods: Vec<Method> = self.practised.methods.values().cloned().collect();
        Doubles::of(&methods, &self.learnings.latest(usize::MAX), burial)
    }

    pub(super) fn next_id(&self) -> MemoryId {
        MemoryId::new(self.last_id + 1)
    }

    /// Returns a row that was deleted at this time or later.
    pub(super) fn deleted_since(&self, id: MemoryId, cutoff: DateTime<Utc>) -> Option<&Entry> {
        self.entry(id).filter(|_| self.deleted.get(&id).is_some_and(|(at, _)| *at >= cutoff))
    }

    pub(super) fn deleted_before(&self, cutoff: DateTime<Utc>) -> Vec<MemoryId> {
        self.deleted.iter().filter(|(_, (at, _))| *at < cutoff).map(|(id, _)| *id).collect()
    }

    /// Reads a row that is not deleted and in sight.
    pub(super) fn get(
        &self,
        id: MemoryId,
        visibility: Visibility,
        reader: &Reader<'_>,
    ) -> Result<Option<Memory>> {
        self.seen(id, visibility).map(|entry| self.memory(entry, reader)).transpose()
    }

    /// Lists the rows that a filter takes, the newest first, whatever its limit.
    pub(super) fn list<'a>(
        &'a self,
        filter: &'a Filter,
        visibility: Visibility,
    ) -> Box<dyn Iterator<Item = &'a Entry> + 'a> {
        let is_taken = move |entry: &&Entry| entry.is_taken(filter, &self.names);
        if !filter.retired && !filter.deleted {
            let rows = self.by_time.keys().rev().filter_map(move |(_, id)| self.seen(*id, visibility));
            return Box::new(rows.filter(is_taken));
        }
        let is_seen =
            |entry: &&Entry| entry.has(DELETED) == filter.deleted && visibility.sees(entry.has(SHARED));
        let mut rows: Vec<_> = self.entries.iter().filter(is_seen).filter(is_taken).collect();
        order::sort_by_key(&mut rows, |entry| std::cmp::Reverse((entry.updated, entry.id)));
        Box::new(rows.into_iter())
    }

    /// Returns the row of a dream that has these words, and whether the library deleted it last.
    pub(super) fn promoted(
        &self,
        dream: &DreamId,
        content: &str,
        reader: &Reader<'_>,
    ) -> Result<Option<(MemoryId, bool)>> {
        let Some(dream) = self.names.known(dream.as_str()) else { return Ok(None) };
        let range = (dream, MemoryId::new(i64::MIN))..=(dream, MemoryId::new(i64::MAX));
        let mut standing: Option<&Entry> = None;
        for ((_, id), ()) in self.dreams.range(range) {
            let Some(entry) = self.entry(*id) else { continue };
            let is_better = standing.is_none_or(|other| !entry.has(DELETED) && other.has(DELETED));
            if is_better && self.content(entry, reader)? == content {
                standing = Some(entry);
            }
        }
        Ok(standing.map(|entry| {
            let deleted = self.deleted.get(&entry.id);
            (entry.id, deleted.is_some_and(|(_, actor)| *actor == Actor::Library))
        }))
    }

    /// Returns the rows of a prompt: the pinned ones before the others.
    pub(super) fn snapshot(
        &self,
        limit: usize,
        visibility: Visibility,
        participants: bool,
        reader: &Reader<'_>,
    ) -> Result<Vec<SnapshotRow>> {
        let is_told = |entry: &&Entry| entry.is_told(participants);
        let pinned = self.pins.keys().filter_map(|id| self.seen(*id, visibility));
        let mut pinned: Vec<_> = pinned.filter(is_told).collect();
        order::sort_by_key(&mut pinned, |entry| std::cmp::Reverse((entry.updated, entry.id)));
        let rest = self.by_time.keys().rev().filter_map(|(_, id)| self.seen(*id, visibility));
        let rest = rest.filter(|entry| entry.is_told(participants) && !entry.has(PINNED));
        let row = |entry: &Entry| -> Result<Option<SnapshotRow>> {
            let category = self.names.get(entry.category).unwrap_or_default();
            let said = reader.said(entry, self.edits.get(&entry.id).copied())?;
            let content = said.memory.content.clone();
            let mut shown = SnapshotRow::new(entry.id, category.to_owned(), content, entry.has(PINNED));
            shown.stale.extend(said.memory.stale_after().map(Stale::Over));
            if let Some(name) = said.memory.participant() {
                shown.participant = Some(name.to_owned());
            }
            let is_told = entry.has(TRUSTED) || shown.participant.is_some();
            Ok(is_told.then_some(shown))
        };
        let mut told = Vec::new();
        for entry in pinned.into_iter().chain(rest) {
            if told.len() == limit {
                break;
            }
            if let Some(row) = row(entry)? {
                told.push(row);
            }
        }
        Ok(told)
    }

    /// Returns the rows in sight right before and right behind a row in its conversation, at most [`REACH`] to each side.
    pub(super) fn beside(&self, id: MemoryId, visibility: Visibility) -> impl Iterator<Item = &Entry> {
        let entry = self.seen(id, visibility);
        let rows = entry.and_then(|entry| self.conversations.get(&entry.conversation));
        let rows = rows.map_or(&[][..], Vec::as_slice);
        let position = entry.map_or(0, |entry| entry.position);
        let at = rows.partition_point(|(there, other, _)| (*there, *other) < (position, id));
        let (before, behind) = rows.split_at(at);
        let is_seen =
            move |(_, other, shared): &&(u64, MemoryId, bool)| *other != id && visibility.sees(*shared);
        let before = before.iter().rev().filter(is_seen).take(REACH);
        let both = before.chain(behind.iter().filter(is_seen).take(REACH));
        both.filter_map(|(_, id, _)| self.entry(*id))
    }

    /// Leaves out names of places that no row uses now.
    pub(super) fn tidy_places(&mut self) {
        let before = std::mem::take(&mut self.places);
        let mut places = Names::default();
        let mut renamed = |number: NameNo| before.get(number).map_or(NONE, |name| places.number(name));
        let mut conversations = HashMap::new();
        for entry in &mut self.entries {
            let conversation = renamed(entry.conversation);
            if conversation != NONE
                && let Some(rows) = self.conversations.remove(&entry.conversation)
            {
                conversations.insert(conversation, rows);
            }
            (entry.conversation, entry.speaker) = (conversation, renamed(entry.speaker));
        }
        // Roles are nobody's names.
        before.iter().filter(|name| !is_name(name)).for_each(|name| {
            places.number(name);
        });
        (self.places, self.conversations) = (places, conversations);
    }
}
