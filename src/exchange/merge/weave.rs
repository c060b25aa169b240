//! Two sequences that grew apart, woven into one.
//!
//! Every item of either is in the result once, and each sequence keeps its own order. Where the order of two items is open, the
//! earlier comes first. It does not matter which sequence is named first.

use std::collections::HashMap;
use std::hash::Hash;

/// An item of a sequence: when it was, and by which it is known in the other sequence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Strand<T, K> {
    pub(super) time: T,
    pub(super) key: K,
}

/// The place of an item in one sequence, in the other, or in both.
pub(super) type Place = (Option<usize>, Option<usize>);

/// Weaves two sequences without a key twice in either.
pub(super) fn weave<T: Ord, K: Ord + Hash>(one: &[Strand<T, K>], other: &[Strand<T, K>]) -> Vec<Place> {
    let [in_one, in_other] = [one, other].map(|side| -> HashMap<&K, usize> {
        side.iter().enumerate().map(|(at, strand)| (&strand.key, at)).collect()
    });
    let mut is_done = [vec![false; one.len()], vec![false; other.len()]];
    let mut woven = Vec::with_capacity(one.len().max(other.len()));
    let (mut i, mut j) = (0, 0);
    loop {
        while is_done[0].get(i) == Some(&true) {
            i += 1;
        }
        while is_done[1].get(j) == Some(&true) {
            j += 1;
        }
        let place = match (one.get(i), other.get(j)) {
            (None, None) => return woven,
            (Some(a), None) => (Some(i), in_other.get(&a.key).copied()),
            (None, Some(b)) => (in_one.get(&b.key).copied(), Some(j)),
            (Some(a), Some(b)) => {
                let (there, here) = (in_other.get(&a.key).copied(), in_one.get(&b.key).copied());
                let takes_a = match (there, here) {
                    // What both have waits until each of them has come to it.
                    (Some(_), None) => false,
                    (None, Some(_)) => true,
                    _ => a <= b,
                };
                if takes_a { (Some(i), there) } else { (here, Some(j)) }
            }
        };
        if let Some(at) = place.0 {
            is_done[0][at] = true;
        }
        if let Some(at) = place.1 {
            is_done[1][at] = true;
        }
        woven.push(place);
    }
}

/// Makes strands. If items have the same text, the second, third and so on are separate items. One without a time, or
/// whose clock went back, has the time of the one before it.
pub(super) fn strands<T: Ord + Clone + Default>(
    items: impl IntoIterator<Item = (Option<T>, String)>,
) -> Vec<Strand<T, (String, usize)>> {
    let items: Vec<(Option<T>, String)> = items.into_iter().collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut numbers = Vec::with_capacity(items.len());
    for (_, text) in &items {
        let count = counts.entry(text).or_default();
        *count += 1;
        numbers.push(*count);
    }
    let mut latest = T::default();
    let strand = |((time, text), number): ((Option<T>, String), usize)| {
        if let Some(time) = time.filter(|time| *time > latest) {
            latest = time;
        }
        Strand { time: latest.clone(), key: (text, number) }
    };
    items.into_iter().zip(numbers).map(strand).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn woven(one: &[(u32, String)], other: &[(u32, String)]) -> Vec<(u32, String)> {
        let [a, b] =
            [one, other].map(|side| strands(side.iter().map(|(time, text)| (Some(*time), text.clone()))));
        let take = |place: Place| match place {
            (Some(at), _) => one[at].clone(),
            (None, at) => other[at.expect("it is in one of them")].clone(),
        };
        weave(&a, &b).into_iter().map(take).collect()
    }

    fn is_within(part: &[(u32, String)], whole: &[(u32, String)]) -> bool {
        let mut rest = whole.iter();
        part.iter().all(|item| rest.any(|other| other == item))
    }

    proptest! {
        #[test]
        fn two_that_grew_from_one_lose_nothing_double_nothing_and_keep_their_order(
            common in proptest::collection::vec((0u32..9, "[a-c]"), 0..5),
            here in proptest::collection::vec((0u32..9, "[d-f]"), 0..6),
            there in proptest::collection::vec((0u32..9, "[g-j]"), 0..6),
        ) {
            // An entry says its time.
            let said = |items: Vec<(u32, String)>| items.into_iter().map(|(time, text)| (time, format!("{time} {text}")));
            let common: Vec<_> = said(common).collect();
            let tails = [here, there].map(|tail| said(tail).collect::<Vec<_>>());
            let [one, other] = tails.map(|tail| {
                let mut all = common.clone();
                all.extend(tail);
                all
            });
            let both = woven(&one, &other);
            prop_assert_eq!(&both, &woven(&other, &one), "no side is first");
            prop_assert!(is_within(&one, &both) && is_within(&other, &both));
            for item in &both {
                let count = |side: &[(u32, String)]| side.iter().filter(|it| it.1 == item.1).count();
                prop_assert_eq!(count(&both), count(&one).max(count(&other)));
            }
            prop_assert_eq!(&woven(&both, &one), &both, "what is in is in");
            prop_assert_eq!(&woven(&both, &both), &both);
        }
    }
}
