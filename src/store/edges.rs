//! The edges of rows and of notes of roles, as a store returns them.

use std::cmp::Reverse;
use std::collections::HashMap;

use chrono::{DateTime, Utc};

use super::backend::Rows;
use super::store::Store;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::edges::{
    Cited, CitedSource, Edge, EdgeExtractor, Entity, Mention, Neighborhood, TopEntity, edges_of_note,
    is_asked,
};
use crate::facts::{FactState, Suspicion};
use crate::learning::RoleNote;
use crate::memory::MemoryId;
use crate::search::rank::Visibility;

/// The verbs of [`EdgeStore`](crate::edges::EdgeStore).
impl Store {
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
        self.backend().read("read", |rows| {
            let notes = notes_mentioning(rows, visibility, extractor.as_ref(), &keys)?;
            around(rows, visibility, &keys, limit, notes)
        })
    }

    pub(crate) fn top_entities(&self, access: &Access, limit: usize) -> Result<Vec<TopEntity>> {
        let Some(visibility) = self.visibility(access) else { return Ok(Vec::new()) };
        let Some(extractor) = &self.config().edges else { return Ok(Vec::new()) };
        self.backend().read("list", |rows| {
            let notes = notes_in_sight(rows, visibility)?;
            if notes.is_empty() {
                return rows.top_entities(visibility, limit);
            }
            let mut texts: HashMap<Entity, u64> = HashMap::new();
            for note in &notes {
                let edges = edges_of_note(extractor.as_ref(), note).into_iter();
                let told = edges.filter(|edge| edge.verb != Edge::CO_OCCURS_WITH).map(|edge| edge.entity);
                for entity in told.collect::<SortedSet<Entity>>() {
                    *texts.entry(entity).or_default() += 1;
                }
            }
            for top in rows.top_entities(visibility, usize::MAX)? {
                *texts.entry(top.entity).or_default() += top.texts;
            }
            let mut top: Vec<_> =
                texts.into_iter().map(|(entity, texts)| TopEntity::new(entity, texts)).gather();
            order::sort_by(&mut top, |one, other| {
                (Reverse(one.texts), &one.entity).cmp(&(Reverse(other.texts), &other.entity))
            });
            top.truncate(limit);
            Ok(top)
        })
    }

    pub(crate) fn words(&self, access: &Access, source: &CitedSource) -> Result<Option<String>> {
        match (self.visibility(access), source) {
            (Some(visibility), CitedSource::Row(id)) => {
                let row = self.backend().read("read", |rows| rows.get(*id, visibility))?;
                Ok(row.map(|row| row.content))
            }
            (Some(visibility), CitedSource::Note(id)) => self.backend().read("read", |rows| {
                let note = notes_in_sight(rows, visibility)?.into_iter().find(|note| note.id == *id);
                Ok(note.map(|note| note.told()))
            }),
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

/// Returns the notes of roles that a session may be told of, pending ones too.
fn notes_in_sight(rows: &dyn Rows, visibility: Visibility) -> Result<Vec<RoleNote>> {
    let mut notes = Vec::new();
    if visibility == Visibility::All {
        notes.extend(rows.notes(true)?);
        notes.extend(rows.notes(false)?);
    }
    Ok(notes)
}

/// Returns the notes that speak of an entity, the latest first. They are few, and their words say their edges.
fn notes_mentioning(
    rows: &dyn Rows,
    visibility: Visibility,
    extractor: &dyn EdgeExtractor,
    keys: &[String],
) -> Result<Vec<(RoleNote, Vec<Edge>)>> {
    let mut found = Vec::new();
    for note in notes_in_sight(rows, visibility)? {
        let edges = edges_of_note(extractor, &note);
        let is_meant = |edge: &Edge| edge.verb != Edge::CO_OCCURS_WITH && is_asked(&edge.entity.key, keys);
        if edges.iter().any(is_meant) {
            found.push((note, edges));
        }
    }
    order::sort_by_key(&mut found, |(note, _)| Reverse((note.created_at, note.id)));
    Ok(found)
}

/// Returns the latest texts in sight that speak of an entity, with what is beside it.
fn around(
    rows: &dyn Rows,
    visibility: Visibility,
    keys: &[String],
    limit: usize,
    notes: Vec<(RoleNote, Vec<Edge>)>,
) -> Result<Neighborhood> {
    let mut ids = rows.mentioning(visibility, keys, limit.saturating_add(1))?;
    let is_cut = ids.len() + notes.len() > limit;
    ids.truncate(limit);
    let mut edges: HashMap<MemoryId, Vec<Edge>> = HashMap::new();
    for (id, edge) in rows.edges_of(&ids)? {
        edges.entry(id).or_default().push(edge);
    }
    let mut notes = notes.into_iter().peekable();
    let of_note = |(note, edges)| Mention::new(Cited::Note(Box::new(note)), edges);
    let mut mentions = Vec::with_capacity(ids.len());
    for id in &ids {
        let fact = rows.fact(*id)?.filter(|fact| fact.status.state != FactState::Pending);
        let Some(fact) = fact else { continue };
        let written = fact.memory.created_at;
        while let Some(note) = notes.next_if(|(note, _)| note.created_at > written) {
            mentions.push(of_note(note));
        }
        mentions.push(Mention::new(Cited::Row(Box::new(fact)), edges.remove(id).unwrap_or_default()));
    }
    mentions.extend(notes.map(of_note));
    mentions.truncate(limit);
    let told = mentions.iter().filter_map(|mention| match &mention.said {
        Cited::Row(fact) => Some(fact.memory.id),
        _ => None,
    });
    let ids: Vec<MemoryId> = told.gather();
    let mut pairs = rows.open_suspects(visibility, &ids)?;
    order::retain(&mut pairs, |(one, other, _)| {
        if other < one {
            std::mem::swap(one, other);
        }
        true
    });
    order::sort_by_key(&mut pairs, |(one, other, _)| (*one, *other));
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
