//! Values under a plain name: a password or a key, or else code, a type, a path or a word about one.
//!
//! In doubt it is no secret: a name such as `token` occurs in every second program.

use super::chance::{by_chance, is_chance, is_sequence};
use super::login::password;

/// Returns whether a password is there: letters among digits or other symbols, and nothing that programs or manuals
/// write there.
pub(crate) fn is_password(text: &str) -> bool {
    let count = |is: fn(&u8) -> bool| text.bytes().filter(is).count();
    let digits = count(u8::is_ascii_digit);
    let inside = text.trim_end_matches(HARD);
    let hard = HARD.iter().filter(|symbol| inside.contains(**symbol)).count();
    let is_cased = count(u8::is_ascii_uppercase) > 0 && count(u8::is_ascii_lowercase) > 0;
    let is_long = (6..=128).contains(&text.len()) && count(u8::is_ascii_alphabetic) > 0;
    // No code has so many kinds of symbols in a row.
    let is_strong = digits > 0 && hard > 1 && is_cased;
    let is_mixed = digits > 0 || hard > 0 && is_cased;
    is_long
        && !is_place(text)
        && (is_strong
            || is_mixed
                && password(text)
                && !text.starts_with([':', '@', '&', '?', '='])
                && !is_code(text)
                && !is_measure(text)
                && (hard > 0 || !is_path(text) && !is_variable(text, digits)))
}

/// Symbols that no name in a program or file holds.
const HARD: [char; 10] = ['!', '#', '$', '%', '@', '^', '+', '~', '&', '*'];

/// Returns whether a key is there: drawn by chance, in one long piece of it at least.
pub(crate) fn is_key(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let letters = body.bytes().filter(u8::is_ascii_alphabetic).count();
    (16..=256).contains(&text.len())
        && !body.contains('=')
        && !body.starts_with(['.', '/', '-'])
        && letters >= 3
        && by_chance(text)
        && !is_place(text)
        && !is_measure(text)
        && !is_path(text)
        && body.split(['.', '_', '/', '+', '-']).any(is_chance)
}

/// Returns whether it stands for a value: `your-key-here1`, `xxxx1234`, `abcdefg1234567`, `${NAME}`.
fn is_place(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "your",
        "change",
        "example",
        "placeholder",
        "redacted",
        "dummy",
        "insert",
        "replace",
        "xxx",
        "***",
        "1234567",
        "abcdefg",
    ];
    let small = text.to_ascii_lowercase();
    WORDS.iter().any(|word| small.contains(word))
        || ["#{", "${", "{{", "..."].iter().any(|sign| text.contains(sign))
        || text.as_bytes().windows(5).any(|five| five.iter().all(|byte| *byte == five[0]))
        || is_sequence(text)
}

/// Returns whether a program computes it, or something names where it is.
fn is_code(text: &str) -> bool {
    const SIGNS: [&str; 10] = ["()", "::", "->", "=>", "$(", "://", "&&", "||", "==", "\\n"];
    // A call, an index, a literal.
    let is_called = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '!' | '$' | '?')))
        .is_some_and(|at| text[at..].starts_with(['(', '[', '{', ')', ']', '}']));
    let is_schemed = text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.len() >= 2
            && scheme.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_'))
    });
    let is_mail = text.split_once('@').is_some_and(|(_, host)| host.trim_end_matches('.').contains('.'));
    is_called || is_schemed || is_mail || SIGNS.iter().any(|sign| text.contains(sign))
}

/// Returns whether it is a path, or names that are joined by dots.
fn is_path(text: &str) -> bool {
    let is_word = |piece: &str| piece.len() >= 3 && piece.bytes().all(|byte| byte.is_ascii_lowercase());
    let dotted: Vec<&str> = text.split('.').collect();
    let is_name = |piece: &&str| {
        piece.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            || piece.len() == 1 && piece.as_bytes()[0].is_ascii_digit()
    };
    text.starts_with(['/', '.', '~'])
        || text.get(1..3) == Some(":\\")
        || text.contains('/') && text.split('/').any(is_word)
        || dotted.len() > 1 && (dotted.iter().all(is_name) || dotted.last().is_some_and(|last| is_word(last)))
}

/// Returns whether it is a date, version, size or colour, or the name of an algorithm or type: `12-char`, `v1.2.3`,
/// `sha256`.
fn is_measure(text: &str) -> bool {
    const STEMS: [&str; 35] = [
        "sha", "hmacsha", "md", "argon", "pbkdf", "bcrypt", "scrypt", "blake", "utf", "base", "ed", "x25519",
        "x509", "curve", "secp", "aes", "hs", "rs", "es", "ps", "rsa", "chacha", "oauth", "pkcs", "tls",
        "http", "ipv", "bytes", "string", "varchar", "char", "scramsha", "int", "uint", "float",
    ];
    let small = text.to_ascii_lowercase().replace(['-', '_'], "");
    let is_digit = |c: char| c.is_ascii_digit();
    let is_named =
        STEMS.iter().filter_map(|stem| small.strip_prefix(stem)).any(|rest| rest.starts_with(is_digit));
    let number = text.trim_start_matches(['v', 'V', '~', '#', '-']);
    let number = ["i32", "u32", "i64", "u64", "u8", "u16"]
        .iter()
        .find_map(|of| number.strip_suffix(of))
        .unwrap_or(number);
    let unit =
        number.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '_' | 'x'));
    let is_date = matches!(text.as_bytes(), [y, _, _, z, b'-', m, n, b'-' | b'T', ..] if [y, z, m, n].iter().all(|byte| byte.is_ascii_digit()));
    let is_version = number
        .split('.')
        .take(2)
        .filter(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
        .count()
        == 2;
    let is_counted =
        number.starts_with(is_digit) && unit.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let is_colour =
        text.starts_with('#') && text.len() <= 9 && text[1..].bytes().all(|byte| byte.is_ascii_hexdigit());
    is_named || is_date || is_version || is_counted || is_colour || text.starts_with("0x")
}

/// Returns whether it is what a program calls its own: `password2`, `newPassword1`, `user_input_2`, `WIN32_ERROR`.
fn is_variable(text: &str, digits: usize) -> bool {
    const WORDS: [&str; 22] = [
        "pass",
        "passwd",
        "password",
        "pw",
        "pwd",
        "passphrase",
        "secret",
        "token",
        "user",
        "username",
        "login",
        "key",
        "auth",
        "input",
        "field",
        "value",
        "param",
        "arg",
        "text",
        "hash",
        "test",
        "step",
    ];
    let is_constant =
        text.contains('_') && !text.bytes().any(|byte| byte.is_ascii_lowercase() || byte == b'-');
    let mut words = Vec::new();
    for piece in text.split(|c: char| !c.is_ascii_alphabetic()) {
        let mut from = 0;
        for (at, _) in piece.match_indices(|c: char| c.is_ascii_uppercase()) {
            words.push(&piece[from..at]);
            from = at;
        }
        words.push(&piece[from..]);
    }
    is_constant
        || digits <= 2 && words.iter().any(|word| WORDS.iter().any(|of| word.eq_ignore_ascii_case(of)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_kinds_of_symbols_are_a_password_and_one_name_with_a_number_is_none() {
        for password in ["hunter2", "Tr0ub4dor&3", "Hunter!Boat-y", "password2024", "@Html(9#x"] {
            assert!(is_password(password), "{password}");
        }
        for other in [
            "short",
            "hunters",
            "hunter-boat",
            "HunterBoat!",
            "password2",
            "newPassword1",
            "user_input_2",
            "DB_1",
            "123456",
        ] {
            assert!(!is_password(other), "{other}");
        }
    }

    #[test]
    fn what_is_counted_dated_or_known_by_a_number_is_a_measure() {
        for measure in [
            "12-char",
            "64characters",
            "v1.2.3-beta",
            "2026-11-22T10",
            "aes-256-gcm",
            "utf8",
            "#ff00aa",
            "0x1f",
            "-5i32",
        ] {
            assert!(is_measure(measure), "{measure}");
        }
        for other in ["hunter2", "2024Sommer", "base", "9fk2"] {
            assert!(!is_measure(other), "{other}");
        }
    }

    #[test]
    fn paths_and_dotted_names_are_paths() {
        for path in [
            "/run/secrets/db1",
            "~/db1",
            "../db1",
            "C:\\db1",
            "secrets/db1",
            "config.db1.password",
            "auth7.boats.io",
        ] {
            assert!(is_path(path), "{path}");
        }
        for other in ["hunter2", "9f/K2+Lm", "hunter2.44"] {
            assert!(!is_path(other), "{other}");
        }
    }
}
