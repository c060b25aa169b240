//! Segments: rows that were written after each other, in pages that never change.

use std::sync::Arc;

use super::bits::{Input, number, put_all, put_signed};
use super::directory::Directory;
use super::error::{Error, Result};
use super::page::Walk;
use super::pages::Reader;
use super::posting::Sums;
use super::sizes::Sizes;

/// The list of all rows.
pub(crate) const ALL_ROWS: &[u8] = b"";

/// A segment.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub(crate) id: u64,
    /// How often its rows were merged.
    pub(crate) level: u32,
    /// The number of the last operation that is in it: segments are ordered by it.
    pub(crate) age: u64,
    /// The least row, from which ids are counted.
    pub(crate) base: i64,
    pub(crate) last: i64,
    /// How many rows it has, and how many it takes away from older ones.
    pub(crate) rows: u64,
    pub(crate) gone: u64,
    /// How many postings it has of all terms.
    pub(crate) postings: u64,
    pub(crate) directory: Directory,
}

/// An entry in a page.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) number: u32,
    pub(crate) page: Arc<[u8]>,
    pub(crate) walk: Walk,
}

impl Segment {
    /// The last block of a term that begins with a row or before it, else the first block of the term.
    pub(crate) fn find(&self, reader: Reader<'_>, term: &[u8], id: i64) -> Result<Option<Spot>> {
        let floor = self.directory.floor(term, id);
        if let Some(at) = floor {
            let page = self.page(reader, at)?;
            let mut walk = Walk::from(&page, self.base, term, id)?;
            let mut found = None;
            while walk.step(&page, self.base)? {
                let order = walk.term.as_slice().cmp(term).then_with(|| walk.block.first.cmp(&id));
                if walk.term == term && (order.is_le() || found.is_none()) {
                    found = Some(walk.place());
                }
                if order.is_gt() {
                    break;
                }
            }
            if let Some(place) = found {
                walk.go_back(term, place);
                return Ok(Some(Spot { number: number(at), page, walk }));
            }
        }
        self.begin(reader, term, floor.map_or(0, |at| at + 1))
    }

    /// The first entry of a page, where it is of a term.
    pub(crate) fn begin(&self, reader: Reader<'_>, term: &[u8], at: usize) -> Result<Option<Spot>> {
        if self.directory.get(at).is_none_or(|(first, _)| first != term) {
            return Ok(None);
        }
        let page = self.page(reader, at)?;
        let mut walk = Walk::over(&page)?;
        let is_there = walk.step(&page, self.base)? && walk.term == term;
        Ok(is_there.then_some(Spot { number: number(at), page, walk }))
    }

    pub(crate) fn page(&self, reader: Reader<'_>, at: usize) -> Result<Arc<[u8]>> {
        reader.page(self.id, number(at))
    }

    /// The postings of a term in short.
    pub(crate) fn sums(&self, reader: Reader<'_>, term: &[u8]) -> Result<Option<Sums>> {
        let spot = self.find(reader, term, i64::MAX)?;
        Ok(spot.map(|spot| spot.walk.block.sums(&spot.page)))
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>, sizes: Sizes) {
        put_all(out, &[self.id, self.level.into(), self.age, self.rows, self.gone, self.postings]);
        put_signed(out, self.base);
        put_signed(out, self.last);
        self.directory.put_rest(out, sizes);
    }

    pub(crate) fn read(input: &mut Input<'_>, reader: Reader<'_>) -> Result<Self> {
        let id = input.number()?;
        let level = input.narrow()?;
        if level > 60 {
            return Err(Error::Damaged("a level is too great"));
        }
        Ok(Self {
            id,
            level,
            age: input.number()?,
            rows: input.number()?,
            gone: input.number()?,
            postings: input.number()?,
            base: input.signed()?,
            last: input.signed()?,
            directory: Directory::read(input, reader, id)?,
        })
    }
}
