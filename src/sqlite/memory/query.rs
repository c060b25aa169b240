//! What a person types, as FTS5 is asked for it. No text fails: what is no syntax is words.

use super::row::{is_unspaced, unspaced_runs};
use crate::memory::{Query, Syntax};

/// At most so many words are looked for.
const MOST_WORDS: usize = 64;

/// Parts that one written word may have to be looked for as a phrase: `BTC-USD`, `2026-11-21`.
const MOST_PARTS: usize = 6;

/// How a search is done: the first of these that FTS5 takes.
pub(in crate::sqlite) struct Plan {
    /// Expressions of FTS5, the most literal first.
    pub(in crate::sqlite) matches: Vec<Match>,
    /// Looked for as it is, where the text holds no word at all.
    pub(in crate::sqlite) literal: Option<String>,
    /// The words that a row should share, in lower case.
    pub(super) words: Vec<String>,
}

/// An expression of FTS5.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::sqlite) struct Match {
    pub(in crate::sqlite) expression: String,
    /// Phrases that a row must hold as they are written: the index knows stems only.
    pub(in crate::sqlite) exact: Vec<String>,
}

/// Reads a query.
pub(in crate::sqlite) fn plan(query: &Query) -> Plan {
    let text: String = query.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut matches = Vec::new();
    if query.syntax == Syntax::Fts && !text.trim().is_empty() {
        matches.push(Match { exact: exact_phrases(&text), expression: text.clone() });
    }
    if has_operators(&text) {
        matches.extend(operators(&text));
    }
    let words = content_words(&text);
    let plain: Vec<String> = words.iter().map(|word| as_written(word)).collect();
    if !plain.is_empty() {
        matches.push(Match { expression: plain.join(" OR "), exact: Vec::new() });
    }
    let literal = text.trim();
    let literal = (plain.is_empty() && !literal.is_empty()).then(|| literal.to_owned());
    Plan { matches, literal, words }
}

/// Whether operators are clearly meant: a quoted phrase, `AND`, `OR` or `NOT` between words, a column before a
/// word, a `*` after one.
fn has_operators(text: &str) -> bool {
    let quotes = text.matches('"').count();
    if quotes > 0 && quotes.is_multiple_of(2) && text.split('"').skip(1).step_by(2).any(has_word) {
        return true;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_between =
        |at: usize| at > 0 && has_word(words[at - 1]) && words.get(at + 1).is_some_and(|w| has_word(w));
    words.iter().enumerate().any(|(at, word)| {
        (is_operator(word) && is_between(at)) || prefix(word).is_some() || column(word).is_some()
    })
}

fn is_operator(word: &str) -> bool {
    matches!(word, "AND" | "OR" | "NOT")
}

/// The beginning of words that `slip*` stands for.
fn prefix(word: &str) -> Option<&str> {
    let word = word.strip_suffix('*')?;
    (!word.is_empty() && word.chars().all(char::is_alphanumeric)).then_some(word)
}

/// The column and the word of `category:preference`.
fn column(word: &str) -> Option<(&str, &str)> {
    let (column, word) = word.split_once(':')?;
    (matches!(column, "category" | "content") && (has_word(word) || word == "\"")).then_some((column, word))
}

fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// Reads operators where they are some, and everything else as words that must all be there.
fn operators(text: &str) -> Option<Match> {
    let mut expression = String::new();
    // Whether an operand stands at the end, so that an operator may follow and another operand needs one.
    let mut after_operand = false;
    let mut column_of = String::new();
    let push = |expression: &mut String, after: &mut bool, column: &mut String, operand: &str| {
        if *after {
            expression.push_str(" AND ");
        }
        expression.push_str(column);
        expression.push_str(operand);
        column.clear();
        *after = true;
    };
    for (at, part) in text.split('"').enumerate() {
        if at % 2 == 1 {
            if has_word(part) {
                push(&mut expression, &mut after_operand, &mut column_of, &format!("({})", all_of(part)));
            }
            continue;
        }
        for word in part.split_whitespace() {
            if is_operator(word) && after_operand {
                expression.push_str(&format!(" {word} "));
                after_operand = false;
                continue;
            }
            let (named, word) = match word.split_once(':') {
                Some((name @ ("category" | "content"), word)) => (Some(name), word),
                _ => (None, word),
            };
            if let Some(name) = named {
                column_of = format!("{name} : ");
            }
            if let Some(word) = prefix(word) {
                push(&mut expression, &mut after_operand, &mut column_of, &format!("{}*", quoted(word)));
            } else if has_word(word) {
                push(&mut expression, &mut after_operand, &mut column_of, &format!("({})", all_of(word)));
            }
        }
    }
    // An operator at the end has nothing to join.
    let expression = expression.trim_end();
    let expression = [" AND", " OR", " NOT"]
        .iter()
        .find_map(|operator| expression.strip_suffix(operator))
        .unwrap_or(expression)
        .to_owned();
    (!expression.is_empty()).then(|| Match { exact: exact_phrases(text), expression })
}

/// The quoted phrases that every row of the answer must hold: none, where the text says *or* or *not*.
fn exact_phrases(text: &str) -> Vec<String> {
    let outside = text.split('"').step_by(2);
    let free = |part: &str| {
        part.split_whitespace().any(|word| matches!(word, "OR" | "NOT") || word.starts_with("NEAR"))
    };
    if !text.matches('"').count().is_multiple_of(2) || outside.into_iter().any(free) {
        return Vec::new();
    }
    let phrases: Vec<&str> = text.split('"').collect();
    let is_prefix = |at: usize| phrases.get(at + 1).is_some_and(|after| after.trim_start().starts_with('*'));
    phrases
        .iter()
        .enumerate()
        .filter(|(at, phrase)| at % 2 == 1 && has_word(phrase) && !is_prefix(*at))
        .map(|(_, phrase)| (*phrase).to_owned())
        .collect()
}

/// A phrase as an expression: its spaced words in a row, and the characters of unspaced scripts by pairs.
fn all_of(phrase: &str) -> String {
    let spaced: Vec<&str> = phrase.split(is_unspaced).map(str::trim).filter(|part| has_word(part)).collect();
    let mut parts: Vec<String> = spaced.into_iter().map(quoted).collect();
    parts.extend(pairs(phrase).iter().map(|pair| quoted(pair)));
    parts.join(" AND ")
}

/// What the index holds of the unspaced scripts in a text: pairs, or the single character of a run of one.
fn pairs(text: &str) -> Vec<String> {
    let of_run = |run: &Vec<char>| -> Vec<String> {
        match run.len() {
            1 => vec![run[0].to_string()],
            _ => run.windows(2).map(|pair| pair.iter().collect()).collect(),
        }
    };
    unspaced_runs(text).iter().flat_map(of_run).collect()
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', " "))
}

/// A word of [`content_words`] as an expression.
fn as_written(word: &str) -> String {
    quoted(word)
}

/// The words of a question that say what it is about, each once, in lower case: all of them where all are
/// stop words.
fn content_words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for written in text.split(|c: char| c.is_whitespace() || matches!(c, '/' | ':' | '|' | '"' | '—' | '–'))
    {
        let lower = written.to_lowercase().replace('’', "'");
        let lower = lower.trim_matches(|c: char| !c.is_alphanumeric());
        let lower = lower.strip_suffix("'s").unwrap_or(lower);
        words.extend(pairs(lower));
        for spaced in lower.split(is_unspaced).filter(|part| has_word(part)) {
            let parts: Vec<&str> =
                spaced.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).collect();
            if parts.len() > MOST_PARTS {
                words.extend(parts.into_iter().map(str::to_owned));
            } else {
                words.push(spaced.trim_matches(|c: char| !c.is_alphanumeric()).to_owned());
            }
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    words.retain(|word| seen.insert(word.clone()));
    let is_content = |word: &&String| !STOP.contains(&word.as_str());
    let content: Vec<String> = words.iter().filter(is_content).take(MOST_WORDS).cloned().collect();
    if content.is_empty() { words.into_iter().take(MOST_WORDS).collect() } else { content }
}

/// Whether `text` holds `phrase` as it is written; case, punctuation and white space do not count.
pub(in crate::sqlite) fn holds(text: &str, phrase: &str) -> bool {
    let (text, phrase) = (spaced(text), spaced(phrase));
    if phrase.is_empty() {
        return true;
    }
    let is_edge = |inside: Option<char>, outside: Option<char>| {
        outside.is_none_or(|c| c == ' ')
            || inside.is_some_and(is_unspaced)
            || outside.is_some_and(is_unspaced)
    };
    text.match_indices(&phrase).any(|(at, found)| {
        is_edge(found.chars().next(), text[..at].chars().next_back())
            && is_edge(found.chars().next_back(), text[at + found.len()..].chars().next())
    })
}

fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            spaced.push(c);
        } else if !spaced.ends_with(' ') && !spaced.is_empty() {
            spaced.push(' ');
        }
    }
    spaced.truncate(spaced.trim_end().len());
    spaced
}

/// Words of English that say nothing of what a question is about.
const STOP: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been",
    "before", "being", "both", "but", "by", "can", "can't", "could", "did", "didn't", "do", "does",
    "doesn't", "doing", "don't", "down", "during", "each", "few", "for", "from", "further", "get", "got",
    "had", "has", "have", "having", "he", "her", "here", "hers", "him", "his", "how", "i", "i'd", "i'll",
    "i'm", "i've", "if", "in", "into", "is", "isn't", "it", "its", "itself", "just", "let", "like", "many",
    "may", "me", "might", "more", "most", "much", "must", "my", "no", "nor", "not", "now", "of", "off", "on",
    "once", "only", "or", "other", "our", "ours", "out", "over", "own", "please", "same", "shall", "she",
    "should", "so", "some", "such", "tell", "than", "that", "the", "their", "theirs", "them", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "very",
    "was", "wasn't", "we", "we're", "were", "what", "when", "where", "which", "while", "who", "whom",
    "whose", "why", "will", "with", "would", "you", "you're", "your", "yours",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn expressions(query: &Query) -> Vec<String> {
        plan(query).matches.into_iter().map(|found| found.expression).collect()
    }

    #[test]
    fn questions_become_their_content_words() {
        for (text, expression) in [
            ("What is the slippage of Base?", "\"slippage\" OR \"base\""),
            ("O'Brien's C++ at 0.5%", "\"o'brien\" OR \"c\" OR \"0.5\""),
            ("BTC-USD (E0277) btc-usd", "\"btc-usd\" OR \"e0277\""),
            ("who are you", "\"who\" OR \"are\" OR \"you\""),
            ("交易 base", "\"交易\" OR \"base\""),
        ] {
            assert_eq!(expressions(&Query::new(text)), [expression], "{text}");
        }
        let signs = plan(&Query::new(" +++ "));
        assert_eq!((signs.matches.len(), signs.literal.as_deref()), (0, Some("+++")));
    }

    // SQ-10
    #[test]
    fn operators_count_where_they_are_clearly_meant() {
        for (text, expression) in [
            ("\"always use\"", "(\"always use\")"),
            ("slippage AND base", "(\"slippage\") AND (\"base\")"),
            ("slippage NOT base", "(\"slippage\") NOT (\"base\")"),
            ("category:preference slippage", "category : (\"preference\") AND (\"slippage\")"),
            ("slip*", "\"slip\"*"),
            ("slip* OR BTC-USD", "\"slip\"* OR (\"BTC-USD\")"),
        ] {
            assert_eq!(expressions(&Query::new(text))[0], expression, "{text}");
        }
        for text in
            ["C++", "0.5%", "O'Brien", "5 * 3", "AND", "a \"lone quote", "note: this", "**bold**", "or so"]
        {
            assert!(!has_operators(text), "{text}");
        }
    }

    // SQ-04
    #[test]
    fn a_phrase_is_held_as_it_is_written() {
        assert!(holds("I always  use it", "Always use"));
        assert!(!holds("I always used it", "always use"));
        assert!(!holds("always\nusing", "always use"));
        assert!(holds("我喜欢交易", "交易"));
        assert!(holds("anything", "?!"));
    }
}
