//! A walk over all postings of a segment, by term, then by row.

use std::sync::Arc;

use super::error::{Error, Result};
use super::page::Walk;
use super::pages::Reader;
use super::posting::Posting;
use super::segment::Segment;
use super::writer::Mark;

/// A walk over all postings of a segment.
pub(crate) struct Run<'a> {
    reader: Reader<'a>,
    segment: &'a Segment,
    number: usize,
    page: Arc<[u8]>,
    walk: Walk,
    ids: Vec<i64>,
    at: usize,
    pub(crate) is_done: bool,
    /// How many pages it read.
    pub(crate) pages: usize,
}

impl<'a> Run<'a> {
    /// A walk over what is behind a mark.
    pub(crate) fn behind(reader: Reader<'a>, segment: &'a Segment, mark: &Mark) -> Result<Self> {
        let after = mark.id.unwrap_or(i64::MIN);
        let number = segment.directory.floor(&mark.term, after).unwrap_or(0);
        let page = segment.page(reader, number)?;
        let walk = Walk::from(&page, segment.base, &mark.term, after)?;
        let mut run =
            Self { reader, segment, number, page, walk, ids: Vec::new(), at: 0, is_done: false, pages: 1 };
        run.step()?;
        let Some(after) = mark.id else { return Ok(run) };
        while !run.is_done
            && (run.term() < mark.term.as_slice() || run.term() == mark.term && run.walk.block.last <= after)
        {
            run.step()?;
        }
        if !run.is_done && run.term() == mark.term {
            run.at = run.ids.partition_point(|id| *id <= after);
        }
        Ok(run)
    }

    /// Goes on to the next block.
    fn step(&mut self) -> Result<()> {
        let last = self.ids.last().copied();
        while !self.walk.step(&self.page, self.segment.base)? {
            self.number += 1;
            if self.number >= self.segment.directory.len() {
                self.is_done = true;
                return Ok(());
            }
            self.page = self.segment.page(self.reader, self.number)?;
            self.walk = Walk::over(&self.page)?;
            self.pages += 1;
        }
        self.walk.block.ids(&self.page, &mut self.ids)?;
        self.at = 0;
        if self.walk.is_same && last.is_some_and(|last| last >= self.ids[0]) {
            return Err(Error::Damaged("a segment does not ascend"));
        }
        Ok(())
    }

    pub(crate) fn term(&self) -> &[u8] {
        &self.walk.term
    }

    /// The row.
    pub(crate) fn id(&self) -> i64 {
        self.ids[self.at]
    }

    /// Takes the posting, and goes on.
    #[inline]
    pub(crate) fn take(&mut self) -> Result<Posting> {
        let posting = self.walk.block.posting(&self.page, self.ids[self.at], self.at);
        self.at += 1;
        if self.at == self.ids.len() {
            self.step()?;
        }
        Ok(posting)
    }
}
