//! The order of what is found: a row, its neighbours and its conversation, weighed together.
//!
//! A short line says little without the lines around it, and a long one has said it: a row gains a share of its
//! neighbours' scores, the smaller the longer it is. Its conversation as a whole, ranked like a row, counts beside
//! it. The human's own words, and those of a speaker who is named in the query, weigh a little more; nothing is
//! left out for lacking either.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::entity::Entities;
use super::index::{Frequencies, GAP, Index, REACH, Row, RowNo, Sight, gain, ln, norm};
use super::query::{Plan, Term};
use crate::memory::{Order, SearchOutcome};

/// How the lists that a row is in become one score.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Fusion {
    /// By what each list scores, as shares of its best.
    #[default]
    Scores,
    /// By reciprocal rank: the sum of 1 / (k + rank) over the lists, rank from 1, as the seed fuses with a `k` of 60.
    /// (seed 003, Hybrid retrieval) On public dialogues it finds less than the scores do.
    Ranks {
        /// The greater, the less the first places count.
        k: f64,
    },
}

/// How rows are weighed. The defaults were chosen once for short and long messages alike; the example `evaluate`
/// measures them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Ranking {
    /// How row, neighbours and conversation become one score.
    pub fusion: Fusion,
    /// The share of its score that a row gives to each of the two rows before it and after it in its conversation.
    pub neighbours: f64,
    /// A row of more bytes takes the less from its neighbours.
    pub short: u32,
    /// How much the conversation counts beside the row.
    pub conversation: f64,
    /// How much more a row counts that has all words of the query than one that has few.
    pub coverage: f64,
    /// The factor of the human's own words.
    pub own_words: f64,
    /// The factor of a speaker whom the query names.
    pub named_speaker: f64,
    /// What each entity adds to the factor that a row shares with the query. The seed has 0.3, which on public
    /// dialogues finds a little less than 0.1: the words of an entity count already.
    pub entities: f64,
    /// At most so many rows of one conversation are found.
    pub most_of_one: Option<usize>,
    /// Among so many of the best, a row that answers anew what an older one answers comes before it, and the others
    /// stay as they are: it has the words of the query that the older one has, or fewer of them with a sign of change
    /// ("now", another number of the same thing). Not where the query asks for what was. 0 leaves all in place.
    pub freshness: usize,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            fusion: Fusion::Scores,
            neighbours: 0.2,
            short: 250,
            conversation: 0.4,
            coverage: 0.5,
            own_words: 1.3,
            named_speaker: 1.2,
            entities: 0.1,
            most_of_one: None,
            freshness: 10,
        }
    }
}

impl Ranking {
    /// BM25 of the rows and nothing else: the fastest, and the weakest.
    #[must_use]
    pub fn rows_alone() -> Self {
        Self {
            fusion: Fusion::Scores,
            neighbours: 0.0,
            short: 1,
            conversation: 0.0,
            coverage: 0.0,
            own_words: 1.0,
            named_speaker: 1.0,
            entities: 0.0,
            most_of_one: None,
            freshness: 0,
        }
    }
}

impl Ranking {
    /// The seed's mode: rows by BM25, their reciprocal ranks with a `k` of 60, times 1 + 0.3 for each entity that a row
    /// shares with the query, and nothing else. Scores are shares of what a row would have that is first and shares all
    /// entities. (seed 003, Hybrid retrieval)
    #[must_use]
    pub fn seed() -> Self {
        Self { fusion: Fusion::Ranks { k: 60.0 }, entities: 0.3, ..Self::rows_alone() }
    }
}

/// What is looked for, and among which rows.
pub(crate) struct Search<'a> {
    pub index: &'a Index,
    pub ranking: &'a Ranking,
    pub plan: &'a Plan,
    pub sight: Sight,
    /// Whether a row that is in sight may be found.
    pub may: &'a dyn Fn(&Row) -> bool,
    /// What a row says.
    pub text: &'a dyn Fn(i64) -> Option<&'a str>,
    pub entities: &'a dyn Entities,
}

/// A row that was found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranked {
    pub number: RowNo,
    pub score: f64,
    /// The lists that it is in, with its rank from 1.
    pub why: Vec<(&'static str, usize)>,
    /// The share of the query that the row has itself, by weight.
    pub covered: f64,
}

/// Below this share of the query nothing fits well.
pub(crate) const WEAK: f64 = 0.25;
/// So many of the best are looked at for entities, and for what they take back.
pub(crate) const LOOKED_AT: usize = 50;

/// The scores of one search; rows and conversations that have none are not listed.
#[derive(Default)]
struct Scores {
    row: Vec<f64>,
    covered: Vec<f64>,
    /// With what neighbours give.
    around: Vec<f64>,
    /// What `around` is above 0 for.
    found: Vec<RowNo>,
    conversation: BTreeMap<u32, f64>,
}

impl Search<'_> {
    /// The rows in the order that is asked for, and how sure they are.
    pub(crate) fn run(&self, order: Order, most: usize) -> (SearchOutcome, Vec<Ranked>) {
        let ranked = match order {
            Order::Relevance => self.best(most),
            Order::Recency => self.newest(most),
        };
        let best = ranked.iter().map(|ranked| ranked.covered).fold(0.0, f64::max);
        let outcome = match ranked.len() {
            0 => SearchOutcome::Empty,
            _ if best < WEAK && self.plan.required.is_none() => SearchOutcome::Weak,
            _ => SearchOutcome::Hit,
        };
        (outcome, ranked)
    }

    /// The best rows, best first; ties the newest first, then the greater id.
    pub(crate) fn best(&self, most: usize) -> Vec<Ranked> {
        self.find(most, false)
    }

    /// The newest rows that fit themselves, the newest first.
    fn newest(&self, most: usize) -> Vec<Ranked> {
        self.find(most, true)
    }

    fn find(&self, most: usize, newest: bool) -> Vec<Ranked> {
        let terms = self.terms();
        if !newest && *self.ranking == Ranking::rows_alone() && self.plan.required.is_none() {
            return self.best_alone(&terms, most);
        }
        if self.plan.terms.is_empty() && self.plan.required.is_none() {
            return self.literal(most);
        }
        let required = self.required();
        let scores = self.scores(&terms);
        let speakers: Vec<u32> =
            self.plan.words.iter().filter_map(|word| self.index.speaker(word, self.sight)).collect();
        let fused = match self.ranking.fusion {
            Fusion::Scores => self.by_scores(&scores),
            Fusion::Ranks { k } => self.by_ranks(&scores, k),
        };
        let weigh = |(number, fused): (RowNo, f64)| {
            let row = self.index.row(number);
            let named = row.speaker.is_some_and(|speaker| speakers.contains(&speaker));
            let factor = if row.own { 1.0 } else { 1.0 / self.ranking.own_words }
                * if speakers.is_empty() || named { 1.0 } else { 1.0 / self.ranking.named_speaker };
            (number, fused * factor)
        };
        let takes = |number: &RowNo| {
            let row = self.index.row(*number);
            self.sight.sees(row)
                && (self.may)(row)
                && required.as_ref().is_none_or(|rows| rows.binary_search(number).is_ok())
        };
        let mut ranked: Vec<(RowNo, f64)> =
            fused.into_iter().filter(|(number, _)| takes(number)).map(weigh).collect();
        if let Some(required) = &required {
            // What fulfils a condition is found even where no word of it is ranked.
            let unranked = |number: &RowNo| scores.around[*number as usize] == 0.0 && takes(number);
            ranked.extend(required.iter().filter(|number| unranked(number)).map(|number| (*number, 0.0)));
        }
        let mut passed = BTreeMap::new();
        if newest {
            // What only stands beside a row that fits is no answer to a question for the newest.
            ranked.retain(|(number, _)| required.is_some() || scores.row[*number as usize] > 0.0);
            ranked
                .sort_unstable_by(|(one, _), (other, _)| self.index.row(*other).newer(self.index.row(*one)));
        } else {
            self.sort(&mut ranked, most);
            passed = self.freshen(&mut ranked);
        }
        ranked.truncate(most);
        self.explain(ranked, &scores, &passed)
    }

    /// Each row that was found, by what the lists score.
    fn by_scores(&self, scores: &Scores) -> Vec<(RowNo, f64)> {
        let top = scores.found.iter().map(|row| scores.around[*row as usize]).fold(0.0, f64::max);
        let top_conversation = scores.conversation.values().copied().fold(0.0, f64::max);
        let share = self.ranking.conversation;
        let fused = |number: &RowNo| {
            let around = scores.around[*number as usize] / top;
            // A row that stands alone is its whole conversation.
            let conversation = self.index.row(*number).conversation.map_or(around, |conversation| {
                scores.conversation.get(&conversation).map_or(0.0, |score| score / top_conversation)
            });
            (*number, (around + share * conversation) / (1.0 + share))
        };
        scores.found.iter().map(fused).collect()
    }

    /// Each row that was found, by its rank in each list; 1 where it is first in all.
    fn by_ranks(&self, scores: &Scores, k: f64) -> Vec<(RowNo, f64)> {
        let conversation = |number: RowNo| {
            let conversation = self.index.row(number).conversation;
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

    /// The rows that hold a text without words, such as `+++`, or are of the category that is named alone: the
    /// newest first, each as good as the first.
    fn literal(&self, most: usize) -> Vec<Ranked> {
        let literal = self.plan.text.trim();
        if literal.is_empty() && self.plan.category.is_none() {
            return Vec::new();
        }
        let holds = |row: &&Row| {
            self.sight.sees(row)
                && (self.may)(row)
                && (self.text)(row.id).is_some_and(|text| text.contains(literal))
        };
        let mut found: Vec<(RowNo, &Row)> =
            (0..).zip(self.index.rows()).filter(|(_, row)| holds(row)).collect();
        found.sort_unstable_by(|(_, one), (_, other)| other.newer(one));
        let ranked = found.into_iter().take(most).enumerate();
        ranked
            .map(|(at, (number, _))| Ranked { number, score: 1.0, why: vec![("row", at + 1)], covered: 1.0 })
            .collect()
    }

    /// Puts the best first, at least as many as are asked for.
    fn sort(&self, ranked: &mut Vec<(RowNo, f64)>, most: usize) {
        let kept = most.max(LOOKED_AT).min(ranked.len());
        let order = |one: &(RowNo, f64), other: &(RowNo, f64)| self.order(*one, *other);
        if self.ranking.most_of_one.is_none() && kept < ranked.len() {
            ranked.select_nth_unstable_by(kept, order);
            ranked.truncate(kept);
        }
        ranked.sort_unstable_by(order);
        self.lift_entities(ranked);
        self.cap(ranked);
    }

    fn required(&self) -> Option<Vec<RowNo>> {
        self.plan.required.as_ref().map(|clause| clause.rows(self.index, self.sight, self.text))
    }

    /// The terms that are looked up.
    fn terms(&self) -> Vec<&str> {
        let mut frequencies = Frequencies::of(self.index.extent(self.sight).rows);
        for term in &self.plan.terms {
            let list = self.index.postings(&term.stem);
            frequencies.push(list.map_or(0, |list| list.found_in(self.sight)));
        }
        frequencies.guarded(&self.plan.terms).map(|term| term.stem.as_str()).collect()
    }

    fn best_alone(&self, terms: &[&str], most: usize) -> Vec<Ranked> {
        let whole = self.whole();
        let best = self.index.best(terms, self.sight, self.may, most).into_iter().enumerate();
        let covered = |number| {
            let has = |term: &&&str| {
                self.index.postings(term).is_some_and(|list| list.rows.binary_search(&number).is_ok())
            };
            terms
                .iter()
                .filter(has)
                .filter_map(|term| self.index.postings(term))
                .fold(0.0, |sum, list| sum + self.index.weight(list, self.sight))
        };
        let ranked = |(at, (number, score))| Ranked {
            number,
            score,
            why: vec![("row", at + 1)],
            covered: covered(number) / whole,
        };
        best.map(ranked).collect()
    }

    /// What a row would weigh that had every term of the query.
    fn whole(&self) -> f64 {
        let weight = |term: &Term| match self.index.postings(&term.stem) {
            Some(list) => self.index.weight(list, self.sight),
            None => ln(2.0 * f64::from(self.index.extent(self.sight).rows) + 2.0),
        };
        self.plan.terms.iter().map(weight).sum::<f64>().max(f64::MIN_POSITIVE)
    }

    fn scores(&self, terms: &[&str]) -> Scores {
        let (index, sight) = (self.index, self.sight);
        let rows = index.rows();
        let mut scores =
            Scores { row: vec![0.0; rows.len()], covered: vec![0.0; rows.len()], ..Scores::default() };
        let mut matched = Vec::new();
        let mean = index.mean_length(sight);
        let conversations = index.conversations_in(sight);
        let mean_conversation = conversations.mean_length();
        let mut counts = vec![0_u32; index.conversations().len()];
        for list in terms.iter().filter_map(|term| index.postings(term)) {
            let weight = index.weight(list, sight);
            let mut touched = Vec::new();
            for (number, count) in list.rows.iter().zip(&list.counts) {
                let row = index.row(*number);
                if !sight.sees(row) {
                    continue;
                }
                let at = *number as usize;
                if scores.row[at] == 0.0 {
                    matched.push(*number);
                }
                scores.row[at] += weight * gain(f64::from(*count), norm(row.length, mean));
                scores.covered[at] += weight;
                if let Some(conversation) = row.conversation {
                    if counts[conversation as usize] == 0 {
                        touched.push(conversation);
                    }
                    counts[conversation as usize] += u32::from(*count);
                }
            }
            let weight =
                super::index::rarity(conversations.rows, u32::try_from(touched.len()).unwrap_or(u32::MAX));
            for conversation in touched {
                let count = f64::from(std::mem::take(&mut counts[conversation as usize]));
                let length = index.conversations()[conversation as usize].length(sight);
                *scores.conversation.entry(conversation).or_default() +=
                    weight * gain(count, norm(length, mean_conversation));
            }
        }
        let whole = self.whole();
        for number in &matched {
            let at = *number as usize;
            scores.covered[at] /= whole;
            scores.row[at] *= 1.0 + self.ranking.coverage * scores.covered[at];
        }
        scores.around.clone_from(&scores.row);
        matched.sort_unstable();
        scores.found.clone_from(&matched);
        for number in matched {
            self.give(number, &mut scores);
        }
        scores
    }

    /// Gives a share of a row's score to those beside it.
    fn give(&self, number: RowNo, scores: &mut Scores) {
        let row = self.index.row(number);
        let Some(conversation) = row.conversation else { return };
        let rows = self.index.conversations()[conversation as usize].rows(self.sight);
        let Ok(at) = rows.binary_search(&(row.position, number)) else { return };
        for (_, other) in &rows[at.saturating_sub(REACH)..(at + REACH + 1).min(rows.len())] {
            let other = *other;
            if other == number || other == GAP {
                continue;
            }
            let takes = self.index.row(other);
            let short = (f64::from(self.ranking.short) / f64::from(takes.bytes.max(1))).min(1.0);
            let given = self.ranking.neighbours * short * scores.row[number as usize];
            if given > 0.0 {
                let around = &mut scores.around[other as usize];
                if *around == 0.0 {
                    scores.found.push(other);
                }
                *around += given;
            }
        }
    }

    fn order(&self, (one, score): (RowNo, f64), (other, than): (RowNo, f64)) -> Ordering {
        than.total_cmp(&score).then_with(|| self.index.row(other).newer(self.index.row(one)))
    }

    /// Raises the rows that share entities with the query, among the best.
    fn lift_entities(&self, ranked: &mut [(RowNo, f64)]) {
        if self.ranking.entities <= 0.0 {
            return;
        }
        // Speakers are weighed already, and most of their names in a text are salutations.
        let mut asked = self.entities.of(&self.plan.text);
        asked.retain(|entity| self.index.speaker(entity, self.sight).is_none());
        if asked.is_empty() {
            return;
        }
        let looked_at = ranked.len().min(LOOKED_AT);
        let whole = 1.0 + self.ranking.entities * f64::from(u32::try_from(asked.len()).unwrap_or(u32::MAX));
        for (at, (number, score)) in ranked.iter_mut().enumerate() {
            let text = (self.text)(self.index.row(*number).id).filter(|_| at < looked_at);
            let says = text.map(|text| self.entities.of(text)).unwrap_or_default();
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
            self.index.row(*number).conversation.is_none_or(|conversation| {
                let taken = taken.entry(conversation).or_default();
                *taken += 1;
                *taken <= most
            })
        });
    }

    /// Says of each row in which lists it is, with its rank, and at which it stood before it passed an older one.
    fn explain(
        &self,
        ranked: Vec<(RowNo, f64)>,
        scores: &Scores,
        passed: &BTreeMap<RowNo, usize>,
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
                why.push(("row", rank(&rows, scores.row[at])));
            }
            if scores.around[at] > scores.row[at] {
                why.push(("neighbours", rank(&around, scores.around[at])));
            }
            let conversation = self.index.row(number).conversation;
            if let Some(score) = conversation.and_then(|it| scores.conversation.get(&it)) {
                why.push(("conversation", rank(&conversations, *score)));
            }
            if let Some(rank) = passed.get(&number) {
                why.push(("newer", *rank));
            }
            Ranked { number, score, why, covered: scores.covered[at] }
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

    fn index(shared: impl Fn(usize) -> bool) -> Index {
        let mut index = Index::default();
        for (at, (conversation, text, own)) in LINES.iter().enumerate() {
            let id = i64::try_from(at).unwrap();
            index.add(&Card {
                place: Some((*conversation, at as u64)),
                own: *own,
                shared: shared(at),
                ..Card::of(id, text)
            });
        }
        index
    }

    fn search(index: &Index, ranking: Ranking, sight: Sight, query: &str) -> Vec<Ranked> {
        let plan = Plan::of(query, false);
        let text = |id: i64| Some(LINES[usize::try_from(id).unwrap()].1);
        Search {
            index,
            ranking: &ranking,
            plan: &plan,
            sight,
            may: &|_| true,
            text: &text,
            entities: &GenericEntities,
        }
        .best(10)
    }

    fn rows(found: &[Ranked]) -> Vec<RowNo> {
        found.iter().map(|ranked| ranked.number).collect()
    }

    #[test]
    fn a_short_line_is_found_by_the_lines_around_it() {
        let index = index(|_| true);
        let found = search(&index, Ranking::default(), Sight::All, "When did we paint the kitchen?");
        assert_eq!(rows(&found)[0], 0);
        assert!(rows(&found).contains(&2), "the answer has no word of the question");
        assert!(!rows(&found).contains(&3), "it stands too far away");
        let answer = found.iter().find(|ranked| ranked.number == 2).unwrap();
        assert_eq!(
            answer.why.iter().map(|(list, _)| *list).collect::<Vec<_>>(),
            ["neighbours", "conversation"]
        );
        assert_eq!(found[0].why, [("row", 1), ("conversation", 1)], "no neighbour has a word of it");
        let alone = search(&index, Ranking::rows_alone(), Sight::All, "When did we paint the kitchen?");
        assert_eq!(rows(&alone), [0]);
    }

    #[test]
    fn nothing_of_a_private_row_shows_in_what_others_find() {
        let mut some = Index::default();
        for at in [1, 3, 5] {
            let (conversation, text, own) = LINES[at];
            let id = i64::try_from(at).unwrap();
            let place = Some((conversation, at as u64));
            some.add(&Card { place, own, shared: true, ..Card::of(id, text) });
        }
        let all = index(|at| [1, 3, 5].contains(&at));
        for query in ["Was the train late?", "green kitchen", "Porto"] {
            let ids = |index: &Index| -> Vec<(i64, f64)> {
                let found = search(index, Ranking::default(), Sight::Shared, query);
                found.iter().map(|ranked| (index.row(ranked.number).id, ranked.score)).collect()
            };
            // Conversations that are seen only in part lie further apart, but nothing else may differ.
            assert_eq!(
                ids(&all).iter().map(|(id, _)| *id).collect::<Vec<_>>(),
                ids(&some)
                    .iter()
                    .map(|(id, _)| *id)
                    .filter(|id| all.row(u32::try_from(*id).unwrap()).shared)
                    .collect::<Vec<_>>(),
                "{query}"
            );
        }
    }

    #[test]
    fn the_humans_own_words_come_first_where_all_else_is_equal() {
        let mut index = Index::default();
        for (id, own) in [(0, true), (1, false)] {
            index.add(&Card { own, ..Card::of(id, "tea at nine") });
        }
        let plain = Ranking { own_words: 1.0, ..Ranking::default() };
        assert_eq!(rows(&search(&index, plain, Sight::All, "tea")), [1, 0], "the newest first");
        assert_eq!(rows(&search(&index, Ranking::default(), Sight::All, "tea")), [0, 1]);
    }

    // HY-04
    #[test]
    fn ranks_are_fused_as_by_hand() {
        let index = index(|_| true);
        let ranks = Ranking { fusion: Fusion::Ranks { k: 60.0 }, own_words: 1.0, ..Ranking::default() };
        let found = search(&index, ranks, Sight::All, "Porto train");
        let by_hand = |ranks: [f64; 3]| ranks.iter().map(|rank| 61.0 / (60.0 + rank)).sum::<f64>() / 3.0;
        // "The train to Porto was late" is first of the rows, with its neighbours, and in its conversation.
        assert_eq!(rows(&found)[0], 4);
        assert!((found[0].score - 1.0).abs() < 1e-12);
        for ranked in &found {
            let rank = |name: &str| {
                ranked
                    .why
                    .iter()
                    .find(|(list, _)| *list == name)
                    .map_or(f64::INFINITY, |(_, rank)| f64::from(u32::try_from(*rank).unwrap()))
            };
            if ranked.why.len() == 3 {
                let expected = by_hand([rank("row"), rank("neighbours"), rank("conversation")]);
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
        let mut index = Index::default();
        for (id, text) in (0..).zip(texts) {
            index.add(&Card::of(id, text));
        }
        let plan = Plan::of("did the harbour report reach Marta or Brisk", false);
        let text = |id: i64| Some(texts[usize::try_from(id).unwrap()]);
        let ranked = Search {
            index: &index,
            ranking: &Ranking::seed(),
            plan: &plan,
            sight: Sight::All,
            may: &|_| true,
            text: &text,
            entities: &GenericEntities,
        }
        .best(10);
        assert_eq!(ranked.len(), texts.len());
        for ranked in ranked {
            let shared = [2.0, 1.0, 0.0, 0.0][ranked.number as usize];
            let rank = f64::from(u32::try_from(ranked.why[0].1).unwrap());
            let by_hand = 61.0 / (60.0 + rank) * (1.0 + 0.3 * shared) / (1.0 + 0.3 * 2.0);
            assert!((ranked.score - by_hand).abs() < 1e-12, "{ranked:?} {by_hand}");
        }
    }

    #[test]
    fn a_conversation_can_be_capped() {
        let index = index(|_| true);
        let capped = Ranking { most_of_one: Some(1), ..Ranking::default() };
        let found = rows(&search(&index, capped, Sight::All, "Porto kitchen green train"));
        assert_eq!(found.len(), 2);
        assert_ne!(index.row(found[0]).conversation, index.row(found[1]).conversation);
    }
}
