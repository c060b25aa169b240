//! A fact that takes the place of the value before it, in the order of the times since which they are true.

use super::backend::Facts;
use super::fact::since;
use super::history::seen;
use crate::base::error::Result;
use crate::base::order;
use crate::base::text;
use crate::facts::{Decision, EventId, EventOutcome, Fact, FactKey, FactState};
use crate::memory::MemoryId;
use crate::search::rank::Visibility;

/// The decisions that a new fact asks for, and the row that says what holds now.
pub(crate) type Replacements = (Vec<Decision>, MemoryId);

/// Returns what a new value of a property asks for.
pub(crate) fn decisions(facts: &dyn Facts, id: MemoryId, key: &FactKey) -> Result<Replacements> {
    let Some(new) = facts.fact(id)? else { return Ok((Vec::new(), id)) };
    let mut others = facts.of_key(key)?;
    order::retain(&mut others, |fact| fact.is_single() && fact.memory.id != id);
    order::sort_by_key(&mut others, since);
    let stated = |fact: &Fact| text::statement(&fact.memory.content);
    // A value that was said again holds since then too, in the row that stands.
    let mut holds = None;
    for other in others.iter().filter(|other| other.status.state != FactState::Rejected) {
        for row in &others {
            if !row.status.state.is_retired() && stated(row) == stated(other) {
                holds = Some((row, since(other)));
            }
        }
    }
    let Some((holds, last)) = holds else { return Ok((Vec::new(), id)) };
    let other = holds.memory.id;
    if stated(holds) == stated(&new) {
        return Ok((vec![Decision::duplicate(other, id)], other));
    }
    if since(&new) < last {
        return Ok((vec![Decision::supersede(id, other)], other));
    }
    let mut decisions = Vec::new();
    for other in others {
        if !other.status.state.is_retired() {
            decisions.push(Decision::supersede(other.memory.id, id));
        }
    }
    Ok((decisions, id))
}

/// Returns the values of a property as a session sees them, by the time since which each is true.
pub(crate) fn values(facts: &dyn Facts, key: &FactKey, sees_all: bool) -> Result<Vec<Fact>> {
    let mut values = Vec::new();
    for fact in facts.of_key(key)? {
        values.extend(seen(facts, fact.memory.id, sees_all)?);
    }
    order::sort_by_key(&mut values, since);
    Ok(values)
}

/// Returns a row with another value of the same property, where both count. A pair that is suspected or decided on is left out.
pub(crate) fn beside(facts: &dyn Facts, id: MemoryId) -> Result<Option<MemoryId>> {
    let Some(fact) = facts.fact(id)? else { return Ok(None) };
    let Some(key) = &fact.key else { return Ok(None) };
    if !fact.is_single() || fact.status.state.is_retired() {
        return Ok(None);
    }
    let stated = text::statement(&fact.memory.content);
    for other in facts.of_key(key)? {
        let counts = other.is_single() && !other.status.state.is_retired();
        let says_another = counts && text::statement(&other.memory.content) != stated;
        if says_another && !is_told(facts, id, other.memory.id)? {
            return Ok(Some(other.memory.id));
        }
    }
    Ok(None)
}

/// Returns whether two rows are suspected to contradict each other, or somebody decided on both.
pub(super) fn is_told(facts: &dyn Facts, one: MemoryId, other: MemoryId) -> Result<bool> {
    for (_, suspected, _) in facts.open_suspects(Visibility::All, &[one])? {
        if suspected == other {
            return Ok(true);
        }
    }
    for event in facts.events_after(EventId::new(0))? {
        let pair = [event.older, event.newer];
        let is_of_both = pair.contains(&Some(one)) && pair.contains(&Some(other));
        if is_of_both && event.outcome == EventOutcome::Applied {
            return Ok(true);
        }
    }
    Ok(false)
}
