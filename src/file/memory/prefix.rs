//! The lines of the file that were read, and the proof that a file begins with it.

use super::span::Span;
use crate::search::postings::Result;
use crate::search::postings::bits::{Input, checksum, put, put_all};

/// The lines of a file that were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Prefix {
    /// Its length.
    pub(super) len: u64,
    /// How many lines it has.
    pub(super) count: usize,
    first: (Span, u64),
    last: (Span, u64),
    /// A checksum of all lines.
    all: u64,
}

impl Prefix {
    /// Returns the place of a line that comes next.
    pub(super) fn next(&self, line: &[u8]) -> Span {
        Span { at: self.len, len: u32::try_from(line.len()).unwrap_or(u32::MAX) }
    }

    /// Adds a line.
    pub(super) fn push(&mut self, line: &[u8]) {
        self.last = (self.next(line), checksum(line, self.len));
        if self.count == 0 {
            self.first = self.last;
        }
        self.all = (self.all ^ self.last.1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        self.len += line.len() as u64;
        self.count += 1;
    }

    /// Adds lines.
    pub(super) fn push_all(&mut self, lines: &[u8]) {
        lines.split_inclusive(|byte| *byte == b'\n').for_each(|line| self.push(line));
    }

    /// Returns the place of the first line.
    pub(super) fn first(&self) -> Span {
        self.first.0
    }

    /// Returns the place of the last line.
    pub(super) fn last(&self) -> Span {
        self.last.0
    }

    /// Returns whether a file whose first and last lines in these places are these may be the one that was read.
    pub(super) fn is_like(&self, first: &[u8], last: &[u8]) -> bool {
        self.is_first(first) && self.is_last(last)
    }

    fn is_first(&self, line: &[u8]) -> bool {
        checksum(line, self.first.0.at) == self.first.1
    }

    /// Returns whether this is the last line.
    pub(super) fn is_last(&self, line: &[u8]) -> bool {
        checksum(line, self.last.0.at) == self.last.1
    }

    /// Returns a number that is another one for other lines.
    pub(super) fn edition(&self) -> u64 {
        self.all ^ self.len
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_all(out, &[self.len, self.count as u64]);
        for (span, sum) in [self.first, self.last] {
            span.put(out, 0);
            put(out, sum);
        }
        put(out, self.all);
    }

    pub(super) fn read(input: &mut Input<'_>) -> Result<Self> {
        let (len, count) = (input.number()?, usize::try_from(input.number()?).unwrap_or(usize::MAX));
        let first = (Span::read(input, 0)?, input.number()?);
        let last = (Span::read(input, 0)?, input.number()?);
        Ok(Self { len, count, first, last, all: input.number()? })
    }
}
