//! What a match can prove of itself, beside the checksums of wallets.

use serde_json::Value;

/// Whether `text` looks drawn by chance: digits among letters, many symbols, and no run of one.
pub(super) fn by_chance(text: &str) -> bool {
    let symbols = distinct(text);
    let mixed =
        text.bytes().any(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte.is_ascii_alphabetic());
    mixed && symbols >= (text.len() / 3).clamp(5, 8) && !repeats(text)
}

/// Whether one symbol follows itself four times.
fn repeats(text: &str) -> bool {
    text.as_bytes().windows(5).any(|five| five.iter().all(|byte| *byte == five[0]))
}

/// Whether `text` holds digits among letters, and is no run of a few symbols.
pub(super) fn mixed(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && distinct(text) >= 6
}

/// Whether `text` holds digits and letters of both cases.
pub(super) fn both_cases(text: &str) -> bool {
    mixed(text)
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
        && text.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Whether it names the registry whose token it sets: `//host/:_authToken=`.
pub(super) fn npmrc(text: &str) -> bool {
    text.strip_prefix("//")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()) && rest.contains("/:_"))
}

/// Whether `text` looks drawn by chance, and is no row of words with numbers between them: a name such as `demotion2746`, or
/// the title of a page.
pub(super) fn drawn(text: &str) -> bool {
    (by_chance(text) || is_scrambled(text)) && !is_worded(text)
}

/// Whether letters of both cases take turns, without a digit among them.
fn is_scrambled(text: &str) -> bool {
    let turns = |two: &&[u8]| two[0].is_ascii_lowercase() != two[1].is_ascii_lowercase();
    text.len() >= 16
        && text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && text.as_bytes().windows(2).filter(turns).count() * 3 >= text.len()
}

/// Whether it is a token of Square by its prefix alone, or drawn behind letters that base64 may hold, which has many of
/// them in a row where its bytes are zero.
pub(super) fn square(text: &str) -> bool {
    text.starts_with("sq0") || drawn_token(text) && !repeats(text)
}

/// Whether a secret is drawn, however few letters it has: some letters or digits follow each other out of order.
pub(super) fn drawn_token(text: &str) -> bool {
    both_cases(text) && !is_worded(text)
}

/// Whether a word is in `text`, and each piece of it is a number, or reads as a word, with a number before or after.
pub(super) fn is_worded(text: &str) -> bool {
    let mut letters = text.split(|c: char| !c.is_ascii_alphabetic());
    let mut pieces = text.split(|c: char| !c.is_ascii_alphanumeric());
    letters.any(|letters| letters.len() >= LEAST_WORD)
        && pieces.all(|piece| {
            let bytes = piece.as_bytes();
            let turns =
                bytes.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
            turns <= 2 && piece.split(|c: char| c.is_ascii_digit()).all(reads_as_word)
        })
}

/// So many letters has a word that tells.
const LEAST_WORD: usize = 5;

/// Whether letters could be a word, or several that are joined: vowels among them, and few other letters in a row, as
/// in `environmentschedule`.
fn reads_as_word(letters: &str) -> bool {
    let is_vowel = |byte: &u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let bytes = letters.as_bytes();
    let vowels = bytes.iter().filter(|byte| is_vowel(byte)).count();
    let crowd = bytes.split(is_vowel).map(<[u8]>::len).max().unwrap_or_default();
    // A great letter among small ones begins a word.
    let has_small = bytes.iter().any(u8::is_ascii_lowercase);
    let is_cased = !has_small
        || bytes.iter().enumerate().all(|(at, byte)| {
            !byte.is_ascii_uppercase() || bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase)
        });
    bytes.len() < 4 || crowd <= 5 && vowels * 5 >= bytes.len() && is_cased
}

/// Whether `text` only stands for a token: most of it is a symbol that fills places, again and again.
pub(super) fn is_filler(text: &str) -> bool {
    let symbols: Vec<u8> =
        text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect();
    let fills = |two: &&[u8]| two[0] == two[1] && matches!(two[0], b'x' | b'a' | b'b' | b'0' | b'1');
    let filled = symbols.windows(2).filter(fills).count();
    symbols.len() >= LEAST_FILLER && filled * 4 >= (symbols.len() - 1) * 3
}

/// Whether most of `text` goes up the alphabet or the numbers, as what is typed for an example does.
pub(super) fn is_sequence(text: &str) -> bool {
    let symbols: Vec<u8> =
        text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect();
    let follows = |two: &&[u8]| two[1] == two[0] + 1 || (two[0], two[1]) == (b'9', b'0');
    symbols.windows(2).filter(follows).count() * 5 >= symbols.len() * 3
}

/// A text of fewer letters and digits may repeat itself by chance.
const LEAST_FILLER: usize = 12;

fn distinct(text: &str) -> usize {
    let mut seen = [false; 256];
    for byte in text.bytes() {
        seen[usize::from(byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Whether a password stands there, and not the place for one.
pub(super) fn no_placeholder(text: &str) -> bool {
    let is_place =
        text.starts_with(['$', '{', '<', '%', '*', '[', '(']) || text.contains("${") || text.contains("...");
    !is_place && distinct(text) >= 2
}

/// Whether a password stands there that is not just the word for one.
pub(super) fn password(text: &str) -> bool {
    const WORDS: [&str; 9] =
        ["password", "passwd", "pass", "token", "secret", "test", "changeme", "passphrase", "apikey"];
    no_placeholder(text) && !WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a password stands in a URL that is no word which manuals write there: `user:password@host`, `guest:guest@host`.
pub(super) fn url_password(text: &str) -> bool {
    const WORDS: [&str; 17] = [
        "pwd", "pw", "abc", "xyz", "123", "1234", "12345", "foo", "bar", "user", "username", "example",
        "key", "apitoken", "hidden", "none", "guest",
    ];
    let small = text.to_ascii_lowercase();
    password(&small)
        && !WORDS.contains(&small.trim_end_matches(|c: char| c.is_ascii_digit()))
        && !WORDS.contains(&&*small)
}

/// Whether digits stand in it, as in every token of Slack, and it is none that only shows how they look.
pub(super) fn slack(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() > 1 && !is_filler(text)
}

/// Whether it is a token of an agent of ngrok: two ids, of which the first begins with the time.
pub(super) fn ngrok(text: &str) -> bool {
    text.starts_with(['1', '2', '3']) && both_cases(text)
}

/// Whether one piece of it is drawn: a key whose maker's name stands in front.
pub(super) fn has_drawn_piece(text: &str) -> bool {
    by_chance(text) && text.split(['-', '_', '.']).any(super::named::is_chance)
}

/// Whether the first part is the header of a token, with its algorithm.
pub(super) fn jwt(text: &str) -> bool {
    let header = text.split('.').next().and_then(decode64).unwrap_or_default();
    serde_json::from_slice::<Value>(&header).is_ok_and(|header| header["alg"].is_string())
}

/// Whether it is base64 of a name, a colon and a password. A word such as `demotion2746` may be base64 of something, but
/// has not the length of it or letters of one case only.
pub(super) fn basic_auth(text: &str) -> bool {
    let is_code = text.len().is_multiple_of(4)
        && text.bytes().any(|byte| byte.is_ascii_uppercase())
        && text.bytes().any(|byte| byte.is_ascii_lowercase());
    is_code
        && decode64(text).and_then(|bytes| String::from_utf8(bytes).ok()).is_some_and(|login| {
            let name = login.split_once(':').map_or("", |(name, _)| name);
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ')
                && !login.contains(char::is_control)
        })
}

/// What `text` writes in base64, of either alphabet, padded or not.
fn decode64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0_u32);
    for symbol in text.trim_end_matches('=').bytes() {
        let value = match symbol {
            b'A'..=b'Z' => symbol - b'A',
            b'a'..=b'z' => symbol - b'a' + 26,
            b'0'..=b'9' => symbol - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    Some(bytes)
}

/// Whether the tail of a classic token of GitHub, or one of npm, is the CRC of its body, in base 62.
pub(super) fn github(text: &str) -> bool {
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

/// Whether the fourth symbol is the digit that stands before `Q~`.
pub(super) fn azure_secret(text: &str) -> bool {
    text.as_bytes().get(3).is_some_and(u8::is_ascii_digit)
}

/// Whether it is the number of a card: grouped in the way of its issuer, in whose range it lies, and with its check digit.
pub(super) fn card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let prefix = |length: usize| digits.iter().take(length).fold(0, |sum, digit| sum * 10 + digit);
    let is_issued = match digits.len() {
        13 | 19 => prefix(1) == 4 || matches!(prefix(2), 62 | 50 | 56..=58 | 63 | 67),
        14 => matches!(prefix(3), 300..=305) || matches!(prefix(2), 36 | 38 | 39),
        15 => matches!(prefix(2), 34 | 37),
        16 => {
            prefix(1) == 4
                || matches!(prefix(2), 51..=55 | 62 | 64 | 65)
                || matches!(prefix(4), 2221..=2720 | 6011 | 3528..=3589)
        }
        _ => false,
    };
    is_issued && luhn(&digits)
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { *digit } else { digit * 2 - if *digit > 4 { 9 } else { 0 } })
        .sum();
    sum.is_multiple_of(10)
}

/// Whether it is as long as its country's numbers, and leaves 1 by 97.
pub(super) fn iban(text: &str) -> bool {
    let text: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    let country = [text[0], text[1]];
    let length = LENGTHS.iter().find(|(of, _)| of.as_bytes() == country).map(|(_, length)| *length);
    let rest = text[4..].iter().chain(&text[..4]).fold(0_u32, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
    });
    length == Some(text.len()) && rest == 1
}

/// How long the account numbers of each country are.
#[rustfmt::skip]
const LENGTHS: &[(&str, usize)] = &[
    ("AD", 24), ("AE", 23), ("AL", 28), ("AT", 20), ("AZ", 28), ("BA", 20), ("BE", 16), ("BG", 22), ("BH", 22), ("BR", 29),
    ("BY", 28), ("CH", 21), ("CR", 22), ("CY", 28), ("CZ", 24), ("DE", 22), ("DK", 18), ("DO", 28), ("EE", 20), ("EG", 29),
    ("ES", 24), ("FI", 18), ("FO", 18), ("FR", 27), ("GB", 22), ("GE", 22), ("GI", 23), ("GL", 18), ("GR", 27), ("GT", 28),
    ("HR", 21), ("HU", 28), ("IE", 22), ("IL", 23), ("IQ", 23), ("IS", 26), ("IT", 27), ("JO", 30), ("KW", 30), ("KZ", 20),
    ("LB", 28), ("LC", 32), ("LI", 21), ("LT", 20), ("LU", 20), ("LV", 21), ("LY", 25), ("MC", 27), ("MD", 24), ("ME", 22),
    ("MK", 19), ("MR", 27), ("MT", 31), ("MU", 30), ("NL", 18), ("NO", 15), ("PK", 24), ("PL", 28), ("PS", 29), ("PT", 25),
    ("QA", 29), ("RO", 24), ("RS", 22), ("SA", 24), ("SC", 31), ("SE", 24), ("SI", 19), ("SK", 24), ("SM", 27), ("ST", 25),
    ("SV", 28), ("TL", 23), ("TN", 24), ("TR", 26), ("UA", 29), ("VA", 22), ("VG", 24), ("XK", 20),
];

/// Whether the three parts are ones that were given out.
pub(super) fn ssn(text: &str) -> bool {
    let mut parts = text.split('-');
    let area = parts.next().unwrap_or_default();
    area != "000"
        && area != "666"
        && !area.starts_with('9')
        && parts.next() != Some("00")
        && parts.next() != Some("0000")
}

/// Whether there are as many digits as a number of a telephone has.
pub(super) fn phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    (if text.starts_with('+') { 8..=15 } else { 10..=10 }).contains(&digits)
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

    #[test]
    fn cards_need_an_issuer_and_their_check_digit() {
        for sound in ["4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005", "4012888888881881"] {
            assert!(card(sound), "{sound}");
        }
        assert!(!card("4012888888881882"));
        assert!(!card("9012888888881880"));
    }

    #[test]
    fn account_numbers_need_the_length_of_their_country() {
        assert!(iban("GB82 WEST 1234 5698 7654 32"));
        assert!(iban("DE89370400440532013000"));
        assert!(!iban("DE88370400440532013000"));
        assert!(!iban("GB82 WEST 1234 5698 7654 3"));
    }

    #[test]
    fn a_token_shows_a_header_with_an_algorithm() {
        assert!(jwt("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIn0.x"));
        assert!(!jwt("eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiIxIn0.x"));
        assert!(!jwt("eyJAAAA.eyJBBB"));
    }

    #[test]
    fn numbers_that_nobody_was_given_are_no_social_security_numbers() {
        assert!(ssn("123-45-6789"));
        for never in ["000-45-6789", "666-45-6789", "912-45-6789", "123-00-6789", "123-45-0000"] {
            assert!(!ssn(never), "{never}");
        }
    }
}
