//! Bytes in hexadecimal digits: in a run, or with a separator between each two (`41:4b:49`). Each may be on its own
//! (`0x41, 0x4b`), or in groups, as programs print bytes (`414b 4941`).

use std::ops::Range;

use super::decoded::{LEAST, NONE, runs, texts};
use super::island::{Edit, Island};
use crate::dense;
use crate::steps;

const VALUES: [u8; 256] = values();
/// Less than half of the shortest row.
const STRIDE: usize = 24;

const fn values() -> [u8; 256] {
    let mut values = [NONE; 256];
    let mut value = 0;
    while value < 16 {
        values[b"0123456789abcdef"[value as usize] as usize] = value;
        values[b"0123456789ABCDEF"[value as usize] as usize] = value;
        value += 1;
    }
    values
}

pub(super) fn islands(text: &str, dense: &[Range<usize>], take: &mut dyn FnMut(Island)) {
    runs(text, dense, &VALUES, 2 * LEAST, |run| {
        texts(text, &run, 0, (&VALUES, 4), take);
    });
}

/// Returns the bytes that are apart, where they are text.
pub(super) fn edits(text: &str) -> Vec<Edit> {
    let bytes = text.as_bytes();
    let mut edits = Vec::new();
    let mut free = 0;
    for part in dense::stretches(bytes, STRIDE, is_of_row) {
        let mut at = part.start;
        while at + STRIDE <= part.end {
            steps::take(1);
            let mut starts = (at..at + 6).filter(|start| may_be_in_row(bytes, *start));
            let row = starts.find_map(|start| row(bytes, start.max(free), free));
            let Some((places, end)) = row else {
                at += 6;
                continue;
            };
            steps::take(end - at);
            at = end;
            free = end;
            edits.extend(places);
        }
    }
    edits
}

/// Returns whether a byte may be in a row: a digit, a separator, or the `x` of a mark.
#[inline]
fn is_of_row(byte: u8) -> bool {
    is_digit_or_blank(byte)
        | (byte.wrapping_sub(b'-') <= 1)
        | (byte.wrapping_sub(b':') <= 1)
        | (byte.wrapping_sub(b'\t') <= 1)
        | (byte == b',')
        | (byte == b'|')
        | (byte == b'_')
        | (byte == b'x')
}

/// Returns whether a byte may be in a row of groups.
#[inline]
fn is_digit_or_blank(byte: u8) -> bool {
    (byte.wrapping_sub(b'0') <= 9) | ((byte | 0x20).wrapping_sub(b'a') <= 5) | (byte == b' ')
}

/// Returns what parts groups of bytes, so that one run of digits is left. In what a program printed, a line has its
/// bytes as text behind it, and the next one a number before it.
pub(super) fn groups(text: &str) -> Vec<Edit> {
    /// Minimum of a row that is on one line.
    const SHORTEST: usize = 10;
    let bytes = text.as_bytes();
    let mut edits = Vec::new();
    let mut free = 0;
    for row in dense::stretches(bytes, SHORTEST, is_digit_or_blank) {
        if row.end > free && bytes[row.clone()].contains(&b' ') {
            let start = row.start.max(free);
            free = groups_of(bytes, start, &mut edits).max(row.end);
            steps::take(free - start);
        }
    }
    edits
}

/// Looks at the groups from a place on, and returns where they end.
fn groups_of(bytes: &[u8], start: usize, edits: &mut Vec<Edit>) -> usize {
    let (mut at, mut ended, mut digits, mut joints) = (start, start, 0, 0);
    loop {
        at += bytes[at..].iter().take_while(|byte| **byte == b' ').count();
        if let Some(next) = next_line(bytes, ended, at) {
            at = next;
        }
        let count = bytes[at..].iter().take_while(|byte| VALUES[usize::from(**byte)] != NONE).count();
        let is_group = matches!(count, 2 | 4 | 8 | 16)
            && !bytes.get(at + count).is_some_and(u8::is_ascii_alphanumeric)
            && at - ended <= LINE;
        if is_group && digits > 0 {
            edits.push(Edit { place: ended..at, shown: None });
            joints += 1;
        } else if digits < 2 * LEAST {
            edits.truncate(edits.len() - joints);
        }
        if is_group {
            digits += count;
        } else {
            (digits, joints) = (0, 0);
        }
        at += count;
        ended = at;
        if count == 0 {
            return at;
        }
    }
}

/// No line has more beside its bytes.
const LINE: usize = 48;

/// Returns where the groups of the next line begin: behind the text of this one, and a number.
fn next_line(bytes: &[u8], ended: usize, at: usize) -> Option<usize> {
    let is_end = bytes.get(at) == Some(&b'\n');
    if at < ended + 2 && !is_end {
        return None;
    }
    let text = bytes[at..].iter().take(LINE / 2).position(|byte| *byte == b'\n')?;
    let number = at + text + 1;
    let is_digit = |byte: &&u8| VALUES[usize::from(**byte)] != NONE;
    let digits = bytes[number..].iter().take(8).take_while(is_digit).count();
    let behind = number + digits;
    let is_number = matches!(digits, 7 | 8) && matches!(bytes.get(behind), Some(b':' | b' '));
    let blanks = bytes.get(behind + 1..)?.iter().take(3).take_while(|byte| **byte == b' ').count();
    is_number.then_some(behind + 1 + blanks)
}

/// Returns whether a separator is here as it does between bytes, or what marks one.
fn may_be_in_row(bytes: &[u8], at: usize) -> bool {
    let byte = bytes[at];
    (byte == b'0' && bytes.get(at + 1) == Some(&b'x'))
        || (!byte.is_ascii_alphanumeric() && bytes.get(at + 3) == Some(&byte))
}

fn byte_at(bytes: &[u8], at: usize) -> Option<u8> {
    let (high, low) = (VALUES[usize::from(*bytes.get(at)?)], VALUES[usize::from(*bytes.get(at + 1)?)]);
    (high != NONE && low != NONE).then_some(high << 4 | low)
}

fn is_separator(byte: u8) -> bool {
    b" :-,.;\t\n|_".contains(&byte)
}

/// Returns where the byte begins that is before another, as in `0x41, 0x4b`.
fn marked_before(bytes: &[u8], at: usize, free: usize) -> Option<usize> {
    let between = bytes[free..at].iter().rev().take(4).take_while(|byte| is_separator(**byte)).count();
    let before = at.checked_sub(between + 4).filter(|before| *before >= free)?;
    (bytes[before..].starts_with(b"0x") && byte_at(bytes, before + 2).is_some()).then_some(before)
}

/// Returns the row of bytes to which a separator at `start` belongs, or what of it is text, and where it ends.
fn row(bytes: &[u8], start: usize, free: usize) -> Option<(Vec<Edit>, usize)> {
    let separator = *bytes.get(start)?;
    let is_marked = bytes.get(start..start + 2) == Some(b"0x");
    let mut at = start;
    if is_marked {
        while let Some(before) = marked_before(bytes, at, free) {
            at = before;
        }
    } else {
        let is_row = is_separator(separator) && byte_at(bytes, start + 1).is_some();
        if !is_row || bytes.get(start + 3) != Some(&separator) {
            return None;
        }
        at += 1;
        while at >= free + 3 && bytes[at - 1] == separator && byte_at(bytes, at - 3).is_some() {
            at -= 3;
        }
    }
    let mark = if is_marked { 2 } else { 0 };
    let (mut places, mut count, mut texts) = (Vec::new(), 0, 0);
    while !is_marked || bytes.get(at..at + 2) == Some(b"0x") {
        let Some(byte) = byte_at(bytes, at + mark) else { break };
        count += 1;
        let end = at + mark + 2;
        let between = if is_marked {
            bytes[end..].iter().take(4).take_while(|byte| is_separator(**byte)).count()
        } else {
            usize::from(bytes.get(end) == Some(&separator))
        };
        if byte.is_ascii_graphic() || byte.is_ascii_whitespace() {
            texts += 1;
            places.push(Edit { place: at..end + between, shown: Some(char::from(byte)) });
        } else {
            places.truncate(places.len() - if texts < LEAST { texts } else { 0 });
            texts = 0;
        }
        at = end + between;
        if between == 0 {
            break;
        }
    }
    places.truncate(places.len() - if texts < LEAST { texts } else { 0 });
    if let Some(last) = places.last_mut() {
        // A separator behind the last byte is not a part of it.
        last.place.end = last.place.start + mark + 2;
    }
    (count >= LEAST).then_some((places, at))
}
