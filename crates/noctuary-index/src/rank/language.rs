//! The languages whose words have stems, and a guess in which of them a text is.
//!
//! English is not among them: its stems are the terms of every text. A stem of another language is a term of its own,
//! beside the word. Where the guess is wrong, the word is found as before.

use std::borrow::Cow;
use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;

use super::terms::{Piece, english_stop_words, is_stop_word, pieces, words};
use super::word::{is_apostrophe, is_beside_letter, lines, nouns, same_word};

/// The sign before a stem, which begins no other term.
pub(super) const STEM: char = '~';

/// A language by its place in the table.
pub(super) type LanguageNo = usize;

struct Language {
    stemmer: Stemmer,
    script: Script,
    /// The letters that few other languages have.
    letters: &'static str,
    /// The endings of words that few other languages have.
    endings: Vec<&'static str>,
    is_turkish: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Devanagari,
    Tamil,
}

impl Script {
    fn named(name: &str) -> Option<Self> {
        let all = [
            ("latin", Self::Latin),
            ("cyrillic", Self::Cyrillic),
            ("greek", Self::Greek),
            ("arabic", Self::Arabic),
            ("devanagari", Self::Devanagari),
            ("tamil", Self::Tamil),
        ];
        all.iter().find(|(script, _)| *script == name).map(|(_, script)| *script)
    }

    /// Returns the script of a word, by its first letter.
    fn of(word: &str) -> Option<Self> {
        match word.chars().next()? {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Some(Self::Latin),
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Some(Self::Greek),
            '\u{400}'..='\u{52f}' => Some(Self::Cyrillic),
            '\u{600}'..='\u{6ff}'
            | '\u{750}'..='\u{77f}'
            | '\u{fb50}'..='\u{fdff}'
            | '\u{fe70}'..='\u{feff}' => Some(Self::Arabic),
            '\u{900}'..='\u{97f}' => Some(Self::Devanagari),
            '\u{b80}'..='\u{bff}' => Some(Self::Tamil),
            _ => None,
        }
    }
}

/// The most languages of the table.
const MOST: usize = 24;
/// The number of words that are looked at.
const LOOKED_AT: usize = 48;
/// The weight of a sign that one language has; of one that several have it is that much less.
const WEIGHT: u32 = 6;
/// The weight of English at which nothing further is read, and by which it is then above any other.
const SURE: u32 = 2 * WEIGHT;
/// A text of more words needs a sign that few languages have.
const SHORT: usize = 8;

/// The signs of each language in a text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Guess {
    signs: [u32; MOST],
    english: u32,
    words: usize,
}

impl Guess {
    /// Guesses the language of a text by its words and letters. If these do not show English, endings count too.
    pub(super) fn of(text: &str) -> Self {
        let mut guess = Self::of_query(text);
        if guess.english < SURE && guess.english <= WEIGHT + guess.best() {
            for word in words(text).take(LOOKED_AT) {
                guess.add(TABLE.with_ending(word));
            }
        }
        guess
    }

    /// As [`of`](Self::of), for a short text: of an inflected word the ending says little.
    pub(super) fn of_query(text: &str) -> Self {
        let mut guess = Self::default();
        for word in words(text).take(LOOKED_AT) {
            guess.words += 1;
            guess.add(TABLE.with_word(word));
            if guess.english >= SURE && guess.english >= guess.best() + SURE {
                break;
            }
        }
        guess
    }

    /// Adds a sign that some languages have.
    fn add(&mut self, languages: u32) {
        if languages == 0 {
            return;
        }
        let weight = WEIGHT / languages.count_ones().min(WEIGHT);
        if languages & ENGLISH > 0 {
            self.english += weight;
        }
        for (number, signs) in self.signs.iter_mut().enumerate() {
            *signs += weight * (languages >> number & 1);
        }
    }

    fn best(&self) -> u32 {
        self.signs.iter().max().copied().unwrap_or(0)
    }

    /// Returns the language in which a word of the text is stemmed.
    fn one(&self, word: &str) -> Option<LanguageNo> {
        let script = Script::of(word)?;
        let best = of_script(script).map(|language| self.signs[language]).max()?;
        let least = if self.words > SHORT { WEIGHT } else { 1 };
        if script == Script::Latin && (best < least || best <= self.english) {
            return None;
        }
        of_script(script).find(|language| self.signs[*language] == best)
    }

    /// Returns the languages in which a word of a query may be: none where the query is English.
    fn any(&self, word: &str) -> Vec<LanguageNo> {
        let Some(script) = Script::of(word) else { return Vec::new() };
        let best = of_script(script).map(|language| self.signs[language]).max().unwrap_or(0);
        if script == Script::Latin && self.english > best {
            return Vec::new();
        }
        let is_near = |language: &LanguageNo| {
            2 * self.signs[*language] >= best && (best == 0 || self.signs[*language] > 0)
        };
        of_script(script).filter(is_near).collect()
    }

    /// Gives the words of a text that have stems, each with its language: no names of code, no numbers.
    pub(super) fn each_word(self, text: &str, mut take: impl FnMut(&str, LanguageNo)) {
        if !text.is_ascii() || self.one("a").is_some() {
            plain_words(text, |word| {
                if let Some(language) = self.one(word) {
                    take(word, language);
                }
            });
        }
    }

    /// Gives the words of a query, each with its stem in each language in which it may be.
    pub(super) fn each_stem_of_query(self, text: &str, mut take: impl FnMut(&str, String)) {
        plain_words(text, |word| {
            let languages = self.any(word);
            if !languages.is_empty() {
                let lower = Lower::of(word);
                let stems = languages.into_iter().filter_map(|language| lower.stem(language));
                // What is left of "Ankara" in some language is "an".
                stems.filter(|stem| says_enough(stem)).for_each(|stem| take(word, stem));
            }
        });
    }
}

/// Returns whether a stem is no stop word of English: texts with foreign names have many of them.
fn says_enough(stem: &str) -> bool {
    !is_stop_word(stem.trim_start_matches(STEM))
}

fn of_script(script: Script) -> impl Iterator<Item = LanguageNo> {
    let all = TABLE.languages.iter().enumerate();
    all.filter(move |(_, language)| language.script == script).map(|(number, _)| number)
}

/// Gives the words of a text, and where an article or a suffix is parted the nouns, without those of code.
fn plain_words(text: &str, mut take: impl FnMut(&str)) {
    let mut of_code = 0;
    for piece in pieces(text) {
        match piece {
            Piece::Name(name) if is_code(name) => {
                of_code = words(name).count();
            }
            Piece::Word(_) if of_code > 0 => of_code -= 1,
            Piece::Word(word) => {
                let nouns = nouns(word);
                let whole = nouns.is_empty().then_some(word);
                whole.into_iter().chain(nouns).filter(|word| is_plain(word)).for_each(&mut take);
            }
            _ => {}
        }
    }
}

/// Returns whether signs other than a hyphen hold words together.
fn is_code(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || is_beside_letter(c) || is_apostrophe(c);
    name.contains(|c: char| !is_part(c) && !matches!(c, '-' | '\u{2010}'..='\u{2015}'))
}

/// Returns whether a word is no code: letters, in one case behind the first.
fn is_plain(word: &str) -> bool {
    let is_upper = |c: char| c.is_uppercase();
    let rest = word.chars().skip(1);
    (2..=LONGEST_WORD).contains(&word.len())
        && !word.contains(|c: char| c.is_numeric() || is_apostrophe(c))
        && (!rest.clone().any(is_upper) || !rest.clone().any(char::is_lowercase))
}

/// In bytes: a longer word is a blob.
const LONGEST_WORD: usize = 96;

/// Returns the term of a word's stem in a language; `None` for a word that says nothing there.
pub(super) fn stem_in(language: LanguageNo, word: &str) -> Option<String> {
    Lower::of(word).stem(language)
}

/// A word as stemmers take it.
struct Lower<'w> {
    word: &'w str,
    text: String,
    /// The languages most of whose texts have it, a bit each.
    said_in: u32,
}

impl<'w> Lower<'w> {
    fn of(word: &'w str) -> Self {
        let said_in = key(same_word(word).as_bytes()).map_or(0, |key| TABLE.said_in(key));
        Self { word, text: lower(word), said_in }
    }

    fn stem(&self, language: LanguageNo) -> Option<String> {
        if self.said_in & 1 << language > 0 {
            return None;
        }
        let known = &TABLE.languages[language];
        let of_turkish = (known.is_turkish && self.word.contains(['I', 'İ']))
            .then(|| lower(&self.word.replace('I', "ı").replace('İ', "i")));
        let mut stem = known.stemmer.stem(of_turkish.as_ref().unwrap_or(&self.text));
        // The endings of some languages are taken off one by one.
        for _ in 0..MOST_ENDINGS {
            let Cow::Owned(longer) = &stem else { break };
            match known.stemmer.stem(longer).into_owned() {
                shorter if shorter == *longer => break,
                shorter => stem = Cow::Owned(shorter),
            }
        }
        let stem = same_word(&stem);
        let mut term = String::with_capacity(stem.len() + 1);
        term.push(STEM);
        term.push_str(&stem);
        stem.chars().nth(1).is_some().then_some(term)
    }
}

fn lower(word: &str) -> String {
    if word.is_ascii() { word.to_ascii_lowercase() } else { word.to_lowercase().nfc().collect() }
}

/// The endings that are taken off beside the first.
const MOST_ENDINGS: usize = 3;

/// The languages, and the words that most of their texts have.
struct Table {
    languages: Vec<Language>,
    /// Each word with the languages that have it, a bit each; by the words.
    words: Vec<(u64, u32)>,
}

/// The bit of English.
const ENGLISH: u32 = 1 << 31;

impl Table {
    /// Returns the languages that a word or its letters are a sign of.
    fn with_word(&self, word: &str) -> u32 {
        if word.is_ascii() {
            return key(word.as_bytes()).map_or(0, |key| self.said_in(key));
        }
        let lower = lower(word);
        let is_letter = |c: &char| !c.is_ascii() && !is_beside_letter(*c) && !is_apostrophe(*c);
        let has_letters = |language: &Language| {
            let mut letters = lower.chars().filter(is_letter);
            match language.script {
                // Without any, such as `l’eau`, it has all.
                Script::Latin => {
                    lower.contains(|c| is_letter(&c)) && letters.all(|c| language.letters.contains(c))
                }
                _ => letters.any(|c| language.letters.contains(c)),
            }
        };
        key(same_word(word).as_bytes()).map_or(0, |key| self.said_in(key) & !ENGLISH)
            | self.having(has_letters)
    }

    /// Returns the languages that the ending of a word is a sign of.
    fn with_ending(&self, word: &str) -> u32 {
        self.having(|language| {
            language.endings.iter().any(|end| word.len() > end.len() + 2 && word.ends_with(end))
        })
    }

    fn having(&self, has: impl Fn(&Language) -> bool) -> u32 {
        let languages = self.languages.iter().zip(0..).filter(|(language, _)| has(language));
        languages.fold(0, |bits, (_, number)| bits | 1 << number)
    }

    fn said_in(&self, word: u64) -> u32 {
        let at = self.words.binary_search_by_key(&word, |(word, _)| *word);
        at.map_or(0, |at| self.words[at].1)
    }
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut languages = Vec::new();
    let english = english_stop_words().filter_map(|word| Some((key(word.as_bytes())?, ENGLISH)));
    let mut said: Vec<(u64, u32)> = english.collect();
    for line in lines(include_str!("language/languages.tsv")) {
        let mut columns = line.split('\t');
        let mut column = || columns.next().unwrap_or_default();
        let [name, script, letters, endings, words] = std::array::from_fn(|_| column());
        let endings = endings.split(' ').filter(|end| !end.is_empty()).collect();
        let (Ok(algorithm), Some(script)) = (Algorithm::from_name(name), Script::named(script)) else {
            continue;
        };
        let bit = 1 << languages.len();
        said.extend(words.split(' ').filter_map(|word| Some((key(word.as_bytes())?, bit))));
        let is_turkish = algorithm == Algorithm::Turkish;
        languages.push(Language { stemmer: Stemmer::new(algorithm), script, letters, endings, is_turkish });
    }
    said.sort_unstable();
    let mut words: Vec<(u64, u32)> = Vec::with_capacity(said.len());
    for (word, bits) in said {
        match words.last_mut().filter(|(last, _)| *last == word) {
            Some((_, known)) => *known |= bits,
            None => words.push((word, bits)),
        }
    }
    Table { languages, words }
});

/// Returns a word of one to eight letters of ASCII as a number, in lower case.
fn key(word: &[u8]) -> Option<u64> {
    if !(1..=8).contains(&word.len()) || !word.is_ascii() {
        return None;
    }
    Some(word.iter().fold(0, |key, byte| key << 8 | u64::from(byte.to_ascii_lowercase())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            "\\PC{0,24}",
            ".{0,60}",
            "[a-zA-ZäöüßéèçğışİłżñåæøățőűŁŻ'’-]{1,24}",
            "[\u{370}-\u{3ff}\u{1f00}-\u{1fff}\u{300}-\u{345}]{1,24}",
            "[\u{400}-\u{52f}\u{300}-\u{345}]{1,24}",
            "[\u{600}-\u{6ff}\u{fb50}-\u{fdff}\u{200c}\u{200d}]{1,24}",
            "[\u{900}-\u{97f}]{1,24}",
            "[\u{b80}-\u{bff}]{1,24}",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        // The stemmers are another's, and the words anybody's.
        #[test]
        fn no_text_makes_a_stemmer_fail_in_any_language(text in text()) {
            for language in 0..TABLE.languages.len() {
                if let Some(stem) = stem_in(language, &text) {
                    prop_assert!(stem.starts_with(STEM) && stem.len() > STEM.len_utf8() + 1, "{stem:?}");
                    prop_assert_eq!(stem_in(language, &text), Some(stem));
                }
            }
            Guess::of(&text).each_word(&text, |_, _| ());
            Guess::of_query(&text).each_stem_of_query(&text, |_, _| ());
        }
    }

    #[test]
    fn a_word_without_an_end_has_a_stem_or_none() {
        for part in ["a", "ş", "ий", "ων", "ال", "ने", "ங்கள்", "lerinin"] {
            let word = part.repeat(5_000);
            for language in 0..TABLE.languages.len() {
                assert!(stem_in(language, &word).is_none_or(|stem| stem.len() <= 2 * word.len()));
            }
        }
    }
}
