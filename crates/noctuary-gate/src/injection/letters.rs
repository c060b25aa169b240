//! Letters in a disguise of their own: digits and signs that stand for them, and rows that are apart.

use std::ops::Range;

use crate::dense;

/// Returns the lines in which a letter is beside a sign that may be one.
pub(super) fn lines_with_signs(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let may_be = |one: u8, other: u8| (is_letter(one) & is_sign(other)) | (is_sign(one) & is_letter(other));
    let mut from = 0;
    std::iter::from_fn(move || {
        // A block at once, without branches.
        let next = loop {
            let block =
                bytes.get(from..bytes.len().min(from + dense::BLOCK + 1)).filter(|block| block.len() > 1)?;
            let pairs = block.iter().zip(&block[1..]);
            if pairs.clone().fold(false, |any, (one, other)| any | may_be(*one, *other)) {
                break from + pairs.take_while(|(one, other)| !may_be(**one, **other)).count();
            }
            from += block.len() - 1;
        };
        let start = bytes[..next].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        from = bytes[next..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| next + at + 1);
        Some(start..from)
    })
}

#[inline]
fn is_letter(byte: u8) -> bool {
    (byte | 0x20).wrapping_sub(b'a') < 26
}

/// Returns whether a digit or sign may stand for a letter.
#[inline]
fn is_sign(byte: u8) -> bool {
    (byte == b'0')
        | (byte == b'1')
        | (byte.wrapping_sub(b'3') < 3)
        | (byte == b'7')
        | (byte == b'@')
        | (byte == b'$')
        | (byte == b'!')
}

/// Returns a line in which digits and signs for letters are those letters, `1` the given one. `None` where fewer than
/// two words have any: an order in such letters has more.
pub(super) fn without_digits(text: &str, one: char) -> Option<String> {
    let is_sign = |c: char| u8::try_from(c).is_ok_and(is_sign);
    let in_word = |c: char| c.is_ascii_alphanumeric() || is_sign(c);
    let mut plain = String::new();
    let (mut copied, mut words) = (0, 0);
    let mut at = 0;
    for word in text.split(|c| !in_word(c)) {
        let start = at;
        at += word.len() + text[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        // Ids and amounts have more digits than letters, and what ends with a sign is a sentence or a version.
        let inside = word.trim_end_matches('!');
        let (signs, letters) = inside.chars().fold((0, 0), |(signs, letters), c| {
            (signs + usize::from(is_sign(c)), letters + usize::from(c.is_ascii_alphabetic()))
        });
        if signs == 0 || letters == 0 || inside.len() > 20 || signs + letters < inside.len() {
            continue;
        }
        plain.push_str(&text[copied..start]);
        plain.extend(inside.chars().map(|c| match c {
            '0' => 'o',
            '1' | '!' => one,
            '3' => 'e',
            '4' | '@' => 'a',
            '5' | '$' => 's',
            '7' => 't',
            other => other,
        }));
        copied = start + inside.len();
        words += 1;
    }
    if words < 2 {
        return None;
    }
    plain.push_str(&text[copied..]);
    Some(plain)
}

/// Letters that are apart, and where they do.
pub(super) struct Row {
    pub(super) letters: String,
    pub(super) place: Range<usize>,
}

/// Returns the rows of letters where each two have a blank or a sign between them, or more between words.
pub(super) fn rows(text: &str) -> Vec<Row> {
    /// No instruction has fewer letters.
    const LEAST: usize = 12;
    let mut rows = Vec::new();
    for part in dense::unpaired(text.as_bytes(), 2 * LEAST - 1) {
        rows_of(text.as_bytes(), part, &mut rows);
    }
    rows.retain(|row| row.letters.len() >= LEAST);
    rows
}

/// Returns the rows in a part of a text without two letters beside each other.
fn rows_of(bytes: &[u8], part: Range<usize>, rows: &mut Vec<Row>) {
    /// Maximum bytes between two letters.
    const MOST: usize = 3;
    let is_between = |byte: u8| matches!(byte, b' ' | b'.' | b'-' | b'_' | b'*' | b'/' | b'|' | b',' | b'~');
    let mut row = Row { letters: String::new(), place: 0..0 };
    let mut at = part.start;
    while at < part.end {
        let stands_apart = bytes[at].is_ascii_alphabetic()
            && !bytes[..at].last().is_some_and(|byte| !is_between(*byte) && !byte.is_ascii_whitespace())
            && bytes.get(at + 1).is_none_or(|byte| is_between(*byte) || byte.is_ascii_whitespace());
        if stands_apart {
            if row.letters.is_empty() {
                row.place.start = at;
            }
            row.letters.push(char::from(bytes[at]));
            row.place.end = at + 1;
        }
        let ends = !stands_apart && (!is_between(bytes[at]) || at >= row.place.end + MOST);
        at += 1;
        if (ends || at == part.end) && !row.letters.is_empty() {
            rows.push(std::mem::replace(&mut row, Row { letters: String::new(), place: 0..0 }));
        }
    }
}
