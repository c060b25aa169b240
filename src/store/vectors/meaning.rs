//! The meaning of a question: its vector, from the host or by the embedder of the configuration.

use super::arm::{Asked, Meaning};
use super::ready::dimensions_of;
use crate::base::error::Result;
use crate::embed::{EmbedError, EmbedderId, Purpose};
use crate::memory::{Order, Query, Syntax};
use crate::search::rank::{Plan, one_line};
use crate::search::vectors::{VectorQuery, check_answer};
use crate::store::store::Store;

impl Store {
    /// Asks for the meaning of a query: takes the vector that came with it, or calls the embedder of the configuration. No
    /// lock is held meanwhile.
    pub(crate) fn meaning(&self, query: &Query) -> Result<Meaning> {
        let embedder = self.config().embedder.as_deref();
        if embedder.is_none() && query.vector.is_none() {
            return Ok(Meaning::Unasked);
        }
        let Some(text) = asks_for_meaning(query) else { return Ok(Meaning::Unasked) };
        if let Some(vector) = &query.vector {
            return Ok(Meaning::of(&vector.embedder, Ok(vec![vector.numbers.clone()])));
        }
        let Some(embedder) = embedder else { return Ok(Meaning::Unasked) };
        let forgotten = self.backend().read("search", |rows| rows.tombstones())?;
        let doors = self.config().doors.clone().heeding(forgotten);
        let Some(text) = doors.question_for_an_embedder(&text)? else { return Ok(Meaning::Unasked) };
        Ok(Meaning::of(embedder.id(), embedder.embed(&[&text], Purpose::Query)))
    }

    /// Returns the query and some texts as a reranker is shown them.
    pub(crate) fn all_to_send(&self, query: &str, texts: &[&str]) -> Result<(String, Vec<String>)> {
        let forgotten = self.backend().read("search", |rows| rows.tombstones())?;
        let doors = self.config().doors.clone().heeding(forgotten);
        let texts = texts.iter().map(|text| doors.for_an_embedder(text)).collect::<Result<_>>()?;
        Ok((doors.for_an_embedder(query)?, texts))
    }
}

impl Meaning {
    /// Returns the meaning that an embedder sees in a question, if its answer can be used.
    pub(crate) fn of(embedder: &EmbedderId, answer: std::result::Result<Vec<Vec<f32>>, EmbedError>) -> Self {
        let (Ok(answer), Ok(dimensions)) = (answer, dimensions_of(embedder)) else { return Self::Lost };
        match check_answer(&answer, 1, dimensions).as_deref() {
            Ok([Ok(unit)]) => {
                let query = VectorQuery::new(unit);
                Self::Asked(Asked { embedder: embedder.clone(), dimensions, query })
            }
            _ => Self::Lost,
        }
    }
}

/// Returns the text of a query that may be answered by meaning; `None` for one with operators, which say exactly what is
/// wanted, for a list by time, and for one without words.
pub(crate) fn asks_for_meaning(query: &Query) -> Option<String> {
    if query.syntax != Syntax::Plain || query.order != Order::Relevance || query.filter.limit == 0 {
        return None;
    }
    Plan::of(&one_line(&query.text), false).for_meaning()
}
