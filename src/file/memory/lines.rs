//! The file: how lines are read and added.

use std::io::{self, ErrorKind};

use chrono::{DateTime, Utc};

use super::checkpoint::{Checkpoint, Identity};
use super::keeper::Keeper;
use super::prefix::Prefix;
use super::reader::{Lately, Reader};
use super::record::{Record, parsed};
use super::rows::Rows;
use super::span::Span;
use crate::base::access::Scope;
use crate::base::error::{At, Error, Result};
use crate::base::name::StateName;
use crate::disk::mark::Mark;
use crate::disk::{Disk, DiskFile, Open, Stat, atomic};
use crate::memory::{AuditEntry, IndexProgress};
use crate::trace;

/// The file, as far as it was read.
pub(super) struct Lines {
    pub(super) rows: Rows,
    pub(super) file: Option<Held>,
    /// The lines that were read.
    pub(super) read: Prefix,
    /// The last line has no end: it is being written, a crash left it, or an editor.
    torn: bool,
    /// A change failed, and nobody knows what of it the disk holds.
    doubtful: bool,
    /// Lines that count already, and are added to the file together.
    batch: Option<Batch>,
    pub(super) lately: Lately,
    /// The number of lines in the table on the disk, and what tells it apart.
    saved: (usize, Option<Identity>),
    /// A table on the disk that is not of these lines.
    foreign: Option<Identity>,
    keeper: Keeper,
}

/// Lines that are added together.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    read: Prefix,
    /// Where the last of them begins.
    last: usize,
}

/// The file that was read. It is held open: as long as it is, no other file has its number.
pub(super) struct Held {
    pub(super) file: Box<dyn DiskFile>,
    /// The same, to which lines are added.
    added_to: Option<Box<dyn DiskFile>>,
    pub(super) id: (u64, u64),
    /// When it was last changed, as far as it was read.
    modified: DateTime<Utc>,
    /// Whether its name is durable.
    pub(super) settled: bool,
}

/// So many bytes are read at a time.
const PIECE: u64 = 1 << 20;
/// From so many bytes on, it is told that the file is read.
const LARGE: u64 = 4 << 20;

impl Lines {
    /// Makes a file of which nothing was read.
    pub(super) fn over(keeper: Keeper) -> Self {
        Self {
            rows: Rows::over(&keeper),
            file: None,
            read: Prefix::default(),
            torn: false,
            doubtful: false,
            batch: None,
            lately: Lately::default(),
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
                if let Some((held, stat)) = self.file.as_mut().zip(stat) {
                    held.modified = stat.modified;
                }
                Ok(())
            }
            _ => self.read_anew(disk, scope),
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
            let Some(missed) = self.missed(mark)? else { return Ok(()) };
            mark = Mark::read(disk, StateName::MEMORIES_MARK.as_str());
            if mark.as_ref() == Some(&missed) {
                let found = self.read.count as u64;
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

    /// Returns the mark, where the file lacks its line. Most often that is the last one.
    fn missed(&self, mark: Option<Mark>) -> Result<Option<Mark>> {
        let Some(mark) = mark else { return Ok(None) };
        if self.read.count > 0 && mark.is_in(&self.reader().line(self.read.last())?) {
            return Ok(None);
        }
        let whole = self.read(0, self.read.len)?;
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
        *self = Self { doubtful: self.doubtful, ..Self::over(self.keeper.clone()) };
    }

    /// Says beside the file that this line is its last. Where that cannot be written, the line counts all the same.
    pub(super) fn mark(&mut self, disk: &dyn Disk, line: &[u8]) {
        // A marked file is believed to be that of a table beside it.
        if let Some(foreign) = self.foreign.take() {
            let found = Checkpoint::identity_of(disk);
            let is_left = found.is_ok_and(|found| found != Some(foreign)) || Checkpoint::remove(disk).is_ok();
            if !is_left {
                self.foreign = Some(foreign);
                return;
            }
        }
        let mark = Mark::new(self.read.count as u64).with_line(line);
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
        let Stat { id, modified, .. } = file.stat().at("look at", &*name)?;
        self.file = Some(Held { file, added_to: None, id, modified, settled: false });
        Ok(true)
    }

    /// Reads the file from a place.
    pub(super) fn read(&self, from: u64, len: u64) -> Result<Vec<u8>> {
        let Some(held) = &self.file else { return Ok(Vec::new()) };
        atomic::read_range(held.file.as_ref(), from, len).at("read", &*StateName::MEMORIES)
    }

    /// Adds a line: one append and one sync. Under the write guard, and caught up.
    pub(super) fn append(
        &mut self,
        disk: &dyn Disk,
        scope: &Scope,
        record: Record,
        bound: Option<u64>,
    ) -> Result<()> {
        let line = record.line();
        let opened = (!self.rows.is_owned).then(|| Record::opened(record.at, scope));
        let first = opened.as_ref().map_or_else(String::new, Record::line);
        let waiting = self.batch.as_ref().map_or(0, |batch| batch.bytes.len());
        let len = self.read.len + (waiting + first.len() + line.len()) as u64;
        if record.change.adds() && bound.is_some_and(|bound| len > bound) {
            return Err(io::Error::from(ErrorKind::StorageFull)).at("append to", &*StateName::MEMORIES);
        }
        let lines = opened.into_iter().map(|opened| (opened, &first)).chain([(record, &line)]);
        if let Some(batch) = &mut self.batch {
            for (record, line) in lines {
                let span = batch.read.next(line.as_bytes());
                batch.last = batch.bytes.len();
                batch.bytes.extend_from_slice(line.as_bytes());
                batch.read.push(line.as_bytes());
                let file = self.file.as_ref().map(|held| held.file.as_ref());
                let (end, lately) = (self.read.len, &self.lately);
                let reader = Reader { file, end, waiting: &batch.bytes, lately };
                self.rows.apply(record, scope, (batch.read.count, span), &reader)?;
            }
            return Ok(());
        }
        self.mend(disk)?;
        let is_next = self.add(disk, [first.as_bytes(), line.as_bytes()].concat().as_slice());
        let taken = is_next.and_then(|is_next| {
            if !is_next {
                return self.catch_up(disk, scope);
            }
            self.torn = false;
            lines.into_iter().try_for_each(|(record, line)| self.take_one(record, line.as_bytes(), scope))
        });
        self.doubtful |= taken.is_err();
        taken?;
        self.mark(disk, line.as_bytes());
        self.keep_up(disk);
        Ok(())
    }

    /// Takes a line in that comes next.
    fn take_one(&mut self, record: Record, line: &[u8], scope: &Scope) -> Result<()> {
        let span = self.read.next(line);
        let file = self.file.as_ref().map(|held| held.file.as_ref());
        let reader = Reader { file, end: u64::MAX, waiting: &[], lately: &self.lately };
        self.rows.apply(record, scope, (self.read.count + 1, span), &reader)?;
        self.read.push(line);
        Ok(())
    }

    /// From now on lines are kept back until the end of the batch. Under the write guard, and caught up.
    pub(super) fn begin_batch(&mut self, disk: &dyn Disk) -> Result<()> {
        self.mend(disk)?;
        self.batch = Some(Batch { read: self.read, ..Batch::default() });
        Ok(())
    }

    /// Adds the lines of a batch: one append and one sync. Where a change of it failed, none is added.
    pub(super) fn end_batch(&mut self, disk: &dyn Disk, scope: &Scope, changed: Result<()>) -> Result<()> {
        let Batch { bytes, read, last } = self.batch.take().unwrap_or_default();
        if bytes.is_empty() {
            return changed;
        }
        match changed.and_then(|()| self.add(disk, &bytes).inspect_err(|_| self.doubtful = true)) {
            Ok(true) => self.read = read,
            added => {
                // The rows say what the file may not: they are read anew.
                self.reset();
                added?;
                self.catch_up(disk, scope)?;
            }
        }
        self.mark(disk, &bytes[last..]);
        self.keep_up(disk);
        Ok(())
    }

    /// Makes bytes durable at the end of the file; whether they stand right behind what was read.
    fn add(&mut self, disk: &dyn Disk, bytes: &[u8]) -> Result<bool> {
        let name = StateName::MEMORIES;
        let path = name.as_str();
        // Whoever caught up saw that it still has the name.
        let file = match self.file.as_mut().and_then(|held| held.added_to.take()) {
            Some(file) => file,
            None => disk.open(path, Open::Append).at("open", path)?,
        };
        let stat = file.stat().at("look at", path)?;
        let held = self.file.as_mut().filter(|held| held.id == stat.id && stat.len == self.read.len);
        if !held.as_ref().is_some_and(|held| held.settled) {
            // Also if the file existed: its maker may have been killed before its name was durable.
            atomic::sync_folders_of(disk, path)?;
        }
        file.append(bytes).at("append to", path)?;
        file.sync().map_err(atomic::unsynced).at("sync", path)?;
        let is_next = held.is_some();
        if let Some(held) = held {
            held.settled = true;
            held.modified = file.stat().at("look at", path)?.modified;
            held.added_to = Some(file);
        }
        Ok(is_next)
    }

    /// Writes the whole lines anew where something else may stand there: what a crash left of an unfinished one, or
    /// what failed to become durable. Under the write guard: else it may be a line that is being written.
    pub(super) fn mend(&mut self, disk: &dyn Disk) -> Result<()> {
        if (self.torn || self.doubtful) && self.file.is_some() {
            let mut whole = self.read(0, self.read.len)?;
            if whole.last().is_some_and(|last| *last != b'\n') {
                whole.push(b'\n');
            }
            self.replace(disk, &whole)?;
        }
        Ok(())
    }

    /// Puts other bytes in the place of the file, which say the same.
    pub(super) fn replace(&mut self, disk: &dyn Disk, bytes: &[u8]) -> Result<()> {
        let replaced =
            atomic::replace(disk, StateName::MEMORIES.as_str(), bytes).and_then(|()| self.hold(disk));
        self.doubtful |= replaced.is_err();
        replaced?;
        if let Some(held) = &mut self.file {
            held.settled = true;
        }
        (self.torn, self.doubtful, self.read) = (false, false, Prefix::default());
        self.read.push_all(bytes);
        Ok(())
    }

    /// Returns whether so many lines came since the table was written that it is to be written anew.
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

    /// Returns the latest lines of the audit first.
    pub(super) fn audit(&self, limit: usize) -> Result<Vec<AuditEntry>> {
        let bytes = self.read(0, self.read.len)?;
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
