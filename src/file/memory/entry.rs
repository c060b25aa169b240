//! A row without its text, as it is held in memory.

use chrono::{DateTime, Utc};

use super::names::{NONE, NameNo, Names};
use super::span::Span;
use crate::facts::FactState;
use crate::memory::{Filter, MemoryId};
use crate::search::postings::bits::{Input, number, put, put_signed};
use crate::search::postings::error::{Error, Result};
use crate::search::rank::Card;

/// A row without its text.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: MemoryId,
    /// The line that wrote it.
    pub(super) line: Span,
    pub(super) created: DateTime<Utc>,
    pub(super) updated: DateTime<Utc>,
    pub(super) category: NameNo,
    /// The conversation, the position in it, and who speaks.
    pub(super) conversation: NameNo,
    pub(super) position: u64,
    pub(super) speaker: NameNo,
    pub(super) dream: NameNo,
    /// The length of the content.
    pub(super) bytes: u32,
    /// The [signature](crate::gate::signature) of what its lines say, names apart.
    pub(super) signature: u64,
    /// Hashes of the normal form of what it states, and of its key; see [`STATES`] and [`HAS_KEY`].
    pub(super) normal: u32,
    pub(super) key: u32,
    pub(super) flags: u16,
    /// `None` where nothing was ever decided.
    pub(super) state: Option<FactState>,
}

pub(super) const SHARED: u16 = 1;
pub(super) const TRUSTED: u16 = 1 << 1;
/// It is the human's own word.
pub(super) const OWN: u16 = 1 << 2;
pub(super) const PINNED: u16 = 1 << 3;
pub(super) const DELETED: u16 = 1 << 4;
/// It has a normal form.
pub(super) const STATES: u16 = 1 << 5;
pub(super) const HAS_KEY: u16 = 1 << 6;
/// Its line names rows that it may contradict.
pub(super) const HAS_SUSPECTS: u16 = 1 << 7;
const IN_PLACE: u16 = 1 << 8;
const OF_DREAM: u16 = 1 << 9;
const TOUCHED: u16 = 1 << 10;
const ALL_FLAGS: u64 = (1 << 11) - 1;

const STATE: [Option<FactState>; 7] = [
    None,
    Some(FactState::Pending),
    Some(FactState::Candidate),
    Some(FactState::Verified),
    Some(FactState::Disputed),
    Some(FactState::Superseded),
    Some(FactState::Rejected),
];

impl Entry {
    pub(super) fn has(&self, flag: u16) -> bool {
        self.flags & flag > 0
    }

    pub(super) fn set(&mut self, flag: u16, on: bool) {
        if on { self.flags |= flag } else { self.flags &= !flag }
    }

    pub(super) fn is_retired(&self) -> bool {
        self.state.is_some_and(FactState::is_retired)
    }

    /// Returns whether it is listed and found.
    pub(super) fn stands(&self) -> bool {
        !self.has(DELETED) && !self.is_retired()
    }

    /// Returns whether a prompt may have it.
    pub(super) fn is_told(&self) -> bool {
        self.has(TRUSTED) && self.state != Some(FactState::Pending)
    }

    /// Returns whether a filter takes it, as [`Filter::takes`] says.
    pub(super) fn is_taken(&self, filter: &Filter, names: &Names) -> bool {
        let category = || names.get(self.category).unwrap_or_default();
        filter.category.as_ref().is_none_or(|asked| category().eq_ignore_ascii_case(asked))
            && filter.since.is_none_or(|since| self.updated >= since)
            && filter.until.is_none_or(|until| self.updated < until)
            && (!filter.trusted || self.has(TRUSTED))
            && (!filter.dreamed || self.dream != NONE)
    }

    /// Returns what a search knows of it; its text is empty.
    pub(super) fn card<'n>(&self, names: &'n Names, places: &'n Names) -> Card<'n> {
        Card {
            bytes: self.bytes,
            category: names.get(self.category).unwrap_or_default(),
            place: places.get(self.conversation).map(|name| (name, self.position)),
            speaker: places.get(self.speaker),
            own: self.has(OWN),
            shared: self.has(SHARED),
            touched: self.updated.timestamp_micros(),
            ..Card::of(self.id.get(), "")
        }
    }

    /// Writes it as it differs from the row before it.
    pub(super) fn put(&self, out: &mut Vec<u8>, before: Option<&Self>) {
        put_signed(out, self.id.get() - before.map_or(0, |before| before.id.get()));
        self.line.put(out, before.map_or(0, |before| before.line.end()));
        let mut flags = self.flags & !(IN_PLACE | OF_DREAM | TOUCHED);
        for (flag, on) in [
            (IN_PLACE, self.conversation != NONE),
            (OF_DREAM, self.dream != NONE),
            (TOUCHED, self.updated != self.created),
        ] {
            flags |= if on { flag } else { 0 };
        }
        put(out, flags.into());
        put_time(out, self.created, before.map_or(DateTime::UNIX_EPOCH, |before| before.created));
        if flags & TOUCHED > 0 {
            put_time(out, self.updated, self.created);
        }
        put(out, self.category.into());
        if flags & IN_PLACE > 0 {
            put(out, self.conversation.into());
            put(out, self.position);
            put(out, u64::from(self.speaker.wrapping_add(1)));
        }
        if flags & OF_DREAM > 0 {
            put(out, self.dream.into());
        }
        let state = STATE.iter().position(|state| *state == self.state).unwrap_or_default();
        put(out, u64::from(number(state)) | u64::from(self.bytes) << 3);
        out.extend_from_slice(&self.signature.to_le_bytes());
        for (flag, hash) in [(STATES, self.normal), (HAS_KEY, self.key)] {
            if flags & flag > 0 {
                out.extend_from_slice(&hash.to_le_bytes());
            }
        }
    }

    pub(super) fn read(input: &mut Input<'_>, before: Option<&Self>) -> Result<Self> {
        let id = input.signed()?.checked_add(before.map_or(0, |before| before.id.get()));
        let id = id.filter(|id| before.is_none_or(|before| before.id.get() < *id));
        let id = id.ok_or(Error::Damaged("rows do not ascend"))?;
        let line = Span::read(input, before.map_or(0, |before| before.line.end()))?;
        let flags = input.number()?;
        if flags > ALL_FLAGS {
            return Err(Error::Damaged("a row has an unknown flag"));
        }
        let flags = u16::try_from(flags).unwrap_or_default();
        let created = read_time(input, before.map_or(DateTime::UNIX_EPOCH, |before| before.created))?;
        let updated = if flags & TOUCHED > 0 { read_time(input, created)? } else { created };
        let category = input.narrow()?;
        let (mut conversation, mut position, mut speaker, mut dream) = (NONE, 0, NONE, NONE);
        if flags & IN_PLACE > 0 {
            (conversation, position) = (input.narrow()?, input.number()?);
            speaker = input.narrow()?.wrapping_sub(1);
        }
        if flags & OF_DREAM > 0 {
            dream = input.narrow()?;
        }
        let state = input.number()?;
        let bytes = u32::try_from(state >> 3).map_err(|_| Error::Damaged("a row is too long"))?;
        let state = usize::try_from(state & 7).ok().and_then(|state| STATE.get(state).copied());
        let state = state.ok_or(Error::Damaged("a row has an unknown state"))?;
        let signature = u64::from_le_bytes(fixed(input)?);
        let normal = if flags & STATES > 0 { u32::from_le_bytes(fixed(input)?) } else { 0 };
        let key = if flags & HAS_KEY > 0 { u32::from_le_bytes(fixed(input)?) } else { 0 };
        let flags = flags & !(IN_PLACE | OF_DREAM | TOUCHED);
        Ok(Self {
            id: MemoryId::new(id),
            line,
            created,
            updated,
            category,
            conversation,
            position,
            speaker,
            dream,
            bytes,
            signature,
            normal,
            key,
            flags,
            state,
        })
    }
}

/// Reads so many bytes.
pub(super) fn fixed<const N: usize>(input: &mut Input<'_>) -> Result<[u8; N]> {
    input.take(N)?.try_into().map_err(|_| Error::Damaged("it ends too early"))
}

/// Writes a time as it differs from another one.
pub(super) fn put_time(out: &mut Vec<u8>, time: DateTime<Utc>, from: DateTime<Utc>) {
    put_signed(out, time.timestamp() - from.timestamp());
    put_signed(out, i64::from(time.timestamp_subsec_nanos()) - i64::from(from.timestamp_subsec_nanos()));
}

pub(super) fn read_time(input: &mut Input<'_>, from: DateTime<Utc>) -> Result<DateTime<Utc>> {
    let (seconds, nanos) = (input.signed()?, input.signed()?);
    let seconds = from.timestamp().checked_add(seconds);
    let nanos = u32::try_from(i64::from(from.timestamp_subsec_nanos()).saturating_add(nanos)).ok();
    let time = seconds.zip(nanos).and_then(|(seconds, nanos)| DateTime::from_timestamp(seconds, nanos));
    time.ok_or(Error::Damaged("a time is out of range"))
}

/// The numbers of a state, for a status that has more than its state.
pub(super) fn put_state(out: &mut Vec<u8>, state: FactState) {
    let at = STATE.iter().position(|known| *known == Some(state)).unwrap_or_default();
    put(out, at as u64);
}

pub(super) fn read_state(input: &mut Input<'_>) -> Result<FactState> {
    let at = usize::try_from(input.number()?).unwrap_or(usize::MAX);
    STATE.get(at).copied().flatten().ok_or(Error::Damaged("a status has an unknown state"))
}
