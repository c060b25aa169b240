//! What a query asks for. Any text is a query, and none is wrong.
//!
//! Text without operators is a list of words, of which the more and the rarer are found the better; words that
//! say nothing are left out. Operators count only where they clearly stand: a phrase in balanced quotes, `AND`,
//! `OR` and `NOT` in capitals between words, `category:` or `content:` before a word or a quote, a `*` after one.

use std::collections::BTreeSet;

use super::card::Card;
use super::clause::{Clause, phrase};
use super::term::Term;
use super::terms::{Piece, Stemmer, folded, is_stop_word, pieces};

/// A query, understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Plan {
    /// The text.
    pub text: String,
    /// What rows are ranked by, each once.
    pub terms: Vec<Term>,
    /// Its words as they stand, in lower case.
    pub words: Vec<String>,
    /// What a row must fulfil.
    pub required: Option<Clause>,
    /// The category that a row must have.
    pub category: Option<String>,
}

impl Plan {
    /// Reads a query as a person types it; with `strict`, words that stand side by side are all required.
    pub(crate) fn of(text: &str, strict: bool) -> Self {
        let (tokens, is_whole) = tokens(text);
        // Strict where it is an expression; what is none is words.
        let strict = strict && is_whole && tokens.iter().all(Token::is_expression);
        let operators = tokens.iter().any(Token::is_operator);
        let special = operators || tokens.iter().any(Token::is_special);
        if (!special && !strict) || tokens.len() > MOST_TOKENS {
            return Self::plain(text);
        }
        let mut plan = Self::plain(&positive(&tokens));
        plan.category = tokens.iter().find_map(|token| match token {
            Token::Category(category) => Some(category.clone()),
            _ => None,
        });
        plan.required = Parser { tokens: &tokens, at: 0, strict: strict || operators }.whole();
        plan
    }

    /// The share of its words that a text has, each counting alike; 1 where it has no words.
    pub(crate) fn share_in(&self, text: &str) -> f64 {
        let mut there = BTreeSet::new();
        Stemmer::default().terms(text, |stem, _| {
            there.extend(self.terms.iter().position(|term| term.stem == stem));
        });
        let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        if self.terms.is_empty() { 1.0 } else { count(there.len()) / count(self.terms.len()) }
    }

    /// Whether a text fulfils what is required.
    pub(crate) fn is_fulfilled_by(&self, text: &str) -> bool {
        self.required.as_ref().is_none_or(|clause| clause.is_fulfilled_by(&Card::of(0, text)))
    }

    /// Reads a text in which nothing is an operator.
    fn plain(text: &str) -> Self {
        let mut plan = Self { text: text.to_owned(), ..Self::default() };
        let mut kept = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Word(word) => {
                    let word = folded(word);
                    if !is_stop_word(&word) {
                        kept.push_str(&word);
                        kept.push(' ');
                    }
                    plan.words.push(word);
                }
                Piece::Name(name) => {
                    plan.words.push(folded(name));
                }
                Piece::Run(run) => {
                    kept.push_str(run);
                    kept.push(' ');
                    plan.words.push(run.to_owned());
                }
            }
        }
        let take = |text: &str, plan: &mut Self| {
            Stemmer::default().terms(text, |stem, written| {
                let has_room = plan.terms.len() < MOST_TERMS;
                if has_room && !stem.is_empty() && !plan.terms.iter().any(|there| there.stem == stem) {
                    plan.terms.push(Term { stem: stem.to_owned(), written: written.to_owned() });
                }
            });
        };
        for piece in pieces(text) {
            if let Piece::Name(name) = piece {
                let name = folded(name);
                plan.terms.push(Term { stem: name.clone(), written: name });
            }
        }
        plan.terms.sort_unstable_by(|one, other| one.stem.cmp(&other.stem));
        plan.terms.dedup();
        take(&kept, &mut plan);
        if plan.terms.is_empty() {
            take(text, &mut plan);
        }
        plan.terms.truncate(MOST_TERMS);
        plan
    }
}

/// A text with more is a document; what it begins with says what it is about.
pub(crate) const MOST_TERMS: usize = 64;

/// A text with more is no expression that somebody typed, and would be one too deep to follow.
const MOST_TOKENS: usize = 256;

#[derive(Debug, Clone, PartialEq)]
enum Token {
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
    fn is_operator(&self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Not)
    }

    fn is_special(&self) -> bool {
        matches!(self, Self::Phrase(_) | Self::Prefix(_) | Self::Category(_))
    }

    /// Whether it stands in an expression as it is: a word with signs in it does not.
    fn is_expression(&self) -> bool {
        !matches!(self, Self::Text(word) if !word.chars().all(|c| c.is_alphanumeric() || c == '_'))
    }

    fn is_operand(&self) -> bool {
        matches!(self, Self::Text(_) | Self::Phrase(_) | Self::Prefix(_))
    }
}

/// Parts a query, and says whether all of it could be taken as it is meant: a quote that is not closed, and an
/// operator that has nothing on a side, are text.
fn tokens(text: &str) -> (Vec<Token>, bool) {
    let mut tokens = Vec::new();
    let straight = text.replace(['“', '”'], "\"");
    let balanced = straight.matches('"').count().is_multiple_of(2);
    let mut is_whole = balanced;
    let mut column = None;
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
            word_tokens(chunk, &mut tokens);
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

/// What names a column in front of a word or a phrase.
const CATEGORY: &str = "category:";
const CONTENT: &str = "content:";

fn operator_text(token: &Token) -> &'static str {
    match token {
        Token::And => "and",
        Token::Or => "or",
        _ => "not",
    }
}

fn word_tokens(chunk: &str, tokens: &mut Vec<Token>) {
    match chunk {
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
            Some(prefix) => tokens.push(Token::Prefix(folded(prefix))),
            None if word.is_empty() => {}
            None => tokens.push(Token::Text(word.to_owned())),
        }
    }
    tokens.extend(std::iter::repeat_n(Token::Close, inner.len() - inner.trim_end_matches(')').len()));
}

fn is_plain_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// What is asked for, without what is asked not to be.
fn positive(tokens: &[Token]) -> String {
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

/// Reads clauses: `NOT` binds closest, then `AND`, then `OR`.
struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    /// Whether a plain word is required.
    strict: bool,
}

impl Parser<'_> {
    fn whole(&mut self) -> Option<Clause> {
        let mut clauses = Vec::new();
        while self.at < self.tokens.len() {
            clauses.extend(self.any(0));
            // A bracket that nothing opened.
            self.at += 1;
        }
        joined(clauses, Clause::And)
    }

    fn any(&mut self, depth: usize) -> Option<Clause> {
        let mut clauses = vec![self.all(depth)];
        while self.take(&Token::Or) {
            clauses.push(self.all(depth));
        }
        joined(clauses.into_iter().flatten().collect(), Clause::Or)
    }

    fn all(&mut self, depth: usize) -> Option<Clause> {
        let mut clauses: Vec<Clause> = Vec::new();
        loop {
            match self.tokens.get(self.at) {
                None | Some(Token::Or | Token::Close) => break,
                Some(Token::And | Token::Category(_)) => self.at += 1,
                Some(Token::Not) => {
                    self.at += 1;
                    if let Some(without) = self.one(depth)
                        && let Some(clause) = joined(std::mem::take(&mut clauses), Clause::And)
                    {
                        clauses.push(Clause::Without(Box::new(clause), Box::new(without)));
                    }
                }
                Some(_) => clauses.extend(self.one(depth)),
            }
        }
        joined(clauses, Clause::And)
    }

    fn one(&mut self, depth: usize) -> Option<Clause> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            Token::Open if depth < DEEPEST => {
                let inner = self.any(depth + 1);
                self.take(&Token::Close);
                inner
            }
            Token::Phrase(text) => Some(Clause::Phrase(phrase(text))),
            // A script without spaces has no words that begin.
            Token::Prefix(prefix) if pieces(prefix).any(|piece| matches!(piece, Piece::Run(_))) => {
                Some(Clause::Phrase(phrase(prefix)))
            }
            Token::Prefix(prefix) => Some(Clause::Prefix(prefix.clone())),
            Token::Text(text) if self.strict => {
                let mut terms = Vec::new();
                Stemmer::default().terms(text, |stem, written| {
                    terms.push(Term { stem: stem.to_owned(), written: written.to_owned() });
                });
                (!terms.is_empty()).then_some(Clause::Word(terms))
            }
            _ => None,
        }
    }

    fn take(&mut self, token: &Token) -> bool {
        let is = self.tokens.get(self.at) == Some(token);
        self.at += usize::from(is);
        is
    }
}

/// Puts a text on one line: what is typed, without the characters that control a terminal.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Brackets within brackets beyond this are not read.
const DEEPEST: usize = 32;

fn joined(mut clauses: Vec<Clause>, join: fn(Vec<Clause>) -> Clause) -> Option<Clause> {
    if clauses.len() > 1 { Some(join(clauses)) } else { clauses.pop() }
}

#[cfg(test)]
mod tests {
    use super::super::index::{Index, Visibility};
    use super::*;

    #[test]
    fn a_question_is_its_content_words() {
        let plan = Plan::of("What did I ever say about the dogs, and about C++?", false);
        let stems = |plan: &Plan| plan.terms.iter().map(|term| term.stem.clone()).collect::<Vec<_>>();
        assert_eq!(stems(&plan), ["c++", "sai", "dog", "c"]);
        assert_eq!(plan.terms[2].written, "dogs");
        assert!(plan.required.is_none() && plan.category.is_none());
        assert_eq!(
            stems(&Plan::of("who are you", false)),
            ["who", "ar", "you"],
            "else nothing would be left"
        );
    }

    #[test]
    fn operators_count_only_where_they_clearly_stand() {
        for plain in [
            "C++",
            "0.5%",
            "O'Brien",
            "(MoMA)",
            "AND",
            "OR what",
            "salt and pepper",
            "a \"b",
            "\"\"",
            "5 * 3",
            "*",
            "category:",
            "note: this",
            "http://x.y/z?a=b",
            "NOT this",
            "cats NOT",
            "-",
            "^top",
            "a:b:c",
            "NEAR(a b)",
        ] {
            let plan = Plan::of(plain, false);
            assert!(plan.required.is_none() && plan.category.is_none(), "{plain}: {plan:?}");
        }
        for special in
            ["\"always use\"", "cats AND dogs", "cats OR dogs", "cats NOT dogs", "slip*", "“always use”"]
        {
            assert!(Plan::of(special, false).required.is_some(), "{special}");
        }
        assert_eq!(Plan::of("category:preference slippage", false).category.as_deref(), Some("preference"));
    }

    fn found(query: &str) -> Vec<usize> {
        const ROWS: [&str; 7] = [
            "I always use limit orders",
            "always used market orders",
            "slippage was high",
            "slippages and slips",
            "happiness is a warm dog",
            "cats and dogs",
            "cats alone",
        ];
        let mut index = Index::default();
        for (id, text) in (0..).zip(ROWS) {
            index.add(&Card::of(id, text));
        }
        let clause = Plan::of(query, false).required.expect("it has operators");
        let may: Vec<usize> = index
            .fulfilling(&clause, Visibility::All)
            .into_iter()
            .map(|id| usize::try_from(id).unwrap())
            .collect();
        let rows: Vec<usize> =
            (0..ROWS.len()).filter(|row| clause.is_fulfilled_by(&Card::of(0, ROWS[*row]))).collect();
        assert!(rows.iter().all(|row| may.contains(row)), "an index leaves none out: {query}");
        rows
    }

    #[test]
    fn a_phrase_is_found_as_it_stands() {
        assert_eq!(found("\"always use\""), [0]);
        assert_eq!(found("\"Always USED\""), [1]);
        assert_eq!(found("\"orders always\""), [0; 0]);
    }

    // A phrase of signs found the rows with its letters alone: `"C++"` found vitamin C.
    #[test]
    fn a_phrase_asks_for_the_signs_that_it_has_and_for_no_others() {
        let holds = |query: &str, text: &str| {
            Plan::of(query, false)
                .required
                .unwrap_or_else(|| panic!("{query}"))
                .is_fulfilled_by(&Card::of(0, text))
        };
        for (query, texts, others) in [
            (
                "\"C++\"",
                &["writes C++.", "C++", "(c++)", "uses C++/Rust", "C++, mostly"][..],
                &["vitamin C", "C#", "C", "c+", "c ++", "C+++"][..],
            ),
            ("\"C#\"", &["C# at work", "likes c#!"], &["C", "C++", "#C"]),
            ("\"0.5%\"", &["fell 0.5% today", "(0.5%)"], &["0.5", "0 5%", "0-5%", "5%"]),
            ("\"BTC-USD\"", &["holds btc-usd", "BTC-USD."], &["BTC USD", "BTC/USD", "BTC - USD"]),
            ("\".NET\"", &["likes .NET", ".net core"], &["a net", "NET"]),
            ("\"use C++ daily\"", &["I use C++ daily."], &["use C daily", "use C# daily"]),
            ("\"well known\"", &["well known", "a well-known face", "well, known"], &["known well"]),
            ("\"Hello, world!\"", &["hello world", "Hello, World"], &["world hello"]),
            ("\"O'Brien\"", &["met O'Brien", "obrien"], &["O Brien"]),
            ("\"山寨币\"", &["说山寨币", "山寨币。"], &["山币"]),
            ("\"C\"", &["vitamin C", "C++"], &["vitamin"]),
        ] {
            for text in texts {
                assert!(holds(query, text), "{query} finds {text}");
            }
            for text in others {
                assert!(!holds(query, text), "{query} does not find {text}");
            }
        }
    }

    // A category of two words could be written and never asked for.
    #[test]
    fn a_quoted_category_may_have_spaces_and_signs() {
        let plan = |query: &str| Plan::of(query, false);
        for (query, category, is_required) in [
            ("category:\"travel plans\" Porto", "travel plans", false),
            ("Porto category:“travel plans”", "travel plans", false),
            ("(category:\"a/b: c\" AND Porto)", "a/b: c", true),
            ("category:\"x\"", "x", false),
            ("category:preference slippage", "preference", false),
        ] {
            let plan = plan(query);
            assert_eq!(plan.category.as_deref(), Some(category), "{query}");
            assert_eq!(plan.required.is_some(), is_required, "{query}");
        }
        assert_eq!(plan("category:\"travel plans\" Porto").words, ["porto"]);
        assert_eq!(plan("subcategory:\"travel plans\"").category, None);
        assert_eq!(plan("category:\" \"").category, None);
        let phrase = plan("content:\"always use\"");
        assert_eq!(phrase.required, plan("\"always use\"").required);
        assert_eq!(phrase.category, None);
    }

    #[test]
    fn words_are_joined_parted_and_left_out() {
        assert_eq!(found("cats AND dogs"), [5]);
        assert_eq!(found("cats OR slippage"), [2, 3, 5, 6]);
        assert_eq!(found("cats NOT dogs"), [6]);
        assert_eq!(found("(cats OR dog) NOT alone"), [4, 5]);
        assert_eq!(found("dogs AND (cats OR happiness)"), [4, 5]);
        assert_eq!(found("cats NOT (dogs OR alone)"), [0; 0]);
        assert_eq!(found("orders AND \"always use\""), [0]);
    }

    #[test]
    fn a_prefix_is_of_the_word_and_not_of_its_stem() {
        assert_eq!(found("slip*"), [2, 3]);
        assert_eq!(found("slippage*"), [2, 3]);
        assert_eq!(found("slippages*"), [3]);
        assert_eq!(found("happin*"), [4]);
        assert_eq!(found("happy*"), [0; 0]);
    }
}
