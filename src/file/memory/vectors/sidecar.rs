//! The file of vectors: how it is read, added to, and written anew.

use std::io::ErrorKind;

use super::super::rows::Rows;
use super::super::span::Span;
use super::addition::Addition;
use super::records::{First, MAGIC, Record, Said};
use super::states::{Kind, Known, State, States};
use crate::base::error::{At, Result};
use crate::base::name::StateName;
use crate::disk::{Disk, DiskFile, Open, Stat, atomic};
use crate::search::rank::Visibility;

/// The file of vectors, as far as it was read. Its vectors are read when they are asked for.
#[derive(Default)]
pub(in crate::file::memory) struct Sidecar {
    held: Option<Held>,
    pub(super) states: States,
    /// Where its whole records end; 0 where it is no file of vectors.
    end: u64,
    /// A change failed, and nobody knows what of it the disk holds.
    doubtful: bool,
    /// Number of bytes above which the bytes in use are counted.
    next_look: u64,
}

/// The file that was read. It is held open: as long as it is, no other file has its number.
struct Held {
    file: Box<dyn DiskFile>,
    /// As it was when it was last read to its end.
    stat: Stat,
}

/// The bytes of the file that were read last.
pub(super) struct Window {
    at: u64,
    bytes: Vec<u8>,
    /// How many are read at once.
    ahead: u64,
}

const NAME: StateName = StateName::MEMORIES_VECTORS;
/// The bytes of one read.
const READ_BYTES: u64 = 1 << 20;
/// A file of so few bytes is not written anew to make it smaller.
const SMALL: u64 = if cfg!(test) { 1 << 10 } else { 1 << 16 };

impl Window {
    /// For records that follow each other.
    pub(super) fn in_turn() -> Self {
        Self { at: 0, bytes: Vec::new(), ahead: READ_BYTES }
    }

    /// For records here and there.
    pub(super) fn scattered() -> Self {
        Self { ahead: 0, ..Self::in_turn() }
    }

    fn has(&self, span: Span) -> bool {
        self.at <= span.at && span.end() <= self.at + self.bytes.len() as u64
    }
}

impl Sidecar {
    /// Reads what was added since it was last read; all of it where it is another file.
    pub(super) fn catch_up(&mut self, disk: &dyn Disk) -> Result<()> {
        let Some(stat) = disk.stat(NAME.as_str()).at("look at", &*NAME)? else {
            *self = Self::default();
            return Ok(());
        };
        let held = self.held.as_ref().map(|held| held.stat);
        if held.is_some_and(|held| is_same(&held, &stat)) {
            return Ok(());
        }
        let is_longer = |held: Stat| held.id == stat.id && stat.id != (0, 0) && stat.len > held.len;
        if !held.is_some_and(is_longer) && !self.open(disk)? {
            return Ok(());
        }
        self.read_on()
    }

    /// Opens the file before anything was read. `false` where there is none.
    fn open(&mut self, disk: &dyn Disk) -> Result<bool> {
        *self = Self { doubtful: self.doubtful, ..Self::default() };
        let file = match disk.open(NAME.as_str(), Open::Read) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            file => file.at("open", &*NAME)?,
        };
        let stat = Stat { len: 0, ..file.stat().at("look at", &*NAME)? };
        self.held = Some(Held { file, stat });
        Ok(true)
    }

    /// Reads the records behind those that were read. It ends at the first incomplete one: somebody adds it, or a
    /// crash left it.
    fn read_on(&mut self) -> Result<()> {
        let Some(held) = &mut self.held else { return Ok(()) };
        let file = held.file.as_ref();
        // Before its bytes: what comes meanwhile is read the next time.
        let stat = file.stat().at("look at", &*NAME)?;
        let read = |from: u64, len: u64| atomic::read_range(file, from, len).at("read", &*NAME);
        if self.end == 0 && read(0, MAGIC.len() as u64)? == MAGIC {
            self.end = MAGIC.len() as u64;
        }
        let mut rest = Vec::new();
        while self.end > 0 {
            let piece = read(self.end + rest.len() as u64, READ_BYTES)?;
            let is_end = (piece.len() as u64) < READ_BYTES;
            rest.extend_from_slice(&piece);
            let mut taken = 0;
            let is_bad = loop {
                match Record::first(&rest[taken..], self.end) {
                    First::Whole(record, len) => {
                        self.states.take(&record, Span { at: self.end, len });
                        self.end += u64::from(len);
                        taken += len as usize;
                    }
                    First::Short => break false,
                    First::Bad => break true,
                }
            };
            rest.drain(..taken);
            if is_bad || is_end {
                break;
            }
        }
        held.stat = stat;
        Ok(())
    }

    /// Reads a record; `None` where it is damaged.
    pub(super) fn record<'w>(&self, span: Span, window: &'w mut Window) -> Result<Option<Record<'w>>> {
        let Some(held) = &self.held else { return Ok(None) };
        if !window.has(span) {
            let len = window.ahead.max(span.len.into());
            window.bytes = atomic::read_range(held.file.as_ref(), span.at, len).at("read", &*NAME)?;
            window.at = span.at;
        }
        let from = usize::try_from(span.at - window.at).unwrap_or(usize::MAX);
        let bytes = window.bytes.get(from..).unwrap_or_default();
        Ok(match Record::first(bytes, span.at) {
            First::Whole(record, _) => Some(record),
            First::Short | First::Bad => None,
        })
    }

    /// Reads the vector of a state; `None` where it has none, or a damaged one.
    pub(super) fn vector<'w>(&self, state: &State, window: &'w mut Window) -> Result<Option<&'w [u8]>> {
        if state.kind != Kind::Vector {
            return Ok(None);
        }
        Ok(match self.record(state.span, window)? {
            Some(Record::State { said: Said::Vector(bytes), .. }) => Some(bytes),
            _ => None,
        })
    }

    /// Begins records that are to be added, behind what counts of the file. Under the write guard.
    pub(super) fn begin(&mut self, disk: &dyn Disk, rows: &Rows) -> Result<Addition> {
        self.catch_up(disk)?;
        if !self.is_sound() {
            let bytes = self.counting(rows, &|_| true)?;
            self.replace(disk, &bytes)?;
        }
        Ok(Addition::new(self.end, self.states.last))
    }

    /// Adds records, and makes them durable.
    pub(super) fn add(&mut self, disk: &dyn Disk, addition: &Addition) -> Result<()> {
        if addition.bytes().is_empty() {
            return Ok(());
        }
        let added = append(disk, addition.bytes());
        self.doubtful |= added.is_err();
        added?;
        self.catch_up(disk)
    }

    /// Writes the file anew where more than half of it is of no use. Where that fails, what it says counts all the same.
    pub(super) fn keep_small(&mut self, disk: &dyn Disk, rows: &Rows) {
        if self.end < self.next_look.max(SMALL) {
            return;
        }
        self.next_look = self.end + self.end / 4;
        let counting = self.states.counting(rows, Visibility::All, 0);
        let used: u64 = counting.map(|state| u64::from(state.span.len)).sum();
        if used.saturating_mul(2) < self.end {
            let _ = self.write_anew(disk, rows, &|_| true);
        }
    }

    /// Removes the states that no row uses now from the file, also those that nobody reads. Under the write guard.
    pub(in crate::file::memory) fn condense(&mut self, disk: &dyn Disk, rows: &Rows) -> Result<()> {
        self.catch_up(disk)?;
        if self.held.is_none() {
            return Ok(());
        }
        let counting = self.states.counting(rows, Visibility::All, 0).count();
        if self.is_sound() && counting == self.states.len() {
            return Ok(());
        }
        self.write_anew(disk, rows, &|_| true)
    }

    /// Writes the file anew with some of its generations and the states that count; removes it where it has no generation.
    pub(super) fn write_anew(
        &mut self,
        disk: &dyn Disk,
        rows: &Rows,
        keeps: &dyn Fn(&Known) -> bool,
    ) -> Result<()> {
        if self.states.generations.iter().any(keeps) {
            let bytes = self.counting(rows, keeps)?;
            return self.replace(disk, &bytes);
        }
        self.doubtful = true;
        atomic::remove(disk, NAME.as_str())?;
        *self = Self::default();
        Ok(())
    }

    /// Returns the bytes of a file with what counts of some generations.
    fn counting(&self, rows: &Rows, keeps: &dyn Fn(&Known) -> bool) -> Result<Vec<u8>> {
        let mut out = MAGIC.to_vec();
        Record::Begun { last: self.states.last }.put(&mut out, 0);
        let kept: Vec<&Known> = self.states.generations.iter().filter(|known| keeps(known)).collect();
        for known in &kept {
            let (generation, dimensions, name) = (known.number, known.dimensions as u64, known.name.as_str());
            Record::Generation { generation, dimensions, name }.put(&mut out, 0);
        }
        if let Some(known) = kept.iter().find(|known| known.serves) {
            Record::Serves { generation: known.number }.put(&mut out, 0);
        }
        let mut window = Window::in_turn();
        for state in self.states.counting(rows, Visibility::All, 0) {
            if kept.iter().any(|known| known.number == state.generation)
                && let Some(record) = self.record(state.span, &mut window)?
            {
                record.put(&mut out, 0);
            }
        }
        Ok(out)
    }

    /// Puts other bytes in the place of the file, and reads them.
    fn replace(&mut self, disk: &dyn Disk, bytes: &[u8]) -> Result<()> {
        self.doubtful = true;
        atomic::replace(disk, NAME.as_str(), bytes)?;
        *self = Self::default();
        self.catch_up(disk)
    }

    /// Returns whether records may be added: all of the file was read and is known to be durable.
    fn is_sound(&self) -> bool {
        let is_whole = |held: &Held| self.end > 0 && held.stat.len <= self.end;
        !self.doubtful && self.held.as_ref().is_some_and(is_whole)
    }
}

fn append(disk: &dyn Disk, bytes: &[u8]) -> Result<()> {
    let file = disk.open(NAME.as_str(), Open::Append).at("open", &*NAME)?;
    file.append(bytes).at("append to", &*NAME)?;
    file.sync().map_err(atomic::unsynced).at("sync", &*NAME)
}

/// Returns whether nothing was done to a file since it was looked at.
fn is_same(before: &Stat, now: &Stat) -> bool {
    (before.id, before.len, before.modified) == (now.id, now.len, now.modified)
}
