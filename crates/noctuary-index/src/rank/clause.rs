//! Conditions on a row, from the operators of a query.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::card::Card;
use super::stemmer::Stemmer;
use super::term::Term;
use super::terms::{Piece, closes_a_name, name_of as name_in, opens_a_name, pieces};
use super::word::{nouns, same_run, same_word};

/// A condition on a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Clause {
    /// It has all terms of a word.
    Word(Vec<Term>),
    /// These words are in it side by side, as they are, with the signs that hold to them.
    Phrase(Vec<Spelled>),
    /// A word begins so, or words with signs that are together.
    Prefix(String),
    /// All hold.
    And(Vec<Clause>),
    /// One holds.
    Or(Vec<Clause>),
    /// The first holds and the second does not.
    Without(Box<Clause>, Box<Clause>),
}

/// A word of a phrase, or of a text to find it in: lower case and not stemmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelled {
    /// The word.
    pub word: String,
    /// The signs right before it, and right behind it.
    before: String,
    behind: String,
    /// Whether the next word is right behind those signs.
    is_joined: bool,
}

impl Spelled {
    /// Returns whether a word of a text is this one of a phrase. A phrase without signs asks for none.
    fn is(&self, of_text: &Self) -> bool {
        let begins = || {
            let rest = of_text.before.strip_suffix(self.before.as_str());
            rest.is_some_and(|rest| !rest.ends_with(opens_a_name))
        };
        let ends = || {
            let rest = of_text.behind.strip_prefix(self.behind.as_str());
            rest.is_some_and(|rest| !rest.starts_with(closes_a_name))
        };
        self.word == of_text.word
            && (self.before.is_empty() || begins())
            && (self.behind.is_empty()
                || if self.is_joined { of_text.is_joined && of_text.behind == self.behind } else { ends() })
    }
}

impl Clause {
    /// Returns whether a row fulfils it.
    pub(crate) fn is_fulfilled_by(&self, card: &Card<'_>) -> bool {
        self.holds(card, &OnceCell::new())
    }

    /// As [`is_fulfilled_by`](Self::is_fulfilled_by); the stems of the row are made once, where a clause asks for them.
    fn holds(&self, card: &Card<'_>, stems: &OnceCell<BTreeSet<String>>) -> bool {
        match self {
            Self::Word(terms) => {
                let stems = stems.get_or_init(|| {
                    let mut stems = BTreeSet::new();
                    card.terms(&mut Stemmer::default(), |stem, _| {
                        stems.insert(stem.to_owned());
                    });
                    stems
                });
                terms.iter().all(|term| stems.contains(&term.stem))
            }
            Self::Phrase(words) => {
                let is_there =
                    |window: &[Spelled]| words.iter().zip(window).all(|(asked, there)| asked.is(there));
                !words.is_empty() && spelled_words(card.text).windows(words.len()).any(is_there)
            }
            Self::Prefix(prefix) => pieces(card.text).any(|piece| match piece {
                Piece::Word(word) => {
                    let words = std::iter::once(word).chain(nouns(word));
                    words.map(same_word).any(|word| word.starts_with(prefix.as_str()))
                }
                Piece::Name(name) => same_word(name).starts_with(prefix.as_str()),
                Piece::Run(_) => false,
            }),
            Self::And(clauses) => clauses.iter().all(|clause| clause.holds(card, stems)),
            Self::Or(clauses) => clauses.iter().any(|clause| clause.holds(card, stems)),
            Self::Without(clause, not) => clause.holds(card, stems) && !not.holds(card, stems),
        }
    }
}

/// Returns the words of a phrase, with the signs that make a name with them: `C++`, `0.5%`, `BTC-USD`.
pub(super) fn phrase(text: &str) -> Vec<Spelled> {
    let chunks = text.split(|c: char| c.is_whitespace() || c.is_control());
    chunks.flat_map(|chunk| spelled(name_in(chunk).unwrap_or(chunk), name_in(chunk).is_some())).collect()
}

/// Returns the words of a text, with all signs at them.
fn spelled_words(text: &str) -> Vec<Spelled> {
    let chunks = text.split(|c: char| c.is_whitespace() || c.is_control());
    chunks.flat_map(|chunk| spelled(chunk, true)).collect()
}

/// Returns the words of what is between two white spaces, with or without the signs at them.
fn spelled(chunk: &str, with_signs: bool) -> Vec<Spelled> {
    let mut words: Vec<Spelled> = Vec::new();
    let mut read = 0;
    let mut push = |word: String, signs: &str, parted: bool| {
        let signs = if with_signs { signs } else { "" };
        if let Some(last) = words.last_mut() {
            signs.clone_into(&mut last.behind);
            last.is_joined = true;
        }
        let before = if parted { signs.to_owned() } else { String::new() };
        words.push(Spelled { word, before, behind: String::new(), is_joined: false });
    };
    for piece in pieces(chunk) {
        let (Piece::Word(text) | Piece::Run(text)) = piece else { continue };
        let at = read + chunk[read..].find(text).unwrap_or(0);
        let signs = &chunk[read..at];
        read = at + text.len();
        match piece {
            // The signs between two words are those behind the first.
            Piece::Word(word) => push(same_word(word), signs, at == signs.len()),
            _ => {
                for (number, c) in same_run(text).chars().enumerate() {
                    push(
                        c.to_string(),
                        if number == 0 { signs } else { "" },
                        number == 0 && at == signs.len(),
                    );
                }
            }
        }
    }
    if let Some(last) = words.last_mut().filter(|_| with_signs) {
        chunk[read..].clone_into(&mut last.behind);
    }
    words
}
