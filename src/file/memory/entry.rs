//! A row without its text, as it is held in memory.

use chrono::{DateTime, Utc};

use super::names::{NONE, NameNo, Names};
use super::span::Span;
use crate::facts::FactState;
use crate::memory::{Filter, MemoryId};
use crate::search::postings::bits::{Input, checksum, low, put, put_signed};
use crate::search::postings::{Error, Result};
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
    /// A number for the present words of the row, different from every earlier one. Data that is derived from the words, and
    /// not made anew with each change, names it.
    pub(super) revision: u64,
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
/// Somebody else than the agent wrote its notes, and they name a scenario.
pub(super) const SCENARIO: u16 = 1 << 11;
const IN_PLACE: u16 = 1 << 8;
const OF_DREAM: u16 = 1 << 9;
const TOUCHED: u16 = 1 << 10;
const ALL_FLAGS: u64 = (1 << 12) - 1;

/// A row follows the one before it: by its id and its line.
const NEXT: u8 = 1;
/// It has the flags of the row before it. The next two bits say so of category and state, and of the part of a
/// second of its writing.
const SAME_FLAGS: u8 = 1 << 1;
const SAME_KIND: u8 = 1 << 2;
const SAME_NANOS: u8 = 1 << 3;
const ALL_SAME: u8 = (1 << 4) - 1;

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

    /// Restores a deleted one.
    pub(super) fn restore(&mut self, at: DateTime<Utc>) {
        self.set(DELETED, false);
        self.revise(None, at);
    }

    /// Begins another revision, at a time: it says something else, or is restored.
    pub(super) fn revise(&mut self, content: Option<&str>, at: DateTime<Utc>) {
        let before = self.revision.to_le_bytes();
        let said = content.map_or(&before[..], str::as_bytes);
        self.revision = checksum(said, at.timestamp_micros().cast_unsigned());
    }

    /// Returns whether a prompt may have it; in a group, whether a look at its origin may say so.
    pub(super) fn is_told(&self, participants: bool) -> bool {
        (participants || self.has(TRUSTED)) && self.state != Some(FactState::Pending)
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

    /// Returns the flags with those that say which parts are written.
    fn written_flags(&self) -> u16 {
        let has = [
            (IN_PLACE, self.conversation != NONE),
            (OF_DREAM, self.dream != NONE),
            (TOUCHED, self.updated != self.created),
        ];
        has.iter().fold(self.flags, |flags, (flag, on)| if *on { flags | flag } else { flags })
    }

    /// Returns in what it is like the row before it.
    fn likeness(&self, before: &Self) -> u8 {
        let is_next = before.id.get().checked_add(1) == Some(self.id.get());
        let nanos = |entry: &Self| entry.created.timestamp_subsec_nanos();
        [
            (NEXT, is_next && self.line.at == before.line.end()),
            (SAME_FLAGS, self.written_flags() == before.written_flags()),
            (SAME_KIND, (self.category, self.state) == (before.category, before.state)),
            (SAME_NANOS, nanos(self) == nanos(before)),
        ]
        .iter()
        .fold(0, |all, (bit, is_so)| if *is_so { all | bit } else { all })
    }

    /// Writes it as it differs from the row before it.
    pub(super) fn put(&self, out: &mut Vec<u8>, before: Option<&Self>) {
        let same = before.map_or(0, |before| self.likeness(before));
        out.push(same);
        if same & NEXT == 0 {
            put_signed(out, self.id.get() - before.map_or(0, |before| before.id.get()));
            let from = before.map_or(0, |before| before.line.end());
            put_signed(out, self.line.at.wrapping_sub(from).cast_signed());
        }
        put(out, self.line.len.into());
        let flags = self.written_flags();
        if same & SAME_FLAGS == 0 {
            put(out, flags.into());
        }
        put_signed(out, self.created.timestamp() - before.map_or(0, |before| before.created.timestamp()));
        if same & SAME_NANOS == 0 {
            put(out, self.created.timestamp_subsec_nanos().into());
        }
        if flags & TOUCHED > 0 {
            put_time(out, self.updated, self.created);
        }
        if same & SAME_KIND == 0 {
            put(out, self.category.into());
            out.push(low(STATE.iter().position(|state| *state == self.state).unwrap_or_default() as u64));
        }
        if flags & IN_PLACE > 0 {
            put(out, self.conversation.into());
            put(out, self.position);
            put(out, u64::from(self.speaker.wrapping_add(1)));
        }
        if flags & OF_DREAM > 0 {
            put(out, self.dream.into());
        }
        put(out, self.bytes.into());
        out.extend_from_slice(&self.signature.to_le_bytes());
        out.extend_from_slice(&self.revision.to_le_bytes());
        for (flag, hash) in [(STATES, self.normal), (HAS_KEY, self.key)] {
            if flags & flag > 0 {
                out.extend_from_slice(&hash.to_le_bytes());
            }
        }
    }

    pub(super) fn read(input: &mut Input<'_>, before: Option<&Self>) -> Result<Self> {
        let same = input.byte()?;
        if same > ALL_SAME || (same > 0 && before.is_none()) {
            return Err(Error::Damaged("a row is like none before it"));
        }
        let shares = |bit: u8| before.filter(|_| same & bit > 0);
        let (by, away) = if same & NEXT > 0 { (1, 0) } else { (input.signed()?, input.signed()?) };
        let id = by.checked_add(before.map_or(0, |before| before.id.get()));
        let id = id.filter(|id| before.is_none_or(|before| before.id.get() < *id));
        let id = id.ok_or(Error::Damaged("rows do not ascend"))?;
        let from = before.map_or(0, |before| before.line.end());
        let line = Span { at: from.wrapping_add_signed(away), len: input.narrow()? };
        let flags = match shares(SAME_FLAGS) {
            Some(before) => before.written_flags().into(),
            None => input.number()?,
        };
        if flags > ALL_FLAGS {
            return Err(Error::Damaged("a row has an unknown flag"));
        }
        let flags = u16::try_from(flags).unwrap_or_default();
        let seconds = before.map_or(0, |before| before.created.timestamp()).checked_add(input.signed()?);
        let nanos = match shares(SAME_NANOS) {
            Some(before) => before.created.timestamp_subsec_nanos(),
            None => input.narrow()?,
        };
        let created = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, nanos));
        let created = created.ok_or(Error::Damaged("a time is out of range"))?;
        let updated = if flags & TOUCHED > 0 { read_time(input, created)? } else { created };
        let (category, state) = if let Some(before) = shares(SAME_KIND) {
            (before.category, before.state)
        } else {
            let (category, state) = (input.narrow()?, STATE.get(usize::from(input.byte()?)));
            (category, *state.ok_or(Error::Damaged("a row has an unknown state"))?)
        };
        let (mut conversation, mut position, mut speaker, mut dream) = (NONE, 0, NONE, NONE);
        if flags & IN_PLACE > 0 {
            (conversation, position) = (input.narrow()?, input.number()?);
            speaker = input.narrow()?.wrapping_sub(1);
        }
        if flags & OF_DREAM > 0 {
            dream = input.narrow()?;
        }
        let bytes = input.narrow()?;
        let signature = u64::from_le_bytes(fixed(input)?);
        let revision = u64::from_le_bytes(fixed(input)?);
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
            revision,
            normal,
            key,
            flags,
            state,
        })
    }
}

/// Reads a number of bytes.
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
