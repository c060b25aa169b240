//! The edges of rows: written with them, and asked for by a key.

use std::collections::BTreeSet;

use super::table::Table;
use crate::base::error::Result;
use crate::edges::Edge;
use crate::memory::MemoryId;
use crate::postgres::link::params;
use crate::search::rank::Visibility;
use crate::sql::{Dialect, read_number, read_numbers};

impl Table<'_> {
    /// Adds edges of a row; returns how many are new.
    pub(super) fn put_edges(&self, id: MemoryId, edges: &[Edge], at: &str) -> Result<u64> {
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
        let added = read_number(self, sql, params![id.get(), kinds, keys, verbs, at])?;
        Ok(added.unwrap_or(0).unsigned_abs())
    }

    /// Lists the latest rows in sight that lead to a key.
    pub(super) fn latest_mentioning(
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
                Dialect::Postgres.by_id("e.src_id"),
                Dialect::Postgres.in_sight(visibility)
            );
            for key in keys {
                let found = read_numbers(self, &sql, params![key, most])?;
                ids.extend(found.into_iter().map(MemoryId::new));
            }
        }
        Ok(ids.into_iter().rev().take(most).collect())
    }
}
