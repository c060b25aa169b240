//! The judgement whether a text looks drawn by chance, or consists of words, numbers or places for a secret.

/// Returns whether `text` looks drawn by chance: digits among letters, many symbols, and no run of one.
pub(crate) fn by_chance(text: &str) -> bool {
    let symbols = distinct(text);
    let mixed =
        text.bytes().any(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte.is_ascii_alphabetic());
    mixed && symbols >= (text.len() / 3).clamp(5, 8) && !repeats(text)
}

/// Returns whether one symbol follows itself four times.
pub(super) fn repeats(text: &str) -> bool {
    text.as_bytes().windows(5).any(|five| five.iter().all(|byte| *byte == five[0]))
}

/// Returns whether `text` holds digits among letters, and is no run of a few symbols.
pub(crate) fn mixed(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
        && distinct(text) >= 6
}

/// Returns whether `text` holds digits and letters of both cases.
pub(crate) fn both_cases(text: &str) -> bool {
    mixed(text)
        && text.bytes().any(|byte| byte.is_ascii_lowercase())
        && text.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Returns whether `text` looks drawn by chance. A row of words with numbers between them does not: a name such
/// as `demotion2746`, or the title of a page.
pub(crate) fn drawn(text: &str) -> bool {
    (by_chance(text) || is_scrambled(text)) && !is_worded(text)
}

/// Returns whether letters of both cases take turns, without a digit among them.
fn is_scrambled(text: &str) -> bool {
    let turns = |two: &&[u8]| two[0].is_ascii_lowercase() != two[1].is_ascii_lowercase();
    text.len() >= 16
        && text.bytes().all(|byte| byte.is_ascii_alphabetic())
        && text.as_bytes().windows(2).filter(turns).count() * 3 >= text.len()
}

/// Returns whether a secret is drawn, however few letters it has: some letters or digits follow each other out of
/// order.
pub(crate) fn drawn_token(text: &str) -> bool {
    both_cases(text) && !is_worded(text)
}

/// Returns whether a word is in `text`, and each piece of it is a number or reads as a word.
pub(crate) fn is_worded(text: &str) -> bool {
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

/// The number of letters of a significant word.
const LEAST_WORD: usize = 5;

/// Returns whether letters could be a word, or several joined ones, as `environmentschedule`: with vowels, and few
/// other letters in a row.
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

/// Returns whether `text` only stands for a token: most of it is a symbol that fills places, again and again.
pub(crate) fn is_filler(text: &str) -> bool {
    let symbols: Vec<u8> =
        text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect();
    let fills = |two: &&[u8]| two[0] == two[1] && matches!(two[0], b'x' | b'a' | b'b' | b'0' | b'1');
    let filled = symbols.windows(2).filter(fills).count();
    symbols.len() >= LEAST_FILLER && filled * 4 >= (symbols.len() - 1) * 3
}

/// Returns whether most of `text` goes up the alphabet or the numbers, as what is typed for an example does.
pub(crate) fn is_sequence(text: &str) -> bool {
    let symbols: Vec<u8> =
        text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase()).collect();
    let follows = |two: &&[u8]| two[1] == two[0] + 1 || (two[0], two[1]) == (b'9', b'0');
    symbols.windows(2).filter(follows).count() * 5 >= symbols.len() * 3
}

/// A text of fewer letters and digits may repeat itself by chance.
const LEAST_FILLER: usize = 12;

pub(super) fn distinct(text: &str) -> usize {
    let mut seen = [false; 256];
    for byte in text.bytes() {
        seen[usize::from(byte)] = true;
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Returns whether a piece is neither a word nor some words with a number. Then letters and digits alternate, and few
/// letters of both cases are in the order of words.
pub(crate) fn is_chance(piece: &str) -> bool {
    let bytes = piece.as_bytes();
    let turns = bytes.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit()).count();
    let mut in_words = 0;
    let mut word = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let goes_on = byte.is_ascii_lowercase() && at > 0 && bytes[at - 1].is_ascii_alphabetic();
        word = if goes_on { word + 1 } else { usize::from(byte.is_ascii_alphabetic()) };
        // From its fourth letter on a run counts as a word.
        in_words += match word {
            0..4 => 0,
            4 => 4,
            _ => 1,
        };
    }
    let has_both = piece.bytes().any(|byte| byte.is_ascii_lowercase())
        && piece.bytes().any(|byte| byte.is_ascii_uppercase());
    let least = if has_both { bytes.len() / 10 } else { bytes.len() / 5 };
    bytes.len() >= 8
        && turns >= least.max(1)
        && (!has_both || in_words * 2 <= bytes.len())
        && !is_worded(piece)
        && !(turns == 1 && is_numbered(piece))
}

/// Returns whether a short word has a number behind it: `boat2026`.
fn is_numbered(piece: &str) -> bool {
    let word = piece.trim_end_matches(|c: char| c.is_ascii_digit());
    word.len() >= 4 && word.bytes().all(|byte| byte.is_ascii_lowercase()) && reads_as_word(word)
}

/// Returns whether one piece of it is drawn: a key whose maker's name is in front.
pub(crate) fn has_drawn_piece(text: &str) -> bool {
    by_chance(text) && text.split(['-', '_', '.']).any(is_chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_chance_where_letters_and_digits_take_turns_and_spell_no_words() {
        for chance in ["9f2c4e1b7a3d", "9fk2LmQ7", "q7zk29slmx41", "bTz4RwYc8Hd1N"] {
            assert!(is_chance(chance), "{chance}");
        }
        for word in [
            "9fk2LmQ",
            "boatservice2",
            "holiday42",
            "boat2026",
            "security7",
            "accesstoken1",
            "getUserTokenFromBase64",
            "HmacSha256UrlEncoder",
            "abcdefgh",
        ] {
            assert!(!is_chance(word), "{word}");
        }
    }
}
