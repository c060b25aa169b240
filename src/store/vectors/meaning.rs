//! The meaning of a question: its vector, from the host or by the embedder of the configuration.

use super::arm::{AskedVector, Meaning};
use super::fill::Fill;
use super::ready::dimensions_of;
use crate::base::error::Result;
use crate::embed::{EmbedError, Embedder, EmbedderId, Purpose};
use crate::memory::{Degraded, Order, Query, Syntax};
use crate::search::rank::{Plan, one_line};
use crate::search::vectors::{Dimensions, VectorQuery, check_answer};
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
        let meaning = Meaning::of(embedder.id(), embedder.embed(&[&text], Purpose::Query));
        Ok(match meaning {
            Meaning::Asked(asked) if self.keeps_vectors_of_another(embedder, asked.dimensions) => {
                Meaning::Lost(Degraded::OtherGeneration)
            }
            meaning => meaning,
        })
    }

    /// Returns whether the vectors kept under the name of an embedder are of another model. The embedder is asked once in the
    /// life of the store, when it first has vectors. If it does not answer, it is asked again.
    fn keeps_vectors_of_another(&self, embedder: &dyn Embedder, dimensions: Dimensions) -> bool {
        if let Some(known) = self.vectors_of_another.get() {
            return *known;
        }
        // Where vectors cannot be read, the search itself says so.
        let Ok(Some(probe)) = self.probe(&embedder.id().generation()) else { return false };
        let Ok(answer) = embedder.embed(&[&probe.text], Purpose::Document) else { return false };
        let checked = check_answer(&answer, 1, dimensions);
        let Ok([Ok(new)]) = checked.as_deref() else { return false };
        *self.vectors_of_another.get_or_init(|| probe.is_of_another(new, dimensions))
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
        let (Ok(answer), Ok(dimensions)) = (answer, dimensions_of(embedder)) else {
            return Self::Lost(Degraded::Failed);
        };
        match check_answer(&answer, 1, dimensions).as_deref() {
            Ok([Ok(unit)]) => {
                let query = VectorQuery::new(unit);
                Self::Asked(AskedVector { embedder: embedder.clone(), dimensions, query })
            }
            _ => Self::Lost(Degraded::Failed),
        }
    }
}

/// Returns the text of a query that may be answered by meaning. `None` for one with operators, which say exactly what is
/// wanted, for a list by time, and for a query without words.
pub(crate) fn asks_for_meaning(query: &Query) -> Option<String> {
    if query.syntax != Syntax::Plain || query.order != Order::Relevance || query.filter.limit == 0 {
        return None;
    }
    Plan::of(&one_line(&query.text), false).for_meaning()
}
