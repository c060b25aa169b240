//! Words of rows in memory: a new fact is compared with the same rows again and again.

use std::collections::HashMap;
use std::mem;

use crate::memory::MemoryId;
use crate::search::rank::Stemmer;
use crate::sqlite::memory::table::Table;
use crate::store::words::Words;

/// The words of rows that were asked for lately.
#[derive(Default)]
pub(super) struct Known {
    young: HashMap<i64, Words>,
    old: HashMap<i64, Words>,
}

/// So many rows are young: twice as many are known at most.
const YOUNG: usize = 1 << 15;

impl Known {
    fn get(&mut self, id: i64) -> Option<&Words> {
        if let Some(words) = self.old.remove(&id) {
            self.keep(id, words);
        }
        self.young.get(&id)
    }

    fn keep(&mut self, id: i64, words: Words) {
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

impl Table<'_> {
    /// Gives the words of rows that are known; returns the other rows.
    pub(in crate::sqlite::memory) fn known_words(
        &self,
        ids: &[MemoryId],
        take: &mut dyn FnMut(MemoryId, &Words),
    ) -> Vec<MemoryId> {
        let held = &mut *self.held.borrow_mut();
        let mut unknown = ids.to_vec();
        if let Some(terms) = held.terms.as_mut().filter(|_| held.is_whole == Some(true)) {
            unknown.retain(|id| match terms.words.get(id.get()) {
                Some(words) => {
                    take(*id, words);
                    false
                }
                None => true,
            });
        }
        unknown
    }

    /// Lends the stemmer that has stems in memory.
    pub(in crate::sqlite::memory) fn lend_stemmer(&self) -> Stemmer {
        mem::take(&mut self.held.borrow_mut().stemmer)
    }

    pub(in crate::sqlite::memory) fn return_stemmer(&self, stemmer: Stemmer) {
        self.held.borrow_mut().stemmer = stemmer;
    }

    /// Keeps the words of rows, where a change of them would be seen.
    pub(in crate::sqlite::memory) fn know_words(&self, rows: Vec<(MemoryId, Words)>) {
        let held = &mut *self.held.borrow_mut();
        if let Some(terms) = held.terms.as_mut().filter(|_| held.is_whole == Some(true)) {
            for (id, words) in rows {
                terms.words.keep(id.get(), words);
            }
        }
    }
}
