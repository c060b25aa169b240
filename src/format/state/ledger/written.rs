//! The entries of a printed ledger, as text. A pass over the file finds where each is and what most looks need of it.
//! The rest of one is read when it is asked for.

use std::cmp::Ordering;
use std::ops::Range;

use super::entry::{Entry, Glance};
use crate::base::debug::debug_as;
use crate::base::name::DocName;

/// The entries of a file, ascending by name.
#[derive(Clone, Default)]
pub(super) struct Written {
    text: String,
    lines: Vec<Line>,
}

/// Where an entry is in the text, and its facts.
#[derive(Debug, Clone)]
pub(super) struct Line {
    name: Range<u32>,
    entry: Range<u32>,
    glance: Glance,
}

debug_as!(Written, |it| "Written {{ entries: {} }}", it.lines.len());

impl Written {
    /// Makes the entries of a text whose [`lines`] these are.
    pub(super) fn new(text: String, lines: Vec<Line>) -> Self {
        Self { text, lines }
    }

    /// Returns name and text of each entry; the text begins with the name, in quotation marks.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.iter().map(|line| (self.name(line), self.part(line.name.start - 1..line.entry.end)))
    }

    /// Returns name and facts of each entry.
    pub(super) fn glances(&self) -> impl Iterator<Item = (&str, Glance)> {
        self.lines.iter().map(|line| (self.name(line), line.glance))
    }

    pub(super) fn entry(&self, name: &str) -> Option<Entry> {
        let at = self.lines.binary_search_by(|line| self.name(line).cmp(name)).ok()?;
        let text = self.part(self.lines[at].entry.clone());
        Some(serde_json::from_slice(text.as_bytes()).expect("it was looked through when the file was read"))
    }

    /// Returns the facts of an entry. It is looked for from `at` on, which is left where it is or would be.
    pub(super) fn glance(&self, name: &str, at: &mut usize) -> Option<Glance> {
        let order =
            |at: usize| self.lines.get(at).map_or(Ordering::Greater, |line| self.name(line).cmp(name));
        let is_ahead = *at == 0 || order(*at - 1) == Ordering::Less;
        if is_ahead && order(*at) == Ordering::Less {
            *at += 1;
        }
        if !is_ahead || order(*at) == Ordering::Less {
            *at = self.lines.partition_point(|line| self.name(line) < name);
        }
        (order(*at) == Ordering::Equal).then(|| self.lines[*at].glance)
    }

    fn name(&self, line: &Line) -> &str {
        self.part(line.name.clone())
    }

    fn part(&self, place: Range<u32>) -> &str {
        &self.text[place.start as usize..place.end as usize]
    }
}

/// Looks through the entries that begin at `from`, up to the brace behind them. `None` where anything is there that is
/// not printed so.
pub(super) fn lines(text: &str, from: usize) -> Option<Vec<Line>> {
    let mut reader = Reader { text, at: from, pieces: Vec::new() };
    // So long is an entry with a name and a hash, about.
    let mut lines: Vec<Line> = Vec::with_capacity(text.len() / 160);
    while !reader.takes("}") {
        if !lines.is_empty() && !reader.takes(",") {
            return None;
        }
        let line = reader.line()?;
        let name = |line: &Line| &text[line.name.start as usize..line.name.end as usize];
        if lines.last().is_some_and(|last| name(last) >= name(&line)) {
            return None;
        }
        lines.push(line);
    }
    (reader.at == text.len()).then_some(lines)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The ranges of the entry that is being read.
    pieces: Vec<Range<u64>>,
}

impl Reader<'_> {
    fn rest(&self) -> &[u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// Takes a literal, if it is here.
    fn takes(&mut self, literal: &str) -> bool {
        let is_here = self.rest().starts_with(literal.as_bytes());
        self.at += if is_here { literal.len() } else { 0 };
        is_here
    }

    fn take(&mut self, literal: &str) -> Option<()> {
        self.takes(literal).then_some(())
    }

    fn line(&mut self) -> Option<Line> {
        let name = self.name()?;
        let start = self.at;
        self.take("{\"shown\":[")?;
        self.pieces()?;
        self.take("],\"size\":")?;
        let size = self.number()?;
        self.take(",\"modified\":")?;
        let modified = self.signed()?;
        self.count(",\"tries\":")?;
        self.count(",\"again\":")?;
        self.take("}")?;
        let shown: u64 = self.pieces.iter().map(|piece| piece.end.min(size) - piece.start.min(size)).sum();
        let glance = Glance { size, modified, pending: size - shown };
        Some(Line { name: place(name)?, entry: place(start..self.at)?, glance })
    }

    /// Takes a name with the marks around it and the colon behind it, and returns where it is.
    fn name(&mut self) -> Option<Range<usize>> {
        self.take("\"")?;
        let name = self.at..self.at + memchr::memchr(b'"', self.rest())?;
        self.at = name.end;
        let text = &self.text[name.clone()];
        // One with an escape is read in the other way.
        let is_plain = !text.contains('\\') && DocName::is_valid(text);
        (is_plain && self.takes("\":")).then_some(name)
    }

    /// Takes the pieces of an entry, where they hold bytes and do not overlap.
    fn pieces(&mut self) -> Option<()> {
        self.pieces.clear();
        while self.takes(if self.pieces.is_empty() { "{\"from\":" } else { ",{\"from\":" }) {
            let start = self.number()?;
            self.take(",\"to\":")?;
            let end = self.number()?;
            if self.takes(",\"sha256\":\"") {
                let hash = self.rest().get(..HASH)?;
                if !hash.iter().fold(true, |all, digit| all & digit.is_ascii_hexdigit()) {
                    return None;
                }
                self.at += HASH;
                self.take("\"")?;
            }
            if self.takes(",\"breaks\":") {
                self.number()?;
            }
            self.take("}")?;
            if start >= end || self.pieces.last().is_some_and(|last| start < last.end) {
                return None;
            }
            self.pieces.push(start..end);
        }
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = &self.text[self.at..self.at + digits];
        self.at += digits;
        if digits > 1 && number.starts_with('0') { None } else { number.parse().ok() }
    }

    fn signed(&mut self) -> Option<i64> {
        let is_negative = self.takes("-");
        let number = i128::from(self.number()?);
        i64::try_from(if is_negative { -number } else { number })
            .ok()
            .filter(|number| !is_negative || *number < 0)
    }

    /// Takes a count, which is printed only where it is not zero.
    fn count(&mut self, key: &str) -> Option<()> {
        let is_there = self.takes(key);
        (!is_there || (1..=u64::from(u32::MAX)).contains(&self.number()?)).then_some(())
    }
}

/// The number of digits of a hash.
const HASH: usize = 64;

fn place(range: Range<usize>) -> Option<Range<u32>> {
    Some(u32::try_from(range.start).ok()?..u32::try_from(range.end).ok()?)
}
