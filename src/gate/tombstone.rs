//! What was forgotten, known again without being kept.
//!
//! A statement is buried as a keyed hash of its words in their order. What counts of it is letters, digits and the
//! signs that tell names and numbers apart: `C` and `C++`, `1.5` and `15`, `5` and `-5` are different. Case, white
//! space, line breaks, punctuation around words, emphasis, escapes and invisible characters do not count, so a
//! statement is found however it is wrapped and wherever it is quoted. Scripts that write no spaces are taken
//! character by character.
//!
//! Only the words themselves are known again: a paraphrase, a translation, and a statement whose words are
//! parted by others (the target of a link in its middle) are not.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::ops::{ControlFlow, Range};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::digest::{Digest, Hasher};
use crate::base::text;
use crate::pii::{Confidence, Finding, View};

/// The fewest words of a statement that can be buried, unless it has [`FEWEST_CHARACTERS`].
const FEWEST_WORDS: usize = 2;
const FEWEST_CHARACTERS: usize = 8;

/// The class that a forgotten statement is found as.
pub(crate) const FORGOTTEN: &str = "forgotten";

/// What stands in a document in the place of what was forgotten.
const STRUCK: &str = "[forgotten]";

/// How many bits the sieve of marks has.
const SIEVE: usize = 1 << 16;

/// The secret that tombstones of one home are made with: without it they say nothing.
///
/// It is kept beside them, so that the home knows again what it forgot; whoever copies tombstones alone, out of a
/// report or a log, cannot try words against them.
#[derive(Clone, PartialEq, Eq)]
pub struct TombstoneKey([u8; 32]);

impl TombstoneKey {
    /// A key that nobody has had before.
    #[must_use]
    pub fn random() -> Self {
        let mut hasher = Hasher::new();
        for counter in 0..4_u64 {
            // The standard library's own secret: drawn from the operating system once in each thread.
            hasher.update(&RandomState::new().hash_one(counter).to_be_bytes());
        }
        Self(*hasher.finish().as_bytes())
    }

    /// The key of these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, for whoever keeps them.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for TombstoneKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TombstoneKey(…)")
    }
}

impl Serialize for TombstoneKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(self.0))
    }
}

impl<'de> Deserialize<'de> for TombstoneKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The shape of a digest: 64 hexadecimal digits.
        Digest::deserialize(deserializer).map(|digest| Self(*digest.as_bytes()))
    }
}

/// One forgotten statement, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tombstone {
    /// How many words it has.
    pub words: u32,
    /// A keyed hash that is quick to compute: what has another one is another statement.
    pub mark: u32,
    /// A keyed hash that tells.
    pub digest: Digest,
}

/// The statements that a home has forgotten.
///
/// ```
/// use noctuary::gate::{TombstoneKey, Tombstones};
///
/// let mut forgotten = Tombstones::new(TombstoneKey::random());
/// let tombstone = forgotten.bury("My landlord is Jan Kowalski.").expect("it has words enough");
/// assert!(forgotten.insert(tombstone));
///
/// let text = "- 09:12 [user] by the way, **my landlord** is\n  jan kowalski, as you know";
/// let places = forgotten.find(text);
/// assert_eq!(&text[places[0].clone()], "my landlord** is\n  jan kowalski");
/// assert!(!forgotten.holds("My landlord is Piotr Kowalski."));
/// ```
#[derive(Clone)]
pub struct Tombstones {
    key: TombstoneKey,
    stones: BTreeSet<Tombstone>,
    quick: Quick,
}

/// What is derived from key and stones, so that a text without any is read once and quickly.
#[derive(Clone)]
struct Quick {
    seed: u64,
    base: u64,
    /// How many stones there are of each number of words.
    lengths: BTreeMap<u32, usize>,
    /// A bit for each mark; a mark whose bit is off is nobody's.
    sieve: Vec<u64>,
}

impl Quick {
    fn note(&mut self, stone: &Tombstone) {
        self.sieve.resize(SIEVE / 64, 0);
        *self.lengths.entry(stone.words).or_default() += 1;
        let (word, bit) = sieved(stone.mark);
        self.sieve[word] |= bit;
    }
}

/// The word and the bit of the sieve that a mark belongs to.
fn sieved(mark: u32) -> (usize, u64) {
    let place = mark as usize % SIEVE;
    (place / 64, 1 << (place % 64))
}

impl Tombstones {
    /// Nothing is forgotten yet.
    #[must_use]
    pub fn new(key: TombstoneKey) -> Self {
        let mut hasher = Hasher::new();
        hasher.field(b"mark").field(&key.0);
        let derived = hasher.finish();
        let number = |at: usize| {
            derived.as_bytes()[at..at + 8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        // An even base would push the first words of a statement out of the hash.
        let quick =
            Quick { seed: number(0), base: number(8) | 1, lengths: BTreeMap::new(), sieve: Vec::new() };
        Self { key, stones: BTreeSet::new(), quick }
    }

    /// The tombstone of a statement. It is not yet [inserted](Self::insert).
    ///
    /// `None` for what has fewer than two words and fewer than eight characters: a word that stands everywhere
    /// would be taken out of everything.
    #[must_use]
    pub fn bury(&self, text: &str) -> Option<Tombstone> {
        let words = self.words(text);
        let is_enough = words.len() >= FEWEST_WORDS || words.folded.chars().count() >= FEWEST_CHARACTERS;
        if words.len() == 0 || !is_enough {
            return None;
        }
        Some(Tombstone {
            words: u32::try_from(words.len()).ok()?,
            mark: words.mark(0, words.len(), power(self.quick.base, words.len())),
            digest: self.digest(&words, 0, words.len()),
        })
    }

    /// Takes a tombstone in, made with the same key; `false` where it is there already, or is of no words.
    pub fn insert(&mut self, stone: Tombstone) -> bool {
        let is_new = stone.words > 0 && self.stones.insert(stone);
        if is_new {
            self.quick.note(&stone);
        }
        is_new
    }

    /// Takes the tombstone of a statement back; `false` where there is none.
    pub fn lift(&mut self, text: &str) -> bool {
        self.bury(text).is_some_and(|stone| self.remove(&stone))
    }

    /// Takes a tombstone out; `false` where it is not in.
    pub fn remove(&mut self, stone: &Tombstone) -> bool {
        let is_removed = self.stones.remove(stone);
        if is_removed {
            (self.quick.lengths, self.quick.sieve) = (BTreeMap::new(), Vec::new());
            for stone in &self.stones {
                self.quick.note(stone);
            }
        }
        is_removed
    }

    /// Whether a tombstone is in.
    #[must_use]
    pub fn contains(&self, stone: &Tombstone) -> bool {
        self.stones.contains(stone)
    }

    /// Whether nothing is forgotten.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stones.is_empty()
    }

    /// How many statements are forgotten.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stones.len()
    }

    /// The tombstones, ascending.
    pub fn iter(&self) -> impl Iterator<Item = &Tombstone> {
        self.stones.iter()
    }

    /// What they are made with.
    #[must_use]
    pub fn key(&self) -> &TombstoneKey {
        &self.key
    }

    /// Where forgotten statements stand in a text: byte ranges, ascending and apart, each from the first letter of a
    /// statement to its last. Also as JSON has them, where `\\n` parts words.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for text in std::iter::once(Cow::Borrowed(text)).chain(self.unescaped(text).map(Cow::Owned)) {
            let _ = self.scan(&text, |range| {
                found.push(range);
                ControlFlow::Continue(())
            });
        }
        found.sort_unstable_by_key(|range| (range.start, range.end));
        let mut apart: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match apart.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => apart.push(range),
            }
        }
        apart
    }

    /// Whether a forgotten statement stands anywhere in a text.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        let holds = |text: &str| self.scan(text, |_| ControlFlow::Break(())).is_break();
        holds(text) || self.unescaped(text).is_some_and(|text| holds(&text))
    }

    /// The text with as many spaces in the place of escaped white space, where any stands there and anything is forgotten.
    fn unescaped(&self, text: &str) -> Option<String> {
        if self.stones.is_empty() || !text.contains('\\') {
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

    /// What [`find`](Self::find) finds, in the form of a filter's findings.
    pub(crate) fn inspect(&self, text: &str) -> Vec<Finding> {
        let finding = |span| Finding {
            class: Cow::Borrowed(FORGOTTEN),
            span,
            confidence: Confidence::Verified,
            view: View::Raw,
        };
        self.find(text).into_iter().map(finding).collect()
    }

    /// The text with spaces in the place of what is forgotten, so that every other byte and line stands where it did.
    pub(crate) fn blanked<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.overwritten(text, |len| " ".repeat(len))
    }

    /// The text with a mark of the same length in the place of what is forgotten.
    pub(crate) fn struck<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.overwritten(text, |len| match len.checked_sub(STRUCK.len()) {
            Some(rest) => format!("{STRUCK}{}", "-".repeat(rest)),
            None => "*".repeat(len),
        })
    }

    /// What stands in front of the words of a line stays, and its break; `mark` makes as many bytes as the words have.
    fn overwritten<'t>(&self, text: &'t str, mark: impl Fn(usize) -> String) -> Cow<'t, str> {
        let places = self.find(text);
        if places.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut written = String::with_capacity(text.len());
        let mut from = 0;
        for place in places {
            written.push_str(&text[from..place.start]);
            for piece in text[place.clone()].split_inclusive('\n') {
                let end = piece.trim_end().len();
                let start = piece[..end].find(char::is_alphanumeric).unwrap_or(end);
                written.push_str(&piece[..start]);
                written.push_str(&mark(end - start));
                written.push_str(&piece[end..]);
            }
            from = place.end;
        }
        written.push_str(&text[from..]);
        Cow::Owned(written)
    }

    /// What tells this set from every other.
    pub(crate) fn identity(&self) -> String {
        let mut hasher = Hasher::new();
        hasher.field(&self.key.0);
        for stone in &self.stones {
            hasher.field(stone.digest.as_bytes());
        }
        hasher.finish().short(16)
    }

    /// Slides a window of each length over the words, and gives each place where a statement stands.
    fn scan(&self, text: &str, mut give: impl FnMut(Range<usize>) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.stones.is_empty() {
            return ControlFlow::Continue(());
        }
        let words = self.words(text);
        for length in self.quick.lengths.keys() {
            let Some(last) = usize::try_from(*length).ok().and_then(|len| words.len().checked_sub(len))
            else {
                // The lengths ascend, so all others are longer than the text too.
                break;
            };
            let len = words.len() - last;
            let power = power(self.quick.base, len);
            for first in 0..=last {
                let mark = words.mark(first, len, power);
                let (word, bit) = sieved(mark);
                if self.quick.sieve[word] & bit != 0 && self.is_buried(&words, first, len, *length, mark) {
                    give(words.spans[first].start..words.spans[first + len - 1].end)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn is_buried(&self, words: &Words, first: usize, len: usize, length: u32, mark: u32) -> bool {
        let least = Tombstone { words: length, mark, digest: Digest::LEAST };
        let mut same =
            self.stones.range(least..).take_while(|stone| (stone.words, stone.mark) == (length, mark));
        let Some(stone) = same.next() else { return false };
        let digest = self.digest(words, first, len);
        stone.digest == digest || same.any(|stone| stone.digest == digest)
    }

    fn digest(&self, words: &Words, first: usize, len: usize) -> Digest {
        let mut hasher = Hasher::new();
        hasher.field(&self.key.0);
        for at in first..first + len {
            hasher.field(words.word(at).as_bytes());
        }
        hasher.finish()
    }

    fn words(&self, text: &str) -> Words {
        Words::of(text, self.quick.seed, self.quick.base)
    }
}

impl Extend<Tombstone> for Tombstones {
    fn extend<T: IntoIterator<Item = Tombstone>>(&mut self, stones: T) {
        for stone in stones {
            self.insert(stone);
        }
    }
}

impl PartialEq for Tombstones {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.stones == other.stones
    }
}

impl Eq for Tombstones {}

impl fmt::Debug for Tombstones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tombstones({})", self.len())
    }
}

#[derive(Serialize, Deserialize)]
struct Shape {
    key: TombstoneKey,
    tombstones: Vec<Tombstone>,
}

impl Serialize for Tombstones {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tombstones = self.stones.iter().copied().collect();
        Shape { key: self.key.clone(), tombstones }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Tombstones {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let shape = Shape::deserialize(deserializer)?;
        let mut all = Self::new(shape.key);
        all.extend(shape.tombstones);
        Ok(all)
    }
}

/// The words of a text as they count.
struct Words {
    /// All of them, one after the other.
    folded: String,
    /// Where each ends in `folded`.
    ends: Vec<usize>,
    /// Where each stands in the text.
    spans: Vec<Range<usize>>,
    /// The hash of the first word, of the first two, and so on, after that of none: what lies between two of them is
    /// the hash of any window.
    sums: Vec<u64>,
}

impl Words {
    fn of(text: &str, seed: u64, base: u64) -> Self {
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

    fn len(&self) -> usize {
        self.spans.len()
    }

    fn word(&self, at: usize) -> &str {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.folded[start..self.ends[at]]
    }

    /// The mark of a window; `power` is the base to its length.
    fn mark(&self, first: usize, len: usize, power: u64) -> u32 {
        let hash = self.sums[first + len].wrapping_sub(self.sums[first].wrapping_mul(power));
        (mixed(hash) >> 32) as u32
    }
}

fn power(base: u64, exponent: usize) -> u64 {
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

    /// Whether a minus that was just read is the sign of a number: not a hyphen, nor a part of a dash.
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

/// Whether a character is of a script that writes no spaces, or joins words to what follows them.
fn is_dense(c: char) -> bool {
    c >= '\u{0e00}'
        && matches!(c,
        '\u{0e00}'..='\u{0e4e}' | '\u{0e50}'..='\u{0e59}' | '\u{0e80}'..='\u{0edf}' | '\u{1000}'..='\u{1049}'
        | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17d3}' | '\u{17e0}'..='\u{17e9}' | '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{3131}'..='\u{318f}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{3ffff}')
}

/// A letter with an accent, in lower case, as letter and accent; of the languages of Europe.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cases;
    use proptest::prelude::*;

    fn forgotten(statements: &[&str]) -> Tombstones {
        let mut all = Tombstones::new(TombstoneKey::from_bytes([7; 32]));
        for statement in statements {
            let stone = all.bury(statement).expect("it has words enough");
            all.insert(stone);
        }
        all
    }

    #[test]
    fn escaped_white_space_parts_words_and_paths_keep_theirs() {
        let all = forgotten(&["My landlord is Jan Kowalski", "the file is C:\\new\\tables"]);
        for (before, statement, after) in [
            ("{\"a\":\"", "my landlord\\nis\\tJan\\r\\nKowalski", "\"}"),
            ("é ", "my landlord\\u000ais Jan Kowalski", "\\"),
            ("", "the file is C:\\new\\tables", "."),
            ("{\"a\":\"", "the file is C:\\\\new\\\\tables", "\"}"),
        ] {
            let text = format!("{before}{statement}{after}");
            let mark = format!("{STRUCK}{}", "-".repeat(statement.len() - STRUCK.len()));
            assert_eq!(all.struck(&text), format!("{before}{mark}{after}"));
            assert!(all.holds(&text));
        }
        assert!(!all.holds("my landlord\\\\nis Jan Kowalski"), "a backslash, and a letter");
    }

    #[test]
    fn a_statement_is_found_in_any_dress() {
        let all = forgotten(&["My landlord is Jan Kowalski."]);
        for dressed in [
            "my landlord is jan kowalski",
            "* [ ] MY LANDLORD is\r\n    Jan\tKowalski!",
            "\u{feff}> **My landlord** is _Jan_ `Kowalski`",
            "My land\u{200b}lord is Jan Kow**al**ski",
            "My landlord is <b>Jan</b> [[Kowalski#home]]",
            "(My landlord -- is: 'Jan Kowalski')",
            "My\\_landlord is Jan Kowalski",
            "\u{ff2d}y landlord is Jan Kowalski",
        ] {
            let found = all.find(&format!("before {dressed} after"));
            assert_eq!(found.len(), 1, "{dressed}");
        }
        for other in [
            "my landlord is jan kowalska",
            "my landlord is jan",
            "landlord is Jan Kowalski",
            "my landlord is not Jan Kowalski",
            "my landlord is Jan Kowalski2",
            "myx landlord is Jan Kowalski",
            "",
        ] {
            assert!(all.find(other).is_empty(), "{other}");
        }
    }

    #[test]
    fn signs_tell_names_and_numbers_apart() {
        for (buried, other) in [
            ("writes C", "writes C++"),
            ("writes C++", "writes C"),
            ("writes C#", "writes C"),
            ("costs 1.5", "costs 15"),
            ("costs 1.5", "costs 1,5"),
            ("costs 15", "costs 1.5"),
            ("below -5", "below 5"),
            ("below 5", "below \u{2212}5"),
            ("born in 1984", "born in 19840"),
        ] {
            let all = forgotten(&[buried]);
            assert!(all.holds(&format!("it {buried}, so it is said")), "{buried}");
            assert!(all.holds(&format!("**{buried}**")), "{buried}");
            assert!(!all.holds(&format!("it {other}, so it is said")), "{buried} and {other}");
        }
        assert!(forgotten(&["the range 3-5"]).holds("the range 3\u{2013}5"));
        assert!(forgotten(&["below -5"]).holds("below \u{2212}5"));
    }

    #[test]
    fn scripts_without_spaces_are_taken_by_characters() {
        let all = forgotten(&["山田太郎", "บ้านของฉัน"]);
        let text = "- 家主は山田太郎です。อยู่ที่บ้านของฉันค่ะ";
        let found = all.find(text);
        let found: Vec<&str> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["山田太郎", "บ้านของฉัน"]);
        assert!(!all.holds("山田次郎"));
    }

    #[test]
    fn accents_are_the_same_in_one_character_and_in_two() {
        let all = forgotten(&["Zo\u{eb} wohnt in der Stra\u{df}e"]);
        assert!(all.holds("ZOE\u{308} WOHNT IN DER STRASSE"));
        assert!(!all.holds("zoe wohnt in der strasse"));
    }

    #[test]
    fn a_common_word_is_not_buried() {
        let all = Tombstones::new(TombstoneKey::random());
        for text in ["", " ", "tea", "- **tea**.", "...", "\u{200b}", "landlor"] {
            assert_eq!(all.bury(text), None, "{text:?}");
        }
        assert!(all.bury("landlord").is_some());
        assert!(all.bury("a b").is_some());
    }

    #[test]
    fn overlapping_statements_are_one_place_and_a_lifted_one_is_none() {
        let mut all = forgotten(&["one two three", "three four", "six seven"]);
        let text = "zero one two three four five six seven";
        let found = all.find(text);
        assert_eq!(
            found.iter().map(|at| &text[at.clone()]).collect::<Vec<_>>(),
            ["one two three four", "six seven"]
        );
        assert!(all.lift("Three, four!") && !all.lift("three four") && !all.lift("never buried"));
        let found = all.find(text);
        assert_eq!(
            found.iter().map(|at| &text[at.clone()]).collect::<Vec<_>>(),
            ["one two three", "six seven"]
        );
        assert_eq!((all.len(), all.is_empty()), (2, false));
    }

    #[test]
    fn what_is_struck_or_blanked_keeps_every_byte_and_line_around_it() {
        let all = forgotten(&["my landlord is Jan", "a b", "\u{5c71}\u{7530}\u{592a}"]);
        let text = "- x: my landlord\r\n  is Jan, a b\n- \u{5c71}\u{7530}\u{592a}\n";
        assert_eq!(all.struck(text), "- x: [forgotten]\r\n  ******, ***\n- *********\n");
        assert_eq!(all.blanked(text), "- x:            \r\n        ,    \n-          \n");
        assert_eq!(forgotten(&["my landlord is Jan"]).struck("my landlord is Jan."), "[forgotten]-------.");
        assert!(matches!(all.struck("nothing of it"), Cow::Borrowed(_)));
    }

    #[test]
    fn tombstones_read_back_and_tell_nothing() {
        let all = forgotten(&["my landlord is Jan", "landlords"]);
        let json = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<Tombstones>(&json).unwrap(), all);
        assert!(json.starts_with("{\"key\":\"0707"), "{json}");
        assert!(!json.contains("landlord") && !json.contains("Jan"));
        assert!(serde_json::from_str::<Tombstones>(&json.replacen("07", "0", 1)).is_err());
        let debug = format!("{all:?} {:?}", all.key());
        assert_eq!(debug, "Tombstones(2) TombstoneKey(…)");

        let mut again = Tombstones::new(all.key().clone());
        again.extend(all.iter().copied());
        assert_eq!(again, all);
        assert!(again.holds("the landlords came"));
        assert!(!again.insert(Tombstone { words: 0, mark: 0, digest: Digest::LEAST }));
    }

    #[test]
    fn keys_differ_and_so_do_their_tombstones() {
        let one = Tombstones::new(TombstoneKey::random());
        let other = Tombstones::new(TombstoneKey::random());
        let (left, right) = (one.bury("the same words").unwrap(), other.bury("the same words").unwrap());
        assert_ne!(left.digest, right.digest);
        assert_ne!(one.key(), other.key());
    }

    fn word() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z]{1,6}",
            "[0-9]{1,4}",
            "[a-c]",
            Just("C++".to_owned()),
            Just("1.5".to_owned()),
            Just("été".to_owned()),
            Just("家".to_owned()),
        ]
    }

    fn gap() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            " ",
            "  ",
            "\n",
            "\r\n  ",
            " **",
            "** ",
            ", ",
            " - ",
            " \u{200b}",
            " <b>",
            "\t",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(50_000)))]

        #[test]
        fn a_buried_statement_is_found_wherever_it_is_embedded(
            statement in prop::collection::vec(word(), 2..7),
            gaps in prop::collection::vec(gap(), 8),
            before in "\\PC{0,12}",
            after in "\\PC{0,12}",
            upper: bool,
        ) {
            let all = forgotten(&[&statement.join(" ")]);
            let mut dressed = String::new();
            for (at, word) in statement.iter().enumerate() {
                if at > 0 {
                    dressed.push_str(gaps[at]);
                }
                dressed.push_str(word);
            }
            if upper {
                dressed = dressed.to_uppercase();
            }
            let text = format!("{before}\n- {dressed}\n{after}");
            let place = before.len() + 3..before.len() + 3 + dressed.len();
            let found = all.find(&text);
            prop_assert!(found.iter().any(|range| range.start <= place.start && place.end <= range.end), "{text:?}");
            prop_assert!(all.holds(&text));
        }

        #[test]
        fn what_is_found_is_what_a_plain_comparison_of_words_finds(
            statements in prop::collection::vec(prop::collection::vec("[ab]", 2..4), 1..4),
            text in prop::collection::vec("[abc]", 0..30),
        ) {
            let statements: Vec<String> = statements.iter().map(|words| words.join(" ")).collect();
            let all = forgotten(&statements.iter().map(String::as_str).collect::<Vec<_>>());
            let text = text.join(" ");
            let mut covered = vec![false; text.len()];
            for (at, _) in text.char_indices().step_by(2) {
                for statement in &statements {
                    if text[at..].starts_with(statement.as_str()) {
                        covered[at..at + statement.len()].fill(true);
                    }
                }
            }
            let mut found = vec![false; text.len()];
            let places = all.find(&text);
            prop_assert!(places.windows(2).all(|pair| pair[0].end < pair[1].start));
            for range in places {
                found[range].fill(true);
            }
            prop_assert_eq!(found, covered);
        }

        #[test]
        fn places_never_cut_a_character(text in "\\PC{0,60}", from in 0_usize..60, len in 1_usize..20) {
            let part: String = text.chars().skip(from).take(len).collect();
            let mut all = Tombstones::new(TombstoneKey::from_bytes([1; 32]));
            let Some(stone) = all.bury(&part) else { return Ok(()) };
            all.insert(stone);
            for range in all.find(&text) {
                prop_assert!(text.get(range.clone()).is_some_and(|found| all.bury(found).is_some()));
            }
        }
    }
}
