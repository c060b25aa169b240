//! The edges of rows: written with them, asked for by a key, and extracted anew.

use std::collections::BTreeSet;

use ::postgres::Row;

use super::audit::{ACTORS, of_word};
use super::columns::count;
use super::row;
use super::search::{by_id, in_sight};
use super::table::Table;
use crate::base::access::Actor;
use crate::base::error::Result;
use crate::edges::{Edge, Entity, TopEntity, Words, edges_of, scenario};
use crate::memory::MemoryId;
use crate::postgres::link::{Param, params};
use crate::search::rank::Visibility;
use crate::store::backend::Extracted;

/// The number of rows of one step of an extraction.
const STEP: usize = 500;

/// The words of rows that give edges.
const EXTRACTED: &str =
    "SELECT id, content, subject, CASE WHEN strpos(metadata, 'scenario_id') > 0 THEN metadata END, updated_at
    FROM memories WHERE user_id = $1 AND agent_id = $2";

/// A row with the edges that its words give.
pub(super) struct WithEdges {
    pub(super) id: MemoryId,
    pub(super) edges: Vec<Edge>,
    at: String,
}

impl Table<'_> {
    /// Adds the edges of what a row says; returns how many are new.
    pub(super) fn put_edges(&self, id: MemoryId, words: &Words<'_>, at: &str) -> Result<u64> {
        let Some(extractor) = &self.backend.extractor else { return Ok(0) };
        let found = edges_of(extractor.as_ref(), words);
        self.add_edges(id, &found, at)
    }

    fn add_edges(&self, id: MemoryId, edges: &[Edge], at: &str) -> Result<u64> {
        if edges.is_empty() {
            return Ok(0);
        }
        let kinds: Vec<String> = edges.iter().map(|edge| edge.entity.kind.to_string()).collect();
        let keys: Vec<String> = edges.iter().map(|edge| edge.entity.key.clone()).collect();
        let verbs: Vec<String> = edges.iter().map(|edge| edge.verb.to_string()).collect();
        let sql = "WITH added AS (
               INSERT INTO memory_edges (user_id, agent_id, src_id, place, dst_entity_kind, dst_entity_key, edge_type,
                 created_at)
               SELECT $1, $2, $3, e.place + coalesce((SELECT max(place) FROM memory_edges
                   WHERE user_id = $1 AND agent_id = $2 AND src_id = $3), 0), e.kind, e.key, e.verb, $7
               FROM unnest($4, $5, $6) WITH ORDINALITY e (kind, key, verb, place)
               WHERE NOT EXISTS (SELECT 1 FROM memory_edges o WHERE o.user_id = $1 AND o.agent_id = $2
                 AND o.src_id = $3 AND o.dst_entity_kind = e.kind AND o.dst_entity_key = e.key AND o.edge_type = e.verb)
               RETURNING 1)
             SELECT count(*) FROM added";
        let added =
            self.first(sql, params![id.get(), kinds, keys, verbs, at], |found| found.try_get::<_, i64>(0))?;
        Ok(added.unwrap_or(0).unsigned_abs())
    }

    /// Adds the edges of a row as it stands.
    fn put_edges_of(&self, id: MemoryId) -> Result<u64> {
        let sql = format!("{EXTRACTED} AND id = $3");
        self.put_each(self.extracted(sql, params![id.get()])?)
    }

    fn put_each(&self, rows: Vec<WithEdges>) -> Result<u64> {
        let mut added = 0;
        for row in rows {
            added += self.add_edges(row.id, &row.edges, &row.at)?;
        }
        Ok(added)
    }

    /// Extracts the edges of the next rows.
    pub(super) fn extracted_after(&self, after: MemoryId) -> Result<Vec<WithEdges>> {
        let sql = format!("{EXTRACTED} AND id > $3 ORDER BY id LIMIT $4");
        self.extracted(sql, params![after.get(), count(STEP)])
    }

    fn extracted(&self, sql: String, bound: Vec<Param>) -> Result<Vec<WithEdges>> {
        let found = self.all(sql, bound, |found| {
            let words = (row::text(found, 1)?, row::maybe(found, 2)?, row::maybe(found, 3)?);
            Ok((MemoryId::new(found.try_get(0)?), words, row::text(found, 4)?))
        })?;
        let mut rows = Vec::with_capacity(found.len());
        for (id, (text, subject, notes), at) in found {
            let notes = notes.and_then(|notes| serde_json::from_str(&notes).ok());
            let writer = if notes.is_some() { self.writer(id)? } else { Actor::Agent };
            let scenario = scenario(notes.as_ref(), writer);
            let words = Words { text: &text, subject: subject.as_deref(), scenario, ..Words::default() };
            let extractor = self.backend.extractor.as_ref();
            let edges = extractor.map_or_else(Vec::new, |extractor| edges_of(extractor.as_ref(), &words));
            rows.push(WithEdges { id, edges, at });
        }
        Ok(rows)
    }

    /// Replaces the edges of a row whose text changed.
    pub(super) fn put_edges_anew(&self, id: MemoryId) -> Result<()> {
        let sql = "DELETE FROM memory_edges WHERE user_id = $1 AND agent_id = $2 AND src_id = $3";
        self.run(sql, params![id.get()])?;
        self.put_edges_of(id).map(drop)
    }

    /// Returns the writer of a row by the audit; the agent, who is trusted least, where that is not known.
    fn writer(&self, id: MemoryId) -> Result<Actor> {
        let sql = "SELECT actor FROM memory_audit WHERE user_id = $1 AND agent_id = $2 AND memory_id = $3
             AND action = 'memory_write' AND outcome = 'done' ORDER BY id LIMIT 1";
        let actor = self.first(sql, params![id.get()], |found| row::text(found, 0))?;
        Ok(actor.and_then(|word| of_word(&ACTORS, &word)).unwrap_or(Actor::Agent))
    }

    /// Lists the latest rows in sight that lead to a key.
    pub(super) fn rows_mentioning(
        &self,
        visibility: Visibility,
        keys: &[String],
        most: usize,
    ) -> Result<Vec<MemoryId>> {
        let mut ids = BTreeSet::new();
        // A name may go on with more words: a blank comes before every other sign of a key.
        for condition in
            ["e.dst_entity_key = $3", "e.dst_entity_key > $3 || ' ' AND e.dst_entity_key < $3 || '!'"]
        {
            let sql = format!(
                "SELECT DISTINCT e.src_id FROM memory_edges e
                 CROSS JOIN LATERAL {}
                 WHERE e.user_id = $1 AND e.agent_id = $2 AND {condition}
                   AND m.user_id = $1 AND m.agent_id = $2 AND {}
                 ORDER BY e.src_id DESC LIMIT $4",
                by_id("e.src_id"),
                in_sight(visibility)
            );
            for key in keys {
                let found = self.all(sql.clone(), params![key, count(most)], |found| found.try_get(0))?;
                ids.extend(found.into_iter().map(MemoryId::new));
            }
        }
        Ok(ids.into_iter().rev().take(most).collect())
    }

    /// Returns the edges of rows, in the order of the ids.
    pub(super) fn edges_of_rows(&self, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>> {
        let sql = "SELECT e.src_id, e.dst_entity_kind, e.dst_entity_key, e.edge_type
             FROM unnest($3) WITH ORDINALITY r (id, place)
             JOIN memory_edges e ON e.user_id = $1 AND e.agent_id = $2 AND e.src_id = r.id ORDER BY r.place, e.place";
        let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
        self.all(sql, params![ids], |found| Ok((MemoryId::new(found.try_get(0)?), read(found, 1)?)))
    }

    pub(super) fn most_mentioned(&self, visibility: Visibility, limit: usize) -> Result<Vec<TopEntity>> {
        let sql = format!(
            "SELECT e.dst_entity_kind, e.dst_entity_key, min(e.edge_type), count(DISTINCT e.src_id) AS texts
             FROM memories m
             JOIN memory_edges e ON e.user_id = $1 AND e.agent_id = $2 AND e.src_id = m.id
             WHERE m.user_id = $1 AND m.agent_id = $2 AND {} AND e.edge_type <> '{}'
             GROUP BY 1, 2 ORDER BY texts DESC, 1, 2 LIMIT $3",
            in_sight(visibility),
            Edge::CO_OCCURS_WITH
        );
        self.all(sql, params![count(limit)], |found| {
            let texts = found.try_get::<_, i64>(3)?.unsigned_abs();
            Ok(TopEntity::new(read(found, 0)?.entity, texts))
        })
    }

    /// Extracts the edges of the next rows of this scope.
    pub(super) fn extract_next(&self, after: MemoryId) -> Result<Extracted> {
        let rows = self.extracted_after(after)?;
        let last = rows.last().map(|row| row.id);
        Ok(Extracted { added: self.put_each(rows)?, last })
    }
}

/// Reads an edge from three columns: kind, key and verb.
fn read(found: &Row, from: usize) -> std::result::Result<Edge, ::postgres::Error> {
    let entity = Entity::new(row::text(found, from)?, row::text(found, from + 1)?);
    Ok(Edge::new(row::text(found, from + 2)?, entity))
}
