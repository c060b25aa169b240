//! Characters written as escapes. Of an address: `%41`. Of HTML: `&#65;`, `&#x41;`, `&hyphen;`. Of a string:
//! `\u0041`, `\u{41}`, `\x41`, `\101`. Of markdown: `\_`. Of a style sheet: `\41 `, `\000041`. And `U+0041`.

use memchr::{memchr3, memmem};

use super::island::Edit;
use crate::steps;

/// The names of HTML for what is in tokens and beside them.
const NAMES: &[(&str, char)] = &[
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("colon", ':'),
    ("equals", '='),
    ("plus", '+'),
    ("sol", '/'),
    ("bsol", '\\'),
    ("lowbar", '_'),
    ("UnderBar", '_'),
    ("hyphen", '-'),
    ("dash", '-'),
    ("ndash", '-'),
    ("mdash", '-'),
    ("minus", '-'),
    ("period", '.'),
    ("comma", ','),
    ("num", '#'),
    ("excl", '!'),
    ("commat", '@'),
    ("semi", ';'),
    ("lpar", '('),
    ("rpar", ')'),
    ("lsqb", '['),
    ("rsqb", ']'),
    ("lbrace", '{'),
    ("lcub", '{'),
    ("rbrace", '}'),
    ("rcub", '}'),
    ("percnt", '%'),
    ("dollar", '$'),
    ("ast", '*'),
    ("grave", '`'),
    ("Tab", '\t'),
    ("NewLine", '\n'),
    ("shy", '\u{ad}'),
    ("zwj", '\u{200d}'),
    ("zwnj", '\u{200c}'),
    ("ZeroWidthSpace", '\u{200b}'),
    ("NoBreak", '\u{2060}'),
    ("tilde", '~'),
    ("vert", '|'),
    ("quest", '?'),
];

const LONGEST_NAME: usize = 14;

pub(super) fn edits(text: &str) -> Vec<Edit> {
    let bytes = text.as_bytes();
    let (mut edits, mut quotes) = (Vec::new(), Vec::new());
    let mut at = 0;
    // Each is looked for from where it was found last, so that a text of one of them takes no longer.
    let plus_sign = memmem::Finder::new("U+");
    let (mut any, mut named) = (Some(0), Some(0));
    loop {
        next(&mut any, at, |from| memchr3(b'%', b'&', b'\\', &bytes[from..]));
        next(&mut named, at, |from| plus_sign.find(&bytes[from..]));
        let Some(mark) = any.into_iter().chain(named).min() else { break };
        steps::take(mark - at + 1);
        let found = if bytes[mark] == b'U' { plus(bytes, mark) } else { escape_at(text, mark) };
        at = mark + 1;
        if let Some((c, end)) = found {
            // Quotes in a string are escaped without any disguise.
            if matches!(bytes[end - 1], b'"' | b'\'') {
                quotes.push(edits.len());
            }
            edits.push(Edit { place: mark..end, shown: Some(c) });
            at = end;
        }
    }
    without_lone(edits, &quotes)
}

/// Returns the character that an escape at a place writes, and the end of the escape. Escapes of an address, HTML, a
/// string, markdown and a style sheet are read. Among the names of HTML, the names of signs are known.
#[must_use]
pub fn escape_at(text: &str, at: usize) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let found = match bytes.get(at)? {
        b'%' => percent(bytes, at),
        b'&' => entity(bytes, at),
        b'\\' => backslash(bytes, at),
        _ => None,
    };
    found.filter(|(_, end)| text.is_char_boundary(*end))
}

/// Looks for a mark from a place on, unless the last one that was found is still ahead.
fn next(mark: &mut Option<usize>, at: usize, find: impl Fn(usize) -> Option<usize>) {
    if mark.is_some_and(|mark| mark < at || at == 0) {
        *mark = find(at).map(|found| at + found);
    }
}

/// Leaves out the quotes that have nothing else in escapes near them.
fn without_lone(edits: Vec<Edit>, quotes: &[usize]) -> Vec<Edit> {
    const NEAR: usize = 64;
    let mut is_kept = vec![true; edits.len()];
    for quote in quotes {
        is_kept[*quote] = false;
    }
    let mut others =
        edits.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(edit, _)| edit.place.clone());
    let (mut before, mut next) = (None, others.next());
    let mut near = Vec::with_capacity(quotes.len());
    for quote in quotes {
        let place = &edits[*quote].place;
        while let Some(other) = next.clone().filter(|other| other.start < place.start) {
            (before, next) = (Some(other.end), others.next());
        }
        let follows = before.is_some_and(|end: usize| place.start - end <= NEAR);
        near.push(follows || next.as_ref().is_some_and(|other| other.start - place.end <= NEAR));
    }
    for (quote, is_near) in quotes.iter().zip(near) {
        is_kept[*quote] = is_near;
    }
    edits.into_iter().zip(is_kept).filter(|(_, kept)| *kept).map(|(edit, _)| edit).collect()
}

/// Returns the number in a given count of digits, and where they end.
fn number(bytes: &[u8], from: usize, least: usize, most: usize, base: u32) -> Option<(u32, usize)> {
    let digits = bytes.get(from..)?.iter().take(most).map_while(|byte| char::from(*byte).to_digit(base));
    let (number, count) = digits.fold((0_u32, 0), |(number, count), digit| {
        (number.saturating_mul(base).saturating_add(digit), count + 1)
    });
    (count >= least).then_some((number, from + count))
}

fn character((code, end): (u32, usize)) -> Option<(char, usize)> {
    Some((char::from_u32(code)?, end))
}

fn percent(bytes: &[u8], mark: usize) -> Option<(char, usize)> {
    if bytes.get(mark + 1) == Some(&b'u') {
        return number(bytes, mark + 2, 4, 4, 16).and_then(character);
    }
    // A character of several bytes has an escape for each.
    let (mut utf8, mut end) = ([0_u8; 4], mark);
    for length in 1..=4 {
        if bytes.get(end) != Some(&b'%') {
            return None;
        }
        let (byte, after) = number(bytes, end + 1, 2, 2, 16)?;
        utf8[length - 1] = u8::try_from(byte).ok()?;
        end = after;
        if let Ok(whole) = std::str::from_utf8(&utf8[..length]) {
            return Some((whole.chars().next()?, end));
        }
    }
    None
}

fn entity(bytes: &[u8], mark: usize) -> Option<(char, usize)> {
    let (c, end) = match bytes.get(mark + 1..)? {
        [b'#', b'x' | b'X', ..] => character(number(bytes, mark + 3, 1, 8, 16)?)?,
        [b'#', ..] => character(number(bytes, mark + 2, 1, 9, 10)?)?,
        rest => {
            let name = rest.iter().take(LONGEST_NAME).take_while(|byte| byte.is_ascii_alphabetic()).count();
            let (_, c) = NAMES.iter().find(|(known, _)| known.as_bytes() == &rest[..name])?;
            return (rest.get(name) == Some(&b';')).then_some((*c, mark + 1 + name + 1));
        }
    };
    // Browsers forgive a missing end.
    Some((c, end + usize::from(bytes.get(end) == Some(&b';'))))
}

fn backslash(bytes: &[u8], mark: usize) -> Option<(char, usize)> {
    // Escaped once more, there are two.
    let count = bytes[mark..].iter().take(4).take_while(|byte| **byte == b'\\').count();
    let at = mark + count;
    let braced = |from: usize| {
        let (code, end) = number(bytes, from + 1, 1, 6, 16)?;
        (bytes.get(from) == Some(&b'{') && bytes.get(end) == Some(&b'}')).then_some((code, end + 1))
    };
    let found = match bytes.get(at)? {
        b'u' => pair(bytes, at).or_else(|| number(bytes, at + 1, 4, 4, 16)).or_else(|| braced(at + 1)),
        b'U' => number(bytes, at + 1, 8, 8, 16),
        b'x' => number(bytes, at + 1, 2, 2, 16).or_else(|| braced(at + 1)),
        b'0'..=b'7' => style(bytes, at).or_else(|| number(bytes, at, 3, 3, 8)),
        // An escape of markdown, and of strings and patterns.
        mark if mark.is_ascii_punctuation() && *mark != b'\\' => Some((u32::from(*mark), at + 1)),
        _ => None,
    };
    found.and_then(character)
}

/// Returns a character beyond the first 65,536, which JSON writes in two halves.
fn pair(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let (high, end) = number(bytes, at + 1, 4, 4, 16).filter(|(half, _)| matches!(half, 0xd800..=0xdbff))?;
    let behind = bytes.get(end..)?.iter().take_while(|byte| **byte == b'\\').count();
    let is_low = (1..=4).contains(&behind) && bytes.get(end + behind) == Some(&b'u');
    let (low, end) = number(bytes, end + behind + 1, 4, 4, 16).filter(|_| is_low)?;
    matches!(low, 0xdc00..=0xdfff).then_some((0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), end))
}

/// Returns an escape of a style sheet: up to six digits, and one blank that ends them. Three digits are those of a
/// string.
fn style(bytes: &[u8], from: usize) -> Option<(u32, usize)> {
    let (code, end) = number(bytes, from, 2, 6, 16)?;
    let is_one = end - from != 3 && (0x20..0x7f).contains(&code);
    let blank = bytes.get(end).is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
    is_one.then_some((code, end + usize::from(blank)))
}

fn plus(bytes: &[u8], mark: usize) -> Option<(char, usize)> {
    if bytes.get(mark + 1) != Some(&b'+') || bytes[..mark].last().is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let (c, end) = number(bytes, mark + 2, 4, 6, 16).and_then(character)?;
    // The text between two of them belongs to neither.
    let is_row = bytes.get(end) == Some(&b' ') && bytes.get(end + 1..end + 3) == Some(b"U+");
    Some((c, end + usize::from(is_row)))
}
