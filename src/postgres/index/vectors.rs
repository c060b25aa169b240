//! Vectors of the chunks of a scope. A text that waits has nothing here.

use super::chunks::forget_vectors;
use crate::base::error::Result;
use crate::postgres::within::Within;
use crate::sql::vectors::{Names, VectorDriver};
use crate::sql::{DriverExt, params, read_number};
use crate::store::vectors::{Sight, Since};

/// The texts are chunks.
impl VectorDriver for Within<'_> {
    fn names(&self) -> Names {
        Names {
            generations: "chunk_generations",
            id: "generation",
            vectors: "chunk_vectors",
            text: "chunk",
            gone: "chunk_vectors_gone",
        }
    }

    fn texts(&self, sight: Option<Sight>) -> String {
        const CHUNKS: &str = "SELECT c.number AS id, c.content, c.user_id, c.agent_id FROM chunks c";
        sight.map_or_else(
            || format!("({CHUNKS}) m"),
            |sight| {
                format!(
                    "({CHUNKS} JOIN indexed_documents d ON d.user_id = c.user_id AND d.agent_id = c.agent_id
                       AND d.path = c.path WHERE (d.audience & {}) <> 0) m",
                    sight.0
                )
            },
        )
    }

    fn next_generation(&self) -> Result<Option<i64>> {
        let sql = "INSERT INTO index_numbers AS held (user_id, agent_id, generation) VALUES ($1, $2, 1)
            ON CONFLICT (user_id, agent_id) DO UPDATE SET generation = held.generation + 1 RETURNING generation";
        read_number(self, sql, Vec::new())
    }

    fn next_states(&self, count: usize) -> Result<Option<i64>> {
        let sql = "UPDATE index_numbers SET kept = kept + $3 WHERE user_id = $1 AND agent_id = $2
            RETURNING kept - $3 + 1";
        read_number(self, sql, params![count])
    }

    fn forget_states(&self, ids: &[i64], generation: i64) -> Result<()> {
        forget_vectors(self, ids, generation)
    }

    fn now(&self) -> Result<Since> {
        let sql = "SELECT kept, gone FROM index_numbers WHERE user_id = $1 AND agent_id = $2";
        let now = self.first(sql, Vec::new(), |found| {
            Ok(Since { kept: found.number(0)?, removed: found.number(1)? })
        })?;
        Ok(now.unwrap_or_default())
    }
}
