//! The terms of a row, as the index has them.

use crate::search::postings::{Row, with_terms};
use crate::search::rank::{Card, Stemmer};
use crate::sqlite::memory::row;

/// The columns that [`with_row`] reads; those that count for no term are left out.
pub(super) const INDEXED: &str =
    "id, category, NULL, NULL, NULL, NULL, NULL, speaker, 0, said_at, content, shared";

/// Gives a row with its terms.
pub(super) fn with_row<T>(
    found: &rusqlite::Row<'_>,
    stemmer: &mut Stemmer,
    take: impl FnOnce(&Row<'_>) -> T,
) -> rusqlite::Result<T> {
    let text = row::text(found, 10)?;
    // Another program may have put anything there.
    let shared = found.get_ref(11)?.as_i64() == Ok(1);
    row::with_card(found, &text, |card| with_terms(&Card { shared, ..*card }, stemmer, take))
}
