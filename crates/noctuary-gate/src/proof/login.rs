//! Proofs of passwords: whether one is there, and not the place or the word for one.

use super::base64::decode;
use super::chance::distinct;

/// Returns whether a password is there, and not the place for one.
fn no_placeholder(text: &str) -> bool {
    let is_place =
        text.starts_with(['$', '{', '<', '%', '*', '[', '(']) || text.contains("${") || text.contains("...");
    !is_place && distinct(text) >= 2
}

/// Returns whether a password is there that is not just the word for one.
pub(crate) fn password(text: &str) -> bool {
    const WORDS: [&str; 9] =
        ["password", "passwd", "pass", "token", "secret", "test", "changeme", "passphrase", "apikey"];
    no_placeholder(text) && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Returns whether a password is in a URL that is no word which manuals write there: `user:password@host`,
/// `guest:guest@host`.
pub(crate) fn url_password(text: &str) -> bool {
    const WORDS: [&str; 17] = [
        "pwd", "pw", "abc", "xyz", "123", "1234", "12345", "foo", "bar", "user", "username", "example",
        "key", "apitoken", "hidden", "none", "guest",
    ];
    let small = text.to_ascii_lowercase();
    password(&small)
        && !WORDS.contains(&small.trim_end_matches(|c: char| c.is_ascii_digit()))
        && !WORDS.contains(&&*small)
}

/// Returns whether `text` is base64 of a name, a colon and a password. A word such as `demotion2746` may be base64 of
/// something, but has another length, or letters of one case only.
pub(crate) fn basic_auth(text: &str) -> bool {
    let is_code = text.len().is_multiple_of(4)
        && text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_lowercase());
    is_code
        && decode(text).and_then(|bytes| String::from_utf8(bytes).ok()).is_some_and(|login| {
            let name = login.split_once(':').map_or("", |(name, _)| name);
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
                && !login.contains(char::is_control)
        })
}
