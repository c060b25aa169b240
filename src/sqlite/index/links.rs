//! The edges of chunks, written with them.

use std::sync::Arc;

use rusqlite::Connection;

use crate::base::name::DocName;
use crate::edges::EdgeExtractor;
use crate::sql::chunks::{EdgeTable, edges_of_chunk};
use crate::sqlite::edges::{self, OF_CHUNKS};

/// The writer of the edges of chunks.
#[derive(Clone)]
pub(super) struct Links {
    pub(super) extractor: Option<Arc<dyn EdgeExtractor>>,
    /// The name of their table.
    pub(super) table: &'static str,
}

impl Links {
    /// Adds the edges of a chunk; returns how many are new.
    pub(super) fn put(
        &self,
        connection: &Connection,
        name: &DocName,
        (chunk, text): (i64, &str),
        at: &str,
    ) -> rusqlite::Result<usize> {
        let Some(extractor) = &self.extractor else { return Ok(0) };
        let found = edges_of_chunk(extractor.as_ref(), name, text);
        edges::put(connection, self.table, (OF_CHUNKS, chunk), &found, at)
    }

    /// Returns where the edges of chunks are.
    pub(super) fn edge_table(&self) -> EdgeTable {
        let edges = format!(
            "(SELECT src_id, dst_entity_kind AS kind, dst_entity_key AS key, edge_type AS verb, id AS place
              FROM {} WHERE src_table = '{OF_CHUNKS}') e",
            self.table
        );
        EdgeTable { edges, leads_to: edges::leads_to(self.table, "$4", OF_CHUNKS).into() }
    }
}
