//! State files that a person may edit by hand, as far as they can be read.
//!
//! The first seed calls its three files in the root safe to edit. A comment, a comma too many or a value that makes no sense
//! costs that value, and no night.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// A state file, as far as it could be read.
#[derive(Debug)]
pub(crate) struct Taken<T> {
    /// The values that were read.
    pub(crate) state: T,
    /// The trace of a hand.
    pub(crate) edit: Edit,
}

/// The change that a hand, or a fault of the disk, made to a state file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// Nothing that needs a word.
    None,
    /// Every value could be read, and the checksum does not fit.
    Values,
    /// Not all of it could be read.
    Partly,
}

/// Returns JSON without what people add to it: comments, a comma behind the last entry, a byte order mark.
pub(crate) fn relaxed(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.trim_start_matches('\u{feff}');
    let mut plain = String::with_capacity(rest.len());
    while let Some(next) = rest.chars().next() {
        let taken = match next {
            '"' => string_len(rest),
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            _ => next.len_utf8(),
        };
        let (part, behind) = rest.split_at(taken);
        if matches!(next, '}' | ']') {
            let len = plain.trim_end().strip_suffix(',').map_or(plain.len(), str::len);
            plain.truncate(len);
        }
        if !matches!(next, '#' | '/') {
            plain.push_str(part);
        }
        rest = behind;
    }
    plain
}

/// Returns the length of a string of JSON at the beginning of a text, with its quotes.
fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Reads a type from a value, by the one way into it that its file goes too.
pub(crate) fn of_value<T: DeserializeOwned>(value: &Value) -> serde_json::Result<T> {
    serde_json::from_slice(&serde_json::to_vec(value)?)
}

/// Finds the value of a key in text that is no JSON as a whole. One at the very end may be torn, and is none.
pub(crate) fn salvaged(text: &str, key: &str) -> Option<Value> {
    let (_, behind) = text.split_once(&format!("\"{key}\""))?;
    let behind = behind.trim_start().strip_prefix(':')?;
    let mut values = serde_json::Deserializer::from_slice(behind.as_bytes()).into_iter::<Value>();
    let value = values.next()?.ok()?;
    (values.byte_offset() < behind.len()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comments_and_commas_go_and_strings_stay() {
        let text = "\u{feff}{ // mine, \"x\": 1\n \"a\": \"http://x/#1, ]\\\" // y\", /* no */ # none\n \"b\": [1, 2, /* 3 */ ],\n}";
        let value: Value = serde_json::from_str(&relaxed(text.as_bytes())).unwrap();
        assert_eq!(value, json!({"a": "http://x/#1, ]\" // y", "b": [1, 2]}));
        for torn in ["", "\"", "\"\\", "/", "/*", "[,", ",]", "é#"] {
            relaxed(torn.as_bytes());
        }
    }

    #[test]
    fn a_value_is_found_in_torn_text_unless_it_may_be_torn_itself() {
        let text = r#"{"a": 12, "b" : {"c": "d"}, "e": 45"#;
        assert_eq!(salvaged(text, "a"), Some(json!(12)));
        assert_eq!(salvaged(text, "b"), Some(json!({"c": "d"})));
        assert_eq!((salvaged(text, "e"), salvaged(text, "z")), (None, None));
    }
}
