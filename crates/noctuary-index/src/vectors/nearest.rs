//! The best of many by a whole number, within bounded memory.

use std::cmp::Reverse;

/// A place in a list of the best: the smaller first, and of equal ones the greater id.
pub(crate) type Place = (i32, Reverse<i64>, u32);

/// A list of the best so far.
pub(crate) struct Nearest {
    most: usize,
    /// At least as good as this is a place that may be among the best.
    cut: i32,
    places: Vec<Place>,
}

impl Nearest {
    /// Returns an empty list with room for a number of places.
    pub(crate) fn new(most: usize) -> Self {
        Self { most: most.max(1), cut: i32::MAX, places: Vec::new() }
    }

    /// Returns the number above which nothing is among the best.
    pub(crate) fn cut(&self) -> i32 {
        self.cut
    }

    /// Takes a place in, if it may be among the best.
    pub(crate) fn push(&mut self, place: Place) {
        if place.0 > self.cut {
            return;
        }
        self.places.push(place);
        // Twice as many are gathered before the worse half is dropped: a push costs the same whatever the number.
        if self.places.len() >= self.most.saturating_mul(2) {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        if self.places.len() > self.most {
            let (_, last, _) = self.places.select_nth_unstable(self.most - 1);
            self.cut = last.0;
            self.places.truncate(self.most);
        }
    }

    /// Returns the best, in no order.
    pub(crate) fn best(mut self) -> Vec<Place> {
        self.shrink();
        self.places
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_best_are_those_of_a_sorted_list(
            numbers in prop::collection::vec(0..20_i32, 0..300),
            most in 1..40_usize,
        ) {
            let mut all: Vec<Place> = (0_u32..).zip(&numbers).map(|(at, n)| (*n, Reverse(i64::from(at)), at)).collect();
            let mut nearest = Nearest::new(most);
            for place in &all {
                nearest.push(*place);
            }
            let mut best = nearest.best();
            best.sort_unstable();
            all.sort_unstable();
            all.truncate(most);
            prop_assert_eq!(best, all);
        }
    }
}
