//! How the index is written anew without what was removed.

use super::bits::number;
use super::error::Result;
use super::merge::Merge;
use super::pages::{Pages, Reader};
use super::partition::Partition;
use super::segment::Segment;
use super::sizes::Sizes;

/// The pages of one write.
const PAGE_BATCH: usize = 64;

impl Partition {
    /// Returns whether terms of removed rows may be left in pages or in the log.
    #[must_use]
    pub fn holds_removed(&self) -> bool {
        self.tail.has_removed()
            || !self.obsolete.is_empty()
            || !self.gone.is_empty()
            || self.segments.iter().any(|segment| segment.gone > 0)
    }

    /// Makes one segment of all rows, and removes every other page: no term of a removed row is left. The manifest is to
    /// be saved, and the log to be emptied up to [`first_in_log`](Self::first_in_log).
    ///
    /// Takes as long as the index is large.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read or written.
    pub fn condense(&mut self, pages: &mut dyn Pages, mark: u64) -> Result<()> {
        self.flush(pages, mark)?;
        self.obsolete.extend(self.merges.drain(..).map(|merge| merge.written()));
        if !self.segments.is_empty() {
            self.join_all(pages)?;
        }
        self.gone.clear();
        while self.sweep(pages)? {}
        Ok(())
    }

    fn join_all(&mut self, pages: &mut dyn Pages) -> Result<()> {
        let segments = std::mem::take(&mut self.segments);
        let mut merge = Merge::of(&segments, 0, self.next);
        self.next += 1;
        loop {
            let reader = Reader { pages: &*pages, cache: &self.cache };
            let (filled, is_done) =
                merge.step(&segments, reader, (PAGE_BATCH, u64::MAX), true, self.sizes)?;
            for (page, bytes) in filled {
                pages.write(merge.output, page, &bytes)?;
            }
            merge.write_directory(pages, is_done, self.sizes)?;
            if is_done {
                break;
            }
        }
        let joined = merge.segment(self.number);
        let sizes = self.sizes;
        self.segments.extend(joined.map(|joined| Segment { level: level_of(joined.rows, sizes), ..joined }));
        let of_merged =
            |segment: &Segment| (segment.id, number(segment.directory.len()), segment.directory.written);
        self.obsolete.extend(segments.iter().map(of_merged));
        Ok(())
    }
}

/// Returns the level of a segment by its number of rows, as merges would have made it.
fn level_of(rows: u64, sizes: Sizes) -> u32 {
    let (mut level, mut most) = (0, sizes.tail as u64);
    while most < rows {
        (level, most) = (level + 1, most.saturating_mul(sizes.fan as u64));
    }
    level
}
