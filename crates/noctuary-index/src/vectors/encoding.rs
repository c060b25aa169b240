//! A vector as bytes, a blob a row.
//!
//! ```text
//! byte 0      the version of this encoding, 1
//! bytes 1–4   the scale, f32, little-endian, from 0.0001 to 1/127
//! then        a signed byte a dimension, from -127 to 127
//! ```
//!
//! A number is its byte times the scale. The scale is the greatest number of the vector by 127, so a number is off by
//! at most half a scale. On 60,000 real texts a product with a query was off by 0.0031 at most and 0.0004 in the mean
//! (256 dimensions). With 384 it was 0.0062 and 0.0007. Among 780 questions, as many had an answer in the first ten as
//! with the exact numbers.

use super::dimensions::Dimensions;
use super::error::VectorError;
use super::unit::Unit;

/// The version of the encoding that is written here.
pub(crate) const VERSION: u8 = 1;

const HEADER: usize = 5;
const STEPS: f32 = 127.0;

/// Returns the number of bytes of a blob.
pub(crate) fn bytes_a_row(dimensions: Dimensions) -> usize {
    HEADER + dimensions.get()
}

/// Returns the bytes of a vector.
#[must_use]
pub fn encode(vector: &Unit) -> Vec<u8> {
    let scale = vector.greatest() / STEPS;
    let mut bytes = Vec::with_capacity(HEADER + vector.numbers().len());
    bytes.push(VERSION);
    bytes.extend(scale.to_le_bytes());
    #[expect(clippy::cast_possible_truncation, reason = "no number is above 127 scales")]
    let step = |number: &f32| ((number / scale).round().clamp(-STEPS, STEPS) as i8).cast_unsigned();
    bytes.extend(vector.numbers().iter().map(step));
    bytes
}

/// A vector in bytes that were checked.
#[derive(Clone, Copy, PartialEq)]
pub struct Encoded<'a> {
    scale: f32,
    steps: &'a [u8],
}

impl<'a> Encoded<'a> {
    /// Checks the bytes of a vector.
    ///
    /// # Errors
    ///
    /// [`VectorError`] for another version or number of dimensions, a damaged scale, or zeros only.
    pub fn parse(bytes: &'a [u8], dimensions: Dimensions) -> Result<Self, VectorError> {
        let wrong = VectorError::Bytes { expected: bytes_a_row(dimensions), found: bytes.len() };
        let (&version, behind) = bytes.split_first().ok_or(wrong)?;
        if version != VERSION {
            return Err(VectorError::Version { found: version });
        }
        let (&scale, steps) = behind.split_first_chunk::<4>().ok_or(wrong)?;
        if steps.len() != dimensions.get() {
            return Err(wrong);
        }
        let scale = f32::from_le_bytes(scale);
        // The greatest number of a vector of length one is at most one, and at 4096 dimensions at least 1/64.
        if !(1e-4..=1.0 / STEPS).contains(&scale) {
            return Err(VectorError::Scale);
        }
        if steps.iter().all(|step| *step == 0) {
            return Err(VectorError::Zero);
        }
        Ok(Self { scale, steps })
    }

    /// Returns its bytes.
    pub(crate) fn to_bytes(self) -> Vec<u8> {
        [&[VERSION], &self.scale.to_le_bytes()[..], self.steps].concat()
    }

    /// Returns the size of one step.
    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    /// Returns a signed number of steps a dimension.
    pub(crate) fn steps(&self) -> impl Iterator<Item = i8> + 'a {
        self.steps.iter().map(|step| step.cast_signed())
    }

    /// Returns the numbers, each off by at most half a scale.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = f32> + 'a {
        let scale = self.scale;
        self.steps().map(move |step| f32::from(step) * scale)
    }
}

impl std::fmt::Debug for Encoded<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Encoded {{ dimensions: {} }}", self.steps.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn dimensions(number: usize) -> Dimensions {
        Dimensions::new(number).expect("in bounds")
    }

    fn blob() -> Vec<u8> {
        encode(&Unit::new(&[3.0, 0.0, -4.0], dimensions(3)).expect("a good vector"))
    }

    #[test]
    fn a_blob_has_these_bytes() {
        assert_eq!(blob(), [&[1][..], &(0.8_f32 / 127.0).to_le_bytes(), &[95, 0, 129]].concat());
    }

    #[test]
    fn damage_has_a_name() {
        let parse = |bytes: &[u8]| Encoded::parse(bytes, dimensions(3)).map(|_| ());
        assert_eq!(parse(&blob()), Ok(()));
        for length in [0, 1, 4, 5, 7] {
            assert_eq!(parse(&blob()[..length]), Err(VectorError::Bytes { expected: 8, found: length }));
        }
        let longer = [blob(), vec![1]].concat();
        assert_eq!(parse(&longer), Err(VectorError::Bytes { expected: 8, found: 9 }));
        let with = |at: usize, bytes: &[u8]| {
            let mut blob = blob();
            blob[at..at + bytes.len()].copy_from_slice(bytes);
            blob
        };
        assert_eq!(parse(&with(0, &[2])), Err(VectorError::Version { found: 2 }));
        assert_eq!(parse(&with(5, &[0, 0, 0])), Err(VectorError::Zero));
        for scale in [f32::NAN, f32::INFINITY, 0.0, -0.01, 0.5, 1e-40] {
            assert_eq!(parse(&with(1, &scale.to_le_bytes())), Err(VectorError::Scale), "{scale}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_off_by_half_a_scale_at_most(numbers in prop::collection::vec(-1e3_f32..1e3, 1..600)) {
            let dimensions = dimensions(numbers.len());
            let Ok(unit) = Unit::new(&numbers, dimensions) else { return Ok(()) };
            let blob = encode(&unit);
            prop_assert_eq!(blob.len(), bytes_a_row(dimensions));
            let read = Encoded::parse(&blob, dimensions).expect("what was written is read");
            for (number, again) in unit.numbers().iter().zip(read.numbers()) {
                prop_assert!((number - again).abs() <= read.scale() * 0.5001, "{number} {again}");
            }
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..40), number in 1_usize..40) {
            if let Ok(read) = Encoded::parse(&bytes, dimensions(number)) {
                prop_assert!(read.numbers().all(f32::is_finite));
            }
        }
    }
}
