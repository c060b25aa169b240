//! How the index is kept in order: after each change a bounded part of the work is done.

use super::bits::number;
use super::directory::Directory;
use super::error::{Error, Result};
use super::merge::Merge;
use super::pages::{DIRECTORY, Pages, Reader};
use super::partition::Partition;
use super::segment::Segment;
use super::sizes::Sizes;
use super::writer::{Mark, Writer};

/// Number of changes after which a merge of a level goes on.
pub(crate) const PERIOD: u64 = 64;

/// The number of pages that are removed for a change: more than merges leave behind.
pub(crate) const SWEPT: usize = 4;

impl Partition {
    /// Keeps the index in order after changes: writes a full tail as a segment, and goes on with merges. Returns
    /// whether the manifest changed. Then it must be saved before the written pages count.
    ///
    /// After one change it either writes the tail, or goes on with one merge. The `mark` is what the keeper wants to know
    /// of the last change that is in a segment.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read or written.
    pub fn keep_up(&mut self, pages: &mut dyn Pages, mark: u64) -> Result<bool> {
        let mut is_changed = false;
        while self.kept_up < self.number {
            self.kept_up += 1;
            self.unswept += 1;
            // Levels take turns.
            if self.kept_up % 8 == 4 {
                let turn = (self.kept_up % PERIOD / 8) as u32;
                for level in self.levels().into_iter().filter(|level| level % 8 == turn) {
                    is_changed |= self.go_on(pages, level)?;
                }
            }
        }
        if self.tail.operations >= self.most {
            self.write_tail(pages, mark)?;
            is_changed = true;
        }
        Ok(is_changed)
    }

    /// Writes the tail as a segment, however small it is: no change of it is needed in the log then.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read or written.
    pub fn flush(&mut self, pages: &mut dyn Pages, mark: u64) -> Result<()> {
        self.write_tail(pages, mark)
    }

    /// The levels that have segments.
    fn levels(&self) -> Vec<u32> {
        let mut levels: Vec<u32> = self.segments.iter().map(|segment| segment.level).collect();
        levels.dedup();
        levels
    }

    /// Makes a segment of the tail.
    fn write_tail(&mut self, pages: &mut dyn Pages, mark: u64) -> Result<()> {
        if let Some(base) = self.tail.base() {
            let id = self.next;
            self.next += 1;
            let mut writer =
                Writer::new(id, base, (Directory::default(), Mark::default()), usize::MAX, self.sizes)
                    .oldest(self.segments.is_empty());
            self.tail.write(&mut writer);
            for (page, bytes) in std::mem::take(&mut writer.filled) {
                pages.write(id, page, &bytes)?;
            }
            writer.directory.write(pages, id, true, self.sizes)?;
            self.segments.extend(writer.segment(0, self.number));
        }
        let tail = std::mem::take(&mut self.tail);
        self.gone.extend(tail.gone().map(|id| (id, self.number)));
        (self.first, self.mark, self.before) = (self.number, mark, self.totals);
        Ok(())
    }

    /// Begins a merge of a level; `false` where it has too few segments.
    fn begin_merge(&mut self, level: u32) -> bool {
        let Some(first) = self.segments.iter().position(|segment| segment.level == level) else {
            return false;
        };
        let of_level = self.segments[first..].iter().take_while(|segment| segment.level == level);
        if of_level.count() < self.sizes.fan {
            return false;
        }
        self.merges.push(Merge::of(&self.segments[first..first + self.sizes.fan], level, self.next));
        self.next += 1;
        true
    }

    /// Goes on with the merge of a level, or begins one where it is due; gives whether there was anything to do.
    fn go_on(&mut self, pages: &mut dyn Pages, level: u32) -> Result<bool> {
        let under_way = self.merges.iter().position(|merge| merge.level == level);
        if under_way.is_none() && !self.begin_merge(level) {
            return Ok(false);
        }
        let at = under_way.unwrap_or(self.merges.len() - 1);
        let merge = &mut self.merges[at];
        let first = self.segments.iter().position(|segment| segment.id == merge.segments[0]);
        let first = first.ok_or(Error::Damaged("a merge is of a segment that is not there"))?;
        let merged = first..first + merge.segments.len();
        let segments = &self.segments[merged.clone()];
        let reader = Reader { pages, cache: &self.cache };
        let (filled, is_done) =
            merge.step(segments, reader, pace(segments, level, self.sizes), first == 0, self.sizes)?;
        for (page, bytes) in filled {
            pages.write(merge.output, page, &bytes)?;
        }
        merge.write_directory(pages, is_done, self.sizes)?;
        if is_done {
            let age = segments.iter().map(|segment| segment.age).max().unwrap_or_default();
            let of_merged =
                |segment: &Segment| (segment.id, number(segment.directory.len()), segment.directory.written);
            self.obsolete.extend(segments.iter().map(of_merged));
            let merge = self.merges.remove(at);
            self.segments.splice(merged, merge.segment(age));
            if first == 0 {
                self.gone.retain(|_, by| *by > age);
            }
        }
        Ok(true)
    }

    /// Removes pages that the last manifest no longer names, when it is saved. At most `SWEPT` for each change since
    /// it did so last, or for one. Gives whether there are more.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read or written.
    pub fn sweep(&mut self, pages: &mut dyn Pages) -> Result<bool> {
        let most = std::mem::take(&mut self.unswept).max(1).saturating_mul(SWEPT);
        for _ in 0..most {
            let Some((segment, many, of_directory)) = self.obsolete.first_mut() else { break };
            if *of_directory > 0 {
                *of_directory -= 1;
                pages.remove(*segment, DIRECTORY | *of_directory)?;
            } else {
                *many = many.saturating_sub(1);
                pages.remove(*segment, *many)?;
                if *many == 0 {
                    self.obsolete.remove(0);
                }
            }
        }
        Ok(!self.obsolete.is_empty())
    }
}

/// Returns how many pages of a merge are written at a time, and how many postings. This is twice the pace that ends the
/// merge when the next one is due.
pub(crate) fn pace(segments: &[Segment], level: u32, sizes: Sizes) -> (usize, u64) {
    let due = (sizes.tail as u64).saturating_mul((sizes.fan as u64).saturating_pow(level + 1));
    let share = |all: u64| all.saturating_mul(2 * PERIOD).div_ceil(due).max(1);
    let pages: usize = segments.iter().map(|segment| segment.directory.len()).sum();
    let postings = segments.iter().fold(0, |sum: u64, segment| sum.saturating_add(segment.postings));
    (usize::try_from(share(pages as u64)).unwrap_or(usize::MAX), share(postings))
}
