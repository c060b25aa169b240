//! A database with the chunks of a scope.

use crate::base::error::Result;
use crate::search::rank::{Clause, Term};
use crate::sql::Dialect;
use crate::sql::vectors::VectorDriver;
use crate::store::vectors::Sight;

/// A database inside one transaction, whose texts are chunks.
pub(crate) trait ChunkDriver: VectorDriver {
    /// Lists, for each word, the chunks in sight that have it, in any order.
    fn with_words(&self, within: InSight, words: &[&Term]) -> Result<Vec<Vec<i64>>>;

    /// Lists the chunks in sight that may fulfil a condition, in any order; `None` where it asks for no word.
    fn fulfilling(&self, within: InSight, clause: &Clause) -> Result<Option<Vec<i64>>>;
}

/// The chunks that a session may read.
#[derive(Clone, Copy)]
pub(crate) struct InSight {
    pub(crate) sight: Sight,
    /// The number of them.
    pub(super) chunks: u64,
    /// Whether the words are of no other chunk.
    pub(crate) is_whole: bool,
}

/// The place of a chunk in its document.
pub(super) const fn place(words: Dialect) -> &'static str {
    words.spell("c.chunk_index", "c.place")
}

/// Returns the table of chunks `c` of documents `d` in sight, with its condition: `$3` is the kind of session.
pub(crate) const fn in_sight(words: Dialect) -> &'static str {
    words.spell(
        "memory_chunks c CROSS JOIN indexed_documents d ON d.id = c.document_id
         WHERE d.user_id = $1 AND d.agent_id = $2 AND (d.audience & $3) <> 0",
        "chunks c JOIN indexed_documents d ON d.user_id = c.user_id AND d.agent_id = c.agent_id AND d.path = c.path
         WHERE c.user_id = $1 AND c.agent_id = $2 AND (d.audience & $3) <> 0",
    )
}
