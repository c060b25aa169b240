//! A write does a bounded part of the work, however many rows there are.

use std::cell::Cell;

use super::lines::{Dice, Line};
use super::model::Model;
use crate::postings::error::Result;
use crate::postings::pages::{MemoryPages, Pages};
use crate::postings::partition::Partition;
use crate::postings::segment::Segment;
use crate::postings::sizes::Sizes;
use crate::postings::upkeep::{PERIOD, SWEPT, pace};

const TAIL: usize = Sizes::SMALL.tail;
const FAN: usize = Sizes::SMALL.fan;

/// Pages in memory, and how many were read and written.
#[derive(Default)]
struct Counted {
    pages: MemoryPages,
    read: Cell<usize>,
    written: usize,
    removed: usize,
}

impl Pages for Counted {
    fn read(&self, segment: u64, page: u32) -> Result<Vec<u8>> {
        self.read.set(self.read.get() + 1);
        self.pages.read(segment, page)
    }

    fn write(&mut self, segment: u64, page: u32, bytes: &[u8]) -> Result<()> {
        self.written += 1;
        self.pages.write(segment, page, bytes)
    }

    fn remove(&mut self, segment: u64, page: u32) -> Result<()> {
        self.removed += 1;
        self.pages.remove(segment, page)
    }
}

/// The pages that one write touches at most, of a tail that has so many.
fn most(tail: usize, pace: usize) -> usize {
    // A merge begins with a page of each segment, and reads one more of each. It writes the pages that it has read,
    // the rest of them, and a page of its directory.
    tail.max(3 * FAN + pace + pace + 3)
}

#[test]
fn many_changes_at_once_leave_no_pages_behind() {
    let mut dice = Dice::new(4);
    let mut pages = Counted::default();
    let mut partition = Partition::new(0);
    for id in 0..12_000 {
        let line = Line { length: 7, ..Line::random(&mut dice, id, 300) };
        line.with(|row| partition.add(&pages, row)).expect("pages are in memory");
        if id % 1_000 == 999 {
            partition.keep_up(&mut pages, 0).expect("pages are in memory");
            partition.sweep(&mut pages).expect("pages are in memory");
            assert!(partition.obsolete.is_empty(), "{id}: {:?}", partition.obsolete);
        }
    }
    assert!(pages.removed > 0);
}

/// BX-47
#[test]
fn a_write_touches_so_many_pages_however_many_rows_there_are() {
    let mut dice = Dice::new(3);
    let mut pages = Counted::default();
    // Nothing is kept in memory.
    let mut partition = Partition::new(0);
    let mut model = Model::default();
    let (mut tail, mut early, mut late, mut left) = (0, 0, 0, 0);
    for id in 0..12_000 {
        let (read, written) = (pages.read.get(), pages.written);
        let line = Line { length: 7, ..Line::random(&mut dice, id, 300) };
        line.with(|row| partition.add(&pages, row)).expect("pages are in memory");
        if id < 40 {
            model.rows.insert(id, line);
        }
        let segments = partition.segments.len();
        partition.keep_up(&mut pages, 0).expect("pages are in memory");
        let removed = pages.removed;
        left = left.max(partition.obsolete.len());
        partition.sweep(&mut pages).expect("pages are in memory");
        assert!(pages.removed - removed <= SWEPT);
        let touched = pages.read.get() - read + pages.written - written;
        if (id + 1) % TAIL as i64 == 0 {
            assert_eq!(pages.read.get(), read, "a tail is written without reading");
            tail = tail.max(touched);
        } else {
            if id % PERIOD as i64 % 8 != 3 {
                assert_eq!(touched, 0, "{id}");
            }
            let seen = if id < 3_000 { &mut early } else { &mut late };
            *seen = touched.max(*seen);
        }
        assert!(partition.segments.len() <= segments + 1);
        for level in 0..8 {
            let of_level = partition.segments.iter().filter(|segment| segment.level == level).count();
            assert!(of_level <= 2 * FAN, "merges of level {level} fall behind: {of_level}");
        }
    }
    let depth = partition.segments.iter().map(|segment| segment.level).max().unwrap_or_default();
    assert!(depth >= 4, "{depth}");
    assert!((FAN..=6 * FAN).contains(&left), "removing falls behind: {left}");
    let of_levels = (0..=depth).map(|level| {
        let of_level: Vec<Segment> =
            partition.segments.iter().filter(|segment| segment.level == level).take(FAN).cloned().collect();
        pace(&of_level, level, Sizes::SMALL).0
    });
    let most = most(tail, of_levels.max().unwrap_or(1).max(pace_of(tail)));
    assert!(early > 0 && late <= most, "{late} of {most}, {early} at first, {tail} for the tail");
    // A removal looks for its row in two pages of each segment that may have it, for the beginning and the row.
    for line in model.rows.values() {
        let read = pages.read.get();
        assert!(line.with(|row| partition.remove(&pages, row)).expect("pages are in memory"));
        assert!(pages.read.get() - read <= 4, "{}", pages.read.get() - read);
    }
}

/// The pace of a merge of segments of the first level, each with the pages of a tail.
fn pace_of(tail: usize) -> usize {
    (2 * tail * FAN * PERIOD as usize).div_ceil(TAIL * FAN)
}
