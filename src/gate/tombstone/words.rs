//! The words of a text as they count for a tombstone.

use std::ops::Range;

use crate::base::text;

/// The words of a text as they count.
pub(super) struct Words {
    /// All of them, one after the other.
    pub(super) folded: String,
    /// The end of each in `folded`.
    ends: Vec<usize>,
    /// The place of each in the text.
    pub(super) spans: Vec<Range<usize>>,
    /// The hash of no word, of the first word, of the first two, and so on. The difference between two of them is
    /// the hash of any window.
    sums: Vec<u64>,
}

impl Words {
    pub(super) fn of(text: &str, seed: u64, base: u64) -> Self {
        let room = text.len() / 6 + 1;
        let mut words = Self {
            folded: String::with_capacity(text.len()),
            ends: Vec::with_capacity(room),
            spans: Vec::with_capacity(room),
            sums: Vec::with_capacity(room + 1),
        };
        words.sums.push(0);
        let mut before = None;
        let mut rest = Characters { text, at: 0 };
        while let Some((start, c)) = rest.next() {
            let end = if is_dense(c) {
                words.fold(c);
                rest.at
            } else if is_word_part(c) || (is_minus(c) && rest.begins_negative(before)) {
                words.read(c, &mut rest)
            } else {
                if c == '<' {
                    rest.skip_tag();
                }
                before = Some(c);
                continue;
            };
            words.push(start..end, seed, base);
            before = words.folded.chars().next_back();
        }
        words
    }

    /// Reads a word to its end, and returns where that is.
    fn read(&mut self, first: char, rest: &mut Characters<'_>) -> usize {
        let (mut last, mut end) = (first, rest.at);
        self.fold(first);
        loop {
            let mut ahead = *rest;
            match ahead.next() {
                Some((_, c)) if is_word_part(c) && !is_dense(c) => {
                    self.fold(c);
                    last = c;
                }
                // A number goes on behind its point.
                Some((_, c @ ('.' | ',')))
                    if last.is_numeric() && ahead.peek().is_some_and(char::is_numeric) =>
                {
                    self.folded.push(c);
                    last = c;
                }
                // Emphasis of a part of a word.
                Some((_, '*' | '~' | '`')) if last.is_alphabetic() => {
                    while matches!(ahead.peek(), Some('*' | '~' | '`')) {
                        ahead.next();
                    }
                    if !ahead.peek().is_some_and(|c| c.is_alphabetic() && !is_dense(c)) {
                        return end;
                    }
                    rest.at = ahead.at;
                    continue;
                }
                // A name's sign ends it: `C++`, and not `a+b` or `page#part`.
                Some((_, sign @ ('+' | '#'))) => {
                    let mut signs = 1;
                    while ahead.peek() == Some(sign) {
                        ahead.next();
                        signs += 1;
                    }
                    if ahead.peek().is_some_and(is_word_part) {
                        return end;
                    }
                    self.folded.extend(std::iter::repeat_n(sign, signs));
                    rest.at = ahead.at;
                    return ahead.at;
                }
                _ => return end,
            }
            rest.at = ahead.at;
            end = ahead.at;
        }
    }

    /// Adds a character as it counts.
    fn fold(&mut self, c: char) {
        if c.is_ascii() {
            return self.folded.push(c.to_ascii_lowercase());
        }
        for c in c.to_lowercase() {
            match c {
                'ς' => self.folded.push('σ'),
                'ß' => self.folded.push_str("ss"),
                '\u{2212}' => self.folded.push('-'),
                // An accent is one character or two, by who typed it.
                '\u{e0}'..='\u{17f}' => match parted(c) {
                    Some((letter, accent)) => self.folded.extend([letter, accent]),
                    None => self.folded.push(c),
                },
                c => self.folded.push(c),
            }
        }
    }

    /// Ends the word that was folded last.
    fn push(&mut self, span: Range<usize>, seed: u64, base: u64) {
        let start = self.ends.last().copied().unwrap_or_default();
        let mut hash = seed;
        for byte in &self.folded.as_bytes()[start..] {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
        let sum = self.sums.last().copied().unwrap_or_default();
        self.sums.push(sum.wrapping_mul(base).wrapping_add(mixed(hash)));
        self.ends.push(self.folded.len());
        self.spans.push(span);
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(super) fn word(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.folded[start..self.ends[at]]
    }

    /// Returns the mark of a window; `power` is the base to its length.
    pub(super) fn mark(&self, first: usize, len: usize, power: u64) -> u32 {
        let hash = self.sums[first + len].wrapping_sub(self.sums[first].wrapping_mul(power));
        (mixed(hash) >> 32) as u32
    }
}

/// Returns a signature: two bits for each word.
pub(super) fn signature(text: &str) -> u64 {
    if text.contains(['<', '\\']) {
        return bits_of_all(text);
    }
    // No word goes on behind white space, and most are of letters that count as they are.
    text.split_ascii_whitespace().fold(0, |bits, chunk| {
        let is_plain = chunk.bytes().all(|byte| byte.is_ascii_alphanumeric());
        bits | if is_plain { bits_of(chunk.bytes()) } else { bits_of_all(chunk) }
    })
}

fn bits_of_all(text: &str) -> u64 {
    let words = Words::of(text, 0, 1);
    (0..words.len()).fold(0, |bits, at| bits | bits_of(words.word(at).bytes()))
}

fn bits_of(word: impl Iterator<Item = u8>) -> u64 {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let hash = mixed(word.map(|byte| byte.to_ascii_lowercase()).fold(0xcbf2_9ce4_8422_2325, fold));
    1 << (hash & 63) | 1 << (hash >> 6 & 63)
}

pub(super) fn power(base: u64, exponent: usize) -> u64 {
    (0..exponent).fold(1, |power, _| power.wrapping_mul(base))
}

/// Spreads what differs over all bits.
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    hash ^ (hash >> 33)
}

/// The characters of a text that may count: without invisible ones and escapes, full-width ones as plain ones.
#[derive(Clone, Copy)]
struct Characters<'a> {
    text: &'a str,
    at: usize,
}

impl Characters<'_> {
    fn next(&mut self) -> Option<(usize, char)> {
        loop {
            let start = self.at;
            let c = self.text[start..].chars().next()?;
            self.at += c.len_utf8();
            match c {
                '\\' if self.text.as_bytes().get(self.at).is_some_and(u8::is_ascii_punctuation) => {}
                '\u{ff01}'..='\u{ff5e}' => {
                    return Some((start, char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)));
                }
                c if !c.is_ascii() && text::is_invisible(c) => {}
                c => return Some((start, c)),
            }
        }
    }

    fn peek(&self) -> Option<char> {
        let mut ahead = *self;
        ahead.next().map(|(_, c)| c)
    }

    /// Returns whether a minus that was just read is the sign of a number, not a hyphen or part of a dash.
    fn begins_negative(&self, before: Option<char>) -> bool {
        self.peek().is_some_and(char::is_numeric) && before.is_none_or(|c| !is_word_part(c) && !is_minus(c))
    }

    /// Passes over the rest of an inline tag without attributes, which is dress as asterisks are.
    fn skip_tag(&mut self) {
        const TAGS: [&str; 15] = [
            "b", "i", "u", "s", "em", "br", "strong", "del", "ins", "sub", "sup", "mark", "code", "kbd",
            "small",
        ];
        let rest = &self.text.as_bytes()[self.at..];
        let end = rest.iter().take(10).position(|byte| *byte == b'>');
        let Some(inside) = end.and_then(|end| std::str::from_utf8(&rest[..end]).ok()) else { return };
        let name = inside.trim_matches([' ', '/']);
        if TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag)) {
            self.at += inside.len() + 1;
        }
    }
}

fn is_minus(c: char) -> bool {
    matches!(c, '-' | '\u{2212}')
}

fn is_word_part(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    // Accents belong to the letter before them.
    c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}') || is_dense(c)
}

/// Returns whether a character is of a script that writes no spaces, or joins words to what follows them.
fn is_dense(c: char) -> bool {
    c >= '\u{0e00}'
        && matches!(c,
        '\u{0e00}'..='\u{0e4e}' | '\u{0e50}'..='\u{0e59}' | '\u{0e80}'..='\u{0edf}' | '\u{1000}'..='\u{1049}'
        | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17d3}' | '\u{17e0}'..='\u{17e9}' | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{3131}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns a letter with an accent, in lower case, as letter and accent; of the languages of Europe.
fn parted(c: char) -> Option<(char, char)> {
    const ACCENTS: [(char, &str, &str); 11] = [
        ('\u{300}', "àèìòùǹ", "aeioun"),
        ('\u{301}', "áéíóúýćńśźĺŕ", "aeiouycnszlr"),
        ('\u{302}', "âêîôûĉĝĥĵŝŵŷ", "aeioucghjswy"),
        ('\u{303}', "ãñõĩũ", "anoiu"),
        ('\u{304}', "āēīōū", "aeiou"),
        ('\u{306}', "ăĕĭŏŭğ", "aeioug"),
        ('\u{307}', "ċėġż", "cegz"),
        ('\u{308}', "äëïöüÿ", "aeiouy"),
        ('\u{30b}', "őű", "ou"),
        ('\u{30c}', "čďěňřšťž", "cdenrstz"),
        ('\u{327}', "çģķļņŗşţ", "cgklnrst"),
    ];
    match c {
        'å' => return Some(('a', '\u{30a}')),
        'ů' => return Some(('u', '\u{30a}')),
        'ą' => return Some(('a', '\u{328}')),
        'ę' => return Some(('e', '\u{328}')),
        _ => {}
    }
    ACCENTS.iter().find_map(|(accent, composed, letters)| {
        let at = composed.chars().position(|other| other == c)?;
        Some((letters.chars().nth(at)?, *accent))
    })
}
