//! The search for the nearest rows, in three steps.

use std::cmp::Reverse;

use super::codes::Codes;
use super::encoding::Encoded;
use super::error::VectorError;
use super::fusion::Scored;
use super::nearest::{Nearest, Place};
use super::query::{Signed, VectorQuery};
use super::sample::is_sampled;

/// How many rows go from one step of a search to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// Number of rows up to which all are compared exactly, without their bits.
    pub(crate) exact: usize,
    /// How many rows pass on the number of different bits.
    pub(crate) near: usize,
    /// How many of these pass on the query's own numbers against the bits; their blobs are read.
    pub(crate) rescored: usize,
}

impl Default for Effort {
    fn default() -> Self {
        Self { exact: 2000, near: 2048, rescored: 200 }
    }
}

/// The rows that are asked for.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Maximum number of rows.
    pub limit: usize,
    /// Says whether a row may be found; asked for rows that are near enough only. A row that it refuses takes no
    /// other row's place.
    pub allows: Option<&'a dyn Fn(i64) -> bool>,
    /// How many rows are looked at more closely.
    pub(super) effort: Effort,
}

impl Wanted<'_> {
    /// Asks for a number of rows, with the usual effort and without a filter.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, allows: None, effort: Effort::default() }
    }
}

impl Wanted<'_> {
    fn takes(&self, id: i64) -> bool {
        self.allows.is_none_or(|allows| allows(id))
    }
}

impl std::fmt::Debug for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { limit, effort, .. } = self;
        write!(f, "Wanted {{ limit: {limit}, effort: {effort:?}, .. }}")
    }
}

/// The rows that were found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// The nearest first, by cosine; of equal rows the greater id is first.
    pub rows: Vec<Scored>,
    /// Rows whose bytes cannot be read. Embed their texts again.
    pub damaged: Vec<i64>,
    /// The cosines of all rows; `None` of too few.
    pub spread: Option<Spread>,
}

/// The cosines of all rows with a query; of many rows, by a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The number of rows.
    pub rows: usize,
    /// The mean of their cosines.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl Spread {
    /// Returns the spread of cosines of the rows. `None` of too few, and of rows that are all alike.
    fn of(cosines: impl Iterator<Item = f64> + Clone, rows: usize) -> Option<Self> {
        let count = f64::from(u32::try_from(cosines.clone().count()).ok().filter(|count| *count >= FEWEST)?);
        let mean = cosines.clone().sum::<f64>() / count;
        let deviation = (cosines.map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count).sqrt();
        (deviation > 0.0).then_some(Self { rows, mean, deviation })
    }
}

/// A spread of fewer rows says nothing.
const FEWEST: u32 = 16;
impl Codes {
    /// Returns the rows nearest to a query.
    ///
    /// `read` is called at most once, with the ids whose blobs are needed, in rising order. It hands over id and blob
    /// of each. One that it leaves out is not found, and one that was not asked for is passed over.
    ///
    /// # Errors
    ///
    /// [`VectorError::Length`], if the query has another number of dimensions, and errors of `read`.
    pub fn search<E: From<VectorError>>(
        &self,
        query: &VectorQuery,
        wanted: &Wanted<'_>,
        read: impl FnOnce(&[i64], &mut dyn FnMut(i64, &[u8])) -> Result<(), E>,
    ) -> Result<Found, E> {
        let (expected, found) = (self.dimensions().get(), query.dimensions().get());
        if found != expected {
            return Err(VectorError::Length { expected, found }.into());
        }
        let mut ids: Vec<i64> = self.candidates(query, wanted).iter().map(|(_, id, _)| id.0).collect();
        let is_whole = self.is_compared_whole(wanted);
        let mut found = Found::default();
        if let Some(sample) = self.sample().of(self.len()).filter(|_| !is_whole) {
            for (id, bytes) in sample.filter(|(id, _)| wanted.takes(*id)) {
                let row = Encoded::parse(bytes, self.dimensions())?;
                found.rows.push(Scored { id, score: f64::from(query.cosine(&row)) });
            }
            ids.retain(|id| !is_sampled(*id, self.len()));
        } else if !is_whole {
            let sampled = |id: &i64| is_sampled(*id, self.len()) && wanted.takes(*id);
            ids.extend(self.ids().iter().copied().filter(sampled));
        }
        if wanted.limit == 0 || (ids.is_empty() && found.rows.is_empty()) {
            return Ok(Found::default());
        }
        ids.sort_unstable();
        ids.dedup();
        read(&ids, &mut |id, blob| {
            if ids.binary_search(&id).is_err() {
                return;
            }
            match Encoded::parse(blob, self.dimensions()) {
                Ok(row) => found.rows.push(Scored { id, score: f64::from(query.cosine(&row)) }),
                Err(_) => found.damaged.push(id),
            }
        })?;
        found.rows.sort_by_key(|row| row.id);
        found.rows.dedup_by_key(|row| row.id);
        let cosines =
            found.rows.iter().filter(|row| is_whole || is_sampled(row.id, self.len())).map(|row| row.score);
        found.spread = Spread::of(cosines, if is_whole { found.rows.len() } else { self.len() });
        found.rows.sort_unstable_by(Scored::order);
        found.rows.truncate(wanted.limit);
        found.damaged.sort_unstable();
        found.damaged.dedup();
        Ok(found)
    }

    /// Returns the rows whose blobs are worth reading.
    fn candidates(&self, query: &VectorQuery, wanted: &Wanted<'_>) -> Vec<Place> {
        let Effort { near, rescored, .. } = wanted.effort;
        // Fewer than the limit would cut the answer short.
        let rescored = rescored.max(wanted.limit);
        if self.is_compared_whole(wanted) {
            let all = (0_u32..).zip(self.ids()).map(|(slot, id)| (0, Reverse(*id), slot));
            return all.filter(|(_, id, _)| wanted.takes(id.0)).collect();
        }
        let query = query.against(self.mean());
        let near = self.near(&query, wanted, near.max(rescored));
        if near.len() <= rescored {
            return near;
        }
        let sums = query.sums();
        let mut best = Nearest::new(rescored);
        for (_, id, slot) in near {
            let bytes = self.code(slot as usize).iter().flat_map(|word| word.to_le_bytes());
            let sum: i32 = sums.iter().zip(bytes).map(|(sums, byte)| sums[usize::from(byte)]).sum();
            best.push((-sum, id, slot));
        }
        best.best()
    }

    /// Returns whether all rows are few enough to compare exactly.
    fn is_compared_whole(&self, wanted: &Wanted<'_>) -> bool {
        self.len() <= wanted.effort.exact.max(wanted.effort.rescored).max(wanted.limit)
    }

    /// Returns the rows with the fewest bits that differ from the query's.
    fn near(&self, query: &Signed, wanted: &Wanted<'_>, most: usize) -> Vec<Place> {
        let bits = query.bits();
        // The usual numbers of dimensions have loops of their own: a known number of words is counted at once.
        match bits.len() {
            4 => self.by_words_of_bits::<4>(&bits, wanted, most),
            6 => self.by_words_of_bits::<6>(&bits, wanted, most),
            8 => self.by_words_of_bits::<8>(&bits, wanted, most),
            12 => self.by_words_of_bits::<12>(&bits, wanted, most),
            16 => self.by_words_of_bits::<16>(&bits, wanted, most),
            words => self
                .by_bits(wanted, most, self.bits().chunks_exact(words), |code| differ(code, bits.as_slice())),
        }
    }

    fn by_words_of_bits<const WORDS: usize>(
        &self,
        query: &[u64],
        wanted: &Wanted<'_>,
        most: usize,
    ) -> Vec<Place> {
        let (codes, query) = (self.bits().as_chunks::<WORDS>().0, query.first_chunk::<WORDS>());
        let query = query.expect("the query has as many words as a row");
        self.by_bits(wanted, most, codes.iter(), |code| differ(code, query))
    }

    fn by_bits<C>(
        &self,
        wanted: &Wanted<'_>,
        most: usize,
        mut codes: impl Iterator<Item = C>,
        distance: impl Fn(C) -> i32,
    ) -> Vec<Place> {
        const BLOCK: usize = 128;
        let mut nearest = Nearest::new(most);
        let mut distances = [0_i32; BLOCK];
        for (ids, first) in self.ids().chunks(BLOCK).zip((0..).step_by(BLOCK)) {
            // All of a block are counted before any is looked at: a loop without conditions runs faster.
            for (there, code) in distances.iter_mut().zip(codes.by_ref().take(ids.len())) {
                *there = distance(code);
            }
            for ((distance, id), slot) in distances.iter().zip(ids).zip(first..) {
                if *distance <= nearest.cut() && wanted.takes(*id) {
                    nearest.push((*distance, Reverse(*id), slot_number(slot)));
                }
            }
        }
        nearest.best()
    }
}

fn slot_number(slot: usize) -> u32 {
    u32::try_from(slot).expect("a slot was a u32 when its row was added")
}

/// Counts the bits that differ. Both sides have the same number of words.
#[inline]
fn differ<Words: AsRef<[u64]> + ?Sized>(code: &Words, query: &Words) -> i32 {
    let pairs = code.as_ref().iter().zip(query.as_ref());
    pairs.map(|(one, other)| (one ^ other).count_ones()).sum::<u32>().cast_signed()
}
