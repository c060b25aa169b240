//! The last rows that a change brought into searches or took out of them: stale parts are known by it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};

/// The last rows that a change brought into searches, took out of them, or gave other words.
///
/// Each change has a number that no other change in this process has, so that numbers of other stores are recognised.
pub(super) struct Moved {
    first: i64,
    rows: VecDeque<i64>,
}

/// The most moved rows that are remembered.
const MAX_MOVES: usize = 4096;
/// The ids that one table of rows may use.
const TABLE_IDS: i64 = 1 << 32;

impl Default for Moved {
    fn default() -> Self {
        Self { first: unique(TABLE_IDS), rows: VecDeque::new() }
    }
}

impl Moved {
    /// Takes a row in.
    pub(super) fn push(&mut self, id: i64) {
        if self.rows.len() == MAX_MOVES {
            self.rows.pop_front();
            self.first += 1;
        }
        self.rows.push_back(id);
    }

    /// Returns the moment now.
    pub(super) fn now(&self) -> i64 {
        self.first.saturating_add(i64::try_from(self.rows.len()).unwrap_or(i64::MAX))
    }

    /// Returns the rows that moved since a moment; `None` where nobody remembers all of them.
    pub(super) fn since(&self, moment: i64) -> Option<impl Iterator<Item = i64>> {
        let known = usize::try_from(moment.checked_sub(self.first)?).ok()?;
        (known <= self.rows.len()).then(|| self.rows.range(known..).copied())
    }
}

/// Returns the first of a count of numbers that nothing else in this process has.
pub(super) fn unique(many: i64) -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(1);
    NEXT.fetch_add(many, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_moved_are_told_until_they_are_too_many() {
        let (mut moved, other) = (Moved::default(), Moved::default());
        let begun = moved.now();
        let since = |moved: &Moved, moment: i64| moved.since(moment).map(Iterator::collect::<Vec<_>>);
        assert_eq!(since(&moved, begun), Some(Vec::new()));
        moved.push(7);
        moved.push(3);
        assert_eq!(since(&moved, begun), Some(vec![7, 3]));
        assert_eq!(since(&moved, begun + 1), Some(vec![3]));
        let (of_others, never) = (other.now(), moved.now() + 1);
        assert_eq!((since(&moved, of_others), since(&moved, never), since(&moved, 0)), (None, None, None));
        (0..4094).for_each(|id| moved.push(id));
        assert_eq!(since(&moved, begun).map(|rows| rows.len()), Some(4096));
        moved.push(0);
        assert_eq!(since(&moved, begun), None);
        assert_eq!(since(&moved, begun + 1).map(|rows| (rows.len(), rows[0])), Some((4096, 3)));
    }
}
