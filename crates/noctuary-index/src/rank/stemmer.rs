//! The terms of a text: for each word, its form in the index, and its stem in the language of the text.
//!
//! Words of English are their stems. A word in another [language](super::language) has a stem of its own beside it.

use std::collections::HashMap;

use super::language::{Guess, LanguageNo, STEM, stem_in};
use super::stem::stem;
use super::terms::{Piece, grams, is_dense, is_word_part, pieces, runs_and_words};
use super::word::{is_apostrophe, nouns, same_word};

/// The version of the terms of a text: of how it is parted, folded and stemmed. Each index keeps the version that made it, and one of another
/// version is made anew.
pub const WORDS_VERSION: u8 = 8;

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

    /// Gives each term of a text, and the word that it stands for. Returns how many words it has, a run counting as
    /// half its characters.
    pub fn terms(&mut self, text: &str, mut take: impl FnMut(&str, &str)) -> u32 {
        self.each(text, &mut take)
    }

    fn each(&mut self, text: &str, take: &mut dyn FnMut(&str, &str)) -> u32 {
        let mut length = 0;
        let wants_names = self.only.as_ref().is_none_or(|only| only.names);
        if wants_names {
            for piece in pieces(text) {
                length += self.piece(piece, take);
            }
        } else {
            for piece in runs_and_words(text) {
                length += self.piece(piece, take);
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
        let length = self.each(text, take);
        if self.has_stems() {
            guess.each_word(text, |word, language| self.stem_of(language, word, |stem| take(stem, word)));
        }
        length
    }

    /// Guesses the language of a text, where that matters.
    pub(super) fn guess(&self, text: &str) -> Guess {
        if self.has_stems() { Guess::of(text) } else { Guess::default() }
    }

    /// Returns whether stems of other languages than English are wanted.
    fn has_stems(&self) -> bool {
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

    fn piece(&mut self, piece: Piece<'_>, take: &mut dyn FnMut(&str, &str)) -> u32 {
        match piece {
            Piece::Name(name) => {
                let name = same_word(name);
                take(&name, &name);
                0
            }
            Piece::Run(run) => {
                if self.only.as_ref().is_none_or(|only| only.runs) {
                    grams(run, &mut |gram| take(gram, gram));
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

/// Gives the stems of the words of a text in its language, where that is not English.
pub fn stems(text: &str, mut take: impl FnMut(&str)) {
    Guess::of(text).each_word(text, |word, language| {
        if let Some(stem) = stem_in(language, word) {
            take(&stem);
        }
    });
}

const MOST_STEMS: usize = 1 << 16;

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
}
