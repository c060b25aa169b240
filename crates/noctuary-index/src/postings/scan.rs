//! Rows by their terms, in the order of their ids, and terms by their beginning.

use std::collections::BTreeSet;

use super::cursor::Cursor;
use super::error::{Error, Result};
use super::page::Walk;
use super::pages::Pages;
use super::partition::Partition;
use super::segment::Segment;
use crate::rank::Visibility;

/// Which rows are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Having {
    /// Rows with at least one of the terms.
    Any,
    /// Rows with all of them.
    All,
}

/// Rows of a segment, or of the tail.
enum Stream<'a> {
    Segment { cursors: Vec<Cursor<'a>>, age: u64 },
    Tail { rows: Vec<(i64, bool)>, at: usize },
}

impl Partition {
    /// Gives the rows in visibility that have terms, by id from one on, until `take` returns `false`. Without terms there are
    /// none.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read.
    pub fn having(
        &self,
        pages: &dyn Pages,
        (having, terms): (Having, &[&str]),
        visibility: Visibility,
        from: i64,
        take: &mut dyn FnMut(i64) -> Result<bool>,
    ) -> Result<()> {
        let mut streams = Vec::new();
        for segment in &self.segments {
            streams.extend(self.stream(pages, segment, having, terms, from)?);
        }
        streams.push(self.stream_of_tail(having, terms, from));
        // The next row of each, and whether it is shared.
        let mut next = Vec::new();
        for stream in &mut streams {
            next.push(self.next(stream, having)?);
        }
        loop {
            let least = next.iter().enumerate().filter_map(|(at, row)| Some((((*row)?).0, at))).min();
            let Some((id, at)) = least else { return Ok(()) };
            if next[at].is_some_and(|(_, shared)| visibility.sees(shared)) && !take(id)? {
                return Ok(());
            }
            next[at] = self.next(&mut streams[at], having)?;
        }
    }

    fn stream<'a>(
        &'a self,
        pages: &'a dyn Pages,
        segment: &'a Segment,
        having: Having,
        terms: &[&'a str],
        from: i64,
    ) -> Result<Option<Stream<'a>>> {
        let mut cursors = Vec::new();
        for term in terms {
            match Cursor::open(self.reader(pages), segment, term.as_bytes())? {
                Some((mut cursor, sums)) => {
                    cursor.seek(from)?;
                    cursors.push((sums.rows[0], cursor));
                }
                None if having == Having::All => return Ok(None),
                None => {}
            }
        }
        cursors.sort_by_key(|(rows, _)| *rows);
        let cursors = cursors.into_iter().map(|(_, cursor)| cursor).collect();
        Ok(Some(Stream::Segment { cursors, age: segment.age }))
    }

    fn stream_of_tail(&self, having: Having, terms: &[&str], from: i64) -> Stream<'_> {
        let mut rows: Vec<u32> = Vec::new();
        for term in terms {
            rows.extend(
                self.tail
                    .list(term.as_bytes())
                    .into_iter()
                    .flat_map(|list| &list.postings)
                    .map(|(row, _)| *row),
            );
        }
        rows.sort_unstable();
        let needed = if having == Having::All { terms.len() } else { 1 };
        let many_of = rows.chunk_by(|one, other| one == other).filter(|many| many.len() >= needed);
        let found = many_of.map(|many| self.tail.rows[many[0] as usize]);
        let live = found.filter(|row| row.is_live() && row.id >= from);
        let mut rows: Vec<(i64, bool)> = live.map(|row| (row.id, row.shared)).collect();
        rows.sort_unstable();
        Stream::Tail { rows, at: 0 }
    }

    /// The next row, and whether it is shared.
    fn next(&self, stream: &mut Stream<'_>, having: Having) -> Result<Option<(i64, bool)>> {
        match stream {
            Stream::Tail { rows, at } => {
                *at += 1;
                Ok(rows.get(*at - 1).copied())
            }
            Stream::Segment { cursors, age } => loop {
                let found = match having {
                    Having::Any => next_of_any(cursors)?,
                    Having::All => next_of_all(cursors)?,
                };
                let Some((id, _)) = found else { return Ok(None) };
                if !self.is_gone(id, *age) {
                    return Ok(found);
                }
            },
        }
    }

    /// The terms with this beginning that a condition keeps, in order and up to a limit. Rows that had them may be
    /// gone.
    pub(crate) fn terms(
        &self,
        pages: &dyn Pages,
        beginning: &str,
        most: usize,
        keep: &mut dyn FnMut(&str) -> bool,
    ) -> Result<Vec<String>> {
        let mut found = BTreeSet::new();
        let mut add = |term: &[u8]| {
            let term = std::str::from_utf8(term).map_err(|_| Error::Damaged("a term is no text"))?;
            let is_new = !term.is_empty() && term.starts_with(beginning) && !found.contains(term);
            if is_new && keep(term) {
                found.insert(term.to_owned());
                if found.len() > most {
                    found.pop_last();
                }
            }
            Ok(found.len() < most || found.last().is_some_and(|last| last.as_str() > term))
        };
        for term in self.tail.terms() {
            add(term)?;
        }
        for segment in &self.segments {
            self.terms_of(pages, segment, beginning.as_bytes(), &mut add)?;
        }
        Ok(found.into_iter().collect())
    }

    /// Gives the terms of a segment that begin so, until `take` returns `false`.
    fn terms_of(
        &self,
        pages: &dyn Pages,
        segment: &Segment,
        beginning: &[u8],
        take: &mut dyn FnMut(&[u8]) -> Result<bool>,
    ) -> Result<()> {
        let mut number = segment.directory.floor(beginning, i64::MIN).unwrap_or(0);
        let mut last = Vec::new();
        while number < segment.directory.len() {
            let page = segment.page(self.reader(pages), number)?;
            let mut walk = Walk::over(&page)?;
            while walk.step(&page, segment.base)? {
                if walk.is_same || walk.term.as_slice() < beginning || walk.term == last {
                    continue;
                }
                if !walk.term.starts_with(beginning) || !take(&walk.term)? {
                    return Ok(());
                }
                last.clone_from(&walk.term);
            }
            number += 1;
        }
        Ok(())
    }
}

/// The least row of the cursors, which go behind it.
fn next_of_any(cursors: &mut [Cursor<'_>]) -> Result<Option<(i64, bool)>> {
    let mut least: Option<(i64, bool)> = None;
    for cursor in cursors.iter_mut() {
        if let Some(id) = cursor.settle()?
            && least.is_none_or(|(least, _)| id < least)
        {
            least = Some((id, cursor.is_shared()));
        }
    }
    if let Some((id, _)) = least {
        for cursor in cursors {
            cursor.seek_behind(id)?;
        }
    }
    Ok(least)
}

/// The next row that all cursors have, which go behind it.
fn next_of_all(cursors: &mut [Cursor<'_>]) -> Result<Option<(i64, bool)>> {
    let Some((rarest, others)) = cursors.split_first_mut() else { return Ok(None) };
    'rows: while let Some(id) = rarest.settle()? {
        for other in others.iter_mut() {
            other.seek(id)?;
            match other.settle()? {
                Some(there) if there == id => {}
                Some(there) => {
                    rarest.seek(there)?;
                    continue 'rows;
                }
                None => return Ok(None),
            }
        }
        let shared = rarest.is_shared();
        rarest.seek_behind(id)?;
        return Ok(Some((id, shared)));
    }
    Ok(None)
}
