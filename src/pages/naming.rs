//! How a text names an entity.

use unicode_normalization::char::is_combining_mark;

use crate::base::text;
use crate::edges::{EdgeExtractor, is_asked};

/// Returns whether a text names the entity of some keys: by one of them, or by an edge.
pub(super) fn names(extractor: Option<&dyn EdgeExtractor>, text: &str, keys: &[String]) -> bool {
    keys.iter().any(|key| !key.is_empty() && written(text, key).is_some())
        || extractor
            .is_some_and(|found| found.edges(text).iter().any(|edge| is_asked(&edge.entity.key, keys)))
}

/// Returns how a text writes a key, as words of its own, in whatever case and composition.
pub(super) fn written<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let key = text::same_name(key);
    if key.is_empty() || !text::same_name(text).contains(&key) {
        return None;
    }
    let is_inside = |c: char| c.is_alphanumeric() || is_combining_mark(c);
    let mut before = ' ';
    for (start, c) in text.char_indices() {
        if !is_inside(before) && !c.is_whitespace() {
            let mut rest = text[start..].char_indices().skip(1).chain([(text.len() - start, ' ')]).peekable();
            // No letter is more than four in its compatible form, and few have marks.
            while let Some((len, next)) = rest.next_if(|(len, _)| *len <= MOST_TIMES * key.len()) {
                if !is_inside(next) && text::same_name(&text[start..start + len]) == key {
                    return Some(&text[start..start + len]);
                }
            }
        }
        before = c;
    }
    None
}

/// Maximum number of times that a name in a text is longer than its key.
const MOST_TIMES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_as_it_is_written() {
        assert_eq!(written("the boat of MARTA.", "marta"), Some("MARTA"));
        assert_eq!(written("Martas boat, and Marta", "marta"), Some("Marta"));
        assert_eq!(written("élodie and Élodie2 Élodie", "élodie"), Some("élodie"));
        assert_eq!(written("of U\u{308}nal.", "ünal"), Some("U\u{308}nal"));
        assert_eq!(written("JAN  Kowalski!", "jan kowalski"), Some("JAN  Kowalski"));
        assert_eq!(written("Uma", "um"), None);
        assert_eq!(written("nobody", "marta"), None);
        assert_eq!(written("", ""), None);
    }
}
