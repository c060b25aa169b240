//! Texts in portions that a server takes.

use std::num::NonZeroUsize;

/// The size of one request, in texts and in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Batches {
    pub(super) texts: NonZeroUsize,
    pub(super) chars: usize,
    /// Maximum characters of a text that are sent, from its beginning.
    pub(super) chars_of_text: usize,
}

impl Batches {
    /// Splits texts, in their order. A text that is larger than a request alone is a request of its own.
    pub(super) fn split<'a>(&self, texts: &[&'a str]) -> Vec<Vec<&'a str>> {
        let mut batches: Vec<Vec<&str>> = Vec::new();
        let mut chars = 0;
        for text in texts {
            let text = start(text, self.chars_of_text);
            let len = text.chars().count();
            let batch = batches
                .last_mut()
                .filter(|batch| batch.len() < self.texts.get() && chars + len <= self.chars);
            if let Some(batch) = batch {
                batch.push(text);
                chars += len;
            } else {
                batches.push(vec![text]);
                chars = len;
            }
        }
        batches
    }
}

/// Returns the first characters of a text.
fn start(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split<'a>(texts: usize, chars: usize, of: &[&'a str]) -> Vec<Vec<&'a str>> {
        let texts = NonZeroUsize::new(texts).unwrap();
        Batches { texts, chars, chars_of_text: 5 }.split(of)
    }

    #[test]
    fn a_request_is_bounded_in_texts_and_in_characters() {
        assert_eq!(split(2, 99, &["a", "b", "c"]), [vec!["a", "b"], vec!["c"]]);
        assert_eq!(
            split(9, 4, &["aa", "bb", "c", "ddd", "e"]),
            [vec!["aa", "bb"], vec!["c", "ddd"], vec!["e"]]
        );
        assert_eq!(split(9, 0, &["aa", "bb"]), [["aa"], ["bb"]], "a text is never split");
        assert_eq!(split(9, 4, &["éé", "éé"]), [["éé", "éé"]], "characters, not bytes");
        assert!(split(9, 9, &[]).is_empty());
    }

    #[test]
    fn the_start_of_a_long_text_is_sent() {
        assert_eq!(split(9, 99, &["éééééé", "12345", ""]), [["ééééé", "12345", ""]]);
    }
}
