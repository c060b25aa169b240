//! The lines of a document that a shown text was made of.
//!
//! A text on its way into a prompt loses lines: its frontmatter, the marks of dreams, what is over the budget. A trail goes with
//! it and says of each line of the text which line of the document it was.

use std::ops::Range;

use crate::base::digest::{Digest, Hasher};
use crate::base::document::SourceRef;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::text;
use crate::format::DreamId;
use crate::format::documents::curated::{self, Piece};
use crate::life::receipt::exhibit::Item;
use crate::life::receipt::source::{LeftOut, LeftOutReason, ReplySource, ShownBy};

/// The lines of a document behind a text, if they are followed.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Trail(Option<Box<Lines>>);

#[derive(Clone, PartialEq, Eq)]
struct Lines {
    name: DocName,
    /// The part of the document that was read. It begins at a line or, at the end of a journal, within one.
    read: String,
    /// The number of its first line.
    first: u64,
    /// Whether that line is whole.
    is_whole: bool,
    revision: Option<Digest>,
    /// The line of the document that each line of the text was; 0 for a line that is none of it.
    numbers: Vec<u64>,
    blocked: Vec<u64>,
    torn: Vec<u64>,
}

impl Trail {
    /// Follows no lines.
    pub(crate) fn none() -> Self {
        Self(None)
    }

    /// Follows the lines of a document that was read whole.
    pub(crate) fn of(name: &DocName, read: &str, revision: Option<Digest>) -> Self {
        Self::from_line(name, read, 1, true, revision)
    }

    /// Follows the lines of the end of a document.
    pub(crate) fn from_line(
        name: &DocName,
        read: &str,
        first: u64,
        is_whole: bool,
        revision: Option<Digest>,
    ) -> Self {
        let numbers = (first..).zip(read.split('\n')).map(|(number, _)| number).gather();
        let (name, read) = (name.clone(), read.to_owned());
        let (blocked, torn) = (Vec::new(), Vec::new());
        Self(Some(Box::new(Lines { name, read, first, is_whole, revision, numbers, blocked, torn })))
    }

    /// Follows into a part of the text.
    pub(crate) fn keep(&mut self, text: &str, part: Range<usize>) {
        let Some(lines) = &mut self.0 else { return };
        let before = newlines(&text[..part.start]);
        let end = before + newlines(&text[part]) + 1;
        lines.numbers = lines.numbers.get(before..end).map(<[u64]>::to_vec).unwrap_or_default();
    }

    /// Follows into the end of the text.
    pub(crate) fn keep_end(&mut self, text: &str, end: &str) {
        self.keep(text, text.len() - end.len()..text.len());
    }

    /// Follows into pieces of the text, one behind the other.
    pub(crate) fn pick(&mut self, text: &str, pieces: &[Piece]) {
        let Some(lines) = &mut self.0 else { return };
        let mut picked = vec![0];
        let mut is_open_empty = true;
        for piece in pieces {
            let (said, mut number) = match piece {
                Piece::Of(range) => (&text[range.clone()], Some(newlines(&text[..range.start]))),
                Piece::Said(said) => (*said, None),
            };
            let mut of_line = || -> u64 {
                let at = number;
                number = number.map(|number| number + 1);
                at.and_then(|at| lines.numbers.get(at).copied()).unwrap_or(0)
            };
            for (at, line) in said.split('\n').enumerate() {
                let own = of_line();
                if at > 0 {
                    picked.push(own);
                } else if !line.is_empty()
                    && let Some(last) = picked.last_mut().filter(|last| is_open_empty || **last == 0)
                {
                    *last = own;
                }
                is_open_empty = if at > 0 { line.is_empty() } else { is_open_empty && line.is_empty() };
            }
        }
        lines.numbers = picked;
    }

    /// Notes lines that are left out since their dream was never finished.
    pub(crate) fn tear(&mut self, text: &str, torn: &[Range<usize>]) {
        let Some(lines) = &mut self.0 else { return };
        for range in torn {
            let before = newlines(&text[..range.start]);
            let within = text[range.clone()].split('\n').enumerate();
            let told = within.filter(|(_, line)| !line.trim().is_empty());
            lines.torn.extend(told.filter_map(|(at, _)| lines.numbers.get(before + at)));
        }
    }

    /// Follows the check of a door, which masks words and blocks lines, and keeps their numbers.
    pub(crate) fn pass(&mut self, before: &str, after: &str) {
        let Some(lines) = &mut self.0 else { return };
        for ((number, was), is) in lines.numbers.iter_mut().zip(before.split('\n')).zip(after.split('\n')) {
            let is_blocked =
                was != is && is.trim_end().starts_with("[BLOCKED: ") && is.trim_end().ends_with(']');
            if is_blocked {
                lines.blocked.push(*number);
            }
            if is_blocked || is.trim().is_empty() && !was.trim().is_empty() {
                *number = 0;
            }
        }
    }

    /// Adds lines of ours in front of the text, and behind it.
    pub(crate) fn frame(&mut self, front: usize, behind: usize) {
        let Some(lines) = &mut self.0 else { return };
        lines.numbers.splice(..0, std::iter::repeat_n(0, front));
        lines.numbers.extend(std::iter::repeat_n(0, behind));
    }

    /// Gives each line of the text the number of a line in the document.
    pub(crate) fn number(&mut self, of: impl Fn(&str) -> u64, text: &str) {
        let Some(lines) = &mut self.0 else { return };
        lines.numbers = text.split('\n').map(of).gather();
    }

    /// Returns the sources of the text, and the lines that were left out of it for a reason of their own.
    pub(crate) fn sources(&self, body: &str) -> (Vec<Item>, Vec<LeftOut>) {
        let Some(lines) = &self.0 else { return Default::default() };
        let by = ShownBy::Prompt;
        let dreams = lines.dreams();
        let mut items = Vec::new();
        for (first, last) in lines.shown(body) {
            // A section of a dream is a source of its own.
            let mut from = first;
            while from <= last {
                let (dream, until) = dream_at(&dreams, from, last);
                if let Some((first, last)) = lines.trimmed(from, until) {
                    items.push(lines.item(by, first, last, dream));
                }
                from = until + 1;
            }
        }
        let mut left_out = Vec::new();
        for (numbers, reason) in
            [(&lines.blocked, LeftOutReason::Blocked), (&lines.torn, LeftOutReason::Torn)]
        {
            for (first, last) in ranges(numbers.iter().copied(), &[]) {
                let source = ReplySource::Lines { at: lines.at(first, last), dream: None };
                left_out.push(LeftOut::new(by, source, reason.clone()));
            }
        }
        (items, left_out)
    }
}

impl Lines {
    fn at(&self, first_line: u64, last_line: u64) -> SourceRef {
        SourceRef { name: self.name.clone(), first_line, last_line }
    }

    /// Returns the lines of the document that a text shows, as ranges. A blank line joins those around it.
    fn shown(&self, body: &str) -> Vec<(u64, u64)> {
        let (mut told, mut blank) = (Vec::new(), Vec::new());
        for (number, line) in self.numbers.iter().zip(body.split('\n')).filter(|(number, _)| **number > 0) {
            if line.trim().is_empty() { blank.push(*number) } else { told.push(*number) }
        }
        ranges(told.into_iter(), &blank)
    }

    fn item(&self, by: ShownBy, first: u64, last: u64, dream: Option<DreamId>) -> Item {
        let is_whole = self.is_whole || first > self.first;
        let hash = is_whole.then(|| hash_of(&self.read, self.first, first, last)).flatten();
        let source = ReplySource::Lines { at: self.at(first, last), dream };
        Item { by, source, revision: self.revision, hash }
    }

    /// Returns a range without the blank lines and marks at its ends; `None` where nothing else is in it.
    fn trimmed(&self, first: u64, last: u64) -> Option<(u64, u64)> {
        let all: Vec<&str> = self.read.split('\n').gather();
        let is_blank = |number: &u64| {
            usize::try_from(number - self.first)
                .ok()
                .and_then(|at| all.get(at))
                .is_none_or(|line| line.trim().is_empty() || line.starts_with(curated::END))
        };
        let first = (first..=last).find(|number| !is_blank(number))?;
        let last = (first..=last).rev().find(|number| !is_blank(number))?;
        Some((first, last))
    }

    /// Returns the sections of dreams, as lines.
    fn dreams(&self) -> Vec<(u64, u64, DreamId)> {
        if ![DocName::MEMORY, DocName::LEGACY_MEMORY, DocName::DREAMED].contains(&self.name) {
            return Vec::new();
        }
        let mut dreams = Vec::new();
        let mut open: Option<(u64, DreamId)> = None;
        for (number, range) in (self.first..).zip(text::line_ranges(&self.read)) {
            let line = self.read[range].trim_end();
            if let Some(dream) = curated::mark(line) {
                open = Some((number, dream));
            } else if let Some((from, dream)) = open.take_if(|(_, dream)| line == dream.end_mark()) {
                dreams.push((from, number, dream));
            }
        }
        dreams
    }
}

/// Returns the dream in whose section a line is, and the last line up to which this answer holds.
fn dream_at(dreams: &[(u64, u64, DreamId)], line: u64, last: u64) -> (Option<DreamId>, u64) {
    match dreams.iter().find(|(_, end, _)| *end >= line) {
        Some((from, end, dream)) if *from <= line => (Some(dream.clone()), last.min(*end)),
        Some((from, ..)) => (None, last.min(from - 1)),
        None => (None, last),
    }
}

/// Joins ascending numbers to ranges; those in `bridges` may lie between.
fn ranges(numbers: impl Iterator<Item = u64>, bridges: &[u64]) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some((_, last))
                if number >= *last && (*last + 1..number).all(|between| bridges.contains(&between)) =>
            {
                *last = number;
            }
            _ => ranges.push((number, number)),
        }
    }
    ranges
}

/// Returns the hash of lines of a text whose first line has the number `from`; `None` if it lacks one of them.
pub(crate) fn hash_of(text: &str, from: u64, first: u64, last: u64) -> Option<Digest> {
    let skipped = usize::try_from(first.checked_sub(from)?).ok()?;
    let count = usize::try_from(last.checked_sub(first)?).ok()? + 1;
    let mut hasher = Hasher::new();
    let mut lines = 0;
    for range in text::line_ranges(text).skip(skipped).take(count) {
        hasher.field(text[range].as_bytes());
        lines += 1;
    }
    (lines == count).then(|| hasher.finish())
}

fn newlines(text: &str) -> usize {
    text.matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(text: &str) -> Trail {
        Trail::of(&DocName::MEMORY, text, None)
    }

    fn told(trail: &Trail, body: &str) -> String {
        let items = trail.sources(body).0;
        items
            .iter()
            .map(|item| item.source.to_string().replace("MEMORY.md#", ""))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn a_text_that_lost_lines_says_which_are_left() {
        let text = "one\ntwo\n\nfour\nfive\nsix";
        let mut whole = trail(text);
        assert_eq!(told(&whole, text), "L1-L6");
        whole.keep_end(text, "four\nfive\nsix");
        assert_eq!(told(&whole, "four\nfive\nsix"), "L4-L6");
        whole.keep("four\nfive\nsix", 0..7);
        whole.frame(1, 1);
        assert_eq!(told(&whole, "[cut]\nfour\nfi\n[cut]"), "L4-L5");
    }

    #[test]
    fn pieces_keep_their_numbers_and_a_line_of_two_pieces_has_that_of_the_first_words() {
        let text = "one\n<mark>\ntwo\n<end>\nthree\n";
        let mut pieces = trail(text);
        let (after, end) = (text.find("two").unwrap(), text.find("<end>").unwrap());
        let picked = [Piece::Of(0..4), Piece::Of(after..end), Piece::Of(end + 5..text.len())];
        pieces.pick(text, &picked);
        assert_eq!(told(&pieces, "one\ntwo\n\nthree\n"), "L1 L3-L5");
        let mut cut = trail(text);
        cut.pick(
            text,
            &[Piece::Of(0..4), Piece::Said("[left out]\n"), Piece::Said("…"), Piece::Of(end + 8..text.len())],
        );
        assert_eq!(told(&cut, "one\n[left out]\n…ree\n"), "L1 L5");
    }

    #[test]
    fn blocked_and_emptied_lines_are_no_sources() {
        let (was, is) = ("tea\nobey\nkey a\nkey b\nend", "tea\n[BLOCKED: override]\n[REDACTED:key#1]\n\nend");
        let mut passed = trail(was);
        passed.pass(was, is);
        assert_eq!(told(&passed, is), "L1 L3 L5");
        let left: Vec<String> = passed.sources(is).1.iter().map(ToString::to_string).collect();
        assert_eq!(left, ["MEMORY.md#L2 (prompt): blocked"]);
    }

    #[test]
    fn a_section_of_a_dream_is_a_source_of_its_own() {
        let id = "0f3a9c5be2d14477";
        let text = format!(
            "# Memory\n\n## Dreamed 2026-11-20\n<!-- dream:v1 id={id} src=1 sha256=0 -->\n\n- tea\n\n<!-- /dream:v1 id={id} -->\n\n- mine\n"
        );
        let mut lines = trail(&text);
        let (kept, torn) = curated::session_pieces(&text);
        assert!(torn.is_empty());
        lines.pick(&text, &kept);
        assert_eq!(told(&lines, &curated::for_session(&text)), format!("L1-L3 L6 of dream {id} L10"));
    }
}
