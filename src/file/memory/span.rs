//! The place of a line in the file.

use crate::search::postings::Result;
use crate::search::postings::bits::{Input, put, put_signed};

/// The place of a line in the file, with the end of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Span {
    pub(super) at: u64,
    pub(super) len: u32,
}

impl Span {
    /// Returns where the next line begins.
    pub(super) fn end(self) -> u64 {
        self.at + u64::from(self.len)
    }

    /// Writes how far it is from another place.
    pub(super) fn put(self, out: &mut Vec<u8>, from: u64) {
        put_signed(out, self.at.wrapping_sub(from).cast_signed());
        put(out, self.len.into());
    }

    pub(super) fn read(input: &mut Input<'_>, from: u64) -> Result<Self> {
        Ok(Self { at: from.wrapping_add_signed(input.signed()?), len: input.narrow()? })
    }
}
