//! The edges of rows, as a store tells of them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::backend::{Backend, Rows};
use super::store::Store;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::edges::{Cited, CitedSource, Edge, Mention, Neighborhood, TopEntity};
use crate::facts::{FactState, Suspicion};
use crate::memory::MemoryId;
use crate::search::rank::Visibility;

/// The verbs of [`EdgeStore`](crate::edges::EdgeStore).
impl<B: Backend> Store<B> {
    pub(crate) fn neighborhood(
        &self,
        access: &Access,
        asked: &str,
        limit: usize,
        now: DateTime<Utc>,
    ) -> Result<Neighborhood> {
        let (Some(visibility), Some(extractor)) = (self.visibility(access), &self.config().edges) else {
            return Ok(Neighborhood::default());
        };
        // Where it cannot be settled, the answer does without what is pending.
        let _ = self.settle(now);
        let keys = extractor.keys(asked);
        self.backend().read("read", |rows| around(rows, visibility, &keys, limit))
    }

    pub(crate) fn top_entities(&self, access: &Access, limit: usize) -> Result<Vec<TopEntity>> {
        let Some(visibility) = self.visibility(access) else { return Ok(Vec::new()) };
        self.backend().read("list", |rows| rows.top_entities(visibility, limit))
    }

    pub(crate) fn words(&self, access: &Access, source: &CitedSource) -> Result<Option<String>> {
        match (self.visibility(access), source) {
            (Some(visibility), CitedSource::Row(id)) => {
                let row = self.backend().read("read", |rows| rows.get(*id, visibility))?;
                Ok(row.map(|row| row.content))
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn extract_edges(&self) -> Result<u64> {
        let (mut added, mut after) = (0, MemoryId::new(0));
        loop {
            let step = self.backend().change("extract edges in", |rows| rows.extract_edges(after))?;
            added += step.added;
            match step.last {
                Some(last) => after = last,
                None => return Ok(added),
            }
        }
    }

    pub(crate) fn edition(&self) -> Result<u64> {
        self.backend().read("read", |rows| rows.edition())
    }
}

/// Returns the latest rows in sight that speak of an entity, with what is beside it.
fn around(rows: &dyn Rows, visibility: Visibility, keys: &[String], limit: usize) -> Result<Neighborhood> {
    let mut ids = rows.mentioning(visibility, keys, limit.saturating_add(1))?;
    let is_cut = ids.len() > limit;
    ids.truncate(limit);
    let mut edges: HashMap<MemoryId, Vec<Edge>> = HashMap::new();
    for (id, edge) in rows.edges_of(&ids)? {
        edges.entry(id).or_default().push(edge);
    }
    let mut mentions = Vec::with_capacity(ids.len());
    for id in &ids {
        let fact = rows.fact(*id)?.filter(|fact| fact.status.state != FactState::Pending);
        let edges = edges.remove(id).unwrap_or_default();
        mentions.extend(fact.map(|fact| Mention::new(Cited::Row(Box::new(fact)), edges)));
    }
    let mut pairs = rows.open_suspects(visibility, &ids)?;
    pairs.retain_mut(|(one, other, _)| {
        if other < one {
            std::mem::swap(one, other);
        }
        true
    });
    pairs.sort_unstable_by_key(|(one, other, _)| (*one, *other));
    pairs.dedup_by_key(|(one, other, _)| (*one, *other));
    let mut around = Neighborhood::of(mentions, keys);
    for (older, newer, reason) in pairs {
        if let (Some(older), Some(newer)) = (rows.fact(older)?, rows.fact(newer)?) {
            around.contradictions.push(Suspicion::new(older, newer, reason));
        }
    }
    around.is_cut = is_cut;
    Ok(around)
}
