//! Vectors of the chunks of a scope.

use rusqlite::Connection;

use super::SqliteIndex;
use super::tables::NAMES;
use crate::base::access::Scope;
use crate::base::error::Result;
use crate::base::name::{Name, StateName};
use crate::embed::store::{BatchFrom, BatchSize, EmbedBatch, EmbeddingStatus, KeptVectors, VectorStore};
use crate::embed::{EmbedError, EmbedderId};
use crate::gate::Doors;
use crate::sqlite::error::fold;
use crate::sqlite::vectors::{Names, VectorTables};
use crate::store::vectors::{Fill, Sight, VectorChanges, VectorHome, VectorRows};

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

impl VectorHome for SqliteIndex {
    fn read<T>(&self, read: impl FnOnce(&dyn VectorRows) -> Result<T>) -> Result<T> {
        self.look("read", |table| read(table))
    }

    fn change<T>(&self, change: impl FnOnce(&mut dyn VectorChanges) -> Result<T>) -> Result<T> {
        let (action, file) = ("write to", self.database.file());
        self.database.attempt(action, file, |connection| {
            change(&mut ChunkTable { connection, scope: &self.scope, action, file })
        })
    }

    fn doors(&self) -> Result<Doors> {
        Ok(Doors::clone(&self.doors))
    }

    fn name_of(&self, id: i64) -> Name {
        StateName::row("memory_chunks", id).into()
    }
}

impl SqliteIndex {
    /// Reads in one view of the tables.
    pub(super) fn look<T>(
        &self,
        action: &'static str,
        read: impl FnOnce(&ChunkTable<'_>) -> Result<T>,
    ) -> Result<T> {
        let connection = self.database.lock();
        let file = self.database.file();
        let folded = |error| fold(action, file, error);
        let moment = connection.unchecked_transaction().map_err(folded)?;
        let read = read(&ChunkTable { connection: &moment, scope: &self.scope, action, file })?;
        moment.finish().map_err(folded)?;
        Ok(read)
    }
}

impl VectorStore for SqliteIndex {
    fn embedding_status(&self, embedder: &EmbedderId) -> Result<EmbeddingStatus> {
        Fill::embedding_status(self, embedder)
    }

    fn embed_batch(
        &self,
        embedder: &EmbedderId,
        from: &BatchFrom,
        size: BatchSize,
    ) -> Result<Option<EmbedBatch>> {
        Fill::embed_batch(self, embedder, from, size)
    }

    fn keep_vectors(
        &self,
        embedder: &EmbedderId,
        batch: &EmbedBatch,
        answer: std::result::Result<Vec<Vec<f32>>, EmbedError>,
    ) -> Result<KeptVectors> {
        Fill::keep_vectors(self, embedder, batch, answer)
    }

    fn serve_vectors(&self, embedder: &EmbedderId) -> Result<bool> {
        Fill::serve_vectors(self, embedder)
    }

    fn drop_vectors(&self, embedder: &EmbedderId) -> Result<u64> {
        Fill::drop_vectors(self, embedder)
    }
}
