//! Values of rows in memory: of those that were asked for lately.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::mem;

/// Values of rows that were asked for lately. Young ones weigh at most so much, old ones too.
pub(crate) struct Known<T, const YOUNG: usize> {
    young: ById<(T, usize)>,
    old: ById<(T, usize)>,
    /// How much the young ones weigh.
    weight: usize,
}

impl<T, const YOUNG: usize> Default for Known<T, YOUNG> {
    fn default() -> Self {
        Self { young: HashMap::default(), old: HashMap::default(), weight: 0 }
    }
}

impl<T, const YOUNG: usize> Known<T, YOUNG> {
    /// Returns the value of a row.
    pub(crate) fn get(&mut self, id: i64) -> Option<&mut T> {
        if !self.young.contains_key(&id) {
            let (value, weight) = self.old.remove(&id)?;
            self.keep(id, value, weight);
        }
        self.young.get_mut(&id).map(|(value, _)| value)
    }

    /// Keeps the value of a row.
    pub(crate) fn keep(&mut self, id: i64, value: T, weight: usize) {
        if self.weight >= YOUNG {
            self.old = mem::take(&mut self.young);
            self.weight = 0;
        }
        self.weight += weight;
        self.old.remove(&id);
        self.young.insert(id, (value, weight));
    }

    /// Forgets a row that changed.
    pub(crate) fn forget(&mut self, id: i64) {
        self.young.remove(&id);
        self.old.remove(&id);
    }
}

type ById<T> = HashMap<i64, T, BuildHasherDefault<Spread>>;

/// A hash of ids, which a store gives one after the other: they stand beside each other in a table.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_i64(&mut self, id: i64) {
        self.0 = id.cast_unsigned();
    }

    fn finish(&self) -> u64 {
        // A table takes its place by the lowest bits, and tells neighbours apart by the highest.
        self.0 ^ self.0 << 57
    }
}
