//! The checksum of a state file: the last key of its object, over all that is before it.
//!
//! ```text
//! {"v":1,"epoch":7,"journals":{},"check":"9f86d081884c7d65"}
//! ```
//!
//! A flipped bit in a number leaves valid JSON, and would let a dream skip a line or show it twice. A file without the
//! key was written by a person who meant it: it is taken as it is.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::base::digest::{Digest, Hasher};
use crate::base::error::{Error, Result, parse_json};

/// The key of the checksum.
pub(crate) const KEY: &str = "check";
/// The number of hexadecimal digits.
const DIGITS: usize = 16;
/// The file is not as it was written.
pub(crate) const BROKEN: &str = "its checksum does not fit, so it was damaged or edited since it was written: restore it, \
     or remove its key `check` to have it taken as it stands";

/// Prints an object as one line of JSON, with its checksum.
pub(crate) fn print(state: &impl Serialize) -> Vec<u8> {
    close(serde_json::to_vec(state).expect("maps with text keys print"))
}

/// Adds its checksum to a printed object.
pub(crate) fn close(mut bytes: Vec<u8>) -> Vec<u8> {
    let check = of(&bytes);
    bytes.pop();
    let comma = if bytes.len() > 1 { "," } else { "" };
    bytes.extend_from_slice(format!("{comma}\"{KEY}\":\"{check}\"}}\n").as_bytes());
    bytes
}

/// Parses a state file, where its checksum fits or there is none.
///
/// # Errors
///
/// [`Error::Corrupt`], which says what to do.
pub(crate) fn parse<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T> {
    parse_json(name, &opened(name, bytes)?)
}

/// Returns a file up to its checksum, without the brace that closes it; `None` where no checksum is there that fits.
pub(crate) fn sealed(bytes: &[u8]) -> Option<&[u8]> {
    let (body, check) = parts(bytes)?;
    (of_closed(body).as_bytes() == check).then_some(body)
}

/// Returns a file whose text was changed in place, with the checksum that fits now.
pub(crate) fn renewed(bytes: &[u8]) -> Vec<u8> {
    let Some((body, _)) = parts(bytes) else { return bytes.to_vec() };
    let check = of_closed(body);
    let mut renewed = bytes.trim_ascii_end().to_vec();
    let end = renewed.len() - 2;
    renewed[end - DIGITS..end].copy_from_slice(check.as_bytes());
    renewed.push(b'\n');
    renewed
}

/// Returns the checksum of bytes.
pub(crate) fn of(bytes: &[u8]) -> String {
    Digest::of(bytes).short(DIGITS)
}

/// Returns the checksum of a file without the brace that closes it.
fn of_closed(body: &[u8]) -> String {
    let mut hasher = Hasher::new();
    hasher.update(body);
    hasher.update(b"}");
    hasher.finish().short(DIGITS)
}

/// Returns the file as it was before its checksum was added.
pub(super) fn opened<'b>(name: &str, bytes: &'b [u8]) -> Result<Cow<'b, [u8]>> {
    let broken = || Error::Corrupt { name: name.to_owned(), line: 0, column: 0, what: BROKEN };
    // Some editors put a byte order mark in front.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some((body, check)) = parts(bytes) {
        let body = [body, b"}"].concat();
        return if of(&body).as_bytes() == check { Ok(Cow::Owned(body)) } else { Err(broken()) };
    }
    match parse_json::<Map<String, Value>>(name, bytes) {
        // It is there, and not where it was put.
        Ok(object) if object.contains_key(KEY) => Err(broken()),
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

/// Returns a file up to its checksum, without the brace that closes it, and the checksum.
fn parts(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let front = format!("\"{KEY}\":\"");
    let line = bytes.trim_ascii_end();
    let at = line.len().checked_sub(front.len() + DIGITS + 2)?;
    let (body, check) = line.split_at_checked(at)?;
    let check = check.strip_prefix(front.as_bytes())?.strip_suffix(b"\"}")?;
    Some((body.strip_suffix(b",").unwrap_or(body), check))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// BX-49
    #[test]
    fn what_was_printed_reads_back_and_no_flipped_bit_does() {
        for state in [json!({}), json!({"a": 1}), json!({"a": {"check": "0123456789abcdef"}, "b": ["é"]})] {
            let printed = print(&state);
            assert_eq!(parse::<Value>("x", &printed).unwrap(), state);
            assert_eq!(renewed(&printed), printed);
            let line = printed.len() - 1;
            for at in 0..line * 8 {
                let mut flipped = printed.clone();
                flipped[at / 8] ^= 1 << (at % 8);
                match parse::<Value>("x", &flipped) {
                    Err(Error::Corrupt { .. }) => {}
                    // The name of the key itself: all else stands as it was.
                    Ok(mut other) => {
                        let others = other.as_object_mut().unwrap();
                        others.retain(|key, _| state.get(key).is_some());
                        assert_eq!(other, state, "{}", String::from_utf8_lossy(&flipped));
                    }
                    Err(error) => panic!("{error:?}"),
                }
            }
        }
    }

    #[test]
    fn a_file_without_a_checksum_is_taken_as_it_stands_and_one_that_was_set_anew_is_not() {
        let text = br#"{"a": 1}"#;
        assert_eq!(parse::<Value>("x", text).unwrap(), json!({"a": 1}));
        let pretty = b"{\n  \"a\": 1,\n  \"check\": \"0123456789abcdef\"\n}\n";
        let error = parse::<Value>("state.json", pretty).unwrap_err().to_string();
        assert!(error.contains("state.json") && error.contains("remove its key `check`"), "{error}");
    }
}
