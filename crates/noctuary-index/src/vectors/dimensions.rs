//! The number of dimensions of a model.

use super::error::VectorError;

/// A number of dimensions from 1 to 4096.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Dimensions(u16);

impl Dimensions {
    /// The most dimensions that a model may have.
    pub(crate) const MOST: usize = 4096;

    /// Returns the number as a type.
    ///
    /// # Errors
    ///
    /// [`VectorError::Dimensions`] for 0 and for more than 4096.
    pub fn new(dimensions: usize) -> Result<Self, VectorError> {
        match u16::try_from(dimensions) {
            Ok(number) if (1..=Self::MOST).contains(&dimensions) => Ok(Self(number)),
            _ => Err(VectorError::Dimensions { found: dimensions }),
        }
    }

    /// Returns the number.
    #[must_use]
    pub fn get(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the number of words of 64 bits that hold one bit a dimension.
    pub(crate) fn words(self) -> usize {
        self.get().div_ceil(64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_4096_are_the_bounds() {
        for (number, is_in) in
            [(0, false), (1, true), (384, true), (4096, true), (4097, false), (70_000, false)]
        {
            let read = Dimensions::new(number);
            assert_eq!(read.is_ok(), is_in, "{number}");
            assert!(read.is_ok() || read == Err(VectorError::Dimensions { found: number }));
        }
        assert_eq!(Dimensions::new(384).map(Dimensions::words), Ok(6));
        assert_eq!(Dimensions::new(65).map(Dimensions::words), Ok(2));
    }
}
