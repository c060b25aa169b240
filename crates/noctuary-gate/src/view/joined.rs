//! Pieces of a token that are apart: over lines, in marks of markdown, in strings that a program puts together.
//!
//! Separators are taken out if characters of a token are on both sides of them. Line breaks, with the marks that lead
//! the next line, are separators. So are `**`, backticks, `~~`, links, the edges of cells, and one or more `<br>` and
//! its like. So are `" + "`, `' . '`, `" "`, `", "`, a backslash at the end of a line, and `${"…"}`. A line is led by
//! indentation, by marks of lists, quotes and comments, or by times and tags of a journal. An underscore within a word
//! marks nothing.

use std::ops::Range;

use super::island::Edit;
use crate::steps;

/// The bytes that may begin a joint.
const MARKS: [bool; 256] = table(b"\n\r\x0b\x0c\x00\x01\x02\x03\x04\x05\x06\x07\x08\x1b\x7f\\\"'`*~<[{|");
/// The symbols of a token.
const SYMBOLS: [bool; 256] = symbols();
/// Maximum bytes of a piece that are looked at.
const PIECE: usize = 64;
/// No joint is longer.
const MOST: usize = 256;
/// The tags that join what they part.
const TAGS: [&str; 35] = [
    "br", "wbr", "b", "i", "u", "s", "em", "strong", "span", "code", "sub", "sup", "mark", "small", "font",
    "p", "div", "li", "!--", "a", "big", "del", "ins", "kbd", "label", "q", "samp", "tt", "var", "ul", "ol",
    "tr", "td", "th", "tbody",
];
/// The tags of cells, where each cell holds something of its own.
const CELLS: [&str; 4] = ["td", "th", "tr", "tbody"];
/// No more marks than these part two pieces.
const CHAIN: usize = 8;

const fn table(set: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < set.len() {
        table[set[at] as usize] = true;
        at += 1;
    }
    table
}

const fn symbols() -> [bool; 256] {
    let mut table = table(b"_-+/=.:@~%$?");
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] |= byte.is_ascii_alphanumeric();
        byte += 1;
    }
    table
}

/// Returns the joints of a text, with all cells and strings of lists as pieces. Where one looks like a name or a date,
/// it returns them once more without it.
pub(super) fn edits(text: &str) -> [Vec<Edit>; 2] {
    let (all, has_names) = read(text, false);
    let apart = if has_names { read(text, true).0 } else { Vec::new() };
    [all, apart]
}

/// Joints that may be only the ends of lines or cells, as long as nothing around them is more than a word.
#[derive(Default)]
struct Chain {
    lines: Vec<Edit>,
    cells: Vec<Edit>,
    is_token: bool,
    is_drawn: bool,
    has_names: bool,
}

impl Chain {
    /// Begins anew, in the room that it has.
    fn begin(&mut self) {
        self.lines.clear();
        self.cells.clear();
        (self.is_token, self.is_drawn, self.has_names) = (false, false, false);
    }
}

/// Returns the first byte that may begin a joint. Blocks without any are passed over whole.
fn first_mark(bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 32;
    // A few more than the marks: a check without branches and tables, for many bytes at once.
    let may_be = |byte: &u8| {
        (*byte < 0x20)
            | (*byte == b'"')
            | (*byte == b'\'')
            | (*byte == b'*')
            | (*byte == b'<')
            | (byte.wrapping_sub(b'[') < 2)
            | (*byte == b'`')
            | (byte.wrapping_sub(b'{') < 5)
    };
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (at, block) in blocks.iter().enumerate() {
        if block.iter().fold(false, |any, byte| any | may_be(byte))
            && let Some(mark) = block.iter().position(|byte| MARKS[usize::from(*byte)])
        {
            return Some(at * BLOCK + mark);
        }
    }
    let mark = rest.iter().position(|byte| MARKS[usize::from(*byte)])?;
    Some(bytes.len() - rest.len() + mark)
}

/// Returns the joints of a text, and whether cells hold names. With `stands_apart`, such cells stay apart.
fn read(text: &str, stands_apart: bool) -> (Vec<Edit>, bool) {
    let bytes = text.as_bytes();
    let (mut edits, mut has_names) = (Vec::new(), false);
    let (mut chain, mut free) = (Chain::default(), 0);
    let mut at = 0;
    while let Some(mark) = bytes.get(at..).and_then(first_mark) {
        let mark = at + mark;
        steps::take(mark - at + 1);
        at = mark + 1;
        if let Some((open, close)) = link(bytes, mark) {
            // The text between them is short, and without marks.
            (at, free) = (close.end, close.end);
            chain.begin();
            chain.is_token = true;
            edits.extend([open, close].map(|place| Edit { place, shown: None }));
        } else if let Some(Joint { place, likelihood }) = joint(bytes, mark, free) {
            let pieces = around(bytes, &place, free);
            let (left, right) = (&bytes[pieces.start..place.start], &bytes[place.end..pieces.end]);
            let is_name = likelihood == Likelihood::Weak && stand_alone(left, right);
            if is_name && stands_apart {
                continue;
            }
            // A chain of pieces is a token where one of them is.
            if pieces.start > free || free == 0 {
                chain.begin();
            }
            chain.is_token |= likelihood == Likelihood::Sure || !is_word(left) || !is_word(right);
            chain.is_drawn |= is_drawn(left) || is_drawn(right);
            chain.has_names |= is_name;
            (at, free) = (place.end, place.end);
            let of_cells = likelihood == Likelihood::Weak;
            let joints = if of_cells { &mut chain.cells } else { &mut chain.lines };
            joints.push(Edit { place, shown: None });
            if chain.is_token {
                edits.append(&mut chain.lines);
            }
            if chain.is_drawn {
                has_names |= chain.has_names;
                edits.append(&mut chain.cells);
            }
        }
    }
    edits.sort_unstable_by_key(|edit: &Edit| edit.place.start);
    (edits, has_names)
}

/// The text between two pieces of a token, and how likely it is that it parts them.
struct Joint {
    place: Range<usize>,
    likelihood: Likelihood,
}

#[derive(Clone, Copy, PartialEq)]
enum Likelihood {
    /// Nothing else is likely.
    Sure,
    /// Lines end, whatever is on them: one piece must be more than a word.
    Doubtful,
    /// Cells and lists hold names and numbers: one piece must look drawn by chance.
    Weak,
}

/// Returns the two pieces beside a joint, as far as they are looked at.
fn around(bytes: &[u8], joint: &Range<usize>, free: usize) -> Range<usize> {
    let run = |bytes: &mut dyn Iterator<Item = &u8>| {
        bytes.take(PIECE).take_while(|byte| is_symbol(Some(byte))).count()
    };
    let left = run(&mut bytes[free..joint.start].iter().rev());
    let right = run(&mut bytes[joint.end..].iter());
    joint.start - left..joint.end + right
}

fn is_symbol(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| SYMBOLS[usize::from(*byte)])
}

/// Returns what parts two pieces of a token, from a mark on.
fn joint(bytes: &[u8], mark: usize, free: usize) -> Option<Joint> {
    use Likelihood::{Doubtful, Sure, Weak};
    let when = |is_sure| if is_sure { Sure } else { Doubtful };
    // These stand right behind a piece, or behind a blank that may be a part of one.
    if matches!(bytes[mark], b'"' | b'\'' | b'*' | b'`' | b'~')
        && !is_symbol(bytes[..mark].last())
        && bytes[..mark].last() != Some(&b' ')
    {
        return None;
    }
    let (start, end, likelihood) = match bytes[mark] {
        b'\r' if bytes.get(mark + 1) == Some(&b'\n') => return None,
        b'\n' | b'\r' | 0x0b | 0x0c => {
            let left = bytes[free..mark].iter().rev().take(8);
            let trimmed = left
                .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\\' | b'`' | b'"' | b'\'' | b'*'))
                .count();
            let start = mark - trimmed;
            if start <= free || !is_symbol(bytes[..start].last()) {
                return None;
            }
            (start, led(bytes, mark + 1), Doubtful)
        }
        b'\\' => {
            let end = match &bytes[mark + 1..] {
                [b'r', b'\\', b'n', ..] => mark + 4,
                [b'n', ..] => mark + 2,
                _ => return None,
            };
            (mark, end, Doubtful)
        }
        mark_of @ (b'*' | b'`' | b'~') => {
            let count = bytes[mark..].iter().take(4).take_while(|byte| **byte == mark_of).count();
            if count > 3 || (mark_of == b'~' && count != 2) {
                return None;
            }
            (mark, mark + count, when(mark_of == b'`' || count > 1))
        }
        b'<' => {
            let (end, is_cell) = tags(bytes, mark)?;
            if is_cell { (blank_before(bytes, mark, free), end, Weak) } else { (mark, end, Sure) }
        }
        b'|' => (blank_before(bytes, mark, free), cells(bytes, mark)?, Weak),
        0..=8 | 0x1b | 0x7f => (mark, controls(bytes, mark), Sure),
        b'"' | b'\'' => {
            let (end, is_listed) = strung(bytes, mark)?;
            (mark, end, if is_listed { Weak } else { Sure })
        }
        b'{' => {
            let start = if matches!(bytes[..mark].last(), Some(b'$' | b'#')) { mark - 1 } else { mark };
            let end = blank(bytes, mark + 1);
            if !matches!(bytes.get(end), Some(b'"' | b'\'' | b'`')) || start < free {
                return None;
            }
            (start, end + 1, Sure)
        }
        _ => return None,
    };
    steps::take(end - start);
    let is_joined = start > free && is_symbol(bytes[..start].last()) && is_symbol(bytes.get(end));
    (is_joined || (likelihood == Sure && start > free + 1 && parts_words(bytes, start, end)))
        .then_some(Joint { place: start..end, likelihood })
}

/// Returns whether a space is on one side between great letters or digits: a secret may be of several words.
fn parts_words(bytes: &[u8], start: usize, end: usize) -> bool {
    let is_great =
        |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    match (bytes.get(start - 1), bytes.get(end)) {
        (Some(b' '), right) => is_great(bytes.get(start - 2)) && is_great(right),
        (left, Some(b' ')) => is_great(left) && is_great(bytes.get(end + 1)),
        _ => false,
    }
}

/// Returns whether a piece may well be a word, a name or a path: small letters, the first perhaps a capital.
pub(crate) fn is_word(piece: &[u8]) -> bool {
    !piece.first().is_some_and(u8::is_ascii_digit)
        && !piece.iter().skip(1).any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

/// Returns whether a piece looks drawn by chance. It has letters and digits, and is neither a version nor a beginning
/// that other words continue.
fn is_drawn(piece: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| piece.iter().any(is);
    let is_beginning = matches!(piece.last(), Some(b'-' | b'_' | b'.' | b':' | b'/'));
    let is_version = piece.len() < 12 && piece.contains(&b'.');
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic);
    piece.len() >= 4 && is_mixed && !is_beginning && !is_version
}

/// Returns whether one of two cells holds a word of its own, or a date.
fn stand_alone(left: &[u8], right: &[u8]) -> bool {
    let is_name =
        |piece: &[u8]| piece.len() >= 3 && is_word(piece) && piece.iter().all(u8::is_ascii_alphabetic);
    let is_marked =
        |piece: &[u8]| is_date(piece) && piece.iter().any(|byte| matches!(byte, b'-' | b':' | b'/'));
    let goes_on = matches!(right.first(), Some(b'-' | b'_'));
    (is_name(left) && !goes_on) || is_marked(left) || (is_drawn(left) && (is_name(right) || is_marked(right)))
}

/// Returns whether a piece may well be a date, a time or a number.
pub(crate) fn is_date(piece: &[u8]) -> bool {
    piece.iter().all(|byte| byte.is_ascii_digit() || b"-:./%$".contains(byte))
}

/// Returns where control characters end that print nothing, and colours of a terminal.
fn controls(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from..bytes.len().min(from + MOST)];
    let mut at = 0;
    while let Some(0..=8 | 0x1b | 0x7f) = rest.get(at) {
        let is_colour = rest[at..].starts_with(b"\x1b[");
        at += 1;
        if is_colour {
            let inside =
                rest[at..].iter().skip(1).take_while(|byte| byte.is_ascii_digit() || **byte == b';').count();
            let is_whole = rest.get(at + 1 + inside).is_some_and(u8::is_ascii_alphabetic);
            at += if is_whole { inside + 2 } else { 0 };
        }
    }
    from + at
}

/// Returns where spaces and tabs end, and line breaks.
fn blank(bytes: &[u8], from: usize) -> usize {
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
    from + bytes.get(from..).unwrap_or_default().iter().take(MOST).take_while(is_blank).count()
}

/// Returns where blanks begin on the same line that end at a place.
fn blank_before(bytes: &[u8], end: usize, free: usize) -> usize {
    let blanks = bytes[free..end].iter().rev().take(MOST).take_while(|byte| matches!(byte, b' ' | b'\t'));
    end - blanks.count()
}

/// Returns where the next cell of a table begins that is not empty; the next row has an edge on its left.
fn cells(bytes: &[u8], edge: usize) -> Option<usize> {
    let mut at = edge;
    for _ in 0..CHAIN {
        let next = blank(bytes, at + 1);
        let is_row = bytes[at..next].contains(&b'\n');
        let is_edge = bytes.get(next) == Some(&b'|');
        if !is_edge {
            return (!is_row).then_some(next);
        }
        at = next;
    }
    None
}

/// Returns where tags end that join what they part, and whether a cell begins there. The text behind the last cell is no
/// part of it.
fn tags(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let opens = |at: usize| bytes.get(at + 1) != Some(&b'/');
    let (mut end, is_cell) = tag(bytes, from)?;
    let mut cell = is_cell.then(|| opens(from));
    for _ in 1..CHAIN {
        let next = blank(bytes, end);
        let tag = if bytes.get(next) == Some(&b'<') { tag(bytes, next) } else { None };
        let Some((after, is_cell)) = tag else { break };
        if is_cell {
            cell = Some(opens(next));
        }
        end = after;
    }
    match cell {
        None => Some((end, false)),
        Some(true) => Some((blank(bytes, end), true)),
        Some(false) => None,
    }
}

/// Returns where a line goes on behind its leading marks: blanks, marks of a list, quote or comment, a time, a
/// tag.
fn led(bytes: &[u8], from: usize) -> usize {
    let mut at = blank(bytes, from);
    for _ in 0..6 {
        let rest = &bytes[at..];
        let run = |of: fn(&u8) -> bool| rest.iter().take(24).take_while(|byte| of(byte)).count();
        let mark = match rest {
            [b'>' | b'|', ..] | [b'-' | b'*' | b'+' | b';' | b'%', b' ' | b'\t', ..] => 1,
            // The three bytes are a bullet.
            [b'/', b'/', b'/' | b'!', ..] | [0xe2, 0x80, 0xa2, ..] => 3,
            [b'/', b'/', ..] | [b'-', b'-', b' ', ..] => 2,
            [b'#', ..] => run(|byte| *byte == b'#'),
            [b'[', ..] => {
                let inside = run(|byte| !matches!(byte, b']' | b'\n'));
                if rest.get(inside..inside + 2) == Some(b"] ") { inside + 1 } else { 0 }
            }
            [byte, ..] if byte.is_ascii_digit() => {
                let digits = run(u8::is_ascii_digit);
                let time = run(|byte| byte.is_ascii_digit() || *byte == b':');
                if digits <= 3 && matches!(rest.get(digits..digits + 2), Some(b". " | b") ")) {
                    digits + 1
                } else if time > digits && rest.get(time) == Some(&b' ') {
                    time
                } else {
                    0
                }
            }
            [b'`' | b'"' | b'\'', ..] => return at + 1,
            [b'*', b'*', ..] => return at + 2,
            _ => 0,
        };
        if mark == 0 {
            break;
        }
        at = blank(bytes, at + mark);
    }
    at
}

/// Returns the end of a tag that joins the texts around it, and whether it is the tag of a cell.
fn tag(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let rest = &bytes[from + 1..bytes.len().min(from + MOST)];
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    let name = TAGS.iter().filter(|name| {
        rest.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name.as_bytes()))
            && rest
                .get(name.len())
                .is_some_and(|next| matches!(next, b'>' | b'/' | b' ' | b'\n') || **name == "!--")
    });
    let name = name.max_by_key(|name| name.len())?;
    let close: &[u8] = if *name == "!--" { b"-->" } else { b">" };
    let end = rest.windows(close.len()).position(|window| window == close)?;
    Some((bytes.len().min(from + MOST) - rest.len() + end + close.len(), CELLS.contains(name)))
}

/// Returns where a string that ends here goes on: behind another quote. Between the two there is an operator, nothing,
/// or a comma, as in a list. Also returns whether it is a list.
fn strung(bytes: &[u8], from: usize) -> Option<(usize, bool)> {
    let is_quote = |byte: Option<&u8>| matches!(byte, Some(b'"' | b'\'' | b'`'));
    if bytes.get(from + 1) == Some(&b'}') {
        return Some((from + 2, false));
    }
    let mut at = blank(bytes, from + 1);
    let is_listed = bytes.get(at) == Some(&b',');
    let operator = bytes[at..].iter().take(2).take_while(|byte| b"+.&|<>~\\".contains(byte)).count();
    at = blank(bytes, at + if is_listed { 1 } else { operator });
    // The prefix of a string in Python, C++ and C#.
    if matches!(bytes.get(at), Some(b'f' | b'r' | b'b' | b'u' | b'L' | b'@' | b'$'))
        && is_quote(bytes.get(at + 1))
    {
        at += 1;
    }
    is_quote(bytes.get(at)).then_some((at + 1, is_listed))
}

/// Returns the two ends of a link with a piece of a token in it: `[` and `](…)`.
fn link(bytes: &[u8], open: usize) -> Option<(Range<usize>, Range<usize>)> {
    if bytes[open] != b'[' {
        return None;
    }
    let piece = bytes[open + 1..].iter().take(PIECE).take_while(|byte| is_symbol(Some(byte))).count();
    let close = open + 1 + piece;
    if piece == 0 || bytes.get(close..close + 2) != Some(b"](") {
        return None;
    }
    let target = bytes[close..].iter().take(MOST).take_while(|byte| !matches!(byte, b')' | b'\n')).count();
    let end = close + target + 1;
    let joins = is_symbol(bytes[..open].last()) || is_symbol(bytes.get(end));
    (bytes.get(end - 1) == Some(&b')') && joins).then_some((open..open + 1, close..end))
}
