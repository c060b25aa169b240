//! Events of facts: the pair that one decides on, and the decision that counts.

use chrono::{DateTime, Utc};

use crate::base::access::{Access, Actor};
use crate::base::sorted::SortedSet;
use crate::facts::{ConsolidationEvent, EventId, EventOutcome, StatusChange, Verdict};
use crate::memory::MemoryId;

/// Returns an event that counts, without an id.
pub(super) fn event(
    access: Option<&Access>,
    verdict: Verdict,
    now: DateTime<Utc>,
    changes: Vec<StatusChange>,
) -> ConsolidationEvent {
    let actor = access.map_or(Actor::Library, |access| access.actor);
    let kind = access.map(|access| access.kind);
    ConsolidationEvent { kind, changes, ..ConsolidationEvent::new(EventId::new(0), now, actor, verdict) }
}

/// Returns the pair of suspects that an event decides on, or takes a decision on back; `None` where it does neither.
pub(crate) fn pair(event: &ConsolidationEvent) -> Option<(MemoryId, MemoryId)> {
    let is_of_pair = matches!(
        event.verdict,
        Verdict::Supersede | Verdict::Duplicate | Verdict::Coexist | Verdict::Dispute | Verdict::Revert
    );
    if event.outcome != EventOutcome::Applied || !is_of_pair {
        return None;
    }
    Some((event.older?, event.newer?))
}

/// Returns the decision that counts among the events of one pair, which ascend: the latest that nothing took back. A
/// reversal may be
/// taken back too.
pub(crate) fn decided<'e>(
    events: impl DoubleEndedIterator<Item = &'e ConsolidationEvent>,
) -> Option<EventId> {
    let mut undone = SortedSet::new();
    let mut counting = events.rev().filter(|event| {
        let counts = pair(event).is_some() && !undone.contains(&event.id);
        if counts {
            undone.extend(event.reverts);
        }
        counts
    });
    counting.find(|event| event.reverts.is_none()).map(|event| event.id)
}

/// Returns the rows that an event retired by anybody but the human, for the breaker.
pub(crate) fn retired_by(event: &ConsolidationEvent) -> u64 {
    let counts = event.outcome == EventOutcome::Applied
        && event.actor != Actor::Human
        && event.verdict != Verdict::Settle;
    if counts { event.changes.iter().filter(|change| change.retires()).count() as u64 } else { 0 }
}
