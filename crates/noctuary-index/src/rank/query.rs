//! The meaning of a query. Any text is a query, and no text is an error.
//!
//! Text without operators is a list of words: the more words are found, and the rarer they are, the better. Words that
//! say nothing are left out. Operators count only in a clear place. A phrase is in balanced quotes. `AND`, `OR` and
//! `NOT` are in capitals between words that are not all capitals. `category:` or `content:` is before a word or a
//! quote, a `*` after a word.

mod parser;
mod token;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::card::Card;
use super::clause::Clause;
use super::language::Guess;
use super::stemmer::Stemmer;
use super::term::Term;
use super::terms::{Piece, is_stop_word, pieces};
use super::word::{nouns, same_run, same_word};
use parser::Parser;
use token::{Token, positive, tokens};

/// A query, understood.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The text.
    pub text: String,
    /// The terms that rows are ranked by, each once.
    pub terms: Vec<Term>,
    /// Its words as they are, in lower case.
    pub words: Vec<String>,
    /// The condition on a row.
    pub required: Option<Clause>,
    /// The category that a row must have.
    pub category: Option<String>,
    /// Whether it may ask for the past, and whether it does, once somebody asked.
    pub(super) past: OnceLock<(bool, bool)>,
}

impl Plan {
    /// Reads a query as a person types it; with `strict`, words that are side by side are all required.
    #[must_use]
    pub fn of(text: &str, strict: bool) -> Self {
        let (tokens, is_whole) = tokens(text);
        // Strict where it is an expression; what is none is words.
        let strict = strict && is_whole && tokens.iter().all(Token::is_expression);
        let operators = tokens.iter().any(Token::is_operator);
        let special = operators || tokens.iter().any(Token::is_special);
        if (!special && !strict) || tokens.len() > MOST_TOKENS {
            return Self::plain(text);
        }
        let mut plan = Self::plain(&positive(&tokens));
        // Operators say exactly which words are meant.
        plan.terms.retain(|term| !term.is_stem());
        plan.category = tokens.iter().find_map(|token| match token {
            Token::Category(category) => Some(category.clone()),
            _ => None,
        });
        plan.required = Parser { tokens: &tokens, at: 0, strict: strict || operators }.whole();
        plan
    }

    /// Returns the share of its words that a text has, each counting alike; 1 where it has no words.
    #[must_use]
    pub fn share_in(&self, text: &str) -> f64 {
        let count = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let there = || {
            let mut stemmer = Stemmer::only(self.terms.iter().map(|term| term.stem.as_str()));
            self.words_in(stemmer.guess(text), text, &mut stemmer)
        };
        // A word and its stem are one word.
        let all = self.terms.iter().filter(|term| !term.is_stem()).count();
        if all == 0 { 1.0 } else { count(there()) / count(all) }
    }

    /// Counts the words of the query that a part of a text has.
    pub(super) fn words_in(&self, guess: Guess, text: &str, stemmer: &mut Stemmer) -> usize {
        let mut there = BTreeSet::new();
        stemmer.indexed_within(guess, text, &mut |stem, _| {
            there.extend(self.terms.iter().find(|term| term.stem == stem).map(|term| term.written.as_str()));
        });
        there.len()
    }

    /// Returns its text where that may be answered by meaning. `None` for one with operators, which say exactly what is
    /// wanted, and for one without words.
    #[must_use]
    pub fn for_meaning(self) -> Option<String> {
        (self.required.is_none() && !self.terms.is_empty()).then_some(self.text)
    }

    /// Returns whether a text fulfils what is required.
    #[must_use]
    pub fn is_fulfilled_by(&self, text: &str) -> bool {
        self.required.as_ref().is_none_or(|clause| clause.is_fulfilled_by(&Card::of(0, text)))
    }

    /// Reads a text in which nothing is an operator.
    fn plain(text: &str) -> Self {
        let mut plan = Self { text: text.to_owned(), ..Self::default() };
        let mut kept = String::with_capacity(text.len());
        for piece in pieces(text) {
            match piece {
                Piece::Word(word) => {
                    for word in std::iter::once(word).chain(nouns(word)).map(same_word) {
                        if !is_stop_word(&word) {
                            kept.push_str(&word);
                            kept.push(' ');
                        }
                        plan.words.push(word);
                    }
                }
                Piece::Name(name) => {
                    plan.words.push(same_word(name));
                }
                Piece::Run(run) => {
                    kept.push_str(run);
                    kept.push(' ');
                    plan.words.push(same_run(run).into_owned());
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
                let name = same_word(name);
                plan.terms.push(Term { stem: name.clone(), written: name });
            }
        }
        plan.terms.sort_unstable_by(|one, other| one.stem.cmp(&other.stem));
        plan.terms.dedup();
        take(&kept, &mut plan);
        if plan.terms.is_empty() {
            take(text, &mut plan);
        }
        // A syllable of a word is in most texts: `テレビ` is not in `アレルギー`. A sentence is found by its particles too.
        let Self { terms, words, .. } = &mut plan;
        let is_kana = |c| matches!(c, '\u{3041}'..='\u{30ff}');
        let is_wanted = |run: &String| !matches!(run.chars().count(), 2..=LONGEST_KANA_WORD);
        terms.retain(|Term { written, .. }| {
            let mut chars = written.chars();
            let is_syllable = chars.next().is_some_and(is_kana) && chars.next().is_none();
            !is_syllable || words.iter().any(|run| run.contains(written.as_str()) && is_wanted(run))
        });
        plan.add_stems();
        plan.terms.truncate(MOST_TERMS);
        plan
    }

    /// Adds the stems of its words in the languages in which they may be, where it is not in English.
    fn add_stems(&mut self) {
        let mut stems: Vec<Term> = Vec::new();
        Guess::of_query(&self.text).each_stem_of_query(&self.text, |word, stem| {
            if !stems.iter().any(|there| there.stem == stem) {
                stems.push(Term { stem, written: same_word(word) });
            }
        });
        self.terms.extend(stems);
    }
}

/// A text with more is a document; what it begins with says what it is about.
pub const MOST_TERMS: usize = 64;

/// The most characters of a run of Japanese that is one word, and no sentence.
const LONGEST_KANA_WORD: usize = 5;

/// A text with more is no expression that somebody typed, and would be one too deep to follow.
const MOST_TOKENS: usize = 256;

/// Puts a text on one line: what is typed, without the characters that control a terminal.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postings::pages::MemoryPages;
    use crate::postings::partition::Partition;
    use crate::postings::row::with_terms;
    use crate::rank::{Stemmer, Visibility};

    #[test]
    fn the_stem_of_a_name_is_more_than_its_first_letters() {
        for name in ["Ankara", "Anna", "Ana", "Anja", "Anton"] {
            let plan = Plan::of(name, false);
            let article = plan.terms.iter().find(|term| term.stem == "~an" || term.stem == "~a");
            assert_eq!(article, None, "{name}");
        }
        let plan = Plan::of("hanta", false);
        assert!(plan.terms.iter().any(Term::is_stem), "other stems are sought: {:?}", plan.terms);
    }

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
            "PLEASE DO NOT DEPLOY ON FRIDAYS",
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
        let (mut index, pages) = (Partition::new(0), MemoryPages::default());
        for (id, text) in (0..).zip(ROWS) {
            with_terms(&Card::of(id, text), &mut Stemmer::default(), |row| index.add(&pages, row)).unwrap();
        }
        let clause = Plan::of(query, false).required.expect("it has operators");
        let may: Vec<usize> = index
            .fulfilling(&pages, &clause, Visibility::All)
            .unwrap()
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
