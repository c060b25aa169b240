//! The order of results: the score of a row, of its neighbours and of its conversation, added by weights.
//!
//! A row gains a share of its neighbours' scores. The longer it is, the smaller the share, since a short line needs the
//! lines around it. Its conversation is ranked as one row too, and that score counts as well. Words of the human and of
//! a speaker named in the query weigh more. In a question about what the agent said, the agent's do. A row without
//! neighbours or conversation is never left out.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::asked::asks_for_the_agent;
use super::bm25::{gain, length_share, norm, norm_by, rarity};
use super::entity::Entities;
use super::frequencies::Frequencies;
use super::order::Order;
use super::pool::{Pool, RowNo};
use super::query::Plan;
use super::ranking::{Fusion, Ranking};
use super::signal::Signal;
use super::terms::is_stop_word;

/// The query, and the rows to search.
#[derive(Debug)]
pub struct Search<'a> {
    /// The rows.
    pub pool: &'a Pool<'a>,
    /// The rows that each word of the query occurs in.
    pub frequencies: &'a Frequencies,
    /// The weights.
    pub ranking: &'a Ranking,
    /// The query.
    pub plan: &'a Plan,
    /// The entities of a text.
    pub entities: &'a dyn Entities,
}

/// A row that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The row's id.
    pub id: i64,
    /// Its score.
    pub score: f64,
    /// The lists that it is in, with its rank from 1.
    pub why: Vec<(Signal, usize)>,
    /// The share of the query that the row has itself, by weight.
    pub covered: f64,
    /// The score of its own words.
    pub strength: f64,
}

/// Below this share of the query nothing fits well.
const WEAK: f64 = 0.25;
/// The most rows that are looked at for entities, and for what they take back: the best.
pub(super) const LOOKED_AT: usize = 50;
/// The last rank at which a short row with a name of the query is looked at for news of that name.
const FAR: usize = 200;

/// The rows of a search by what they score, before texts are looked at.
#[derive(Debug)]
pub struct Weighed {
    order: Order,
    most: usize,
    pub(super) scores: Scores,
    pub(super) ranked: Vec<(RowNo, f64)>,
    /// The ranks of rows by meaning, where they were asked for.
    pub(super) near: BTreeMap<RowNo, usize>,
}

/// The scores of one search; rows and conversations that have none are not listed.
#[derive(Debug, Default)]
pub(super) struct Scores {
    row: Vec<f64>,
    covered: Vec<f64>,
    /// With what neighbours give.
    around: Vec<f64>,
    /// The rows for which `around` is above 0.
    found: Vec<RowNo>,
    conversation: BTreeMap<u32, f64>,
}

/// The moves of rows behind newer ones.
#[derive(Default)]
pub(crate) struct Freshened {
    /// The newer rows, with the ranks that they had.
    pub(super) ranks: BTreeMap<RowNo, usize>,
    /// Each newer row with an older one that it says anew.
    pub(super) pairs: Vec<(RowNo, RowNo)>,
}

impl Scores {
    /// Makes room for rows without words.
    pub(super) fn grow(&mut self, rows: usize) {
        for scores in [&mut self.row, &mut self.covered, &mut self.around] {
            scores.resize(rows, 0.0);
        }
    }
}

impl Search<'_> {
    /// Weighs the rows, and sorts them in the requested order as far as it does not depend on their texts.
    #[must_use]
    pub fn weigh(&self, order: Order, most: usize) -> Weighed {
        let scores = self.scores();
        let speakers: Vec<u32> = self.plan.words.iter().filter_map(|word| self.pool.speaker(word)).collect();
        let fused = match self.ranking.fusion {
            Fusion::Scores => self.by_scores(&scores),
            Fusion::Ranks { k } => self.by_ranks(&scores, k),
        };
        let is_wanted_own = !asks_for_the_agent(&self.plan.words);
        let weigh = |(number, fused): (RowNo, f64)| {
            let row = self.pool.row(number);
            let named = row.speaker.is_some_and(|speaker| speakers.contains(&speaker));
            let factor = if row.own == is_wanted_own { 1.0 } else { 1.0 / self.ranking.own_words }
                * if speakers.is_empty() || named { 1.0 } else { 1.0 / self.ranking.named_speaker };
            (number, fused * factor)
        };
        let mut ranked: Vec<(RowNo, f64)> = fused.into_iter().map(weigh).collect();
        if self.plan.required.is_some() {
            // A row that fulfils a condition is found even if no word of it is ranked.
            let unranked = |(number, _): &(RowNo, _)| scores.around[*number as usize] == 0.0;
            let rows = (0..).zip(self.pool.rows()).filter(unranked);
            ranked.extend(rows.map(|(number, _)| (number, 0.0)));
        }
        match order {
            Order::Relevance => self.sort(&mut ranked, most),
            Order::Recency => {
                // A row that is only beside a fitting row is no answer to a question for the newest.
                let is_asked_for =
                    |number: RowNo| self.plan.required.is_some() || scores.row[number as usize] > 0.0;
                ranked.retain(|(number, _)| is_asked_for(*number));
                ranked.sort_unstable_by(|(one, _), (other, _)| {
                    self.pool.row(*other).newer(self.pool.row(*one))
                });
            }
        }
        Weighed { order, most, scores, ranked, near: BTreeMap::new() }
    }

    /// Returns the rows whose texts [`run`](Self::run) looks at and nobody has read.
    #[must_use]
    pub fn unread(&self, weighed: &Weighed) -> Vec<i64> {
        let mut looked_at = BTreeSet::new();
        if weighed.order == Order::Relevance {
            if !self.asked_entities().is_empty() {
                looked_at.extend(weighed.ranked.iter().take(LOOKED_AT).map(|(number, _)| *number));
            }
            if self.freshens() {
                // Entities change the order among the first, and not how many of a conversation are left.
                let mut ranked = weighed.ranked.clone();
                self.cap(&mut ranked);
                looked_at.extend(self.places(&ranked).into_iter().map(|at| ranked[at].0));
            }
        }
        let unread = looked_at.into_iter().filter(|number| !self.pool.is_read(*number));
        unread.map(|number| self.pool.row(number).id).collect()
    }

    /// Returns whether no row fits well, the rows in the requested order, and which of them say others anew. Each
    /// newer row's id with that of an older one.
    #[must_use]
    pub fn run(&self, weighed: Weighed) -> (bool, Vec<Ranked>, Vec<(i64, i64)>) {
        let Weighed { order, most, scores, mut ranked, near } = weighed;
        let mut passed = Freshened::default();
        if order == Order::Relevance {
            self.lift_entities(&mut ranked);
            self.cap(&mut ranked);
            passed = self.freshen(&mut ranked);
        }
        ranked.truncate(most);
        let ranked = self.explain(ranked, &scores, &passed.ranks, &near);
        let best = ranked.iter().map(|ranked| ranked.covered).fold(0.0, f64::max);
        let terms = &self.plan.terms;
        let says_nothing = !terms.is_empty() && terms.iter().all(|term| is_stop_word(&term.written));
        let is_weak = (best < WEAK || says_nothing) && self.plan.required.is_none();
        let id = |number: RowNo| self.pool.row(number).id;
        let renewed = passed.pairs.into_iter().map(|(newer, older)| (id(newer), id(older)));
        (is_weak, ranked, renewed.collect())
    }

    /// Returns the best rows of conversations by their own words: they give to those beside them.
    #[must_use]
    pub fn givers(&self, most: usize) -> Vec<i64> {
        let scores = self.rows();
        let in_conversations =
            scores.found.iter().filter(|number| self.pool.row(**number).conversation.is_some());
        let mut givers: Vec<(RowNo, f64)> =
            in_conversations.map(|number| (*number, scores.row[*number as usize])).collect();
        givers.sort_unstable_by(|one, other| self.order(*one, *other));
        givers.into_iter().take(most).map(|(number, _)| self.pool.row(number).id).collect()
    }

    /// Returns each row that was found, by what the lists score.
    fn by_scores(&self, scores: &Scores) -> Vec<(RowNo, f64)> {
        let top = scores.found.iter().map(|row| scores.around[*row as usize]).fold(0.0, f64::max);
        let top_conversation = scores.conversation.values().copied().fold(0.0, f64::max);
        let share = self.ranking.conversation;
        let fused = |number: &RowNo| {
            let around = scores.around[*number as usize] / top;
            // A row that stands alone is its whole conversation.
            let conversation = self.pool.row(*number).conversation.map_or(around, |conversation| {
                scores.conversation.get(&conversation).map_or(0.0, |score| score / top_conversation)
            });
            (*number, (around + share * conversation) / (1.0 + share))
        };
        scores.found.iter().map(fused).collect()
    }

    /// Returns each row that was found, by its rank in each list; 1 where it is first in all.
    fn by_ranks(&self, scores: &Scores, k: f64) -> Vec<(RowNo, f64)> {
        let conversation = |number: RowNo| {
            let conversation = self.pool.row(number).conversation;
            conversation.map_or(scores.around[number as usize], |conversation| {
                scores.conversation.get(&conversation).copied().unwrap_or(0.0)
            })
        };
        let row = |number: RowNo| scores.row[number as usize];
        let around = |number: RowNo| scores.around[number as usize];
        // A list that weighs nothing is none.
        let mut lists: Vec<&dyn Fn(RowNo) -> f64> = vec![&row];
        if self.ranking.neighbours > 0.0 {
            lists.push(&around);
        }
        if self.ranking.conversation > 0.0 {
            lists.push(&conversation);
        }
        let count = f64::from(u32::try_from(lists.len()).unwrap_or(u32::MAX));
        let mut fused: Vec<(RowNo, f64)> = scores.found.iter().map(|number| (*number, 0.0)).collect();
        for list in lists {
            let mut values: Vec<f64> = scores.found.iter().map(|number| list(*number)).collect();
            values.sort_unstable_by(|one, other| other.total_cmp(one));
            values.dedup();
            for (number, sum) in &mut fused {
                let value = list(*number);
                if value > 0.0 {
                    // Rows that score alike share a rank, as those of one conversation do.
                    let before = values.partition_point(|other| *other > value);
                    let rank = f64::from(u32::try_from(before).unwrap_or(u32::MAX)) + 1.0;
                    *sum += (k + 1.0) / (k + rank) / count;
                }
            }
        }
        fused
    }

    /// Puts the best first, at least as many as are asked for or looked at. Ties the newest first, then the greater id.
    fn sort(&self, ranked: &mut Vec<(RowNo, f64)>, most: usize) {
        let kept = most.max(FAR).min(ranked.len());
        let order = |one: &(RowNo, f64), other: &(RowNo, f64)| self.order(*one, *other);
        if self.ranking.most_of_one.is_none() && kept < ranked.len() {
            ranked.select_nth_unstable_by(kept, order);
            ranked.truncate(kept);
        }
        ranked.sort_unstable_by(order);
    }

    /// Scores each row by its own words.
    fn rows(&self) -> Scores {
        let rows = self.pool.rows();
        let mut scores =
            Scores { row: vec![0.0; rows.len()], covered: vec![0.0; rows.len()], ..Scores::default() };
        let mean = self.pool.mean_length();
        let share = length_share(self.ranking.even, mean);
        for word in self.frequencies.looked_up() {
            let weight = self.weight(word);
            for (number, row) in (0..).zip(rows).filter(|(_, row)| row.has & 1 << word > 0) {
                let count = f64::from(self.pool.count(number, word));
                scores.row[number as usize] += weight * gain(count, norm_by(share, row.length, mean));
                scores.covered[number as usize] += weight;
            }
        }
        let whole = self.whole();
        let coverage = self.coverage();
        for (number, (score, covered)) in (0..).zip(scores.row.iter_mut().zip(&mut scores.covered)) {
            *covered /= whole;
            *score *= 1.0 + coverage * self.shortness(number) * *covered;
            if *score > 0.0 {
                scores.found.push(number);
            }
        }
        scores
    }

    /// Scores each row with its neighbours, and each conversation.
    fn scores(&self) -> Scores {
        let mut scores = self.rows();
        self.score_conversations(&mut scores);
        scores.around.clone_from(&scores.row);
        for (giver, taker) in self.pool.beside() {
            let given = self.ranking.neighbours * self.shortness(*taker) * scores.row[*giver as usize];
            if given > 0.0 {
                let around = &mut scores.around[*taker as usize];
                if *around == 0.0 {
                    scores.found.push(*taker);
                }
                *around += given;
            }
        }
        scores
    }

    /// Ranks conversations as rows are ranked: by how often the words of the query are said in them.
    fn score_conversations(&self, scores: &mut Scores) {
        let conversations = self.pool.conversations();
        let mean = conversations.mean_length();
        for word in self.frequencies.looked_up() {
            let mut counts: BTreeMap<u32, u32> = BTreeMap::new();
            for (number, row) in (0..).zip(self.pool.rows()) {
                if let (Some(conversation), count @ 1..) = (row.conversation, self.pool.count(number, word)) {
                    *counts.entry(conversation).or_default() += u32::from(count);
                }
            }
            let weight = rarity(conversations.count, u32::try_from(counts.len()).unwrap_or(u32::MAX));
            for (conversation, count) in counts {
                let length = self.pool.conversation_length(conversation);
                *scores.conversation.entry(conversation).or_default() +=
                    weight * gain(f64::from(count), norm(length, mean));
            }
        }
    }

    pub(super) fn order(&self, (one, score): (RowNo, f64), (other, than): (RowNo, f64)) -> Ordering {
        than.total_cmp(&score).then_with(|| self.pool.row(other).newer(self.pool.row(one)))
    }

    /// Returns the places of the rows that may be news of others. These are the best rows, and behind them short rows with a
    /// name of the query.
    pub(super) fn places(&self, ranked: &[(RowNo, f64)]) -> Vec<usize> {
        let near = self.ranking.freshness.max(LOOKED_AT).min(ranked.len());
        let names = self.told_of();
        let is_named = |at: &usize| {
            let row = self.pool.row(ranked[*at].0);
            row.has & names > 0 && row.bytes <= self.ranking.short
        };
        let far = (near..ranked.len().min(FAR)).filter(is_named).take(LOOKED_AT);
        (0..near).chain(far).collect()
    }

    /// Returns the entities that are asked for, where they count.
    fn asked_entities(&self) -> BTreeSet<String> {
        if self.ranking.entities <= 0.0 {
            return BTreeSet::new();
        }
        // Speakers are weighed already, and most of their names in a text are salutations.
        let mut asked = self.entities.of(&self.plan.text);
        asked.retain(|entity| self.pool.speaker(entity).is_none());
        asked
    }

    /// Raises the rows that share entities with the query, among the best.
    fn lift_entities(&self, ranked: &mut [(RowNo, f64)]) {
        let asked = self.asked_entities();
        if asked.is_empty() {
            return;
        }
        let looked_at = ranked.len().min(LOOKED_AT);
        let whole = 1.0 + self.ranking.entities * f64::from(u32::try_from(asked.len()).unwrap_or(u32::MAX));
        for (at, (number, score)) in ranked.iter_mut().enumerate() {
            let text = if at < looked_at { self.pool.text(*number) } else { "" };
            let says = self.entities.of(text);
            let shared = f64::from(u32::try_from(asked.intersection(&says).count()).unwrap_or(u32::MAX));
            *score *= (1.0 + self.ranking.entities * shared) / whole;
        }
        ranked[..looked_at].sort_by(|one, other| self.order(*one, *other));
    }

    /// Leaves the best of each conversation.
    fn cap(&self, ranked: &mut Vec<(RowNo, f64)>) {
        let Some(most) = self.ranking.most_of_one else { return };
        let mut taken: BTreeMap<u32, usize> = BTreeMap::new();
        ranked.retain(|(number, _)| {
            self.pool.row(*number).conversation.is_none_or(|conversation| {
                let taken = taken.entry(conversation).or_default();
                *taken += 1;
                *taken <= most
            })
        });
    }

    /// Says for each row in which lists it is and at which rank, and its rank before it passed an older row.
    fn explain(
        &self,
        ranked: Vec<(RowNo, f64)>,
        scores: &Scores,
        passed: &BTreeMap<RowNo, usize>,
        near: &BTreeMap<RowNo, usize>,
    ) -> Vec<Ranked> {
        let descending = |values: &mut dyn Iterator<Item = f64>| {
            let mut values: Vec<f64> = values.collect();
            values.sort_unstable_by(|one, other| other.total_cmp(one));
            values
        };
        let rows = descending(&mut scores.found.iter().map(|row| scores.row[*row as usize]));
        let around = descending(&mut scores.found.iter().map(|row| scores.around[*row as usize]));
        let conversations = descending(&mut scores.conversation.values().copied());
        let rank = |values: &[f64], value: f64| 1 + values.partition_point(|other| *other > value);
        let explained = |(number, score): (RowNo, f64)| {
            let at = number as usize;
            let mut why = Vec::new();
            if scores.row[at] > 0.0 {
                why.push((Signal::Row, rank(&rows, scores.row[at])));
            }
            if scores.around[at] > scores.row[at] {
                why.push((Signal::Neighbours, rank(&around, scores.around[at])));
            }
            let conversation = self.pool.row(number).conversation;
            let counted = conversation.filter(|_| self.ranking.conversation > 0.0);
            if let Some(score) = counted.and_then(|it| scores.conversation.get(&it)) {
                why.push((Signal::Conversation, rank(&conversations, *score)));
            }
            if let Some(rank) = near.get(&number) {
                why.push((Signal::Meaning, *rank));
            }
            if let Some(rank) = passed.get(&number) {
                why.push((Signal::Newer, *rank));
            }
            Ranked {
                id: self.pool.row(number).id,
                score,
                why,
                covered: scores.covered[at],
                strength: scores.row[at],
            }
        };
        ranked.into_iter().map(explained).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::card::Card;
    use super::super::entity::GenericEntities;
    use super::*;

    const LINES: [(&str, &str, bool); 8] = [
        ("kitchen", "We painted the kitchen in green", true),
        ("kitchen", "Which green?", false),
        ("kitchen", "Olive. It took two days", true),
        ("kitchen", "Nice", false),
        ("trip", "The train to Porto was late", true),
        ("trip", "Late trains are no fun", false),
        ("trip", "The hotel in Porto had no lift", true),
        ("trip", "Poor knees", false),
    ];

    /// Returns the lines as rows, each with its place.
    fn lines() -> Vec<Card<'static>> {
        let card = |(at, (conversation, text, own)): (usize, &(&'static str, &'static str, bool))| Card {
            place: Some((*conversation, at as u64)),
            own: *own,
            ..Card::of(i64::try_from(at).unwrap(), text)
        };
        LINES.iter().enumerate().map(card).collect()
    }

    /// Searches rows, each beside the two before it and the two behind it in its conversation.
    fn search(rows: &[Card<'_>], ranking: Ranking, query: &str) -> Vec<Ranked> {
        let plan = Plan::of(query, false);
        let all: Vec<usize> = (0..plan.terms.len()).collect();
        let mut pool = Pool::of(&plan, &all);
        let taken: Vec<&Card<'_>> = rows.iter().filter(|card| pool.take(card, None)).collect();
        let mut frequencies = Frequencies::of(u32::try_from(rows.len()).unwrap());
        for word in &all {
            frequencies.push(pool.found_in(*word));
        }
        for giver in taken {
            for card in rows.iter().filter(|card| card.id != giver.id) {
                let conversation = |card: &Card<'_>| card.place.map(|(name, _)| name.to_owned());
                if conversation(giver).is_some()
                    && conversation(giver) == conversation(card)
                    && card.id.abs_diff(giver.id) <= 2
                {
                    pool.put_beside(giver.id, card);
                }
            }
        }
        pool.settle();
        let entities = &GenericEntities;
        let search =
            Search { pool: &pool, frequencies: &frequencies, ranking: &ranking, plan: &plan, entities };
        search.run(search.weigh(Order::Relevance, 10)).1
    }

    fn rows(found: &[Ranked]) -> Vec<i64> {
        found.iter().map(|ranked| ranked.id).collect()
    }

    #[test]
    fn a_short_line_is_found_by_the_lines_around_it() {
        let found = search(&lines(), Ranking::default(), "When did we paint the kitchen?");
        assert_eq!(rows(&found)[0], 0);
        assert!(rows(&found).contains(&2), "the answer has no word of the question");
        assert!(!rows(&found).contains(&3), "it stands too far away");
        let answer = found.iter().find(|ranked| ranked.id == 2).unwrap();
        assert_eq!(
            answer.why.iter().map(|(list, _)| *list).collect::<Vec<_>>(),
            [Signal::Neighbours, Signal::Conversation]
        );
        assert_eq!(
            found[0].why,
            [(Signal::Row, 1), (Signal::Conversation, 1)],
            "no neighbour has a word of it"
        );
        let alone = search(&lines(), Ranking::rows_alone(), "When did we paint the kitchen?");
        assert_eq!(rows(&alone), [0]);
    }

    #[test]
    fn the_humans_own_words_come_first_where_all_else_is_equal() {
        let cards = [(0, true), (1, false)].map(|(id, own)| Card { own, ..Card::of(id, "tea at nine") });
        let plain = Ranking { own_words: 1.0, ..Ranking::default() };
        assert_eq!(rows(&search(&cards, plain, "tea")), [1, 0], "the newest first");
        assert_eq!(rows(&search(&cards, Ranking::default(), "tea")), [0, 1]);
    }

    // HY-04
    #[test]
    fn ranks_are_fused_as_by_hand() {
        let ranks = Ranking { fusion: Fusion::Ranks { k: 60.0 }, own_words: 1.0, ..Ranking::default() };
        let found = search(&lines(), ranks, "Porto train");
        let by_hand = |ranks: [f64; 3]| ranks.iter().map(|rank| 61.0 / (60.0 + rank)).sum::<f64>() / 3.0;
        // "The train to Porto was late" is first of the rows, with its neighbours, and in its conversation.
        assert_eq!(rows(&found)[0], 4);
        assert!((found[0].score - 1.0).abs() < 1e-12);
        for ranked in &found {
            let rank = |signal: Signal| {
                ranked
                    .why
                    .iter()
                    .find(|(list, _)| *list == signal)
                    .map_or(f64::INFINITY, |(_, rank)| f64::from(u32::try_from(*rank).unwrap()))
            };
            if ranked.why.len() == 3 {
                let expected = by_hand([Signal::Row, Signal::Neighbours, Signal::Conversation].map(rank));
                assert!((ranked.score - expected).abs() < 1e-12, "{ranked:?}");
            }
        }
        assert!(found.iter().any(|ranked| ranked.why.len() == 3), "{found:?}");
    }

    // HY-06: the factor of shared entities was 0.1 with either fusion, and the seed's 0.3 in no mode.
    #[test]
    fn in_the_seeds_mode_each_shared_entity_adds_three_tenths() {
        let texts = [
            "the harbour report of Marta and Brisk was late",
            "the harbour report of Marta and others was late",
            "the harbour report of people and others was late",
            "the harbour and the harbour",
        ];
        let cards: Vec<Card<'_>> = (0..).zip(texts).map(|(id, text)| Card::of(id, text)).collect();
        let ranked = search(&cards, Ranking::seed(), "did the harbour report reach Marta or Brisk");
        assert_eq!(ranked.len(), texts.len());
        for ranked in ranked {
            let shared = [2.0, 1.0, 0.0, 0.0][usize::try_from(ranked.id).unwrap()];
            let rank = f64::from(u32::try_from(ranked.why[0].1).unwrap());
            let by_hand = 61.0 / (60.0 + rank) * (1.0 + 0.3 * shared) / (1.0 + 0.3 * 2.0);
            assert!((ranked.score - by_hand).abs() < 1e-12, "{ranked:?} {by_hand}");
        }
    }

    #[test]
    fn a_conversation_can_be_capped() {
        let capped = Ranking { most_of_one: Some(1), ..Ranking::default() };
        let found = rows(&search(&lines(), capped, "Porto kitchen green train"));
        assert_eq!(found.len(), 2);
        assert_ne!(found[0] < 4, found[1] < 4, "of two conversations");
    }
}
