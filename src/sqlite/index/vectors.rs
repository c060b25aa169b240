//! Vectors of the chunks of a scope.

use rusqlite::Connection;

use super::tables::NAMES;
use crate::base::access::Scope;
use crate::base::error::Result;
use crate::sqlite::error::fold;
use crate::sqlite::vectors::{Names, VectorTables};
use crate::store::vectors::Sight;

/// The chunks of a scope in one view of the database, or inside one change.
pub(super) struct ChunkTable<'a> {
    pub(super) connection: &'a Connection,
    pub(super) scope: &'a Scope,
    /// The action and the file, for errors.
    pub(super) action: &'static str,
    pub(super) file: &'a str,
}

/// The chunks that the kind of session may read that has a bit.
macro_rules! chunks_for {
    ($bit:literal) => {
        concat!(
            "(SELECT c.number AS id, c.content, d.user_id, d.agent_id
              FROM memory_chunks c JOIN indexed_documents d ON d.id = c.document_id AND (d.audience & ",
            $bit,
            ") <> 0)"
        )
    };
}

impl VectorTables for ChunkTable<'_> {
    const NAMES: Names = NAMES;

    fn view(sight: Sight) -> &'static str {
        match sight {
            Sight(1) => chunks_for!(1),
            Sight(2) => chunks_for!(2),
            Sight(4) => chunks_for!(4),
            _ => chunks_for!(8),
        }
    }

    fn connection(&self) -> &Connection {
        self.connection
    }

    fn owner(&self) -> [&str; 2] {
        [&self.scope.user, &self.scope.agent]
    }

    fn run<A>(&self, run: impl FnOnce() -> rusqlite::Result<A>) -> Result<A> {
        run().map_err(|error| fold(self.action, self.file, error))
    }
}
