//! The same text: the form in which names, keys, tags and statements are compared.

use std::borrow::Cow;

use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::{decompose_canonical, decompose_compatible};

use noctuary_gate::text::is_invisible;

/// Returns the form in which two texts are the same text; idempotent.
///
/// Composition and width, case, the kinds of spaces, quotes and dashes do not count, nor do characters that take no room. An
/// emoji is the same as its parts without the joiners between them. Marks count, so `año` is not `ano`, and so do raised digits.
/// The Turkish `ı` and `İ` are an `i`. A word like code keeps its case. Such a word has an underscore, slash, star or tilde, a
/// digit between letters, or a capital inside.
pub(crate) fn same(text: &str) -> String {
    folded(&even(text), is_code)
}

/// Returns the form in which two names are the same name: as [`same`], but without case, since people ask in any case.
pub(crate) fn same_name(name: &str) -> String {
    folded(&even(name), |_| false)
}

/// Returns the form in which two statements are the same: as [`same`], without bullet, emphasis, backticks, quotes around it, and
/// final stop.
pub(crate) fn statement(text: &str) -> String {
    // A mark may stand behind what went.
    let same = folded(&even(&without_emphasis(&even(text))), is_code);
    let mut rest = same.as_str();
    loop {
        let before = rest.len();
        for bullet in ["- ", "* ", "+ "] {
            rest = rest.strip_prefix(bullet).unwrap_or(rest).trim_start();
        }
        rest = rest.trim_end_matches([' ', '.', ';', ',', '!', '。']);
        rest = quoted(rest).unwrap_or(rest).trim();
        if rest.len() == before {
            return rest.to_owned();
        }
    }
}

fn folded(even: &str, keeps_case: fn(&str) -> bool) -> String {
    let mut folded = String::with_capacity(even.len());
    for word in even.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        if keeps_case(word) {
            folded.push_str(word);
        } else if word.is_ascii() {
            folded.extend(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase())));
        } else {
            // A fold may part a letter, and the parts of one may have a fold of their own.
            let lower = UniCase::unicode(word.nfd().collect::<String>()).to_folded_case();
            // A capital does not tell the Turkish i with a dot from the one without.
            let mut lower = lower.replace('ı', "i");
            while lower.contains("i\u{307}") {
                lower = lower.replace("i\u{307}", "i");
            }
            folded.extend(lower.nfc());
        }
    }
    folded
}

/// Returns a text in compatible characters, composed, without what takes no room.
fn even(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut even = String::with_capacity(text.len());
    let mut take = |c: char| match c {
        c if c.is_ascii() => even.push(c),
        c if c.is_whitespace() || c.is_control() => even.push(' '),
        '‘'..='‛' | '‹' | '›' | '\u{b4}' | '\u{2b9}'..='\u{2bc}' | '\u{5f3}' | '\u{2032}' | '\u{2035}' =>
        {
            even.push('\'');
        }
        '“'..='‟' | '«' | '»' | '\u{5f4}' | '\u{2033}' | '\u{2036}' | '\u{301d}'..='\u{301f}' => {
            even.push('"');
        }
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2e3a}' | '\u{2e3b}' => even.push('-'),
        c if is_invisible(c) => {}
        c => even.push(c),
    };
    for c in text.chars() {
        if c.is_ascii() {
            take(c);
            continue;
        }
        decompose_canonical(c, |part| {
            if is_kept_whole(part) {
                take(part);
            } else {
                decompose_compatible(part, &mut take);
            }
        });
    }
    Cow::Owned(even.nfc().collect())
}

/// Returns whether a character says more than its compatible form: `10²` is not `102`. A spacing acute is a quote.
fn is_kept_whole(c: char) -> bool {
    matches!(c, '²' | '³' | '¹' | '\u{b4}' | '\u{2070}'..='\u{208e}')
        || matches!(c, '\u{2033}' | '\u{2036}' | '\u{2e3a}' | '\u{2e3b}')
}

/// Returns whether a word is one of code, in which case has a meaning.
fn is_code(word: &str) -> bool {
    if word.contains(['_', '/', '\\', '*', '~']) {
        return true;
    }
    let mut letters = word.chars().skip_while(|c| !c.is_alphanumeric());
    let Some(first) = letters.next() else { return false };
    let (mut before, mut is_digit) = (first.is_alphabetic(), false);
    for c in letters {
        if c.is_alphabetic() {
            if (first.is_lowercase() && c.is_uppercase()) || (before && is_digit) {
                return true;
            }
            (before, is_digit) = (true, false);
        } else if c.is_numeric() {
            is_digit = true;
        } else {
            (before, is_digit) = (false, false);
        }
    }
    false
}

/// Returns a text without backticks, and without stars that open and close around words of it.
fn without_emphasis(text: &str) -> Cow<'_, str> {
    if !text.contains(['*', '`']) {
        return Cow::Borrowed(text);
    }
    let plain = text.replace('`', "");
    let (mut open, mut gone) = (Vec::<(usize, usize)>::new(), Vec::new());
    let mut at = 0;
    while let Some(start) = plain[at..].find('*').map(|found| at + found) {
        let len = plain[start..].bytes().take_while(|byte| *byte == b'*').count();
        at = start + len;
        let (before, behind) = (plain[..start].chars().next_back(), plain[at..].chars().next());
        let is_inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        if !is_inside(before) && !is_space(behind) && behind.is_some_and(|c| c.is_alphanumeric() || c == '"')
        {
            open.push((start, len));
        } else if !is_inside(behind)
            && !is_space(before)
            && let Some(place) = open.iter().rposition(|(_, opened)| *opened == len)
        {
            gone.extend([open[place], (start, len)]);
            open.truncate(place);
        }
    }
    gone.sort_unstable();
    let mut rest = plain;
    for (start, len) in gone.into_iter().rev() {
        rest.replace_range(start..start + len, "");
    }
    Cow::Owned(rest)
}

/// Returns what is between quotes that are a statement's first and last characters alone.
fn quoted(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    (!inside.contains('"')).then_some(inside)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::text::same_word;

    // BX-53
    #[test]
    fn texts_that_are_written_otherwise_are_the_same() {
        for (one, other) in [
            ("Caf\u{e9}  on\u{a0}Sundays", "CAFE\u{301} on sundays"),
            ("Trần Đức", "TR\u{1ea6}N Đ\u{1ee8}C"),
            ("한국어", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}\u{110b}\u{1165}"),
            ("ﾃｽﾄ ｶﾞｲﾄﾞ", "テスト ガイド"),
            ("ＡＢＣ", "abc"),
            ("STRASSE", "Straße"),
            ("ΟΔΟΣ", "οδος"),
            ("“it’s” – so", "\"it's\" - so"),
            ("می\u{200c}خواهد", "میخواهد"),
            ("آب", "ا\u{653}ب"),
            ("GitHub of McDonald", "github of mcdonald"),
            ("so\u{ad}ft \u{2764}\u{fe0f}", "soft \u{2764}"),
            ("SÜRÜMLER ÇIKAR", "sürümler çıkar"),
            ("GEMİ MAVİ", "gemi mavi"),
            ("İzmir", "izmir"),
            ("צה״ל", "צה\"ל"),
        ] {
            assert_eq!(same(one), same(other), "{one} {other}");
            assert_eq!(same_name(one), same_name(other), "{one} {other}");
            assert_eq!(statement(one), statement(other), "{one} {other}");
        }
    }

    // BX-53
    #[test]
    fn texts_that_differ_in_a_mark_or_a_sign_of_code_are_two() {
        for (one, other) in [
            ("año", "ano"),
            ("max_tokens", "maxtokens"),
            ("__init__", "init"),
            ("aB3", "Ab3"),
            ("2*3", "23"),
            ("~/Data", "~/data"),
            ("x1Y", "x1y"),
            ("maxTokens", "maxtokens"),
            ("10²", "102"),
            ("-5 degrees", "5 degrees"),
        ] {
            assert_ne!(same(one), same(other), "{one} {other}");
            assert_ne!(statement(one), statement(other), "{one} {other}");
        }
    }

    // FA-05
    #[test]
    fn statements_are_the_same_only_where_they_say_the_same() {
        for (one, other) in [
            ("Prefers  short\u{200b} answers.", "- prefers short\nanswers"),
            ("**Prefers**  short answers.", "prefers short answers"),
            ("prefers **short `answers`**", "“Prefers short answers!”"),
            ("住在东京。", "住在东京"),
        ] {
            assert_eq!(statement(one), statement(other));
        }
        for (one, other) in [
            ("prefers short answers", "prefers long answers"),
            ("住在东京", "住在京东"),
            ("喜欢茶", "喜欢咖啡"),
            ("keeps it at -5", "keeps it at 5"),
            ("uses foo_bar", "uses foobar"),
            ("takes **kwargs", "takes kwargs"),
            ("knows C", "knows C++"),
            ("is it 5?", "is it 5"),
        ] {
            assert_ne!(statement(one), statement(other));
        }
    }

    /// One of each kind of characters: of the many ideographs and syllables some.
    fn characters() -> impl Iterator<Item = char> {
        let is_one_of_many = |c: &char| {
            !matches!(c, '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{12000}'..='\u{1cfff}' | '\u{20000}'..)
                || u32::from(*c).is_multiple_of(127)
        };
        ('\0'..='\u{32400}').chain('\u{e0000}'..='\u{e0200}').filter(is_one_of_many)
    }

    // A row with `İ` was found by no query: what the fold made of it was folded again.
    #[test]
    fn each_identity_of_all_characters_is_its_own_and_of_all_canonical_spellings() {
        for c in characters() {
            for text in [
                format!("a{c}b"),
                format!("{c}\u{301}"),
                format!("{c}\u{307}"),
                format!("{c}\u{327}\u{307}e\u{345}"),
            ] {
                let (composed, parted): (String, String) = (text.nfc().collect(), text.nfd().collect());
                for identity in [same, same_name, statement, same_word] {
                    let same = identity(&text);
                    assert_eq!(identity(&same), same, "{text:?}");
                    assert_eq!(identity(&composed), same, "{text:?}");
                    assert_eq!(identity(&parted), same, "{text:?}");
                }
                assert!(is_invisible(c) <= (same_word(&text) == same_word(&text.replace(c, ""))), "{text:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_the_same_text_is_the_same_to_all_that_tell_less_apart(text in "[-*`\"'.! _a-cA-C0-9é\u{301}ßİ²“—\\n]{0,24}") {
            let same = same(&text);
            prop_assert_eq!(&super::same(&same), &same);
            prop_assert_eq!(same_name(&same), same_name(&text));
            let said = statement(&text);
            prop_assert_eq!(&statement(&said), &said);
        }
    }
}
