//! Names: words with a capital inside of a sentence, or before a verb where they open one.

use std::ops::Range;

use super::entity::Entity;
use super::verbs::Spot;

/// The names of a text, found word by word.
#[derive(Debug)]
pub(crate) struct Names<'t> {
    text: &'t str,
    /// Whether the next word begins a sentence.
    begins: bool,
    /// Words with capitals that are beside each other, and whether the first of them begins its sentence.
    open: Option<(Range<usize>, bool)>,
}

impl<'t> Names<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, begins: true, open: None }
    }

    /// Takes the next word.
    pub(crate) fn word(&mut self, place: Range<usize>, spots: &mut Vec<Spot>) {
        let (text, word) = (self.text, &self.text[place.clone()]);
        if is_name(word) {
            let is_beside = self.open.as_ref().is_some_and(|(open, _)| text[open.end..place.start] == *" ");
            match &mut self.open {
                Some((open, _)) if is_beside => open.end = place.end,
                _ => {
                    self.close(None, spots);
                    self.open = Some((place.clone(), self.begins));
                }
            }
            if word.ends_with("'s") || word.ends_with("’s") {
                // Whoever has something is somebody.
                self.open = self.open.take().map(|(open, _)| (open, false));
                self.close(None, spots);
            }
        } else {
            self.close(Some(word), spots);
        }
        let behind = text[place.end..].chars().next().unwrap_or(' ');
        self.begins = matches!(behind, '.' | '!' | '?' | ':' | '。' | '！' | '？' | '：');
        if self.begins || matches!(behind, ',' | ';' | ')' | '"' | '”' | '，') {
            self.close(None, spots);
        }
    }

    /// Takes the end of a line, or of the text.
    pub(crate) fn breaks(&mut self, spots: &mut Vec<Spot>) {
        self.close(None, spots);
        self.begins = true;
    }

    /// Takes something that is no word.
    pub(crate) fn goes_on(&mut self, spots: &mut Vec<Spot>) {
        self.close(None, spots);
        self.begins = false;
    }

    /// Keeps the name that is open, where it is one: the first word of a sentence has a capital anyhow.
    fn close(&mut self, next: Option<&str>, spots: &mut Vec<Spot>) {
        let Some((place, begins)) = self.open.take() else { return };
        let written = &self.text[place.clone()];
        let opens = || next.is_some_and(|next| may_act(written, next));
        if !begins || written.contains(' ') || is_marked(written) || opens() {
            let name = Entity::fold(without_suffix(written));
            spots.push(Spot { place, entity: Entity::new(Entity::NAME, name) });
        }
    }
}

/// Returns a name without the Turkish case behind its apostrophe: `Ankara'da` is Ankara.
pub(super) fn without_suffix(name: &str) -> &str {
    match name.rsplit_once(['\'', '’']) {
        // Short ones are names of other languages: Na'in, Sa'da.
        Some((front, suffix)) if SUFFIXES.contains(&suffix) && front.chars().nth(3).is_some() => front,
        _ => name,
    }
}

/// Turkish cases of two letters or more: one letter ends names of other languages, as in Hawai'i and Chang'e.
const SUFFIXES: [&str; 37] = [
    "da", "de", "ta", "te", "dan", "den", "tan", "ten", "ya", "ye", "yı", "yi", "yu", "yü", "nın", "nin",
    "nun", "nün", "ın", "in", "un", "ün", "yla", "yle", "la", "le", "daki", "deki", "taki", "teki", "lar",
    "ler", "lı", "li", "lu", "lü", "nda",
];

fn is_name(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase)
        && chars.next().is_some_and(|c| c != '\'' && c != '’' || word.len() > 3)
        && !is_common(word)
}

/// Returns whether a word is a name wherever it is: with two capitals, or with a digit.
fn is_marked(word: &str) -> bool {
    word.chars().filter(|c| c.is_uppercase()).count() > 1 || word.contains(|c: char| c.is_ascii_digit())
}

/// Returns whether the first word of a sentence is somebody who does what the next word says.
fn may_act(first: &str, next: &str) -> bool {
    if ACTS.contains(&next) {
        return true;
    }
    let is_form = |word: &str| ["s", "ed", "ing", "ly"].iter().any(|end| word.ends_with(end));
    let is_lower = next.bytes().all(|byte| byte.is_ascii_lowercase());
    is_lower && next.len() > 3 && (next.ends_with('s') || next.ends_with("ed")) && !is_form(first)
}

/// Verbs without a sign in their form.
const ACTS: [&str; 28] = [
    "is", "was", "has", "had", "will", "can", "would", "could", "should", "may", "might", "must", "does",
    "did", "said", "went", "met", "got", "made", "took", "told", "came", "left", "bought", "sold", "built",
    "won", "lost",
];

/// Words that have a capital and are no names.
fn is_common(word: &str) -> bool {
    const LONGEST: usize = 10;
    if word.len() > LONGEST || !word.is_ascii() {
        return false;
    }
    let mut lower = [0; LONGEST];
    let lower = &mut lower[..word.len()];
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    COMMON.binary_search_by(|known| known.as_bytes().cmp(lower)).is_ok()
}

/// In order: pronouns, words that open sentences, days and months.
const COMMON: [&str; 118] = [
    "about",
    "after",
    "again",
    "agent",
    "all",
    "also",
    "although",
    "always",
    "an",
    "and",
    "another",
    "any",
    "april",
    "as",
    "at",
    "august",
    "because",
    "before",
    "both",
    "but",
    "by",
    "can",
    "could",
    "december",
    "decision",
    "did",
    "do",
    "does",
    "done",
    "during",
    "each",
    "every",
    "fact",
    "february",
    "for",
    "friday",
    "from",
    "had",
    "has",
    "have",
    "he",
    "her",
    "here",
    "his",
    "how",
    "however",
    "i'm",
    "i've",
    "if",
    "in",
    "is",
    "it",
    "it's",
    "its",
    "january",
    "july",
    "june",
    "last",
    "later",
    "let",
    "march",
    "maybe",
    "monday",
    "my",
    "never",
    "next",
    "no",
    "not",
    "note",
    "november",
    "now",
    "october",
    "of",
    "often",
    "ok",
    "on",
    "once",
    "one",
    "only",
    "or",
    "our",
    "over",
    "please",
    "preference",
    "saturday",
    "september",
    "she",
    "since",
    "so",
    "some",
    "still",
    "sunday",
    "that",
    "the",
    "their",
    "then",
    "there",
    "these",
    "they",
    "this",
    "thursday",
    "to",
    "today",
    "tomorrow",
    "tuesday",
    "user",
    "was",
    "we",
    "wednesday",
    "when",
    "where",
    "while",
    "who",
    "why",
    "with",
    "yes",
    "yesterday",
    "you",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_in_order_and_found() {
        assert!(COMMON.is_sorted());
        assert!(["The", "Yesterday", "FRIDAY", "I'm"].into_iter().all(is_common));
        assert!(!["Marta", "Thea", "Wednesdays-Club"].into_iter().any(is_common));
    }
}
