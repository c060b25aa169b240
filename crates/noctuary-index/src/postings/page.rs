//! Pages: blocks of postings by term, then by row, and places at which reading may begin.
//!
//! Each entry is a term, as far as it differs from that before it, and a block. The last bytes are the places of entries
//! that have their term whole, and the number of them.

use std::cmp::Ordering;

use super::bits::{Input, put};
use super::block::Block;
use super::error::{Error, Result};
use super::sizes::Sizes;

/// A page that is being filled.
#[derive(Debug, Default)]
pub(crate) struct Filling {
    bytes: Vec<u8>,
    places: Vec<u16>,
    entries: usize,
    /// The term of the last entry.
    term: Vec<u8>,
}

impl Filling {
    /// How many entries it has.
    pub(crate) fn len(&self) -> usize {
        self.entries
    }

    /// Adds a block of a term; `false` where the page is full.
    pub(crate) fn add(&mut self, term: &[u8], block: &[u8], sizes: Sizes) -> bool {
        let before = self.bytes.len();
        let is_whole = self.entries.is_multiple_of(sizes.apart);
        if is_whole || term != self.term {
            let common = self.term.iter().zip(term).take_while(|(one, other)| one == other).count();
            let common = if is_whole { 0 } else { common };
            put(&mut self.bytes, common as u64 + 1);
            put(&mut self.bytes, (term.len() - common) as u64);
            self.bytes.extend_from_slice(&term[common..]);
        } else {
            self.bytes.push(0);
        }
        self.bytes.extend_from_slice(block);
        if self.entries > 0 && self.bytes.len() + 2 * self.places.len() + 4 > sizes.page {
            self.bytes.truncate(before);
            return false;
        }
        if is_whole {
            self.places.push(u16::try_from(before).unwrap_or(u16::MAX));
        }
        self.entries += 1;
        if term != self.term {
            self.term.clear();
            self.term.extend_from_slice(term);
        }
        true
    }

    /// Gives the bytes of the page, and begins another one.
    pub(crate) fn end(&mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.bytes);
        for place in &self.places {
            bytes.extend_from_slice(&place.to_le_bytes());
        }
        bytes.extend_from_slice(&u16::try_from(self.places.len()).unwrap_or(u16::MAX).to_le_bytes());
        // Bits are read eight bytes at a time.
        bytes.extend_from_slice(&[0; 4]);
        *self = Self::default();
        bytes
    }
}

/// The end of a page, behind the places.
const TAIL: usize = 6;

/// The place of the last entry with its whole term that is a term and row or before them, else the first.
fn start(page: &[u8], base: i64, term: &[u8], id: i64) -> Result<usize> {
    let (_, places) = parts(page)?;
    let place = |at: usize| usize::from(u16::from_le_bytes([places[2 * at], places[2 * at + 1]]));
    let (mut low, mut high) = (1, places.len() / 2);
    while low < high {
        let middle = usize::midpoint(low, high);
        let mut input = Input::at(page, place(middle));
        if input.number()? != 1 {
            return Err(Error::Damaged("a term is not whole"));
        }
        let order = match input.bytes()?.cmp(term) {
            Ordering::Equal => Block::read(&mut input, base)?.first.cmp(&id),
            order => order,
        };
        if order == Ordering::Greater { high = middle } else { low = middle + 1 }
    }
    Ok(place(low - 1))
}

/// The entries of a page, and its places.
fn parts(page: &[u8]) -> Result<(&[u8], &[u8])> {
    let damaged = Error::Damaged("a page has no end");
    let Some(end) = page.len().checked_sub(TAIL) else { return Err(damaged) };
    let places = usize::from(u16::from_le_bytes([page[end], page[end + 1]]));
    match end.checked_sub(2 * places) {
        Some(entries) if places > 0 => Ok((&page[..entries], &page[entries..end])),
        _ => Err(damaged),
    }
}

/// A walk over the entries of a page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Walk {
    /// The term of the entry that was read last.
    pub(crate) term: Vec<u8>,
    pub(crate) block: Block,
    /// Whether the last entry is of the term of that before it, in this page.
    pub(crate) is_same: bool,
    next: usize,
    end: usize,
}

impl Walk {
    /// A walk from the first entry on.
    pub(crate) fn over(page: &[u8]) -> Result<Self> {
        Ok(Self { end: parts(page)?.0.len(), ..Self::default() })
    }

    /// A walk from an entry on that is a term and row or before them, else from the first.
    pub(crate) fn from(page: &[u8], base: i64, term: &[u8], id: i64) -> Result<Self> {
        Ok(Self { next: start(page, base, term, id)?, ..Self::over(page)? })
    }

    /// Reads the next entry; `false` at the end.
    #[inline]
    pub(crate) fn step(&mut self, page: &[u8], base: i64) -> Result<bool> {
        if self.next >= self.end {
            return Ok(false);
        }
        let mut input = Input::at(page, self.next);
        let common = input.number()?;
        self.is_same = common == 0;
        if common > 0 {
            let common = usize::try_from(common - 1).unwrap_or(usize::MAX);
            if common > self.term.len() {
                return Err(Error::Damaged("a term has no beginning"));
            }
            self.term.truncate(common);
            self.term.extend_from_slice(input.bytes()?);
        }
        self.block = Block::read(&mut input, base)?;
        self.next = self.block.end;
        if self.next > self.end {
            return Err(Error::Damaged("an entry is too long"));
        }
        Ok(true)
    }

    /// Where the entry ends that was read last, and its block.
    pub(crate) fn place(&self) -> (usize, Block) {
        (self.next, self.block)
    }

    /// Goes back to an entry of a term.
    pub(crate) fn go_back(&mut self, term: &[u8], (next, block): (usize, Block)) {
        (self.next, self.block) = (next, block);
        self.term.clear();
        self.term.extend_from_slice(term);
    }
}
