//! Text as terms: what is indexed, and what is asked for.
//!
//! A word is lower-cased and stemmed. A name of joined words (`BTC-USD`, `C++`, `0.5%`, `a/b.rs`) is a
//! term as a whole too, beside its words. Scripts that write no spaces between words (Chinese, Japanese, Thai and
//! their like), and Korean, whose words carry particles, give every character and every pair of neighbours. What is
//! indexed has the stems of words in other [languages](super::language) than English beside that.

use std::collections::HashMap;

use super::language::{Guess, LanguageNo, STEM, stem_in};
use super::stem::stem;
use super::word::{is_apostrophe, is_beside_letter, nouns, same_run, same_word};

/// The version of the terms of a text: of how it is parted, folded and stemmed. Each index keeps the version that made it, and one of another
/// version is made anew.
pub const WORDS_VERSION: u8 = 7;

/// The pieces of a text, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Letters and digits, in which an apostrophe may stand.
    Word(&'a str),
    /// Words and signs that stand together, as a whole; comes before its words.
    Name(&'a str),
    /// A run of a script without spaces.
    Run(&'a str),
}

/// Parts a text.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    text.split(|c: char| c.is_whitespace() || c.is_control()).flat_map(|chunk| {
        // Most chunks are one word, of letters that need no closer look.
        let is_plain = !chunk.is_empty() && chunk.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let (word, rest) = if is_plain { (Some(Piece::Word(chunk)), "") } else { (None, chunk) };
        let name = if is_plain { None } else { name_of(chunk).map(Piece::Name) };
        word.or(name).into_iter().chain(Words { rest })
    })
}

/// Returns the words of a text, without runs of scripts that write no spaces.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    Words { rest: text }.filter_map(|piece| match piece {
        Piece::Word(word) => Some(word),
        Piece::Name(_) | Piece::Run(_) => None,
    })
}

/// The words of a chunk of text without white space.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        let start = self.rest.find(begins_word)?;
        let rest = &self.rest[start..];
        let dense = rest.chars().next().is_some_and(is_dense);
        let belongs = |(at, c): (usize, char)| {
            if is_beside_letter(c) {
                return true;
            }
            if dense || !is_apostrophe(c) {
                return begins_word(c) && is_dense(c) == dense;
            }
            // Inside a word only: `O'Brien`, `don't`.
            rest[at + c.len_utf8()..].chars().next().is_some_and(|next| begins_word(next) && !is_dense(next))
        };
        let end = rest.char_indices().find(|(at, c)| !belongs((*at, *c))).map_or(rest.len(), |(at, _)| at);
        let (piece, rest) = rest.split_at(end);
        self.rest = rest;
        Some(if dense { Piece::Run(piece) } else { Piece::Word(piece) })
    }
}

/// Returns the chunk as one name, where it is more than a word with punctuation around it.
pub(crate) fn name_of(chunk: &str) -> Option<&str> {
    let opens = |c: char| !c.is_alphanumeric() && !opens_a_name(c);
    let closes = |c: char| !c.is_alphanumeric() && !closes_a_name(c);
    let name = chunk.trim_start_matches(opens).trim_end_matches(closes);
    let (mut words, mut signs, mut length) = (false, false, 0);
    for c in name.chars() {
        length += 1;
        if is_dense(c) || length > LONGEST_NAME {
            return None;
        }
        words |= c.is_alphanumeric();
        signs |= !is_word_part(c) && !is_apostrophe(c);
    }
    (words && signs).then_some(name)
}

/// Returns whether a sign in front of a word belongs to it.
pub(crate) fn opens_a_name(c: char) -> bool {
    matches!(c, '_' | '.' | '$' | '#' | '@')
}

/// Returns whether a sign behind a word belongs to it.
pub(crate) fn closes_a_name(c: char) -> bool {
    matches!(c, '+' | '#' | '%' | '_')
}

/// The most bytes of a name: a longer one is an address or a blob, and its words find it.
const LONGEST_NAME: usize = 64;

/// Returns whether a character may begin a word.
fn begins_word(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_alphanumeric() } else { c.is_alphanumeric() && !is_apostrophe(c) }
}

fn is_word_part(c: char) -> bool {
    begins_word(c) || is_beside_letter(c)
}

/// Returns whether a character is of a script that is indexed by characters and pairs.
fn is_dense(c: char) -> bool {
    c >= '\u{0e00}'
        && matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{ffa1}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}')
}

/// Gives the characters and the pairs of a run, each as a term.
pub(crate) fn grams(run: &str, mut take: impl FnMut(&str)) {
    let run = same_run(run);
    let ends: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    for window in ends.windows(2) {
        take(&run[window[0]..window[1]]);
    }
    for window in ends.windows(3) {
        take(&run[window[0]..window[2]]);
    }
}

/// Makes terms, and remembers stems: a text has few different words.
#[derive(Debug, Default)]
pub struct Stemmer {
    /// The stems of words.
    stems: HashMap<Short, Short>,
    /// The stem of the last word that is too long for them.
    long: String,
    /// The stems of words in other languages than English.
    others: HashMap<LanguageNo, HashMap<String, Option<String>>>,
    only: Option<Only>,
}

/// The terms that are wanted, as far as that shows before they are made.
#[derive(Debug)]
struct Only {
    /// By the first byte: no stem begins otherwise than its word.
    first: [bool; 128],
    names: bool,
    runs: bool,
    stems: bool,
}

impl Stemmer {
    /// Leaves out most of what is not among these terms, and none of them.
    pub(crate) fn only<'a>(terms: impl Iterator<Item = &'a str>) -> Self {
        let mut only = Only { first: [false; 128], names: false, runs: false, stems: false };
        for term in terms {
            if term.starts_with(STEM) {
                only.stems = true;
                continue;
            }
            if let Some(known) = term.bytes().next().and_then(|byte| only.first.get_mut(usize::from(byte))) {
                *known = true;
            }
            only.runs |= term.contains(is_dense);
            only.names |= term.contains(|c: char| !is_word_part(c));
        }
        Self { only: Some(only), ..Self::default() }
    }

    /// Gives each term of a text, and the word that it stands for; returns how many words it has, a run counting
    /// as half its characters.
    pub fn terms(&mut self, text: &str, mut take: impl FnMut(&str, &str)) -> u32 {
        let mut length = 0;
        let wants_names = self.only.as_ref().is_none_or(|only| only.names);
        if wants_names {
            for piece in pieces(text) {
                length += self.piece(piece, &mut take);
            }
        } else {
            for piece in (Words { rest: text }) {
                length += self.piece(piece, &mut take);
            }
        }
        length
    }

    /// Gives what [`terms`](Self::terms) does, and then the stems of words in the language of the text where that is not English.
    pub fn indexed(&mut self, text: &str, mut take: impl FnMut(&str, &str)) -> u32 {
        self.indexed_within(Guess::of(text), text, &mut take)
    }

    /// As [`indexed`](Self::indexed), for a part of a text in which the language was guessed.
    pub(super) fn indexed_within(
        &mut self,
        guess: Guess,
        text: &str,
        take: &mut dyn FnMut(&str, &str),
    ) -> u32 {
        let length = self.terms(text, &mut *take);
        if self.has_stems() {
            guess.each_word(text, |word, language| self.stem_of(language, word, |stem| take(stem, word)));
        }
        length
    }

    /// Returns whether stems of other languages than English are wanted.
    pub(super) fn has_stems(&self) -> bool {
        self.only.as_ref().is_none_or(|only| only.stems)
    }

    fn stem_of(&mut self, language: LanguageNo, word: &str, take: impl FnOnce(&str)) {
        let known = self.others.entry(language).or_default();
        if known.len() > MOST_STEMS {
            known.clear();
        }
        if !known.contains_key(word) {
            known.insert(word.to_owned(), stem_in(language, word));
        }
        if let Some(stem) = known.get(word).and_then(Option::as_ref) {
            take(stem);
        }
    }

    fn piece(&mut self, piece: Piece<'_>, mut take: impl FnMut(&str, &str)) -> u32 {
        match piece {
            Piece::Name(name) => {
                let name = same_word(name);
                take(&name, &name);
                0
            }
            Piece::Run(run) => {
                if self.only.as_ref().is_none_or(|only| only.runs) {
                    grams(run, |gram| take(gram, gram));
                }
                u32::try_from(run.chars().count().div_ceil(2)).unwrap_or(u32::MAX / 2)
            }
            Piece::Word(word) => {
                let first = word.bytes().next().map_or(0, |byte| usize::from(byte.to_ascii_lowercase()));
                let is_wanted =
                    self.only.as_ref().and_then(|only| only.first.get(first)).is_none_or(|known| *known);
                if is_wanted && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
                    take(self.stem(word), word);
                } else if is_wanted || word.contains(is_apostrophe) {
                    for word in std::iter::once(word).chain(nouns(word)).map(same_word) {
                        take(self.stem(&word), &word);
                    }
                }
                1
            }
        }
    }

    fn stem(&mut self, folded: &str) -> &str {
        let Some(word) = Short::of(folded) else {
            self.long = stem(folded);
            return &self.long;
        };
        if self.stems.len() > MOST_STEMS {
            self.stems.clear();
        }
        // A stem is no longer than its word.
        let known = self.stems.entry(word);
        known.or_insert_with(|| Short::of(&stem(folded)).unwrap_or(word)).as_str()
    }
}

/// A short word, in one place: what is looked up for every word of every text is read at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Short {
    bytes: [u8; Self::MOST],
    length: u8,
}

impl Short {
    /// The most bytes of a word.
    const MOST: usize = 15;

    /// Takes a word; `None` where it is too long.
    fn of(word: &str) -> Option<Self> {
        let mut bytes = [0; Self::MOST];
        bytes.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
        Some(Self { bytes, length: u8::try_from(word.len()).ok()? })
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..usize::from(self.length)]).expect("it was a word")
    }
}

/// Gives what of a text an index of plain words lacks, which parts at every sign and every white space: names as a
/// whole, the characters and pairs of scripts without spaces, the words beside them, and words as
/// [`same_word`] has them where letters are folded otherwise.
pub fn beside_words(text: &str, mut take: impl FnMut(Beside<'_>)) {
    for chunk in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if chunk.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        for piece in pieces(chunk) {
            match piece {
                Piece::Name(name) => take(Beside::Name(&same_word(name))),
                Piece::Run(run) => grams(run, |gram| take(Beside::Word(gram))),
                Piece::Word(word) if !chunk.is_ascii() || word.contains(is_apostrophe) => {
                    std::iter::once(word)
                        .chain(nouns(word))
                        .for_each(|word| take(Beside::Word(&same_word(word))));
                }
                Piece::Word(_) => {}
            }
        }
    }
}

/// Gives the stems of the words of a text in its language, where that is not English.
pub fn stems(text: &str, mut take: impl FnMut(&str)) {
    Guess::of(text).each_word(text, |word, language| {
        if let Some(stem) = stem_in(language, word) {
            take(&stem);
        }
    });
}

/// The results of [`beside_words`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside<'a> {
    /// Letters and digits only.
    Word(&'a str),
    /// With signs.
    Name(&'a str),
}

const MOST_STEMS: usize = 1 << 16;

/// Returns whether a folded word says nothing of what a question is about.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Returns the words of which none says what a question in English is about.
pub(super) fn english_stop_words() -> impl Iterator<Item = &'static str> {
    STOP_WORDS.into_iter()
}

const STOP_WORDS: [&str; 154] = [
    "a",
    "about",
    "above",
    "after",
    "again",
    "all",
    "also",
    "am",
    "an",
    "and",
    "any",
    "anything",
    "are",
    "arent",
    "as",
    "at",
    "be",
    "because",
    "been",
    "before",
    "being",
    "below",
    "between",
    "both",
    "but",
    "by",
    "can",
    "cant",
    "could",
    "couldnt",
    "did",
    "didnt",
    "do",
    "does",
    "doesnt",
    "doing",
    "dont",
    "down",
    "during",
    "each",
    "ever",
    "few",
    "for",
    "from",
    "further",
    "get",
    "got",
    "had",
    "has",
    "have",
    "having",
    "he",
    "her",
    "here",
    "hers",
    "herself",
    "him",
    "himself",
    "his",
    "how",
    "i",
    "id",
    "if",
    "ill",
    "im",
    "in",
    "into",
    "is",
    "isnt",
    "it",
    "its",
    "itself",
    "ive",
    "just",
    "many",
    "me",
    "might",
    "more",
    "most",
    "much",
    "my",
    "myself",
    "no",
    "nor",
    "not",
    "now",
    "of",
    "off",
    "on",
    "once",
    "only",
    "or",
    "other",
    "our",
    "ours",
    "ourselves",
    "out",
    "over",
    "own",
    "same",
    "she",
    "should",
    "so",
    "some",
    "something",
    "such",
    "than",
    "that",
    "thats",
    "the",
    "their",
    "theirs",
    "them",
    "themselves",
    "then",
    "there",
    "these",
    "they",
    "theyre",
    "this",
    "those",
    "through",
    "to",
    "too",
    "under",
    "until",
    "up",
    "us",
    "very",
    "was",
    "wasnt",
    "we",
    "were",
    "weve",
    "what",
    "whats",
    "when",
    "where",
    "which",
    "while",
    "who",
    "whom",
    "whose",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
    "youre",
    "yours",
    "yourself",
    "yourselves",
    "youve",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        Stemmer::default().terms(text, |term, _| terms.push(term.to_owned()));
        terms
    }

    #[test]
    fn words_are_folded_and_stemmed() {
        assert_eq!(terms("Caroline's dogs, RUNNING!"), ["carolin", "dog", "run"]);
        assert_eq!(terms("Don't ask O'Brien's"), ["dont", "ask", "obrien", "brien"]);
        assert_eq!(terms("l'avion"), ["lavion", "avion"]);
        assert_eq!(terms("Café ｃａｆｅ"), ["cafe", "cafe"]);
    }

    #[test]
    fn a_name_is_a_term_beside_its_words() {
        assert_eq!(terms("C++"), ["c++", "c"]);
        assert_eq!(terms("(BTC-USD),"), ["btc-usd", "btc", "usd"]);
        assert_eq!(terms("fell 0.5%."), ["fell", "0.5%", "0", "5"]);
        assert_eq!(terms("E0277"), ["e0277"]);
        assert_eq!(terms("src/lib.rs:12"), ["src/lib.rs:12", "src", "lib", "rs", "12"]);
        assert_eq!(terms("well; really... (yes)"), ["well", "realli", "ye"]);
    }

    #[test]
    fn scripts_without_spaces_give_characters_and_pairs() {
        assert_eq!(terms("山寨币"), ["山", "寨", "币", "山寨", "寨币"]);
        assert_eq!(terms("用Rust写"), ["用", "rust", "写"]);
        assert_eq!(terms("서울에"), ["서", "울", "에", "서울", "울에"]);
        assert_eq!(terms("น้ำ"), ["น", "้", "ํ", "า", "น้", "้ํ", "ํา"]);
    }

    #[test]
    fn an_index_of_plain_words_lacks_names_runs_and_folded_words() {
        let beside = |text: &str| {
            let mut given = Vec::new();
            beside_words(text, |beside| {
                given.push(match beside {
                    Beside::Word(word) => word.to_owned(),
                    Beside::Name(name) => format!("<{name}>"),
                });
            });
            given
        };
        assert_eq!(beside("plain words, and (more) of them."), [""; 0]);
        assert_eq!(beside("C++ and O'Brien's BTC-USD"), ["<c++>", "obrien", "brien", "<btc-usd>"]);
        assert_eq!(beside("用Rust写"), ["用", "rust", "写"]);
        assert_eq!(beside("Café"), ["cafe"]);
    }

    #[test]
    fn stop_words_are_in_order() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("thesis"));
    }
}
