//! Changes as bytes, for the log of what no segment has yet.

use super::bits::{Input, put, put_bytes, put_signed, seal, unsealed};
use super::error::{Error, Result};
use super::row::Row;

/// A change that was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// The number of the change.
    pub(crate) number: u64,
    pub(crate) is_removal: bool,
    pub(crate) id: i64,
    pub(crate) shared: bool,
    pub(crate) length: u32,
    pub(crate) terms: Vec<(&'a str, u32)>,
}

const REMOVAL: u8 = 1;
const SHARED: u8 = 2;

/// Not the number of a segment.
const PLACE: u64 = u64::MAX;

impl<'a> Record<'a> {
    /// A change as bytes.
    pub(crate) fn written(number: u64, is_removal: bool, row: &Row<'_>) -> Vec<u8> {
        let mut out = Vec::with_capacity(32 + 12 * row.terms.len());
        put(&mut out, number);
        out.push(if is_removal { REMOVAL } else { 0 } | if row.shared { SHARED } else { 0 });
        put_signed(&mut out, row.id);
        put(&mut out, row.length.into());
        put(&mut out, row.terms.len() as u64);
        for (term, count) in row.terms {
            put_bytes(&mut out, term.as_bytes());
            put(&mut out, (*count).into());
        }
        seal(&mut out, PLACE);
        out
    }

    /// Reads a change.
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut input = Input::at(unsealed(bytes, PLACE)?, 0);
        let (number, flags) = (input.number()?, input.byte()?);
        let (id, length, many) = (input.signed()?, input.narrow()?, input.count()?);
        let term = |input: &mut Input<'a>| {
            let term = std::str::from_utf8(input.bytes()?);
            Ok((term.map_err(|_| Error::Damaged("a term is no text"))?, input.narrow()?))
        };
        let terms = (0..many).map(|_| term(&mut input)).collect::<Result<_>>()?;
        let (is_removal, shared) = (flags & REMOVAL > 0, flags & SHARED > 0);
        Ok(Self { number, is_removal, id, shared, length, terms })
    }

    /// Its row.
    pub(crate) fn row(&self) -> Row<'_> {
        Row { id: self.id, shared: self.shared, length: self.length, terms: &self.terms }
    }
}
