//! When the vectors of an embedder can be used.

use super::backend::Counts;
use crate::base::error::{Error, Result};
use crate::embed::EmbedderId;
use crate::search::vectors::Dimensions;

/// One in this many rows that need a vector may lack it. With more of them a generation does not serve, and a search does
/// without. The rows that have one would be found before those that wait.
pub(crate) const EMBEDDED_SHARE: u64 = 10;

/// Returns whether a generation may serve: no row waits for it, and of those that were sent nearly all have a vector.
pub(super) fn is_ready(counts: Counts) -> bool {
    let Counts { embedded, failed, skipped, rows } = counts;
    rows == embedded + failed + skipped && failed.saturating_mul(EMBEDDED_SHARE) <= embedded + failed
}

/// Returns the dimensions of an embedder, whose model has a name: vectors of two that have none would be mixed.
pub(super) fn dimensions_of(embedder: &EmbedderId) -> Result<Dimensions> {
    if embedder.model.trim().is_empty() {
        return Err(Error::Config {
            setting: "model",
            rule: "of an embedder must have a name: its vectors are told apart by it",
        });
    }
    let rule = "of an embedder must be from 1 to 4096";
    Dimensions::new(embedder.dimensions).map_err(|_| Error::Config { setting: "dimensions", rule })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_serves_when_nothing_waits_and_little_failed() {
        let counts = |embedded, failed, skipped, rows| Counts { embedded, failed, skipped, rows };
        for ready in [counts(0, 0, 0, 0), counts(9, 1, 0, 10), counts(90, 10, 5, 105), counts(0, 0, 3, 3)] {
            assert!(is_ready(ready), "{ready:?}");
        }
        for not in [counts(9, 0, 0, 10), counts(8, 1, 0, 9), counts(0, 1, 0, 1), counts(0, 0, 0, 1)] {
            assert!(!is_ready(not), "{not:?}");
        }
    }
}
