//! The first rows of a search, in the order of a reranker.

use std::collections::BTreeSet;

use super::backend::Backend;
use super::store::Store;
use super::vectors::asks_for_meaning;
use crate::base::error::Result;
use crate::memory::{Hit, Query};

/// Puts older rows right behind the newer ones that say them anew: a reranker knows of no time. The scores stay in their
/// places.
fn put_behind(hits: &mut [Hit], renewed: &[(i64, i64)]) {
    let scores: Vec<f64> = hits.iter().map(|hit| hit.score).collect();
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

impl<B: Backend> Store<B> {
    /// Returns the query that finds as many rows as are ordered anew; `None` where none are: a query with operators says
    /// exactly what is wanted.
    pub(crate) fn to_rerank(&self, query: &Query) -> Option<Query> {
        let first = self.config().reranked;
        let is_asked = self.config().reranker.is_some() && first > 1 && asks_for_meaning(query).is_some();
        is_asked.then(|| query.clone().limit(first.max(query.filter.limit)))
    }

    /// Orders the first rows by the reranker; returns whether it gave scores that can be used.
    ///
    /// Rows that words settle keep their places, and older rows stay behind the newer ones that say them anew. The scores
    /// of the search keep theirs: those of a reranker have a scale of their own.
    pub(crate) fn rerank(
        &self,
        query: &Query,
        hits: &mut [Hit],
        certain: &BTreeSet<i64>,
        renewed: &[(i64, i64)],
    ) -> Result<bool> {
        let Some(reranker) = &self.config().reranker else { return Ok(true) };
        let first = self.config().reranked.min(hits.len());
        let places: Vec<usize> =
            (0..first).filter(|at| !certain.contains(&hits[*at].memory.id.get())).collect();
        if places.len() < 2 {
            return Ok(true);
        }
        let contents: Vec<&str> = places.iter().map(|at| hits[*at].memory.content.as_str()).collect();
        let (text, texts) = self.all_to_send(&query.text, &contents)?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let Ok(scores) = reranker.rerank(&text, &texts) else { return Ok(false) };
        if scores.len() != texts.len() || scores.iter().any(|score| score.is_nan()) {
            return Ok(false);
        }
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
        let ordered: Vec<Hit> = order.into_iter().map(|at| hits[places[at]].clone()).collect();
        for (at, hit) in places.into_iter().zip(ordered) {
            let score = hits[at].score;
            hits[at] = Hit { score, ..hit };
        }
        put_behind(hits, renewed);
        Ok(true)
    }
}
