//! The newest rows, in memory: too few for a segment yet.

use std::collections::HashMap;
use std::sync::Arc;

use super::bits::number;
use super::error::{Error, Result};
use super::posting::Posting;
use super::row::{Counts, Row, count, discount};
use super::segment::ALL_ROWS;
use super::writer::Writer;

/// The newest rows, and the removals of rows in segments.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    pub(crate) rows: Vec<TailRow>,
    /// The rows that are not removed, by id.
    by_id: HashMap<i64, u32>,
    /// The rows of segments that are taken away.
    gone: HashMap<i64, u32>,
    terms: HashMap<Arc<[u8]>, u32>,
    pub(crate) lists: Vec<List>,
    /// The lists of the rows, one row after the other.
    of_rows: Vec<u32>,
    /// How many changes made it.
    pub(crate) operations: usize,
}

/// A row of the tail.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TailRow {
    pub(crate) id: i64,
    pub(crate) length: u32,
    pub(crate) shared: bool,
    /// Whether it takes a row of a segment away.
    gone: bool,
    is_removed: bool,
    /// Where its lists begin and end in those of all rows.
    lists: (u32, u32),
}

impl TailRow {
    /// Whether it is found.
    pub(crate) fn is_live(&self) -> bool {
        !self.gone && !self.is_removed
    }
}

/// The rows of a term.
#[derive(Debug)]
pub(crate) struct List {
    term: Arc<[u8]>,
    /// Rows, and how often each has the term.
    pub(crate) postings: Vec<(u32, u32)>,
    pub(crate) rows: Counts,
    pub(crate) gone: Counts,
}

impl Tail {
    /// The row of an id.
    pub(crate) fn get(&self, id: i64) -> Option<&TailRow> {
        self.by_id.get(&id).map(|row| &self.rows[*row as usize])
    }

    /// Whether a row of a segment was taken away.
    pub(crate) fn is_gone(&self, id: i64) -> bool {
        self.gone.contains_key(&id)
    }

    /// The ids that were taken away.
    pub(crate) fn gone(&self) -> impl Iterator<Item = i64> {
        self.gone.keys().copied()
    }

    /// The rows with a term.
    pub(crate) fn list(&self, term: &[u8]) -> Option<&List> {
        self.terms.get(term).map(|list| &self.lists[*list as usize])
    }

    /// How often a row has the term of a list.
    pub(crate) fn count(&self, list: &List, id: i64) -> u32 {
        let row = self.by_id.get(&id);
        let place = row.and_then(|row| list.postings.binary_search_by_key(row, |(row, _)| *row).ok());
        place.map_or(0, |place| list.postings[place].1)
    }

    /// Returns whether a row was removed since it began.
    pub(crate) fn has_removed(&self) -> bool {
        !self.gone.is_empty() || self.rows.iter().any(|row| row.is_removed)
    }

    /// The terms, in no order.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &[u8]> {
        self.terms.keys().map(AsRef::as_ref)
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: &Row<'_>) {
        let number = self.push(row, false);
        self.by_id.insert(row.id, number);
    }

    /// Takes a row of a segment away.
    pub(crate) fn bury(&mut self, row: &Row<'_>) {
        let number = self.push(row, true);
        self.gone.insert(row.id, number);
    }

    fn push(&mut self, row: &Row<'_>, gone: bool) -> u32 {
        let number = number(self.rows.len());
        let Row { id, length, shared, .. } = *row;
        self.rows.push(TailRow { id, length, shared, gone, is_removed: false, lists: (0, 0) });
        let start = super::bits::number(self.of_rows.len());
        for (term, often) in row.kept() {
            let known = self.terms.get(term).copied().unwrap_or_else(|| {
                let next = super::bits::number(self.lists.len());
                let term: Arc<[u8]> = term.into();
                self.lists.push(List {
                    term: term.clone(),
                    postings: Vec::new(),
                    rows: [0; 2],
                    gone: [0; 2],
                });
                self.terms.insert(term, next);
                next
            });
            let list = &mut self.lists[known as usize];
            if let Some((_, before)) = list.postings.last_mut().filter(|(last, _)| *last == number) {
                *before = before.saturating_add(often);
                continue;
            }
            list.postings.push((number, often));
            self.of_rows.push(known);
            count(if gone { &mut list.gone } else { &mut list.rows }, shared, 1);
        }
        self.rows[number as usize].lists = (start, super::bits::number(self.of_rows.len()));
        self.operations += 1;
        number
    }

    /// Removes a row that was added here; `false` where it was not.
    pub(crate) fn remove(&mut self, row: &Row<'_>) -> Result<bool> {
        let Some(number) = self.by_id.get(&row.id).copied() else { return Ok(false) };
        let standing = &self.rows[number as usize];
        if (standing.shared, standing.length) != (row.shared, row.length) {
            return Err(Error::Differs("a removed row is another one"));
        }
        self.take(number);
        Ok(true)
    }

    /// The terms of a row.
    pub(crate) fn terms_of(&self, row: &TailRow) -> impl Iterator<Item = &[u8]> {
        let lists = &self.of_rows[row.lists.0 as usize..row.lists.1 as usize];
        lists.iter().map(|list| &*self.lists[*list as usize].term)
    }

    /// Removes the row of an id that was added here; `None` where none was.
    pub(crate) fn remove_by_id(&mut self, id: i64) -> Option<TailRow> {
        let number = self.by_id.get(&id).copied()?;
        self.take(number);
        Some(self.rows[number as usize])
    }

    fn take(&mut self, number: u32) {
        let TailRow { id, shared, lists: (start, end), .. } = self.rows[number as usize];
        for list in &self.of_rows[start as usize..end as usize] {
            discount(&mut self.lists[*list as usize].rows, shared, 1);
        }
        self.rows[number as usize].is_removed = true;
        self.by_id.remove(&id);
        self.operations += 1;
    }

    /// The least written id; `None` if nothing is written.
    pub(crate) fn base(&self) -> Option<i64> {
        self.rows.iter().filter(|row| !row.is_removed).map(|row| row.id).min()
    }

    /// Writes all as a segment.
    pub(crate) fn write(&self, writer: &mut Writer) {
        let all: Vec<(u32, u32)> = (0..number(self.rows.len())).map(|row| (row, 1)).collect();
        let mut postings = Vec::new();
        writer.begin(ALL_ROWS);
        self.write_list(&all, &mut postings, writer);
        let mut lists: Vec<&List> = self.lists.iter().collect();
        lists.sort_unstable_by(|one, other| one.term.cmp(&other.term));
        for list in lists {
            writer.begin(&list.term);
            self.write_list(&list.postings, &mut postings, writer);
        }
        writer.finish();
    }

    fn write_list(&self, list: &[(u32, u32)], postings: &mut Vec<Posting>, writer: &mut Writer) {
        postings.clear();
        let standing = list.iter().map(|(row, count)| (self.rows[*row as usize], *count));
        postings.extend(standing.filter(|(row, _)| !row.is_removed).map(|(row, count)| {
            let TailRow { id, length, shared, gone, .. } = row;
            Posting { id, count, length, shared, gone }
        }));
        // What is taken away comes before what stands in its place.
        let key = |posting: &Posting| (posting.id, !posting.gone);
        if !postings.is_sorted_by_key(key) {
            postings.sort_unstable_by_key(key);
        }
        for posting in postings {
            writer.push(*posting);
        }
        writer.end_term();
    }
}
