//! Writes a segment, term by term and row by row.

use super::bits::{Input, number, put, put_bytes, put_signed, seal};
use super::block::{is_near, put_block};
use super::directory::Directory;
use super::error::Result;
use super::page::Filling;
use super::pages::place;
use super::posting::{Posting, Sums};
use super::segment::{ALL_ROWS, Segment};
use super::sizes::Sizes;

/// How far a segment is written: up to the end of a page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mark {
    pub(crate) term: Vec<u8>,
    /// The last row of the term that needs not be looked at again; `None` at the very beginning.
    pub(crate) id: Option<i64>,
    /// The blocks of the term that are written.
    sums: Sums,
    /// Whether there are any.
    is_later: bool,
    /// How many rows are written, how many that are gone, and the last.
    rows: u64,
    gone: u64,
    last: i64,
    /// How many postings of all terms.
    postings: u64,
}

impl Mark {
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        put_bytes(out, &self.term);
        out.push(u8::from(self.id.is_some()) | u8::from(self.is_later) << 1);
        put_signed(out, self.id.unwrap_or_default());
        self.sums.put(out);
        put(out, self.rows);
        put(out, self.gone);
        put_signed(out, self.last);
        put(out, self.postings);
    }

    pub(crate) fn read(input: &mut Input<'_>) -> Result<Self> {
        let (term, flags, id) = (input.bytes()?.to_vec(), input.byte()?, input.signed()?);
        let (sums, rows, gone) = (Sums::read(input)?, input.number()?, input.number()?);
        let id = (flags & 1 > 0).then_some(id);
        Ok(Self {
            term,
            id,
            sums,
            is_later: flags & 2 > 0,
            rows,
            gone,
            last: input.signed()?,
            postings: input.number()?,
        })
    }
}

/// A page with its number.
pub(crate) type Filled = (u32, Vec<u8>);

/// A segment that is being written. The next writer writes again all that is behind its mark.
#[derive(Debug)]
pub(crate) struct Writer {
    segment: u64,
    base: i64,
    pub(crate) directory: Directory,
    pub(crate) mark: Mark,
    /// The pages that were filled, with their numbers.
    pub(crate) filled: Vec<Filled>,
    /// It stops at a number of filled pages.
    most: usize,
    sizes: Sizes,
    /// Whether what is gone has nothing to take away.
    is_oldest: bool,
    page: Filling,
    first: (Vec<u8>, i64),
    /// As the mark, up to the last block in the page.
    tip: Mark,
    term: Vec<u8>,
    pending: Vec<Posting>,
    block: Vec<u8>,
}

impl Writer {
    /// A writer that goes on where another one ended.
    pub(crate) fn new(
        segment: u64,
        base: i64,
        (directory, mark): (Directory, Mark),
        most: usize,
        sizes: Sizes,
    ) -> Self {
        Self {
            segment,
            base,
            directory,
            tip: mark.clone(),
            term: mark.term.clone(),
            mark,
            filled: Vec::new(),
            most,
            sizes,
            is_oldest: false,
            page: Filling::default(),
            first: (Vec::new(), 0),
            pending: Vec::with_capacity(sizes.block + 2),
            block: Vec::new(),
        }
    }

    /// Leaves out what is gone and was not taken away.
    pub(crate) fn oldest(self, is_oldest: bool) -> Self {
        Self { is_oldest, ..self }
    }

    /// Begins a term, or goes on with it.
    pub(crate) fn begin(&mut self, term: &[u8]) {
        if self.term != term {
            self.term.clear();
            self.term.extend_from_slice(term);
        }
    }

    /// Adds a posting: by row, then by age. `false` where it has filled its pages.
    #[inline]
    pub(crate) fn push(&mut self, posting: Posting) -> bool {
        if posting.gone {
            if self.pending.last().is_some_and(|last| last.id == posting.id && !last.gone) {
                self.pending.pop();
                return true;
            }
            if self.is_oldest {
                return true;
            }
        }
        self.pending.push(posting);
        self.pending.len() < self.sizes.block + 2 || self.write_block()
    }

    /// Ends a term, or a part of it up to a row. `false` where it has filled its pages.
    pub(crate) fn end_term(&mut self) -> bool {
        while !self.pending.is_empty() {
            if !self.write_block() {
                return false;
            }
        }
        true
    }

    /// Writes one block.
    fn write_block(&mut self) -> bool {
        let mut many = self.pending.len().min(self.sizes.block);
        if let Some(far) = self.pending[..many].windows(2).position(|pair| !is_near(pair[0].id, pair[1].id)) {
            many = far + 1;
        }
        // Both postings of a row stay together.
        if many > 1 && self.pending.get(many).is_some_and(|next| next.id == self.pending[many - 1].id) {
            many -= 1;
        }
        self.block.clear();
        let is_later = self.tip.is_later && self.tip.term == self.term;
        let before = is_later.then_some(&self.tip.sums);
        let own = put_block(&mut self.block, &self.pending[..many], self.base, before);
        let (start, last) = (self.pending[0].id, self.pending[many - 1].id);
        if !self.page.add(&self.term, &self.block, self.sizes) {
            self.end_page();
            if self.filled.len() >= self.most {
                return false;
            }
            self.page.add(&self.term, &self.block, self.sizes);
        }
        if self.page.len() == 1 {
            self.first.0.clone_from(&self.term);
            self.first.1 = start;
        }
        self.tip_to_term();
        self.tip.sums.join(&own);
        self.tip.postings = self.tip.postings.saturating_add(many as u64);
        (self.tip.is_later, self.tip.id) = (true, Some(last));
        if self.term == ALL_ROWS {
            self.tip.rows = self.tip.rows.saturating_add(own.rows[0]);
            self.tip.gone = self.tip.gone.saturating_add(own.gone[0]);
            self.tip.last = last;
        }
        self.pending.drain(..many);
        true
    }

    fn end_page(&mut self) {
        let number = number(self.directory.len());
        let mut bytes = self.page.end();
        seal(&mut bytes, place(self.segment, number));
        self.filled.push((number, bytes));
        self.directory.push(&self.first.0, self.first.1);
        self.mark.clone_from(&self.tip);
    }

    /// Ends the page, where rows up to one were looked at and nothing is pending.
    pub(crate) fn pause(&mut self, id: i64) {
        if self.page.len() > 0 {
            self.end_page();
        }
        self.tip_to_term();
        self.tip.id = Some(id);
        self.mark.clone_from(&self.tip);
    }

    /// Moves the tip to the term, where it is not there.
    fn tip_to_term(&mut self) {
        if self.tip.term != self.term {
            self.tip.term.clone_from(&self.term);
            (self.tip.sums, self.tip.is_later) = (Sums::default(), false);
        }
    }

    /// Ends the last page.
    pub(crate) fn finish(&mut self) {
        if self.page.len() > 0 {
            self.end_page();
        }
    }

    /// The segment that was written; `None` where it has no page.
    pub(crate) fn segment(&self, level: u32, age: u64) -> Option<Segment> {
        let Mark { rows, gone, last, postings, .. } = self.mark;
        let (id, base, directory) = (self.segment, self.base, self.directory.clone());
        (directory.len() > 0).then_some(Segment {
            id,
            level,
            age,
            base,
            last,
            rows,
            gone,
            postings,
            directory,
        })
    }
}
