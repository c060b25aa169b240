//! Values of rows in memory: of those that were asked for lately.

use std::collections::HashMap;
use std::mem;

/// Values of rows that were asked for lately. Young ones weigh at most so much, old ones too.
pub(crate) struct Known<T, const YOUNG: usize> {
    young: HashMap<i64, (T, usize)>,
    old: HashMap<i64, (T, usize)>,
    /// How much the young ones weigh.
    weight: usize,
}

impl<T, const YOUNG: usize> Default for Known<T, YOUNG> {
    fn default() -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), weight: 0 }
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
