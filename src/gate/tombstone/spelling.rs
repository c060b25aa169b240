//! One spelling for texts that say the same. Escapes and entities of HTML are read; lookalike, composed and joined
//! letters become one.
//!
//! Marks are letters' own, so `zoe` is not `zoë`. Only the points of Hebrew and Arabic, which most people leave out, do
//! not count, nor does a tatweel. The date that a dream adds behind "tomorrow" does not count either.

use std::borrow::Cow;
use std::ops::Range;

use noctuary_gate::{escape_at, letter_like};
use pulldown_cmark::{Event, Parser};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{canonical_combining_class, compose, decompose_compatible};

use crate::base::gather::Gather as _;
use crate::base::relative;

/// Returns a text in each spelling in which a statement may be found: as written, and with escaped white space read.
/// Each of them comes in the form that is compared, too.
pub(super) fn all(text: &str) -> Vec<Spelled<'_>> {
    let mut all = vec![Spelled::written(text)];
    all.extend(unescaped(text).map(Spelled::written));
    let alike = |spelled: &Spelled<'_>| Spelled::alike(&spelled.text, &relative::dates(&spelled.text));
    let alike: Vec<_> = all.iter().filter_map(alike).gather();
    all.extend(alike);
    all
}

/// Returns a statement in the spelling that is compared. A text that is only a relative day keeps its date.
pub(super) fn alike(text: &str) -> Cow<'_, str> {
    let dates = relative::dates(text);
    let is_day = !dates.is_empty() && relative::is_day(&relative::undated(text));
    Spelled::alike(text, if is_day { &[] } else { &dates })
        .map_or(Cow::Borrowed(text), |spelled| spelled.text)
}

/// A text as it is written, or in another spelling.
pub(super) struct Spelled<'t> {
    pub(super) text: Cow<'t, str>,
    /// The places that differ, here and as it is written, ascending.
    changes: Vec<[Range<usize>; 2]>,
}

impl<'t> Spelled<'t> {
    fn written(text: impl Into<Cow<'t, str>>) -> Self {
        Self { text: text.into(), changes: Vec::new() }
    }

    /// Returns a text in the spelling that is compared, without some dates in it; `None` where it is in it already.
    fn alike(text: &str, dates: &[Range<usize>]) -> Option<Self> {
        if dates.is_empty() && text.is_ascii() && !text.contains(['&', '\\', '%']) {
            return None;
        }
        let (mut alike, mut changes) = (String::new(), Vec::new());
        let (mut cluster, mut copied, mut at) = (Cluster::default(), 0, 0);
        while at < text.len() {
            let from = at;
            if let Some(date) = dates.iter().find(|date| date.start == from) {
                alike.push_str(&text[copied..from]);
                changes.push([alike.len()..alike.len(), date.clone()]);
                (copied, at) = (date.end, date.end);
                continue;
            }
            at = cluster.begin(text, from);
            while let Some(end) = cluster.goes_on(text, at) {
                at = end;
            }
            let written = &text[from..at];
            if cluster.is_plain(written) {
                continue;
            }
            let spelled = cluster.spelled();
            if spelled == written {
                continue;
            }
            alike.push_str(&text[copied..from]);
            let start = alike.len();
            alike.push_str(&spelled);
            changes.push([start..alike.len(), from..at]);
            copied = at;
        }
        if changes.is_empty() {
            return None;
        }
        alike.push_str(&text[copied..]);
        Some(Self { text: alike.into(), changes })
    }

    /// Returns where a place is as it is written. A character that differs is in it whole.
    pub(super) fn place(&self, here: &Range<usize>) -> Range<usize> {
        let moved = |at: usize, is_end: bool| {
            let count = self.changes.partition_point(|[here, _]| here.start < at + usize::from(!is_end));
            let Some([here, there]) = count.checked_sub(1).map(|last| &self.changes[last]) else { return at };
            match at.checked_sub(here.end) {
                Some(behind) => there.end + behind,
                None if is_end => there.end,
                None => there.start,
            }
        };
        moved(here.start, false)..moved(here.end, true)
    }
}

/// A letter with its marks.
#[derive(Default)]
struct Cluster {
    /// As it is written, escapes undone, each character in its compatible form.
    parts: Vec<char>,
    /// The letter that the last of them make together, for what may be composed with it.
    letter: char,
    is_escaped: bool,
}

impl Cluster {
    /// Reads a first character, and returns where it ends.
    fn begin(&mut self, text: &str, at: usize) -> usize {
        self.parts.clear();
        (self.letter, self.is_escaped) = ('\0', false);
        let read = Read::at(text, at);
        self.take(&read);
        read.end
    }

    /// Reads a character that belongs to those before it; `None` where the next one does not.
    fn goes_on(&mut self, text: &str, at: usize) -> Option<usize> {
        // A mark is never ASCII, unless it is escaped.
        if matches!(text.as_bytes().get(at)?, byte if byte.is_ascii() && !matches!(byte, b'&' | b'\\' | b'%'))
        {
            return None;
        }
        let read = Read::at(text, at);
        let mut first = None;
        decompose_compatible(read.first, |part| first = first.or(Some(part)));
        let first = first?;
        let is_mark = canonical_combining_class(first) != 0 || is_point(first);
        if !is_mark && compose(self.letter, first).is_none() {
            return None;
        }
        self.take(&read);
        Some(read.end)
    }

    fn take(&mut self, read: &Read) {
        let Self { parts, letter, .. } = self;
        for c in std::iter::once(read.first).chain(read.others.chars()) {
            decompose_compatible(c, |part| {
                let is_letter = canonical_combining_class(part) == 0;
                *letter = compose(*letter, part).unwrap_or(if is_letter { part } else { *letter });
                parts.push(part);
            });
        }
        self.is_escaped |= read.is_escaped;
    }

    /// Returns whether it is a character alone that nobody spells otherwise.
    fn is_plain(&self, written: &str) -> bool {
        let is_ideograph = |c: char| matches!(c, '\u{3400}'..='\u{9fff}');
        !self.is_escaped
            && written.chars().take(2).count() == 1
            && written.chars().all(|c| c.is_ascii() || is_ideograph(c))
    }

    fn spelled(&self) -> String {
        let mut folded = String::new();
        for c in self.parts.iter().copied().filter(|c| !is_point(*c)) {
            match c {
                // No character of a line, and a break of it for who reads.
                '\u{2028}' | '\u{2029}' => folded.push('\n'),
                // The point of a Turkish letter, in the other case of the alphabet.
                '\u{307}' if folded.ends_with(['i', 'I']) => {}
                // Apostrophes that count as letters.
                '\u{2b9}'..='\u{2bc}' => folded.push('\''),
                c if c.is_ascii() => folded.push(c),
                c => {
                    for c in c.to_uppercase().flat_map(char::to_lowercase) {
                        folded.push(letter_like(c).unwrap_or(c));
                    }
                }
            }
        }
        folded.nfc().collect()
    }
}

/// A character as an escape of it is read.
struct Read {
    first: char,
    /// The characters behind it, of an entity that names several.
    others: String,
    end: usize,
    is_escaped: bool,
}

impl Read {
    fn at(text: &str, at: usize) -> Self {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or_default();
        if matches!(first, '&' | '\\' | '%') {
            if let Some((first, end)) = escape_at(text, at) {
                return Self { first, others: String::new(), end, is_escaped: true };
            }
            if let Some((written, named)) = entity(rest) {
                let mut named = named.chars();
                let first = named.next().unwrap_or_default();
                return Self { first, others: named.collect(), end: at + written, is_escaped: true };
            }
        }
        Self { first, others: String::new(), end: at + first.len_utf8(), is_escaped: false }
    }
}

/// Returns the length of an entity of HTML at the beginning of a text, and what it names.
fn entity(text: &str) -> Option<(usize, String)> {
    /// The longest name in HTML 5 has 33 characters with its signs.
    const LONGEST: usize = 33;
    let name = text.strip_prefix('&')?.bytes().take(LONGEST).take_while(u8::is_ascii_alphanumeric).count();
    let written = text.get(..name + 2).filter(|written| name > 0 && written.ends_with(';'))?;
    // Markdown knows them all.
    let named = Parser::new(written).find_map(|event| match event {
        Event::Text(text) => Some(text.into_string()),
        _ => None,
    })?;
    (named != written && !named.is_empty()).then_some((written.len(), named))
}

/// Returns whether a character is a point or a stroke of Hebrew or Arabic that most people do not write.
fn is_point(c: char) -> bool {
    matches!(c,
        '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}' | '\u{5c2}' | '\u{5c4}' | '\u{5c5}' | '\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}'
        | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' | '\u{6ea}'..='\u{6ed}')
}

/// Returns the text with as many spaces in the place of escaped white space, where any is there.
fn unescaped(text: &str) -> Option<String> {
    if !text.contains('\\') {
        return None;
    }
    let mut rest = text;
    let (mut plain, mut is_changed) = (String::with_capacity(text.len()), false);
    while let Some((before, behind)) = rest.split_once('\\') {
        plain.push_str(before);
        let is_control = behind
            .get(..5)
            .is_some_and(|code| code.starts_with("u000") && code.as_bytes()[4].is_ascii_hexdigit());
        let (len, parts) = match behind.chars().next() {
            Some('n' | 'r' | 't' | 'f' | 'b') => (1, true),
            Some('u') if is_control => (5, true),
            // It is escaped, and begins no escape.
            c => (c.map_or(0, char::len_utf8), false),
        };
        let (escaped, after) = behind.split_at(len);
        if parts {
            plain.push_str(&" ".repeat(1 + len));
        } else {
            plain.push('\\');
            plain.push_str(escaped);
        }
        is_changed |= parts;
        rest = after;
    }
    plain.push_str(rest);
    is_changed.then_some(plain)
}
