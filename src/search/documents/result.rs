//! A chunk that a search found.

use std::fmt;

use serde::Serialize;

use crate::base::name::DocName;

/// A chunk of a document that fits a query. (seed 004, "Search Results")
///
/// Prints its shape only, since the content is a person's words.
#[derive(Clone, PartialEq, Serialize)]
pub struct SearchResult {
    /// The chunk, a UUID as text: the same for the same place in the same document.
    pub chunk_id: String,
    /// The document, a UUID as text: the same for the same scope and path.
    pub document_id: String,
    /// The document's name.
    pub path: DocName,
    /// The text of the chunk.
    pub content: String,
    /// Its place in the document, from 0.
    pub chunk_index: u32,
    /// The fit, in 0 to 1, by its ranks in all arms of the search: 1 is first in every one.
    pub score: f64,
    /// The score by words alone, in 0 to 1; `None` where no words were looked for.
    pub bm25_score: Option<f64>,
    /// The score by vectors alone; `None` where there are none.
    pub vector_score: Option<f64>,
    /// The first and the last line of the chunk in its document, from 1.
    pub lines: (u64, u64),
}

impl fmt::Debug for SearchResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, chunk_index, score, lines: (first, last), content, .. } = self;
        write!(
            f,
            "SearchResult {{ {path}#{chunk_index}, L{first}-L{last}, bytes: {}, score: {score:.3} }}",
            content.len()
        )
    }
}
