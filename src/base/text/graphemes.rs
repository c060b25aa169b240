//! Graphemes: what a person sees as one character, and no cut may part.

use std::ops::Range;

use bstr::ByteSlice;
use noctuary_index::rank::sentences;

use noctuary_gate::text::{ceil_boundary, floor_boundary};

use crate::base::gather::Gather as _;

/// Returns the greatest end of a grapheme at or below `index`; idempotent.
pub(crate) fn grapheme_floor(text: &str, index: usize) -> usize {
    around(text, index).0
}

/// Returns the least end of a grapheme at or above `index`; idempotent.
pub(crate) fn grapheme_ceil(text: &str, index: usize) -> usize {
    around(text, index).1
}

/// Returns the beginning of a text, whole graphemes up to a limit in bytes.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    &text[..grapheme_floor(text, bytes)]
}

/// Returns a sentence with those beside it, as many as fit; the beginning of the text where there is none. A text that fits is whole.
pub(crate) fn excerpt<'t>(text: &'t str, sentence: Option<&Range<usize>>, most: usize) -> &'t str {
    let Some(found) = sentence.filter(|found| text.len() > most && text.get((*found).clone()).is_some())
    else {
        return cut(text, most);
    };
    let all: Vec<Range<usize>> = sentences(text).gather();
    let first = all.partition_point(|sentence| sentence.end <= found.start);
    let (mut excerpt, mut before, mut behind) = (found.clone(), &all[..first], all[first..].iter().skip(1));
    let mut has_grown = true;
    while std::mem::take(&mut has_grown) {
        if let Some(next) = behind.next().filter(|next| next.end - excerpt.start <= most) {
            (excerpt.end, has_grown) = (next.end, true);
        }
        if let Some((last, others)) = before.split_last().filter(|(last, _)| excerpt.end - last.start <= most)
        {
            (before, excerpt.start, has_grown) = (others, last.start, true);
        }
    }
    cut(&text[excerpt], most)
}

/// Returns the ends of graphemes at or around an index: the same where one ends there.
fn around(text: &str, index: usize) -> (usize, usize) {
    if index >= text.len() {
        return (text.len(), text.len());
    }
    let at = ceil_boundary(text, index);
    let bytes = text.as_bytes();
    let is_letter = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii() && *byte != b'\n');
    if at == index && is_letter(at) && (at == 0 || is_letter(at - 1)) {
        return (at, at);
    }
    // Before a letter of ASCII a grapheme begins, whatever is before it.
    let far = floor_boundary(text, index.saturating_sub(LOOKED_BACK));
    let near = bytes[far..floor_boundary(text, index)]
        .iter()
        .rposition(|byte| byte.is_ascii_alphanumeric() || *byte == b' ');
    let start = near.map_or(far, |near| far + near);
    for (begin, end, _) in bytes[start..].grapheme_indices() {
        let (begin, end) = (start + begin, start + end);
        if end == index {
            return (end, end);
        }
        if end > index {
            return (begin, end);
        }
    }
    (text.len(), text.len())
}

/// Maximum number of bytes before a cut that are read. No grapheme of a person's is longer.
const LOOKED_BACK: usize = 512;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn flags_families_and_syllables_are_cut_whole() {
        for whole in ["🇫🇷", "👨\u{200d}👩\u{200d}👧", "e\u{301}", "\u{1112}\u{1161}\u{11ab}", "👍🏽", "\r\n"]
        {
            let text = format!("ab{whole}{whole}c");
            for at in 2..2 + whole.len() {
                assert_eq!(cut(&text, at), "ab", "{whole:?} at {at}");
                let up = if at == 2 { 2 } else { 2 + whole.len() };
                assert_eq!(grapheme_ceil(&text, at), up, "{whole:?} at {at}");
            }
            assert_eq!(cut(&text, 2 + whole.len()), format!("ab{whole}"));
        }
        assert_eq!([cut("", 3), cut("abc", 0), cut("abc", 9)], ["", "", "abc"]);
        // Flags are counted from their first letter, whatever is behind them.
        let flags = "각🇫🇷🇫\u{200d}";
        assert_eq!([cut(flags, 12), cut(flags, 11)], ["각🇫🇷", "각🇫🇷"]);
    }

    #[test]
    fn an_excerpt_has_the_sentence_that_was_found_and_its_neighbours() {
        let text = "One is here. Two is there. Three 👨\u{200d}👩\u{200d}👧 is far. Four is gone.";
        let three = text.find("Three").unwrap()..text.find(" Four").unwrap();
        assert_eq!(excerpt(text, Some(&three), 200), text, "what fits is whole");
        assert_eq!(excerpt(text, Some(&three), 60), &text[13..], "both neighbours");
        assert_eq!(excerpt(text, Some(&three), 36), &text[three.clone()]);
        assert_eq!(excerpt(text, Some(&three), 12), "Three ", "no half family");
        assert_eq!(excerpt(text, None, 13), "One is here. ");
        assert_eq!(excerpt(text, Some(&(90..400)), 13), "One is here. ", "a span of another text");
    }

    proptest! {
        #[test]
        fn a_cut_is_idempotent_and_of_whole_graphemes(text in "[ a🇫🇷\u{301}\u{200d}👨각ᄀ\\r\\n]{0,24}", at in 0_usize..80) {
            let [down, up] = [grapheme_floor(&text, at), grapheme_ceil(&text, at)];
            prop_assert!(down <= at && (up >= at || up == text.len()));
            prop_assert_eq!([grapheme_floor(&text, down), grapheme_ceil(&text, up)], [down, up]);
            let ends: Vec<usize> = text.as_bytes().grapheme_indices().map(|(_, end, _)| end).chain([0]).collect();
            prop_assert!(ends.contains(&down) && ends.contains(&up), "{down} {up} {ends:?}");
        }
    }
}
