//! An inverted index in memory: which rows have a word, and which stand side by side.
//!
//! Counts are kept twice, over all rows and over those that are shared, so that what a session with others present
//! is given does not depend on a private row.

use std::collections::{BTreeSet, HashMap};

use super::card::Card;
use super::clause::Clause;
use super::stem::stem;
use super::terms::Stemmer;
use crate::base::text;

/// The rows that a search sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// All.
    All = 0,
    /// Shared rows.
    Shared = 1,
}

impl Visibility {
    /// Returns whether a row is in sight.
    pub(crate) fn sees(self, shared: bool) -> bool {
        shared || self == Self::All
    }
}

/// The number of neighbours in a conversation, to each side, that a row gives a score to.
pub(crate) const REACH: usize = 2;

/// The index. Rows are numbered as they come and never moved; one that is taken out is marked, and no longer counted.
#[derive(Debug, Default)]
pub(crate) struct Index {
    terms: HashMap<Box<str>, u32>,
    postings: Vec<Postings>,
    rows: Vec<Entry>,
    numbers: HashMap<i64, u32>,
    /// The greatest id of a row that was ever added.
    greatest: i64,
    /// The number of rows, and the number of shared rows.
    counts: [u32; 2],
    /// The rows of each conversation by position and id, and whether they are shared.
    conversations: HashMap<Box<str>, Vec<(u64, i64, bool)>>,
    stemmer: Stemmer,
}

#[derive(Debug, Default)]
struct Postings {
    /// Ascending.
    rows: Vec<u32>,
    /// In how many rows that are not taken out, and in how many of the shared ones.
    found_in: [u32; 2],
}

/// A row as the index knows it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    id: i64,
    shared: bool,
    live: bool,
    /// Whether all rows that came before have a smaller id.
    in_order: bool,
}

impl Entry {
    fn is_in(self, visibility: Visibility) -> bool {
        self.live && visibility.sees(self.shared)
    }
}

impl Index {
    /// Adds a row.
    pub(crate) fn add(&mut self, card: &Card<'_>) {
        self.take_out(card);
        let number = u32::try_from(self.rows.len()).expect("memory ends before four thousand million rows");
        let (terms, postings) = (&mut self.terms, &mut self.postings);
        let mut has: Vec<u32> = Vec::new();
        card.terms(&mut self.stemmer, |term, _| {
            let known = terms.get(term).copied().unwrap_or_else(|| {
                let next = u32::try_from(postings.len()).expect("memory ends before so many words");
                postings.push(Postings::default());
                terms.insert(term.into(), next);
                next
            });
            has.push(known);
        });
        has.sort_unstable();
        has.dedup();
        for term in has {
            let list = &mut postings[term as usize];
            list.rows.push(number);
            list.count(card.shared, true);
        }
        if let Some((name, position)) = card.place {
            let rows = self.conversations.entry(name.into()).or_default();
            let place = (position, card.id, card.shared);
            let at = rows.partition_point(|there| *there < place);
            rows.insert(at, place);
        }
        let in_order = card.id > self.greatest;
        self.greatest = self.greatest.max(card.id);
        self.rows.push(Entry { id: card.id, shared: card.shared, live: true, in_order });
        self.numbers.insert(card.id, number);
        self.count(card.shared, true);
    }

    /// Takes a row out that says what it said when it was added; `false` where it is not in.
    pub(crate) fn take_out(&mut self, card: &Card<'_>) -> bool {
        let Some(number) = self.numbers.remove(&card.id) else { return false };
        let entry = &mut self.rows[number as usize];
        entry.live = false;
        let shared = entry.shared;
        self.count(shared, false);
        let terms = &self.terms;
        let mut gone: Vec<u32> = Vec::new();
        card.terms(&mut self.stemmer, |term, _| gone.extend(terms.get(term)));
        gone.sort_unstable();
        gone.dedup();
        for term in gone {
            self.postings[term as usize].count(shared, false);
        }
        if let Some(rows) = card.place.and_then(|(name, _)| self.conversations.get_mut(name)) {
            rows.retain(|(_, id, _)| *id != card.id);
        }
        true
    }

    fn count(&mut self, shared: bool, comes: bool) {
        count(&mut self.counts, shared, comes);
    }

    /// Returns the share of rows that were taken out.
    pub(crate) fn waste(&self) -> f64 {
        let rows = u32::try_from(self.rows.len().max(1)).unwrap_or(u32::MAX);
        1.0 - f64::from(self.counts[0]) / f64::from(rows)
    }

    /// Counts the rows in sight.
    pub(crate) fn len(&self, visibility: Visibility) -> u32 {
        self.counts[visibility as usize]
    }

    /// Counts the rows in sight that have a term.
    pub(crate) fn found_in(&self, term: &str, visibility: Visibility) -> u32 {
        self.list(term).map_or(0, |list| list.found_in[visibility as usize])
    }

    /// Returns the rows in sight that have one of some terms, in no order, each with the sum of what its terms weigh.
    pub(crate) fn having(&self, weights: &[(&str, i64)], visibility: Visibility) -> Vec<(i64, i64)> {
        let mut sums = vec![0; self.rows.len()];
        let mut touched = Vec::new();
        for (term, weight) in weights {
            for number in self.list(term).into_iter().flat_map(|list| &list.rows) {
                let sum = &mut sums[*number as usize];
                if *sum == 0 {
                    touched.push(*number);
                }
                *sum += weight;
            }
        }
        let seen = touched.into_iter().filter(|number| self.rows[*number as usize].is_in(visibility));
        seen.map(|number| (self.rows[number as usize].id, sums[number as usize])).collect()
    }

    /// The rows in sight that have a term, the greatest id first.
    pub(crate) fn latest_with(&self, term: &str, visibility: Visibility, most: usize) -> Vec<i64> {
        let Some(list) = self.list(term) else { return Vec::new() };
        let (mut ids, mut in_order) = (Vec::new(), 0);
        for number in list.rows.iter().rev() {
            // A row that comes before one in order has a smaller id, also where it is not in order itself.
            if in_order >= most {
                break;
            }
            let entry = self.rows[*number as usize];
            if entry.is_in(visibility) {
                in_order += usize::from(entry.in_order);
                ids.push(entry.id);
            }
        }
        ids.sort_unstable_by(|one, other| other.cmp(one));
        ids.truncate(most);
        ids
    }

    /// Returns the rows in sight that may fulfil a clause, and all that do.
    pub(crate) fn fulfilling(&self, clause: &Clause, visibility: Visibility) -> Vec<i64> {
        let rows = self.may_fulfil(clause).into_iter().map(|number| self.rows[number as usize]);
        rows.filter(|entry| entry.is_in(visibility)).map(|entry| entry.id).collect()
    }

    fn may_fulfil(&self, clause: &Clause) -> BTreeSet<u32> {
        match clause {
            Clause::Word(terms) => self.all_of(terms.iter().map(|term| term.stem.clone())),
            Clause::Phrase(words) => self.all_of(words.iter().map(|spelled| stem(&spelled.word))),
            Clause::Prefix(prefix) => {
                let stem = stem(prefix);
                // A stem is its word without the end, and the end may lie in the prefix.
                let fits = |term: &str| {
                    term.starts_with(prefix.as_str())
                        || term == stem
                        || (term.len() > 2
                            && prefix.starts_with(&term[..text::floor_boundary(term, term.len() - 1)]))
                };
                let lists = self.terms.iter().filter(|(term, _)| fits(term));
                lists.flat_map(|(_, list)| self.postings[*list as usize].rows.iter().copied()).collect()
            }
            Clause::And(clauses) => {
                let all = clauses.iter().map(|clause| self.may_fulfil(clause));
                all.reduce(|some, others| some.intersection(&others).copied().collect()).unwrap_or_default()
            }
            Clause::Or(clauses) => clauses.iter().flat_map(|clause| self.may_fulfil(clause)).collect(),
            Clause::Without(clause, _) => self.may_fulfil(clause),
        }
    }

    /// Returns the rows that have all of some terms.
    fn all_of(&self, mut terms: impl Iterator<Item = String>) -> BTreeSet<u32> {
        let lists: Option<Vec<&Postings>> = terms.try_fold(Vec::new(), |mut lists, term| {
            lists.push(self.list(&term)?);
            Some(lists)
        });
        let Some(mut lists) = lists else { return BTreeSet::new() };
        lists.sort_by_key(|list| list.rows.len());
        let Some((rarest, others)) = lists.split_first() else { return BTreeSet::new() };
        let has_all = |row: &&u32| others.iter().all(|list| list.rows.binary_search(row).is_ok());
        rarest.rows.iter().filter(has_all).copied().collect()
    }

    /// Returns the rows in sight right before and right behind a place in a conversation, at most [`REACH`] to each side.
    pub(crate) fn beside(&self, (name, position): (&str, u64), id: i64, visibility: Visibility) -> Vec<i64> {
        let Some(rows) = self.conversations.get(name) else { return Vec::new() };
        let at = rows.partition_point(|(there, other, _)| (*there, *other) < (position, id));
        let (before, behind) = rows.split_at(at);
        let is_seen = |(_, other, shared): &&(u64, i64, bool)| *other != id && visibility.sees(*shared);
        let before = before.iter().rev().filter(is_seen).take(REACH);
        before.chain(behind.iter().filter(is_seen).take(REACH)).map(|(_, id, _)| *id).collect()
    }

    fn list(&self, term: &str) -> Option<&Postings> {
        self.terms.get(term).map(|term| &self.postings[*term as usize])
    }
}

impl Postings {
    fn count(&mut self, shared: bool, comes: bool) {
        count(&mut self.found_in, shared, comes);
    }
}

fn count(counts: &mut [u32; 2], shared: bool, comes: bool) {
    for visibility in
        [Visibility::All, Visibility::Shared].into_iter().filter(|visibility| visibility.sees(shared))
    {
        let count = &mut counts[visibility as usize];
        *count = if comes { *count + 1 } else { *count - 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(id: i64, text: &str) -> Card<'_> {
        Card { shared: id % 3 == 0, place: Some(("talk", id.unsigned_abs())), ..Card::of(id, text) }
    }

    /// The number of rows, how many hold each of two words, the rows that hold them with their weights, and those of a place.
    type Told = (u32, [u32; 2], Vec<(i64, i64)>, Vec<i64>);

    fn told(index: &Index, visibility: Visibility) -> Told {
        let mut having = index.having(&[("green", 2), ("tea", 1)], visibility);
        having.sort_unstable();
        let found_in = ["green", "tea"].map(|term| index.found_in(term, visibility));
        (index.len(visibility), found_in, having, index.beside(("talk", 2), 2, visibility))
    }

    #[test]
    fn a_row_that_was_taken_out_counts_nowhere() {
        let (mut with, mut without) = (Index::default(), Index::default());
        for index in [&mut with, &mut without] {
            index.add(&card(1, "green tea"));
            index.add(&card(2, "black tea"));
        }
        let gone = card(3, "green tea in the green house");
        with.add(&gone);
        assert_eq!(with.len(Visibility::Shared), 1);
        assert!(with.take_out(&gone));
        assert!(!with.take_out(&gone));
        for visibility in [Visibility::All, Visibility::Shared] {
            assert_eq!(told(&with, visibility), told(&without, visibility));
        }
        assert!(with.waste() > 0.3);
    }

    #[test]
    fn the_latest_rows_of_a_word_are_those_of_the_greatest_ids_whatever_was_done_to_rows() {
        let mut index = Index::default();
        for id in 1..=60 {
            index.add(&card(id, if id % 2 == 0 { "green tea" } else { "black tea" }));
        }
        for id in [58, 60, 3, 31] {
            index.add(&card(id, "green tea"));
        }
        for id in [59, 56, 30] {
            index.take_out(&card(id, if id % 2 == 0 { "green tea" } else { "black tea" }));
        }
        let is_green = |id: &i64| (id % 2 == 0 || [3, 31].contains(id)) && ![59, 56, 30].contains(id);
        for visibility in [Visibility::All, Visibility::Shared] {
            for most in [0, 1, 2, 5, 20, 99] {
                let green: Vec<i64> = (1..=60)
                    .rev()
                    .filter(|id| is_green(id) && visibility.sees(id % 3 == 0))
                    .take(most)
                    .collect();
                assert_eq!(index.latest_with("green", visibility, most), green, "{visibility:?} {most}");
            }
        }
        assert_eq!(index.latest_with("red", Visibility::All, 9), [0; 0]);
    }

    #[test]
    fn nothing_of_a_private_row_shows_in_what_others_are_given() {
        let (mut all, mut shared) = (Index::default(), Index::default());
        for (id, text) in (1..).zip(["green tea", "tea", "green", "tea", "black", "green tea", "tea"]) {
            all.add(&card(id, text));
            if id % 3 == 0 {
                shared.add(&card(id, text));
            }
        }
        assert_eq!(told(&all, Visibility::Shared), told(&shared, Visibility::Shared));
        assert_eq!(all.beside(("talk", 2), 2, Visibility::Shared), [3, 6]);
        assert_eq!(all.beside(("talk", 4), 4, Visibility::All), [3, 2, 5, 6]);
    }
}
