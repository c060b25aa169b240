//! A walk over the rows that have a term in a segment.

use std::sync::Arc;

use super::block::Block;
use super::error::{Error, Result};
use super::page::Walk;
use super::pages::Reader;
use super::posting::Sums;
use super::segment::{Segment, Spot};

/// A place in the list of a term. Blocks are read as late as possible, and what is gone is left out.
pub(crate) struct Cursor<'a> {
    reader: Reader<'a>,
    segment: &'a Segment,
    term: &'a [u8],
    number: u32,
    page: Arc<[u8]>,
    walk: Walk,
    ids: Vec<i64>,
    at: usize,
    /// Whether the ids of the block were read.
    is_read: bool,
    /// No row before it is asked for.
    from: i64,
    is_done: bool,
}

impl<'a> Cursor<'a> {
    /// A cursor at the beginning of a list, and the whole list in short; `None` where no row has the term.
    pub(crate) fn open(
        reader: Reader<'a>,
        segment: &'a Segment,
        term: &'a [u8],
    ) -> Result<Option<(Self, Sums)>> {
        let Some(last) = segment.find(reader, term, i64::MAX)? else { return Ok(None) };
        let sums = last.walk.block.sums(&last.page);
        let first = if last.walk.block.before.is_none() {
            last
        } else {
            segment.find(reader, term, i64::MIN)?.ok_or(Error::Damaged("a list has no beginning"))?
        };
        let Spot { number, page, walk } = first;
        let (ids, from) = (Vec::new(), i64::MIN);
        let cursor = Self {
            reader,
            segment,
            term,
            number,
            page,
            walk,
            ids,
            at: 0,
            is_read: false,
            from,
            is_done: false,
        };
        Ok(Some((cursor, sums)))
    }

    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// The block that it is in.
    #[inline]
    pub(crate) fn block(&self) -> &Block {
        &self.walk.block
    }

    /// The row, or one before it but not before the last requested row.
    #[inline]
    pub(crate) fn low(&self) -> i64 {
        if self.is_read { self.ids[self.at] } else { self.from.max(self.walk.block.first) }
    }

    /// Finds the row that [`low`](Self::low) is the bound of; `None` at the end.
    #[inline]
    pub(crate) fn settle(&mut self) -> Result<Option<i64>> {
        if self.is_read {
            return Ok(self.ids.get(self.at).copied());
        }
        while !self.is_read && !self.is_done {
            self.walk.block.ids(&self.page, &mut self.ids)?;
            self.at = if self.from > self.ids[0] { self.before(self.from) } else { 0 };
            self.skip_gone()?;
        }
        Ok(if self.is_done { None } else { Some(self.ids[self.at]) })
    }

    fn before(&self, id: i64) -> usize {
        self.ids.partition_point(|there| *there < id)
    }

    /// Goes on to a posting that is not gone, from one on that may be behind the last of the block.
    #[inline]
    fn skip_gone(&mut self) -> Result<()> {
        if self.walk.block.has_gone() {
            while self.at < self.ids.len() && self.walk.block.is_gone(&self.page, self.at) {
                self.at += 1;
            }
        }
        self.is_read = self.at < self.ids.len();
        if self.is_read { Ok(()) } else { self.next_block() }
    }

    /// Goes on to the next row, from one that was settled.
    #[inline]
    pub(crate) fn next(&mut self) -> Result<()> {
        self.at += 1;
        if self.at < self.ids.len() && !self.walk.block.has_gone() { Ok(()) } else { self.skip_gone() }
    }

    /// Goes on to the first row from one on, without reading the block that may have it.
    #[inline]
    pub(crate) fn seek(&mut self, id: i64) -> Result<()> {
        if self.is_done || id <= self.low() {
            return Ok(());
        }
        self.from = id;
        if id <= self.walk.block.last {
            if self.is_read {
                // Most often it is one of the next.
                let near = self.ids[self.at..].iter().take(8).position(|there| *there >= id);
                self.at = near.map_or_else(|| self.before(id), |near| self.at + near);
                return self.skip_gone();
            }
            return Ok(());
        }
        loop {
            let next = self.segment.directory.get(self.number as usize + 1);
            if next.is_some_and(|(term, first)| term == self.term && first <= id) {
                self.jump(id)?;
            } else {
                self.next_block()?;
            }
            if self.is_done || self.walk.block.last >= id {
                return Ok(());
            }
        }
    }

    /// Goes behind a row.
    pub(crate) fn seek_behind(&mut self, id: i64) -> Result<()> {
        if let Some(next) = id.checked_add(1) {
            return self.seek(next);
        }
        self.is_done = true;
        Ok(())
    }

    /// Goes to the block of a later page that may have a row.
    fn jump(&mut self, id: i64) -> Result<()> {
        let spot = self.segment.find(self.reader, self.term, id)?;
        let Some(spot) = spot.filter(|spot| spot.number > self.number) else {
            return Err(Error::Damaged("a list does not go on"));
        };
        self.go_to(spot);
        Ok(())
    }

    fn go_to(&mut self, spot: Spot) {
        (self.number, self.page, self.walk) = (spot.number, spot.page, spot.walk);
        self.is_read = false;
    }

    fn next_block(&mut self) -> Result<()> {
        self.is_read = false;
        let last = self.walk.block.last;
        if self.walk.step(&self.page, self.segment.base)? {
            self.is_done = !self.walk.is_same && self.walk.term != self.term;
        } else {
            match self.segment.begin(self.reader, self.term, self.number as usize + 1)? {
                Some(spot) => self.go_to(spot),
                None => self.is_done = true,
            }
        }
        if !self.is_done && self.walk.block.first <= last {
            return Err(Error::Damaged("a list does not ascend"));
        }
        Ok(())
    }

    /// How often the row has the term. Only where it was settled, as the following.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.walk.block.count(&self.page, self.at)
    }

    #[inline]
    pub(crate) fn length(&self) -> u32 {
        self.walk.block.length(&self.page, self.at)
    }

    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.walk.block.is_shared(&self.page, self.at)
    }

    /// Returns how often a row has the term. The row must not be before the last requested one.
    pub(crate) fn count_of(&mut self, id: i64) -> Result<u32> {
        self.seek(id)?;
        Ok(if self.settle()? == Some(id) { self.count() } else { 0 })
    }
}
