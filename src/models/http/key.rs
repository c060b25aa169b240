//! A key, and what is shown of a server's words.

use std::sync::Arc;

use ureq::http::HeaderValue;

use crate::error::{Error, Result};
use crate::gate::{Allow, Gate, Masks, SecretGate};
use crate::text;

/// How many characters in a row of a key are a part of it, and no chance.
const PART: usize = 8;

/// What stands where a key was.
const MASK: &str = "[key]";

/// The most characters that are shown of what a server says.
const SHOWN: usize = 300;

/// A key of an endpoint. It has no `Debug`, so that nothing prints it.
#[derive(Clone)]
pub(super) struct Key {
    value: String,
    header: HeaderValue,
}

impl Key {
    pub(super) fn parse(key: &str) -> Result<Self> {
        let rule = |rule| Error::Config { setting: "key", rule };
        let value = key.trim();
        if value.is_empty() {
            return Err(rule("must not be empty"));
        }
        if !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(rule("must be of visible ASCII characters, without spaces"));
        }
        let mut header: HeaderValue =
            format!("Bearer {value}").parse().expect("visible ASCII stands in a header");
        header.set_sensitive(true);
        Ok(Self { value: value.to_owned(), header })
    }

    pub(super) fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// Masks the key and every part of it that is long enough to tell, in any case: a server may show the half of it,
    /// or escape what stands between two parts.
    fn mask(&self, text: &str) -> String {
        let part = self.value.len().min(PART);
        let key = self.value.to_ascii_lowercase();
        let folded = text.to_ascii_lowercase();
        let mut is_key = vec![false; text.len()];
        for (at, window) in folded.as_bytes().windows(part).enumerate() {
            if key.as_bytes().windows(part).any(|of_key| of_key == window) {
                is_key[at..at + part].fill(true);
            }
        }
        let mut masked = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            if !is_key[at] {
                masked.push(c);
            } else if at == 0 || !is_key[at - 1] {
                masked.push_str(MASK);
            }
        }
        masked
    }
}

/// The first words of a text that a server sent, on one line: without the key, without what the gate knows as a secret,
/// and without what moves a terminal's cursor.
pub(super) fn excerpt(text: &str, key: Option<&Key>) -> String {
    let plain: String = text
        .chars()
        .filter(|c| !text::is_invisible(*c))
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = key.map_or_else(|| line.clone(), |key| key.mask(&line));
    let gate = Gate::new(Arc::new(SecretGate::new()), Allow::none());
    let masked = gate.mask(&line, &mut Masks::default());
    match masked.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &masked[..end]),
        None => masked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = "zt-9f3Kq/Lw81+bPx27-VYn0";

    fn shown(text: &str) -> String {
        excerpt(text, Some(&Key::parse(VALUE).unwrap()))
    }

    #[test]
    fn a_key_is_masked_whole_in_parts_and_in_any_case() {
        assert_eq!(shown(&format!("no such key: {VALUE}.")), "no such key: [key].");
        assert_eq!(shown(&format!("{VALUE}{VALUE} {VALUE}")), "[key] [key]");
        assert_eq!(shown(&VALUE.to_uppercase()), "[key]");
        assert_eq!(shown("it ends in 27-VYn0, and in 7-VYn0"), "it ends in 27-VYn0, and in 7-VYn0");
        assert_eq!(shown("it ends in x27-VYn0"), "it ends in [key]");
        assert_eq!(shown("ends 9f3Kq%2FLw81%2BbPx27-VYn0 here é"), "ends 9f3Kq%2FLw81%2B[key] here é");
    }

    #[test]
    fn a_short_key_is_masked_whole() {
        let key = Key::parse(" EMPTY\n").unwrap();
        assert_eq!(excerpt("the key EMPTY is empt", Some(&key)), "the key [key] is empt");
    }

    #[test]
    fn what_the_gate_knows_is_masked_and_no_text_moves_the_cursor() {
        let text = "\u{1b}[2J<b>AKIA\u{200b}IOSFODNN7EXAMPLE</b>\r\n\t\u{202e}said\u{7}";
        assert_eq!(excerpt(text, None), "[2J<b>[REDACTED:aws_access_key#1]</b> said");
    }

    #[test]
    fn little_is_shown_and_what_was_masked_is_not_cut_open() {
        assert_eq!(shown(&"é ".repeat(400)).chars().count(), SHOWN + 1);
        let text = format!("{} {VALUE}", "a".repeat(SHOWN - 12));
        assert!(shown(&text).ends_with("a [key]"), "{}", shown(&text));
    }

    #[test]
    fn what_cannot_stand_in_a_header_is_no_key() {
        for key in ["", " \n", "two words", "line\nbreak", "schlüssel", "nul\0"] {
            assert!(matches!(Key::parse(key), Err(Error::Config { setting: "key", .. })), "{key:?}");
        }
        assert!(Key::parse(VALUE).unwrap().header().is_sensitive());
    }
}
