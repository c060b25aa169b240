//! The edges of chunks, written with them.

use std::sync::Arc;

use crate::base::error::Result;
use crate::base::name::DocName;
use crate::edges::EdgeExtractor;
use crate::postgres::within::Within;
use crate::sql::chunks::{EdgeTable, edges_of_chunk};

/// The writer of the edges of chunks.
#[derive(Clone)]
pub(super) struct Links {
    pub(super) extractor: Option<Arc<dyn EdgeExtractor>>,
}

impl Links {
    /// Adds the edges of chunks of a document; returns how many are new.
    pub(super) fn put(&self, within: &Within<'_>, name: &DocName, chunks: &[(i64, &str)]) -> Result<u64> {
        let Some(extractor) = &self.extractor else { return Ok(0) };
        let (mut numbers, mut places) = (Vec::new(), Vec::new());
        let [mut keys, mut kinds, mut verbs] = [Vec::new(), Vec::new(), Vec::new()];
        for (number, text) in chunks {
            // The server's texts hold no zero character.
            let found = edges_of_chunk(extractor.as_ref(), name, text).into_iter().filter(|edge| {
                ![&*edge.entity.key, &*edge.entity.kind, &*edge.verb].iter().any(|text| text.contains('\0'))
            });
            for (place, edge) in (0..).zip(found) {
                numbers.push(*number);
                places.push(place);
                keys.push(edge.entity.key);
                kinds.push(edge.entity.kind.into_owned());
                verbs.push(edge.verb.into_owned());
            }
        }
        if numbers.is_empty() {
            return Ok(0);
        }
        let put =
            within.run(PUT, [numbers.into(), keys.into(), kinds.into(), verbs.into(), places.into()])?;
        Ok(put.len() as u64)
    }
}

/// Returns where the edges of chunks are.
pub(super) fn edge_table() -> EdgeTable {
    let edges = "(SELECT number AS src_id, entity_kind AS kind, entity_key AS key, verb, place
        FROM chunk_edges WHERE user_id = $1 AND agent_id = $2) e";
    // A blank comes before every other sign of a key.
    let leads_to = "SELECT number AS src_id FROM chunk_edges WHERE user_id = $1 AND agent_id = $2
        AND (entity_key = $4 OR entity_key > $4 || ' ' AND entity_key < $4 || '!')";
    EdgeTable { edges: edges.to_owned(), leads_to: vec![leads_to.to_owned()] }
}

const PUT: &str = "
    INSERT INTO chunk_edges (user_id, agent_id, number, entity_key, entity_kind, verb, place)
    SELECT $1, $2, n.* FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[]) AS n
    ON CONFLICT DO NOTHING RETURNING 1";
