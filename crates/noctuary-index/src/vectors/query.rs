//! A query's vector, made ready for each step of a search.

use super::dimensions::Dimensions;
use super::encoding::Encoded;
use super::unit::Unit;

/// The vector of a query, in whole numbers.
#[derive(Clone, PartialEq)]
pub struct VectorQuery {
    dimensions: Dimensions,
    scale: f32,
    steps: Vec<i16>,
}

/// With 127 of a row, the sum of 4096 products fits in 31 bits.
const STEPS: f32 = 2047.0;

impl VectorQuery {
    /// Makes a query out of a vector.
    ///
    /// # Panics
    ///
    /// Never: a [`Unit`] has dimensions in bounds.
    #[must_use]
    pub fn new(vector: &Unit) -> Self {
        let dimensions = Dimensions::new(vector.numbers().len()).expect("a unit has dimensions in bounds");
        let scale = vector.greatest() / STEPS;
        #[expect(clippy::cast_possible_truncation, reason = "no number is above 2047 scales")]
        let step = |number: &f32| (number / scale).round().clamp(-STEPS, STEPS) as i16;
        Self { dimensions, scale, steps: vector.numbers().iter().map(step).collect() }
    }

    /// Returns the dimensions of its vector.
    pub(crate) fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// Returns the cosine with a row, from -1 to 1 except for the loss of the encoding.
    #[must_use]
    pub fn cosine(&self, row: &Encoded<'_>) -> f32 {
        let products = self.steps.iter().zip(row.steps());
        let sum: i32 = products.map(|(mine, theirs)| i32::from(*mine) * i32::from(theirs)).sum();
        #[expect(clippy::cast_precision_loss, reason = "seven digits are more than the encoding has")]
        let sum = sum as f32;
        sum * self.scale * row.scale()
    }

    /// Returns the query as it is compared with signs against a mean.
    ///
    /// Rows differ little along their mean, while a sign counts each dimension alike. The query's own part along the
    /// mean would hide the rest, so it is taken off. A long mean takes off all of it, a short one hardly any.
    pub(crate) fn against(&self, mean: &[f32]) -> Signed {
        let numbers = || self.steps.iter().map(|step| f64::from(*step) * f64::from(self.scale));
        let along: f64 = numbers().zip(mean).map(|(number, mean)| number * f64::from(*mean)).sum();
        let rest = || numbers().zip(mean).map(|(number, mean)| number - along * f64::from(*mean));
        let greatest = rest().fold(0.0, |most: f64, number| number.abs().max(most));
        let scale = if greatest > 0.0 { f64::from(STEPS) / greatest } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "no number is above 2047 after scaling")]
        let step = |number: f64| (number * scale).round().clamp(-f64::from(STEPS), f64::from(STEPS)) as i16;
        Signed(rest().map(step).collect())
    }
}

/// A query to compare with one bit a dimension.
pub(crate) struct Signed(Vec<i16>);

impl Signed {
    /// Returns a bit a dimension: set where the query is above zero.
    pub(crate) fn bits(&self) -> Vec<u64> {
        let bit = |(at, step): (usize, &i16)| u64::from(*step > 0) << at;
        self.0.chunks(64).map(|part| part.iter().enumerate().map(bit).sum()).collect()
    }

    /// Returns, for each byte of a row's bits and each value of it, the sum of the query's numbers at set bits.
    pub(crate) fn sums(&self) -> Vec<[i32; 256]> {
        let mut sums = vec![[0; 256]; self.0.len().div_ceil(64) * 8];
        for (sums, steps) in sums.iter_mut().zip(self.0.chunks(8)) {
            for value in 1..256_usize {
                let lowest = value.trailing_zeros() as usize;
                sums[value] =
                    sums[value & (value - 1)] + steps.get(lowest).map_or(0, |step| i32::from(*step));
            }
        }
        sums
    }
}

impl std::fmt::Debug for VectorQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VectorQuery {{ dimensions: {} }}", self.dimensions.get())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::encoding::encode;
    use super::*;

    fn unit(numbers: &[f32]) -> Unit {
        Unit::new(numbers, Dimensions::new(numbers.len()).expect("in bounds")).expect("a good vector")
    }

    #[test]
    fn the_greatest_sum_fits() {
        let ones = unit(&vec![1.0; 4096]);
        let (query, row) = (VectorQuery::new(&ones), encode(&ones));
        let row = Encoded::parse(&row, query.dimensions()).expect("what was written is read");
        assert!((query.cosine(&row) - 1.0).abs() < 1e-4);
        assert!((VectorQuery::new(&unit(&vec![-1.0; 4096])).cosine(&row) + 1.0).abs() < 1e-4);
    }

    #[test]
    fn sums_are_of_the_dimensions_whose_bit_is_set() {
        let query =
            VectorQuery::new(&unit(&[1.0, -0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25])).against(&[0.0; 9]);
        assert_eq!(query.bits(), [0b1_0000_0001]);
        let sums = query.sums();
        assert_eq!(
            (sums.len(), sums[0][0b11], sums[0][0b10], sums[1][1], sums[1][2]),
            (8, 2047 - 1024, -1024, 512, 0)
        );
    }

    #[test]
    fn the_part_along_the_mean_is_taken_off() {
        let query = VectorQuery::new(&unit(&[1.0, 0.1, -0.1]));
        assert_eq!(query.against(&[0.0; 3]).0, [2047, 205, -205]);
        assert_eq!(query.against(&[1.0, 0.0, 0.0]).0, [0, 2047, -2047]);
        assert_eq!(VectorQuery::new(&unit(&[1.0, 0.0])).against(&[1.0, 0.0]).0, [0, 0]);
    }

    proptest! {
        #[test]
        fn a_cosine_is_near_the_exact_one(
            pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 2..500)
        ) {
            let (one, other): (Vec<f32>, Vec<f32>) = pairs.into_iter().unzip();
            let (one, other) = (unit(&one), unit(&other));
            let exact: f32 = one.numbers().iter().zip(other.numbers()).map(|(one, other)| one * other).sum();
            let (query, row) = (VectorQuery::new(&one), encode(&other));
            let row = Encoded::parse(&row, query.dimensions()).expect("what was written is read");
            prop_assert!((query.cosine(&row) - exact).abs() < 0.01, "{} {exact}", query.cosine(&row));
        }
    }
}
