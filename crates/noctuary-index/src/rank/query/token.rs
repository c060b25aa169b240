//! The tokens of a query: words, phrases, operators and brackets.

use crate::rank::terms::pieces;
use crate::rank::word::same_word;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Text(String),
    Phrase(String),
    Prefix(String),
    Category(String),
    And,
    Or,
    Not,
    Open,
    Close,
}

impl Token {
    pub(super) fn is_operator(&self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Not)
    }

    pub(super) fn is_special(&self) -> bool {
        matches!(self, Self::Phrase(_) | Self::Prefix(_) | Self::Category(_))
    }

    /// Returns whether it is written in an expression as it is: a word with signs in it is not.
    pub(super) fn is_expression(&self) -> bool {
        !matches!(self, Self::Text(word) if !word.chars().all(|c| c.is_alphanumeric() || c == '_'))
    }

    pub(super) fn is_operand(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Phrase(_) | Self::Prefix(_))
    }
}

/// Parts a query, and says whether all of it was read as it is meant. A quote that is not closed, and an
/// operator with nothing on a side, are read as text.
pub(super) fn tokens(text: &str) -> (Vec<Token>, bool) {
    let mut tokens = Vec::new();
    let straight = text.replace(['“', '”'], "\"");
    let balanced = straight.matches('"').count().is_multiple_of(2);
    let mut is_whole = balanced;
    let mut column = None;
    let shouts = is_all_capitals(text);
    for (number, part) in straight.split('"').enumerate() {
        if balanced && number % 2 == 1 {
            if column.take() == Some(CATEGORY) && !part.trim().is_empty() {
                tokens.push(Token::Category(part.trim().to_owned()));
            } else if pieces(part).next().is_some() {
                tokens.push(Token::Phrase(part.to_owned()));
            }
            continue;
        }
        // Right before a quote: `category:"travel plans"`.
        let names_column = |column: &&str| {
            let before = part.strip_suffix(*column);
            balanced
                && before.is_some_and(|before| !before.ends_with(|c: char| !c.is_whitespace() && c != '('))
        };
        column = [CATEGORY, CONTENT].into_iter().find(names_column);
        let part = column.and_then(|column| part.strip_suffix(column)).unwrap_or(part);
        for chunk in part.split_whitespace() {
            word_tokens(chunk, shouts, &mut tokens);
        }
    }
    // From both sides: `AND AND x` has no operator.
    let mut before = false;
    for token in &mut tokens {
        if token.is_operator() && !before {
            *token = Token::Text(operator_text(token).to_owned());
            is_whole = false;
        }
        before = token.is_operand() || matches!(token, Token::Close | Token::Category(_));
    }
    let mut after = false;
    for token in tokens.iter_mut().rev() {
        if token.is_operator() && !after {
            *token = Token::Text(operator_text(token).to_owned());
            is_whole = false;
        }
        after = token.is_operand() || matches!(token, Token::Open | Token::Category(_));
    }
    (tokens, is_whole)
}

/// The column name in front of a word or a phrase.
const CATEGORY: &str = "category:";
const CONTENT: &str = "content:";

fn operator_text(token: &Token) -> &'static str {
    match token {
        Token::And => "and",
        Token::Or => "or",
        _ => "not",
    }
}

/// Returns whether all letters beside the operators are capitals: an operator is not seen there.
fn is_all_capitals(text: &str) -> bool {
    let words = text.split_whitespace().filter(|chunk| !matches!(*chunk, "AND" | "OR" | "NOT"));
    let mut letters = words.flat_map(str::chars).filter(|c| c.is_alphabetic()).peekable();
    letters.peek().is_some() && letters.all(char::is_uppercase)
}

fn word_tokens(chunk: &str, shouts: bool, tokens: &mut Vec<Token>) {
    match chunk {
        "AND" | "OR" | "NOT" if shouts => {}
        "AND" => return tokens.push(Token::And),
        "OR" => return tokens.push(Token::Or),
        "NOT" => return tokens.push(Token::Not),
        _ => {}
    }
    let inner = chunk.trim_start_matches('(');
    tokens.extend(std::iter::repeat_n(Token::Open, chunk.len() - inner.len()));
    let word = inner.trim_end_matches(')');
    if let Some(category) = word.strip_prefix(CATEGORY).filter(|rest| is_plain_word(rest)) {
        tokens.push(Token::Category(category.to_owned()));
    } else {
        let word = word.strip_prefix(CONTENT).filter(|rest| !rest.is_empty()).unwrap_or(word);
        match word.strip_suffix('*').filter(|rest| is_plain_word(rest)) {
            Some(prefix) => tokens.push(Token::Prefix(same_word(prefix))),
            None if word.is_empty() => {}
            None => tokens.push(Token::Text(word.to_owned())),
        }
    }
    tokens.extend(std::iter::repeat_n(Token::Close, inner.len() - inner.trim_end_matches(')').len()));
}

fn is_plain_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// Returns the query without its excluded parts.
pub(super) fn positive(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut skip = false;
    let mut depth = 0;
    for token in tokens {
        match token {
            Token::Not => skip = true,
            Token::Open if skip => depth += 1,
            Token::Close if skip => {
                depth -= 1;
                skip = depth > 0;
            }
            Token::Text(word) | Token::Phrase(word) | Token::Prefix(word) => {
                if skip {
                    skip = depth > 0;
                } else {
                    text.push_str(word);
                    text.push(' ');
                }
            }
            _ => {}
        }
    }
    text
}
