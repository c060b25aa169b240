//! The settling of pending facts: the rule reads facts and returns the changes.

use chrono::{DateTime, Utc};

use super::backend::Facts;
use super::event::event;
use crate::base::error::Result;
use crate::base::sorted::SortedMap;
use crate::base::text;
use crate::facts::{
    ConsolidationEvent, Fact, FactKey, FactState, FactStatus, Settled, StatusChange, Verdict,
};
use crate::format::documents::known::is_other_value;
use crate::format::documents::statements::Statement;
use crate::memory::MemoryId;
use crate::search::rank::Visibility;

/// The identity of a fact: the statement, its subject and property, and its readers.
type Identity = (String, Option<(String, String)>, bool);

fn identity(fact: &Fact) -> Identity {
    let key = fact.key.as_ref().map(FactKey::normal);
    (text::statement(&fact.memory.content), key, fact.memory.shared)
}

/// Returns the events of the settling, without ids, in their order.
pub(crate) fn settle(facts: &dyn Facts, now: DateTime<Utc>) -> Result<Vec<ConsolidationEvent>> {
    let mut events = Vec::new();
    let mut just_settled: SortedMap<_, Vec<Fact>> = SortedMap::new();
    let elders = elders(facts)?;
    for fact in facts.pending()? {
        let identity = identity(&fact);
        let (id, before) = (fact.memory.id, fact.status);
        let settled = FactStatus { state: FactState::Candidate, ..before };
        let mut older = None;
        for settled in [&just_settled, &elders] {
            for elder in settled.get(&identity).map_or(&[][..], Vec::as_slice) {
                if older.is_none() && !has_changed(facts, elder, &fact)? {
                    older = Some(elder.clone());
                }
            }
        }
        let change = |after| StatusChange { id, before, after };
        let (changes, stays, goes) = match older {
            Some(older) if yields(&older, &fact) => {
                let (goes, status) = (older.memory.id, older.status);
                let retired = StatusChange { id: goes, before: status, after: duplicate_of(id, now) };
                just_settled.insert(identity, vec![Fact { status: settled, ..fact }]);
                (vec![change(settled), retired], Some(id), goes)
            }
            Some(older) if !fact.is_protected() => {
                let stays = older.memory.id;
                (vec![change(duplicate_of(stays, now))], Some(stays), id)
            }
            // A row that the human pinned stays, even if it says nothing new.
            older => {
                let oldest = older.filter(|older| !older.status.state.is_retired() && older.memory.id < id);
                just_settled.insert(identity, vec![oldest.unwrap_or(Fact { status: settled, ..fact })]);
                (vec![change(settled)], None, id)
            }
        };
        let mut event = event(None, Verdict::Settle, now, changes);
        (event.older, event.newer) = (stays, Some(goes));
        events.push(event);
    }
    Ok(events)
}

/// Returns whether a row between two equal statements says another value, and counts: then the later one is a value that returned.
fn has_changed(facts: &dyn Facts, older: &Fact, newer: &Fact) -> Result<bool> {
    if older.status.state.is_retired() {
        return Ok(false);
    }
    let (first, last) = (older.memory.id.min(newer.memory.id), older.memory.id.max(newer.memory.id));
    let is_between =
        |other: &Fact| first < other.memory.id && other.memory.id < last && !other.status.state.is_retired();
    if let Some(key) = &newer.key {
        if !newer.is_single() {
            return Ok(false);
        }
        let stated = text::statement(&newer.memory.content);
        let is_other = |other: &Fact| {
            is_between(other) && other.is_single() && text::statement(&other.memory.content) != stated
        };
        return Ok(facts.of_key(key)?.iter().any(is_other));
    }
    let stated = Statement::of(&newer.memory.content);
    for (_, other, _) in facts.open_suspects(Visibility::All, &[older.memory.id, newer.memory.id])? {
        let other = facts.fact(other)?.filter(is_between);
        if other.is_some_and(|other| is_other_value(&Statement::of(&other.memory.content), &stated)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the status of a fact that another one says already.
fn duplicate_of(id: MemoryId, now: DateTime<Utc>) -> FactStatus {
    FactStatus { successor: Some(id), retired_at: Some(now), ..FactStatus::standing(FactState::Superseded) }
}

/// Returns whether the newer of two equal facts replaces the older. A dream's fact is removed with its dream, and must not
/// take a fact recorded beside it along. A stranger's statement becomes the user's once the user says it.
fn yields(older: &Fact, newer: &Fact) -> bool {
    let is_dreamed = |fact: &Fact| fact.memory.dream.is_some();
    let is_less = (is_dreamed(older) && !is_dreamed(newer))
        || (!older.memory.is_trusted()
            && newer.memory.is_trusted()
            && is_dreamed(older) == is_dreamed(newer));
    is_less && !older.is_protected() && !older.status.state.is_retired()
}

/// For each waiting statement, the settled rows that say the same: the oldest first, and rejected ones last.
fn elders(facts: &dyn Facts) -> Result<SortedMap<Identity, Vec<Fact>>> {
    let order = |fact: &Fact| (fact.status.state.is_retired(), fact.memory.id);
    let mut elders: SortedMap<Identity, Vec<Fact>> = SortedMap::new();
    for fact in facts.stated_as_pending()? {
        if matches!(fact.status.state, FactState::Pending | FactState::Superseded) {
            continue;
        }
        let same = elders.entry(identity(&fact)).or_default();
        let at = same.partition_point(|elder| order(elder) < order(&fact));
        same.insert(at, fact);
    }
    Ok(elders)
}

/// Counts the settled facts, by the events.
pub(crate) fn settled(events: &[ConsolidationEvent]) -> Settled {
    let duplicates = events.iter().filter(|event| event.older.is_some()).count() as u64;
    Settled::new(events.len() as u64 - duplicates, duplicates)
}
