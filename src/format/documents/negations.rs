//! The words that negate, a line a language.

use crate::base::list::List;

/// Returns whether a word negates, as [`words`](crate::base::text::words) has it.
pub(crate) fn negates(word: &str) -> bool {
    static WORDS: List = List::new(include_str!("negations.tsv"));
    word.ends_with("n't") || WORDS.has(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text;

    #[test]
    fn each_word_of_the_list_is_found_as_a_text_has_it() {
        for (language, words) in
            include_str!("negations.tsv").lines().filter_map(|line| line.split_once('\t'))
        {
            for word in words.split(' ') {
                let found: Vec<String> = text::words(&word.to_uppercase()).collect();
                assert!(matches!(&found[..], [found] if negates(found)), "{language}: {word} {found:?}");
            }
        }
        assert!(["isn't", "couldn't"].into_iter().all(negates));
        assert!(!["de", "note", "mai"].into_iter().any(negates));
    }
}
