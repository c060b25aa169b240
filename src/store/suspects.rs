//! Rows that a new one may contradict.

use std::collections::BTreeSet;

use super::backend::Facts;
use super::config::StoreConfig;
use super::fact::normal;
use super::search::search;
use crate::base::error::Result;
use crate::base::text;
use crate::facts::{Cardinality, Fact, Suspect, SuspectReason};
use crate::memory::{NewMemory, Query, categories};
use crate::search::rank::{Plan, Ranking, Visibility};

/// So many rows are named as what a new one may contradict.
const MOST_SUSPECTS: usize = 5;
/// So many are looked at for that.
const LOOKED_AT: usize = 16;

/// Returns the rows that a new one may contradict, best first; of all, or of the shared ones: where others were only
/// left out
/// at the end, the room that they take would tell of them.
pub(crate) fn suspects(
    facts: &dyn Facts,
    config: &StoreConfig,
    new: &NewMemory,
    sees_all: bool,
) -> Result<Vec<Suspect>> {
    let is_fact = new.about.is_some() || new.category.eq_ignore_ascii_case(categories::FACT);
    let is_many = new.about.as_ref().is_some_and(|key| key.cardinality == Cardinality::Many);
    if !is_fact || is_many {
        return Ok(Vec::new());
    }
    let stated = text::statement(&new.content);
    let is_other = |fact: &Fact| {
        let normal = normal(&fact.memory.category, &fact.memory.content, fact.key.as_ref());
        let is_seen = sees_all || fact.memory.shared;
        is_seen && !fact.status.state.is_retired() && normal.is_some_and(|normal| normal != stated)
    };
    let mut found = Vec::new();
    if let Some(key) = &new.about {
        let of_key = facts.of_key(key)?.into_iter().rev().filter(is_other);
        let single = of_key
            .filter(|fact| fact.key.as_ref().is_some_and(|other| other.cardinality == Cardinality::One));
        found.extend(single.map(|fact| Suspect { id: fact.memory.id, reason: SuspectReason::SameKey }));
    }
    let words = Words::of(&new.content);
    for fact in alike(facts, config, &new.content, sees_all)?.into_iter().filter(is_other) {
        // If both name their subject, the subject decides.
        let is_told = new.about.is_some() && fact.key.is_some();
        let is_many = fact.key.as_ref().is_some_and(|key| key.cardinality == Cardinality::Many);
        if !is_told && !is_many && words.are_alike(&Words::of(&fact.memory.content)) {
            found.push(Suspect { id: fact.memory.id, reason: SuspectReason::Alike });
        }
    }
    found.truncate(MOST_SUSPECTS);
    Ok(found)
}

/// Returns standing rows that share words with a text, the most alike first; of all, or of the shared ones.
fn alike(facts: &dyn Facts, config: &StoreConfig, text: &str, sees_all: bool) -> Result<Vec<Fact>> {
    let visibility = if sees_all { Visibility::All } else { Visibility::Shared };
    let query = Query::new(text).limit(LOOKED_AT);
    let found = search(facts, config, &Ranking::rows_alone(), visibility, &query)?;
    let facts = found.hits.iter().map(|hit| facts.fact(hit.memory.id));
    facts.filter_map(Result::transpose).collect()
}

/// The words that carry a statement's meaning.
struct Words {
    words: BTreeSet<String>,
    /// Words with a digit: numbers, days, times.
    numbers: BTreeSet<String>,
}

impl Words {
    fn of(text: &str) -> Self {
        let stems = Plan::of(text, false).terms.into_iter().map(|term| term.stem);
        let (numbers, words) = stems.partition(|stem| stem.contains(|c: char| c.is_ascii_digit()));
        Self { words, numbers }
    }

    fn len(&self) -> usize {
        self.words.len() + self.numbers.len()
    }

    /// Returns whether two statements share two words at least, and half of those of the shorter. Where each gives a
    /// number that the
    /// other does not, three words and a third are enough: what is updated is most often a number or a day, amid other
    /// words.
    fn are_alike(&self, other: &Self) -> bool {
        let words = self.words.intersection(&other.words).count();
        let shared = words + self.numbers.intersection(&other.numbers).count();
        let shorter = self.len().min(other.len());
        let is_renumbered =
            !self.numbers.is_subset(&other.numbers) && !other.numbers.is_subset(&self.numbers);
        (shared >= 2 && shared * 2 >= shorter) || (is_renumbered && words >= 3 && words * 3 >= shorter)
    }
}
