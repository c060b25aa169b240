//! The same word for a search: words that readers type for each other.
//!
//! Case, width, marks of Latin, Greek, Cyrillic, Hebrew and Arabic, and characters that take no room do not count. Marks and vowels of
//! other scripts are letters. The tables beside this file say what counts as what.

use std::borrow::Cow;
use std::sync::LazyLock;

use unicase::UniCase;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Returns a word as a search compares it; idempotent. Apostrophes and a possessive's `s` do not count.
///
/// ```
/// use noctuary_index::rank::same_word;
///
/// assert_eq!(same_word("Łódź"), "lodz");
/// assert_eq!(same_word("İSTANBUL"), same_word("ıstanbul"));
/// assert_eq!(same_word("Straße"), "strasse");
/// assert_eq!(same_word("ﾃﾞｰﾀ"), same_word("データ"));
/// assert_ne!(same_word("हिन्दी"), same_word("हिन्द"));
/// ```
#[must_use]
pub fn same_word(word: &str) -> String {
    let mut same = if word.is_ascii() { word.to_ascii_lowercase() } else { folded(word) };
    if same.contains('\'') {
        let end = same.strip_suffix("'s").unwrap_or(&same).len();
        same.truncate(end);
        same.retain(|c| c != '\'');
    }
    same
}

/// Returns a run of a script without spaces as it is compared.
pub(super) fn same_run(run: &str) -> Cow<'_, str> {
    // What is left of most runs has one form.
    let is_plain = |c: char| matches!(c, '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
    if run.chars().all(is_plain) { Cow::Borrowed(run) } else { Cow::Owned(folded(run)) }
}

/// Returns the nouns within a word: behind an elided article, or before a suffix behind an apostrophe or a half-space.
pub(super) fn nouns(word: &str) -> Vec<&str> {
    let mut nouns: Vec<&str> = Vec::new();
    if word.contains(HALF_SPACE) {
        nouns.extend(word.split(HALF_SPACE).filter(|part| part.chars().nth(1).is_some()));
    }
    let Some((before, behind)) = word.split_once(is_apostrophe) else { return nouns };
    let count = |part: &str| part.chars().count();
    let is_elided = || TABLES.elisions.contains(&same_word(before).as_str());
    // The contractions of English are words of their own.
    if !CONTRACTED.iter().any(|end| behind.eq_ignore_ascii_case(end)) {
        nouns.push(if count(behind) >= count(before) || is_elided() { behind } else { before });
    }
    nouns
}

const HALF_SPACE: char = '\u{200c}';
const CONTRACTED: [&str; 7] = ["s", "t", "d", "m", "re", "ve", "ll"];

/// Returns whether a character is an apostrophe, as it is typed or as a letter.
pub(super) fn is_apostrophe(c: char) -> bool {
    c == '\'' || matches!(c, '‘' | '’' | '\u{2b9}'..='\u{2bc}' | '\u{2032}' | '\u{ff07}')
}

/// Returns whether a character belongs to the letter before it: a mark, or what takes no room.
pub(super) fn is_beside_letter(c: char) -> bool {
    !c.is_ascii() && (is_combining_mark(c) || is_left_out(c))
}

fn folded(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    for c in lower(&lower(word)).nfkd().filter(|c| !c.is_whitespace() && !is_left_out(*c)) {
        match letters(c) {
            Some(letters) => folded.push_str(letters),
            None if is_apostrophe(c) => folded.push('\''),
            None => folded.push(c),
        }
    }
    folded.nfc().collect()
}

/// Returns a text in one case. The compatible form of a small letter may be a capital.
fn lower(text: &str) -> String {
    UniCase::unicode(text.nfkd().collect::<String>()).to_folded_case()
}

fn is_left_out(c: char) -> bool {
    let behind = TABLES.left_out.partition_point(|(first, _)| *first <= c);
    c >= '\u{ad}' && behind > 0 && c <= TABLES.left_out[behind - 1].1
}

fn letters(c: char) -> Option<&'static str> {
    let at = TABLES.letters.binary_search_by_key(&c, |(letter, _)| *letter).ok()?;
    Some(TABLES.letters[at].1)
}

/// The tables beside this file.
struct Tables {
    /// The first and the last of characters that do not count, ascending.
    left_out: Vec<(char, char)>,
    letters: Vec<(char, &'static str)>,
    elisions: Vec<&'static str>,
}

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let character = |code: &str| u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
    let (mut left_out, mut letters) = (Vec::new(), Vec::new());
    for line in lines(include_str!("word/marks.tsv")) {
        let mut codes = line.split('\t').map_while(character);
        left_out.extend(codes.next().zip(codes.next()));
    }
    for line in lines(include_str!("word/letters.tsv")) {
        letters.extend(
            line.split_once('\t').and_then(|(written, meant)| Some((written.chars().next()?, meant))),
        );
    }
    left_out.sort_unstable();
    letters.sort_unstable();
    Tables { left_out, letters, elisions: lines(include_str!("word/elisions.tsv")).collect() }
});

/// Returns the lines of a table, without its comments.
pub(super) fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_readers_type_for_each_other_are_the_same() {
        for (one, other) in [
            ("Łódź", "lodz"),
            ("život", "zivot"),
            ("Zdeněk", "zdenek"),
            ("Eskişehir", "ESKISEHIR"),
            ("Straße", "strasse"),
            ("Đà Nẵng", "danang"),
            ("İzmir", "izmir"),
            ("IŞIK", "ışık"),
            ("Ünal", "U\u{308}nal"),
            ("μέλλον", "ΜΕΛΛΟΝ"),
            ("λόγος", "λογοσ"),
            ("йод", "и\u{306}од"),
            ("ёлка", "елка"),
            ("שָׁלוֹם", "שלום"),
            ("مُحَمَّد", "محمد"),
            ("مـحـمد", "محمد"),
            ("أحمد", "احمد"),
            ("مدرسة", "مدرسه"),
            ("على", "علي"),
            ("می\u{200c}خواهد", "میخواهد"),
            ("ﾃｽﾄ", "テスト"),
            ("ｶﾞﾗｽ", "ガラス"),
            ("한국", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"),
            ("ａｂｃ１", "abc1"),
            ("MARTA’S", "marta"),
            ("O＇Brien", "obrien"),
            ("so\u{ad}ft", "soft"),
        ] {
            assert_eq!(same_word(one), same_word(other), "{one} {other}");
        }
        for (one, other) in [
            ("दी", "द"),
            ("हिन्दी", "हिनदी"),
            ("กา", "ก"),
            ("が", "か"),
            ("c++", "c"),
            ("max_tokens", "maxtokens"),
        ] {
            assert_ne!(same_word(one), same_word(other), "{one} {other}");
        }
    }

    #[test]
    fn apostrophes_and_half_spaces_part_a_noun() {
        for (word, noun) in [
            ("l'avion", "avion"),
            ("nell’ingresso", "ingresso"),
            ("qu'il", "il"),
            ("quell'ora", "ora"),
            ("Ankara'da", "Ankara"),
            ("O'Brien", "Brien"),
        ] {
            assert_eq!(nouns(word), [noun], "{word}");
        }
        assert_eq!(nouns("کتاب\u{200c}ها"), ["کتاب", "ها"]);
        for whole in ["don't", "I'm", "they’re", "Marta's", "we've", "plain"] {
            assert!(nouns(whole).is_empty(), "{whole}");
        }
    }
}
