//! The key of a file: `chat/files/<user>/<time>-<id>.<extension>`.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::digest::Digest;
use crate::base::error::{Error, Result};

/// The front of every key. (seed 000, file store)
const FRONT: &str = "chat/files/";

/// The key of a file that somebody handed over: `chat/files/marta/1795230000000-3f9b95c40c6126e13f9b95c40c6126e1.pdf`.
///
/// Keys sort by the time of the upload. A key is a stable reference and no secret: a host that serves files checks the
/// session.
///
/// ```
/// use noctuary::files::FileKey;
///
/// let text = "chat/files/marta/1795230000000-3f9b95c40c6126e13f9b95c40c6126e1.pdf";
/// let key = FileKey::parse(text)?;
/// assert_eq!((key.to_string().as_str(), key.extension()), (text, "pdf"));
/// assert!(FileKey::parse("chat/files/../../etc/passwd").is_err());
/// # Ok::<(), noctuary::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct FileKey(String);

impl FileKey {
    /// Makes the key of a new file. An extension that is none becomes `bin`.
    pub(crate) fn new(user: &str, now: DateTime<Utc>, token: &str, extension: &str) -> Self {
        let millis = now.timestamp_millis().max(0);
        Self(format!("{FRONT}{}/{millis:013}-{token}.{}", folder_of(user), extension_of(extension)))
    }

    /// Makes a key of a folder and the name in it; `None` where it is none.
    pub(crate) fn within(folder: &str, file: &str) -> Option<Self> {
        Self::parse(format!("{FRONT}{folder}/{file}")).ok()
    }

    /// Reads a key.
    ///
    /// # Errors
    ///
    /// [`Error::Config`] for what is none.
    pub fn parse(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        if is_key(&text) {
            return Ok(Self(text));
        }
        Err(Error::Config { setting: "key", rule: "must be `chat/files/<user>/<time>-<id>.<extension>`" })
    }

    /// Returns the key as it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the extension: small letters and digits.
    #[must_use]
    pub fn extension(&self) -> &str {
        self.0.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// Returns the folder of the user, and the name in it.
    pub(crate) fn parts(&self) -> (&str, &str) {
        self.0[FRONT.len()..].split_once('/').unwrap_or_default()
    }

    /// Returns when it was handed over.
    #[must_use]
    pub fn at(&self) -> Option<DateTime<Utc>> {
        let (millis, _) = self.parts().1.split_once('-')?;
        DateTime::from_timestamp_millis(millis.parse().ok()?)
    }
}

impl fmt::Display for FileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for FileKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// Returns the folder of a user: the name if it is plain, else `~` and a hash of it. No two users share one.
pub(crate) fn folder_of(user: &str) -> String {
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
    if (1..=64).contains(&user.len()) && user.bytes().all(is_plain) && !is_reserved(user) {
        return user.to_owned();
    }
    format!("~{}", Digest::of(user.as_bytes()).short(32))
}

/// Returns whether some system gives the name to a device.
fn is_reserved(name: &str) -> bool {
    ["con", "prn", "aux", "nul"].contains(&name)
        || ["com", "lpt"].iter().any(|port| name.strip_prefix(port).is_some_and(|rest| rest.len() == 1))
}

/// Returns an extension as a key has it.
fn extension_of(extension: &str) -> String {
    let plain = extension.trim_start_matches('.').to_ascii_lowercase();
    if is_extension(&plain) { plain } else { "bin".to_owned() }
}

fn is_extension(text: &str) -> bool {
    (1..=10).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

fn is_key(text: &str) -> bool {
    let parts = text.strip_prefix(FRONT).and_then(|rest| rest.split_once('/'));
    let Some((user, file)) = parts else { return false };
    let hashed = user.strip_prefix('~').is_some_and(|hash| hash.len() == 32 && is_hex(hash));
    let Some((stem, extension)) = file.split_once('.') else { return false };
    let Some((millis, token)) = stem.split_once('-') else { return false };
    (hashed || folder_of(user) == user)
        && (13..=15).contains(&millis.len())
        && millis.bytes().all(|byte| byte.is_ascii_digit())
        && token.len() == 32
        && is_hex(token)
        && is_extension(extension)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    const TOKEN: &str = "3f9b95c40c6126e13f9b95c40c6126e1";

    #[test]
    fn hostile_users_and_extensions_stay_in_their_folder_and_apart() {
        let now = Utc.timestamp_millis_opt(1_795_230_000_000).unwrap();
        let mut seen = std::collections::BTreeSet::new();
        let users = [
            "marta",
            "Marta",
            "MARTA",
            "../marta",
            "a/b",
            "a_b",
            "a\\b",
            "",
            ".",
            "..",
            "con",
            "com1",
            "~x",
            "m\0x",
            "é",
            "e\u{301}",
            "日本",
            " marta",
            "marta ",
            "-",
            "%2e%2e",
            "<script>",
            "x\u{202e}y",
        ];
        for user in users {
            for extension in [
                "pdf",
                ".PDF",
                "tar.gz",
                "",
                "../sh",
                "html\0",
                "svg onload=x",
                "é",
                "exe ",
                "averyverylongone",
                "😀",
            ] {
                let key = FileKey::new(user, now, TOKEN, extension);
                assert_eq!(FileKey::parse(key.as_str()).unwrap(), key, "{user:?} {extension:?}");
                assert_eq!(key.as_str().matches('/').count(), 3);
                assert_eq!(key.at(), Some(now));
            }
            assert!(seen.insert(folder_of(user)), "{user:?} shares a folder");
        }
        assert!(seen.contains("marta"));
        for bad in [
            "",
            "chat/files/",
            "chat/files/marta/x.pdf",
            "/chat/files/marta/1-2.pdf",
            "chat/files/marta/1795230000000-3f9b95c40c6126e13f9b95c40c6126e1",
            "chat/files/marta/../1795230000000-3f9b95c40c6126e13f9b95c40c6126e1.pdf",
            "chat/files/Marta/1795230000000-3f9b95c40c6126e13f9b95c40c6126e1.pdf",
            "chat/files/marta/1795230000000-3F9b95c40c6126e13f9b95c40c6126e1.pdf",
            "chat/files/marta/1795230000000-3f9b95c40c6126e13f9b95c40c6126e1.p.df",
        ] {
            assert!(FileKey::parse(bad).is_err(), "{bad}");
        }
    }
}
