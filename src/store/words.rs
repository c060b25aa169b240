//! The words by which a statement says something.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::base::order;
use crate::search::rank::{Stemmer, is_stop_word};

/// The words by which a statement says something, each once, by hashes of their stems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Words {
    /// Ascending. The last bit says whether a word is a number.
    all: Arc<[u32]>,
}

const NUMBER: u32 = 1;

impl Words {
    /// Reads a statement, in which nothing is an operator. Words that say nothing are left out, unless it has no others.
    pub(crate) fn of(text: &str, stemmer: &mut Stemmer) -> Self {
        let (mut telling, mut others) = (Vec::with_capacity(16), Vec::new());
        stemmer.terms(text, |stem, written| {
            if !stem.is_empty() {
                if is_stop_word(written) { &mut others } else { &mut telling }.push(hash(stem));
            }
        });
        Self::from(if telling.is_empty() { others } else { telling })
    }

    /// Returns how many they are.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether a word is one of them, by its [`hash`].
    pub(crate) fn has(&self, word: u32) -> bool {
        self.all.binary_search(&word).is_ok()
    }

    /// Returns the hash of each word.
    #[cfg(feature = "exchange")]
    pub(crate) fn hashes(&self) -> impl Iterator<Item = u32> {
        self.all.iter().copied()
    }

    /// Returns whether two statements share two words at least, and half of those of the shorter. If each gives a
    /// number that the other lacks, three words and a third are enough. An update most often changes a number or a
    /// day, amid other words.
    pub(crate) fn are_alike(&self, other: &Self) -> bool {
        let shared = self.all.iter().filter(|word| other.has(**word));
        let (numbers, words): (Vec<u32>, Vec<u32>) = shared.partition(|word| **word & NUMBER > 0);
        let (words, shared) = (words.len(), words.len() + numbers.len());
        let shorter = self.len().min(other.len());
        let has_more = |of: &Self| of.all.iter().filter(|word| **word & NUMBER > 0).count() > numbers.len();
        (shared >= 2 && shared * 2 >= shorter)
            || (has_more(self) && has_more(other) && words >= 3 && words * 3 >= shorter)
    }
}

impl From<Vec<u32>> for Words {
    /// Makes words of their hashes, in any order.
    fn from(mut all: Vec<u32>) -> Self {
        all.sort_unstable();
        order::dedup(&mut all);
        Self { all: all.into() }
    }
}

/// Returns the hash of a stem.
pub(crate) fn hash(stem: &str) -> u32 {
    let mut hasher = DefaultHasher::new();
    stem.hash(&mut hasher);
    let is_number = stem.contains(|c: char| c.is_ascii_digit());
    let half = u32::try_from(hasher.finish() >> 32).unwrap_or_default();
    half & !NUMBER | if is_number { NUMBER } else { 0 }
}
