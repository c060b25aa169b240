//! A journal that grew on two machines: the lines of both, each once, in the order of their times.
//!
//! An entry is a line with the lines that continue it, and the blank lines behind it. Where an ancestor is known, a
//! line that a person took out of one copy is taken out. A copy that is only the front of the ancestor is one that was
//! cut, and takes out nothing.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::weave::{Place, Strand, strands, weave};
use crate::base::text;

/// A merged journal, and where the bytes of both copies are in it.
#[derive(Debug, Default)]
pub(super) struct WovenJournal {
    pub(super) bytes: Vec<u8>,
    /// For each copy: an entry there, and its place here.
    pub(super) moved: [Vec<Moved>; 2],
}

/// An entry of a copy, and its place in the merged journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Moved {
    from: Range<u64>,
    to: Range<u64>,
}

impl WovenJournal {
    /// Makes a journal that is as one copy has it.
    pub(super) fn of(bytes: &[u8], side: usize) -> Self {
        let mut journal = Self { bytes: bytes.to_vec(), ..Self::default() };
        let all = 0..bytes.len() as u64;
        if !bytes.is_empty() {
            journal.moved[side].push(Moved { from: all.clone(), to: all });
        }
        journal
    }

    /// Makes a journal that both copies have.
    pub(super) fn of_both(bytes: &[u8]) -> Self {
        let mut journal = Self::of(bytes, 0);
        let moved = journal.moved[0].clone();
        journal.moved[1] = moved;
        journal
    }

    /// Returns the number of a line of a copy, from 1, in the merged journal.
    pub(super) fn line(&self, side: usize, copy: &[u8], number: u64) -> Option<u64> {
        let start = start_of(copy, number)?;
        let place = self.places(side, &(start..start + 1)).into_iter().next()?;
        self.line_at(place.start)
    }

    /// Returns the bytes of lines, from the first to the last, counted from 1.
    pub(super) fn range(&self, first: u64, last: u64) -> Option<Range<u64>> {
        let end = start_of(&self.bytes, last.checked_add(1)?).unwrap_or(self.bytes.len() as u64);
        start_of(&self.bytes, first).map(|start| start..end).filter(|range| !range.is_empty())
    }

    /// Returns the number of the line in which a byte is.
    pub(super) fn line_at(&self, at: u64) -> Option<u64> {
        let above = self.bytes.get(..usize::try_from(at).ok()?)?;
        Some(text::line_breaks(above) + 1)
    }

    /// Returns where bytes of a copy are in the merged journal, ascending, and joined where they touch.
    pub(super) fn places(&self, side: usize, range: &Range<u64>) -> Vec<Range<u64>> {
        let mut places: Vec<Range<u64>> = Vec::new();
        for Moved { from, to } in &self.moved[side] {
            let (start, end) = (range.start.max(from.start), range.end.min(from.end));
            if start >= end {
                continue;
            }
            let first = (to.start + start - from.start).min(to.end);
            let last = if end == from.end { to.end } else { (to.start + end - from.start).min(to.end) };
            if first < last {
                places.push(first..last);
            }
        }
        joined(places)
    }
}

/// Returns where a line begins; the first has the number 1.
pub(super) fn start_of(text: &[u8], number: u64) -> Option<u64> {
    let above = usize::try_from(number.checked_sub(1)?).ok()?;
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let start = std::iter::once(0).chain(ends).nth(above)?;
    (start < text.len()).then_some(start as u64)
}

/// Returns ranges in ascending order, those joined that touch.
pub(super) fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|range| (range.start, range.end));
    let mut all: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// Weaves two copies of a journal; the lines of the side `first` keep their places.
pub(super) fn woven(base: Option<&[u8]>, one: &[u8], other: &[u8], first: Option<usize>) -> WovenJournal {
    if one == other {
        return WovenJournal::of_both(one);
    }
    let sides = [one, other].map(entries);
    let mut strands = [stranded(&sides[0]), stranded(&sides[1])];
    if let Some(first) = first {
        for (side, strands) in strands.iter_mut().enumerate() {
            let time = if side == first { String::new() } else { LAST.to_owned() };
            for strand in strands.iter_mut() {
                strand.time.clone_from(&time);
            }
        }
    }
    let gone = base.map(|base| taken_out(base, [one, other], &strands)).unwrap_or_default();
    let mut journal = WovenJournal::default();
    let places = weave(&strands[0], &strands[1]);
    for place in places {
        let key = |at: Option<usize>, side: usize| at.map(|at| &strands[side][at].key);
        if key(place.0, 0).or(key(place.1, 1)).is_some_and(|key| gone.contains(key)) {
            continue;
        }
        journal.add(place, [one, other], &sides);
    }
    journal
}

impl WovenJournal {
    fn add(&mut self, place: Place, copies: [&[u8]; 2], entries: &[Vec<Entry>; 2]) {
        let of = |side: usize, at: Option<usize>| at.map(|at| entries[side][at].range.clone());
        let ranges = [of(0, place.0), of(1, place.1)];
        let texts = [0, 1].map(|side| ranges[side].clone().map(|range| &copies[side][range]));
        // Of two that differ in the blank lines behind them, the one with more.
        let text = texts.into_iter().flatten().max_by_key(|text| (text.len(), *text)).unwrap_or_default();
        let to = self.push(text);
        for (side, range) in ranges.into_iter().enumerate() {
            if let Some(range) = range {
                self.note(side, range.start as u64..range.end as u64, to.clone());
            }
        }
    }

    /// Adds an entry at the end, and returns its place.
    pub(super) fn push(&mut self, text: &[u8]) -> Range<u64> {
        if self.bytes.last().is_some_and(|last| *last != b'\n') {
            self.bytes.push(b'\n');
        }
        let to = self.bytes.len() as u64..(self.bytes.len() + text.len()) as u64;
        self.bytes.extend_from_slice(text);
        to
    }

    /// Says where an entry of a copy is here.
    pub(super) fn note(&mut self, side: usize, from: Range<u64>, to: Range<u64>) {
        self.moved[side].push(Moved { from, to });
    }
}

/// A time behind all others.
pub(super) const LAST: &str = "~";

/// The text of an entry, and the how many-th of this text in its document it is.
pub(super) type Key = (String, usize);

/// Returns the entries that a person took out of one copy.
fn taken_out(base: &[u8], copies: [&[u8]; 2], strands: &[Vec<Strand<String, Key>>; 2]) -> BTreeSet<Key> {
    let before = entries(base);
    let mut gone = BTreeSet::new();
    for side in [0, 1] {
        if base.starts_with(copies[side]) {
            continue;
        }
        let here: BTreeSet<&Key> = strands[side].iter().map(|strand| &strand.key).collect();
        gone.extend(before.iter().map(|entry| &entry.key).filter(|key| !here.contains(key)).cloned());
    }
    gone
}

fn stranded(entries: &[Entry]) -> Vec<Strand<String, Key>> {
    strands(entries.iter().map(|entry| (entry.time.clone(), entry.key.0.clone())))
}

/// Returns the time that an entry says: `[09:14:05]` near its front.
fn time(entry: &[u8]) -> Option<String> {
    let line = entry.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let (_, rest) = line.split_once('[').filter(|(front, _)| front.len() <= 12)?;
    let time = rest.split(']').next()?;
    let is_time = time.len() >= 5
        && time.len() <= 8
        && time
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at % 3 == 2 { byte == b':' } else { byte.is_ascii_digit() });
    is_time.then(|| time.to_owned())
}

/// A line of a journal, with the lines that continue it.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) range: Range<usize>,
    pub(super) time: Option<String>,
    pub(super) key: Key,
    /// Whether it was said at a time, and is no heading.
    pub(super) is_dated: bool,
}

/// Returns the entries of a journal; together they are all of it.
pub(super) fn entries(text: &[u8]) -> Vec<Entry> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let entry = |range: Range<usize>| {
        let entry = &text[range.clone()];
        let time = time(entry);
        let said = entry.trim_ascii_end();
        let said = match str::from_utf8(said) {
            Ok(text) if !text.starts_with('\0') => text.to_owned(),
            // Not lossy: bytes that are no text differ too, from each other and from any text.
            _ => format!("\0{}", said.escape_ascii()),
        };
        let is_dated = time.is_some() && !entry.starts_with(b"#");
        let count = counts.entry(said.clone()).or_default();
        *count += 1;
        Entry { range, time, key: (said, *count), is_dated }
    };
    ranges(text).into_iter().map(entry).collect()
}

/// Returns where the entries of a journal are.
fn ranges(text: &[u8]) -> Vec<Range<usize>> {
    let mut all: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let end = at + line.len();
        let goes_on = line.trim_ascii().is_empty() || line.starts_with(b"  ") || line.starts_with(b"\t");
        match all.last_mut() {
            Some(last) if goes_on => last.end = end,
            _ => all.push(at..end),
        }
        at = end;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: Option<&str>, one: &str, other: &str) -> String {
        let [here, there] = [(one, other), (other, one)]
            .map(|(one, other)| woven(base.map(str::as_bytes), one.as_bytes(), other.as_bytes(), None).bytes);
        assert_eq!(here, there, "no copy is first");
        String::from_utf8(here).unwrap()
    }

    #[test]
    fn tails_stand_in_the_order_of_their_times_with_what_continues_them() {
        let head = "# Memory — 2026-11-20\n\n- [09:00:00] [user] Tea.\n";
        let one = format!("{head}- [09:10:00] [tool:psql] rows\n  | a\n- [09:30:00] [user] Late.");
        let other = format!("{head}- [09:20:00] [user] Between.\n");
        let both = merged(None, &one, &other);
        assert_eq!(
            both,
            format!(
                "{head}- [09:10:00] [tool:psql] rows\n  | a\n- [09:20:00] [user] Between.\n- [09:30:00] [user] Late."
            )
        );
        assert_eq!(merged(None, &both, &one), both, "a second time adds nothing");
    }

    #[test]
    fn a_line_said_twice_is_there_twice_and_one_that_both_have_once() {
        assert_eq!(merged(None, "- a\n- yes\n- yes\n", "- a\n- yes\n- b\n"), "- a\n- yes\n- b\n- yes\n");
    }

    #[test]
    fn a_person_takes_a_line_out_and_a_cut_copy_does_not() {
        let base = "- a\n- b\n- c\n";
        assert_eq!(merged(Some(base), "- a\n- c\n", "- a\n- b\n- c\n- d\n"), "- a\n- c\n- d\n");
        assert_eq!(merged(Some(base), "- a\n", "- a\n- b\n- c\n- d\n"), "- a\n- b\n- c\n- d\n");
    }

    #[test]
    fn bytes_are_found_again_where_they_went() {
        let journal = woven(None, b"- a\n- c [x]\n", b"- a\n- b\n", None);
        let text = String::from_utf8(journal.bytes.clone()).unwrap();
        for place in journal.places(1, &(4..8)) {
            assert_eq!(
                &text[usize::try_from(place.start).unwrap()..usize::try_from(place.end).unwrap()],
                "- b\n"
            );
        }
        assert_eq!(journal.places(0, &(0..12)).iter().map(|place| place.end - place.start).sum::<u64>(), 12);
    }
}
