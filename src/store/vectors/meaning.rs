//! The meaning of a question: its vector, from the host or by the embedder of the configuration.

use super::arm::Meaning;
use super::ready::dimensions_of;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::embed::Purpose;
use crate::gate::{Door, Doors, Masks};
use crate::memory::{Order, Query, Syntax};
use crate::search::rank::{Plan, one_line};
use crate::search::vectors::{Unit, VectorQuery, check_answer};
use crate::store::backend::Backend;
use crate::store::store::Store;

impl<B: Backend> Store<B> {
    /// Asks for the meaning of a query: takes the vector that came with it, or calls the embedder of the configuration. No
    /// lock is held meanwhile.
    pub(crate) fn meaning(&self, query: &Query) -> Result<Meaning> {
        let embedder = self.config().embedder.as_deref();
        if embedder.is_none() && query.vector.is_none() {
            return Ok(Meaning::Unasked);
        }
        let Some(text) = asks_for_meaning(query) else { return Ok(Meaning::Unasked) };
        let (id, numbers) = match (&query.vector, embedder) {
            (Some(vector), _) => (vector.embedder.clone(), Ok(vec![vector.numbers.clone()])),
            (None, None) => return Ok(Meaning::Unasked),
            (None, Some(embedder)) => {
                let (forgotten, keeps) = self
                    .backend()
                    .read("search", |rows| Ok((rows.tombstones()?, rows.as_vectors().is_some())))?;
                if !keeps {
                    return Ok(Meaning::Unkept);
                }
                let text = shown(&self.config().doors.clone().heeding(forgotten), &text)?;
                (embedder.id().clone(), embedder.embed(&[&text], Purpose::Query))
            }
        };
        let Ok(numbers) = numbers else { return Ok(Meaning::Lost) };
        let Ok(dimensions) = dimensions_of(&id) else { return Ok(Meaning::Lost) };
        let unit = check_answer(&numbers, 1, dimensions).ok().and_then(|mut units| units.pop()?.ok());
        Ok(unit.map_or(Meaning::Lost, |unit: Unit| Meaning::Asked(id, dimensions, VectorQuery::new(&unit))))
    }

    /// Returns the query and some texts as a reranker is shown them.
    pub(crate) fn all_to_send(&self, query: &str, texts: &[&str]) -> Result<(String, Vec<String>)> {
        let forgotten = self.backend().read("search", |rows| rows.tombstones())?;
        let doors = self.config().doors.clone().heeding(forgotten);
        let texts = texts.iter().map(|text| shown(&doors, text)).collect::<Result<_>>()?;
        Ok((shown(&doors, query)?, texts))
    }
}

/// Returns a text as it leaves for an embedder or a reranker: secrets and what was forgotten are masked.
fn shown(doors: &Doors, text: &str) -> Result<String> {
    let policy = doors.policy_of(Door::EmbedRequest, &DocName::MEMORY).as_shown();
    let passed = doors.judge(Door::EmbedRequest, policy, &DocName::MEMORY, text, &mut Masks::default())?;
    Ok(passed.text.into_owned())
}

/// Returns the text of a query that may be answered by meaning; `None` for one with operators, which say exactly what is
/// wanted, for a list by time, and for one without words.
pub(crate) fn asks_for_meaning(query: &Query) -> Option<String> {
    if query.syntax != Syntax::Plain || query.order != Order::Relevance || query.filter.limit == 0 {
        return None;
    }
    let plan = Plan::of(&one_line(&query.text), false);
    (plan.required.is_none() && !plan.terms.is_empty()).then_some(plan.text)
}
