//! Bytes that are in texts as base64, lifted out into files.

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL, BASE64URL_NOPAD, Encoding};

use chrono::{DateTime, Utc};

use crate::base::access::Access;
use crate::base::debug::debug_as;
use crate::base::error::Result;
use crate::upload::{FileStore, NewFile, StoredFile, extension_for};

/// A text without the bytes that was in it.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lifted {
    /// The text, with a key in the place of each.
    pub text: String,
    /// The files that were kept, in the order of their keys in the text.
    pub files: Vec<StoredFile>,
}

debug_as!(Lifted, |it| "Lifted {{ bytes: {}, files: {} }}", it.text.len(), it.files.len());

/// Lifts bytes out of a stored text, such as a transcript, into files. These are `data:` addresses, and long runs of
/// base64 that begin like a file of a known kind. A key is in the place of each. All other text stays, byte for byte.
///
/// ```
/// use chrono::Utc;
/// use noctuary::files::{FileStore, LocalFileStore, lift_inline};
/// use noctuary::{Access, Scope};
///
/// let folder = tempfile::tempdir()?;
/// let store = LocalFileStore::open(folder.path(), Scope::user("marta"))?;
/// let marta = Access::human(Scope::user("marta"));
/// let lifted = lift_inline(&store, &marta, "see ![plan](data:image/png;base64,iVBORw0KGgo=)", Utc::now())?;
/// assert_eq!(lifted.text, format!("see ![plan]({})", lifted.files[0].key));
/// assert_eq!(store.read(&marta, &lifted.files[0].key, 0..9)?, b"\x89PNG\r\n\x1a\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The errors of [`FileStore::put`]. Files that were kept before one stay.
pub fn lift_inline(store: &dyn FileStore, access: &Access, text: &str, now: DateTime<Utc>) -> Result<Lifted> {
    let mut lifted = Lifted { text: String::new(), files: Vec::new() };
    let mut rest = text;
    while let Some(found) = next(rest) {
        let stored = store.put(access, &NewFile::new(found.extension), &mut &*found.bytes, now)?;
        lifted.text += &rest[..found.from];
        lifted.text += stored.key.as_str();
        lifted.files.push(stored);
        rest = &rest[found.to..];
    }
    lifted.text += rest;
    Ok(lifted)
}

/// Bytes in a text.
struct Found {
    from: usize,
    to: usize,
    extension: &'static str,
    bytes: Vec<u8>,
}

/// A run without an address is no shorter: words and hashes are.
const SHORTEST: usize = 256;
/// The sign before the base64 of an address.
const MARK: &str = ";base64,";

/// Returns the first bytes of a text.
fn next(text: &str) -> Option<Found> {
    let mut at = 0;
    while let Some(found) = run(text, at) {
        let (from, to) = found;
        at = to;
        if let Some(address) = address(text, from)
            && let Some(bytes) = decoded(&text[from..to])
        {
            let kind = text[address..from].strip_suffix(MARK).unwrap_or_default();
            let extension = extension_for(kind.get("data:".len()..).unwrap_or_default());
            return Some(Found { from: address, to, extension, bytes });
        }
        if to - from >= SHORTEST
            && let Some(extension) = beginning(&text[from..to])
            && let Some(bytes) = decoded(&text[from..to])
        {
            return Some(Found { from, to, extension, bytes });
        }
    }
    None
}

/// Returns the next run of base64. Line ends inside of one that is wrapped belong to it.
fn run(text: &str, at: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let is_of = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let from = at + bytes.get(at..)?.iter().position(is_of)?;
    let mut to = from;
    let mut line = from;
    loop {
        to += bytes[to..].iter().position(|byte| !is_of(byte)).unwrap_or(bytes.len() - to);
        let end = bytes[to..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        // Lines of the usual lengths are wrapped; a shorter one is the last.
        let is_wrapped = [60, 64, 70, 72, 76].contains(&(to - line)) && (1..=2).contains(&end);
        if !is_wrapped || !bytes.get(to + end).is_some_and(is_of) {
            break;
        }
        (to, line) = (to + end, to + end);
    }
    to += bytes[to..].iter().take(2).take_while(|byte| **byte == b'=').count();
    Some((from, to))
}

/// Returns where the address begins whose base64 begins here.
fn address(text: &str, from: usize) -> Option<usize> {
    let before = text[..from].strip_suffix(MARK)?;
    let at = before.len() - before.bytes().rev().take(256).position(|byte| byte == b':')? - 1;
    let kind = &before[at + 1..];
    let is_kind = kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/.+-;=_".contains(&byte));
    let start = at.checked_sub("data".len())?;
    (is_kind && text.get(start..at)?.eq_ignore_ascii_case("data")).then_some(start)
}

/// Returns the extension of what a run begins like.
fn beginning(run: &str) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 9] = [
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"\xff\xd8\xff", "jpg"),
        (b"GIF8", "gif"),
        (b"RIFF", "webp"),
        (b"%PDF-", "pdf"),
        (b"PK\x03\x04", "zip"),
        (b"OggS", "ogg"),
        (b"ID3", "mp3"),
        (b"\x1aE\xdf\xa3", "webm"),
    ];
    let head = decoded(run.get(..16)?)?;
    let (_, extension) = KINDS.into_iter().find(|(mark, _)| head.starts_with(mark))?;
    match extension {
        "webp" => {
            let head = decoded(run.get(..16)?)?;
            match head.get(8..12) {
                Some(b"WEBP") => Some("webp"),
                Some(b"WAVE") => Some("wav"),
                _ => None,
            }
        }
        other => Some(other),
    }
}

/// Reads base64 of any kind; `None` for what is none.
pub(super) fn decoded(text: &str) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let is_of_addresses = bytes.iter().any(|byte| matches!(byte, b'-' | b'_'));
    let is_padded = bytes.last() == Some(&b'=');
    let encoding: Encoding = match (is_of_addresses, is_padded) {
        (false, true) => BASE64,
        (false, false) => BASE64_NOPAD,
        (true, true) => BASE64URL,
        (true, false) => BASE64URL_NOPAD,
    };
    encoding.decode(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, &'static str, Vec<u8>)> {
        let (mut all, mut rest) = (Vec::new(), text);
        while let Some(found) = next(rest) {
            all.push((rest[found.from..found.to].to_owned(), found.extension, found.bytes));
            rest = &rest[found.to..];
        }
        all
    }

    #[test]
    fn addresses_and_runs_of_known_kinds_are_found_and_nothing_else() {
        let png = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 400]].concat();
        let run = BASE64.encode(&png);
        let wrapped: Vec<&str> =
            run.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
        for text in [run.clone(), wrapped.join("\n"), wrapped.join("\r\n"), BASE64URL_NOPAD.encode(&png)] {
            for around in [["", ""], ["see ", "."], ["{\"data\": \"", "\"}"], ["(", ") and more\n"]] {
                let found = found(&format!("{}{text}{}", around[0], around[1]));
                assert_eq!(found, [(text.clone(), "png", png.clone())], "{around:?}");
            }
        }
        let address = format!("DATA:image/svg+xml;charset=utf-8;base64,{}", BASE64.encode(b"<svg/>"));
        let twice = found(&format!("a {address} b {address}"));
        assert_eq!(twice, vec![(address, "svg", b"<svg/>".to_vec()); 2]);
        let prose =
            "word ".repeat(500) + &"a1".repeat(500) + " data:text/plain,hello ;base64,aGk= x:;base64,aGk=";
        let hash = hex::encode(&png);
        for nothing in [&*prose, &hash, "", "data:image/png;base64,", "data:image/png;base64,!!", &run[..200]]
        {
            assert!(found(nothing).is_empty(), "{nothing:.40}");
        }
    }
}
