//! The word index of the rows.

use std::sync::Arc;

use super::pages::FilePages;
use crate::base::error::Result as StoreResult;
use crate::disk::Disk;
use crate::memory::MemoryId;
use crate::search::postings::{Pages, Partition, Result, with_terms};
use crate::search::rank::{Card, Stemmer};
use crate::store::known::Known;
use crate::store::words::Words as FactWords;

/// The most bytes of pages that are kept in memory.
const CACHED: usize = 8 << 20;
/// The number of changes after which a segment is written; a table that is written earlier ends one too.
const TAIL: usize = if cfg!(test) { 16 } else { 4096 };
/// The number of rows in each half of the words that are kept in memory.
const KNOWN: usize = 1 << 17;

/// The word index of the rows, and its pages.
pub(super) struct Words {
    pub(super) partition: Partition,
    pub(super) pages: FilePages,
    stemmer: Stemmer,
    known: Known<FactWords, KNOWN>,
    /// It could not be read, and is to be made anew from the rows.
    pub(super) is_lost: bool,
}

impl Words {
    /// Makes an index without rows.
    pub(super) fn over(disk: Arc<dyn Disk>) -> Self {
        Self::of(Partition::new(CACHED), FilePages::over(disk))
    }

    fn of(partition: Partition, pages: FilePages) -> Self {
        let partition = if cfg!(test) { partition.small() } else { partition }.with_most(TAIL);
        Self { partition, pages, stemmer: Stemmer::default(), known: Known::default(), is_lost: false }
    }

    /// Makes an index without rows in the same place.
    pub(super) fn anew(&self) -> Self {
        Self::of(Partition::new(CACHED), self.pages.anew())
    }

    /// Opens an index by its manifest.
    pub(super) fn open(pages: FilePages, manifest: &[u8]) -> Result<Self> {
        Ok(Self::of(Partition::open(&pages, manifest, CACHED)?, pages))
    }

    /// Adds a row.
    pub(super) fn add(&mut self, card: &Card<'_>) {
        let Self { partition, pages, stemmer, is_lost, .. } = self;
        if !*is_lost {
            let added = with_terms(card, stemmer, |row| partition.add(&*pages, row));
            *is_lost = added.and_then(|()| partition.keep_up(pages, 0)).is_err();
        }
    }

    /// Takes a row out, which says what it said when it was added.
    pub(super) fn remove(&mut self, card: &Card<'_>) {
        let Self { partition, pages, stemmer, is_lost, .. } = self;
        if !*is_lost {
            let removed = with_terms(card, stemmer, |row| partition.remove(&*pages, row));
            let removed = removed.and_then(|was_in| Ok(was_in && partition.keep_up(pages, 0).map(|_| true)?));
            *is_lost = !removed.unwrap_or_default();
        }
    }

    /// Gives the words of a row, which are kept; its text is read where they are not known.
    pub(super) fn of_fact(
        &mut self,
        id: MemoryId,
        text: impl FnOnce() -> StoreResult<String>,
        take: impl FnOnce(&FactWords),
    ) -> StoreResult<()> {
        if let Some(words) = self.known.get(id.get()) {
            take(words);
            return Ok(());
        }
        let words = self.know(id, &text()?);
        take(&words);
        Ok(())
    }

    /// Keeps the words of a fact, and returns them.
    pub(super) fn know(&mut self, id: MemoryId, text: &str) -> FactWords {
        let words = FactWords::of(text, &mut self.stemmer);
        self.known.keep(id.get(), words.clone(), 1);
        words
    }

    /// Forgets the words of a row whose text changes.
    pub(super) fn forget_fact(&mut self, id: MemoryId) {
        self.known.forget(id.get());
    }

    /// Asks the index; `None` where it is lost.
    pub(super) fn ask<T>(&self, ask: impl FnOnce(&Partition, &dyn Pages) -> Result<T>) -> Option<Result<T>> {
        (!self.is_lost).then(|| ask(&self.partition, &self.pages))
    }

    /// Takes the terms of removed rows out of all pages, which wait in memory then.
    pub(super) fn condense(&mut self) -> Result<()> {
        self.pages.load_all()?;
        if self.partition.holds_removed() {
            self.partition.condense(&mut self.pages, 0)?;
        }
        Ok(())
    }
}
