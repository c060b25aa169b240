//! The words of a chunk as numbers.

use std::collections::BTreeSet;

use crate::base::digest::Digest;
use crate::search::rank::Stemmer;

/// Returns the hashes of the stems of a text, each once.
pub(super) fn hashes(text: &str) -> BTreeSet<i32> {
    let mut found = BTreeSet::new();
    Stemmer::default().indexed(text, |stem, _| {
        found.insert(hash(stem));
    });
    found
}

/// Two words may have one hash: chunks are looked at again.
pub(super) fn hash(stem: &str) -> i32 {
    let digest = Digest::of(stem.as_bytes());
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&digest.as_bytes()[..4]);
    i32::from_be_bytes(bytes)
}
