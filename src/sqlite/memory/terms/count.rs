//! The terms of a row, as the index has them.

use crate::search::postings::row::Row;
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

/// Gives what a card says with its terms, each once.
pub(super) fn with_terms<T>(card: &Card<'_>, stemmer: &mut Stemmer, take: impl FnOnce(&Row<'_>) -> T) -> T {
    let (mut all, mut ends) = (String::new(), Vec::new());
    let length = card.terms(stemmer, |stem, _| {
        all.push_str(stem);
        ends.push(all.len());
    });
    let mut start = 0;
    let mut terms: Vec<&str> = Vec::with_capacity(ends.len());
    for end in ends {
        terms.push(&all[start..end]);
        start = end;
    }
    terms.sort_unstable();
    let mut counted: Vec<(&str, u32)> = Vec::with_capacity(terms.len());
    for term in terms.into_iter().filter(|term| !term.is_empty()) {
        match counted.last_mut() {
            Some((last, count)) if *last == term => *count = count.saturating_add(1),
            _ => counted.push((term, 1)),
        }
    }
    take(&Row { id: card.id, shared: card.shared, length, terms: &counted })
}
