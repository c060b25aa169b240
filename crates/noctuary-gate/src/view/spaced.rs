//! Letters with the same separator between each two: `A K I A`, `s.k.-.a`, `A, K, I, A`, `"A", "K", "I", "A"`.

use std::ops::Range;

use super::island::Edit;
use crate::dense;
use crate::steps;

/// The fewest letters in a row.
const MIN_LETTERS: usize = 10;
/// A separator is no longer than this.
const MOST: usize = 4;
/// No row has fewer bytes.
const SHORTEST: usize = 2 * MIN_LETTERS - 1;
/// Less than half of the shortest row.
const STRIDE: usize = 5;
/// Distance within which another one is looked for.
const AHEAD: usize = 32;

pub(super) fn edits(text: &str) -> Vec<Edit> {
    let bytes = text.as_bytes();
    let mut edits = Vec::new();
    let mut free = 0;
    for part in dense::unpaired(bytes, SHORTEST) {
        free = rows(bytes, part, free, &mut edits);
    }
    edits
}

/// Returns the rows in a part of a text without two letters beside each other. It returns where the last ends.
fn rows(bytes: &[u8], part: Range<usize>, mut free: usize, edits: &mut Vec<Edit>) -> usize {
    let mut at = part.start.max(free);
    while at + STRIDE <= part.end {
        steps::take(1);
        let row_of = |length: usize, mut starts: Range<usize>| {
            let row = starts.find_map(|start| row(bytes, free, start, length));
            row.map(|(from, count)| (from, count, length))
        };
        let row = (1..=MOST).find_map(|length| row_of(length, at..at + length + 1));
        let Some((from, count, length)) = row else {
            at += STRIDE;
            continue;
        };
        // A longer separator has blanks in it, and words of one letter before it have some around them.
        let end = from + (count - 1) * (length + 1);
        let longer = (length + 1..=MOST).rev().find_map(|length| row_of(length, from..end.min(from + AHEAD)));
        let (from, count, length) = longer.unwrap_or((from, count, length));
        steps::take(count * (length + 1));
        for letter in 0..count - 1 {
            let start = from + letter * (length + 1) + 1;
            edits.push(Edit { place: start..start + length, shown: None });
        }
        free = from + (count - 1) * (length + 1) + 1;
        at = free;
    }
    free
}

/// Returns the row of letters with a separator at `start`: where it begins, and how many they are.
fn row(bytes: &[u8], free: usize, start: usize, length: usize) -> Option<(usize, usize)> {
    let separator = bytes.get(start..start + length)?;
    let period = length + 1;
    if !separator.iter().all(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()) {
        return None;
    }
    let stands = |at: usize| bytes.get(at..at + length) == Some(separator);
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    if !(is_letter(start + length)
        && stands(start + period)
        && is_letter(start + period + length)
        && stands(start + 2 * period))
    {
        return None;
    }
    // A letter may be a sign, and even the separator, but not twice in a row.
    let is_same = |at: usize| bytes.get(at) == Some(&separator[0]);
    let may_be = |at: usize| {
        (bytes[at].is_ascii_graphic() || bytes[at] == b' ')
            && !(is_same(at) && (is_same(at + period) || at.checked_sub(period).is_some_and(is_same)))
    };
    let (mut from, mut to) = (start, start + length);
    while from >= period + free && may_be(from - 1) && stands(from - period) {
        from -= period;
    }
    while to < bytes.len() && may_be(to) && stands(to + 1) {
        to += period;
    }
    // A letter that touches a word at an end of the row belongs to the word.
    let first = if from > free && may_be(from - 1) && !from.checked_sub(2).is_some_and(is_letter) {
        from - 1
    } else {
        from + length
    };
    let last = if to < bytes.len() && may_be(to) && !is_letter(to + 1) { to } else { to - period };
    let count = last.checked_sub(first)? / period + 1;
    (count >= MIN_LETTERS).then_some((first, count))
}
