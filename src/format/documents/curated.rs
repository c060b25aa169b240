//! The curated memory file, `MEMORY.md`.
//!
//! The operator owns every byte that is here already. This module only knows how a dream's section looks at the end of
//! it:
//!
//! ```text
//! ## Dreamed 2026-11-21
//! <!-- dream:v1 id=0f3a9c5be2d14477 src=3 sha256=9b1f… -->
//!
//! ### Facts
//!
//! - Deploys run on Fridays. (memory/2026-11-20-repl.md#L12)
//!
//! <!-- /dream:v1 id=0f3a9c5be2d14477 -->
//! ```
//!
//! A section whose end mark is missing is torn and is not shown to a session.

use std::fmt;
use std::iter;
use std::ops::Range;

use chrono::NaiveDate;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::digest::Digest;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::text::{self, Unit};
use crate::format::replies::reply;

/// The id of a dream: 16 hexadecimal digits, hashed from what the model was shown. The same inputs have
/// the same id, whatever the model answers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct DreamId(String);

impl DreamId {
    /// The number of hexadecimal digits of an id.
    const DIGITS: usize = 16;

    pub(crate) fn from_digest(digest: Digest) -> Self {
        Self(digest.short(Self::DIGITS))
    }

    /// Parses an id; `None` where the text is not 16 lower-case hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let hexadecimal = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == Self::DIGITS && text.as_bytes().iter().all(hexadecimal)).then(|| Self(text.to_owned()))
    }

    /// Returns the digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn start_mark(&self) -> String {
        format!("{START}{}", self.0)
    }

    pub(crate) fn end_mark(&self) -> String {
        format!("{END}{} -->", self.0)
    }
}

impl fmt::Display for DreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for DreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for DreamId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not a dream id"))
    }
}

/// The beginning of a section's heading.
pub(crate) const HEADING: &str = "## Dreamed ";
const START: &str = "<!-- dream:v1 id=";
pub(crate) const END: &str = "<!-- /dream:v1 id=";
const CLOSE: &str = "-->";

/// Prints a section that follows `memory`: on a line of its own, in the file's own line endings.
pub(crate) fn print_section(
    memory: &[u8],
    day: NaiveDate,
    id: &DreamId,
    sources: usize,
    body: &str,
) -> String {
    let body = body.trim_end();
    let gap = match memory.last() {
        None => "",
        Some(b'\n') => "\n",
        Some(_) => "\n\n",
    };
    let section = format!(
        "{gap}## Dreamed {day}\n{} src={sources} sha256={} -->\n\n{body}\n\n{}\n",
        id.start_mark(),
        Digest::of(body.as_bytes()).short(16),
        id.end_mark(),
    );
    if has_crlf(memory) { section.replace('\n', "\r\n") } else { section }
}

/// Returns whether most lines of a file end in CRLF.
pub(crate) fn has_crlf(bytes: &[u8]) -> bool {
    let lines = text::line_breaks(bytes);
    let crlf = bytes.windows(2).filter(|pair| pair == b"\r\n").count() as u64;
    crlf * 2 > lines
}

/// Returns whether the dream's section is in `memory`, both of its marks in order. A person may have edited what is
/// between them.
pub(crate) fn has_section(memory: &[u8], id: &DreamId) -> bool {
    let memory = String::from_utf8_lossy(memory);
    memory.rfind(&id.end_mark()).is_some_and(|end| memory[..end].contains(&id.start_mark()))
}

/// Returns whether anything of the dream's section is in `memory`: one of its marks.
pub(crate) fn has_mark(memory: &[u8], id: &DreamId) -> bool {
    let memory = String::from_utf8_lossy(memory);
    memory.contains(&id.start_mark()) || memory.contains(&id.end_mark())
}

/// Returns the marks in a text, wherever they are in a line. Each to its end on that line, else what makes it one.
pub(crate) fn marks(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    iter::from_fn(move || {
        let rest = &text[from..];
        let found = [START, END].into_iter().filter_map(|mark| Some((rest.find(mark)?, mark.len())));
        let (at, len) = found.min()?;
        let line = rest[at..].lines().next().unwrap_or_default();
        let end = line.find(CLOSE).map_or(len, |close| close + CLOSE.len());
        let range = from + at..from + at + end;
        from = range.end;
        Some(range)
    })
}

/// Removes from a text all marks except those that a document already has, each as often as there. Else text like a
/// section would be taken for a dream's.
pub(crate) fn without_marks(text: &str, standing: &str) -> String {
    let mut text = text.to_owned();
    loop {
        let mut known: Vec<&str> = marks(standing).map(|mark| &standing[mark]).gather();
        let is_new = |mark: &Range<usize>| {
            let at = known.iter().position(|known| *known == &text[mark.clone()]);
            at.map(|at| known.swap_remove(at)).is_none()
        };
        let new: Vec<Range<usize>> = marks(&text).filter(is_new).gather();
        if new.is_empty() {
            return text;
        }
        // What stood around a mark may make another one.
        for mark in new.into_iter().rev() {
            text.replace_range(mark, "");
        }
    }
}

/// Returns the places of our sections in a text that is not `MEMORY.md`. A whole one has its heading, and both marks
/// at the beginning of a line. Of a torn one it is only the line of its mark, because text below may be a person's.
pub(crate) fn dreamed_ranges(text: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(found) = text[from..].find(START) {
        let mark = from + found;
        let line_end = text[mark..].find('\n').map_or(text.len(), |at| mark + at);
        // Only an id on a line of its own makes a mark. Else two messages of a chat would hide the words of others between
        // them.
        let begins = mark == 0 || text[..mark].ends_with('\n');
        let id = text[mark + START.len()..].split([' ', '\n', '\r']).next().and_then(DreamId::parse);
        let stop = id.filter(|_| begins).and_then(|id| {
            let end = format!("\n{}", id.end_mark());
            text[mark..].find(&end).map(|at| mark + at + end.len())
        });
        let stop = stop.unwrap_or(line_end);
        ranges.push(heading_before(text, mark)..stop);
        from = stop;
    }
    ranges
}

/// A line that a dream promoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Promoted {
    pub(crate) dream: DreamId,
    /// One of [`reply::HEADINGS`]; `None` under any other heading, and under none.
    pub(crate) heading: Option<&'static str>,
    /// The bullet, its citations included.
    pub(crate) text: String,
}

/// Returns what is in the whole sections of a curated file, both marks on lines of their own. A section that is torn
/// holds nothing, unless its dream wrote the rest of it behind.
pub(crate) fn promoted(memory: &str) -> Vec<Promoted> {
    let mut all = Vec::new();
    let mut open: Option<(DreamId, Vec<Promoted>)> = None;
    let mut heading = None;
    let mut is_bullet = false;
    for line in text::line_ranges(memory).map(|range| memory[range].trim_end()) {
        if let Some(dream) = mark(line) {
            let begun = open.take().filter(|(begun, _)| *begun == dream);
            open = Some(begun.unwrap_or_else(|| (dream, Vec::new())));
            (heading, is_bullet) = (None, false);
            continue;
        }
        let Some((dream, lines)) = &mut open else { continue };
        if line == dream.end_mark() {
            all.append(lines);
            open = None;
        } else if let Some(item) = reply::bullet(line) {
            lines.push(Promoted { dream: dream.clone(), heading, text: item.to_owned() });
            is_bullet = true;
        } else if line.starts_with('#') {
            let title = line.trim_start_matches('#').trim();
            heading = reply::HEADINGS.into_iter().find(|known| known.eq_ignore_ascii_case(title));
            is_bullet = false;
        } else if is_bullet
            && line.starts_with([' ', '\t'])
            && let Some(last) = lines.last_mut()
        {
            // A person may have folded a long line.
            last.text.push(' ');
            last.text.push_str(line.trim_start());
        } else {
            is_bullet = false;
        }
    }
    all
}

/// Returns the dream whose section begins on this line.
pub(crate) fn mark(line: &str) -> Option<DreamId> {
    let (id, rest) = line.strip_prefix(START)?.split_once(' ')?;
    DreamId::parse(id).filter(|_| rest.starts_with("src=") && rest.ends_with("-->"))
}

/// A part of a text that is made of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A part of it.
    Of(Range<usize>),
    /// Words of ours.
    Said(&'static str),
}

impl Piece {
    fn of<'t>(&self, text: &'t str) -> &'t str {
        match self {
            Self::Of(range) => &text[range.clone()],
            Self::Said(said) => said,
        }
    }

    /// Returns the text that pieces make, one behind the other.
    pub(crate) fn text(pieces: &[Self], of: &str) -> String {
        pieces.iter().map(|piece| piece.of(of)).collect()
    }
}

/// Returns a curated file as a session reads it: without the marks of dreams, and without a torn section. Such a
/// section ends where the next heading of its level begins.
#[cfg(test)]
pub(crate) fn for_session(memory: &str) -> String {
    Piece::text(&session_pieces(memory).0, memory)
}

/// Returns the pieces of a curated file that a session reads, and its torn sections.
pub(crate) fn session_pieces(memory: &str) -> (Vec<Piece>, Vec<Range<usize>>) {
    let (mut shown, mut torn) = (Vec::new(), Vec::new());
    let mut from = 0;
    while let Some(found) = memory[from..].find(START) {
        let mark = from + found;
        let after_mark = memory[mark..].find('\n').map_or(memory.len(), |at| mark + at + 1);
        let id = memory[mark + START.len()..].split([' ', '\n', '\r']).next().and_then(DreamId::parse);
        let Some(id) = id else {
            // It merely looks like a mark.
            shown.push(Piece::Of(from..after_mark));
            from = after_mark;
            continue;
        };
        let end = id.end_mark();
        if let Some(at) = memory[mark..].find(&end) {
            let line = memory[..mark].rfind('\n').map_or(0, |at| at + 1);
            shown.push(Piece::Of(from..line.max(from)));
            shown.push(Piece::Of(after_mark..(mark + at).max(after_mark)));
            from = mark + at + end.len();
        } else {
            let heading = heading_before(memory, mark).max(from);
            shown.push(Piece::Of(from..heading));
            let is_end = |line: &str| line.starts_with("# ") || line.starts_with("## ");
            let mut lines = memory[after_mark..].split_inclusive('\n');
            from = after_mark + lines.by_ref().take_while(|line| !is_end(line)).map(str::len).sum::<usize>();
            torn.push(heading..from);
        }
    }
    shown.push(Piece::Of(from..memory.len()));
    (shown, torn)
}

/// Returns the start of the `## Dreamed` line right above a mark, else of the mark's own line.
fn heading_before(text: &str, mark: usize) -> usize {
    let line = text[..mark].rfind('\n').map_or(0, |at| at + 1);
    let above = text[..line.saturating_sub(1)].rfind('\n').map_or(0, |at| at + 1);
    if text[above..line].starts_with(HEADING) { above } else { line }
}

/// Takes the date off the front of a dated entry: `2026-11-21: Moved to Oslo.`
pub(crate) fn strip_date(entry: &str) -> (Option<NaiveDate>, &str) {
    let date = entry.get(..10).and_then(|day| NaiveDate::parse_from_str(day, "%Y-%m-%d").ok());
    match (date, entry.get(10..)) {
        (Some(date), Some(rest)) if rest.starts_with([':', ' ', ',']) => {
            (Some(date), rest.trim_start_matches([':', ' ', ',', '-', '–', '—']))
        }
        _ => (None, entry),
    }
}

/// Cuts a curated file to `max` for a prompt. It keeps the head, every heading in between, and the tail. Never longer,
/// and shorter by parts of a line alone. (seed 000 keeps the tail alone)
pub(crate) fn head_and_tail(memory: &str, max: usize, unit: Unit) -> String {
    Piece::text(&cut_pieces(memory, max, unit), memory)
}

/// Returns the pieces of that cut.
pub(crate) fn cut_pieces(memory: &str, max: usize, unit: Unit) -> Vec<Piece> {
    if unit.len(memory) <= max {
        return vec![Piece::Of(0..memory.len())];
    }
    // The head may end within a line, and the tail begin within one, which is said.
    let Some(room) = max.checked_sub(LEFT_OUT.len() + 1 + unit.len(WITHIN)) else {
        return vec![Piece::Of(0..text::head(memory, max, unit).len())];
    };
    let head = text::head(memory, room / 4, unit);
    let mut left = room - unit.len(head);
    let mut between: Vec<(usize, Range<usize>)> = Vec::new();
    for range in headings(memory).filter(|range| range.start >= head.len()) {
        let line = memory[range.clone()].lines().next().unwrap_or_default();
        let Some(rest) = left.checked_sub(unit.len(line) + 1).filter(|rest| *rest >= room / 2) else { break };
        left = rest;
        between.push((range.end, range.start..range.start + line.len()));
    }
    // Bytes that the headings leave over are the tail's, and a heading in the tail is in it.
    let tail = loop {
        let tail = text::tail(&memory[head.len()..], left, unit);
        let (begins, count) = (memory.len() - tail.len(), between.len());
        let shown_twice = between.iter().filter(|(end, _)| *end > begins);
        left += shown_twice.map(|(_, line)| unit.len(&memory[line.clone()]) + 1).sum::<usize>();
        order::retain(&mut between, |(end, _)| *end <= begins);
        if between.len() == count {
            break tail;
        }
    };
    let mut cut = vec![Piece::Of(0..head.len())];
    if !head.is_empty() && !head.ends_with('\n') {
        cut.push(Piece::Said("\n"));
    }
    for (_, line) in between {
        cut.extend([Piece::Of(line), Piece::Said("\n")]);
    }
    cut.push(Piece::Said(LEFT_OUT));
    let begins = memory.len() - tail.len();
    if !memory[..begins].ends_with('\n') {
        cut.push(Piece::Said(WITHIN));
    }
    cut.push(Piece::Of(begins..memory.len()));
    cut
}

/// The line in the place of what was left out, and the sign in front of a line that begins within one.
pub(crate) const LEFT_OUT: &str = "[...left out]\n";
pub(crate) const WITHIN: &str = "…";

/// Returns where the headings of a markdown text are; a `#` inside a code fence is none.
fn headings(markdown: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    Parser::new_ext(markdown, Options::empty())
        .into_offset_iter()
        .filter(|(event, _)| matches!(event, Event::Start(Tag::Heading { .. })))
        .map(|(_, range)| range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> DreamId {
        DreamId::parse("0123456789abcdef").unwrap()
    }

    fn day() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 21).unwrap()
    }

    #[test]
    fn a_section_is_found_whole_and_not_found_torn() {
        let section = print_section(b"# Memory\n", day(), &id(), 2, "### Facts\n\n- One.\n");
        assert!(
            section.starts_with("\n## Dreamed 2026-11-21\n<!-- dream:v1 id=0123456789abcdef src=2 sha256=")
        );
        assert!(has_section(section.as_bytes(), &id()));
        for cut in 0..section.trim_end().len() {
            assert!(!has_section(&section.as_bytes()[..cut], &id()), "torn at {cut}");
        }
    }

    #[test]
    fn a_section_takes_the_line_endings_of_its_file() {
        let section = print_section(b"# Memory\r\n\r\n- a\r\n", day(), &id(), 1, "- b");
        assert_eq!(section.matches('\n').count(), section.matches("\r\n").count());
        assert!(has_section(section.as_bytes(), &id()));
        assert!(print_section(b"no newline", day(), &id(), 1, "- b").starts_with("\n\n## Dreamed"));
        assert!(print_section(b"", day(), &id(), 1, "- b").starts_with("## Dreamed"));
    }

    #[test]
    fn dreamed_sections_are_found_whole_and_of_a_torn_one_its_mark() {
        let whole = print_section(b"x\n", day(), &id(), 1, "- b");
        let text = format!(
            "before\n{whole}after\n## Dreamed 2026-11-22\n<!-- dream:v1 id=aaaaaaaaaaaaaaaa src=1\n- torn"
        );
        let ranges = dreamed_ranges(&text);
        assert_eq!(ranges.len(), 2);
        assert!(text[ranges[0].clone()].starts_with("## Dreamed 2026-11-21"));
        assert!(text[ranges[0].clone()].ends_with("-->"));
        assert!(text[ranges[1].end..].starts_with("\n- torn"));
    }

    #[test]
    fn a_session_reads_no_marks_and_no_torn_section() {
        let whole = print_section(b"- mine\n", day(), &id(), 1, "### Facts\n\n- Dreamed.\n");
        let shown = for_session(&format!("- mine\n{whole}- mine too\n"));
        assert_eq!(shown, "- mine\n\n## Dreamed 2026-11-21\n\n### Facts\n\n- Dreamed.\n\n\n- mine too\n");
        for cut in whole.find("<!--").unwrap() + START.len() + 17..whole.trim_end().len() {
            let torn = format!("- mine\n{}\n## Mine\n- too\n", &whole[..cut]);
            let shown = for_session(&torn);
            assert!(!shown.contains("Dreamed"), "torn at {cut}: {shown}");
            assert!(shown.starts_with("- mine\n") && shown.ends_with("## Mine\n- too\n"), "{shown}");
        }
        let plain = "# Memory\n<!-- dream:v1 id=nothing -->\n- a\n";
        assert_eq!(for_session(plain), plain);
    }

    #[test]
    fn what_was_promoted_stands_in_whole_sections() {
        let other = DreamId::parse("aaaaaaaaaaaaaaaa").unwrap();
        let body = "- Bare. (memory/a.md#L1)\n\n### Facts\n\n- One\n  folded.\n- Two.\nprose\n  - Three.\n### Mine\n- Four.";
        for line_end in ["\n", "\r\n"] {
            let whole = print_section(b"- mine\n", day(), &id(), 1, body).replace('\n', line_end);
            let lines = promoted(&format!("- mine\n{whole}- mine too\n"));
            let told: Vec<_> = lines.iter().map(|line| (line.heading, line.text.as_str())).collect();
            let expected = [
                (None, "Bare. (memory/a.md#L1)"),
                (Some("Facts"), "One folded."),
                (Some("Facts"), "Two."),
                (Some("Facts"), "Three."),
                (None, "Four."),
            ];
            assert_eq!(told, expected);
            let end = whole.rfind("-->").unwrap() + 3;
            for cut in 0..end {
                if let Some(cut) = whole.get(..cut) {
                    assert_eq!(promoted(cut), [], "torn at {cut}");
                }
            }
        }
        let torn = "<!-- dream:v1 id=0123456789abcdef src=1 sha256=0 -->\n- Torn.\n";
        let whole = print_section(b"", day(), &other, 1, "- Whole.");
        let rest = print_section(b"", day(), &id(), 1, "- Rest.");
        let texts = |memory: &str| promoted(memory).into_iter().map(|line| line.text).collect::<Vec<_>>();
        assert_eq!(texts(&format!("{torn}{whole}")), ["Whole."]);
        assert_eq!(texts(&format!("{torn}{rest}")), ["Torn.", "Rest."]);
        for forged in [
            "text <!-- dream:v1 id=0123456789abcdef src=1 -->\n- x\n<!-- /dream:v1 id=0123456789abcdef -->\n",
            "<!-- dream:v1 id=0123456789abcdeF src=1 -->\n- x\n<!-- /dream:v1 id=0123456789abcdeF -->\n",
            "<!-- dream:v1 id=0123456789abcdef src=1 -->\n- x <!-- /dream:v1 id=0123456789abcdef -->\n",
        ] {
            assert_eq!(promoted(forged), []);
        }
    }

    #[test]
    fn a_long_memory_keeps_head_headings_and_tail() {
        let mut memory = "# Memory\n\n## Facts\n\n- The boat is called Brisk.\n".to_owned();
        for n in 0..2000 {
            use std::fmt::Write as _;
            if n == 1000 {
                memory.push_str("## Dreamed 2026-01-01\n```\n# not a heading\n```\n");
            }
            writeln!(memory, "- Line {n} of many.").unwrap();
        }
        let cut = head_and_tail(&memory, 4096, Unit::Bytes);
        assert!((4096 - 300..=4096).contains(&cut.len()), "{}", cut.len());
        assert!(cut.contains("Brisk") && cut.contains("Line 1999") && cut.contains("## Dreamed 2026-01-01"));
        assert!(!cut.contains("# not a heading"));
    }
}
