//! A chunk that a search found.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::base::name::DocName;
use crate::base::text;
use crate::format::{JournalName, Origin};
use crate::memory::{Degraded, SearchOutcome};
use crate::search::rank::{Plan, one_line};

/// The chunks that a search found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct FoundChunks {
    /// The certainty of the result.
    pub outcome: SearchOutcome,
    /// The chunks, best first.
    pub results: Vec<SearchResult>,
}

impl FoundChunks {
    /// Makes the result of a search by words.
    #[must_use]
    pub fn by_words(query: &str, mut results: Vec<SearchResult>) -> Self {
        let plan = Plan::of(&one_line(query), false);
        mark_found(&plan, &mut results);
        let fit = results.iter().map(|found| plan.share_in(&found.content)).fold(0.0, f64::max);
        let outcome = match results.len() {
            0 => SearchOutcome::Empty,
            _ if fit < WEAK && plan.required.is_none() => SearchOutcome::Weak,
            _ => SearchOutcome::Hit,
        };
        Self { outcome, results }
    }

    /// Says that a part of the search was left out.
    #[must_use]
    pub fn degraded(mut self, why: Degraded) -> Self {
        self.outcome = SearchOutcome::Degraded(why);
        self
    }
}

/// Below this share of the query's words no chunk fits well.
const WEAK: f64 = 0.25;

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
    /// The fit, in 0 to 1. By words alone it is 61 / (60 + rank). With vectors it is the weighted sum of both scores,
    /// where the first may have far less than 1.
    pub score: f64,
    /// The score by words alone, in 0 to 1; `None` where no words were looked for.
    pub bm25_score: Option<f64>,
    /// The score by vectors alone; `None` where there are none.
    pub vector_score: Option<f64>,
    /// The first and the last line of the chunk in its document, from 1.
    pub lines: (u64, u64),
    /// The bytes of the sentence in the content that has the most words of the query, the first of equals. `None` where
    /// it has none, such as a chunk that was found by its path or its meaning.
    pub span: Option<Range<usize>>,
    /// The entry of a later journal that says the same anew, as a citation: `memory/2026-04-06-chat.md#L5`. This passage
    /// may be out of date. `None` before [`Indexed::search`](crate::life::Indexed::search) compares them.
    pub newer: Option<String>,
    /// The origin of the words, as the journal names it. `None` where the passage is not one entry of a journal, and before
    /// [`Indexed::search`](crate::life::Indexed::search) looks into it.
    pub origin: Option<Origin>,
}

impl SearchResult {
    /// Returns the sentence that was found with the sentences beside it, up to a limit in bytes and in whole graphemes.
    /// The beginning of the content where there is no [`span`](Self::span).
    #[must_use]
    pub fn excerpt(&self, most: usize) -> &str {
        text::excerpt(&self.content, self.span.as_ref(), most)
    }
}

/// Says of chunks which sentence was found, where that is not known.
pub(crate) fn mark_found(plan: &Plan, results: &mut [SearchResult]) {
    let mut sentence_in = plan.finds_sentence();
    for found in results.iter_mut().filter(|found| found.span.is_none()) {
        found.span = sentence_in(&found.content);
    }
}

/// Returns the words that find a document beside its text: its path, without the words that many share.
pub(crate) fn words_of_name(name: &DocName) -> String {
    let path = name.as_str();
    let path = path.strip_suffix(".md").unwrap_or(path);
    match JournalName::parse(name) {
        Some(_) => path.split_once('/').map_or(path, |(_, file)| file).to_owned(),
        None => path.to_owned(),
    }
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
