//! Decisions on facts: the rule reads facts and says what is to be changed, or what stands against it.
//!
//! The store makes the change in the same step, so that nothing came between.

use chrono::{DateTime, TimeDelta, Utc};

use super::admit::main_only;
use super::backend::Facts;
use super::config::StoreConfig;
use super::event::event;
use super::names::row_name;
use crate::base::access::{Access, Actor, Scope};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::sorted::SortedSet;
use crate::facts::{
    ConsolidationEvent, Decision, EventId, EventOutcome, Fact, FactState, FactStatus, StatusChange, Verdict,
};
use crate::memory::MemoryId;

/// The event of one decision, as a store applies it, and the error of one that is refused.
pub(crate) type Ruled = (Vec<ConsolidationEvent>, Option<Error>);

/// An objection to a decision.
enum Against {
    Rule(EventOutcome, MemoryId),
    /// A later decision builds on the row.
    Later(MemoryId, EventId),
    /// Reading failed: nothing is known.
    Failure(Error),
}

impl From<Error> for Against {
    fn from(error: Error) -> Self {
        Self::Failure(error)
    }
}

/// Returns the event of a decision, without its id, and the error of one that is refused. Only an `Applied` event changes
/// anything.
pub(crate) fn decide(
    facts: &dyn Facts,
    (config, scope, access): (&StoreConfig, &Scope, &Access),
    decision: &Decision,
    now: DateTime<Utc>,
) -> Result<Ruled> {
    let mut told = event(Some(access), decision.verdict, now, Vec::new());
    (told.older, told.newer) = (Some(decision.older), decision.newer);
    told.reason = config.reason(decision.reason.as_deref());
    main_only(scope, access, &row_name(Some(decision.older)))?;
    check_switch(config, access, decision.older)?;
    let changes = changes(facts, decision, now).and_then(|changes| {
        if decision.verdict == Verdict::Confirm && access.actor != Actor::Human {
            return Err(Against::Rule(EventOutcome::Denied, decision.older));
        }
        allowed(facts, config, access, changes, now)
    });
    conclude(config, access, told, changes)
}

/// Returns the event that takes a decision back, as [`decide`] gives it.
pub(crate) fn revert(
    facts: &dyn Facts,
    (config, scope, access): (&StoreConfig, &Scope, &Access),
    id: EventId,
    now: DateTime<Utc>,
) -> Result<Ruled> {
    let name = row_name(None);
    main_only(scope, access, &name)?;
    check_switch(config, access, MemoryId::new(0))?;
    let Some(decided) = facts.event(id)?.filter(|event| event.outcome == EventOutcome::Applied) else {
        return Err(Error::NotFound { name });
    };
    let mut told = event(Some(access), Verdict::Revert, now, Vec::new());
    (told.older, told.newer, told.reverts) = (decided.older, decided.newer, Some(id));
    let back = || {
        let first = decided.changes.first().map_or(MemoryId::new(0), |change| change.id);
        if decided.actor == Actor::Human && access.actor != Actor::Human {
            return Err(Against::Rule(EventOutcome::Denied, first));
        }
        // Where it changed nothing, nothing is put back.
        if !decided.changes.is_empty()
            && let Some((row, by)) = built_upon(&decided, &facts.events_after(id)?)
        {
            return Err(Against::Later(row, by));
        }
        let mut back = Vec::new();
        for change in &decided.changes {
            match facts.fact(change.id)? {
                None => return Err(Against::Rule(EventOutcome::NotFound, change.id)),
                Some(fact) if fact.status != change.after => {
                    return Err(Against::Rule(EventOutcome::Outdated, change.id));
                }
                Some(fact) => back.push((fact, change.before)),
            }
        }
        allowed(facts, config, access, back, now)
    };
    let changes = back();
    conclude(config, access, told, changes)
}

/// Returns the latest decision that counts and changed a row of an earlier one, with that row. Taking the earlier
/// one back alone
/// would leave two values that both count, or none.
fn built_upon(decided: &ConsolidationEvent, later: &[ConsolidationEvent]) -> Option<(MemoryId, EventId)> {
    let mut undone = SortedSet::new();
    let mut counting = Vec::new();
    for event in later.iter().rev().filter(|event| event.outcome == EventOutcome::Applied) {
        if !undone.contains(&event.id) {
            undone.extend(event.reverts);
            counting.push(event);
        }
    }
    let of_changes = decided.changes.iter().map(|change| change.id);
    let mut rows: SortedSet<MemoryId> = of_changes.chain(decided.older).chain(decided.newer).collect();
    let mut latest = None;
    for event in counting.into_iter().rev().filter(|event| event.reverts.is_none()) {
        let Some(change) = event.changes.iter().find(|change| rows.contains(&change.id)) else { continue };
        if event.verdict == Verdict::Settle {
            // It is no decision: what a row says, its successor says from now on.
            let successors = event.changes.iter().filter(|change| rows.contains(&change.id));
            let successors: Vec<MemoryId> = successors.filter_map(|change| change.after.successor).collect();
            rows.extend(successors);
        } else {
            latest = Some((change.id, event.id));
        }
    }
    latest
}

/// Refuses what a pass with a model decides where that is switched off; it is not told either.
fn check_switch(config: &StoreConfig, access: &Access, id: MemoryId) -> Result<()> {
    if access.actor == Actor::Library && !config.facts.consolidation {
        return Err(Error::Undecided { name: row_name(Some(id)), rule: "consolidation is switched off" });
    }
    Ok(())
}

/// Returns the rows that a decision changes, and how they stand after it.
fn changes(
    facts: &dyn Facts,
    decision: &Decision,
    now: DateTime<Utc>,
) -> Result<Vec<(Fact, FactStatus)>, Against> {
    let standing = |id: MemoryId| match facts.fact(id)? {
        None => Err(Against::Rule(EventOutcome::NotFound, id)),
        Some(fact) if fact.status.state.is_retired() => Err(Against::Rule(EventOutcome::Outdated, id)),
        Some(fact) => Ok(fact),
    };
    let older = standing(decision.older)?;
    let newer = match decision.newer {
        Some(id) if id == decision.older => return Err(Against::Rule(EventOutcome::Outdated, id)),
        Some(id) => Some(standing(id)?),
        None => None,
    };
    let settled = |fact: Fact| {
        let state =
            if fact.status.state == FactState::Disputed { FactState::Candidate } else { fact.status.state };
        let status = FactStatus { state, ..fact.status };
        (fact, status)
    };
    let retired = |fact: Fact, state, by: Option<&Fact>| {
        let status = FactStatus {
            state,
            successor: by.map(|fact| fact.memory.id),
            valid_until: by.and_then(|fact| fact.valid_from).or(fact.status.valid_until),
            retired_at: Some(now),
        };
        (fact, status)
    };
    Ok(match (decision.verdict, newer) {
        (Verdict::Supersede, Some(newer)) => {
            vec![retired(older, FactState::Superseded, Some(&newer)), settled(newer)]
        }
        (Verdict::Duplicate, Some(newer)) => {
            let (newer, mut status) = retired(newer, FactState::Superseded, Some(&older));
            // It is as true as before: the older one says it.
            status.valid_until = newer.status.valid_until;
            vec![(newer, status), settled(older)]
        }
        (Verdict::Coexist, Some(newer)) => vec![settled(older), settled(newer)],
        (Verdict::Dispute, Some(newer)) => [older, newer]
            .into_iter()
            .map(|fact| {
                let status = FactStatus { state: FactState::Disputed, ..fact.status };
                // A fact that the human confirmed stays confirmed.
                if fact.status.state == FactState::Verified { settled(fact) } else { (fact, status) }
            })
            .gather(),
        (Verdict::Confirm, None) => {
            let status = FactStatus { state: FactState::Verified, ..older.status };
            vec![(older, status)]
        }
        (Verdict::Reject, None) => vec![retired(older, FactState::Rejected, None)],
        _ => {
            return Err(Against::Failure(Error::Config {
                setting: "decision",
                rule: "does not fit these rows",
            }));
        }
    })
}

/// Returns the changes, where nothing stands against them.
fn allowed(
    facts: &dyn Facts,
    config: &StoreConfig,
    access: &Access,
    changes: Vec<(Fact, FactStatus)>,
    now: DateTime<Utc>,
) -> Result<Vec<StatusChange>, Against> {
    let changes = changes.into_iter().filter(|(fact, after)| fact.status != *after);
    let changes: Vec<_> = changes
        .map(|(fact, after)| {
            let change = StatusChange { id: fact.memory.id, before: fact.status, after };
            (fact.is_protected(), change)
        })
        .gather();
    let retired = changes.iter().filter(|(_, change)| change.retires()).count() as u64;
    if access.actor != Actor::Human && retired > 0 {
        if let Some((_, change)) = changes.iter().find(|(protected, change)| *protected && change.retires()) {
            return Err(Against::Rule(EventOutcome::Protected, change.id));
        }
        let a_day_ago = now.checked_sub_signed(TimeDelta::days(1)).unwrap_or(DateTime::<Utc>::MIN_UTC);
        if facts.retired_since(a_day_ago)? + retired > u64::from(config.facts.max_retired_a_day) {
            return Err(Against::Rule(EventOutcome::Breaker, changes[0].1.id));
        }
    }
    Ok(changes.into_iter().map(|(_, change)| change).gather())
}

fn conclude(
    config: &StoreConfig,
    access: &Access,
    mut told: ConsolidationEvent,
    changes: Result<Vec<StatusChange>, Against>,
) -> Result<Ruled> {
    match changes {
        Ok(changes) => {
            told.changes = changes;
            if config.facts.shadow && access.actor != Actor::Human {
                told.outcome = EventOutcome::Shadow;
            }
            Ok((vec![told], None))
        }
        Err(Against::Failure(error)) => Err(error),
        Err(Against::Later(row, by)) => {
            told.outcome = EventOutcome::Outdated;
            let error = Error::DecidedSince { name: row_name(Some(row)), decision: by.get() };
            Ok((vec![told], Some(error)))
        }
        Err(Against::Rule(outcome, id)) => {
            told.outcome = outcome;
            let name = row_name(Some(id));
            let error = match outcome {
                EventOutcome::Denied => Error::Denied { name, kind: access.kind },
                EventOutcome::NotFound => Error::NotFound { name },
                EventOutcome::Protected => Error::Undecided { name, rule: "only the human retires it" },
                EventOutcome::Breaker => {
                    Error::Undecided { name, rule: "the limit of retired rows a day is reached" }
                }
                _ => Error::Undecided { name, rule: "it is not in the state that the decision needs" },
            };
            Ok((vec![told], Some(error)))
        }
    }
}

/// Returns the answer to the caller about one decision.
pub(crate) fn answer((events, refused): Ruled) -> Result<ConsolidationEvent> {
    match (refused, events.into_iter().next()) {
        (None, Some(event)) => Ok(event),
        (Some(error), _) => Err(error),
        (None, None) => Err(Error::NotFound { name: row_name(None) }),
    }
}
