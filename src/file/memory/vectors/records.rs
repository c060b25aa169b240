//! The bytes of the vectors beside a file of rows.
//!
//! ```text
//! 8 bytes   "noctvec", and the version of what follows
//! records   each: the length of its body in 4 bytes, its body, and a checksum of both and of their place in 8 bytes
//! ```
//!
//! A number in a body has seven bits a byte, the lowest first. One that may be negative has its sign in the lowest bit.

use crate::search::postings::bits::{Input, number, put, put_bytes, put_signed, seal, unsealed};
use crate::search::postings::{Error, Result};

use super::super::span::Span;

/// The beginning of the file, with the version of its records.
pub(in crate::file::memory) const MAGIC: &[u8; 8] = b"noctvec\x01";

/// A record of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record<'a> {
    /// States that were here before had numbers up to this one.
    Begun { last: u64 },
    /// A generation is to have vectors.
    Generation { generation: u64, dimensions: u64, name: &'a str },
    /// A generation serves, and no other.
    Serves { generation: u64 },
    /// The state of a row, in place of any earlier one in its generation.
    State { number: u64, generation: u64, row: i64, revision: u64, said: Said<'a> },
}

/// The state of a row in a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said<'a> {
    Vector(&'a [u8]),
    Failed(u32),
    Skipped,
}

/// The beginning of some bytes.
pub(super) enum First<'a> {
    /// A record, with its bytes.
    Whole(Record<'a>, u32),
    /// The beginning of a record, or none.
    Short,
    /// Bytes that no store wrote there.
    Bad,
}

const BEGUN: u8 = 0;
const GENERATION: u8 = 1;
const SERVES: u8 = 2;
const VECTOR: u8 = 3;
const FAILED: u8 = 4;
const SKIPPED: u8 = 5;

/// The bytes before a body, and behind it.
const LENGTH: usize = 4;
const SEAL: usize = 8;

impl<'a> Record<'a> {
    /// Adds it to bytes that begin at a place in the file; returns its own place.
    pub(super) fn put(&self, out: &mut Vec<u8>, from: u64) -> Span {
        let at = from + out.len() as u64;
        let mut record = vec![0; LENGTH];
        self.put_body(&mut record);
        let body = number(record.len() - LENGTH);
        record[..LENGTH].copy_from_slice(&body.to_le_bytes());
        seal(&mut record, at);
        out.extend_from_slice(&record);
        Span { at, len: number(record.len()) }
    }

    fn put_body(&self, out: &mut Vec<u8>) {
        match *self {
            Self::Begun { last } => {
                out.push(BEGUN);
                put(out, last);
            }
            Self::Generation { generation, dimensions, name } => {
                out.push(GENERATION);
                put(out, generation);
                put(out, dimensions);
                put_bytes(out, name.as_bytes());
            }
            Self::Serves { generation } => {
                out.push(SERVES);
                put(out, generation);
            }
            Self::State { number, generation, row, revision, said } => {
                out.push(match said {
                    Said::Vector(_) => VECTOR,
                    Said::Failed(_) => FAILED,
                    Said::Skipped => SKIPPED,
                });
                put(out, number);
                put(out, generation);
                put_signed(out, row);
                out.extend_from_slice(&revision.to_le_bytes());
                match said {
                    Said::Vector(bytes) => put_bytes(out, bytes),
                    Said::Failed(attempts) => put(out, attempts.into()),
                    Said::Skipped => {}
                }
            }
        }
    }

    /// Reads the record at the beginning of bytes that lie at a place in the file.
    pub(super) fn first(bytes: &'a [u8], at: u64) -> First<'a> {
        let Some(length) = bytes.first_chunk::<LENGTH>() else { return First::Short };
        let whole = (u32::from_le_bytes(*length) as usize).saturating_add(LENGTH + SEAL);
        let Some(record) = bytes.get(..whole) else { return First::Short };
        match unsealed(record, at).and_then(|sealed| Self::parse(&sealed[LENGTH..])) {
            Ok(record) => First::Whole(record, number(whole)),
            Err(_) => First::Bad,
        }
    }

    fn parse(body: &'a [u8]) -> Result<Self> {
        let mut input = Input::at(body, 0);
        let input = &mut input;
        Ok(match input.byte()? {
            BEGUN => Self::Begun { last: input.number()? },
            GENERATION => {
                let (generation, dimensions) = (input.number()?, input.number()?);
                let name = std::str::from_utf8(input.bytes()?);
                let name = name.map_err(|_| Error::Damaged("the name of a generation is no text"))?;
                Self::Generation { generation, dimensions, name }
            }
            SERVES => Self::Serves { generation: input.number()? },
            kind @ VECTOR..=SKIPPED => {
                let (number, generation, row) = (input.number()?, input.number()?, input.signed()?);
                let revision = input.take(8)?.try_into().map_or(0, u64::from_le_bytes);
                let said = match kind {
                    VECTOR => Said::Vector(input.bytes()?),
                    FAILED => Said::Failed(input.narrow()?),
                    _ => Said::Skipped,
                };
                Self::State { number, generation, row, revision, said }
            }
            _ => return Err(Error::Damaged("a record is of no known kind")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records() -> Vec<Record<'static>> {
        let state =
            |number, row, said| Record::State { number, generation: 2, row, revision: u64::MAX - 9, said };
        vec![
            Record::Begun { last: 300 },
            Record::Generation { generation: 2, dimensions: 384, name: "text=1 dims=384" },
            state(301, 7, Said::Vector(&[1, 2, 3])),
            state(302, -4, Said::Failed(9)),
            state(303, i64::MAX, Said::Skipped),
            Record::Serves { generation: 2 },
        ]
    }

    #[test]
    fn records_are_read_as_they_were_written() {
        let mut bytes = Vec::new();
        let spans: Vec<Span> = records().iter().map(|record| record.put(&mut bytes, 8)).collect();
        let mut at = 0;
        for (record, span) in records().iter().zip(spans) {
            let First::Whole(read, len) = Record::first(&bytes[at..], 8 + at as u64) else {
                panic!("{record:?} is not read");
            };
            assert_eq!((&read, span), (record, Span { at: 8 + at as u64, len }));
            at += len as usize;
        }
        assert_eq!(at, bytes.len());
    }

    #[test]
    fn a_record_that_is_cut_flipped_or_elsewhere_is_none() {
        for record in records() {
            let mut bytes = Vec::new();
            record.put(&mut bytes, 40);
            assert!(matches!(Record::first(&bytes, 41), First::Bad));
            for cut in 0..bytes.len() {
                assert!(matches!(Record::first(&bytes[..cut], 40), First::Short), "{record:?} {cut}");
            }
            for at in 0..bytes.len() {
                bytes[at] ^= 0x10;
                assert!(!matches!(Record::first(&bytes, 40), First::Whole(..)), "{record:?} {at}");
                bytes[at] ^= 0x10;
            }
        }
    }
}
