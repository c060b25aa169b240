//! Lines of a text as a model names them and is shown them.

use super::shown::cut;
use super::{MAX_ANSWER, ToolError};
use crate::base::gather::Gather as _;

/// Returns every place where a text is, also where two of them overlap.
pub(super) fn occurrences(text: &str, wanted: &str) -> Vec<usize> {
    let step = wanted.chars().next().map_or(1, char::len_utf8);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(wanted) {
        found.push(from + at);
        from += at + step;
    }
    found
}

/// Returns the lines of bytes in their order, from 1.
pub(super) fn lines_at(text: &str, bytes: &[usize]) -> Vec<usize> {
    let (mut line, mut read) = (1, 0);
    let line_of = |at: &usize| {
        line += text[read..*at].matches('\n').count();
        read = *at;
        line
    };
    bytes.iter().map(line_of).gather()
}

/// Returns the first and the last line of a range as a model gives it; all of them where it gives none.
pub(super) fn lines_of(range: Option<&[i64]>, lines: usize) -> Result<(usize, usize), ToolError> {
    let Some(given) = range else { return Ok((1, lines)) };
    let read = match given {
        [first, last] => {
            let first = usize::try_from(*first).unwrap_or(0).max(1);
            let last = if *last == -1 { lines } else { usize::try_from(*last).unwrap_or(0).min(lines) };
            (first <= last).then_some((first, last))
        }
        _ => None,
    };
    read.ok_or_else(|| {
        ToolError::new(format!(
            "Invalid `view_range` parameter: give [first, last] within the range of lines of the file: [1, {lines}], or -1 for the last line"
        ))
    })
}

/// Lines of a text below a heading, with their numbers, as many as fit, and the number of the last of them.
pub(super) fn numbered(mut told: String, text: &str, (first, last): (usize, usize)) -> (String, usize) {
    let mut end = first - 1;
    for (at, line) in text.split('\n').enumerate().take(last).skip(first - 1) {
        let room = MAX_ANSWER.saturating_sub(told.len() + 256);
        let (line, is_whole) = cut(line, room);
        if room > 8 {
            told.push_str(&format!("\n{:>6}\t{line}", at + 1));
            end = at + 1;
        }
        if room <= 8 || !is_whole {
            let next = if room > 8 { at + 2 } else { at + 1 };
            told.push_str(&format!(
                "\n[cut: the answer is too long; see more with view_range from line {next}]"
            ));
            break;
        }
    }
    (told, end)
}

/// Prints a size as a person reads it: `0B`, `512B`, `1.5K`, `2M`.
pub(super) fn human(len: u64) -> String {
    let (mut unit, mut power) = ("B", 1);
    for (next, factor) in [("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30)] {
        if len >= factor {
            (unit, power) = (next, factor);
        }
    }
    if len.is_multiple_of(power) {
        return format!("{}{unit}", len / power);
    }
    // Rounded to tenths, in whole numbers.
    let tenths = (len * 10 + power / 2) / power;
    format!("{}.{}{unit}", tenths / 10, tenths % 10)
}
