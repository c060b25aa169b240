//! A vector of length one.

use super::dimensions::Dimensions;
use super::error::VectorError;

/// A vector of length one, with finite numbers only.
#[derive(Clone, PartialEq)]
pub struct Unit(Vec<f32>);

impl Unit {
    /// Checks a vector and brings it to length one.
    ///
    /// # Errors
    ///
    /// [`VectorError`] for another number of dimensions, a number that is not finite, or zeros only.
    pub(crate) fn new(numbers: &[f32], dimensions: Dimensions) -> Result<Self, VectorError> {
        if numbers.len() != dimensions.get() {
            return Err(VectorError::Length { expected: dimensions.get(), found: numbers.len() });
        }
        if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
            return Err(VectorError::NotFinite { at });
        }
        // In f64 the squares of the greatest and of the smallest f32 are numbers still.
        let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        if length == 0.0 {
            return Err(VectorError::Zero);
        }
        #[expect(clippy::cast_possible_truncation, reason = "a share of the length is within -1 and 1")]
        let share = |number: &f32| (f64::from(*number) / length) as f32;
        Ok(Self(numbers.iter().map(share).collect()))
    }

    /// Returns its numbers.
    pub(crate) fn numbers(&self) -> &[f32] {
        &self.0
    }

    /// Returns the greatest number, without its sign; above 0.
    pub(crate) fn greatest(&self) -> f32 {
        self.0.iter().fold(0.0, |most, number| number.abs().max(most))
    }
}

impl std::fmt::Debug for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Numbers of a vector tell about its text.
        write!(f, "Unit {{ dimensions: {} }}", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(numbers: &[f32]) -> Result<Unit, VectorError> {
        Unit::new(numbers, Dimensions::new(3)?)
    }

    #[test]
    fn a_vector_comes_to_length_one() -> Result<(), VectorError> {
        assert_eq!(unit(&[3.0, 0.0, -4.0])?.numbers(), [0.6, 0.0, -0.8]);
        Ok(())
    }

    #[test]
    fn the_greatest_and_the_smallest_numbers_are_no_trouble() -> Result<(), VectorError> {
        for size in [f32::MAX, f32::MIN_POSITIVE, 1e-45] {
            assert_eq!(unit(&[size, 0.0, 0.0])?.numbers(), [1.0, 0.0, 0.0]);
        }
        Ok(())
    }

    #[test]
    fn what_has_no_direction_is_refused() {
        assert_eq!(unit(&[0.0, -0.0, 0.0]), Err(VectorError::Zero));
        assert_eq!(unit(&[0.0, f32::NAN, 1.0]), Err(VectorError::NotFinite { at: 1 }));
        assert_eq!(unit(&[0.0, 1.0, f32::NEG_INFINITY]), Err(VectorError::NotFinite { at: 2 }));
        assert_eq!(unit(&[1.0]), Err(VectorError::Length { expected: 3, found: 1 }));
    }
}
