//! A journal that grew on two machines: the lines of both, each once, in the order of their times.
//!
//! An entry is a line with the lines that continue it, and the blank lines behind it. Where an ancestor is known, a line that a
//! person took out of one copy is taken out; a copy that is only the front of the ancestor is one that was cut, and takes out nothing.

use std::collections::BTreeSet;
use std::ops::Range;

use super::weave::{Place, Strand, strands, weave};
use crate::base::text;

/// A merged journal, and where the bytes of both copies are in it.
#[derive(Debug, Default)]
pub(super) struct WovenJournal {
    pub(super) bytes: Vec<u8>,
    /// Of each copy: an entry there, and its place here.
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

    /// Returns the number of a line of a copy, from 1, in the merged journal.
    pub(super) fn line(&self, side: usize, copy: &[u8], number: u64) -> Option<u64> {
        let above = usize::try_from(number.checked_sub(1)?).ok()?;
        let starts = std::iter::once(0)
            .chain(copy.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
        let start = starts.into_iter().nth(above).filter(|start| *start < copy.len())? as u64;
        let place = self.places(side, &(start..start + 1)).into_iter().next()?;
        let here = usize::try_from(place.start).ok()?;
        Some(text::line_breaks(&self.bytes[..here]) + 1)
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
        let mut journal = WovenJournal::of(one, 0);
        let moved = journal.moved[0].clone();
        journal.moved[1] = moved;
        return journal;
    }
    let sides = [one, other].map(entries);
    let mut strands = [0, 1].map(|side| stranded([one, other][side], &sides[side]));
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
    fn add(&mut self, place: Place, copies: [&[u8]; 2], entries: &[Vec<Range<usize>>; 2]) {
        if self.bytes.last().is_some_and(|last| *last != b'\n') {
            self.bytes.push(b'\n');
        }
        let of = |side: usize, at: Option<usize>| at.map(|at| entries[side][at].clone());
        let ranges = [of(0, place.0), of(1, place.1)];
        let texts = [0, 1].map(|side| ranges[side].clone().map(|range| &copies[side][range]));
        // Of two that differ in the blank lines behind them, the one with more.
        let text = texts.into_iter().flatten().max_by_key(|text| (text.len(), *text)).unwrap_or_default();
        let to = self.bytes.len() as u64..(self.bytes.len() + text.len()) as u64;
        self.bytes.extend_from_slice(text);
        for (side, range) in ranges.into_iter().enumerate() {
            if let Some(range) = range {
                let from = range.start as u64..range.end as u64;
                self.moved[side].push(Moved { from, to: to.clone() });
            }
        }
    }
}

/// A time behind all others.
const LAST: &str = "~";

type Key = (String, usize);

/// Returns the entries that a person took out of one copy.
fn taken_out(base: &[u8], copies: [&[u8]; 2], strands: &[Vec<Strand<String, Key>>; 2]) -> BTreeSet<Key> {
    let before = stranded(base, &entries(base));
    let mut gone = BTreeSet::new();
    for side in [0, 1] {
        if base.starts_with(copies[side]) {
            continue;
        }
        let here: BTreeSet<&Key> = strands[side].iter().map(|strand| &strand.key).collect();
        gone.extend(before.iter().map(|strand| &strand.key).filter(|key| !here.contains(key)).cloned());
    }
    gone
}

fn stranded(text: &[u8], entries: &[Range<usize>]) -> Vec<Strand<String, Key>> {
    strands(entries.iter().map(|range| {
        let entry = &text[range.clone()];
        // Not lossy: bytes that are no text differ too.
        let shown: String = entry.trim_ascii_end().escape_ascii().to_string();
        (time(entry), shown)
    }))
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

/// Returns the entries of a journal; together they are all of it.
fn entries(text: &[u8]) -> Vec<Range<usize>> {
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
