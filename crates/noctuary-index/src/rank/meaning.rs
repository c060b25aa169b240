//! Meaning beside words: rows that are near to the question get the context that words get, and both become one order.
//!
//! A line of a dialogue says little by itself, also by its vector. So a near row raises its neighbours and its
//! conversation, as a row with the right words does. Without that, vectors made the order of dialogues worse. The list of
//! words keeps most of the weight. It loses some where it has no clear first row, and the vectors have one.
//!
//! All weights of the arm are in this file.

use std::collections::{BTreeMap, BTreeSet};

use super::asked::asks_for_the_agent;
use super::bm25::ln;
use super::fuse::{Search, Weighed};
use super::pool::RowNo;
use super::ranking::Fusion;
use crate::vectors::{Scored, Spread, by_ranks, keep_first, weighted};

/// The most of them that are asked for the rows beside them. The others are hardly nearer than all rows.
pub const GIVING_NEAR: usize = 50;
/// The most rows by words, the best.
const MAX_LISTED: usize = 200;

/// Factor of the share that a near row gives to a neighbour, beside a row with the right words.
const NEIGHBOURS: f64 = 2.0;
/// Scale of the factors for the human's own words and for a named speaker, beside those among words.
const OWN_WORDS: f64 = 5.0 / 7.0;
const NAMED_SPEAKER: f64 = 2.5;

/// The share of the vectors in a score, at least. It is all that a static model has.
const LEAST: f64 = 0.1;
/// The share that a transformer may have beside that.
const MORE: f64 = 0.3;
/// The transformer has none of [`MORE`] below the first number, and all of it from the second on. The unit is the
/// height that chance gives to the best of as many rows.
const CLEAR: (f64, f64) = (0.7, 1.0);
/// The same, of the score of the tenth row by words as a share of the first one's.
const FLAT: (f64, f64) = (0.4, 0.7);
/// The tenth row's share, where there are fewer.
const FLAT_OF_FEW: f64 = 0.5;

/// Maximum number of rows, and share of all rows, with a word that settles that a row with it is meant.
const RARE: u32 = 3;
const RARE_OF: u32 = 16;
/// The least part of the query, by weight, that such words are.
const SETTLED: f64 = 0.5;
/// The most of the first rows by words that may keep their places.
const MAX_KEPT: usize = 3;

/// The kind of a model, which sets how much its vectors weigh beside words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strength {
    /// A table of one vector a word, as `model2vec` and `wordllama` have: fast, and a small help.
    Static,
    /// A transformer, as bge, e5, gte and the models of vendors are.
    Transformer,
}

/// The shares of words and of meaning in the scores of a search: for whoever measures it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Shares {
    /// The share of meaning; words have the rest. It counts in a fusion by scores alone.
    pub meaning: f64,
    /// How clearly one row is the nearest: 1 is as clear as chance makes the best of as many rows.
    pub clear: f64,
    /// The score of the tenth row by words, as a share of the first one's.
    pub flat: f64,
}

/// The rows that are nearest to a question, by their vectors.
#[derive(Debug, Clone)]
pub struct Near {
    /// By cosine, the nearest first.
    pub rows: Vec<Scored>,
    /// The cosines of all rows, where they are known.
    pub spread: Option<Spread>,
    /// The kind of model that made the vectors.
    pub strength: Strength,
}

impl Search<'_> {
    /// Puts words and meaning into one order. All near rows and their neighbours are in the pool.
    pub fn fuse_meaning(&self, weighed: &mut Weighed, near: &Near) -> Shares {
        weighed.scores.grow(self.pool.rows().len());
        let certain = self.certain(weighed);
        let words: Vec<Scored> = weighed
            .ranked
            .iter()
            .filter(|(_, score)| *score > 0.0)
            .take(MAX_LISTED)
            .map(|(number, score)| Scored { id: i64::from(*number), score: *score })
            .collect();
        let shares = shares(&words, near);
        let (meaning, mut fused) = match self.ranking.fusion {
            Fusion::Scores => {
                let meaning = self.in_context(near);
                let fused = weighted(&words, &meaning, shares.meaning);
                (meaning, fused)
            }
            Fusion::Ranks { k } => {
                let meaning = self.numbered(near);
                let fused = by_ranks_of_best(&[&words, &meaning], k);
                (meaning, fused)
            }
        };
        fused.retain(|row| row.score > 0.0);
        let number = |row: &Scored| RowNo::try_from(row.id).expect("it is a row of the pool");
        fused.sort_by(|one, other| self.order((number(one), one.score), (number(other), other.score)));
        keep_first(&mut fused, &words, &certain);
        weighed.ranked = fused.iter().map(|row| (number(row), row.score)).collect();
        weighed.near = (1..).zip(&meaning).map(|(rank, row)| (number(row), rank)).collect();
        shares
    }

    /// Returns the ids of the rows that words alone settle.
    #[must_use]
    pub fn settled(&self, weighed: &Weighed) -> BTreeSet<i64> {
        let number = |number: i64| RowNo::try_from(number).expect("it is a row of the pool");
        self.certain(weighed).into_iter().map(|at| self.pool.row(number(at)).id).collect()
    }

    /// Returns the near rows by their numbers in the pool.
    fn numbered(&self, near: &Near) -> Vec<Scored> {
        let number = |row: &Scored| self.pool.number(row.id).map(|at| Scored { id: at.into(), ..*row });
        near.rows.iter().filter_map(number).collect()
    }

    /// Scores near rows, their neighbours and their conversations, as words are.
    fn in_context(&self, near: &Near) -> Vec<Scored> {
        let near = self.numbered(near);
        let (Some(first), Some(last)) = (near.first(), near.last()) else { return Vec::new() };
        let way = (first.score - last.score).max(1e-9);
        let own: BTreeMap<RowNo, f64> = near
            .iter()
            .map(|row| {
                let share = if near.len() > 1 { (row.score - last.score) / way } else { 1.0 };
                (RowNo::try_from(row.id).expect("it is a row of the pool"), share)
            })
            .collect();
        let mut around = own.clone();
        for (giver, taker) in self.pool.beside() {
            if let Some(share) = own.get(giver) {
                let given = NEIGHBOURS * self.ranking.neighbours * self.shortness(*taker) * share;
                *around.entry(*taker).or_default() += given;
            }
        }
        around.retain(|_, score| *score > 0.0);
        let best = around.values().copied().fold(f64::MIN_POSITIVE, f64::max);
        let mut conversations: BTreeMap<u32, f64> = BTreeMap::new();
        for (number, share) in &own {
            if let Some(conversation) = self.pool.row(*number).conversation {
                let most = conversations.entry(conversation).or_default();
                *most = most.max(*share);
            }
        }
        let speakers: Vec<u32> = self.plan.words.iter().filter_map(|word| self.pool.speaker(word)).collect();
        let is_wanted_own = !asks_for_the_agent(&self.plan.words);
        let share = self.ranking.conversation;
        let own_words = 1.0 + (self.ranking.own_words - 1.0) * OWN_WORDS;
        let named_speaker = 1.0 + (self.ranking.named_speaker - 1.0) * NAMED_SPEAKER;
        let mut scored: Vec<(RowNo, f64)> = around
            .into_iter()
            .map(|(number, score)| {
                let row = self.pool.row(number);
                let own = score / best;
                let whole = row.conversation.map_or(own, |it| conversations.get(&it).copied().unwrap_or(0.0));
                let named = row.speaker.is_some_and(|speaker| speakers.contains(&speaker));
                let factor = if row.own == is_wanted_own { 1.0 } else { 1.0 / own_words }
                    * if speakers.is_empty() || named { 1.0 } else { 1.0 / named_speaker };
                (number, (own + share * whole) / (1.0 + share) * factor)
            })
            .collect();
        scored.sort_unstable_by(|one, other| self.order(*one, *other));
        scored.into_iter().map(|(number, score)| Scored { id: number.into(), score }).collect()
    }

    /// Returns the rows that words alone settle. Each has all rare words of the query, such as an identifier, and these
    /// are the better part of it.
    fn certain(&self, weighed: &Weighed) -> BTreeSet<i64> {
        let most = RARE.min(self.frequencies.rows() / RARE_OF);
        let is_rare = |word: &usize| (1..=most).contains(&self.frequencies.found_in(*word));
        let rare = (0..self.pool.words()).filter(is_rare);
        let rare = rare.fold(0_u64, |bits, word| bits | 1 << word);
        let weight = |bits: u64| {
            let words = (0..self.pool.words()).filter(|word| bits & 1 << word > 0);
            words.map(|word| self.weight(word)).sum::<f64>()
        };
        if rare == 0 || weight(rare) < SETTLED * self.whole() {
            return BTreeSet::new();
        }
        let first = weighed
            .ranked
            .iter()
            .take(MAX_KEPT)
            .filter(|(number, _)| self.pool.row(*number).has & rare == rare);
        first.map(|(number, _)| i64::from(*number)).collect()
    }
}

/// Fuses a list of words with near texts that have no context: passages of documents. Texts that words settle keep their
/// places.
#[must_use]
pub fn fuse_lists(
    words: &[Scored],
    near: &Near,
    settled: &BTreeSet<i64>,
    fusion: Fusion,
) -> (Vec<Scored>, Shares) {
    let shares = shares(words, near);
    if let Fusion::Ranks { k } = fusion {
        return (by_ranks_of_best(&[words, &near.rows], k), shares);
    }
    let least = near.rows.last().map_or(0.0, |row| row.score);
    let meaning: Vec<Scored> =
        near.rows.iter().map(|row| Scored { id: row.id, score: row.score - least }).collect();
    // The only one is the nearest too.
    let meaning = match near.rows.as_slice() {
        [only] => vec![Scored { id: only.id, score: 1.0 }],
        _ => meaning,
    };
    let mut fused = weighted(words, &meaning, shares.meaning);
    fused.retain(|row| row.score > 0.0);
    let first: BTreeSet<i64> =
        words.iter().take(MAX_KEPT).map(|row| row.id).filter(|id| settled.contains(id)).collect();
    keep_first(&mut fused, words, &first);
    (fused, shares)
}

/// Fuses two lists by rank; the first of both has 1.
fn by_ranks_of_best(lists: &[&[Scored]; 2], k: f64) -> Vec<Scored> {
    let mut fused = by_ranks(lists, k);
    for row in &mut fused {
        row.score *= f64::midpoint(k, 1.0);
    }
    fused
}

/// Returns the share of meaning in the scores of a search.
fn shares(words: &[Scored], near: &Near) -> Shares {
    let clear = clear(near).unwrap_or(0.0);
    let flat = match (words.first(), words.get(9)) {
        (Some(first), Some(tenth)) if first.score > 0.0 => tenth.score / first.score,
        _ => FLAT_OF_FEW,
    };
    let meaning = match near.strength {
        Strength::Static => LEAST,
        Strength::Transformer => LEAST + MORE * ramp(clear, CLEAR) * ramp(flat, FLAT),
    };
    Shares { meaning, clear, flat }
}

/// Returns how high the nearest row is above all rows, as a share of the height that chance gives the best.
fn clear(near: &Near) -> Option<f64> {
    let Spread { rows, mean, deviation } = near.spread?;
    let chance = (2.0 * ln(f64::from(u32::try_from(rows).ok()?))).sqrt();
    Some((near.rows.first()?.score - mean) / deviation / chance)
}

fn ramp(number: f64, (from, to): (f64, f64)) -> f64 {
    ((number - from) / (to - from)).clamp(0.0, 1.0)
}
