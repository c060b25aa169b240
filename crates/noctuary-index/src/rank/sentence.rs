//! The sentence of a text that a query found.

use std::ops::Range;

use super::query::Plan;
use super::stemmer::Stemmer;

impl Plan {
    /// Returns the sentence of a text with the most words of the query, the first of equals, as a span of bytes. Where the query has
    /// operators, a sentence that fulfils them comes first. `None` where no sentence has a word of it.
    ///
    /// ```
    /// use noctuary_index::rank::Plan;
    ///
    /// let text = "Lunch was late. The boats lie in Porto! We left.";
    /// let found = Plan::of("where is the boat", false).sentence_in(text);
    /// assert_eq!(&text[found.unwrap()], "The boats lie in Porto!");
    /// ```
    #[must_use]
    pub fn sentence_in(&self, text: &str) -> Option<Range<usize>> {
        self.finds_sentence()(text)
    }

    /// Returns [`sentence_in`](Self::sentence_in) for many texts, which remembers stems.
    pub fn finds_sentence(&self) -> impl FnMut(&str) -> Option<Range<usize>> {
        let mut stemmer = Stemmer::only(self.terms.iter().map(|term| term.stem.as_str()));
        move |text| self.find_sentence(text, &mut stemmer)
    }

    fn find_sentence(&self, text: &str, stemmer: &mut Stemmer) -> Option<Range<usize>> {
        let literal = self.text.trim();
        if self.terms.is_empty() && self.required.is_none() {
            let at = text.find(literal).filter(|_| !literal.is_empty())?;
            return sentences(text).find(|sentence| sentence.end > at);
        }
        let guess = stemmer.guess(text);
        let mut best: Option<((bool, usize), Range<usize>)> = None;
        for sentence in sentences(text) {
            let said = &text[sentence.clone()];
            let words = self.words_in(guess, said, stemmer);
            let fulfils = self.required.is_some() && self.is_fulfilled_by(said);
            let fit = (fulfils, words);
            if fit > best.as_ref().map_or((false, 0), |(best, _)| *best) {
                best = Some((fit, sentence));
            }
        }
        best.map(|(_, sentence)| sentence)
    }
}

/// Returns the sentences of a text in their order, without the space around them. A line ends one, and so does a stop.
/// One that goes on for long is parted at a space.
pub fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        rest += text[rest..].len() - text[rest..].trim_start().len();
        let start = rest;
        rest += end_of(&text[start..]);
        let said = text[start..rest].trim_end().len();
        (said > 0).then_some(start..start + said)
    })
}

/// The most bytes of a sentence. A longer one, such as a table, is parted.
const LONGEST: usize = 400;

/// Returns where the first sentence of a text ends.
fn end_of(text: &str) -> usize {
    let mut is_stopped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\n' => return at,
            _ if c.is_whitespace() && (is_stopped || at >= LONGEST) => return at,
            '.' | '!' | '?' | '…' | '؟' | '۔' | '।' | '॥' | '։' | '።' => is_stopped = true,
            // No space is written behind these.
            '。' | '！' | '？' | '｡' => {
                let end = at + c.len_utf8();
                let is_closed = |c: char| matches!(c, '。' | '！' | '？' | '」' | '』' | '”' | '）' | '｣');
                return end + text[end..].len() - text[end..].trim_start_matches(is_closed).len();
            }
            _ if is_stopped && matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '*' | '_') => {}
            _ => is_stopped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_stops_and_lines() {
        let parts = |text: &'static str| sentences(text).map(|part| &text[part]).collect::<Vec<_>>();
        assert_eq!(
            parts("It fell 0.5% in lib.rs. \"Really?\" Yes!"),
            ["It fell 0.5% in lib.rs.", "\"Really?\"", "Yes!"]
        );
        assert_eq!(parts("# Head\n\n- one\r\n- two\n"), ["# Head", "- one", "- two"]);
        assert_eq!(parts("船は港です。「夜！」明日"), ["船は港です。", "「夜！」", "明日"]);
        assert_eq!(parts("نعم؟ لا"), ["نعم؟", "لا"]);
        assert_eq!(parts(" \n "), [""; 0]);
        let long = "word ".repeat(200);
        assert!(sentences(&long).all(|part| part.len() < LONGEST + 8));
    }

    #[test]
    fn the_sentence_with_the_most_words_is_found() {
        let text = "Marta has a dog. Marta feeds her dogs at noon.\nNobody likes C++.";
        let found = |query: &str| Plan::of(query, false).sentence_in(text).map(|span| &text[span]);
        assert_eq!(found("when are the dogs fed at noon"), Some("Marta feeds her dogs at noon."));
        assert_eq!(found("marta dog"), Some("Marta has a dog."), "the first of equals");
        assert_eq!(found("\"her dogs\" Marta"), Some("Marta feeds her dogs at noon."));
        assert_eq!(found("nob*"), Some("Nobody likes C++."));
        assert_eq!(found("++"), Some("Nobody likes C++."));
        assert_eq!(found("harbour"), None);
    }
}
