//! Proofs of tokens by the structure that their makers gave them.

use serde_json::Value;

use super::base64::decode;
use super::chance::{both_cases, drawn_token, is_filler, repeats};

/// Returns whether it names the registry whose token it sets: `//host/:_authToken=`.
pub(crate) fn npmrc(text: &str) -> bool {
    text.strip_prefix("//")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()) && rest.contains("/:_"))
}

/// Returns whether `text` is a token of Square by its prefix alone, or is drawn behind letters that base64 may hold.
/// Base64 has many of them in a row where its bytes are zero.
pub(crate) fn square(text: &str) -> bool {
    text.starts_with("sq0") || drawn_token(text) && !repeats(text)
}

/// Returns whether it is more than prose about the prefix, and does not only show how tokens of Slack look.
pub(crate) fn slack(text: &str) -> bool {
    // Words with hyphens are prose about the prefix.
    let is_prose = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        && text.split('-').all(|word| word.len() < 16);
    !is_prose && !is_filler(text) && !is_place(text)
}

/// Returns whether words with hyphens stand for a token: `xoxb-YOUR-BOT-TOKEN`. Each is in capitals, in small letters or
/// capitalised, and one of them says so.
fn is_place(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "your",
        "token",
        "here",
        "example",
        "placeholder",
        "secret",
        "insert",
        "replace",
        "redacted",
        "dummy",
    ];
    let is_word = |piece: &str| {
        let rest = piece.get(1..).unwrap_or_default().as_bytes();
        piece.len() < 16
            && piece.bytes().all(|byte| byte.is_ascii_alphabetic())
            && (rest.iter().all(u8::is_ascii_lowercase)
                || !piece.bytes().any(|byte| byte.is_ascii_lowercase()))
    };
    text.split('-').all(is_word)
        && text.split('-').any(|piece| WORDS.iter().any(|word| piece.eq_ignore_ascii_case(word)))
}

/// Returns whether it is a token of an agent of ngrok: two ids, the first beginning with the time.
pub(crate) fn ngrok(text: &str) -> bool {
    text.starts_with(['1', '2', '3']) && both_cases(text)
}

/// Returns whether the first part is the header of a token, with its algorithm.
pub(crate) fn jwt(text: &str) -> bool {
    let header = text.split('.').next().and_then(decode).unwrap_or_default();
    serde_json::from_slice::<Value>(&header).is_ok_and(|header| header["alg"].is_string())
}

/// Returns whether the tail of a classic token of GitHub or npm is the CRC of its body, in base 62.
pub(crate) fn github(text: &str) -> bool {
    const SYMBOLS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some((body, tail)) =
        text.get(4..).filter(|rest| rest.len() == 36).and_then(|rest| rest.split_at_checked(30))
    else {
        return false;
    };
    let mut rest = crc32(body.as_bytes());
    tail.bytes().rev().all(|symbol| {
        let expected = SYMBOLS[usize::try_from(rest % 62).unwrap_or_default()];
        rest /= 62;
        symbol == expected
    })
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
    }
    !sum
}

/// Returns whether the fourth symbol is the digit that is before `Q~`.
pub(crate) fn azure_secret(text: &str) -> bool {
    text.as_bytes().get(3).is_some_and(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_of_a_token_of_github_proves_its_body() {
        let body = "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO";
        assert!(github(&format!("ghp_{body}0pINUx")));
        assert!(!github(&format!("ghp_{body}0pINUy")));
        assert!(!github(&format!("ghp_{body}")));
    }

    // A placeholder in capitals was taken for a token.
    #[test]
    fn words_that_stand_for_a_token_of_slack_are_none() {
        for place in
            ["xoxb-YOUR-BOT-TOKEN", "xoxb-Your-Token-Here", "xoxp-EXAMPLE-USER-TOKEN", "xoxb-your-TOKEN"]
        {
            assert!(!slack(place), "{place}");
        }
        for token in [
            "xoxb-123456789012-YOUR-TOKEN",
            "xoxb-AbCdEfGhIjKlMnOp",
            "xoxb-YOUR-TOKENQWERTYUIOPASDF",
            "xoxb-QWERTY-ASDFGHJK",
            "xoxb-YOUR-aBcDeFgH",
            "xoxp-1-TOKEN-abcdefgh",
        ] {
            assert!(slack(token), "{token}");
        }
    }

    #[test]
    fn a_token_shows_a_header_with_an_algorithm() {
        assert!(jwt("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.x"));
        assert!(!jwt("eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiIxIn0.x"));
        assert!(!jwt("eyJAAAA.eyJBBB"));
    }
}
