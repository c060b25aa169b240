//! Blocks: up to 128 postings of a term.
//!
//! A header says how many there are, from which row to which, and by which counts and lengths their gain is bounded.
//! Then distances of ids, counts, lengths and marks follow, each packed into as few bits as the greatest needs. A
//! *gone* posting removes the same row's posting of an older segment.

use super::bits::{Input, Packer, WIDEST, bits, low, put, width};
use super::bound::Bound;
use super::error::{Error, Result};
use super::posting::{Posting, Sums};
use super::row::count;

const SOME_SHARED: u8 = 1;
const ALL_SHARED: u8 = 2;
const SOME_GONE: u8 = 4;
const COUNTS: u8 = 8;
const LENGTHS: u8 = 16;
/// Blocks of the term are before it.
const LATER: u8 = 128;

/// Appends a block of postings that ascend, and gives them in short; `before` are those of the term in blocks before it.
pub(crate) fn put_block(out: &mut Vec<u8>, postings: &[Posting], base: i64, before: Option<&Sums>) -> Sums {
    let mut own = Sums::default();
    let (Some(first), Some(last)) = (postings.first(), postings.last()) else { return own };
    let (mut shortest, mut longest, mut flags, mut farthest, mut id) = (u32::MAX, 0, ALL_SHARED, 0, first.id);
    for posting in postings {
        own.add(posting);
        (shortest, longest) = (shortest.min(posting.length), longest.max(posting.length));
        flags |= if posting.gone { SOME_GONE } else { 0 } | u8::from(posting.shared);
        flags &= if posting.shared { 0xff } else { !ALL_SHARED };
        farthest = farthest.max(distance(id, posting.id));
        id = posting.id;
    }
    if flags & ALL_SHARED > 0 {
        flags &= !SOME_SHARED;
    }
    let most = own.bound.count();
    flags |= if most > 1 { COUNTS } else { 0 } | if longest > shortest { LENGTHS } else { 0 };
    out.push(low(postings.len() as u64 - 1) | before.map_or(0, |_| LATER));
    out.push(flags);
    put(out, distance(base, first.id));
    let apart = width(farthest);
    if postings.len() > 1 {
        put(out, distance(first.id, last.id));
        out.push(low(apart.into()));
    }
    put(out, shortest.into());
    let (mut often, mut long) = (0, 0);
    if flags & COUNTS > 0 {
        often = width(u64::from(most - 1));
        put(out, most.into());
        put(out, own.bound.of_many().into());
    }
    if flags & LENGTHS > 0 {
        long = width(u64::from(longest - shortest));
        out.push(low(long.into()));
    }
    if let Some(before) = before {
        before.put(out);
    }
    let mut packer = Packer::new(out);
    for pair in postings.windows(2) {
        packer.push(distance(pair[0].id, pair[1].id), apart);
    }
    if often > 0 {
        // One that is gone has no count that matters.
        let count = |posting: &Posting| if posting.gone { 0 } else { posting.count - 1 };
        for posting in postings {
            packer.push(count(posting).into(), often);
        }
    }
    if long > 0 {
        for posting in postings {
            packer.push((posting.length - shortest).into(), long);
        }
    }
    if flags & SOME_SHARED > 0 {
        for posting in postings {
            packer.push(posting.shared.into(), 1);
        }
    }
    if flags & SOME_GONE > 0 {
        for posting in postings {
            packer.push(posting.gone.into(), 1);
        }
    }
    packer.end();
    own
}

/// Whether a posting fits into a block behind another one: what is too far away begins a new one.
pub(crate) fn is_near(id: i64, next: i64) -> bool {
    width(distance(id, next)) <= WIDEST
}

/// Returns a number that was packed into at most 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "it has no more bits")]
#[inline]
fn narrow(bits: u64) -> u32 {
    bits as u32
}

fn distance(from: i64, to: i64) -> u64 {
    to.wrapping_sub(from).cast_unsigned()
}

/// The header of a block in a page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block {
    pub(crate) first: i64,
    pub(crate) last: i64,
    pub(crate) bound: Bound,
    /// The postings of the term in blocks before.
    pub(crate) before: Option<Sums>,
    /// Where it ends in the page.
    pub(crate) end: usize,
    postings: usize,
    flags: u8,
    shortest: u32,
    /// Places in the page, in bits, and widths.
    ids: (usize, u32),
    counts: (usize, u32),
    lengths: (usize, u32),
    shared: usize,
    gone: usize,
}

impl Block {
    /// Reads a header; its place is at the block's end then.
    #[inline]
    pub(crate) fn read(input: &mut Input<'_>, base: i64) -> Result<Self> {
        let (head, flags) = (input.byte()?, input.byte()?);
        let postings = usize::from(head & !LATER) + 1;
        let first = base.wrapping_add_unsigned(input.number()?);
        let (mut last, mut apart, mut often, mut long) = (first, 0, 0, 0);
        if postings > 1 {
            last =
                first.checked_add_unsigned(input.number()?).ok_or(Error::Damaged("a block is too wide"))?;
            apart = u32::from(input.byte()?);
        }
        let shortest = input.narrow()?;
        let mut bound = Bound::of_once(shortest);
        if flags & COUNTS > 0 {
            let most = input.narrow()?;
            bound = bound.with_many(most, input.narrow()?);
            often = width(u64::from(most.saturating_sub(1)));
        }
        if flags & LENGTHS > 0 {
            long = u32::from(input.byte()?);
        }
        if apart > WIDEST || long > 32 {
            return Err(Error::Damaged("numbers are too wide"));
        }
        let before = if head & LATER > 0 { Some(Sums::read(input)?) } else { None };
        let ids = input.position() * 8;
        let counts = ids + (postings - 1) * apart as usize;
        let lengths = counts + postings * often as usize;
        let shared = lengths + postings * long as usize;
        let gone = shared + if flags & SOME_SHARED > 0 { postings } else { 0 };
        let end = (gone + if flags & SOME_GONE > 0 { postings } else { 0 }).div_ceil(8);
        input.take(end - input.position())?;
        Ok(Self {
            first,
            last,
            bound,
            before,
            end,
            postings,
            flags,
            shortest,
            ids: (ids, apart),
            counts: (counts, often),
            lengths: (lengths, long),
            shared,
            gone,
        })
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.postings
    }

    pub(crate) fn has_gone(&self) -> bool {
        self.flags & SOME_GONE > 0
    }

    /// Reads the ids, at shortest one.
    #[inline]
    pub(crate) fn ids(&self, page: &[u8], ids: &mut Vec<i64>) -> Result<()> {
        ids.clear();
        let (mut at, width) = self.ids;
        let mut id = self.first;
        ids.push(id);
        for _ in 1..self.postings {
            id = id.wrapping_add_unsigned(bits(page, at, width));
            at += width as usize;
            ids.push(id);
        }
        if id == self.last { Ok(()) } else { Err(Error::Damaged("a block ends with another row")) }
    }

    #[inline]
    pub(crate) fn count(&self, page: &[u8], at: usize) -> u32 {
        let (start, width) = self.counts;
        if width == 0 { 1 } else { narrow(bits(page, start + at * width as usize, width)).saturating_add(1) }
    }

    #[inline]
    pub(crate) fn length(&self, page: &[u8], at: usize) -> u32 {
        let (start, width) = self.lengths;
        if width == 0 {
            self.shortest
        } else {
            narrow(bits(page, start + at * width as usize, width)).saturating_add(self.shortest)
        }
    }

    #[inline]
    pub(crate) fn is_shared(&self, page: &[u8], at: usize) -> bool {
        match self.flags & (SOME_SHARED | ALL_SHARED) {
            0 => false,
            SOME_SHARED => bits(page, self.shared + at, 1) > 0,
            _ => true,
        }
    }

    #[inline]
    pub(crate) fn is_gone(&self, page: &[u8], at: usize) -> bool {
        self.has_gone() && bits(page, self.gone + at, 1) > 0
    }

    pub(crate) fn posting(&self, page: &[u8], id: i64, at: usize) -> Posting {
        Posting {
            id,
            count: self.count(page, at),
            length: self.length(page, at),
            shared: self.is_shared(page, at),
            gone: self.is_gone(page, at),
        }
    }

    /// The postings of the term up to the end of this block.
    pub(crate) fn sums(&self, page: &[u8]) -> Sums {
        let mut sums = Sums { bound: self.bound, ..Sums::default() };
        if self.flags & (SOME_SHARED | SOME_GONE) == 0 {
            count(&mut sums.rows, self.flags & ALL_SHARED > 0, self.postings as u64);
        } else {
            for at in 0..self.postings {
                let counts = if self.is_gone(page, at) { &mut sums.gone } else { &mut sums.rows };
                count(counts, self.is_shared(page, at), 1);
            }
        }
        if let Some(before) = &self.before {
            sums.join(before);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posting(id: i64, count: u32, length: u32, shared: bool, gone: bool) -> Posting {
        Posting { id, count, length, shared, gone }
    }

    #[test]
    fn a_block_is_read_as_it_was_written() {
        let blocks = [
            vec![posting(-5, 1, 14, false, false)],
            vec![posting(1, 1, 9, true, false), posting(1 << 56, 900, 0, true, false)],
            vec![posting(7, 1, 3, true, true), posting(7, 2, 4, false, false), posting(9, 1, 3, true, false)],
            (0_u32..)
                .take(8)
                .map(|at| posting((at * at).into(), 1 + at % 3, 5, at % 2 == 0, at % 7 == 0))
                .collect(),
        ];
        for postings in blocks {
            let mut page = vec![1, 2, 3];
            let before = Sums { rows: [9, 4], gone: [1, 1], bound: Bound::of_once(3) };
            put_block(&mut page, &postings, -70, Some(&before));
            let end = page.len();
            page.extend([0xff; 8]);
            let block = Block::read(&mut Input::at(&page, 3), -70).expect("it was just written");
            assert_eq!((block.len(), block.end), (postings.len(), end));
            let mut ids = Vec::new();
            block.ids(&page, &mut ids).expect("it was just written");
            let mut sums = before;
            for (at, posting) in postings.iter().enumerate() {
                let expected = Posting { count: if posting.gone { 1 } else { posting.count }, ..*posting };
                assert_eq!(block.posting(&page, ids[at], at), expected);
                sums.add(posting);
            }
            assert_eq!((block.last, block.before), (ids[ids.len() - 1], Some(before)));
            let read = block.sums(&page);
            assert_eq!((read.rows, read.gone), (sums.rows, sums.gone));
        }
    }
}
