//! The rules of facts, whichever store keeps them: what settles, what is suspected, and what a decision may change.
//!
//! A rule reads facts and says what is to be changed; the store changes it in the same step, so that nothing came
//! between.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};

use super::admit::main_only;
use super::backend::Facts;
use super::config::StoreConfig;
use super::names::row_name;
use super::search::search;
use crate::base::access::{Access, Actor, Scope};
use crate::base::error::{Error, Result};
use crate::base::text;
use crate::facts::{
    Cardinality, ConsolidationEvent, Decision, EventId, EventOutcome, Fact, FactKey, FactState, FactStatus,
    Settled, StatusChange, Suspect, SuspectReason, Verdict,
};
use crate::memory::{Memory, MemoryId, NewMemory, Query, Source, categories};
use crate::search::rank::{Plan, Ranking, Sight};

/// So many rows are named as what a new one may contradict.
const MOST_SUSPECTS: usize = 5;
/// So many are looked at for that.
const LOOKED_AT: usize = 16;

/// The form in which two rows are the same statement; `None` for rows that are no statements of facts.
pub(crate) fn normal(category: &str, content: &str, key: Option<&FactKey>) -> Option<String> {
    let stated = [categories::FACT, categories::PERSONALIZATION, categories::PREFERENCE];
    let is_statement = key.is_some() || stated.iter().any(|word| category.eq_ignore_ascii_case(word));
    is_statement.then(|| text::statement(content))
}

/// How a row stands that was just written; `None` for one that never waits.
pub(crate) fn first_status(category: &str, source: Option<&Source>) -> Option<FactStatus> {
    let waits = category.eq_ignore_ascii_case(categories::FACT) && !source.is_some_and(Source::is_typed);
    waits.then(|| FactStatus::standing(FactState::Pending))
}

/// How a row stands of which nothing was ever decided.
pub(crate) fn plain_status() -> FactStatus {
    FactStatus::standing(FactState::Candidate)
}

/// The rows that a new one may contradict, best first; of all, or of the shared ones: where others were only left out
/// at the end, the room that they take would tell of them.
pub(crate) fn suspects(
    facts: &dyn Facts,
    config: &StoreConfig,
    new: &NewMemory,
    sees_all: bool,
) -> Result<Vec<Suspect>> {
    let is_fact = new.about.is_some() || new.category.eq_ignore_ascii_case(categories::FACT);
    let is_many = new.about.as_ref().is_some_and(|key| key.cardinality == Cardinality::Many);
    if !is_fact || is_many {
        return Ok(Vec::new());
    }
    let stated = text::statement(&new.content);
    let is_other = |fact: &Fact| {
        let normal = normal(&fact.memory.category, &fact.memory.content, fact.key.as_ref());
        let is_seen = sees_all || fact.memory.shared;
        is_seen && !fact.status.state.is_retired() && normal.is_some_and(|normal| normal != stated)
    };
    let mut found = Vec::new();
    if let Some(key) = &new.about {
        let of_key = facts.of_key(key)?.into_iter().rev().filter(is_other);
        let single = of_key
            .filter(|fact| fact.key.as_ref().is_some_and(|other| other.cardinality == Cardinality::One));
        found.extend(single.map(|fact| Suspect { id: fact.memory.id, reason: SuspectReason::SameKey }));
    }
    let words = Words::of(&new.content);
    for fact in alike(facts, config, &new.content, sees_all)?.into_iter().filter(is_other) {
        // Where both say what they are about, that tells.
        let is_told = new.about.is_some() && fact.key.is_some();
        let is_many = fact.key.as_ref().is_some_and(|key| key.cardinality == Cardinality::Many);
        if !is_told && !is_many && words.are_alike(&Words::of(&fact.memory.content)) {
            found.push(Suspect { id: fact.memory.id, reason: SuspectReason::Alike });
        }
    }
    found.truncate(MOST_SUSPECTS);
    Ok(found)
}

/// Standing rows that share words with a text, the most alike first; of all, or of the shared ones.
fn alike(facts: &dyn Facts, config: &StoreConfig, text: &str, sees_all: bool) -> Result<Vec<Fact>> {
    let sight = if sees_all { Sight::All } else { Sight::Shared };
    let query = Query::new(text).limit(LOOKED_AT);
    let found = search(facts, config, &Ranking::rows_alone(), sight, &query)?;
    let facts = found.hits.iter().map(|hit| facts.fact(hit.memory.id));
    facts.filter_map(Result::transpose).collect()
}

/// What a statement says something by.
struct Words {
    words: BTreeSet<String>,
    /// What is written with a digit: numbers, days, times.
    numbers: BTreeSet<String>,
}

impl Words {
    fn of(text: &str) -> Self {
        let stems = Plan::of(text, false).terms.into_iter().map(|term| term.stem);
        let (numbers, words) = stems.partition(|stem| stem.contains(|c: char| c.is_ascii_digit()));
        Self { words, numbers }
    }

    fn len(&self) -> usize {
        self.words.len() + self.numbers.len()
    }

    /// Whether two statements share two words at least, and half of those of the shorter. Where each gives a number that the
    /// other does not, three words and a third are enough: what is updated is most often a number or a day, amid other
    /// words.
    fn are_alike(&self, other: &Self) -> bool {
        let words = self.words.intersection(&other.words).count();
        let shared = words + self.numbers.intersection(&other.numbers).count();
        let shorter = self.len().min(other.len());
        let is_renumbered =
            !self.numbers.is_subset(&other.numbers) && !other.numbers.is_subset(&self.numbers);
        (shared >= 2 && shared * 2 >= shorter) || (is_renumbered && words >= 3 && words * 3 >= shorter)
    }
}

/// What makes two facts one: the statement, what it is about, and who may read it.
fn identity(fact: &Fact) -> (String, Option<(String, String)>, bool) {
    let key = fact.key.as_ref().map(FactKey::normal);
    (text::statement(&fact.memory.content), key, fact.memory.shared)
}

/// What settles: the events, without ids, in their order.
pub(crate) fn settle(facts: &dyn Facts, now: DateTime<Utc>) -> Result<Vec<ConsolidationEvent>> {
    let mut events = Vec::new();
    let mut just_settled: BTreeMap<_, Fact> = BTreeMap::new();
    for fact in facts.pending()? {
        let identity = identity(&fact);
        let (id, before) = (fact.memory.id, fact.status);
        let settled = FactStatus { state: FactState::Candidate, ..before };
        let older = match just_settled.get(&identity) {
            Some(older) => Some(older.clone()),
            None => elder(facts, &fact)?,
        };
        let change = |after| StatusChange { id, before, after };
        let (changes, stays, goes) = match older {
            Some(older) if yields(&older, &fact) => {
                let (goes, status) = (older.memory.id, older.status);
                let retired = StatusChange { id: goes, before: status, after: duplicate_of(id, now) };
                just_settled.insert(identity, Fact { status: settled, ..fact });
                (vec![change(settled), retired], Some(id), goes)
            }
            Some(older) if !fact.is_protected() => {
                let stays = older.memory.id;
                (vec![change(duplicate_of(stays, now))], Some(stays), id)
            }
            // What the human pinned stays, also where it says nothing new.
            older => {
                let oldest = older.filter(|older| !older.status.state.is_retired() && older.memory.id < id);
                just_settled.insert(identity, oldest.unwrap_or(Fact { status: settled, ..fact }));
                (vec![change(settled)], None, id)
            }
        };
        let mut event = event(None, Verdict::Settle, now, changes);
        (event.older, event.newer) = (stays, Some(goes));
        events.push(event);
    }
    Ok(events)
}

/// How a fact stands that another one says already.
fn duplicate_of(id: MemoryId, now: DateTime<Utc>) -> FactStatus {
    FactStatus { successor: Some(id), retired_at: Some(now), ..FactStatus::standing(FactState::Superseded) }
}

/// Whether the older of two equal facts gives way to the newer one: what a dream promoted leaves with its dream, and
/// must not take along what was recorded beside it.
fn yields(older: &Fact, newer: &Fact) -> bool {
    let is_dreamed = |fact: &Fact| fact.memory.dream.is_some();
    is_dreamed(older) && !is_dreamed(newer) && !older.is_protected() && !older.status.state.is_retired()
}

/// The oldest settled row that says the same as a fact, or where there is none a rejected one.
fn elder(facts: &dyn Facts, fact: &Fact) -> Result<Option<Fact>> {
    let same = |other: &Fact| {
        other.memory.id != fact.memory.id
            && !matches!(other.status.state, FactState::Pending | FactState::Superseded)
            && identity(other) == identity(fact)
    };
    let stated = facts.stated(&text::statement(&fact.memory.content))?;
    let mut same: Vec<Fact> = stated.into_iter().filter(same).collect();
    same.sort_by_key(|other| (other.status.state.is_retired(), other.memory.id));
    Ok(same.into_iter().next())
}

/// What was settled, by its events.
pub(crate) fn settled(events: &[ConsolidationEvent]) -> Settled {
    let duplicates = events.iter().filter(|event| event.older.is_some()).count() as u64;
    Settled::new(events.len() as u64 - duplicates, duplicates)
}

/// An event that counts, without an id.
fn event(
    access: Option<&Access>,
    verdict: Verdict,
    now: DateTime<Utc>,
    changes: Vec<StatusChange>,
) -> ConsolidationEvent {
    let actor = access.map_or(Actor::Library, |access| access.actor);
    let kind = access.map(|access| access.kind);
    ConsolidationEvent { kind, changes, ..ConsolidationEvent::new(EventId::new(0), now, actor, verdict) }
}

/// The event of one decision, as a store applies it, and the error of one that is refused.
pub(crate) type Ruled = (Vec<ConsolidationEvent>, Option<Error>);

/// What stands against a decision.
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

/// The event of a decision, without its id, and the error of one that is refused. Only an `Applied` event changes
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

/// The event that takes a decision back, as [`decide`] gives it.
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

/// The latest decision that counts and changed a row of an earlier one, with that row. Taking the earlier one back alone
/// would leave two values that both count, or none.
fn built_upon(decided: &ConsolidationEvent, later: &[ConsolidationEvent]) -> Option<(MemoryId, EventId)> {
    let mut undone = BTreeSet::new();
    let mut counting = Vec::new();
    for event in later.iter().rev().filter(|event| event.outcome == EventOutcome::Applied) {
        if !undone.contains(&event.id) {
            undone.extend(event.reverts);
            counting.push(event);
        }
    }
    let of_changes = decided.changes.iter().map(|change| change.id);
    let mut rows: BTreeSet<MemoryId> = of_changes.chain(decided.older).chain(decided.newer).collect();
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

/// The rows that a decision changes, and how they stand after it.
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
                // What the human confirmed stays confirmed.
                if fact.status.state == FactState::Verified { settled(fact) } else { (fact, status) }
            })
            .collect(),
        (Verdict::Confirm, None) => {
            let status = FactStatus { state: FactState::Verified, ..older.status };
            vec![(older, status)]
        }
        (Verdict::Reject, None) => vec![retired(older, FactState::Rejected, None)],
        _ => {
            return Err(Against::Failure(Error::Config {
                setting: "decision",
                rule: "must be one on these rows",
            }));
        }
    })
}

/// The changes, where nothing stands against them.
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
        .collect();
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
    Ok(changes.into_iter().map(|(_, change)| change).collect())
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
                EventOutcome::Breaker => Error::Undecided { name, rule: "enough was retired for a day" },
                _ => Error::Undecided { name, rule: "it does not stand as it did" },
            };
            Ok((vec![told], Some(error)))
        }
    }
}

/// The pair of suspects that an event decides on, or takes a decision on back; `None` where it does neither.
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

/// Which decision counts of the events of one pair, which ascend: the latest that nothing took back. A reversal may be
/// taken back too.
pub(crate) fn decided<'e>(
    events: impl DoubleEndedIterator<Item = &'e ConsolidationEvent>,
) -> Option<EventId> {
    let mut undone = BTreeSet::new();
    let mut counting = events.rev().filter(|event| {
        let counts = pair(event).is_some() && !undone.contains(&event.id);
        if counts {
            undone.extend(event.reverts);
        }
        counts
    });
    counting.find(|event| event.reverts.is_none()).map(|event| event.id)
}

/// The rows that an event retired by anybody but the human, for the breaker.
pub(crate) fn retired_by(event: &ConsolidationEvent) -> u64 {
    let counts = event.outcome == EventOutcome::Applied
        && event.actor != Actor::Human
        && event.verdict != Verdict::Settle;
    if counts { event.changes.iter().filter(|change| change.retires()).count() as u64 } else { 0 }
}

/// What the caller is told of one decision.
pub(crate) fn answer((events, refused): Ruled) -> Result<ConsolidationEvent> {
    match (refused, events.into_iter().next()) {
        (None, Some(event)) => Ok(event),
        (Some(error), _) => Err(error),
        (None, None) => Err(Error::NotFound { name: row_name(None) }),
    }
}

/// A row as a session sees it: what replaced a shared one may be private.
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

/// The rows that a row replaced, it, and those that replaced it, the oldest first, as far as a session sees them.
pub(crate) fn history(facts: &dyn Facts, id: MemoryId, sees_all: bool) -> Result<Vec<Fact>> {
    let mut all = BTreeMap::new();
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
    Ok(all.into_values().collect())
}

/// A row as the rules see it.
pub(crate) fn fact(
    memory: Memory,
    key: Option<FactKey>,
    valid_from: Option<DateTime<Utc>>,
    status: Option<FactStatus>,
) -> Fact {
    Fact::new(memory, key, valid_from, status.unwrap_or_else(plain_status))
}
