//! How a text names an entity.

use crate::edges::{EdgeExtractor, is_asked};

/// Returns whether a text names the entity of some keys: by one of them, or by an edge.
pub(super) fn names(extractor: Option<&dyn EdgeExtractor>, text: &str, keys: &[String]) -> bool {
    keys.iter().any(|key| !key.is_empty() && written(text, key).is_some())
        || extractor
            .is_some_and(|found| found.edges(text).iter().any(|edge| is_asked(&edge.entity.key, keys)))
}

/// Returns how a text writes a key, as a word of its own; case does not count.
pub(super) fn written<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if !before.is_alphanumeric()
            && let Some(len) = begins_with(&text[at..], key)
        {
            return Some(&text[at..at + len]);
        }
        before = c;
    }
    None
}

/// Returns how long a key is at the beginning of a text.
fn begins_with(text: &str, key: &str) -> Option<usize> {
    let mut rest = text.char_indices();
    for wanted in key.chars() {
        let (_, c) = rest.next()?;
        if c != wanted && !c.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    let next = rest.next();
    let is_end = next.is_none_or(|(_, c)| !c.is_alphanumeric());
    is_end.then(|| next.map_or(text.len(), |(at, _)| at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_as_it_is_written() {
        assert_eq!(written("the boat of MARTA.", "marta"), Some("MARTA"));
        assert_eq!(written("Martas boat, and Marta", "marta"), Some("Marta"));
        assert_eq!(written("élodie and Élodie2 Élodie", "élodie"), Some("élodie"));
        assert_eq!(written("nobody", "marta"), None);
        assert_eq!(written("", ""), None);
    }
}
