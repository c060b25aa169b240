//! Text as terms, for indexing and for queries.
//!
//! A word is lower-cased and stemmed. A name of joined words (`BTC-USD`, `C++`, `0.5%`, `a/b.rs`) is a term as a
//! whole too, beside its words. Scripts without spaces between words (Chinese, Japanese, Thai and their like)
//! give every character and every pair of neighbours. So does Korean, whose words carry particles.

use super::word::{is_apostrophe, is_beside_letter, nouns, same_run, same_word};

/// The pieces of a text, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Letters and digits, in which an apostrophe may be.
    Word(&'a str),
    /// Words and signs that are together, as a whole; comes before its words.
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

/// Returns the words and runs of a text, without names.
pub(super) fn runs_and_words(text: &str) -> impl Iterator<Item = Piece<'_>> {
    Words { rest: text }
}

/// Returns the words of a text, without runs of scripts that write no spaces.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    runs_and_words(text).filter_map(|piece| match piece {
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
        // Most words are plain.
        let plain = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let behind = rest.as_bytes().get(plain);
        if plain > 0 && behind.is_none_or(|byte| byte.is_ascii() && *byte != b'\'') {
            let (word, rest) = rest.split_at(plain);
            self.rest = rest;
            return Some(Piece::Word(word));
        }
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

pub(super) fn is_word_part(c: char) -> bool {
    begins_word(c) || is_beside_letter(c)
}

/// Returns whether a character is of a script that is indexed by characters and pairs.
pub(super) fn is_dense(c: char) -> bool {
    c >= '\u{0e00}'
        && matches!(c,
        '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{ffa1}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}')
}

/// Gives the characters and the pairs of a run, each as a term.
pub(crate) fn grams(run: &str, take: &mut dyn FnMut(&str)) {
    let run = same_run(run);
    let ends: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    for window in ends.windows(2) {
        take(&run[window[0]..window[1]]);
    }
    for window in ends.windows(3) {
        take(&run[window[0]..window[2]]);
    }
}

/// Gives the terms of a text that an index of plain words lacks: that index parts at every sign and white space.
/// These are whole names, and characters and pairs of scripts without spaces. Words are given too, as
/// [`same_word`] has them, where their letters are folded otherwise.
pub fn beside_words(text: &str, mut take: impl FnMut(Beside<'_>)) {
    for chunk in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if chunk.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            continue;
        }
        for piece in pieces(chunk) {
            match piece {
                Piece::Name(name) => take(Beside::Name(&same_word(name))),
                Piece::Run(run) => grams(run, &mut |gram| take(Beside::Word(gram))),
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

/// The results of [`beside_words`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beside<'a> {
    /// Letters and digits only.
    Word(&'a str),
    /// With signs.
    Name(&'a str),
}

/// Returns whether a folded word says nothing of what a question is about.
#[must_use]
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Returns words that say nothing about the subject of a question in English.
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
