//! The latest rows that have a term.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};

use super::error::{Error, Result};
use super::pages::Pages;
use super::partition::Partition;
use super::segment::{Segment, Spot};
use crate::search::rank::Visibility;

/// Lists of the latest rows by term, as they were asked for. Each change of a row changes them too.
#[derive(Debug, Default)]
pub(super) struct Latest {
    lists: Mutex<Lists>,
}

/// Lists that were asked for lately, and those before them.
#[derive(Debug, Default)]
struct Lists {
    young: HashMap<Box<[u8]>, List>,
    old: HashMap<Box<[u8]>, List>,
    /// How many bytes the young ones take, nearly.
    bytes: usize,
}

/// The latest rows with a term.
#[derive(Debug, Default)]
struct List {
    /// Ascending.
    ids: Vec<i64>,
    /// Whether no other row has it.
    is_all: bool,
}

/// So many bytes of young lists are kept; twice as many are kept of all.
const YOUNG: usize = if cfg!(test) { 1 << 10 } else { 3 << 20 };
/// A list is not kept longer.
const LONGEST: usize = 1024;

impl Latest {
    fn get(&self, term: &[u8], most: usize) -> Option<Vec<i64>> {
        let lists = &mut *self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((term, list)) = lists.old.remove_entry(term) {
            lists.keep(term, list);
        }
        let List { ids, is_all } = lists.young.get(term)?;
        (*is_all || ids.len() >= most).then(|| ids.iter().rev().take(most).copied().collect())
    }

    fn keep(&self, term: &[u8], found: &[i64], is_all: bool) {
        let ids = found.iter().rev().copied().collect();
        self.lists.lock().unwrap_or_else(PoisonError::into_inner).keep(term.into(), List { ids, is_all });
    }

    /// Takes a new row in.
    pub(super) fn add<'a>(&mut self, id: i64, terms: impl Iterator<Item = &'a [u8]>) {
        self.change(terms, |list| {
            match list.ids.binary_search(&id) {
                // Of a list that is not of all rows, the rows before its first are not known.
                Err(0) if !list.is_all => {}
                Err(at) => list.ids.insert(at, id),
                Ok(_) => {}
            }
            if list.ids.len() > LONGEST {
                list.ids.drain(..LONGEST / 2);
                list.is_all = false;
            }
        });
    }

    /// Takes a row out.
    pub(super) fn remove<'a>(&mut self, id: i64, terms: impl Iterator<Item = &'a [u8]>) {
        self.change(terms, |list| {
            if let Ok(at) = list.ids.binary_search(&id) {
                list.ids.remove(at);
            }
        });
    }

    fn change<'a>(&mut self, terms: impl Iterator<Item = &'a [u8]>, change: impl Fn(&mut List)) {
        let lists = self.lists.get_mut().unwrap_or_else(PoisonError::into_inner);
        if lists.young.is_empty() && lists.old.is_empty() {
            return;
        }
        for term in terms {
            for list in [lists.young.get_mut(term), lists.old.get_mut(term)].into_iter().flatten() {
                change(list);
            }
        }
    }
}

impl Lists {
    fn keep(&mut self, term: Box<[u8]>, list: List) {
        if self.bytes > YOUNG {
            self.old = mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += 96 + term.len() + 8 * list.ids.len();
        self.young.insert(term, list);
    }
}

impl Partition {
    /// Returns the rows in sight that have a term, the greatest id first, at most so many. The work does not grow with the
    /// number of rows that have it.
    pub(crate) fn latest(
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
