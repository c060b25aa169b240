//! The index of the rows of one scope.
//!
//! The newest rows are in a tail in memory, and in a log that its keeper has. When the tail is full it becomes a
//! segment of level 0. When a level has eight segments, a merge makes one of the next level of them, a few pages at
//! each change. A row that is removed is taken out of the tail, or the tail takes it away from its segment. A merge of
//! both leaves neither. The manifest names the segments, and the merges with their marks: anything else does not
//! count.

use std::collections::HashMap;

use super::cursor::Cursor;
use super::error::{Error, Result};
use super::lists::Latest;
use super::merge::Merge;
use super::pages::{Cache, Pages, Reader};
#[cfg(test)]
use super::record::Record;
use super::row::{Counts, Row, Totals};
use super::segment::{ALL_ROWS, Segment};
use super::sizes::Sizes;
use super::tail::Tail;

/// The index of the rows of one scope.
#[derive(Debug)]
pub struct Partition {
    pub(super) cache: Cache,
    /// The oldest first.
    pub(super) segments: Vec<Segment>,
    pub(super) merges: Vec<Merge>,
    /// Segments that were merged, with the numbers of their pages and of those of their directories. They are removed
    /// when the manifest is saved that does not name them.
    pub(super) obsolete: Vec<(u64, u32, u32)>,
    /// The number of the next segment.
    pub(super) next: u64,
    pub(super) tail: Tail,
    /// The totals before the tail, and now.
    pub(super) before: Totals,
    pub(super) totals: Totals,
    /// The number of the first change of the tail, of the next change, and of the next that is looked after.
    pub(super) first: u64,
    pub(super) number: u64,
    pub(super) kept_up: u64,
    /// The changes since pages were removed last.
    pub(super) unswept: usize,
    /// The mark that the keeper gave when the tail was written last.
    pub(super) mark: u64,
    /// The segment, by age, that last took a row away from older ones.
    pub(super) gone: HashMap<i64, u64>,
    pub(super) latest: Latest,
    /// The changes of the tail that make a segment.
    pub(super) most: usize,
    pub(super) sizes: Sizes,
}

impl Partition {
    /// An index without rows, with a limit of bytes for pages in memory.
    #[must_use]
    pub fn new(cache: usize) -> Self {
        Self {
            cache: Cache::of(cache),
            segments: Vec::new(),
            merges: Vec::new(),
            obsolete: Vec::new(),
            next: 0,
            tail: Tail::default(),
            before: Totals::default(),
            totals: Totals::default(),
            first: 0,
            number: 0,
            kept_up: 0,
            unswept: 0,
            mark: 0,
            gone: HashMap::new(),
            latest: Latest::default(),
            most: Sizes::default().tail,
            sizes: Sizes::default(),
        }
    }

    /// Writes small blocks, pages and segments, so that a few rows cross all their bounds: for tests of a keeper.
    #[must_use]
    pub fn small(self) -> Self {
        Self { sizes: Sizes::SMALL, most: Sizes::SMALL.tail, ..self }
    }

    /// Sets the number of changes in memory before they become a segment.
    #[must_use]
    pub fn with_most(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// Counts changes from a number on.
    pub(super) fn start_at(&mut self, number: u64) {
        (self.number, self.kept_up) = (number, number);
    }

    pub(super) fn reader<'a>(&'a self, pages: &'a dyn Pages) -> Reader<'a> {
        Reader { pages, cache: &self.cache }
    }

    /// The number of rows, and their length.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The number of the next change.
    #[cfg(test)]
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The number of the first change that is in no segment: the log needs none before it.
    #[must_use]
    pub fn first_in_log(&self) -> u64 {
        self.first
    }

    /// How many changes are in no segment yet.
    #[must_use]
    pub fn in_memory(&self) -> usize {
        self.tail.operations
    }

    /// Adds a row that is not in. Where it fails, the index is to be opened again.
    ///
    /// # Errors
    ///
    /// [`Error::Differs`] where a row of this id is in.
    pub fn add(&mut self, pages: &dyn Pages, row: &Row<'_>) -> Result<()> {
        if row.id == i64::MAX {
            return Err(Error::Differs("no row has the greatest of all numbers"));
        }
        if self.tail.get(row.id).is_some() || self.standing(pages, row.id)?.is_some() {
            return Err(Error::Differs("an added row is in already"));
        }
        self.tail.add(row);
        self.latest.add(row.id, row.kept().map(|(term, _)| term));
        self.totals.add(row);
        self.number += 1;
        Ok(())
    }

    /// Removes a row, which is given as it was added; `false` where it is not in.
    ///
    /// # Errors
    ///
    /// [`Error::Differs`] where another row was added.
    pub fn remove(&mut self, pages: &dyn Pages, row: &Row<'_>) -> Result<bool> {
        if !self.tail.remove(row)? {
            let Some(standing) = self.standing(pages, row.id)? else { return Ok(false) };
            if standing != (row.shared, row.length) {
                return Err(Error::Differs("a removed row is another one"));
            }
            self.tail.bury(row);
        }
        self.latest.remove(row.id, row.kept().map(|(term, _)| term));
        self.totals.remove(row);
        self.number += 1;
        Ok(true)
    }

    /// Removes a row that is in no segment yet, whatever its terms are; `false` where none of this id is in memory.
    pub fn remove_newest(&mut self, id: i64) -> bool {
        let Some(row) = self.tail.remove_by_id(id) else { return false };
        self.latest.remove(id, self.tail.terms_of(&row));
        self.totals.remove(&Row { id, shared: row.shared, length: row.length, terms: &[] });
        self.number += 1;
        true
    }

    /// Makes a change of the log again.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] where it is not the next one.
    #[cfg(test)]
    pub(crate) fn replay(&mut self, pages: &dyn Pages, record: &[u8]) -> Result<()> {
        let record = Record::read(record)?;
        if record.number < self.first {
            return Ok(());
        }
        if record.number != self.number {
            return Err(Error::Damaged("a change is missing in the log"));
        }
        if !record.is_removal {
            self.add(pages, &record.row())?;
        } else if !self.remove(pages, &record.row())? {
            return Err(Error::Damaged("the log removes a row that is not in"));
        }
        self.kept_up = self.number;
        Ok(())
    }

    /// Returns whether a row is in.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read.
    pub fn has(&self, pages: &dyn Pages, id: i64) -> Result<bool> {
        Ok(self.tail.get(id).is_some() || self.standing(pages, id)?.is_some())
    }

    /// Whether a row in a segment is shared, and its length; `None` where it is in none, or taken away.
    fn standing(&self, pages: &dyn Pages, id: i64) -> Result<Option<(bool, u32)>> {
        if self.tail.is_gone(id) {
            return Ok(None);
        }
        for segment in self.segments.iter().rev() {
            if !(segment.base..=segment.last).contains(&id) || self.is_gone(id, segment.age) {
                continue;
            }
            if let Some((mut cursor, _)) = Cursor::open(self.reader(pages), segment, ALL_ROWS)? {
                cursor.seek(id)?;
                if cursor.settle()? == Some(id) {
                    return Ok(Some((cursor.is_shared(), cursor.length())));
                }
            }
        }
        Ok(None)
    }

    /// Whether a row of a segment was taken away by a newer one, or by the tail.
    #[inline]
    pub(super) fn is_gone(&self, id: i64, age: u64) -> bool {
        self.gone.get(&id).is_some_and(|by| *by > age) || self.tail.is_gone(id)
    }

    /// In how many rows a term is.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read.
    pub fn found_in(&self, pages: &dyn Pages, term: &str) -> Result<Counts> {
        let (mut rows, mut gone) = ([0, 0], [0, 0]);
        let mut add = |more: &Counts, less: &Counts| {
            for sight in 0..2 {
                rows[sight] = u64::saturating_add(rows[sight], more[sight]);
                gone[sight] = u64::saturating_add(gone[sight], less[sight]);
            }
        };
        if let Some(list) = self.tail.list(term.as_bytes()) {
            add(&list.rows, &list.gone);
        }
        for segment in &self.segments {
            if let Some(sums) = segment.sums(self.reader(pages), term.as_bytes())? {
                add(&sums.rows, &sums.gone);
            }
        }
        Ok([0, 1].map(|sight| rows[sight].saturating_sub(gone[sight])))
    }
}
