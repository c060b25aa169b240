//! The manifest: which segments there are, which merges are under way, and how far the log is in them.

use super::bits::{Input, put, put_all, seal, unsealed};
use super::block::Block;
use super::error::{Error, Result};
use super::merge::Merge;
use super::page::Walk;
use super::pages::{Cache, DIRECTORY, Pages};
use super::partition::Partition;
use super::row::Totals;
use super::segment::{ALL_ROWS, Segment};

/// The version of all that is written.
const VERSION: u8 = 1;

/// Not the number of a segment.
const PLACE: u64 = u64::MAX - 1;

impl Partition {
    /// The manifest as bytes. Where it is not saved, pages that were written since the last one do not count.
    #[must_use]
    pub fn manifest(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        let Totals { rows, length } = self.before;
        let numbers = [self.next, self.first, self.mark, rows[0], rows[1], length[0], length[1]];
        put_all(&mut out, &numbers);
        put(&mut out, self.segments.len() as u64);
        self.segments.iter().for_each(|segment| segment.put(&mut out, self.sizes));
        put(&mut out, self.merges.len() as u64);
        self.merges.iter().for_each(|merge| merge.put(&mut out, self.sizes));
        put(&mut out, self.obsolete.len() as u64);
        for (segment, pages, of_directory) in &self.obsolete {
            put_all(&mut out, &[*segment, (*pages).into(), (*of_directory).into()]);
        }
        seal(&mut out, PLACE);
        out
    }

    /// Opens an index by its manifest. The log from [`first_in_log`](Self::first_in_log) on is replayed then.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] where it is not as it was written.
    pub fn open(pages: &dyn Pages, manifest: &[u8], cache: usize) -> Result<Self> {
        Self::open_with(pages, manifest, Cache::of(cache))
    }

    /// Opens it again by a manifest that somebody else saved, with the pages that are in memory. Not after a change of
    /// its own that was not saved: others may have written such pages then.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub(crate) fn reopen(self, pages: &dyn Pages, manifest: &[u8]) -> Result<Self> {
        Self::open_with(pages, manifest, self.cache)
    }

    /// As `reopen`. Where the same changes are in segments as before, those that are in none yet stay in
    /// memory; says whether they do.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn follow(mut self, pages: &dyn Pages, manifest: &[u8]) -> Result<(Self, bool)> {
        let (first, before) = (self.first, self.before);
        let (tail, totals) = (std::mem::take(&mut self.tail), self.totals);
        let (number, kept_up, latest) = (self.number, self.kept_up, std::mem::take(&mut self.latest));
        let unswept = self.unswept;
        let (most, sizes) = (self.most, self.sizes);
        let opened = Self { most, sizes, ..self.reopen(pages, manifest)? };
        if opened.first != first || opened.before != before {
            return Ok((opened, false));
        }
        Ok((Self { tail, totals, number, kept_up, unswept, latest, ..opened }, true))
    }

    fn open_with(pages: &dyn Pages, manifest: &[u8], cache: Cache) -> Result<Self> {
        let mut input = Input::at(unsealed(manifest, PLACE)?, 0);
        if input.byte()? != VERSION {
            return Err(Error::Damaged("it is of another version"));
        }
        let mut partition = Self { cache, ..Self::new(0) };
        let mut number = || {
            let number = input.number()?;
            if number < 1 << 62 { Ok(number) } else { Err(Error::Damaged("a number is too great")) }
        };
        (partition.next, partition.first, partition.mark) = (number()?, number()?, number()?);
        partition.before = Totals { rows: [number()?, number()?], length: [number()?, number()?] };
        partition.totals = partition.before;
        partition.start_at(partition.first);
        for _ in 0..input.count()? {
            let segment = Segment::read(&mut input, partition.reader(pages))?;
            partition.segments.push(segment);
        }
        for _ in 0..input.count()? {
            let merge = Merge::read(&mut input, partition.reader(pages))?;
            if !partition.has_in_order(&merge.segments) {
                return Err(Error::Damaged("a merge is of segments that are not there"));
            }
            partition.merges.push(merge);
        }
        for _ in 0..input.count()? {
            let (segment, pages, of_directory) = (input.number()?, input.narrow()?, input.narrow()?);
            if pages.max(of_directory) >= DIRECTORY {
                return Err(Error::Damaged("a segment is too long"));
            }
            partition.obsolete.push((segment, pages, of_directory));
        }
        partition.gone = partition.read_gone(pages)?;
        Ok(partition)
    }

    /// Whether segments follow each other.
    fn has_in_order(&self, ids: &[u64]) -> bool {
        let first = self.segments.iter().position(|segment| Some(&segment.id) == ids.first());
        let following = first.map(|first| self.segments[first..].iter().map(|segment| segment.id));
        following.is_some_and(|following| following.take(ids.len()).eq(ids.iter().copied()))
    }

    /// The rows that segments take away from older ones.
    fn read_gone(&self, pages: &dyn Pages) -> Result<std::collections::HashMap<i64, u64>> {
        let mut gone = std::collections::HashMap::new();
        let mut ids = Vec::new();
        for segment in self.segments.iter().filter(|segment| segment.gone > 0) {
            let mut take = |page: &[u8], block: &Block| {
                if block.has_gone() {
                    block.ids(page, &mut ids)?;
                    let there = ids.iter().enumerate().filter(|(at, _)| block.is_gone(page, *at));
                    gone.extend(there.map(|(_, id)| (*id, segment.age)));
                }
                Ok(())
            };
            for number in 0..segment.directory.len() {
                if segment.directory.get(number).is_none_or(|(term, _)| term != ALL_ROWS) {
                    break;
                }
                let page = segment.page(self.reader(pages), number)?;
                let mut walk = Walk::over(&page)?;
                while walk.step(&page, segment.base)? && walk.term == ALL_ROWS {
                    take(&page, &walk.block)?;
                }
            }
        }
        Ok(gone)
    }
}
