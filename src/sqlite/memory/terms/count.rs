//! The terms of a row, as the index has them.

use crate::search::postings::{Row, with_terms};
use crate::search::rank::{Card, Stemmer};
use crate::sql::Columns;
use crate::sql::memory::with_card;
use crate::sqlite::error::carried;

/// The columns that [`with_row`] reads; those that count for no term are left out.
pub(super) const INDEXED: &str =
    "id, category, NULL, NULL, NULL, NULL, NULL, speaker, 0, said_at, content, shared";

/// Gives a row with its terms.
pub(super) fn with_row<T>(
    found: &dyn Columns,
    stemmer: &mut Stemmer,
    take: impl FnOnce(&Row<'_>) -> T,
) -> rusqlite::Result<T> {
    let text = found.text(10).map_err(carried)?;
    // Another program may have put anything there.
    let shared = found.maybe_number(11).ok().flatten() == Some(1);
    with_card(found, &text, |card| with_terms(&Card { shared, ..*card }, stemmer, take)).map_err(carried)
}
