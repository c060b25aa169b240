//! The best rows so far.

use std::cmp::Ordering;

/// A row that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The row's id.
    pub id: i64,
    /// Its score.
    pub score: f64,
    /// Its length in words.
    pub length: u32,
    /// Whether sessions with others present may find it.
    pub shared: bool,
    /// How often it has each term of the query.
    pub counts: Vec<u32>,
}

/// The best rows so far: by score, then the greater id. Up to twice as many as are asked for are kept, and the worse
/// half is dropped then. That costs less than keeping them in order.
#[derive(Debug)]
pub(crate) struct Best {
    most: usize,
    kept: Vec<Kept>,
    /// Only better rows than this one are taken.
    least: Option<(f64, i64)>,
    /// The counts of each row, by its slot.
    counts: Vec<u32>,
    /// Slots that no row uses now.
    free: Vec<usize>,
    terms: usize,
}

/// A row without its counts.
#[derive(Debug, Clone, Copy)]
struct Kept {
    score: f64,
    id: i64,
    length: u32,
    shared: bool,
    slot: usize,
}

/// The better first.
fn order(one: (f64, i64), other: (f64, i64)) -> Ordering {
    other.0.total_cmp(&one.0).then(other.1.cmp(&one.1))
}

impl Kept {
    fn key(&self) -> (f64, i64) {
        (self.score, self.id)
    }
}

impl Best {
    /// Room for the best rows, at least one, of a query with a number of terms.
    pub(crate) fn of(most: usize, terms: usize) -> Self {
        Self { most, kept: Vec::new(), least: None, counts: Vec::new(), free: Vec::new(), terms }
    }

    /// A row that scores less is not among the best.
    #[inline]
    pub(crate) fn least(&self) -> f64 {
        self.least.map_or(f64::NEG_INFINITY, |(score, _)| score)
    }

    /// The id of the worst row; a row that scores the same is among the best where its id is greater.
    #[inline]
    pub(crate) fn least_id(&self) -> i64 {
        self.least.map_or(i64::MIN, |(_, id)| id)
    }

    /// Whether a row may be among the best.
    #[inline]
    pub(crate) fn takes(&self, score: f64, id: i64) -> bool {
        self.least.is_none_or(|least| order((score, id), least).is_lt())
    }

    /// Takes a row that may be among the best.
    pub(crate) fn put(&mut self, id: i64, score: f64, (length, shared): (u32, bool), counts: &[u32]) {
        let slot = self.free.pop().unwrap_or(self.kept.len());
        let place = slot * self.terms;
        if place == self.counts.len() {
            self.counts.extend_from_slice(counts);
        } else {
            self.counts[place..place + self.terms].copy_from_slice(counts);
        }
        self.kept.push(Kept { score, id, length, shared, slot });
        if self.kept.len() == self.most || self.kept.len() >= self.most.saturating_mul(2).max(16) {
            self.drop_worse();
        }
    }

    /// Drops what is not among the best so far.
    fn drop_worse(&mut self) {
        if self.kept.len() < self.most {
            return;
        }
        let by_order = |one: &Kept, other: &Kept| order(one.key(), other.key());
        let (_, least, worse) = self.kept.select_nth_unstable_by(self.most - 1, by_order);
        self.least = Some(least.key());
        self.free.extend(worse.iter().map(|kept| kept.slot));
        self.kept.truncate(self.most);
    }

    /// The rows, the best first.
    pub(crate) fn hits(mut self) -> Vec<Hit> {
        self.drop_worse();
        self.kept.sort_unstable_by(|one, other| order(one.key(), other.key()));
        let Self { kept, counts, terms, .. } = self;
        let hit = |Kept { score, id, length, shared, slot }| Hit {
            id,
            score,
            length,
            shared,
            counts: counts[slot * terms..(slot + 1) * terms].to_vec(),
        };
        kept.into_iter().map(hit).collect()
    }
}
