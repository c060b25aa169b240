//! The word index of the rows.

use std::sync::Arc;

use super::pages::FilePages;
use crate::disk::Disk;
use crate::search::postings::error::Result;
use crate::search::postings::pages::Pages;
use crate::search::postings::partition::Partition;
use crate::search::postings::row::with_terms;
use crate::search::rank::{Card, Stemmer};

/// So many bytes of pages are kept in memory.
const CACHED: usize = 8 << 20;

/// The word index of the rows, and its pages.
pub(super) struct Words {
    pub(super) partition: Partition,
    pub(super) pages: FilePages,
    stemmer: Stemmer,
    /// It could not be read, and is to be made anew from the rows.
    pub(super) is_lost: bool,
}

impl Words {
    /// Makes an index without rows.
    pub(super) fn over(disk: Arc<dyn Disk>) -> Self {
        let (partition, pages) = (Partition::new(CACHED), FilePages::over(disk));
        Self { partition, pages, stemmer: Stemmer::default(), is_lost: false }
    }

    /// Makes an index without rows in the same place.
    pub(super) fn anew(&self) -> Self {
        let partition = Partition::new(CACHED);
        Self { partition, pages: self.pages.anew(), stemmer: Stemmer::default(), is_lost: false }
    }

    /// Opens an index by its manifest.
    pub(super) fn open(pages: FilePages, manifest: &[u8]) -> Result<Self> {
        let partition = Partition::open(&pages, manifest, CACHED)?;
        Ok(Self { partition, pages, stemmer: Stemmer::default(), is_lost: false })
    }

    /// Adds a row.
    pub(super) fn add(&mut self, card: &Card<'_>) {
        let Self { partition, pages, stemmer, is_lost } = self;
        if !*is_lost {
            let added = with_terms(card, stemmer, |row| partition.add(&*pages, row));
            *is_lost = added.and_then(|()| partition.keep_up(pages, 0)).is_err();
        }
    }

    /// Takes a row out, which says what it said when it was added.
    pub(super) fn remove(&mut self, card: &Card<'_>) {
        let Self { partition, pages, stemmer, is_lost } = self;
        if !*is_lost {
            let removed = with_terms(card, stemmer, |row| partition.remove(&*pages, row));
            let removed = removed.and_then(|was_in| Ok(was_in && partition.keep_up(pages, 0).map(|_| true)?));
            *is_lost = !removed.unwrap_or_default();
        }
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
