//! The directory of a segment: with which term and row each of its pages begins.

use std::cmp::Ordering;

use super::bits::{Input, put, put_bytes, put_signed, seal};
use super::error::{Error, Result};
use super::pages::{DIRECTORY, Pages, Reader, place};
use super::sizes::Sizes;

/// The first term and row of each page, ascending.
#[derive(Debug, Clone, Default)]
pub(crate) struct Directory {
    terms: Vec<u8>,
    /// Where each term ends.
    ends: Vec<usize>,
    ids: Vec<i64>,
    /// Number of its own pages with its written postings.
    pub(crate) written: u32,
}

impl Directory {
    pub(crate) fn push(&mut self, term: &[u8], id: i64) {
        self.terms.extend_from_slice(term);
        self.ends.push(self.terms.len());
        self.ids.push(id);
    }

    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn get(&self, page: usize) -> Option<(&[u8], i64)> {
        let id = *self.ids.get(page)?;
        let start = if page == 0 { 0 } else { self.ends[page - 1] };
        Some((&self.terms[start..self.ends[page]], id))
    }

    /// The last page that begins with a term and row or before them.
    pub(crate) fn floor(&self, term: &[u8], id: i64) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let is_behind = self.get(middle).is_some_and(|(first, from)| {
                first.cmp(term).then_with(|| from.cmp(&id)) == Ordering::Greater
            });
            if is_behind { high = middle } else { low = middle + 1 }
        }
        low.checked_sub(1)
    }

    /// Writes what fills pages; all, where it is `whole`.
    pub(crate) fn write(
        &mut self,
        pages: &mut dyn Pages,
        segment: u64,
        whole: bool,
        sizes: Sizes,
    ) -> Result<()> {
        loop {
            let from = self.written as usize * sizes.chunk;
            let to = self.len().min(from + sizes.chunk);
            if from >= to || to - from < sizes.chunk && !whole {
                return Ok(());
            }
            let mut out = Vec::new();
            self.put(&mut out, from, to);
            seal(&mut out, place(segment, DIRECTORY | self.written));
            pages.write(segment, DIRECTORY | self.written, &out)?;
            self.written += 1;
        }
    }

    /// Appends what is not in pages of its own.
    pub(crate) fn put_rest(&self, out: &mut Vec<u8>, sizes: Sizes) {
        put(out, self.written.into());
        self.put(out, self.len().min(self.written as usize * sizes.chunk), self.len());
    }

    fn put(&self, out: &mut Vec<u8>, from: usize, to: usize) {
        put(out, (to - from) as u64);
        for (term, id) in (from..to).filter_map(|page| self.get(page)) {
            put_bytes(out, term);
            put_signed(out, id);
        }
    }

    /// Reads what [`put_rest`](Self::put_rest) wrote, and the pages before it.
    pub(crate) fn read(input: &mut Input<'_>, reader: Reader<'_>, segment: u64) -> Result<Self> {
        let mut directory = Self::default();
        let written = input.narrow()?;
        if written >= DIRECTORY {
            return Err(Error::Damaged("a directory is too long"));
        }
        for page in 0..written {
            let bytes = reader.page(segment, DIRECTORY | page)?;
            directory.take(&mut Input::at(&bytes, 0))?;
        }
        directory.written = written;
        directory.take(input)?;
        Ok(directory)
    }

    fn take(&mut self, input: &mut Input<'_>) -> Result<()> {
        for _ in 0..input.count()? {
            let term = input.bytes()?;
            let id = input.signed()?;
            if self.get(self.len().wrapping_sub(1)).is_some_and(|last| last >= (term, id)) {
                return Err(Error::Damaged("a directory does not ascend"));
            }
            self.push(term, id);
        }
        Ok(())
    }
}
