//! The history of a fact, as a session sees it.

use super::backend::Facts;
use super::fact::since;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::sorted::SortedMap;
use crate::facts::Fact;
use crate::memory::MemoryId;

/// Returns a row as a session sees it: what replaced a shared one may be private.
pub(crate) fn seen(facts: &dyn Facts, id: MemoryId, sees_all: bool) -> Result<Option<Fact>> {
    let Some(mut fact) = facts.fact(id)?.filter(|fact| sees_all || fact.memory.shared) else {
        return Ok(None);
    };
    if let Some(successor) = fact.status.successor.filter(|_| !sees_all)
        && !facts.fact(successor)?.is_some_and(|fact| fact.memory.shared)
    {
        fact.status.successor = None;
    }
    Ok(Some(fact))
}

/// Returns a row with the rows that it replaced and those that replaced it, as far as a session sees them. They are in the
/// order of the times since which they are true.
pub(crate) fn history(facts: &dyn Facts, id: MemoryId, sees_all: bool) -> Result<Vec<Fact>> {
    let mut all = SortedMap::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        if all.contains_key(&id) {
            continue;
        }
        let Some(fact) = seen(facts, id, sees_all)? else { continue };
        open.extend(fact.status.successor);
        open.extend(facts.replaced_by(id)?.iter().map(|fact| fact.memory.id));
        all.insert(id, fact);
    }
    let mut all: Vec<Fact> = all.into_values().gather();
    order::sort_by_key(&mut all, since);
    Ok(all)
}
