//! Chunks by words, which the server has as numbers.

use std::collections::BTreeSet;

use super::words::hash;
use crate::base::error::Result;
use crate::postgres::link::Param;
use crate::postgres::within::Within;
use crate::search::rank::{Clause, Stemmer, Term};
use crate::sql::chunks::{ChunkDriver, InSight, in_sight};
use crate::sql::{Dialect, params, read_numbers};

/// The chunks of each word, each looked up alone.
const OF_WORDS: &str = "
    SELECT ARRAY(SELECT p.number FROM chunk_postings p
      WHERE p.user_id = $1 AND p.agent_id = $2 AND p.word = w.word)
    FROM unnest($3) WITH ORDINALITY w (word, at) ORDER BY w.at";
/// The same where some chunks are not in sight.
const OF_WORDS_IN_SIGHT: &str = "
    SELECT ARRAY(SELECT p.number FROM chunk_postings p
      JOIN chunks c ON c.user_id = $1 AND c.agent_id = $2 AND c.number = p.number
      JOIN indexed_documents d ON d.user_id = $1 AND d.agent_id = $2 AND d.path = c.path AND (d.audience & $4) <> 0
      WHERE p.user_id = $1 AND p.agent_id = $2 AND p.word = w.word)
    FROM unnest($3) WITH ORDINALITY w (word, at) ORDER BY w.at";

impl ChunkDriver for Within<'_> {
    fn with_words(&self, within: InSight, terms: &[&Term]) -> Result<Vec<Vec<i64>>> {
        let hashes = terms.iter().map(|term| hash(&term.stem));
        self.having(within, hashes.collect())
    }

    fn fulfilling(&self, within: InSight, clause: &Clause) -> Result<Option<Vec<i64>>> {
        match needed(clause) {
            None => Ok(None),
            Some(Needed::One(words)) => {
                let lists = self.having(within, words.into_iter().collect())?;
                Ok(Some(lists.concat()))
            }
            Some(Needed::Nothing) => {
                let sql = format!("SELECT c.number FROM {}", in_sight(Dialect::Postgres));
                read_numbers(self, &sql, params![i64::from(within.sight.0)]).map(Some)
            }
        }
    }
}

impl Within<'_> {
    /// Lists, for each word, the chunks in sight that have it.
    fn having(&self, within: InSight, words: Vec<i32>) -> Result<Vec<Vec<i64>>> {
        let mut values = vec![Param::Words(words)];
        let sql = if within.is_whole {
            OF_WORDS
        } else {
            values.push(i64::from(within.sight.0).into());
            OF_WORDS_IN_SIGHT
        };
        self.run(sql, values)?.iter().map(|row| self.column(row, 0)).collect()
    }
}

/// The words, where a chunk must have one.
#[derive(Debug, PartialEq, Eq)]
enum Needed {
    One(BTreeSet<i32>),
    /// Any chunk may do.
    Nothing,
}

/// Says what a chunk must have at least to fulfil a clause; `None` where none can.
fn needed(clause: &Clause) -> Option<Needed> {
    match clause {
        Clause::Word(terms) => of_longest(terms.iter().map(|Term { stem, .. }| stem.as_str())),
        Clause::Phrase(words) => {
            let longest = words.iter().map(|spelled| &spelled.word).max_by_key(|word| word.len())?;
            let mut stems = Vec::new();
            Stemmer::default().terms(longest, |stem, _| stems.push(stem.to_owned()));
            // A word between signs has stems of its own; where it has none, each chunk is looked at.
            Some(of_longest(stems.iter().map(String::as_str)).unwrap_or(Needed::Nothing))
        }
        Clause::Prefix(_) => Some(Needed::Nothing),
        // Each part is a condition; the one with the fewest words leaves the fewest chunks.
        Clause::And(clauses) => {
            let all = clauses.iter().filter_map(needed);
            all.min_by_key(|needed| match needed {
                Needed::One(words) => words.len(),
                Needed::Nothing => usize::MAX,
            })
        }
        Clause::Or(clauses) => {
            let mut all = BTreeSet::new();
            for clause in clauses {
                match needed(clause)? {
                    Needed::One(words) => all.extend(words),
                    Needed::Nothing => return Some(Needed::Nothing),
                }
            }
            (!all.is_empty()).then_some(Needed::One(all))
        }
        Clause::Without(clause, _) => needed(clause),
    }
}

/// Each chunk must have all of some words, and the longest of them has the fewest.
fn of_longest<'a>(stems: impl Iterator<Item = &'a str>) -> Option<Needed> {
    stems.max_by_key(|stem| stem.len()).map(|stem| Needed::One(BTreeSet::from([hash(stem)])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::rank::Plan;

    fn needed_of(query: &str) -> Option<Needed> {
        needed(Plan::of(query, false).required.as_ref().unwrap())
    }

    #[test]
    fn a_condition_asks_for_no_more_than_it_means() {
        let one = |words: &[&str]| Some(Needed::One(words.iter().map(|word| hash(word)).collect()));
        assert_eq!(needed_of("cats AND (dogs OR birds)"), one(&["cat"]));
        assert_eq!(needed_of("(dogs OR birds) NOT cats"), one(&["dog", "bird"]));
        assert_eq!(needed_of("slip*"), Some(Needed::Nothing));
        assert_eq!(needed_of("slip* AND harbour"), one(&["harbour"]));
        assert!(super::super::words::hashes("Harbours, and a boat").contains(&hash("harbour")));
    }
}
