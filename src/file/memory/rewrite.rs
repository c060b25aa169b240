//! How words leave the file: it is written anew without them, and nothing that was derived of them is left.

use super::checkpoint::MAGIC;
use super::lines::Lines;
use super::reader::Reader;
use super::record::{Change, Record, parsed};
use super::rows::Other;
use super::span::Span;
use super::vectors;
use crate::base::access::Scope;
use crate::base::error::{At, Result};
use crate::base::name::StateName;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::disk::mark::Mark;
use crate::disk::{Disk, STATE_FOLDER, atomic};
use crate::memory::MemoryId;
use crate::store::forget::{Burial, Struck};
use crate::store::parts::Doubles;

/// A line that reads otherwise in the new file.
struct Changed {
    before: Span,
    len: u32,
    /// The signature of its new text, where that is known of no row.
    signature: u64,
}

impl Lines {
    /// Writes the file anew without the words of these rows, each line in its place, and with a line that says so.
    pub(super) fn purge(
        &mut self,
        disk: &dyn Disk,
        scope: &Scope,
        record: Record,
        gone: &[MemoryId],
    ) -> Result<()> {
        let lines = self.lines_of(gone).into_iter().collect();
        self.rewrite(disk, scope, (vec![record], None), (gone, Some(lines)), |line| line.forgetting(gone))
    }

    /// As [`purge`](Self::purge), and without the statement in any other line. Returns where else it was.
    ///
    /// Read are the lines whose signature may hold the statement. Where none does, nothing is written anew.
    pub(super) fn forget(
        &mut self,
        disk: &dyn Disk,
        scope: &Scope,
        records: Vec<Record>,
        gone: &[MemoryId],
        burial: &Burial,
    ) -> Result<Struck> {
        if !self.rows.is_owned {
            self.append_all(disk, scope, records, burial)?;
            return Ok(Struck::default());
        }
        let doubles = self.rows.doubles(burial);
        let without = |line: Record| {
            let without = line.clone().forgetting(gone);
            let elsewhere = without.clone().unwrap_or(line).struck(burial);
            let elsewhere = elsewhere.map(|line| line.without(&doubles));
            let is_struck = elsewhere.is_some();
            elsewhere.or(without).map(|line| (line, is_struck))
        };
        // A category, a source or a speaker may be in any line.
        let lines =
            if self.rows.is_named(burial) { None } else { Some(self.lines_that_may_hold(gone, burial)) };
        if let Some(lines) = &lines
            && gone.is_empty()
        {
            let reader = self.reader();
            let mut holding =
                lines.iter().map(|line| -> Result<bool> { Ok(without(reader.record(*line)?).is_some()) });
            if !holding.any(|holds| holds.unwrap_or(true)) {
                let bytes = reader.line(self.read.first())?;
                sweep(disk, &bytes)?;
                self.append_all(disk, scope, records, burial)?;
                return Ok(Struck::default());
            }
        }
        let mut reasons = 0;
        let (profile, learnings) = (self.rows.profile.len(), self.rows.learnings.len());
        let practised = self.rows.practised.sizes();
        self.rewrite(disk, scope, (records, Some((burial, &doubles))), (gone, lines), |line| {
            let is_told_apart = match &line.change {
                // What a row said before is told with the row.
                Change::Profile { .. }
                | Change::Learned { .. }
                | Change::Practised { .. }
                | Change::Updated { .. } => true,
                Change::Written(row) => row.content.as_deref().is_some_and(|text| burial.holds(text)),
                _ => false,
            };
            let (line, is_struck) = without(line)?;
            reasons += u64::from(is_struck && !is_told_apart);
            Some(line)
        })?;
        let (profile, learnings) = (profile - self.rows.profile.len(), learnings - self.rows.learnings.len());
        let left = self.rows.practised.sizes();
        let [methods, cases, preferences, notes] = std::array::from_fn(|at| practised[at] - left[at]);
        let (profile, learnings) = (profile as u64, learnings as u64);
        Ok(Struck { profile, learnings, methods, cases, preferences, notes, trades: 0, reasons })
    }

    /// Adds what says that statements were forgotten, in one append; nothing where none was.
    fn append_all(
        &mut self,
        disk: &dyn Disk,
        scope: &Scope,
        records: Vec<Record>,
        burial: &Burial,
    ) -> Result<()> {
        if burial.stones.is_empty() {
            return Ok(());
        }
        self.begin_batch(disk)?;
        let mut appended = Ok(());
        for record in records {
            if appended.is_ok() {
                appended = self.append(disk, scope, record, None);
            }
        }
        self.end_batch(disk, scope, appended)
    }

    /// Returns the lines with contents of rows.
    fn lines_of(&self, rows: &[MemoryId]) -> Vec<Span> {
        let written = rows.iter().filter_map(|id| Some(self.rows.entry(*id)?.line));
        let is_of = |other: &&Other| other.of.is_some_and(|id| rows.binary_search(&id).is_ok());
        written.chain(self.rows.others.iter().filter(is_of).map(|other| other.line)).collect()
    }

    fn lines_that_may_hold(&self, gone: &[MemoryId], burial: &Burial) -> SortedSet<Span> {
        let may = |signature: u64| signature & burial.signature == burial.signature;
        let rows = self.rows.entries.iter().filter(|entry| may(entry.signature)).map(|entry| entry.line);
        let others = self.rows.others.iter().filter(|other| may(other.signature)).map(|other| other.line);
        self.lines_of(gone).into_iter().chain(rows).chain(others).collect()
    }

    /// Writes the file anew, where lines are to read otherwise, with some lines more. Looked at are some lines, or all.
    fn rewrite(
        &mut self,
        disk: &dyn Disk,
        scope: &Scope,
        (records, struck): (Vec<Record>, Option<(&Burial, &Doubles)>),
        (gone, lines): (&[MemoryId], Option<SortedSet<Span>>),
        mut otherwise: impl FnMut(Record) -> Option<Record>,
    ) -> Result<()> {
        let bytes = self.read(0, self.read.len)?;
        sweep(disk, bytes.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default())?;
        let mut kept = Vec::with_capacity(bytes.len());
        // By where they begin: the end of the last line may have been missing when it was read.
        let starts: Option<SortedSet<u64>> =
            lines.as_ref().map(|lines| lines.iter().map(|line| line.at).collect());
        let (mut changed, mut at) = (Vec::new(), 0);
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let before = Span { at, len: u32::try_from(line.len()).unwrap_or(u32::MAX) };
            at += line.len() as u64;
            let is_looked_at = starts.as_ref().is_none_or(|starts| starts.contains(&before.at));
            match Some(line).filter(|_| is_looked_at).and_then(|line| otherwise(parsed(line, 0).ok()?)) {
                Some(record) => {
                    let line = record.line();
                    kept.extend_from_slice(line.as_bytes());
                    let len = u32::try_from(line.len()).unwrap_or(u32::MAX);
                    changed.push(Changed { before, len, signature: record.signature() });
                }
                None => kept.extend_from_slice(line),
            }
        }
        if kept.last().is_some_and(|last| *last != b'\n') {
            kept.push(b'\n');
        }
        let (mut line, mut at) = (String::new(), kept.len() as u64);
        for record in &records {
            line = record.line();
            kept.extend_from_slice(line.as_bytes());
        }
        // Of the file before and of the one after, since either may be there after a crash.
        let mut mark = Mark::new((self.read.count + records.len()) as u64).with_line(line.as_bytes());
        if let Some(last) = bytes.split(|byte| *byte == b'\n').rfind(|line| !line.trim_ascii().is_empty()) {
            mark = mark.with_line(last);
        }
        // From here on what is in memory is of neither file, until the end.
        let done = self.leave(disk, gone).and_then(|()| {
            mark.write_durably(disk, StateName::MEMORIES_MARK.as_str())?;
            self.replace(disk, &kept)
        });
        if done.is_err() {
            self.reset();
        }
        done?;
        self.mark(disk, line.as_bytes());
        if lines.is_none() {
            // Names may be gone of which nobody knows who has them.
            self.reset();
            return self.catch_up(disk, scope);
        }
        self.lately.clear();
        self.move_lines(&changed);
        if let Some((burial, doubles)) = struck {
            self.rows.strike(burial, doubles);
        }
        let file = self.file.as_ref().map(|held| held.file.as_ref());
        let reader = Reader { file, end: u64::MAX, waiting: &[], lately: &self.lately };
        let first = self.read.count + 1 - records.len();
        for (number, record) in (first..).zip(records) {
            let len = u32::try_from(record.line().len()).unwrap_or(u32::MAX);
            self.rows.apply(record, scope, (number, Span { at, len }), &reader)?;
            at += u64::from(len);
        }
        if self.is_due() {
            self.save(disk);
        }
        Ok(())
    }

    /// Takes rows and what was derived of them out of memory, and everything derived from the disk.
    fn leave(&mut self, disk: &dyn Disk, gone: &[MemoryId]) -> Result<()> {
        let file = self.file.as_ref().map(|held| held.file.as_ref());
        let reader = Reader { file, end: u64::MAX, waiting: &[], lately: &self.lately };
        self.rows.remove_all(gone, &reader)?;
        // Before the lines: where they are written anew, no vector of what left them may be there.
        self.vectors.get_mut().condense(disk, &self.rows)?;
        self.rows.tidy_places();
        let words = self.rows.words.get_mut();
        if words.is_lost || words.condense().is_err() {
            *words = words.anew();
            words.is_lost = true;
        }
        self.take_back(disk)
    }

    /// Moves the records of lines to their places in the new file.
    fn move_lines(&mut self, changed: &[Changed]) {
        // By how much the lines behind each changed one move, ascending.
        let mut by = Vec::with_capacity(changed.len());
        let mut sum = 0_i64;
        for Changed { before, len, .. } in changed {
            sum += i64::from(*len) - i64::from(before.len);
            by.push((before.at, sum));
        }
        let moved = |span: Span| {
            let at = by.partition_point(|(at, _)| *at < span.at);
            let sum = at.checked_sub(1).map_or(0, |at| by[at].1);
            let len = match changed.get(at) {
                Some(changed) if changed.before.at == span.at => changed.len,
                _ => span.len,
            };
            Span { at: span.at.saturating_add_signed(sum), len }
        };
        let signature = |span: Span| {
            let at = changed.binary_search_by_key(&span.at, |changed| changed.before.at).ok();
            at.map(|at| changed[at].signature)
        };
        let rows = &mut self.rows;
        let mut known = SortedSet::new();
        for other in &mut rows.others {
            if let Some(signature) = signature(other.line) {
                other.signature = signature;
                known.insert(other.line.at);
            }
            other.line = moved(other.line);
        }
        for entry in &mut rows.entries {
            if let Some(signature) = signature(entry.line) {
                known.insert(entry.line.at);
                let edits = rows.others.iter().filter(|other| other.of == Some(entry.id));
                entry.signature = edits.fold(signature, |bits, edit| bits | edit.signature);
            }
            entry.line = moved(entry.line);
        }
        // Lines of rows that are gone may say why they were written.
        let unknown = changed.iter().filter(|changed| !known.contains(&changed.before.at));
        rows.others.extend(unknown.map(|changed| Other {
            line: moved(changed.before),
            signature: changed.signature,
            of: None,
        }));
        order::retain(&mut rows.others, |other| other.signature != 0);
        rows.edits.values_mut().for_each(|line| *line = moved(*line));
        rows.fact_index.move_lines(moved);
    }
}

/// Removes unfinished copies that killed processes left of the file, its table and its vectors. Purged words are in
/// them too. Other unfinished files are left to the next claim.
fn sweep(disk: &dyn Disk, first: &[u8]) -> Result<()> {
    for entry in disk.list(STATE_FOLDER).at("list", STATE_FOLDER)? {
        let path = format!("{STATE_FOLDER}/{}", entry.name);
        let begins: [&[u8]; 3] = [first, MAGIC, vectors::MAGIC];
        let limit = begins.iter().map(|begin| begin.len()).max().unwrap_or_default() as u64;
        if atomic::is_temporary(&entry.name)
            && atomic::read(disk, &path, limit)?
                .is_some_and(|copy| begins.iter().any(|begin| copy.starts_with(begin)))
        {
            atomic::remove(disk, &path)?;
        }
    }
    Ok(())
}
