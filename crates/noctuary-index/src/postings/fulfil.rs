//! The rows that may fulfil a condition.

use std::collections::BTreeSet;

use super::error::Result;
use super::pages::Pages;
use super::partition::Partition;
use super::scan::Having;
use crate::rank::{Clause, Visibility, may_begin, stem};

impl Partition {
    /// Returns the rows in sight that may fulfil a clause, and all that do, by id.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read.
    pub fn fulfilling(&self, pages: &dyn Pages, clause: &Clause, visibility: Visibility) -> Result<Vec<i64>> {
        Ok(self.may_fulfil(pages, clause, visibility)?.into_iter().collect())
    }

    fn may_fulfil(
        &self,
        pages: &dyn Pages,
        clause: &Clause,
        visibility: Visibility,
    ) -> Result<BTreeSet<i64>> {
        let having = |having: Having, terms: &[String]| -> Result<BTreeSet<i64>> {
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            Ok(self.all_having(pages, (having, &terms), visibility)?.into_iter().collect())
        };
        let each = |clause: &Clause| self.may_fulfil(pages, clause, visibility);
        match clause {
            Clause::Word(terms) => {
                let stems: Vec<String> = terms.iter().map(|term| term.stem.clone()).collect();
                having(Having::All, &stems)
            }
            Clause::Phrase(words) => {
                let stems: Vec<String> = words.iter().map(|spelled| stem(&spelled.word)).collect();
                having(Having::All, &stems)
            }
            Clause::Prefix(prefix) => {
                let mut fits = may_begin(prefix);
                let beginning = prefix.chars().next().map(String::from).unwrap_or_default();
                having(Having::Any, &self.terms(pages, &beginning, usize::MAX, &mut fits)?)
            }
            Clause::And(clauses) => {
                let mut all = clauses.iter().map(each);
                let Some(first) = all.next() else { return Ok(BTreeSet::new()) };
                let mut found = first?;
                for others in all {
                    let others = others?;
                    found.retain(|id| others.contains(id));
                }
                Ok(found)
            }
            Clause::Or(clauses) => {
                let any = clauses.iter().map(each).collect::<Result<Vec<_>>>()?;
                Ok(any.into_iter().flatten().collect())
            }
            Clause::Without(clause, _) => each(clause),
        }
    }

    /// Returns the rows in sight that have terms, by id.
    ///
    /// # Errors
    ///
    /// [`Error`](super::Error), where the pages cannot be read.
    pub fn all_having(
        &self,
        pages: &dyn Pages,
        which: (Having, &[&str]),
        visibility: Visibility,
    ) -> Result<Vec<i64>> {
        let mut ids = Vec::new();
        self.having(pages, which, visibility, i64::MIN, &mut |id| {
            ids.push(id);
            Ok(true)
        })?;
        Ok(ids)
    }
}
