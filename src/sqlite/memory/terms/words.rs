//! How a change asks for the words of rows, and keeps those that it read.

use std::mem;

use crate::base::order;
use crate::memory::MemoryId;
use crate::search::rank::Stemmer;
use crate::sqlite::memory::table::Table;
use crate::store::words::Words;

impl Table<'_> {
    /// Gives the words of rows that are known; returns the other rows.
    pub(in crate::sqlite::memory) fn words_in_memory(
        &self,
        ids: &[MemoryId],
        take: &mut dyn FnMut(MemoryId, &Words),
    ) -> Vec<MemoryId> {
        let held = &mut *self.held.borrow_mut();
        let mut unknown = ids.to_vec();
        if let Some(terms) = held.terms.as_mut().filter(|_| held.is_whole == Some(true)) {
            order::retain(&mut unknown, |id| match terms.words.get(id.get()) {
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
    pub(in crate::sqlite::memory) fn take_stemmer(&self) -> Stemmer {
        mem::take(&mut self.held.borrow_mut().stemmer)
    }

    /// Takes the stemmer back, and keeps the words of rows where a change of them would be seen.
    pub(in crate::sqlite::memory) fn keep_in_memory(&self, rows: Vec<(MemoryId, Words)>, stemmer: Stemmer) {
        let held = &mut *self.held.borrow_mut();
        held.stemmer = stemmer;
        if let Some(terms) = held.terms.as_mut().filter(|_| held.is_whole == Some(true)) {
            for (id, words) in rows {
                terms.words.keep(id.get(), words, 1);
            }
        }
    }
}
