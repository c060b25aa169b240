//! Vectors of the chunks of a scope.

use super::tables::NAMES;
use crate::sql::vectors::{Names, VectorDriver};
use crate::sqlite::driver::Run;
use crate::store::vectors::Sight;

/// The texts are chunks.
impl VectorDriver for Run<'_> {
    fn names(&self) -> Names {
        NAMES
    }

    fn texts(&self, sight: Option<Sight>) -> String {
        let is_seen = match sight {
            None => String::new(),
            Some(sight) => format!("AND (d.audience & {}) <> 0", sight.0),
        };
        format!(
            "(SELECT c.number AS id, c.content, d.user_id, d.agent_id
              FROM memory_chunks c JOIN indexed_documents d ON d.id = c.document_id {is_seen}) m"
        )
    }
}
