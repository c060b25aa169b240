//! The file: how lines are read.

use std::cell::RefCell;
use std::io::ErrorKind;

use chrono::{DateTime, Utc};

use super::checkpoint::{Checkpoint, Identity};
use super::keeper::Keeper;
use super::prefix::Prefix;
use super::reader::{Lately, Reader};
use super::record::{self, Record, parsed};
use super::rows::Rows;
use super::span::Span;
use super::vectors::Sidecar;
use crate::base::access::Scope;
use crate::base::error::{At, Error, Result};
use crate::base::name::StateName;
use crate::disk::mark::Mark;
use crate::disk::{Disk, DiskFile, Open, STATE_FOLDER, Stat, atomic};
use crate::format::documents::copies::original_of;
use crate::memory::IndexProgress;
use crate::trace;

/// The file, as far as it was read.
pub(super) struct Lines {
    pub(super) rows: Rows,
    pub(super) file: Option<Held>,
    /// The lines that were read.
    pub(super) read: Prefix,
    /// The last line has no end: it is being written, a crash left it, or an editor.
    pub(super) torn: bool,
    /// A change failed, and nobody knows what of it the disk holds.
    pub(super) doubtful: bool,
    /// Lines that count already, and are added to the file together.
    pub(super) batch: Option<Batch>,
    pub(super) lately: Lately,
    /// The vectors beside the file, as far as anybody asked for them.
    pub(super) vectors: RefCell<Sidecar>,
    /// The number of lines in the table on the disk, and the identity of that table.
    saved: (usize, Option<Identity>),
    /// A table on the disk that is not of these lines.
    pub(super) foreign: Option<Identity>,
    keeper: Keeper,
}

/// Lines that are added together.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) bytes: Vec<u8>,
    pub(super) read: Prefix,
    /// Where the last of them begins.
    pub(super) last: usize,
}

/// The file that was read. It is held open: as long as it is, no other file has its number.
pub(super) struct Held {
    pub(super) file: Box<dyn DiskFile>,
    /// The same, to which lines are added.
    pub(super) added_to: Option<Box<dyn DiskFile>>,
    pub(super) id: (u64, u64),
    /// When it was last changed, as far as it was read.
    pub(super) modified: DateTime<Utc>,
    /// Whether its name is durable.
    pub(super) settled: bool,
}

/// The number of bytes that are read at a time.
const PIECE: u64 = 1 << 20;
/// A file of this length or more reports its progress while it is read.
const LARGE: u64 = 4 << 20;

impl Lines {
    /// Makes a file before anything was read.
    pub(super) fn over(keeper: Keeper) -> Self {
        Self {
            rows: Rows::over(&keeper),
            file: None,
            read: Prefix::default(),
            torn: false,
            doubtful: false,
            batch: None,
            lately: Lately::default(),
            vectors: RefCell::default(),
            saved: (0, None),
            foreign: None,
            keeper,
        }
    }

    /// Returns what reads lines.
    pub(super) fn reader(&self) -> Reader<'_> {
        let (end, waiting) = match &self.batch {
            Some(batch) => (self.read.len, &batch.bytes[..]),
            None => (u64::MAX, &[][..]),
        };
        let file = self.file.as_ref().map(|held| held.file.as_ref());
        Reader { file, end, waiting, lately: &self.lately }
    }

    /// Reads what was added to the file since it was last read; all of it where it is another file.
    pub(super) fn catch_up(&mut self, disk: &dyn Disk, scope: &Scope) -> Result<()> {
        let name = StateName::MEMORIES;
        if self.batch.is_some() || self.lately.is_changed() {
            // Whoever began it did not come to its end, or what was read before is another text now.
            self.reset();
        }
        let stat = disk.stat(name.as_str()).at("look at", &*name)?;
        let held = self.file.as_ref().map(|held| (held.id, held.modified));
        let is_other = |stat: Stat| {
            // Where the system does not say which file it is, any change may be another one. Nobody who only adds changes
            // a file that is as long as before.
            let is_unknown = stat.id == (0, 0) && stat.len != self.read.len;
            let is_edited = stat.len == self.read.len && held.is_some_and(|(_, at)| at != stat.modified);
            held.is_none_or(|(id, _)| id != stat.id) || is_unknown || is_edited || stat.len < self.read.len
        };
        if stat.is_none_or(is_other) {
            return self.read_anew(disk, scope);
        }
        if stat.is_some_and(|stat| stat.len == self.read.len) {
            return Ok(());
        }
        // A person may have changed what was read before. Another process may have written a table that tells more.
        match self.read_on(scope, true) {
            Ok(true) if !self.is_outrun(disk) => {
                self.date();
                Ok(())
            }
            _ => self.read_anew(disk, scope),
        }
    }

    /// Takes in the time of change of a file that was read to its end.
    fn date(&mut self) {
        if let Some(held) = &mut self.file
            && let Ok(stat) = held.file.stat()
            && stat.len == self.read.len
        {
            held.modified = stat.modified;
        }
    }

    /// Returns whether somebody else wrote a table, whose pages may be others.
    fn is_outrun(&self, disk: &dyn Disk) -> bool {
        let since = self.read.count - self.saved.0.min(self.read.count);
        since >= self.keeper.every && Checkpoint::identity_of(disk).is_ok_and(|found| found != self.saved.1)
    }

    /// Reads the whole file, or what is behind the lines of its table, and compares it with its mark.
    fn read_anew(&mut self, disk: &dyn Disk, scope: &Scope) -> Result<()> {
        // Before the file: a process that changes the file meanwhile writes the mark too.
        let mut mark = Mark::read(disk, StateName::MEMORIES_MARK.as_str());
        loop {
            self.reset();
            if self.hold(disk)?
                && let Err(error) = self.read_all(scope)
            {
                // Not half of it: the next verb says the same.
                self.reset();
                return Err(error);
            }
            self.date();
            let Some(missed) = self.missed(mark)? else { return Ok(()) };
            mark = Mark::read(disk, StateName::MEMORIES_MARK.as_str());
            if mark.as_ref() == Some(&missed) {
                let found = self.read.count as u64;
                self.reset();
                if let Some(copy) = copy_of(disk) {
                    return Err(Error::CopyWaits { name: StateName::MEMORIES.to_string(), copy });
                }
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

    /// Returns the mark, where the file lacks its line. Most often that is the last one.
    fn missed(&self, mark: Option<Mark>) -> Result<Option<Mark>> {
        let Some(mark) = mark else { return Ok(None) };
        if self.read.count > 0 && mark.is_in(&self.reader().line(self.read.last())?) {
            return Ok(None);
        }
        let whole = self.read(0, self.read.len)?;
        // A merge of two machines has all lines of this one, under other numbers.
        if self.read.count as u64 >= mark.held && record::is_merged(&whole) {
            return Ok(None);
        }
        Ok(Some(mark).filter(|mark| !mark.is_in(&whole)))
    }

    /// Reads the table, and the lines behind those that it covers; all lines, where it is not of this file.
    fn read_all(&mut self, scope: &Scope) -> Result<()> {
        if self.load(scope) {
            return self.read_on(scope, false).map(drop);
        }
        self.foreign = Checkpoint::identity_of(self.keeper.disk.as_ref()).ok().flatten();
        let len = self.file.as_ref().and_then(|held| held.file.stat().ok()).map_or(0, |stat| stat.len);
        if len < LARGE {
            return self.read_on(scope, false).map(drop);
        }
        trace::read_rows(|| {
            self.read_on(scope, false)?;
            Ok(self.read.count)
        })
    }

    /// Reads the table on the disk; `false` where it is not of this file.
    fn load(&mut self, scope: &Scope) -> bool {
        let Some(held) = &self.file else { return false };
        let Some(Checkpoint { rows, read, file, identity }) = Checkpoint::load(&self.keeper) else {
            return false;
        };
        let line = |span: Span| self.read(span.at, span.len.into());
        let (Ok(first), Ok(last)) = (line(read.first()), line(read.last())) else { return false };
        // A file of the same number that ends alike was only added to, if the last to change it marked it. Any other one is
        // read, and not parsed.
        let is_known = file == held.id && file != (0, 0) && self.is_marked(held);
        let is_same =
            read.is_like(&first, &last) && (is_known || self.begins_with(&read).unwrap_or_default());
        let Ok(owner) = parsed(&first, 1) else { return false };
        let before = std::mem::replace(&mut self.rows, rows);
        if is_same && self.rows.apply(owner, scope, (1, read.first()), &Reader::none(&self.lately)).is_ok() {
            (self.read, self.saved) = (read, (read.count, Some(identity)));
            return true;
        }
        self.rows = before;
        false
    }

    /// Returns whether nobody changed the file since a store marked it last.
    fn is_marked(&self, held: &Held) -> bool {
        let mark = self.keeper.disk.stat(StateName::MEMORIES_MARK.as_str()).ok().flatten();
        let file = held.file.stat().ok();
        mark.zip(file).is_some_and(|(mark, file)| file.modified <= mark.modified)
    }

    /// Returns whether the file begins with these lines.
    fn begins_with(&self, read: &Prefix) -> Result<bool> {
        let mut found = Prefix::default();
        let mut rest = Vec::new();
        while found.len < read.len {
            let at = found.len + rest.len() as u64;
            let piece = self.read(at, PIECE.min(read.len.saturating_sub(at)))?;
            if piece.is_empty() {
                return Ok(false);
            }
            rest.extend_from_slice(&piece);
            let is_end = at + piece.len() as u64 == read.len;
            let whole = if is_end { rest.len() } else { end_of_lines(&rest) };
            found.push_all(&rest[..whole]);
            rest.drain(..whole);
        }
        Ok(found == *read)
    }

    pub(super) fn reset(&mut self) {
        // Vectors say themselves of which words they are.
        let vectors = std::mem::take(&mut self.vectors);
        *self = Self { doubtful: self.doubtful, vectors, ..Self::over(self.keeper.clone()) };
    }

    /// Opens the file that has the name; `false` where there is none.
    pub(super) fn hold(&mut self, disk: &dyn Disk) -> Result<bool> {
        let name = StateName::MEMORIES;
        let file = match disk.open(name.as_str(), Open::Read) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error).at("open", &*name),
        };
        let Stat { id, modified, .. } = file.stat().at("look at", &*name)?;
        self.file = Some(Held { file, added_to: None, id, modified, settled: false });
        Ok(true)
    }

    /// Reads the file from a place.
    pub(super) fn read(&self, from: u64, len: u64) -> Result<Vec<u8>> {
        let Some(held) = &self.file else { return Ok(Vec::new()) };
        atomic::read_range(held.file.as_ref(), from, len).at("read", &*StateName::MEMORIES)
    }

    /// Takes a line in that comes next.
    pub(super) fn take_one(&mut self, record: Record, line: &[u8], scope: &Scope) -> Result<()> {
        let span = self.read.next(line);
        let file = self.file.as_ref().map(|held| held.file.as_ref());
        let reader = Reader { file, end: u64::MAX, waiting: &[], lately: &self.lately };
        self.rows.apply(record, scope, (self.read.count + 1, span), &reader)?;
        self.read.push(line);
        Ok(())
    }

    /// Returns whether enough lines came since the table was written to write it anew.
    pub(super) fn is_due(&self) -> bool {
        let since = self.read.count.saturating_sub(self.saved.0);
        since >= self.keeper.every.max(self.read.count / 64)
    }

    /// Writes the table anew where that is due. Where it cannot be written, the lines count all the same.
    pub(super) fn keep_up(&mut self, disk: &dyn Disk) {
        if self.is_due() && !self.torn && !self.doubtful && self.batch.is_none() {
            self.save(disk);
        }
    }

    /// Writes the table, unless another process did.
    pub(super) fn save(&mut self, disk: &dyn Disk) {
        let Some(id) = self.file.as_ref().map(|held| held.id) else { return };
        // It is tried again when it is due again.
        self.saved.0 = self.read.count;
        let Ok(found) = Checkpoint::identity_of(disk) else { return };
        if self.saved.1.is_some() && found != self.saved.1 {
            // Another process wrote it, and may have removed pages: the next verb reads theirs.
            self.lately.distrust();
            return;
        }
        if self.rows.ask(&self.reader(), |_, _| Ok(())).is_err() {
            return;
        }
        // What lies there belongs to no table, or to one that is not of this file.
        let is_anew = self.saved.1.is_none() || self.rows.words.borrow().pages.are_all_waiting();
        if is_anew && Checkpoint::remove(disk).is_err() {
            return;
        }
        if let Ok(identity) = Checkpoint::save(disk, &mut self.rows, &self.read, id) {
            self.saved.1 = Some(identity);
        } else if is_anew {
            self.saved.1 = None;
        }
    }

    /// Removes the table and the word index from the disk, and holds all of it in memory.
    pub(super) fn take_back(&mut self, disk: &dyn Disk) -> Result<()> {
        self.saved = (0, None);
        Checkpoint::remove(disk)
    }

    /// Reads the lines behind those that were read; `false` where the last of those is another one now.
    fn read_on(&mut self, scope: &Scope, is_known: bool) -> Result<bool> {
        let last = self.read.last();
        let mut at = if is_known { last.at } else { self.read.len };
        let mut rest = Vec::new();
        let whole = self.file.as_ref().and_then(|held| held.file.stat().ok()).map_or(0, |stat| stat.len);
        loop {
            let piece = self.read(at, PIECE)?;
            let is_end = (piece.len() as u64) < PIECE;
            at += piece.len() as u64;
            rest.extend_from_slice(&piece);
            if self.read.len > at - rest.len() as u64 {
                let known = usize::try_from(self.read.len - (at - rest.len() as u64)).unwrap_or(usize::MAX);
                if !rest.get(..known).is_some_and(|line| self.read.is_last(line)) {
                    return Ok(false);
                }
                rest.drain(..known);
            }
            let lines = if is_end { rest.len() } else { end_of_lines(&rest) };
            self.take(&rest[..lines], scope)?;
            rest.drain(..lines);
            if let Some(observer) = self.keeper.observer.as_ref().filter(|_| whole >= LARGE && !is_known) {
                observer.indexing(&IndexProgress { done: self.read.len, whole });
            }
            if is_end {
                return Ok(true);
            }
        }
    }

    /// Takes in lines that come next.
    fn take(&mut self, bytes: &[u8], scope: &Scope) -> Result<()> {
        self.torn = false;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let number = self.read.count + 1;
            let is_whole = line.ends_with(b"\n");
            match parsed(line, number) {
                Ok(record) => self.take_one(record, line, scope)?,
                Err(_) if line.trim_ascii().is_empty() => self.read.push(line),
                // The rest of a crash or of a running writer: the beginning of a line, or zeros.
                Err(_) if !is_whole && matches!(line[0], b'{' | 0) => {
                    self.torn = true;
                    break;
                }
                Err(error) => return Err(error),
            }
            // A person's editor may have left out the end of the last line.
            self.torn = !is_whole;
        }
        Ok(())
    }
}

/// Returns where the last whole line ends.
fn end_of_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

/// Returns the copy of the file that a sync tool left beside it, the first by name.
fn copy_of(disk: &dyn Disk) -> Option<String> {
    let entries = disk.list(STATE_FOLDER).ok()?;
    let paths = entries.into_iter().map(|entry| format!("{STATE_FOLDER}/{}", entry.name));
    paths
        .filter(|path| original_of(path).is_some_and(|original| original == StateName::MEMORIES.as_str()))
        .min()
}
