//! The latest rows that have a term.

use super::error::{Error, Result};
use super::lists::LONGEST;
use super::pages::Pages;
use super::partition::Partition;
use super::segment::{Segment, Spot};
use crate::rank::Visibility;

impl Partition {
    /// Returns the rows in sight that have a term, the greatest id first, up to a limit. The work does not grow with
    /// the number of rows that have it.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read.
    pub fn latest(
        &self,
        pages: &dyn Pages,
        term: &str,
        visibility: Visibility,
        most: usize,
    ) -> Result<Vec<i64>> {
        if visibility != Visibility::All || most > LONGEST / 2 {
            return self.latest_in(pages, term, visibility, most);
        }
        if let Some(found) = self.latest.get(term.as_bytes(), most) {
            return Ok(found);
        }
        let found = self.latest_in(pages, term, visibility, most)?;
        self.latest.keep(term.as_bytes(), &found, found.len() < most);
        Ok(found)
    }

    fn latest_in(
        &self,
        pages: &dyn Pages,
        term: &str,
        visibility: Visibility,
        most: usize,
    ) -> Result<Vec<i64>> {
        let mut found: Vec<i64> = Vec::new();
        if most == 0 {
            return Ok(found);
        }
        if let Some(list) = self.tail.list(term.as_bytes()) {
            let rows = list.postings.iter().map(|(row, _)| self.tail.rows[*row as usize]);
            found.extend(rows.filter(|row| row.is_live() && visibility.sees(row.shared)).map(|row| row.id));
            keep_latest(&mut found, most);
        }
        for segment in self.segments.iter().rev() {
            let least = if found.len() < most { i64::MIN } else { found[most - 1] };
            if segment.last > least {
                self.latest_of(pages, (segment, term.as_bytes()), visibility, (most, least), &mut found)?;
                keep_latest(&mut found, most);
            }
        }
        Ok(found)
    }

    /// Adds the latest rows of a segment, block by block from the last one.
    fn latest_of(
        &self,
        pages: &dyn Pages,
        (segment, term): (&Segment, &[u8]),
        visibility: Visibility,
        (most, least): (usize, i64),
        found: &mut Vec<i64>,
    ) -> Result<()> {
        let (mut ids, mut more) = (Vec::new(), most);
        let mut spot = segment.find(self.reader(pages), term, i64::MAX)?;
        while let Some(Spot { page, walk, .. }) = spot {
            let block = walk.block;
            block.ids(&page, &mut ids)?;
            for (at, id) in ids.iter().enumerate().rev() {
                let is_seen = !block.is_gone(&page, at) && visibility.sees(block.is_shared(&page, at));
                if is_seen && !self.is_gone(*id, segment.age) {
                    found.push(*id);
                    more -= 1;
                    if more == 0 {
                        return Ok(());
                    }
                }
            }
            if block.before.is_none() || block.first <= least {
                return Ok(());
            }
            spot = segment.find(self.reader(pages), term, block.first - 1)?;
            if spot.as_ref().is_none_or(|found| found.walk.block.first >= block.first) {
                return Err(Error::Damaged("a list has no beginning"));
            }
        }
        Ok(())
    }
}

fn keep_latest(found: &mut Vec<i64>, most: usize) {
    found.sort_unstable_by(|one, other| other.cmp(one));
    found.truncate(most);
}
