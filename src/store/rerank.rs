//! The first rows of a search, in the order of a reranker.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::before::Before;
use super::store::Store;
use super::vectors::asks_for_meaning;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::text;
use crate::memory::{Hit, Memory, Query};
use crate::search::rank::is_name;

/// The most bytes that a reranker is shown of the row before another: its end.
const SHOWN_BEFORE: usize = 200;

/// Returns what a row says, behind the name of who said it.
fn said(memory: &Memory) -> Cow<'_, str> {
    let speaker = memory.place.as_ref().and_then(|place| place.speaker.as_deref());
    match speaker.filter(|speaker| is_name(speaker)) {
        Some(speaker) => format!("{speaker}: {}", memory.content).into(),
        None => memory.content.as_str().into(),
    }
}

/// Returns the end of a text, from a word on where one begins soon.
fn end_of(whole: &str) -> &str {
    if whole.len() <= SHOWN_BEFORE {
        return whole;
    }
    let end = &whole[text::ceil_boundary(whole, whole.len() - SHOWN_BEFORE)..];
    match end.split_once(char::is_whitespace) {
        Some((part, words)) if part.len() < SHOWN_BEFORE / 4 => words,
        _ => end,
    }
}

/// Puts older rows right behind the newer ones that say them anew: a reranker knows of no time. The scores stay in their
/// places.
fn put_behind(hits: &mut [Hit], renewed: &[(i64, i64)]) {
    let scores: Vec<f64> = hits.iter().map(|hit| hit.score).gather();
    for (newer, older) in renewed {
        let place = |id: &i64| hits.iter().position(|hit| hit.memory.id.get() == *id);
        if let (Some(newer), Some(older)) = (place(newer), place(older))
            && older < newer
        {
            hits[older..=newer].rotate_left(1);
        }
    }
    for (hit, score) in hits.iter_mut().zip(scores) {
        hit.score = score;
    }
}

/// Returns what rows score by the search and by a reranker together, each between its least and its greatest.
///
/// A reranker reads a row by itself. The search knows the rows around it as well, without which a line of a dialogue says
/// little.
fn mixed(found: &[f64], reranked: &[f32], share: f64) -> Vec<f64> {
    let reranked: Vec<f64> = reranked.iter().map(|score| f64::from(*score)).gather();
    let (found, reranked) = (between(found), between(&reranked));
    found.iter().zip(reranked).map(|(found, reranked)| (1.0 - share) * found + share * reranked).gather()
}

/// Returns numbers as shares of the way from the least to the greatest of them.
fn between(numbers: &[f64]) -> Vec<f64> {
    let finite = || numbers.iter().copied().filter(|number| number.is_finite());
    let (least, greatest) =
        (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let way = greatest - least;
    let share = |number: &f64| if way > 0.0 { ((number - least) / way).clamp(0.0, 1.0) } else { 0.0 };
    numbers.iter().map(share).gather()
}

impl Store {
    /// Returns the query that finds as many rows as are ordered anew. `None` if none are: a query with operators says
    /// exactly what it wants.
    pub(crate) fn to_rerank(&self, query: &Query) -> Option<Query> {
        let first = self.config().reranked;
        let has_a_share = self.config().reranker.is_some() && self.config().reranker_share > 0.0;
        let is_asked = has_a_share && first > 1 && asks_for_meaning(query).is_some();
        is_asked.then(|| query.clone().limit(first.max(query.filter.limit)))
    }

    /// Orders the first rows by the reranker; returns whether it gave scores that can be used.
    ///
    /// It is shown each row with its speaker, behind the end of the row before: an answer says little without its
    /// question. Rows that words settle keep their places. Older rows stay behind the newer ones that say them anew. The
    /// scores of the search keep their places, because a reranker's scores have another scale.
    pub(crate) fn rerank(
        &self,
        query: &Query,
        hits: &mut [Hit],
        certain: &BTreeSet<i64>,
        renewed: &[(i64, i64)],
        before: &Before,
    ) -> Result<bool> {
        let Some(reranker) = &self.config().reranker else { return Ok(true) };
        let first = self.config().reranked.min(hits.len());
        let places: Vec<usize> =
            (0..first).filter(|at| !certain.contains(&hits[*at].memory.id.get())).gather();
        if places.len() < 2 {
            return Ok(true);
        }
        let (text, texts) = self.shown(&query.text, places.iter().map(|at| &hits[*at].memory), before)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).gather();
        let Ok(scores) = reranker.rerank(&text, &texts) else { return Ok(false) };
        if scores.len() != texts.len() || scores.iter().any(|score| score.is_nan()) {
            return Ok(false);
        }
        let found: Vec<f64> = places.iter().map(|at| hits[*at].score).gather();
        let scores = mixed(&found, &scores, self.config().reranker_share.min(1.0));
        let mut order: Vec<usize> = (0..scores.len()).gather();
        order::sort_by(&mut order, |one, other| scores[*other].total_cmp(&scores[*one]));
        let ordered: Vec<Hit> = order.into_iter().map(|at| hits[places[at]].clone()).gather();
        for (at, hit) in places.into_iter().zip(ordered) {
            let score = hits[at].score;
            hits[at] = Hit { score, ..hit };
        }
        put_behind(hits, renewed);
        Ok(true)
    }

    /// Returns the query and some rows as a reranker is shown them. A row before another is masked whole, and then cut.
    fn shown<'m>(
        &self,
        query: &str,
        memories: impl Iterator<Item = &'m Memory>,
        before: &Before,
    ) -> Result<(String, Vec<String>)> {
        let (mut all, mut has_before) = (Vec::new(), Vec::new());
        for memory in memories {
            let before = before.get(&memory.id.get()).map(said);
            has_before.push(before.is_some());
            all.extend(before);
            all.push(said(memory));
        }
        let all: Vec<&str> = all.iter().map(AsRef::as_ref).gather();
        let (query, masked) = self.all_to_send(query, &all)?;
        let mut masked = masked.into_iter();
        let mut next = || masked.next().unwrap_or_default();
        let mut texts = Vec::with_capacity(has_before.len());
        for has_before in has_before {
            let before = has_before.then(&mut next);
            let own = next();
            texts.push(match before {
                Some(before) => format!("{}\n{own}", end_of(&before)),
                None => own,
            });
        }
        Ok((query, texts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(scores: &[f64]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
        order
    }

    #[test]
    fn a_reranker_has_its_share_of_the_order() {
        let (found, reranked) = ([0.9, 0.6, 0.5, 0.1], [-9.0, 1.0, -9.0, 3.0]);
        assert_eq!(order(&mixed(&found, &reranked, 0.0)), [0, 1, 2, 3]);
        assert_eq!(order(&mixed(&found, &reranked, 1.0)), [3, 1, 0, 2]);
        assert_eq!(order(&mixed(&found, &reranked, 0.5)), [1, 0, 3, 2], "good in both comes first");
        // Scores have no scale: only their ways between the least and the greatest count.
        let wide = reranked.map(|score| score * 100.0 + 7.0);
        assert_eq!(mixed(&found, &reranked, 0.4), mixed(&found, &wide, 0.4));
    }

    #[test]
    fn the_end_of_a_text_begins_with_a_word() {
        assert_eq!(end_of("Where do you live?"), "Where do you live?");
        let long = "word ".repeat(99) + "end";
        assert!(end_of(&long).starts_with("word ") && end_of(&long).len() < SHOWN_BEFORE);
        let unbroken = "\u{8239}".repeat(300);
        assert_eq!(end_of(&unbroken).len(), SHOWN_BEFORE / 3 * 3);
    }

    #[test]
    fn scores_that_are_all_alike_or_endless_order_nothing() {
        assert_eq!(mixed(&[0.5; 3], &[2.0, 1.0, 3.0], 0.4), [0.2, 0.0, 0.4]);
        assert_eq!(mixed(&[0.3, 0.2, 0.1], &[1.0; 3], 1.0), [0.0; 3]);
        let endless = mixed(&[0.3, 0.2, 0.1], &[f32::NEG_INFINITY, 0.0, f32::INFINITY], 1.0);
        assert!(endless.iter().all(|score| score.is_finite()), "{endless:?}");
    }
}
