//! A fact that takes the place of the value before it, in the order of the time since when each is true.

use chrono::{DateTime, Utc};

use super::backend::Facts;
use super::history::seen;
use crate::base::error::Result;
use crate::base::order;
use crate::base::text;
use crate::facts::{Cardinality, Decision, Fact, FactKey};
use crate::memory::MemoryId;

/// Returns the decisions that a new fact asks for, and the row that says what holds now.
pub(crate) fn decisions(facts: &dyn Facts, id: MemoryId, key: &FactKey) -> Result<(Vec<Decision>, MemoryId)> {
    let (new, mut others): (Vec<Fact>, Vec<Fact>) =
        facts.of_key(key)?.into_iter().filter(is_single).partition(|fact| fact.memory.id == id);
    let Some(new) = new.into_iter().next() else { return Ok((Vec::new(), id)) };
    others.retain(|other| !other.status.state.is_retired());
    order::sort_by_key(&mut others, since);
    let Some(last) = others.last().cloned() else { return Ok((Vec::new(), id)) };
    let stated = |fact: &Fact| text::statement(&fact.memory.content);
    if stated(&last) == stated(&new) {
        return Ok((vec![Decision::duplicate(last.memory.id, id)], last.memory.id));
    }
    if since(&new) < since(&last) {
        return Ok((vec![Decision::supersede(id, last.memory.id)], last.memory.id));
    }
    Ok((others.iter().map(|other| Decision::supersede(other.memory.id, id)).collect(), id))
}

/// Returns the values of a property as a session sees them, by the time since when each is true.
pub(crate) fn values(facts: &dyn Facts, key: &FactKey, sees_all: bool) -> Result<Vec<Fact>> {
    let mut values = Vec::new();
    for fact in facts.of_key(key)? {
        values.extend(seen(facts, fact.memory.id, sees_all)?);
    }
    order::sort_by_key(&mut values, since);
    Ok(values)
}

fn is_single(fact: &Fact) -> bool {
    fact.key.as_ref().is_some_and(|key| key.cardinality == Cardinality::One)
}

/// The place of a value: since when it is true, else since when the store knows it; of two, the later row is the later value.
fn since(fact: &Fact) -> (DateTime<Utc>, MemoryId) {
    (fact.since(), fact.memory.id)
}
