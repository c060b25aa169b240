//! The mean of a generation's vectors.

use super::dimensions::Dimensions;
use super::encoding::Encoded;

/// The mean of vectors, kept as sums of whole numbers: the same whatever the order of the rows.
///
/// Many models give all texts a common part. A sign against the mean says more than a sign against zero then.
/// A search is right with any centre, and finds a little less through a bad one. Take it once from the rows there
/// are, and keep it while the generation serves.
#[derive(Clone, PartialEq, Eq)]
pub struct Centre {
    dimensions: Dimensions,
    sums: Vec<i64>,
    rows: u32,
}

/// Steps of a number up to 1: sums of all rows that can be counted fit.
const STEPS: f32 = 16_777_216.0;

impl Centre {
    /// Returns the centre of no rows, which is zero in every dimension.
    #[must_use]
    pub fn new(dimensions: Dimensions) -> Self {
        Self { dimensions, sums: vec![0; dimensions.get()], rows: 0 }
    }

    /// Counts a row in.
    pub fn add(&mut self, row: &Encoded<'_>) {
        if self.rows == u32::MAX {
            return; // four thousand million rows have said where the centre is
        }
        self.rows += 1;
        for (sum, number) in self.sums.iter_mut().zip(row.numbers()) {
            #[expect(clippy::cast_possible_truncation, reason = "a number is within -128 and 128")]
            let steps = (number * STEPS).round() as i64;
            *sum += steps;
        }
    }

    /// Returns the dimensions of its vectors.
    pub(crate) fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// Returns the mean in each dimension.
    pub(crate) fn mean(&self) -> Vec<f32> {
        let rows = f64::from(self.rows.max(1));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a mean needs no more"
        )]
        let mean = |sum: &i64| (*sum as f64 / rows / f64::from(STEPS)) as f32;
        self.sums.iter().map(mean).collect()
    }
}

impl std::fmt::Debug for Centre {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Centre {{ dimensions: {}, rows: {} }}", self.dimensions.get(), self.rows)
    }
}

#[cfg(test)]
mod tests {
    use super::super::encoding::encode;
    use super::super::error::VectorError;
    use super::super::unit::Unit;
    use super::*;

    #[test]
    fn the_centre_is_the_mean_in_whatever_order() -> Result<(), VectorError> {
        let dimensions = Dimensions::new(2)?;
        let rows: Vec<Vec<u8>> = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [-0.6, 0.8]]
            .iter()
            .map(|row| Unit::new(row, dimensions).map(|unit| encode(&unit)))
            .collect::<Result<_, _>>()?;
        let (mut forth, mut back) = (Centre::new(dimensions), Centre::new(dimensions));
        assert_eq!(forth.mean(), [0.0, 0.0]);
        for row in &rows {
            forth.add(&Encoded::parse(row, dimensions)?);
        }
        for row in rows.iter().rev() {
            back.add(&Encoded::parse(row, dimensions)?);
        }
        assert_eq!(forth, back);
        let mean = forth.mean();
        assert!((mean[0] - 0.25).abs() < 0.005 && (mean[1] - 0.65).abs() < 0.005, "{mean:?}");
        Ok(())
    }
}
