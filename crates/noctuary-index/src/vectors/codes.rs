//! One bit a dimension of each row, in memory.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::centre::Centre;
use super::dimensions::Dimensions;
use super::encoding::Encoded;
use super::error::VectorError;
use super::sample::Sample;

/// The rows of one generation, by one bit a dimension: the sign against the [`Centre`].
///
/// Nothing here is on disk; it is rebuilt from the blobs. Rows may come, change and leave one at a time.
#[derive(Clone)]
pub struct Codes {
    dimensions: Dimensions,
    centre: Vec<f32>,
    /// The words of each slot, one slot behind the other.
    bits: Vec<u64>,
    ids: Vec<i64>,
    slots: HashMap<i64, u32>,
    sample: Sample,
}

impl Codes {
    /// Returns codes without rows, against a centre.
    #[must_use]
    pub fn new(centre: &Centre) -> Self {
        Self {
            dimensions: centre.dimensions(),
            centre: centre.mean(),
            bits: Vec::new(),
            ids: Vec::new(),
            slots: HashMap::new(),
            sample: Sample::default(),
        }
    }

    /// Adds a row, or replaces the row with its id.
    ///
    /// # Errors
    ///
    /// [`VectorError::Length`], if the row has another number of dimensions; nothing is changed then.
    pub fn insert(&mut self, id: i64, row: &Encoded<'_>) -> Result<(), VectorError> {
        let (expected, found) = (self.dimensions.get(), row.steps().count());
        if found != expected {
            return Err(VectorError::Length { expected, found });
        }
        let words = self.dimensions.words();
        let end = self.ids.len();
        let slot = match self.slots.entry(id) {
            Entry::Occupied(there) => *there.get() as usize,
            Entry::Vacant(free) => {
                free.insert(u32::try_from(end).expect("four thousand million codes do not fit in memory"));
                self.ids.push(id);
                self.bits.resize(self.bits.len() + words, 0);
                end
            }
        };
        let code = &mut self.bits[slot * words..(slot + 1) * words];
        code.fill(0);
        for (at, (number, mean)) in row.numbers().zip(&self.centre).enumerate() {
            code[at / 64] |= u64::from(number > *mean) << (at % 64);
        }
        self.sample.put(id, row, self.ids.len());
        Ok(())
    }

    /// Removes a row, and returns whether it was here.
    pub fn remove(&mut self, id: i64) -> bool {
        let Some(slot) = self.slots.remove(&id) else { return false };
        self.sample.remove(id);
        let (at, last, words) = (slot as usize, self.ids.len() - 1, self.dimensions.words());
        self.ids.swap_remove(at);
        self.bits.copy_within(last * words.., at * words);
        self.bits.truncate(last * words);
        if let Some(moved) = self.ids.get(at) {
            self.slots.insert(*moved, slot);
        }
        true
    }

    /// Returns whether a row is here.
    #[cfg(test)]
    pub(crate) fn contains(&self, id: i64) -> bool {
        self.slots.contains_key(&id)
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the dimensions of its vectors.
    #[must_use]
    pub fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// Returns about how many bytes of memory are in use.
    ///
    /// A row costs an eighth of a byte a dimension, and 30 to 35 bytes for its id and its place. After a [`shrink`](Self::shrink)
    /// that is about 80 bytes at 384 dimensions. The vectors of some hundred rows are held beside that. While rows are added one
    /// at a time, up to as much again is held in reserve.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        // A place in the map is its id, its slot, and one byte of the map's own.
        let map = self.slots.capacity() * 8 / 7 * (size_of::<(i64, u32)>() + 1);
        self.bits.capacity() * 8 + self.ids.capacity() * 8 + map + self.sample.memory()
    }

    /// Gives back what was held in reserve.
    pub fn shrink(&mut self) {
        self.bits.shrink_to_fit();
        self.ids.shrink_to_fit();
        self.slots.shrink_to_fit();
    }

    /// The mean that the signs are against.
    pub(crate) fn mean(&self) -> &[f32] {
        &self.centre
    }

    /// The words of all rows, in the order of their slots.
    pub(crate) fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// The vectors of a sample of them.
    pub(super) fn sample(&self) -> &Sample {
        &self.sample
    }

    pub(crate) fn ids(&self) -> &[i64] {
        &self.ids
    }

    /// The words of one row.
    pub(crate) fn code(&self, slot: usize) -> &[u64] {
        let words = self.dimensions.words();
        &self.bits[slot * words..(slot + 1) * words]
    }
}

impl std::fmt::Debug for Codes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Codes {{ dimensions: {}, rows: {} }}", self.dimensions.get(), self.ids.len())
    }
}

#[cfg(test)]
mod tests {
    use super::super::encoding::encode;
    use super::super::unit::Unit;
    use super::*;

    fn dimensions() -> Dimensions {
        Dimensions::new(3).expect("in bounds")
    }

    fn blob(numbers: &[f32]) -> Vec<u8> {
        encode(&Unit::new(numbers, dimensions()).expect("a good vector"))
    }

    fn insert(codes: &mut Codes, id: i64, numbers: &[f32]) {
        let blob = blob(numbers);
        let row = Encoded::parse(&blob, dimensions()).expect("what was written is read");
        codes.insert(id, &row).expect("the dimensions agree");
    }

    /// Id and bits, in the order of ids.
    fn rows(codes: &Codes) -> Vec<(i64, u64)> {
        let row = |(slot, id): (usize, &i64)| (*id, codes.code(slot)[0]);
        let mut rows: Vec<_> = codes.ids().iter().enumerate().map(row).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn rows_come_change_and_leave() {
        let mut codes = Codes::new(&Centre::new(dimensions()));
        insert(&mut codes, 7, &[1.0, -1.0, 1.0]);
        insert(&mut codes, 3, &[-1.0, 1.0, 0.0]);
        insert(&mut codes, 9, &[1.0, 1.0, 1.0]);
        assert_eq!(rows(&codes), [(3, 0b010), (7, 0b101), (9, 0b111)]);
        insert(&mut codes, 7, &[-1.0, 0.0, 1.0]);
        assert!(codes.remove(3) && !codes.remove(3) && !codes.contains(3));
        assert_eq!(rows(&codes), [(7, 0b100), (9, 0b111)]);
        // The last row has moved into the free slot, and is found there.
        insert(&mut codes, 9, &[-1.0, -1.0, 1.0]);
        assert_eq!(rows(&codes), [(7, 0b100), (9, 0b100)]);
        assert!(codes.remove(9) && codes.remove(7) && codes.is_empty());
        insert(&mut codes, 9, &[1.0, 0.0, 0.0]);
        assert_eq!(rows(&codes), [(9, 0b001)]);
    }

    #[test]
    fn a_bit_is_the_sign_against_the_centre() {
        let mut centre = Centre::new(dimensions());
        for numbers in [[1.0, 0.5, 0.0], [1.0, 0.0, 0.5]] {
            centre.add(&Encoded::parse(&blob(&numbers), dimensions()).expect("what was written is read"));
        }
        let mut codes = Codes::new(&centre);
        insert(&mut codes, 1, &[1.0, 0.5, 0.0]);
        assert_eq!(rows(&codes), [(1, 0b010)], "0.89 and 0.45 against means of 0.89 and 0.22");
    }

    #[test]
    fn a_row_of_another_model_is_refused() {
        let mut codes = Codes::new(&Centre::new(Dimensions::new(4).expect("in bounds")));
        let blob = blob(&[1.0, 0.0, 0.0]);
        let row = Encoded::parse(&blob, dimensions()).expect("what was written is read");
        assert_eq!(codes.insert(1, &row), Err(VectorError::Length { expected: 4, found: 3 }));
        assert!(codes.is_empty() && codes.memory() == 0);
    }
}
