//! How lines are added to the file, and how the file is mended and marked.

use std::io::{self, ErrorKind};

use super::checkpoint::Checkpoint;
use super::lines::{Batch, Lines};
use super::prefix::Prefix;
use super::reader::Reader;
use super::record::Record;
use crate::base::access::Scope;
use crate::base::error::{At, Result};
use crate::base::name::StateName;
use crate::disk::mark::Mark;
use crate::disk::{Disk, Open, atomic};

impl Lines {
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

    /// From now on lines are kept back until the end of the batch. Under the write guard, and caught up.
    pub(super) fn begin_batch(&mut self, disk: &dyn Disk) -> Result<()> {
        self.mend(disk)?;
        self.batch = Some(Batch { read: self.read, ..Batch::default() });
        Ok(())
    }

    /// Adds the lines of a batch: one append and one sync. If a change of it failed, nothing is added.
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

    /// Makes bytes durable at the end of the file; whether they are right behind what was read.
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

    /// Writes the whole lines anew if other bytes may be there. These are the unfinished line of a crash, or lines
    /// that failed to become durable. Call it under the write guard: else the bytes may be a line that is being
    /// written.
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
        let mark = Mark::new(self.read.count as u64).with_line(line).with_sum(self.read.edition());
        let _ = mark.write(disk, StateName::MEMORIES_MARK.as_str());
    }
}
