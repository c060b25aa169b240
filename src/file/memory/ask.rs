//! Questions to the word index, which is made anew from the rows where it cannot be read.

use super::reader::Reader;
use super::rows::Rows;
use crate::base::error::{Error as StoreError, Result as StoreResult};
use crate::base::name::StateName;
use crate::memory::IndexProgress;
use crate::search::postings::{Error, Pages, Partition, Result};
use crate::search::with_card;
use crate::trace;

impl Rows {
    /// Asks the word index. An unreadable one is made anew from the rows.
    pub(super) fn ask<T>(
        &self,
        reader: &Reader<'_>,
        mut ask: impl FnMut(&Partition, &dyn Pages) -> Result<T>,
    ) -> StoreResult<T> {
        let answer = self.words.borrow().ask(&mut ask);
        match answer {
            Some(Ok(answer)) => return Ok(answer),
            Some(Err(Error::Host(error))) if error.is::<StoreError>() => {
                return Err(*error.downcast().expect("it is one"));
            }
            _ => {}
        }
        trace::read_rows(|| self.index_anew(reader))?;
        let answer = self.words.borrow().ask(ask);
        answer.and_then(Result::ok).ok_or_else(|| StoreError::Corrupt {
            name: StateName::MEMORIES_TABLE.to_string(),
            line: 0,
            column: 0,
            what: "the word index cannot be made from the rows",
        })
    }

    /// Makes the word index anew; returns of how many rows.
    fn index_anew(&self, reader: &Reader<'_>) -> StoreResult<usize> {
        let mut words = self.words.borrow().anew();
        let observer = self.keeper.observer.as_ref().filter(|_| self.entries.len() > TOLD);
        let whole = self.entries.len() as u64;
        for (entry, done) in self.entries.iter().zip(1..) {
            if entry.stands() {
                with_card(&self.memory(entry, reader)?, |card| words.add(card));
            }
            if let Some(observer) = observer.filter(|_| done % TOLD as u64 == 0 || done == whole) {
                observer.indexing(&IndexProgress { done, whole });
            }
        }
        self.words.replace(words);
        Ok(self.entries.len())
    }
}

/// Number of rows after which progress is reported.
const TOLD: usize = 10_000;
