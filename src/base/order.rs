//! Sorts and a filter that are compiled once: a type adds its comparison and its swap, and nothing else.

use std::cmp::Ordering;

use crate::base::gather::Gather as _;

/// Sorts rows; equal ones keep their order.
pub(crate) fn sort_by<T>(rows: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = order(rows.len(), &mut |one, other| compare(&rows[one], &rows[other]));
    place(order, &mut |one, other| rows.swap(one, other));
}

/// Sorts rows by their own order; equal ones keep theirs.
pub(crate) fn sort<T: Ord>(rows: &mut [T]) {
    sort_by(rows, T::cmp);
}

/// Sorts rows by a key, which is made once for each; those of equal keys keep their order.
pub(crate) fn sort_by_key<T, K: Ord>(rows: &mut [T], mut key: impl FnMut(&T) -> K) {
    let mut keys = Vec::with_capacity(rows.len());
    for row in &*rows {
        keys.push(key(row));
    }
    let order = order(keys.len(), &mut |one, other| keys[one].cmp(&keys[other]));
    place(order, &mut |one, other| rows.swap(one, other));
}

/// Drops the rows that are not kept; the rest keep their order.
pub(crate) fn retain<T>(rows: &mut Vec<T>, mut keep: impl FnMut(&mut T) -> bool) {
    let mut kept = 0;
    for at in 0..rows.len() {
        if keep(&mut rows[at]) {
            rows.swap(kept, at);
            kept += 1;
        }
    }
    rows.truncate(kept);
}

/// Drops each row that equals the one before it.
pub(crate) fn dedup<T: PartialEq>(rows: &mut Vec<T>) {
    let mut kept = 0;
    for at in 0..rows.len() {
        if kept == 0 || rows[at] != rows[kept - 1] {
            rows.swap(kept, at);
            kept += 1;
        }
    }
    rows.truncate(kept);
}

/// Returns the places of rows in the order of a comparison; equal ones keep their order.
fn order(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).gather();
    places.sort_by(|one, other| compare(*one, *other));
    places
}

/// Brings each row to its place, in swaps along the circles of the order.
fn place(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
    for start in 0..order.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_come_out_as_a_stable_sort_leaves_them(keys in proptest::collection::vec(0_u8..6, 0..40)) {
            let mut rows: Vec<(u8, usize)> = keys.iter().copied().zip(0..).collect();
            let (mut by_key, mut whole, mut expected) = (rows.clone(), rows.clone(), rows.clone());
            expected.sort_by_key(|(key, _)| *key);
            sort_by(&mut rows, |(one, _), (other, _)| one.cmp(other));
            sort_by_key(&mut by_key, |(key, _)| *key);
            sort(&mut whole);
            prop_assert_eq!(&rows, &expected);
            prop_assert_eq!(&by_key, &expected);
            prop_assert_eq!(&whole, &expected);
        }

        #[test]
        fn what_is_kept_is_what_std_keeps(numbers in proptest::collection::vec(0_u8..6, 0..40), least in 0_u8..7) {
            let (mut rows, mut expected) = (numbers.clone(), numbers);
            expected.retain(|number| *number >= least);
            retain(&mut rows, |number| *number >= least);
            prop_assert_eq!(rows, expected);
        }
    }
}
