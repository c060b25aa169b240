//! Merges: segments that follow each other become one, a few pages at a time.
//!
//! While a merge is under way its segments answer. It goes on from its mark, in any process.

use super::bits::{Input, number, put, put_all, put_signed};
use super::directory::Directory;
use super::error::{Error, Result};
use super::pages::{Pages, Reader};
use super::run::Run;
use super::segment::Segment;
use super::sizes::Sizes;
use super::writer::{Filled, Mark, Writer};

/// A merge that is under way.
#[derive(Debug)]
pub(crate) struct Merge {
    /// The level of the segments that it merges.
    pub(crate) level: u32,
    pub(crate) segments: Vec<u64>,
    pub(crate) output: u64,
    base: i64,
    directory: Directory,
    mark: Mark,
}

impl Merge {
    /// A merge of segments of a level, the oldest first.
    pub(crate) fn of(segments: &[Segment], level: u32, output: u64) -> Self {
        Self {
            level,
            segments: segments.iter().map(|segment| segment.id).collect(),
            output,
            base: segments.iter().map(|segment| segment.base).min().unwrap_or_default(),
            directory: Directory::default(),
            mark: Mark::default(),
        }
    }

    /// Goes on by a maximum of pages. Gives those that it wrote, and whether it is at its end.
    ///
    /// It writes at most `most` pages and two more, of about `most_postings`. It reads at most one of each segment, and
    /// `most` and one for each segment beside them.
    pub(crate) fn step(
        &mut self,
        segments: &[Segment],
        reader: Reader<'_>,
        (most, most_postings): (usize, u64),
        is_oldest: bool,
        sizes: Sizes,
    ) -> Result<(Vec<Filled>, bool)> {
        let mut runs = Vec::with_capacity(segments.len());
        for segment in segments {
            runs.push(Run::behind(reader, segment, &self.mark)?);
        }
        let (directory, mark) = (std::mem::take(&mut self.directory), std::mem::take(&mut self.mark));
        let mut writer =
            Writer::new(self.output, self.base, (directory, mark), most, sizes).oldest(is_oldest);
        let is_done = join(&mut runs, &mut writer, 2 * segments.len() + most, most_postings)?;
        if is_done {
            writer.finish();
        }
        (self.directory, self.mark) = (writer.directory, writer.mark);
        Ok((writer.filled, is_done))
    }

    /// Returns its output, with the number of its pages and of those of its directory.
    pub(crate) fn written(&self) -> (u64, u32, u32) {
        (self.output, number(self.directory.len()), self.directory.written)
    }

    /// Writes what it knows of its pages.
    pub(crate) fn write_directory(
        &mut self,
        pages: &mut dyn Pages,
        is_done: bool,
        sizes: Sizes,
    ) -> Result<()> {
        self.directory.write(pages, self.output, is_done, sizes)
    }

    /// The segment that it wrote; `None` where nothing is left.
    pub(crate) fn segment(&self, age: u64) -> Option<Segment> {
        let writer = Writer::new(
            self.output,
            self.base,
            (self.directory.clone(), self.mark.clone()),
            0,
            Sizes::default(),
        );
        writer.segment(self.level + 1, age)
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>, sizes: Sizes) {
        put(out, self.level.into());
        put(out, self.segments.len() as u64);
        put_all(out, &self.segments);
        put(out, self.output);
        put_signed(out, self.base);
        self.directory.put_rest(out, sizes);
        self.mark.put(out);
    }

    pub(crate) fn read(input: &mut Input<'_>, reader: Reader<'_>) -> Result<Self> {
        let level = input.narrow()?;
        let many = input.count()?;
        let segments = (0..many).map(|_| input.number()).collect::<Result<Vec<u64>>>()?;
        let (output, base) = (input.number()?, input.signed()?);
        if segments.is_empty() {
            return Err(Error::Damaged("a merge is of nothing"));
        }
        let directory = Directory::read(input, reader, output)?;
        Ok(Self { level, segments, output, base, directory, mark: Mark::read(input)? })
    }
}

/// Writes all that the runs have, until enough pages were written or read; gives whether all is written.
fn join(runs: &mut [Run<'_>], writer: &mut Writer, most_read: usize, most_postings: u64) -> Result<bool> {
    let mut term = Vec::new();
    let mut with_term = Vec::new();
    let mut postings = 0;
    loop {
        let least = runs.iter().filter(|run| !run.is_done).map(Run::term).min();
        let Some(least) = least else { return Ok(true) };
        term.clear();
        term.extend_from_slice(least);
        writer.begin(&term);
        with_term.clear();
        with_term.extend((0..runs.len()).filter(|run| !runs[*run].is_done && runs[*run].term() == term));
        while !with_term.is_empty() {
            // The oldest of those with the least row, and the next row of the others.
            let (mut first, mut next) = (0, None);
            for at in 1..with_term.len() {
                let (id, least) = (runs[with_term[at]].id(), runs[with_term[first]].id());
                let other = if id < least { least } else { id };
                next = Some(next.map_or(other, |next: i64| next.min(other)));
                first = if id < least { at } else { first };
            }
            let run = &mut runs[with_term[first]];
            let mut id = run.id();
            let is_tied = next == Some(id);
            loop {
                postings += 1;
                if !writer.push(run.take()?) {
                    return Ok(false);
                }
                if run.is_done || run.term() != term {
                    with_term.remove(first);
                    break;
                }
                let following = run.id();
                if following != id
                    && (is_tied || postings > most_postings || next.is_some_and(|next| following >= next))
                {
                    break;
                }
                id = following;
            }
            let read: usize = runs.iter().map(|run| run.pages).sum();
            if (read > most_read || postings > most_postings)
                && with_term.iter().all(|run| runs[*run].id() > id)
            {
                if writer.end_term() {
                    writer.pause(id);
                }
                return Ok(false);
            }
        }
        if !writer.end_term() {
            return Ok(false);
        }
    }
}
