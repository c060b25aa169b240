//! Words for FTS5: the words that find a text beside its own, and the form of a query.
//!
//! FTS5 parts a text at signs and white space. So names (`C++`), scripts without spaces, and words that are folded
//! otherwise have a column of their own, with one token each. The query here may match more than is meant, and never
//! less: the ranking checks the found rows again.

use crate::search::rank::{Beside, Clause, MOST_TERMS, beside_words, stem, stems};

/// Adds what a text is found by beside its own words.
pub(super) fn add_beside(words: &mut String, text: &str) {
    beside_words(text, |beside| {
        let (Beside::Word(word) | Beside::Name(word)) = beside;
        add_token(words, word);
    });
}

/// Adds the stems of the words of a text in its language.
pub(super) fn add_stems(words: &mut String, text: &str) {
    stems(text, |stem| add_token(words, stem));
}

fn add_token(words: &mut String, word: &str) {
    if !words.is_empty() {
        words.push(' ');
    }
    words.extend(word.chars().map(token_part));
}

/// Returns a character that FTS5 takes as a part of a token: signs and marks become characters for private use.
fn token_part(c: char) -> char {
    const PRIVATE: u32 = 0xe000;
    const PRIVATE_END: u32 = 0xf900;
    // Of these scripts some letters are marks to FTS5, which part a token.
    let has_marks = matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{3099}' | '\u{309a}')
        // Letters in circles and squares are signs.
        || matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}');
    if c.is_alphanumeric() && !has_marks {
        return c;
    }
    char::from_u32(PRIVATE + u32::from(c) % (PRIVATE_END - PRIVATE)).unwrap_or(c)
}

/// Asks for one word.
pub(super) fn quoted(word: &str) -> String {
    let mut quoted = String::with_capacity(word.len() + 2);
    quoted.push('"');
    quoted.extend(word.chars().map(token_part));
    quoted.push('"');
    quoted
}

/// Asks for the rows that may fulfil a clause; `None` where that may be any.
pub(super) fn may_fulfil(clause: &Clause) -> Option<String> {
    match clause {
        Clause::Word(terms) => all_of(terms.iter().map(|term| term.written.as_str())),
        // Its words in any order: a sign or an ending between them parts them for FTS5.
        Clause::Phrase(words) => all_of(words.iter().map(|spelled| spelled.word.as_str())),
        Clause::Prefix(prefix) => joined(beginnings(prefix).into_iter().map(Some), " OR "),
        Clause::And(clauses) => joined(clauses.iter().filter_map(may_fulfil).map(Some), " AND "),
        Clause::Or(clauses) => joined(clauses.iter().map(may_fulfil), " OR "),
        // FTS5 might leave out more than is meant.
        Clause::Without(clause, _) => may_fulfil(clause),
    }
}

/// Returns whether a text has what only FTS5 reads: words near each other, at the beginning, side by side, or in columns.
pub(super) fn is_beyond_plans(text: &str) -> bool {
    let outside: String = text.split('"').step_by(2).collect::<Vec<_>>().join("\"\"");
    let is_near = outside.match_indices("NEAR").any(|(at, near)| {
        outside[at + near.len()..].trim_start().starts_with('(')
            && !outside[..at].ends_with(char::is_alphanumeric)
    });
    text.len() <= LONGEST_EXPRESSION
        && (is_near
            || outside.contains(['^', '{', '}'])
            || outside.contains(" + ")
            || outside.contains(" : "))
}

/// In bytes. FTS5 reads an expression in the square of its length; a longer one is a document.
const LONGEST_EXPRESSION: usize = 4096;

/// Asks for rows that have all of some words. FTS5 takes the longer for each the more there are, and the first of
/// them leave few rows.
fn all_of<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut asked = Vec::new();
    for word in words {
        if asked.len() < MOST_TERMS && !asked.contains(&word) {
            asked.push(word);
        }
    }
    joined(asked.into_iter().map(|word| Some(quoted(word))), " AND ")
}

/// Joins parts; `None` where one is, or where there are none.
fn joined(parts: impl Iterator<Item = Option<String>>, operator: &str) -> Option<String> {
    let parts: Vec<String> = parts.collect::<Option<_>>()?;
    (!parts.is_empty()).then(|| format!("({})", parts.join(operator)))
}

/// Returns the forms that find words with a prefix in the index, which has stems. A form is longer than the prefix,
/// or a beginning of it with which a stem may end. FTS5 stems the query too. So a form that is not its own stem is
/// replaced by a beginning of it that is.
fn beginnings(prefix: &str) -> Vec<String> {
    if !prefix.bytes().all(|byte| byte.is_ascii_lowercase()) {
        // Not stemmed here, and by FTS5 only where it ends in letters.
        let end = prefix.trim_end_matches(|c: char| c.is_ascii_lowercase());
        return vec![quoted(end) + "*"];
    }
    let own = |word: &str| {
        let mut ends = (0..=word.len()).rev().map(|end| &word[..end]);
        ends.find(|word| stem(word) == *word).unwrap_or_default().to_owned()
    };
    if prefix.len() > 64 {
        // So long a word has no stem.
        return vec![quoted(&own(&prefix[..32])) + "*"];
    }
    let mut asked = vec![quoted(&own(prefix)) + "*"];
    for (end, _) in prefix.char_indices().skip(3).chain([(prefix.len(), ' ')]) {
        for ending in ["", "e", "i"] {
            let word = format!("{}{ending}", &prefix[..end]);
            let own = own(&word);
            asked.push(if own == word { quoted(&word) } else { quoted(&own) + "*" });
        }
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::rank::Plan;

    fn asked(text: &str) -> String {
        let plan = Plan::of(text, false);
        plan.required.as_ref().and_then(may_fulfil).unwrap()
    }

    #[test]
    fn signs_in_a_word_are_asked_for() {
        assert_eq!(quoted("C++"), "\"C\u{e02b}\u{e02b}\"");
    }

    #[test]
    fn conditions_ask_for_no_less_than_they_mean() {
        assert_eq!(asked("cats AND (dogs OR birds)"), "((\"cats\") AND ((\"dogs\") OR (\"birds\")))");
        assert_eq!(asked("\"always use\""), "(\"always\" AND \"use\")");
        assert_eq!(asked("cats NOT dogs"), "(\"cats\")");
        assert_eq!(
            asked("slip*"),
            "(\"slip\"* OR \"sli\" OR \"slie\" OR \"slii\" OR \"slip\" OR \"slipe\" OR \"slipi\")"
        );
    }

    #[test]
    fn what_only_fts5_reads_is_seen() {
        for text in ["NEAR(a b, 3)", "^first", "{content category} : word", "\"one\" + \"two\""] {
            assert!(is_beyond_plans(text), "{text}");
        }
        for text in
            ["LINEAR(x)", "near (it)", "slip*", "category:preference a", "\"^ quoted : \"", "C++", "a+b"]
        {
            assert!(!is_beyond_plans(text), "{text}");
        }
        assert!(!is_beyond_plans(&"^a ".repeat(2_000)), "nobody types that");
    }

    #[test]
    fn signs_and_marks_are_parts_of_tokens() {
        let mut words = String::new();
        add_beside(&mut words, "plain C++ น้ำ");
        assert!(words.starts_with("c\u{e02b}\u{e02b} "));
        assert!(
            words.chars().all(|c| c == ' ' || c.is_alphanumeric() || ('\u{e000}'..'\u{f900}').contains(&c))
        );
    }
}
