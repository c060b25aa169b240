//! Numbers as bytes: of variable length, and packed into bits.

use super::error::{Error, Result};

/// Appends a number, seven bits a byte.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(low(number) | 0x80);
        number >>= 7;
    }
    out.push(low(number));
}

/// The lowest eight bits.
#[must_use]
pub fn low(number: u64) -> u8 {
    number.to_le_bytes()[0]
}

/// A number of things in memory: there are never more than four thousand million.
#[must_use]
#[inline]
pub fn number(many: usize) -> u32 {
    u32::try_from(many).unwrap_or(u32::MAX)
}

/// Appends numbers.
pub fn put_all(out: &mut Vec<u8>, numbers: &[u64]) {
    for number in numbers {
        put(out, *number);
    }
}

/// Appends a number that may be negative.
pub fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

/// Appends bytes with their length.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Bytes that are read from their beginning.
#[derive(Debug, Clone)]
pub struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

const SHORT: Error = Error::Damaged("it ends too early");

impl<'a> Input<'a> {
    /// Reads bytes from a place on.
    #[must_use]
    pub fn at(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    #[cfg(test)]
    pub(crate) fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Reads one byte.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], as all that is read here, where the bytes are none that were written.
    #[inline]
    pub fn byte(&mut self) -> Result<u8> {
        let byte = *self.bytes.get(self.at).ok_or(SHORT)?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads a number.
    ///
    /// # Errors
    ///
    /// As [`byte`](Self::byte).
    #[inline]
    pub fn number(&mut self) -> Result<u64> {
        let first = self.byte()?;
        if first < 0x80 { Ok(u64::from(first)) } else { self.rest_of_number(first) }
    }

    fn rest_of_number(&mut self, first: u8) -> Result<u64> {
        let (mut number, mut shift) = (u64::from(first & 0x7f), 7);
        loop {
            let byte = self.byte()?;
            if shift > 63 || shift == 63 && byte > 1 {
                return Err(Error::Damaged("a number is too long"));
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    /// Reads a number that may be negative.
    ///
    /// # Errors
    ///
    /// As [`byte`](Self::byte).
    pub fn signed(&mut self) -> Result<i64> {
        let number = self.number()?;
        Ok((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    /// Reads a number of 32 bits.
    ///
    /// # Errors
    ///
    /// As [`byte`](Self::byte).
    #[inline]
    pub fn narrow(&mut self) -> Result<u32> {
        u32::try_from(self.number()?).map_err(|_| Error::Damaged("a number is too great"))
    }

    /// A number of things that each take at least one byte of the rest.
    ///
    /// # Errors
    ///
    /// As [`byte`](Self::byte).
    pub fn count(&mut self) -> Result<usize> {
        let count = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        if count > self.bytes.len() - self.at { Err(SHORT) } else { Ok(count) }
    }

    /// Reads a number of bytes.
    ///
    /// # Errors
    ///
    /// As [`byte`](Self::byte).
    pub fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length).ok_or(SHORT)?;
        let taken = self.bytes.get(self.at..end).ok_or(SHORT)?;
        self.at = end;
        Ok(taken)
    }

    /// Bytes that follow their length.
    ///
    /// # Errors
    ///
    /// As [`byte`](Self::byte).
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.count()?;
        self.take(length)
    }
}

/// The greatest number of bits that are packed.
pub(crate) const WIDEST: u32 = 56;

/// How many bits a number needs.
pub(crate) fn width(number: u64) -> u32 {
    64 - number.leading_zeros()
}

/// Reads at most [`WIDEST`] bits from a bit on; behind the end of the bytes there are none.
#[inline]
pub(crate) fn bits(bytes: &[u8], at: usize, width: u32) -> u64 {
    let Some(word) = bytes.get(at / 8..at / 8 + 8) else { return 0 };
    let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
    word >> (at % 8) & ((1 << width) - 1)
}

/// Packs numbers into bits.
#[derive(Debug)]
pub(crate) struct Packer<'o> {
    out: &'o mut Vec<u8>,
    held: u64,
    filled: u32,
}

impl<'o> Packer<'o> {
    pub(crate) fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, held: 0, filled: 0 }
    }

    /// Adds a number of at most [`WIDEST`] bits.
    #[inline]
    pub(crate) fn push(&mut self, number: u64, width: u32) {
        self.held |= number << self.filled;
        self.filled += width;
        while self.filled >= 8 {
            self.out.push(low(self.held));
            self.held >>= 8;
            self.filled -= 8;
        }
    }

    /// Fills the last byte.
    pub(crate) fn end(self) {
        if self.filled > 0 {
            self.out.push(low(self.held));
        }
    }
}

/// The end of what is sealed.
const SEAL: usize = 8;

/// Appends a checksum, which depends on where the bytes belong too.
pub fn seal(out: &mut Vec<u8>, place: u64) {
    let sum = checksum(out, place);
    out.extend_from_slice(&sum.to_le_bytes());
}

/// The bytes before their checksum, where it is right.
///
/// # Errors
///
/// [`Error::Damaged`], where it is wrong.
pub fn unsealed(bytes: &[u8], place: u64) -> Result<&[u8]> {
    let (body, sum) = bytes.split_last_chunk::<SEAL>().ok_or(SHORT)?;
    if checksum(body, place) == u64::from_le_bytes(*sum) {
        Ok(body)
    } else {
        Err(Error::Damaged("a checksum is wrong"))
    }
}

/// Four sums beside each other, so that a page costs little.
#[must_use]
pub fn checksum(bytes: &[u8], place: u64) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let stir = |sum: u64, word: u64| (sum ^ word).wrapping_mul(ODD).rotate_left(29);
    let mut sums = [place, !place, place.wrapping_add(ODD), bytes.len() as u64];
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = stir(*sum, u64::from_le_bytes(*word));
        }
    }
    for byte in rest {
        sums[0] = stir(sums[0], u64::from(*byte));
    }
    let sum = sums.into_iter().fold(ODD, stir);
    stir(sum ^ sum >> 32, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let mut out = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        put_all(&mut out, &numbers);
        let signed = [0, -1, 1, i64::MIN, i64::MAX];
        for number in signed {
            put_signed(&mut out, number);
        }
        let mut input = Input::at(&out, 0);
        for number in numbers {
            assert_eq!(input.number().ok(), Some(number));
        }
        for number in signed {
            assert_eq!(input.signed().ok(), Some(number));
        }
        assert!(input.is_done() && input.number().is_err());
        assert!(Input::at(&[0xff; 11], 0).number().is_err());
    }

    #[test]
    fn packed_bits_are_read_at_any_place() {
        for width in 1..=WIDEST {
            let numbers: Vec<u64> =
                (0..50_u64).map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width)).collect();
            let mut out = Vec::new();
            let mut packer = Packer::new(&mut out);
            for number in &numbers {
                packer.push(*number, width);
            }
            packer.end();
            assert_eq!(out.len(), (50 * width as usize).div_ceil(8));
            out.extend([0xff; 8]);
            for (at, number) in numbers.iter().enumerate() {
                assert_eq!(bits(&out, at * width as usize, width), *number, "{width}");
            }
        }
    }

    #[test]
    fn a_changed_byte_breaks_the_seal() {
        let mut bytes: Vec<u8> = (0..100).collect();
        seal(&mut bytes, 7);
        assert!(unsealed(&bytes, 7).is_ok() && unsealed(&bytes, 8).is_err());
        for at in 0..bytes.len() {
            bytes[at] ^= 4;
            assert!(unsealed(&bytes, 7).is_err(), "{at}");
            bytes[at] ^= 4;
        }
    }
}
