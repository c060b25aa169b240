//! The words of retired rows and of keys, which backends list, and the queries over them.

use crate::base::gather::Gather as _;
use crate::base::sorted::SortedSet;
use crate::facts::FactKey;
use crate::memory::{Filter, Order};
use crate::search::postings::bits::checksum;
use crate::search::rank::{Frequencies, Plan, Stemmer, is_stop_word};

/// A word of a retired row or of a key, as backends list it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EchoWord(pub(crate) u64);

impl EchoWord {
    pub(crate) fn of(stem: &str) -> Self {
        Self(checksum(stem.as_bytes(), 3))
    }
}

/// Returns the words by which a row is listed: of its key, and where it is retired of what it says.
pub(crate) fn echo_words(said: Option<&str>, key: Option<&FactKey>) -> SortedSet<EchoWord> {
    let (mut words, mut stemmer) = (SortedSet::new(), Stemmer::default());
    let key = key.map(in_words);
    for text in said.into_iter().chain(key.as_deref()) {
        stemmer.terms(text, |stem, written| {
            if !stem.is_empty() && !is_stop_word(written) {
                words.insert(EchoWord::of(stem));
            }
        });
    }
    words
}

/// Returns a key as words: `trip home_airport` is of three.
pub(crate) fn in_words(key: &FactKey) -> String {
    let parted = |text: &str| text.replace(['_', '-', '.', '/', ':'], " ");
    format!("{} {}", parted(&key.subject), parted(&key.slot))
}

/// A search as its words are weighed.
pub(crate) struct EchoQuery {
    pub(crate) plan: Plan,
    pub(crate) weights: Vec<f64>,
    pub(crate) filter: Filter,
    pub(crate) order: Order,
    pub(crate) limit: usize,
}

impl EchoQuery {
    pub(crate) fn new(plan: &Plan, frequencies: &Frequencies, filter: &Filter, order: Order) -> Self {
        let weights = (0..plan.terms.len()).map(|word| frequencies.worth(word)).gather();
        let limit = filter.limit;
        Self { plan: plan.clone(), weights, filter: filter.clone(), order, limit }
    }

    /// Keeps at most so many rows.
    pub(crate) fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the share of a query that some texts have, by the weights of its words.
    pub(crate) fn share(&self, texts: &[&str], stemmer: &mut Stemmer) -> f64 {
        let mut has = vec![false; self.plan.terms.len()];
        for text in texts {
            stemmer.terms(text, |stem, _| {
                if let Some(word) = self.plan.terms.iter().position(|term| term.stem == stem) {
                    has[word] = true;
                }
            });
        }
        let all: f64 = self.weights.iter().sum();
        let there: f64 =
            self.weights.iter().zip(&has).filter(|(_, has)| **has).map(|(weight, _)| weight).sum();
        if all > 0.0 { there / all } else { 0.0 }
    }
}
