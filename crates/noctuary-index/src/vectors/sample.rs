//! The vectors of a sample of rows, in memory: they show how all rows are spread around a query.

use std::collections::BTreeMap;

use super::encoding::Encoded;

/// Approximate number of rows in a sample. Their ids choose them, so they are the same whatever their order.
const SAMPLED: u64 = 256;
/// The most that are held before those that no longer belong to it are removed.
const MAX_HELD: usize = 3 * 256;

/// Returns whether a row is in the sample, by the number of rows.
pub(super) fn is_sampled(id: i64, rows: usize) -> bool {
    let mixed = id.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed / SAMPLED <= u64::MAX / (rows as u64).max(1)
}

/// The vectors of sampled rows. The more rows there are, the fewer of them are sampled.
#[derive(Clone, Default)]
pub(super) struct Sample {
    rows: BTreeMap<i64, Vec<u8>>,
    /// With fewer rows than these it is not whole.
    whole_from: usize,
}

impl Sample {
    /// Takes a row that came or changed, with the number of all rows.
    pub(super) fn put(&mut self, id: i64, row: &Encoded<'_>, rows: usize) {
        if !is_sampled(id, rows) {
            self.rows.remove(&id);
            self.whole_from = self.whole_from.max(rows);
            return;
        }
        self.rows.insert(id, row.to_bytes());
        if self.rows.len() > MAX_HELD {
            self.rows.retain(|id, _| is_sampled(*id, rows));
            self.whole_from = self.whole_from.max(rows);
        }
    }

    pub(super) fn remove(&mut self, id: i64) {
        self.rows.remove(&id);
    }

    /// Returns the sampled rows with their vectors, by id; `None` where some are not held.
    pub(super) fn of(&self, rows: usize) -> Option<impl Iterator<Item = (i64, &[u8])>> {
        let sampled = move |(id, _): &(&i64, &Vec<u8>)| is_sampled(**id, rows);
        let all = self.rows.iter().filter(sampled).map(|(id, bytes)| (*id, bytes.as_slice()));
        (rows >= self.whole_from).then_some(all)
    }

    /// Returns about how many bytes of memory are in use.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.rows.values().map(|bytes| bytes.capacity() + size_of::<(i64, Vec<u8>)>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::dimensions::Dimensions;
    use super::super::encoding::encode;
    use super::super::unit::Unit;
    use super::*;

    fn bytes(number: f32) -> Vec<u8> {
        encode(&Unit::new(&[1.0, number], Dimensions::new(2).expect("in bounds")).expect("a good vector"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Rows come, change and leave in any order. A sample that says it is whole has each sampled row as it is now.
        #[test]
        fn a_whole_sample_lacks_no_row_and_has_no_other(
            steps in prop::collection::vec((0..3000_i64, prop::bool::weighted(0.8), 0..9_u8), 0..6000),
        ) {
            let (mut sample, mut all) = (Sample::default(), BTreeMap::new());
            for (id, is_put, number) in steps {
                if is_put {
                    let bytes = bytes(f32::from(number) / 10.0);
                    all.insert(id, bytes.clone());
                    let row = Encoded::parse(&bytes, Dimensions::new(2).expect("in bounds")).expect("good bytes");
                    sample.put(id, &row, all.len());
                } else {
                    all.remove(&id);
                    sample.remove(id);
                }
                prop_assert!(sample.rows.len() <= MAX_HELD + 1);
            }
            let of_all = all.iter().filter(|(id, _)| is_sampled(**id, all.len()));
            let expected: Vec<(i64, &[u8])> = of_all.map(|(id, bytes)| (*id, bytes.as_slice())).collect();
            if let Some(held) = sample.of(all.len()) {
                prop_assert_eq!(held.collect::<Vec<_>>(), expected);
            }
        }
    }

    #[test]
    fn a_sample_of_rows_that_only_come_is_whole() {
        let (mut sample, bytes) = (Sample::default(), bytes(0.5));
        let row = Encoded::parse(&bytes, Dimensions::new(2).expect("in bounds")).expect("good bytes");
        for id in 0..20_000 {
            sample.put(id, &row, usize::try_from(id).expect("above zero") + 1);
        }
        let held = sample.of(20_000).expect("whole").count();
        assert!((180..340).contains(&held), "{held}");
    }
}
