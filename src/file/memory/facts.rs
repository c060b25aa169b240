//! The index of rows as facts, beside the rows. Events are read from their lines.

use chrono::{DateTime, Utc};

use super::entry::{Entry, HAS_KEY, fixed, put_state, put_time, read_state, read_time};
use super::reader::Reader;
use super::span::Span;
use crate::base::error::Result;
use crate::base::order;
use crate::base::sorted::{SortedMap, SortedSet};
use crate::facts::{
    ConsolidationEvent, EventId, EventOutcome, FactState, FactStatus, Suspect, SuspectReason, Verdict,
};
use crate::memory::MemoryId;
use crate::search::postings::bits::{Input, put, put_signed};
use crate::search::postings::{Error, Result as Read};
use crate::store::echo::EchoWord;
use crate::store::event;

/// The index of rows as facts, beside the rows.
#[derive(Default)]
pub(super) struct FactIndex {
    /// Rows by the hash of their key.
    by_key: SortedMap<(u32, MemoryId), ()>,
    pending: SortedMap<MemoryId, ()>,
    /// The statuses that have more than a state.
    statuses: SortedMap<MemoryId, FactStatus>,
    /// The pairs that somebody decided on, the lesser id first, and the event that did.
    closed: SortedMap<(MemoryId, MemoryId), EventId>,
    told: Vec<Told>,
    last_event: i64,
    /// Rows by words of their keys, and retired ones by what they say; by id.
    echoes: SortedMap<EchoWord, Vec<MemoryId>>,
    /// Rows and those that may contradict them, each pair from both sides.
    suspects: SortedMap<(MemoryId, MemoryId), SuspectReason>,
}

/// An event without its words.
#[derive(Debug, Clone, Copy)]
pub(super) struct Told {
    pub(super) id: EventId,
    pub(super) at: DateTime<Utc>,
    /// The line, and the place of the event in it.
    pub(super) line: Span,
    nth: u32,
    /// The pair that it decides on.
    pair: Option<(MemoryId, MemoryId)>,
    /// How many facts it retired.
    pub(super) retired: u32,
}

impl FactIndex {
    /// Takes a row in, or out.
    pub(super) fn set(&mut self, entry: &Entry, comes: bool) {
        if entry.has(HAS_KEY) {
            let key = (entry.key, entry.id);
            if comes {
                self.by_key.insert(key, ());
            } else {
                self.by_key.remove(&key);
            }
        }
        if comes && entry.state == Some(FactState::Pending) {
            self.pending.insert(entry.id, ());
        } else {
            self.pending.remove(&entry.id);
        }
    }

    /// Keeps the status of a row; its state is in the entry.
    pub(super) fn set_status(&mut self, id: MemoryId, status: Option<FactStatus>) {
        match status.filter(|status| *status != FactStatus::standing(status.state)) {
            Some(status) => self.statuses.insert(id, status),
            None => self.statuses.remove(&id),
        };
    }

    /// Returns the status of a row.
    pub(super) fn status(&self, entry: &Entry) -> Option<FactStatus> {
        entry.state.map(|state| self.statuses.get(&entry.id).copied().unwrap_or(FactStatus::standing(state)))
    }

    /// Returns the facts that wait, deleted ones included.
    pub(super) fn pending(&self) -> impl Iterator<Item = MemoryId> {
        self.pending.keys().copied()
    }

    /// Lets a pair be undecided again.
    pub(super) fn reopen(&mut self, one: MemoryId, other: MemoryId) {
        self.closed.remove(&ordered(one, other));
    }

    /// Returns whether somebody decided on a pair.
    pub(super) fn is_closed(&self, one: MemoryId, other: MemoryId) -> bool {
        self.closed.contains_key(&ordered(one, other))
    }

    /// Keeps what a new row may contradict.
    pub(super) fn suspect(&mut self, id: MemoryId, suspects: &[Suspect]) {
        for suspect in suspects {
            self.suspects.insert((id, suspect.id), suspect.reason);
            self.suspects.insert((suspect.id, id), suspect.reason);
        }
    }

    /// Returns the rows that make an undecided pair with one, whatever became of them.
    pub(super) fn open_suspects(&self, id: MemoryId) -> impl Iterator<Item = (MemoryId, SuspectReason)> {
        let range = (id, MemoryId::new(i64::MIN))..=(id, MemoryId::new(i64::MAX));
        let of_row = self.suspects.range(range).map(|((_, other), reason)| (*other, *reason));
        of_row.filter(move |(other, _)| !self.is_closed(id, *other))
    }

    /// Lists a row by words of its key, or of what it said before it was retired.
    pub(super) fn echo(&mut self, id: MemoryId, words: SortedSet<EchoWord>) {
        for word in words {
            let ids = self.echoes.entry(word).or_default();
            if let Err(at) = ids.binary_search(&id) {
                ids.insert(at, id);
            }
        }
    }

    /// Returns the rows that are listed by a word, by id.
    pub(super) fn echoes(&self, word: EchoWord) -> &[MemoryId] {
        self.echoes.get(&word).map_or(&[], Vec::as_slice)
    }

    /// Forgets rows that are gone for good.
    pub(super) fn forget(&mut self, gone: &SortedSet<MemoryId>) {
        if !gone.is_empty() {
            self.echoes.retain(|_, ids| {
                order::retain(ids, |id| !gone.contains(id));
                !ids.is_empty()
            });
            self.suspects.retain(|(one, other), _| !gone.contains(one) && !gone.contains(other));
        }
        self.closed.retain(|(one, other), _| !gone.contains(one) && !gone.contains(other));
    }

    pub(super) fn next_event(&self) -> EventId {
        EventId::new(self.last_event + 1)
    }

    /// Takes an event in, which is in a line.
    pub(super) fn tell(
        &mut self,
        event: &ConsolidationEvent,
        (line, nth): (Span, u32),
        reader: &Reader<'_>,
    ) -> Result<()> {
        let pair = event::pair(event);
        let retired = u32::try_from(event::retired_by(event)).unwrap_or(u32::MAX);
        self.told.push(Told { id: event.id, at: event.at, line, nth, pair, retired });
        self.last_event = self.last_event.max(event.id.get());
        let Some((one, other)) = pair else { return Ok(()) };
        let decided = if event.reverts.is_some() {
            let of_pair = |told: &&Told| {
                told.pair.is_some_and(|(two, others)| ordered(two, others) == ordered(one, other))
            };
            let told: Vec<Told> = self.told.iter().filter(of_pair).copied().collect();
            event::decided(read(&told, reader)?.iter())
        } else {
            Some(event.id)
        };
        match decided {
            Some(decided) => self.closed.insert(ordered(one, other), decided),
            None => self.closed.remove(&ordered(one, other)),
        };
        Ok(())
    }

    /// Returns the events in their order.
    pub(super) fn told(&self) -> &[Told] {
        &self.told
    }

    /// Returns the rows with the hash of a key, by id.
    pub(super) fn of_key(&self, key: u32) -> impl Iterator<Item = MemoryId> {
        let range = (key, MemoryId::new(i64::MIN))..=(key, MemoryId::new(i64::MAX));
        self.by_key.range(range).map(|((_, id), ())| *id)
    }

    /// Returns the rows that another one replaced, by id.
    pub(super) fn replaced_by(&self, id: MemoryId) -> impl Iterator<Item = MemoryId> {
        self.statuses.iter().filter(move |(_, status)| status.successor == Some(id)).map(|(id, _)| *id)
    }

    /// Returns the rows that another one replaced, by id.
    pub(super) fn replaced(&self) -> impl Iterator<Item = MemoryId> {
        self.statuses.iter().filter(|(_, status)| status.successor.is_some()).map(|(id, _)| *id)
    }

    /// Moves the records of lines to their places in a file that was written anew.
    pub(super) fn move_lines(&mut self, moved: impl Fn(Span) -> Span) {
        self.told.iter_mut().for_each(|told| told.line = moved(told.line));
    }

    /// Writes what is not known of the rows.
    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put(out, self.statuses.len() as u64);
        for (id, status) in &self.statuses {
            put_signed(out, id.get());
            put_state(out, status.state);
            let FactStatus { successor, valid_until, retired_at, .. } = status;
            let has = [successor.is_some(), valid_until.is_some(), retired_at.is_some()];
            put(out, has.iter().zip(0..).fold(0, |bits, (has, at)| bits | u64::from(*has) << at));
            if let Some(id) = successor {
                put_signed(out, id.get());
            }
            for time in [valid_until, retired_at].into_iter().flatten() {
                put_time(out, *time, DateTime::UNIX_EPOCH);
            }
        }
        put(out, self.closed.len() as u64);
        for ((one, other), event) in &self.closed {
            for number in [one.get(), other.get(), event.get()] {
                put_signed(out, number);
            }
        }
        put(out, self.told.len() as u64);
        let (mut line, mut at, mut id) = (Span::default(), DateTime::UNIX_EPOCH, 0);
        for told in &self.told {
            put_signed(out, told.id.get() - id);
            put_time(out, told.at, at);
            told.line.put(out, line.at);
            put(out, told.nth.into());
            put(out, u64::from(told.retired) << 1 | u64::from(told.pair.is_some()));
            if let Some((one, other)) = told.pair {
                put_signed(out, one.get());
                put_signed(out, other.get());
            }
            (line, at, id) = (told.line, told.at, told.id.get());
        }
        put_signed(out, self.last_event);
        put(out, self.echoes.len() as u64);
        for (word, ids) in &self.echoes {
            out.extend_from_slice(&word.0.to_le_bytes());
            put(out, ids.len() as u64);
            let mut before = 0;
            for id in ids {
                put_signed(out, id.get() - before);
                before = id.get();
            }
        }
        let pairs = || self.suspects.iter().filter(|((one, other), _)| one < other);
        put(out, pairs().count() as u64);
        for ((one, other), reason) in pairs() {
            put_signed(out, one.get());
            put_signed(out, other.get());
            put(out, u64::from(*reason == SuspectReason::SameKey));
        }
    }

    pub(super) fn read(input: &mut Input<'_>) -> Read<Self> {
        let mut index = Self::default();
        for _ in 0..input.count()? {
            let (id, mut status) = (MemoryId::new(input.signed()?), FactStatus::standing(read_state(input)?));
            let has = input.number()?;
            if has & 1 > 0 {
                status.successor = Some(MemoryId::new(input.signed()?));
            }
            if has & 2 > 0 {
                status.valid_until = Some(read_time(input, DateTime::UNIX_EPOCH)?);
            }
            if has & 4 > 0 {
                status.retired_at = Some(read_time(input, DateTime::UNIX_EPOCH)?);
            }
            index.statuses.insert(id, status);
        }
        for _ in 0..input.count()? {
            let pair = (MemoryId::new(input.signed()?), MemoryId::new(input.signed()?));
            index.closed.insert(pair, EventId::new(input.signed()?));
        }
        let (mut line, mut at, mut id) = (Span::default(), DateTime::UNIX_EPOCH, 0_i64);
        for _ in 0..input.count()? {
            id = id.checked_add(input.signed()?).ok_or(Error::Damaged("an event has too great a number"))?;
            at = read_time(input, at)?;
            line = Span::read(input, line.at)?;
            let (nth, rest) = (input.narrow()?, input.number()?);
            let pair = if rest & 1 > 0 {
                Some((MemoryId::new(input.signed()?), MemoryId::new(input.signed()?)))
            } else {
                None
            };
            let retired = u32::try_from(rest >> 1).unwrap_or(u32::MAX);
            index.told.push(Told { id: EventId::new(id), at, line, nth, pair, retired });
        }
        index.last_event = input.signed()?;
        for _ in 0..input.count()? {
            let word = EchoWord(u64::from_le_bytes(fixed(input)?));
            let mut ids = Vec::new();
            let mut before = 0_i64;
            for _ in 0..input.count()? {
                let by = input.signed()?;
                before = before.checked_add(by).ok_or(Error::Damaged("a row has too great a number"))?;
                ids.push(MemoryId::new(before));
            }
            index.echoes.insert(word, ids);
        }
        for _ in 0..input.count()? {
            let (one, other) = (MemoryId::new(input.signed()?), MemoryId::new(input.signed()?));
            let reason = if input.number()? > 0 { SuspectReason::SameKey } else { SuspectReason::Alike };
            index.suspect(one, &[Suspect { id: other, reason }]);
        }
        Ok(index)
    }
}

fn ordered(one: MemoryId, other: MemoryId) -> (MemoryId, MemoryId) {
    (one.min(other), one.max(other))
}

/// Reads events, in their order; a line that has several is read once.
pub(super) fn read(told: &[Told], reader: &Reader<'_>) -> Result<Vec<ConsolidationEvent>> {
    let mut events = Vec::with_capacity(told.len());
    for of_line in told.chunk_by(|one, other| one.line == other.line) {
        let mut of_file: Vec<_> = reader.events(of_line[0].line)?.into_iter().map(Some).collect();
        let nth = of_line.iter().filter_map(|told| of_file.get_mut(told.nth as usize)?.take());
        events.extend(nth);
    }
    Ok(events)
}

/// Returns the row that was stated again by a fact that settled.
pub(super) fn restated(event: &ConsolidationEvent) -> Option<(MemoryId, MemoryId)> {
    let is_settled = event.verdict == Verdict::Settle && event.outcome == EventOutcome::Applied;
    is_settled.then_some(event.older.zip(event.newer)).flatten()
}
