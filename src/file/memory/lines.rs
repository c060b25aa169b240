//! The file: how lines are read, added, and written anew.

use std::io::{self, ErrorKind};

use super::record::{Change, Record};
use super::rows::Rows;
use crate::base::access::Scope;
use crate::base::error::{At, Error, Result, corrupt};
use crate::base::name::StateName;
use crate::disk::mark::Mark;
use crate::disk::{Disk, DiskFile, Open, STATE_FOLDER, Stat, atomic};
use crate::memory::{AuditEntry, MemoryId};
use crate::store::forget::Burial;

/// The file, as far as it was read.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) rows: Rows,
    file: Option<Held>,
    read_to: u64,
    count: usize,
    /// The last line has no end: it is being written, a crash left it, or an editor.
    torn: bool,
    /// A change failed, and nobody knows what of it the disk holds.
    doubtful: bool,
    /// Lines that count already, and are added to the file together.
    batch: Option<Batch>,
}

/// Lines that are added together.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    count: usize,
    /// Where the last of them begins.
    last: usize,
}

/// The file that was read. It is held open: as long as it is, no other file has its number.
struct Held {
    file: Box<dyn DiskFile>,
    id: (u64, u64),
    /// Whether its name is durable.
    settled: bool,
}

impl Lines {
    /// Reads what was added to the file since it was last read; all of it where it is another file.
    pub(super) fn catch_up(&mut self, disk: &dyn Disk, scope: &Scope) -> Result<()> {
        let name = StateName::MEMORIES;
        if self.batch.is_some() {
            // Whoever began it did not come to its end.
            self.reset();
        }
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
        // Before the file: a process that changes the file meanwhile writes the mark too.
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
                let found = self.count as u64;
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
        let mark = Mark::new(self.count as u64).with_line(line);
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
        if !self.rows.is_owned {
            lines.insert_str(0, &Record::opened(record.at, scope).line());
        }
        let waiting = self.batch.as_ref().map_or(0, |batch| batch.bytes.len());
        let len = self.read_to + (waiting + lines.len()) as u64;
        if record.change.adds() && bound.is_some_and(|bound| len > bound) {
            return Err(io::Error::from(ErrorKind::StorageFull)).at("append to", &*StateName::MEMORIES);
        }
        if let Some(batch) = &mut self.batch {
            for line in lines.split_inclusive('\n') {
                batch.last = batch.bytes.len();
                batch.bytes.extend_from_slice(line.as_bytes());
                batch.count += 1;
                let number = self.count + batch.count;
                self.rows.apply(parsed(line.as_bytes(), number)?, scope, number)?;
            }
            return Ok(());
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

    /// From now on lines are kept back until the end of the batch. Under the write guard, and caught up.
    pub(super) fn begin_batch(&mut self, disk: &dyn Disk) -> Result<()> {
        self.mend(disk)?;
        self.batch = Some(Batch::default());
        Ok(())
    }

    /// Adds the lines of a batch: one append and one sync. Where a change of it failed, none is added.
    pub(super) fn end_batch(&mut self, disk: &dyn Disk, scope: &Scope, changed: Result<()>) -> Result<()> {
        let Batch { bytes, count, last } = self.batch.take().unwrap_or_default();
        if count == 0 {
            return changed;
        }
        match changed.and_then(|()| self.add(disk, &bytes).inspect_err(|_| self.doubtful = true)) {
            Ok(true) => {
                self.read_to += bytes.len() as u64;
                self.count += count;
                self.rows.tidy();
            }
            added => {
                // The rows say what the file may not: they are read anew.
                self.reset();
                added?;
                self.catch_up(disk, scope)?;
            }
        }
        self.mark(disk, &bytes[last..]);
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
            // Also if the file existed: its maker may have been killed before its name was durable.
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
        if !self.rows.is_owned {
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
        let mut mark = Mark::new(self.count as u64 + 1).with_line(line.as_bytes());
        if let Some(last) = bytes.split(|byte| *byte == b'\n').rfind(|line| !line.trim_ascii().is_empty()) {
            mark = mark.with_line(last);
        }
        mark.write_durably(disk, StateName::MEMORIES_MARK.as_str())?;
        self.replace(disk, &kept)?;
        self.count += 1;
        self.mark(disk, line.as_bytes());
        self.rows.apply(record, scope, self.count)
    }

    /// Returns the latest lines of the audit first.
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

    /// Reads the lines behind those that were read.
    fn take(&mut self, bytes: &[u8], scope: &Scope) -> Result<()> {
        self.torn = false;
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let number = self.count + 1;
            let is_whole = line.ends_with(b"\n");
            match parsed(line, number) {
                Ok(record) => self.rows.apply(record, scope, number)?,
                Err(_) if line.trim_ascii().is_empty() => {}
                // The rest of a crash or of a running writer: the beginning of a line, or zeros.
                Err(_) if !is_whole && matches!(line[0], b'{' | 0) => {
                    self.torn = true;
                    break;
                }
                Err(error) => return Err(error),
            }
            self.count = number;
            self.read_to += line.len() as u64;
            // A person's editor may have left out the end of the last line.
            self.torn = !is_whole;
        }
        self.rows.tidy();
        Ok(())
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
