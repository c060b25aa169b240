//! A three-way merge of sequences: changes of only one side are taken, different changes of both are listed.

use std::collections::BTreeMap;
use std::ops::Range;

/// The most pairs of items that are compared one by one; longer stretches are first cut at items that are there once.
const MOST_PAIRS: usize = 1 << 22;

/// A stretch of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stretch {
    /// These items of the first side: nobody changed them, both did the same, or the first side alone changed them.
    One(Range<usize>),
    /// These of the other, which alone changed them.
    Other(Range<usize>),
    /// Both put something in the place of these items of the ancestor.
    Both { base: Range<usize>, one: Range<usize>, other: Range<usize> },
}

/// Merges two sequences that came of `base`.
pub(super) fn merge<T: Ord>(base: &[T], one: &[T], other: &[T]) -> Vec<Stretch> {
    let (to_one, to_other) = (matches(base, one), matches(base, other));
    let mut all = Vec::new();
    let (mut b, mut i, mut j) = (0, 0, 0);
    loop {
        // Items that nobody touched.
        let same = (b..base.len())
            .take_while(|at| to_one[*at] == Some(i + at - b) && to_other[*at] == Some(j + at - b))
            .count();
        if same > 0 {
            all.push(Stretch::One(i..i + same));
            (b, i, j) = (b + same, i + same, j + same);
        }
        if (b, i, j) == (base.len(), one.len(), other.len()) {
            return all;
        }
        // Up to the next item that both kept.
        let next = (b..base.len()).find(|at| to_one[*at].is_some() && to_other[*at].is_some());
        let (to_b, to_i, to_j) = match next {
            Some(at) => (at, to_one[at].expect("both kept it"), to_other[at].expect("both kept it")),
            None => (base.len(), one.len(), other.len()),
        };
        let (in_base, in_one, in_other) = (b..to_b, i..to_i, j..to_j);
        let (was, is, is_there) = (&base[in_base.clone()], &one[in_one.clone()], &other[in_other.clone()]);
        all.push(if is_there == was || is == is_there {
            Stretch::One(in_one)
        } else if is == was {
            Stretch::Other(in_other)
        } else {
            Stretch::Both { base: in_base, one: in_one, other: in_other }
        });
        (b, i, j) = (to_b, to_i, to_j);
    }
}

/// Returns, of each item of `from`, its place in `to`: ascending, for a longest common part.
pub(super) fn matches<T: Ord>(from: &[T], to: &[T]) -> Vec<Option<usize>> {
    let mut found = vec![None; from.len()];
    align(from, to, 0, 0, &mut found);
    found
}

fn align<T: Ord>(from: &[T], to: &[T], at: usize, there: usize, found: &mut [Option<usize>]) {
    let head = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    for k in 0..head {
        found[at + k] = Some(there + k);
    }
    let (from, to) = (&from[head..], &to[head..]);
    let (at, there) = (at + head, there + head);
    let tail = from.iter().rev().zip(to.iter().rev()).take_while(|(a, b)| a == b).count();
    for k in 1..=tail {
        found[at + from.len() - k] = Some(there + to.len() - k);
    }
    let (from, to) = (&from[..from.len() - tail], &to[..to.len() - tail]);
    if from.is_empty() || to.is_empty() {
        return;
    }
    if from.len().saturating_mul(to.len()) <= MOST_PAIRS {
        return longest(from, to, at, there, found);
    }
    let (mut a, mut b) = (0, 0);
    for (k, l) in anchors(from, to) {
        align(&from[a..k], &to[b..l], at + a, there + b, found);
        found[at + k] = Some(there + l);
        (a, b) = (k + 1, l + 1);
    }
    if a > 0 {
        align(&from[a..], &to[b..], at + a, there + b, found);
    }
}

/// Fills in a longest common part by comparing all pairs.
fn longest<T: Ord>(from: &[T], to: &[T], at: usize, there: usize, found: &mut [Option<usize>]) {
    let width = to.len() + 1;
    let mut best = vec![0u32; (from.len() + 1) * width];
    for i in (0..from.len()).rev() {
        for j in (0..to.len()).rev() {
            best[i * width + j] = if from[i] == to[j] {
                best[(i + 1) * width + j + 1] + 1
            } else {
                best[(i + 1) * width + j].max(best[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < from.len() && j < to.len() {
        if from[i] == to[j] {
            found[at + i] = Some(there + j);
            (i, j) = (i + 1, j + 1);
        } else if best[(i + 1) * width + j] >= best[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
}

/// Returns items that are once in both, ascending in both.
fn anchors<T: Ord>(from: &[T], to: &[T]) -> Vec<(usize, usize)> {
    let once = |side: &[T]| -> Vec<usize> {
        let mut places: Vec<usize> = (0..side.len()).collect();
        places.sort_by(|a, b| side[*a].cmp(&side[*b]).then(a.cmp(b)));
        let alone = places.chunk_by(|a, b| side[*a] == side[*b]).filter(|same| same.len() == 1);
        alone.map(|same| same[0]).collect()
    };
    let there: BTreeMap<&T, usize> = once(to).into_iter().map(|at| (&to[at], at)).collect();
    let mut pairs: Vec<(usize, usize)> =
        once(from).into_iter().filter_map(|at| Some((at, *there.get(&from[at])?))).collect();
    pairs.sort_unstable();
    // The longest ascending run, by piles.
    let mut tops: Vec<usize> = Vec::new();
    let mut below: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, to)) in pairs.iter().enumerate() {
        let pile = tops.partition_point(|top| pairs[*top].1 < *to);
        below.push(pile.checked_sub(1).map(|pile| tops[pile]));
        if pile == tops.len() { tops.push(at) } else { tops[pile] = at }
    }
    let mut run: Vec<(usize, usize)> =
        std::iter::successors(tops.last().copied(), |at| below[*at]).map(|at| pairs[at]).collect();
    run.reverse();
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clean(base: &str, one: &str, other: &str) -> Option<String> {
        let [base, one, other] = [base, one, other].map(|text| text.chars().collect::<Vec<_>>());
        let mut all = String::new();
        for stretch in merge(&base, &one, &other) {
            match stretch {
                Stretch::One(range) => all.extend(&one[range]),
                Stretch::Other(range) => all.extend(&other[range]),
                Stretch::Both { .. } => return None,
            }
        }
        Some(all)
    }

    #[test]
    fn changes_in_different_places_meet_and_in_one_place_they_do_not() {
        assert_eq!(clean("abcdef", "aXcdef", "abcdYf").as_deref(), Some("aXcdYf"));
        assert_eq!(clean("abcdef", "bcdef", "abcdefg").as_deref(), Some("bcdefg"));
        assert_eq!(clean("abc", "aXc", "aXc").as_deref(), Some("aXc"));
        assert_eq!(clean("abc", "aXc", "aYc"), None);
        assert_eq!(clean("abc", "ac", "aYc"), None, "taken out here, changed there");
    }

    proptest! {
        #[test]
        fn a_side_that_changed_nothing_decides_nothing(base in "[a-d]{0,12}", one in "[a-d]{0,12}") {
            prop_assert_eq!(clean(&base, &one, &base), Some(one.clone()));
            prop_assert_eq!(clean(&base, &base, &one), Some(one.clone()));
            prop_assert_eq!(clean(&base, &one, &one), Some(one));
        }

        #[test]
        fn anchors_ascend_and_are_equal(from in "[a-m]{0,16}", to in "[a-m]{0,16}") {
            let [from, to] = [from, to].map(|text| text.chars().collect::<Vec<_>>());
            let found = anchors(&from, &to);
            prop_assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
            prop_assert!(found.iter().all(|(a, b)| from[*a] == to[*b]));
        }
    }
}
