//! A key, and what is shown of a server's words.

use std::ops::Range;
use std::sync::Arc;

use noctuary_gate::SecretGate;
use ureq::http::HeaderValue;

use crate::base::error::{Error, Result};
use crate::base::order;
use crate::base::spread::Spread;
use crate::base::text;
use crate::gate::{Allow, Gate, Masks};

/// The number of characters in a row that identify a part of a key, and are no chance.
const PART: usize = 8;

/// The text that replaces a key.
const MASK: &str = "[key]";

/// The most characters that are shown of what a server says.
const SHOWN: usize = 300;

/// A key of an endpoint. It has no `Debug`, so that nothing prints it.
#[derive(Clone)]
pub(super) struct Key {
    value: String,
    /// Its letters and digits, as they are and as servers encode them.
    forms: Vec<String>,
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
        let bytes = value.as_bytes();
        let mut forms = vec![value.to_owned(), hex::encode(bytes)];
        // The text before it decides between three cases.
        forms.extend((0..bytes.len().min(3)).map(|from| base64(&bytes[from..])));
        for form in &mut forms {
            form.retain(|c| c.is_ascii_alphanumeric());
            form.make_ascii_lowercase();
        }
        order::retain(&mut forms, |form| form.len() >= PART);
        Ok(Self { value: value.to_owned(), forms, header })
    }

    pub(super) fn header(&self) -> HeaderValue {
        self.header.clone()
    }

    /// Masks the key and every part of it that is long enough to betray it. Case, encoding, and signs between its
    /// letters make no difference. A server may show half of it, break it into lines, or escape a sign of it.
    fn mask(&self, text: &str) -> String {
        let mut is_key = vec![false; text.len()];
        let whole: Vec<_> =
            text.bytes().enumerate().map(|(at, byte)| (byte.to_ascii_lowercase(), at..at + 1)).collect();
        let value = self.value.to_ascii_lowercase();
        mark(&mut is_key, &whole, value.as_bytes());
        let plain = plain(text);
        for form in &self.forms {
            mark(&mut is_key, &plain, form.as_bytes());
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

/// Marks the places of parts of a key in a text. The text is given as `read`: each byte as it is read, and
/// its range.
fn mark(is_key: &mut [bool], read: &[(u8, Range<usize>)], key: &[u8]) {
    let part = key.len().min(PART);
    for window in read.windows(part) {
        let is_part = |of_key: &[u8]| window.iter().map(|(byte, _)| byte).eq(of_key);
        if key.windows(part).any(is_part) {
            is_key[window[0].1.start..window[part - 1].1.end].fill(true);
        }
    }
}

/// Returns the letters and digits of a text in lower case, escapes read, and where they are.
fn plain(text: &str) -> Vec<(u8, Range<usize>)> {
    let mut read = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let (c, end) = escaped(&text[at..]).map_or((first, at + first.len_utf8()), |(c, len)| (c, at + len));
        if c.is_ascii_alphanumeric() {
            read.push((c.to_ascii_lowercase() as u8, at..end));
        }
        at = end;
    }
    read
}

/// Returns the character that a text begins with as an escape of URLs, JSON or HTML, and how long that is.
fn escaped(text: &str) -> Option<(char, usize)> {
    let coded = |begin: usize, end: Option<usize>, radix| {
        let digits = text.get(begin..end?)?;
        Some((char::from_u32(u32::from_str_radix(digits, radix).ok()?)?, end?))
    };
    let html = |begin, radix| coded(begin, text.find(';'), radix).map(|(c, end)| (c, end + 1));
    match text.as_bytes() {
        [b'%', ..] => coded(1, Some(3), 16),
        [b'\\', b'u', ..] => coded(2, Some(6), 16),
        [b'&', b'#', b'x' | b'X', ..] => html(3, 16),
        [b'&', b'#', ..] => html(2, 10),
        _ => None,
    }
}

/// Returns the whole groups of a text in Base64.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let bits = three.iter().fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        [18, 12, 6, 0].map(|shift| char::from(SIGNS[bits >> shift & 63]))
    };
    bytes.chunks_exact(3).spread(group).collect()
}

/// Returns the first words of a text from a server, on one line. The key, secrets that the gate knows, and
/// characters that move a terminal's cursor are removed.
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
        assert_eq!(shown("ends 9f3Kq%2FLw81%2BbPx27-VYn0 here é"), "ends [key] here é");
    }

    #[test]
    fn a_key_is_masked_however_a_server_writes_it() {
        for written in [
            "zt%2D9f3Kq%2flw81%2BbPx27%2DVYn0",
            "zt-9f3K\\u0071\\/Lw81\\u002bbPx27-VYn0",
            "zt-9f3Kq&#x2F;Lw81&#43;bPx&#x32;7-VYn0",
            "zt-9f\n3Kq/L\nw81+b\nPx27-\nVYn0",
            "z\u{200b}t-9f3K é q/Lw81+bPx27-VYn0",
            "7a742d3966334b712f4c7738312b62507832372d56596e30",
            "enQtOWYzS3EvTHc4MStiUHgyNy1WWW4w",
        ] {
            let told = shown(&format!("no such key: {written}!"));
            let left = told.strip_prefix("no such key: ").unwrap().replace(MASK, "");
            assert!(left.len() < PART, "{written}: {told}");
        }
        for before in ["", "a", "ab"] {
            let told = shown(&base64(format!("{before}{VALUE}!!").as_bytes()));
            assert!(told.split(MASK).count() > 1 && told.split(MASK).all(|left| left.len() < PART), "{told}");
        }
        for text in ["100%", "%zz", "%é", "&#;", "&#x110000;", "\\u00", "a&#x2", "50 % of the keys"] {
            assert_eq!(shown(text), text);
        }
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
