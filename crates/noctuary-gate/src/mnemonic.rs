//! Mnemonics of BIP-39: words of its English list, in a row, whose checksum holds.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use super::dense;
use super::steps;

/// The list as it is published.
const LIST: &str = include_str!("classes/bip39.txt");
/// The counts of words that a mnemonic may have, the most first.
const COUNTS: [usize; 5] = [24, 21, 18, 15, LEAST];
const LEAST: usize = 12;
/// The fewest different words that one has which was drawn.
const MIN_DISTINCT: usize = 8;
/// The length of the shortest word of the list.
const SHORTEST_WORD: usize = 3;
/// The shortest mnemonic, with one byte between its words.
const SHORTEST: usize = LEAST * (SHORTEST_WORD + 1) - 1;
/// No more than this is between two words: spaces, line breaks, numbers of a list.
const MOST_BETWEEN: usize = 8;

static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| LIST.lines().collect());

/// The number of words before the first with the same three letters, in the ascending list.
static BEFORE: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let mut before = vec![0; (1 << 15) + 1];
    for head in WORDS.iter().filter_map(|word| word.as_bytes().first_chunk()) {
        before[head_of(*head) + 1] += 1;
    }
    for head in 1..before.len() {
        before[head] += before[head - 1];
    }
    before
});

/// Returns five bits of each letter, which are the same in both cases.
fn head_of(head: [u8; 3]) -> usize {
    head.iter().fold(0, |head, letter| head << 5 | usize::from(letter & 31))
}

/// A word, and its number in the list.
struct Word {
    place: Range<usize>,
    number: u16,
}

/// Finds the next mnemonic from `from` on, joined with those that begin inside it. One in sixteen rows of twelve
/// listed words is a mnemonic by chance. So a word before a mnemonic may seem to begin it.
pub(super) fn find(text: &str, from: usize) -> Option<Range<usize>> {
    let mut from = from;
    loop {
        from = row(text, from)?;
        let words = listed(text, from);
        let Some(count) = proven(&words) else {
            // Too few words in a row stay too few without the first.
            let passed = if words.len() < LEAST { words.last() } else { words.first() };
            from = passed.map_or(from + 1, |word| word.place.end);
            continue;
        };
        let mut end = words[count - 1].place.end;
        for first in 1..words.len() {
            if words[first].place.start < end
                && let Some(count) = proven(&words[first..])
            {
                end = end.max(words[first + count - 1].place.end);
            }
        }
        return Some(words[0].place.start..end);
    }
}

/// Returns the place of the next words that may begin a mnemonic: listed words with as many bytes as the
/// shortest mnemonic.
///
/// It looks from the far end, because no match goes over a word that is not in the list. So in most texts it reads one
/// word for each length of a mnemonic.
fn row(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut from = from;
    'rows: while let Some(window) = bytes.get(from..from + SHORTEST) {
        if let Some(passed) = beyond_short_words(&bytes[from..]) {
            steps::take(passed);
            from += passed;
            continue;
        }
        // The word that goes on after the window is not looked at.
        let goes_on = bytes.get(from + SHORTEST).is_some_and(u8::is_ascii_alphabetic);
        let mut rest = if goes_on { without_word(window) } else { window };
        if rest.is_empty() {
            // One word that is longer than any of the list.
            let beyond = bytes[from..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            steps::take(beyond);
            from += beyond;
            continue;
        }
        while !rest.is_empty() {
            let gap = rest.iter().rev().take_while(|byte| !byte.is_ascii_alphabetic()).count();
            steps::take(gap);
            let (before, between) = rest.split_at(rest.len() - gap);
            if !is_between(between) {
                from += rest.len();
                continue 'rows;
            }
            rest = without_word(before);
            let word = from + rest.len()..from + before.len();
            steps::take(word.len());
            if !word.is_empty() && number(&text[word.clone()]).is_none() {
                from = word.end;
                continue 'rows;
            }
        }
        return Some(from);
    }
    None
}

/// Looks at the words that begin within the length of the shortest mnemonic. Returns the end of the last one that is
/// shorter than every listed word: most texts have one in most places.
fn beyond_short_words(bytes: &[u8]) -> Option<usize> {
    let letters = dense::mask(bytes.first_chunk()?, |byte| (byte | 0x20).wrapping_sub(b'a') <= 25);
    let starts = letters & !(letters << 1) & !1;
    let short = starts & (!(letters >> 1) | !(letters >> 2)) & (u64::MAX >> (dense::BLOCK - SHORTEST));
    Some(BLOCK_LAST.checked_sub(short.leading_zeros() as usize)? + 1)
}

/// The last place of a block.
const BLOCK_LAST: usize = dense::BLOCK - 1;

/// Returns what is before the word at the end.
fn without_word(bytes: &[u8]) -> &[u8] {
    let word = bytes.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    &bytes[..bytes.len() - word]
}

fn next_word(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let start = from + bytes.get(from..)?.iter().position(u8::is_ascii_alphabetic)?;
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    Some(start..start + length)
}

/// Returns whether this may be between two words, as people write them down: blanks, commas, quotes, marks and numbers
/// of a list. The text between words of code is none: `void) = clock_time`.
fn is_between(bytes: &[u8]) -> bool {
    bytes.len() <= MOST_BETWEEN
        && !bytes.first().is_some_and(u8::is_ascii_digit)
        && bytes.iter().enumerate().all(|(at, byte)| match byte {
            b'.' | b')' | b':' => at > 0 && bytes[at - 1].is_ascii_digit(),
            b',' | b'-' | b'|' | b'>' | b'*' | b'#' | b'"' | b'\'' | b'`' => true,
            _ => byte.is_ascii_whitespace() || byte.is_ascii_digit(),
        })
}

/// Returns the words from a place on, as long as they follow each other in the list: enough for two mnemonics.
fn listed(text: &str, from: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut last = from;
    while words.len() < 2 * COUNTS[0]
        && let Some(place) = next_word(text.as_bytes(), last)
        && (words.is_empty() || is_between(&text.as_bytes()[last..place.start]))
        && let Some(number) = number(&text[place.clone()])
    {
        last = place.end;
        words.push(Word { place, number });
    }
    words
}

fn number(word: &str) -> Option<u16> {
    // Most words of a text are told apart without a look at the list.
    let head = head_of(*word.as_bytes().first_chunk()?);
    (BEFORE[head]..BEFORE[head + 1]).find(|at| WORDS[usize::from(*at)].eq_ignore_ascii_case(word))
}

/// Returns how long the longest mnemonic is that begins with the first of these words.
fn proven(words: &[Word]) -> Option<usize> {
    COUNTS.into_iter().find(|count| words.get(..*count).is_some_and(is_mnemonic))
}

/// Returns whether the last bits of the words are the checksum of the others. One word alone, or a part of the list
/// itself, is no mnemonic. A few words that repeat, as in a log of changes, are none either, unless single blanks
/// separate all words.
fn is_mnemonic(words: &[Word]) -> bool {
    let is_one = words.windows(2).all(|two| two[0].number == two[1].number);
    let ascends = words.windows(2).all(|two| two[0].number < two[1].number);
    let is_phrase = words.windows(2).all(|two| two[1].place.start - two[0].place.end == 1);
    let distinct: BTreeSet<u16> = words.iter().map(|word| word.number).collect();
    if is_one || ascends || !is_phrase && distinct.len() < MIN_DISTINCT {
        return false;
    }
    let mut bytes = [0_u8; 33];
    for (at, bit) in words.iter().flat_map(|word| (0..11).rev().map(|bit| word.number >> bit & 1)).enumerate()
    {
        bytes[at / 8] |= u8::from(bit == 1) << (7 - at % 8);
    }
    // A third of a bit of checksum for each word.
    let (entropy, checksum) = (words.len() / 3 * 4, words.len() / 3);
    Sha256::digest(&bytes[..entropy])[0] >> (8 - checksum) == bytes[entropy] >> (8 - checksum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_published_one() {
        let digest = hex::encode(Sha256::digest(LIST.as_bytes()));
        assert_eq!(digest, "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda");
    }

    #[test]
    fn mnemonics_are_found_whole_in_prose_and_lists() {
        let phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
        let text = format!("My seed is: {phrase}. Do not tell.");
        assert_eq!(&text[find(&text, 0).unwrap()], phrase);
        let list: String =
            phrase.split(' ').zip(1..).map(|(word, number)| format!("{number}. {word}\n")).collect();
        assert_eq!(list[find(&list, 0).unwrap()].split_whitespace().count(), 23, "numbers between the words");
        let loud = phrase.to_ascii_uppercase();
        assert!(find(&loud, 0).is_some());
    }

    // The words cannot be assigned to one of the phrases, so text between them is masked with them.
    #[test]
    fn two_mnemonics_with_marks_between_are_one() {
        let phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
        let text = format!("{phrase}\n- \n{phrase}");
        assert_eq!(find(&text, 0), Some(0..text.len()));
        let apart = format!("{phrase}\nand\n{phrase}");
        assert_eq!(find(&apart, 0), Some(0..phrase.len()));
    }

    // The search jumps over what cannot hold one, and must not jump too far.
    #[test]
    fn a_mnemonic_is_found_wherever_it_stands() {
        let short = ["zoo", "bag", "cat", "dad", "egg", "fan", "gap", "hat", "ice", "job", "key"];
        let last = LIST
            .lines()
            .find(|last| last.len() == 3 && find(&format!("{} {last}", short.join(" ")), 0).is_some());
        let phrase = format!("{} {}", short.join(" "), last.unwrap());
        for before in 0..100 {
            for filler in ["x", "ab ", "zoo ", "- ", "é", "reconsider ", "the "] {
                let text = format!("{} {phrase}", filler.repeat(before));
                let found = find(&text, 0).unwrap();
                assert!(found.end == text.len() && text[found].ends_with(&phrase), "{text}");
            }
        }
    }

    // Words of code and of logs of changes are in the list too. One row of twelve words in sixteen has its
    // checksum.
    #[test]
    fn words_of_code_and_a_few_words_again_and_again_are_none() {
        let phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow";
        for between in [" = ", "(", ") ", "; ", "_", ": ", ".\n\n\t", "/", "16\n\t", " (*", "{ ", "\\n"] {
            let code: Vec<&str> = phrase.split(' ').collect();
            assert_eq!(find(&code.join(between), 0), None, "{between:?}");
        }
        for between in [
            " ", "\n", ", ", " - ", "\", \"", "', '", " | ", "\n> ", "\r\n  * ", " 3. ", "\n12) ", "\n- 7: ",
            "-",
        ] {
            let list: Vec<&str> = phrase.split(' ').collect();
            assert!(find(&list.join(between), 0).is_some(), "{between:?}");
        }
        let few = "abandon ".repeat(11) + "about";
        assert!(find(&few, 0).is_some(), "the best known of all, as it is");
        assert_eq!(find(&few.replace(' ', "\n- "), 0), None);
    }

    #[test]
    fn a_row_of_words_without_its_checksum_is_none() {
        for text in [
            "legal winner thank year wave sausage worth useful legal winner thank zoo",
            "permit permit permit permit permit permit permit permit permit permit permit permit permit",
            "The quick brown fox jumps over the lazy dog while nobody looks at it from there.",
        ] {
            assert_eq!(find(text, 0), None, "{text}");
        }
        assert_eq!(find(LIST, 0), None, "the list itself");
    }
}
