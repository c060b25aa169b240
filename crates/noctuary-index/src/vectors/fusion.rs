//! One order out of the list of words and the list of vectors.
//!
//! Lists have their best row first, and each row once. Rows are compared by score, and of equal rows the greater id is
//! first, so the same lists give the same order.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// A row with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// The row.
    pub id: i64,
    /// The greater, the better.
    pub score: f64,
}

impl Scored {
    /// Orders the better row first, and of equal rows the greater id.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(other.id.cmp(&self.id))
    }
}

/// Returns a list with its scores as shares of the way from its least to its best. All 1 if they are equal.
///
/// A score that is not finite counts as the least.
pub(crate) fn min_max(list: &[Scored]) -> Vec<Scored> {
    let finite = || list.iter().map(|row| row.score).filter(|score| score.is_finite());
    let (least, best) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    // Half of each, so that the way between the greatest and the smallest number is a number too.
    let way = best / 2.0 - least / 2.0;
    let share = |row: &Scored| {
        let score = if !row.score.is_finite() {
            0.0
        } else if way > 0.0 {
            (row.score / 2.0 - least / 2.0) / way
        } else {
            1.0
        };
        Scored { id: row.id, score }
    };
    list.iter().map(share).collect()
}

/// Fuses by scores: the words from 0 to 1 by [`min_max`], the vectors as shares of their best. The vectors have a weight from
/// 0 to 1, and the words the rest. A row that a list lacks has 0 there.
///
/// With a weight of 0, and without vectors, the rows of words keep their order.
pub(crate) fn weighted(words: &[Scored], vectors: &[Scored], weight: f64) -> Vec<Scored> {
    let weight = if weight.is_nan() { 0.0 } else { weight.clamp(0.0, 1.0) };
    let best = vectors.iter().map(|row| row.score).fold(0.0, f64::max);
    let share = |row: &Scored| Scored { id: row.id, score: if best > 0.0 { row.score / best } else { 0.0 } };
    add(&[(min_max(words), 1.0 - weight), (vectors.iter().map(share).collect(), weight)])
}

/// Fuses by rank: the sum over all lists of 1 / (k + rank), rank from 1; rows with equal scores share a rank. (seed 003,
/// Hybrid retrieval, with a `k` of 60)
pub(crate) fn by_ranks(lists: &[&[Scored]], k: f64) -> Vec<Scored> {
    let ranked = |list: &&[Scored]| {
        let rank = |row: &Scored| 1 + list.partition_point(|before| before.score > row.score);
        let share = |row: &Scored| 1.0 / (k + f64::from(u32::try_from(rank(row)).unwrap_or(u32::MAX)));
        (list.iter().map(|row| Scored { id: row.id, score: share(row) }).collect(), 1.0)
    };
    add(&lists.iter().map(ranked).collect::<Vec<_>>())
}

fn add(lists: &[(Vec<Scored>, f64)]) -> Vec<Scored> {
    let mut sums: BTreeMap<i64, f64> = BTreeMap::new();
    for (list, weight) in lists {
        for row in list {
            *sums.entry(row.id).or_default() += row.score * weight;
        }
    }
    let mut fused: Vec<Scored> = sums.into_iter().map(|(id, score)| Scored { id, score }).collect();
    fused.sort_unstable_by(Scored::order);
    fused
}

/// Moves each certain row up to the place that it has in the list of words, if fusion moved it down.
///
/// A row is certain if words alone settle that it is meant: an identifier, a quoted phrase, all rare words. A row that
/// moves up takes the score of the row whose place it takes, so scores still fall.
pub(crate) fn keep_first(fused: &mut Vec<Scored>, words: &[Scored], certain: &BTreeSet<i64>) {
    // From the first place down: a later move is to a place behind those that are settled, and leaves them there.
    for (place, id) in words.iter().map(|row| row.id).enumerate().filter(|(_, id)| certain.contains(id)) {
        let Some(now) = fused.iter().position(|row| row.id == id) else { continue };
        if now > place {
            let score = fused[place].score;
            fused.remove(now);
            fused.insert(place, Scored { id, score });
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn list(rows: &[(i64, f64)]) -> Vec<Scored> {
        rows.iter().map(|&(id, score)| Scored { id, score }).collect()
    }

    fn ids(list: &[Scored]) -> Vec<i64> {
        list.iter().map(|row| row.id).collect()
    }

    #[test]
    fn scores_become_shares_of_their_way() {
        assert_eq!(min_max(&list(&[(1, 5.0), (2, 4.0), (3, 1.0)])), list(&[(1, 1.0), (2, 0.75), (3, 0.0)]));
        assert_eq!(min_max(&list(&[(1, 2.0), (2, 2.0)])), list(&[(1, 1.0), (2, 1.0)]));
        let odd = list(&[(1, f64::MAX), (2, f64::MIN), (3, f64::NAN), (4, f64::INFINITY)]);
        assert_eq!(min_max(&odd), list(&[(1, 1.0), (2, 0.0), (3, 0.0), (4, 0.0)]));
        assert_eq!(min_max(&[]), []);
    }

    #[test]
    fn weights_add_up_by_hand() {
        let (words, vectors) =
            (list(&[(1, 10.0), (2, 5.0), (3, 0.0)]), list(&[(4, 0.8), (2, 0.4), (5, 0.2)]));
        let fused = weighted(&words, &vectors, 0.25);
        assert_eq!(ids(&fused), [1, 2, 4, 5, 3]);
        let exact = [0.75, 0.5, 0.25, 0.0625, 0.0];
        for (row, score) in fused.iter().zip(exact) {
            assert!((row.score - score).abs() < 1e-12, "{row:?}");
        }
    }

    #[test]
    fn without_weight_or_vectors_the_words_keep_their_order() {
        let (words, vectors) = (list(&[(9, 3.0), (1, 2.0), (4, 2.0)]), list(&[(4, 0.9), (1, 0.2)]));
        for weight in [0.0, -1.0, f64::NAN] {
            assert_eq!(ids(&weighted(&words, &vectors, weight)), [9, 4, 1]);
        }
        assert_eq!(ids(&weighted(&words, &[], 0.4)), [9, 4, 1]);
        assert_eq!(ids(&weighted(&[], &vectors, 0.4)), [4, 1]);
        assert_eq!(weighted(&[], &[], 0.4), []);
    }

    #[test]
    fn ranks_add_up_by_hand() {
        let (words, vectors) = (list(&[(1, 9.0), (2, 8.0)]), list(&[(2, 0.5), (3, 0.4)]));
        let fused = by_ranks(&[&words, &vectors], 60.0);
        assert_eq!(ids(&fused), [2, 1, 3]);
        let alike = by_ranks(&[&list(&[(1, 9.0), (2, 9.0), (3, 8.0)])], 60.0);
        assert_eq!(alike, list(&[(2, 1.0 / 61.0), (1, 1.0 / 61.0), (3, 1.0 / 63.0)]));
        assert!((fused[0].score - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-15);
        assert!((fused[1].score - 1.0 / 61.0).abs() < 1e-15 && (fused[2].score - 1.0 / 62.0).abs() < 1e-15);
    }

    #[test]
    fn a_certain_row_keeps_its_place() {
        let words = list(&[(1, 9.0), (2, 8.0), (3, 7.0), (4, 6.0)]);
        let mut fused = list(&[(8, 1.0), (4, 0.9), (9, 0.8), (2, 0.7), (1, 0.6), (3, 0.5)]);
        keep_first(&mut fused, &words, &BTreeSet::from([1, 3, 4, 77]));
        assert_eq!(ids(&fused), [1, 8, 3, 4, 9, 2]);
        assert!(fused.is_sorted_by(|one, other| one.score >= other.score));
    }

    prop_compose! {
        fn a_list()(rows in prop::collection::btree_map(0..30_i64, 0..9_i32, 0..20)) -> Vec<Scored> {
            let mut list: Vec<_> = rows.into_iter().map(|(id, n)| Scored { id, score: f64::from(n) }).collect();
            list.sort_unstable_by(Scored::order);
            list
        }
    }

    proptest! {
        #[test]
        fn no_certain_row_moves_down_and_no_row_is_lost(
            words in a_list(), vectors in a_list(), weight in 0.0..1.0_f64,
            certain in prop::collection::btree_set(0..30_i64, 0..8),
        ) {
            let mut fused = weighted(&words, &vectors, weight);
            let before: BTreeSet<i64> = ids(&fused).into_iter().collect();
            keep_first(&mut fused, &words, &certain);
            for (place, id) in ids(&words).into_iter().enumerate().filter(|(_, id)| certain.contains(id)) {
                prop_assert!(ids(&fused).iter().position(|there| *there == id) <= Some(place));
            }
            prop_assert_eq!(fused.len(), before.len());
            prop_assert_eq!(ids(&fused).into_iter().collect::<BTreeSet<_>>(), before);
        }
    }
}
