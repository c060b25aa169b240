//! An inverted index in memory, scored by BM25.
//!
//! Rows come in ascending order and are never moved; one that is taken out is marked, and no longer counted.
//! Counts are kept twice, over all rows and over those that are shared, so that what a session with others
//! present sees does not depend on a private row, not even in the order of what it finds.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::card::{Card, date};
use super::query::Term;
use super::terms::Stemmer;

/// A row as the index knows it, by its place in the order of coming.
pub(crate) type RowNo = u32;

/// What the index keeps of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub id: i64,
    /// In words.
    pub length: u32,
    /// In bytes.
    pub bytes: u32,
    pub conversation: Option<u32>,
    pub position: u64,
    pub speaker: Option<u32>,
    pub own: bool,
    pub shared: bool,
    pub live: bool,
    pub touched: i64,
}

impl Row {
    /// Compares by time, then by id: the later is the greater.
    pub(crate) fn newer(&self, other: &Self) -> Ordering {
        (self.touched, self.id).cmp(&(other.touched, other.id))
    }
}

/// How many rows there are, and how long they are together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extent {
    pub rows: u32,
    pub length: u64,
}

/// Which rows are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// All.
    All = 0,
    /// What is shared.
    Shared = 1,
}

impl Sight {
    pub(crate) fn sees(self, row: &Row) -> bool {
        row.live && (row.shared || self == Self::All)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Postings {
    /// Ascending.
    pub rows: Vec<RowNo>,
    pub counts: Vec<u16>,
    /// For every [`BLOCK`] of them, the greatest count and the least length.
    blocks: Vec<(u16, u32)>,
    /// In how many rows that are not taken out, and in how many of the shared ones.
    found_in: (u32, u32),
}

/// How far a row gives to others in its conversation, to each side.
pub(crate) const REACH: usize = 2;

/// Stands in a conversation for rows that are not here.
pub(crate) const GAP: RowNo = RowNo::MAX;

/// How often words stand in rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frequencies {
    rows: u32,
    /// In how many rows each word stands; of what is frequent, that it is.
    found_in: Vec<u32>,
}

impl Frequencies {
    /// Those of words in so many rows.
    pub(crate) fn of(rows: u32) -> Self {
        Self { rows, found_in: Vec::new() }
    }

    pub(crate) fn push(&mut self, found_in: u32) {
        self.found_in.push(found_in);
    }

    /// What stands in more rows is frequent, and it does not matter in how many.
    pub(crate) fn worth_counting(&self) -> u32 {
        if self.rows >= LARGE { self.rows / FREQUENT + 1 } else { self.rows }
    }

    /// The words that are looked up, in their order. In a large store those that every twentieth row has are left
    /// out, but for the two rarest: they cost the most and say the least.
    pub(crate) fn guarded<'a, T>(&self, terms: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T> {
        let found_in = move |at: usize| self.found_in.get(at).copied().unwrap_or(0);
        let mut by_rarity: Vec<usize> = (0..terms.len()).filter(|at| found_in(*at) > 0).collect();
        by_rarity.sort_by_key(|at| found_in(*at));
        let mut rank = 0;
        by_rarity.retain(|at| {
            rank += 1;
            rank <= 2 || self.rows < LARGE || found_in(*at) <= self.rows / FREQUENT
        });
        by_rarity.sort_unstable();
        by_rarity.into_iter().map(|at| &terms[at])
    }
}

/// From so many rows on, words that are in a great share of them are not looked up.
const LARGE: u32 = 20_000;
/// The share: one in so many.
const FREQUENT: u32 = 20;

const BLOCK: usize = 128;
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// A conversation.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    /// Its rows by position: all, and those that are shared.
    rows: [Vec<(u64, RowNo)>; 2],
    extents: [Extent; 2],
}

impl Conversation {
    /// Its rows by position, as far as they are in sight.
    pub(crate) fn rows(&self, sight: Sight) -> &[(u64, RowNo)] {
        &self.rows[sight as usize]
    }

    /// In words, as far as it is in sight.
    pub(crate) fn length(&self, sight: Sight) -> u32 {
        u32::try_from(self.extents[sight as usize].length).unwrap_or(u32::MAX)
    }
}

/// The index.
#[derive(Debug, Default)]
pub(crate) struct Index {
    terms: HashMap<Box<str>, u32>,
    postings: Vec<Postings>,
    rows: Vec<Row>,
    numbers: HashMap<i64, RowNo>,
    names: HashMap<Box<str>, u32>,
    conversations: Vec<Conversation>,
    speakers: HashMap<Box<str>, u32>,
    /// How many rows each of them said, and how many of the shared ones.
    said: Vec<[u32; 2]>,
    extents: [Extent; 2],
    /// The conversations that have rows in sight, as if each were a row.
    conversation_extents: [Extent; 2],
    /// Whether no more words come in than are known.
    closed: bool,
    stemmer: Stemmer,
}

impl Index {
    /// An index of some words only.
    pub(crate) fn of(terms: &[Term]) -> Self {
        let stemmer = Stemmer::only(terms.iter().map(|term| term.stem.as_str()));
        let mut index = Self { closed: true, stemmer, ..Self::default() };
        for (term, number) in terms.iter().zip(0..) {
            index.terms.insert(term.stem.as_str().into(), number);
            index.postings.push(Postings::default());
        }
        index
    }

    /// Takes the rows for some of more, of which this is known.
    pub(crate) fn assume(&mut self, frequencies: &Frequencies, terms: &[Term]) {
        let extent = &mut self.extents[Sight::All as usize];
        let here = extent.rows.max(1);
        let rows = frequencies.rows.max(here);
        extent.length = extent.length * u64::from(rows) / u64::from(here);
        extent.rows = rows;
        for (term, found_in) in terms.iter().zip(&frequencies.found_in) {
            // A word may stand in none of these rows, and in others.
            let number = match self.terms.get(term.stem.as_str()) {
                Some(number) => *number as usize,
                None if *found_in == 0 => continue,
                None => {
                    let next = u32::try_from(self.postings.len()).expect("memory ends before so many words");
                    self.terms.insert(term.stem.as_str().into(), next);
                    self.postings.push(Postings::default());
                    next as usize
                }
            };
            let list = &mut self.postings[number].found_in.0;
            *list = (*found_in).max(*list);
        }
    }

    /// Keeps rows of a conversation apart, by id, between which others stand that are not here. After the last row
    /// was added.
    pub(crate) fn part(&mut self, are_neighbours: impl Fn(i64, i64) -> bool) {
        for conversation in &mut self.conversations {
            let rows = &mut conversation.rows[Sight::All as usize];
            let mut parted: Vec<(u64, RowNo)> = Vec::with_capacity(rows.len());
            for (_, number) in rows.drain(..) {
                if let Some((last_position, last)) = parted.last().copied()
                    && !are_neighbours(self.rows[last as usize].id, self.rows[number as usize].id)
                {
                    parted.extend((1..).map(|step| (last_position + step, GAP)).take(REACH));
                }
                let position = parted.last().map_or(0, |(last, _)| last + 1);
                self.rows[number as usize].position = position;
                parted.push((position, number));
            }
            *rows = parted;
        }
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, card: &Card<'_>) {
        self.take_out(card);
        let number = RowNo::try_from(self.rows.len()).expect("memory ends before four thousand million rows");
        let mut counts: Vec<u32> = Vec::new();
        let (terms, postings, closed) = (&mut self.terms, &mut self.postings, self.closed);
        let mut take = |term: &str| {
            let known = terms.get(term).copied();
            let term = known.or_else(|| {
                let next = u32::try_from(postings.len()).expect("memory ends before so many words");
                (!closed).then(|| {
                    postings.push(Postings::default());
                    terms.insert(term.into(), next);
                    next
                })
            });
            counts.extend(term);
        };
        let length = each_term(&mut self.stemmer, card, &mut take);
        counts.sort_unstable();
        for same in counts.chunk_by(|one, other| one == other) {
            let count = u16::try_from(same.len()).unwrap_or(u16::MAX);
            self.postings[same[0] as usize].push(number, count, length, card.shared);
        }
        let conversation = card.place.map(|(name, position)| {
            let next = u32::try_from(self.conversations.len()).expect("fewer than rows");
            let conversation = *self.names.entry(name.into()).or_insert(next);
            if conversation == next {
                self.conversations.push(Conversation::default());
            }
            for sight in sights(card.shared) {
                let rows = &mut self.conversations[conversation as usize].rows[sight as usize];
                let at = rows.partition_point(|there| *there < (position, number));
                rows.insert(at, (position, number));
            }
            conversation
        });
        let speaker = card.speaker.map(|speaker| {
            let next = u32::try_from(self.speakers.len()).expect("fewer than rows");
            let speaker = *self.speakers.entry(super::terms::folded(speaker).into()).or_insert(next);
            if speaker == next {
                self.said.push([0; 2]);
            }
            speaker
        });
        self.rows.push(Row {
            id: card.id,
            length,
            bytes: card.bytes,
            conversation,
            position: card.place.map_or(0, |(_, position)| position),
            speaker,
            own: card.own,
            shared: card.shared,
            live: true,
            touched: card.touched,
        });
        self.numbers.insert(card.id, number);
        self.count(number, true);
    }

    /// Counts a row, or no longer.
    fn count(&mut self, number: RowNo, comes: bool) {
        let row = self.rows[number as usize];
        for sight in sights(row.shared) {
            let at = sight as usize;
            if let Some(speaker) = row.speaker {
                let said = &mut self.said[speaker as usize][at];
                *said = if comes { *said + 1 } else { *said - 1 };
            }
            self.extents[at].count(row.length, comes);
            if let Some(conversation) = row.conversation {
                let extent = &mut self.conversations[conversation as usize].extents[at];
                let all = &mut self.conversation_extents[at];
                all.rows -= u32::from(extent.rows > 0);
                all.length -= extent.length;
                extent.count(row.length, comes);
                all.rows += u32::from(extent.rows > 0);
                all.length += extent.length;
            }
        }
    }

    /// Takes a row out that says what it said when it was added; `false` where it is not in.
    pub(crate) fn take_out(&mut self, card: &Card<'_>) -> bool {
        let Some(number) = self.numbers.remove(&card.id) else { return false };
        self.rows[number as usize].live = false;
        self.count(number, false);
        let row = self.rows[number as usize];
        let mut gone: Vec<u32> = Vec::new();
        let terms = &self.terms;
        each_term(&mut self.stemmer, card, |term| gone.extend(terms.get(term)));
        gone.sort_unstable();
        gone.dedup();
        for term in gone {
            let found_in = &mut self.postings[term as usize].found_in;
            found_in.0 -= 1;
            found_in.1 -= u32::from(row.shared);
        }
        if let Some(conversation) = row.conversation {
            for rows in &mut self.conversations[conversation as usize].rows {
                rows.retain(|(_, there)| *there != number);
            }
        }
        true
    }

    /// The share of rows that were taken out.
    pub(crate) fn waste(&self) -> f64 {
        let rows = RowNo::try_from(self.rows.len().max(1)).unwrap_or(RowNo::MAX);
        1.0 - f64::from(self.extents[0].rows) / f64::from(rows)
    }

    /// The conversations that have rows in sight, as if each were a row.
    pub(crate) fn conversations_in(&self, sight: Sight) -> Extent {
        self.conversation_extents[sight as usize]
    }

    pub(crate) fn extent(&self, sight: Sight) -> Extent {
        self.extents[sight as usize]
    }

    pub(crate) fn row(&self, number: RowNo) -> &Row {
        &self.rows[number as usize]
    }

    pub(crate) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(crate) fn conversations(&self) -> &[Conversation] {
        &self.conversations
    }

    /// The speaker of this name, who says something that is in sight.
    pub(crate) fn speaker(&self, folded: &str, sight: Sight) -> Option<u32> {
        self.speakers.get(folded).copied().filter(|speaker| self.said[*speaker as usize][sight as usize] > 0)
    }

    /// The list of a term, where a row has it.
    pub(crate) fn postings(&self, term: &str) -> Option<&Postings> {
        self.terms.get(term).map(|term| &self.postings[*term as usize])
    }

    /// The terms that may stand for a word with this prefix, in no order.
    pub(crate) fn terms_like<'a>(
        &'a self,
        fits: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = &'a Postings> {
        self.terms.iter().filter(move |(term, _)| fits(term)).map(|(_, term)| &self.postings[*term as usize])
    }

    /// What a term weighs.
    pub(crate) fn weight(&self, postings: &Postings, sight: Sight) -> f64 {
        rarity(self.extent(sight).rows, postings.found_in(sight))
    }

    /// The mean length of a row, at least 1.
    pub(crate) fn mean_length(&self, sight: Sight) -> f64 {
        self.extent(sight).mean_length()
    }

    /// The best rows for some terms by BM25 alone, best first, ties newest first; skips what cannot be among
    /// them.
    pub(crate) fn best(
        &self,
        terms: &[&str],
        sight: Sight,
        may: &dyn Fn(&Row) -> bool,
        most: usize,
    ) -> Vec<(RowNo, f64)> {
        let mean = self.mean_length(sight);
        let mut cursors: Vec<Cursor<'_>> = terms
            .iter()
            .filter_map(|term| self.postings(term))
            .map(|list| Cursor::new(list, self.weight(list, sight), mean))
            .collect();
        // The lists that can add little come first; what is only in the first of them cannot be among the best.
        cursors.sort_by(|one, other| one.bound.total_cmp(&other.bound));
        let mut bounds = Vec::with_capacity(cursors.len());
        let mut sum = 0.0;
        for cursor in &cursors {
            sum += cursor.bound;
            bounds.push(sum);
        }
        let mut best: Vec<(RowNo, f64)> = Vec::with_capacity(most + 1);
        let mut needed = f64::NEG_INFINITY;
        let mut first = 0;
        while first < cursors.len() && most > 0 {
            let Some(number) = cursors[first..].iter().filter_map(Cursor::row).min() else { break };
            let row = self.row(number);
            if !sight.sees(row) || !may(row) {
                cursors[first..].iter_mut().for_each(|cursor| cursor.pass(number));
                continue;
            }
            let norm = norm(row.length, mean);
            let mut score = 0.0;
            for cursor in &mut cursors[first..] {
                if cursor.row() == Some(number) {
                    score += cursor.score(norm);
                    cursor.pass(number);
                }
            }
            for at in (0..first).rev() {
                // A little more than the bound, for the last bits of a sum depend on its order.
                if (score + bounds[at]) * (1.0 + 1e-12) < needed {
                    break;
                }
                let cursor = &mut cursors[at];
                if cursor.could_add(number) + score + if at > 0 { bounds[at - 1] } else { 0.0 }
                    < needed * (1.0 - 1e-12)
                {
                    continue;
                }
                cursor.seek(number);
                if cursor.row() == Some(number) {
                    score += cursor.score(norm);
                }
            }
            if best.len() < most || score >= needed {
                let exact = self.score(terms, number, sight);
                let before = |(other, there): &(RowNo, f64)| {
                    there.total_cmp(&exact).then_with(|| self.row(*other).newer(row)).is_gt()
                };
                let at = best.partition_point(before);
                best.insert(at, (number, exact));
                best.truncate(most);
                if best.len() == most {
                    needed = best[most - 1].1 * (1.0 - 1e-12);
                    while first < cursors.len() && bounds[first] < needed {
                        first += 1;
                    }
                }
            }
        }
        best
    }

    /// The score of one row, summed in the order of the terms.
    pub(crate) fn score(&self, terms: &[&str], number: RowNo, sight: Sight) -> f64 {
        let norm = norm(self.row(number).length, self.mean_length(sight));
        let parts = terms.iter().filter_map(|term| self.postings(term)).map(|list| {
            let at = list.rows.binary_search(&number);
            at.map_or(0.0, |at| self.weight(list, sight) * gain(f64::from(list.counts[at]), norm))
        });
        parts.sum()
    }
}

/// The sights that a row is in.
fn sights(shared: bool) -> impl Iterator<Item = Sight> {
    [Sight::All, Sight::Shared].into_iter().filter(move |sight| *sight == Sight::All || shared)
}

/// Gives each term of a row; returns how many words it says.
fn each_term(stemmer: &mut Stemmer, card: &Card<'_>, mut take: impl FnMut(&str)) -> u32 {
    let mut take = |term: &str, _: &str| take(term);
    let length = stemmer.terms(card.text, &mut take);
    stemmer.terms(card.category, &mut take);
    if let Some(day) = card.said_on {
        stemmer.terms(&date(day), &mut take);
    }
    stemmer.terms(card.speaker.unwrap_or_default(), &mut take);
    length
}

impl Extent {
    fn count(&mut self, length: u32, comes: bool) {
        if comes {
            self.rows += 1;
            self.length += u64::from(length);
        } else {
            self.rows -= 1;
            self.length -= u64::from(length);
        }
    }

    /// At least 1.
    #[expect(clippy::cast_precision_loss, reason = "a length of 2^53 words is not in memory")]
    pub(crate) fn mean_length(self) -> f64 {
        (self.length as f64 / f64::from(self.rows.max(1))).max(1.0)
    }
}

impl Postings {
    fn push(&mut self, number: RowNo, count: u16, length: u32, shared: bool) {
        if self.rows.len().is_multiple_of(BLOCK) {
            self.blocks.push((count, length));
        } else if let Some((most, least)) = self.blocks.last_mut() {
            *most = count.max(*most);
            *least = length.min(*least);
        }
        self.rows.push(number);
        self.counts.push(count);
        self.found_in.0 += 1;
        self.found_in.1 += u32::from(shared);
    }

    pub(crate) fn has(&self, number: RowNo) -> bool {
        self.rows.binary_search(&number).is_ok()
    }

    /// In how many rows that are in sight.
    pub(crate) fn found_in(&self, sight: Sight) -> u32 {
        if sight == Sight::All { self.found_in.0 } else { self.found_in.1 }
    }
}

/// A place in a list, with what the list can add to a score.
struct Cursor<'a> {
    list: &'a Postings,
    weight: f64,
    mean: f64,
    at: usize,
    bound: f64,
}

impl<'a> Cursor<'a> {
    fn new(list: &'a Postings, weight: f64, mean: f64) -> Self {
        let most = list.blocks.iter().map(|(count, length)| gain(f64::from(*count), norm(*length, mean)));
        let bound = weight * most.fold(0.0, f64::max);
        Self { list, weight, mean, at: 0, bound }
    }

    fn row(&self) -> Option<RowNo> {
        self.list.rows.get(self.at).copied()
    }

    fn score(&self, norm: f64) -> f64 {
        self.weight * gain(f64::from(self.list.counts[self.at]), norm)
    }

    fn pass(&mut self, number: RowNo) {
        self.at += usize::from(self.row() == Some(number));
    }

    /// Goes to the row, or to the next one.
    fn seek(&mut self, number: RowNo) {
        let rows = &self.list.rows[self.at..];
        let mut step = 1;
        while rows.get(step - 1).is_some_and(|row| *row < number) {
            step *= 2;
        }
        let from = step / 2;
        let to = step.min(rows.len());
        self.at += from + rows[from..to].partition_point(|row| *row < number);
    }

    /// What the list can add at most to this row, by the block that the row would be in.
    fn could_add(&mut self, number: RowNo) -> f64 {
        let rows = &self.list.rows;
        let mut block = self.at / BLOCK;
        while rows.get((block + 1) * BLOCK - 1).is_some_and(|last| *last < number) {
            block += 1;
        }
        self.at = self.at.max(block * BLOCK);
        let most = self.list.blocks.get(block);
        most.map_or(0.0, |(count, length)| self.weight * gain(f64::from(*count), norm(*length, self.mean)))
    }
}

/// What a term adds for standing so often in a row.
pub(crate) fn gain(count: f64, norm: f64) -> f64 {
    count * (K1 + 1.0) / (count + norm)
}

/// How much a term says that is in so many of so many rows.
pub(crate) fn rarity(rows: u32, found_in: u32) -> f64 {
    let (rows, found_in) = (f64::from(rows), f64::from(found_in));
    ln(1.0 + (rows - found_in + 0.5) / (found_in + 0.5))
}

/// How much the length of a row counts against it.
pub(crate) fn norm(length: u32, mean: f64) -> f64 {
    K1 * (1.0 - B + B * f64::from(length) / mean)
}

/// The natural logarithm of a number from 1 up, the same bits on every machine.
pub(crate) fn ln(number: f64) -> f64 {
    let (mut twos, mut rest) = (0.0, number);
    while rest > 1.5 {
        rest /= 2.0;
        twos += 1.0;
    }
    // ln(x) = 2 (y + y³/3 + y⁵/5 + …) with y = (x − 1) / (x + 1), here at most 1/5.
    let y = (rest - 1.0) / (rest + 1.0);
    let (mut power, mut sum, mut odd) = (y, 0.0, 1.0);
    while odd < 26.0 {
        sum += power / odd;
        power *= y * y;
        odd += 2.0;
    }
    twos * std::f64::consts::LN_2 + 2.0 * sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern, the same each time.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, end: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % end
        }

        /// Few words are frequent, and many are rare.
        fn word(&mut self) -> String {
            let rank = (0..4).map(|_| self.below(60)).min().unwrap_or(0) * self.below(30);
            format!("w{rank}")
        }
    }

    fn card(id: i64, text: &str) -> Card<'_> {
        Card { shared: id % 3 == 0, ..Card::of(id, text) }
    }

    fn exhaustive(index: &Index, terms: &[&str], sight: Sight, most: usize) -> Vec<(RowNo, f64)> {
        let rows = 0..RowNo::try_from(index.rows().len()).unwrap();
        let mut scored: Vec<(RowNo, f64)> = rows
            .filter(|number| sight.sees(index.row(*number)))
            .map(|number| (number, index.score(terms, number, sight)))
            .filter(|(_, score)| *score > 0.0)
            .collect();
        scored.sort_by(|(one, score), (other, than)| {
            than.total_cmp(score).then_with(|| index.row(*other).newer(index.row(*one)))
        });
        scored.truncate(most);
        scored
    }

    #[test]
    fn what_is_skipped_is_never_among_the_best() {
        let mut dice = Dice(7);
        let mut index = Index::default();
        let mut texts = Vec::new();
        for _ in 0..3000 {
            let words: Vec<String> = (0..=dice.below(25)).map(|_| dice.word()).collect();
            texts.push(words.join(" "));
        }
        for (id, text) in (0..).zip(&texts) {
            index.add(&card(id, text));
        }
        for id in (0..3000).step_by(7) {
            assert!(index.take_out(&card(id, &texts[usize::try_from(id).unwrap()])));
        }
        for _ in 0..400 {
            let words: Vec<String> = (0..=dice.below(7)).map(|_| dice.word()).collect();
            let mut terms: Vec<&str> = words.iter().map(String::as_str).collect();
            terms.sort_unstable();
            terms.dedup();
            for sight in [Sight::All, Sight::Shared] {
                for most in [1, 10] {
                    let best = index.best(&terms, sight, &|_| true, most);
                    assert_eq!(best, exhaustive(&index, &terms, sight, most), "{terms:?}");
                }
            }
        }
    }

    #[test]
    fn a_row_that_was_taken_out_counts_nowhere() {
        let (mut with, mut without) = (Index::default(), Index::default());
        for index in [&mut with, &mut without] {
            index.add(&card(1, "green tea"));
            index.add(&card(2, "black tea"));
        }
        let gone = Card { place: Some(("talk", 1)), shared: true, ..card(3, "green tea in the green house") };
        with.add(&gone);
        assert_eq!(with.conversations_in(Sight::Shared).rows, 1);
        assert!(with.take_out(&gone));
        assert!(!with.take_out(&gone));
        for sight in [Sight::All, Sight::Shared] {
            assert_eq!(with.conversations_in(sight).rows, 0);
            let terms = ["green", "tea"];
            assert_eq!(with.best(&terms, sight, &|_| true, 9), without.best(&terms, sight, &|_| true, 9));
        }
        assert!(with.waste() > 0.3);
    }

    #[test]
    fn our_logarithm_is_the_logarithm() {
        for number in [1.0, 1.000_001, 1.5, 2.0, 3.7, 100.0, 99_999.5, 4e9] {
            assert!((ln(number) - f64::ln(number)).abs() < 1e-13 * f64::ln(number).max(1.0), "{number}");
        }
    }
}
