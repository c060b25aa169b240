//! The clauses of a query, by its tokens.

use super::token::Token;
use crate::rank::clause::{Clause, phrase};
use crate::rank::stemmer::Stemmer;
use crate::rank::term::Term;
use crate::rank::terms::{Piece, pieces};

/// Reads clauses: `NOT` binds closest, then `AND`, then `OR`.
pub(super) struct Parser<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) at: usize,
    /// Whether a plain word is required.
    pub(super) strict: bool,
}

impl Parser<'_> {
    pub(super) fn whole(&mut self) -> Option<Clause> {
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

/// Brackets within brackets beyond this are not read.
const DEEPEST: usize = 32;

fn joined(mut clauses: Vec<Clause>, join: fn(Vec<Clause>) -> Clause) -> Option<Clause> {
    if clauses.len() > 1 { Some(join(clauses)) } else { clauses.pop() }
}
