//! Texts that can be seen to be in no disguise: most names of files.

/// A byte that may be in such a text: a small letter, a digit, a sign of names.
const ALLOWED: u8 = 1;
const ALPHANUMERIC: u8 = 2;
/// It may be among bytes that are written as numbers, in hexadecimal digits or in decimal ones.
const OF_ROW: u8 = 4;
const BASE32: u8 = 8;

const KINDS: [u8; 256] = kinds();

const fn kinds() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let is_sign = matches!(byte, b'-' | b'.' | b'_' | b'/');
        let mut kind = 0;
        if byte.is_ascii_lowercase() || byte.is_ascii_digit() {
            kind |= ALLOWED | ALPHANUMERIC;
        }
        if byte.is_ascii_digit() || matches!(byte, b'a'..=b'f' | b'x') || is_sign {
            kind |= ALLOWED | OF_ROW;
        }
        if byte.is_ascii_lowercase() || matches!(byte, b'2'..=b'7') {
            kind |= BASE32;
        }
        kinds[byte as usize] = kind;
        byte += 1;
    }
    kinds
}

/// The shortest disguise that such bytes can be: 19 bytes of letters that are apart. Base32 has 20 symbols, hexadecimal
/// digits are 24, and the other disguises need bytes that are not allowed here.
const SHORTEST: usize = 19;

/// Returns whether a text holds no disguise, which its bytes alone prove; `false` where they do not. Most texts are no
/// names: a capital letter or a blank ends the look.
pub(crate) fn is_plain(text: &str) -> bool {
    let (mut of_row, mut base32, mut apart) = (0, 0, 0);
    let mut was_letter = false;
    for byte in text.bytes() {
        let kind = KINDS[usize::from(byte)];
        if kind & ALLOWED == 0 {
            return false;
        }
        let is_letter = kind & ALPHANUMERIC > 0;
        of_row = if kind & OF_ROW > 0 { of_row + 1 } else { 0 };
        base32 = if kind & BASE32 > 0 { base32 + 1 } else { 0 };
        apart = if is_letter && was_letter { 1 } else { apart + 1 };
        was_letter = is_letter;
        if of_row >= SHORTEST || base32 >= SHORTEST || apart >= SHORTEST {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::super::{Disguised, Undone, undo};
    use super::*;

    #[test]
    fn names_of_journals_are_plain_and_other_texts_are_not() {
        for name in
            ["memory/2026-11-30-s00010.md", "memory/2026-11-30.md", "daily/2026-11-30-evening-talk.md"]
        {
            assert!(is_plain(name), "{name}");
        }
        for text in ["a b", "A", "é", "x|y", "a-k-i-a-i-o-s-f-o-d", "41-4b-49-41-49-4f-53-46-4f-44"] {
            assert!(!is_plain(text), "{text}");
        }
    }

    #[test]
    fn no_disguise_is_found_in_a_text_that_is_plain() {
        let mut state = 7_u64;
        let mut roll = move |sides: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % sides).unwrap()
        };
        let alphabets: [&[u8]; 5] = [
            b"abcdef0123456789",
            b"a-b.c_d/e1",
            b"2026-11-30.md/x_",
            b"abcdefghijklmnopqrstuvwxyz234567",
            b"4-1.k",
        ];
        let mut plain = 0;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..=roll(4) {
                let alphabet = alphabets[roll(5)];
                text.extend((0..=roll(22)).map(|_| char::from(alphabet[roll(alphabet.len() as u64)])));
            }
            if is_plain(&text) {
                plain += 1;
                let of = Disguised::new(&text);
                for view in Undone::default().next() {
                    undo(view, &of, &mut |island| panic!("{view:?} of {text}: {}", island.text));
                }
            }
        }
        assert!(plain > 1_000, "{plain}");
    }
}
