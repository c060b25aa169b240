//! Words of rows in memory: a new fact is compared with the same rows again and again.

use std::collections::HashMap;
use std::mem;

use crate::store::words::Words;

/// The words of rows that were asked for lately.
#[derive(Default)]
pub(super) struct Known {
    young: HashMap<i64, Words>,
    old: HashMap<i64, Words>,
}

/// So many rows are young: twice as many are known at most.
const YOUNG: usize = 1 << 16;

impl Known {
    /// Returns the words of a row.
    pub(super) fn get(&mut self, id: i64) -> Option<&Words> {
        if let Some(words) = self.old.remove(&id) {
            self.keep(id, words);
        }
        self.young.get(&id)
    }

    /// Keeps the words of a row.
    pub(super) fn keep(&mut self, id: i64, words: Words) {
        if self.young.len() >= YOUNG {
            self.old = mem::take(&mut self.young);
        }
        self.young.insert(id, words);
    }

    /// Forgets a row that changed.
    pub(super) fn forget(&mut self, id: i64) {
        self.young.remove(&id);
        self.old.remove(&id);
    }
}
