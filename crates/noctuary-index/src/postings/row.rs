//! Rows as they are indexed.

use crate::rank::{Card, Stemmer, Visibility};

/// A row that is added or removed.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The row's id.
    pub id: i64,
    /// Whether sessions with others present may find it.
    pub shared: bool,
    /// In words.
    pub length: u32,
    /// Its terms, each once, and how often it has them. Empty terms and counts of 0 are left out.
    pub terms: &'a [(&'a str, u32)],
}

impl<'a> Row<'a> {
    /// The terms that are indexed.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (&'a [u8], u32)> + use<'a> {
        let terms = self.terms.iter().map(|(term, count)| (term.as_bytes(), *count));
        terms.filter(|(term, count)| !term.is_empty() && *count > 0)
    }
}

/// A number of rows: of all, and of those that are shared.
pub(crate) type Counts = [u64; 2];

/// Adds a row to both counts, where it belongs to them.
pub(crate) fn count(counts: &mut Counts, shared: bool, by: u64) {
    counts[Visibility::All as usize] = counts[Visibility::All as usize].saturating_add(by);
    let shared = if shared { by } else { 0 };
    counts[Visibility::Shared as usize] = counts[Visibility::Shared as usize].saturating_add(shared);
}

/// Takes a row from both counts.
pub(crate) fn discount(counts: &mut Counts, shared: bool, by: u64) {
    counts[Visibility::All as usize] = counts[Visibility::All as usize].saturating_sub(by);
    let shared = if shared { by } else { 0 };
    counts[Visibility::Shared as usize] = counts[Visibility::Shared as usize].saturating_sub(shared);
}

/// How many rows there are, and how long they are together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of rows: of all, and of those that are shared.
    pub rows: Counts,
    pub(crate) length: Counts,
}

impl Totals {
    /// Counts a row.
    pub fn add(&mut self, row: &Row<'_>) {
        count(&mut self.rows, row.shared, 1);
        count(&mut self.length, row.shared, row.length.into());
    }

    pub(crate) fn remove(&mut self, row: &Row<'_>) {
        discount(&mut self.rows, row.shared, 1);
        discount(&mut self.length, row.shared, row.length.into());
    }

    /// The mean length of a row in sight, at least 1.
    #[cfg(test)]
    #[expect(clippy::cast_precision_loss, reason = "nobody writes 2^53 words")]
    pub(crate) fn mean_length(&self, visibility: Visibility) -> f64 {
        let (rows, length) = (self.rows[visibility as usize], self.length[visibility as usize]);
        (length as f64 / rows.max(1) as f64).max(1.0)
    }
}

/// Gives what a card says with its terms, each once.
pub fn with_terms<T>(card: &Card<'_>, stemmer: &mut Stemmer, take: impl FnOnce(&Row<'_>) -> T) -> T {
    let (mut take, mut taken) = (Some(take), None);
    with_row(card, stemmer, &mut |row| taken = take.take().map(|take| take(row)));
    taken.expect("a card is one row")
}

fn with_row(card: &Card<'_>, stemmer: &mut Stemmer, take: &mut dyn FnMut(&Row<'_>)) {
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
    take(&Row { id: card.id, shared: card.shared, length, terms: &counted });
}
