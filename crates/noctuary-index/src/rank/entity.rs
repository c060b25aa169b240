//! Entities: the names in a text.

use std::collections::BTreeSet;
use std::fmt::Debug;

use super::terms::{Piece, is_stop_word, pieces};
use super::word::same_word;

/// Finds the names in a text. The same text gives the same entities, always.
///
/// A store takes them from `StoreConfig::entities`.
///
/// ```
/// # mod noctuary { pub use noctuary_index::rank as search; }
/// use std::collections::BTreeSet;
/// use noctuary::search::Entities;
///
/// /// Numbers of tickets: `OPS-412`.
/// #[derive(Debug)]
/// struct Tickets;
///
/// impl Entities for Tickets {
///     fn of(&self, text: &str) -> BTreeSet<String> {
///         text.split_whitespace().filter(|word| word.starts_with("OPS-")).map(str::to_owned).collect()
///     }
/// }
///
/// assert!(Tickets.of("Joris closed OPS-412 today").contains("OPS-412"));
/// ```
pub trait Entities: Debug + Send + Sync {
    /// Returns the entities in a text, each in one spelling.
    fn of(&self, text: &str) -> BTreeSet<String>;
}

/// Names and identifiers: words in capitals or with digits, and words that signs hold together (`BTC-USD`,
/// `lib.rs`). Words with a capital count too, if they do not begin a sentence.
#[derive(Debug, Clone, Copy, Default)]
pub struct GenericEntities;

impl Entities for GenericEntities {
    fn of(&self, text: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut begins = true;
        for chunk in text.split_whitespace() {
            for piece in pieces(chunk) {
                match piece {
                    Piece::Name(name)
                        if name.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) =>
                    {
                        found.insert(same_word(name));
                    }
                    Piece::Word(word) => {
                        let capital = word.starts_with(char::is_uppercase);
                        let all = word.chars().filter(|c| c.is_uppercase()).count() > 1;
                        let mixed = word.contains(|c: char| c.is_ascii_digit())
                            && word.contains(|c: char| c.is_alphabetic());
                        let word = same_word(word);
                        if (all || mixed || (capital && !begins)) && word.len() > 1 && !is_stop_word(&word) {
                            found.insert(word);
                        }
                        begins = false;
                    }
                    _ => {}
                }
            }
            begins |= chunk.ends_with(['.', '!', '?', ':', '*', '#']);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entities: &dyn Entities, text: &str) -> Vec<String> {
        entities.of(text).into_iter().collect()
    }

    #[test]
    fn names_are_entities_and_the_first_word_of_a_sentence_is_not() {
        assert_eq!(
            of(&GenericEntities, "Yesterday Marta met O'Brien. They fixed E0277 in lib.rs2"),
            ["e0277", "lib.rs2", "marta", "obrien", "rs2"]
        );
        assert!(GenericEntities.of("what did we do").is_empty());
    }
}
