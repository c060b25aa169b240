//! The entries of a bundle: rows, learnings, values of the profile and decisions, each as a file or a line.

use std::collections::BTreeMap;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::front::{Front, SCHEMA};
use crate::base::access::{Actor, SessionKind};
use crate::base::digest::Digest;
use crate::facts::{
    ConsolidationEvent, EventId, EventOutcome, Fact, FactKey, FactState, FactStatus, StatusChange, Verdict,
};
use crate::memory::{Learning, MemoryId, NewLearning, NewMemory, Source, categories};
use crate::store::carry::{CarriedLearning, CarriedRow};

/// A row of a store, with its name in a bundle.
pub(super) struct Named {
    pub(super) id: String,
    pub(super) fact: Fact,
}

pub(super) fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// Returns the fields that identify a row, whatever was decided of it and however often it was said again.
fn identity(fact: &Fact) -> Front {
    let row = &fact.memory;
    let mut front = Front::new("memory", None);
    front.put("category", &row.category);
    front.put("source", row.source.as_ref().map(Source::as_str));
    front.put("created_at", time(row.created_at));
    front.put("valid_from", fact.valid_from.map(time));
    front.put("shared", row.shared);
    front.put("origin", &row.origin);
    front.put("about", &fact.key);
    front.put("place", &row.place);
    front.put("cites", &row.cites);
    front.put("dream", &row.dream);
    front.put("metadata", &row.metadata);
    front.body.clone_from(&row.content);
    front
}

/// Names rows by what they are; of equal ones the later written has a number behind it.
pub(super) fn named(mut facts: Vec<Fact>) -> Vec<Named> {
    facts.sort_by_key(|fact| fact.memory.id);
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    let mut named: Vec<Named> = facts
        .into_iter()
        .map(|fact| {
            let digest = Digest::of(identity(&fact).print().as_bytes()).short(16);
            let count = times.entry(digest.clone()).or_default();
            *count += 1;
            let id = if *count == 1 { digest } else { format!("{digest}-{count}") };
            Named { id, fact }
        })
        .collect();
    named.sort_by(|one, other| {
        (one.fact.memory.created_at, &one.id).cmp(&(other.fact.memory.created_at, &other.id))
    });
    named
}

/// Returns the path of a row.
pub(super) fn row_path(named: &Named) -> String {
    let category = &named.fact.memory.category;
    if category.eq_ignore_ascii_case(categories::FACT) {
        return format!("facts/{}.md", named.id);
    }
    format!("memories/{}/{}.md", folder(category), named.id)
}

/// Returns a word as the name of a folder on any system.
pub(super) fn folder(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    let is_device = ["con", "prn", "aux", "nul"].contains(&word);
    if !word.is_empty() && word.len() <= 64 && word.chars().all(is_plain) && !is_device {
        return word.to_owned();
    }
    format!("x-{}", Digest::of(word.as_bytes()).short(12))
}

/// Prints a row.
pub(super) fn row(standing: &Named, instance: Option<&str>, names: &BTreeMap<MemoryId, String>) -> Front {
    let (fact, row) = (&standing.fact, &standing.fact.memory);
    let is_fact = row.category.eq_ignore_ascii_case(categories::FACT);
    let mut front = Front::new(if is_fact { "fact" } else { "memory" }, instance);
    front.put("id", &standing.id);
    front.put("category", &row.category);
    front.put("source", row.source.as_ref().map(Source::as_str));
    front.put("state", fact.status.state.as_str());
    front.put("successor", fact.status.successor.and_then(|id| names.get(&id)));
    front.put("created_at", time(row.created_at));
    // A clock that went back left an earlier time.
    front.put("updated_at", time(row.updated_at.max(row.created_at)));
    front.put("valid_from", fact.valid_from.map(time));
    front.put("valid_until", fact.status.valid_until.map(time));
    front.put("retired_at", fact.status.retired_at.map(time));
    front.put("shared", row.shared);
    front.put("pinned", row.pinned);
    front.put("origin", &row.origin);
    front.put("about", &fact.key);
    front.put("place", &row.place);
    front.put("cites", &row.cites);
    front.put("dream", &row.dream);
    front.put("metadata", &row.metadata);
    front.body.clone_from(&row.content);
    front
}

/// Reads a row; the error names the field.
pub(super) fn read_row(front: &Front) -> Result<CarriedRow, &'static str> {
    check(front, &["memory", "fact"])?;
    let source: String = front.must("source")?;
    let mut memory =
        NewMemory::new(front.must::<String>("category")?, front.body.clone(), Source::from(source.as_str()));
    let is_fact = memory.category.eq_ignore_ascii_case(categories::FACT);
    if is_fact != (front.get::<String>("kind").as_deref() == Some("fact")) {
        return Err("kind");
    }
    front.must::<String>("state")?.parse::<FactState>().map_err(|_| "state")?;
    memory.valid_from = front.maybe("valid_from")?;
    memory.shared = front.maybe("shared")?.unwrap_or(false);
    memory.origin = front.maybe("origin")?;
    memory.about = front.maybe::<FactKey>("about")?;
    memory.place = front.maybe("place")?;
    memory.cites = front.maybe("cites")?.unwrap_or_default();
    memory.dream = front.maybe("dream")?;
    memory.metadata = front.maybe("metadata")?;
    if memory.dream.is_some() && memory.source.as_str() != Source::Dreamed.as_str() {
        return Err("dream");
    }
    let (created_at, updated_at) = (front.must("created_at")?, front.must("updated_at")?);
    if updated_at < created_at {
        return Err("updated_at");
    }
    let pinned = front.maybe("pinned")?.unwrap_or(false);
    Ok(CarriedRow { memory, created_at, updated_at, pinned, standing: None })
}

/// Checks the fields that every entry has.
pub(super) fn check(front: &Front, kinds: &[&str]) -> Result<(), &'static str> {
    if front.must::<u64>("schema_version")? != SCHEMA {
        return Err("schema_version");
    }
    let kind: String = front.must("kind")?;
    if kinds.contains(&kind.as_str()) { Ok(()) } else { Err("kind") }
}

pub(super) fn learning(learning: &Learning, instance: Option<&str>) -> (String, Front) {
    let mut front = Front::new("learning", instance);
    front.put("created_at", time(learning.created_at));
    front.put("context", &learning.context);
    front.body.clone_from(&learning.content);
    let mut plain = Front::new("learning", None);
    plain.body.clone_from(&learning.content);
    (format!("learnings/{}.md", Digest::of(plain.print().as_bytes()).short(16)), front)
}

pub(super) fn read_learning(front: &Front) -> Result<CarriedLearning, &'static str> {
    check(front, &["learning"])?;
    let mut learning = NewLearning::new(front.body.clone());
    learning.context = front.maybe("context")?;
    Ok(CarriedLearning { learning, created_at: front.must("created_at")? })
}

pub(super) fn profile(key: &str, value: &str, instance: Option<&str>) -> (String, Front) {
    let mut front = Front::new("profile", instance);
    front.put("key", key);
    value.clone_into(&mut front.body);
    (format!("profile/{}.md", folder(key)), front)
}

pub(super) fn read_profile(front: &Front) -> Result<(String, String), &'static str> {
    check(front, &["profile"])?;
    Ok((front.must("key")?, front.body.clone()))
}

/// A decision on facts, with the names of rows in place of their ids.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct NamedDecision {
    at: DateTime<Utc>,
    actor: Actor,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<SessionKind>,
    verdict: Verdict,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    older: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newer: Option<String>,
    outcome: EventOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    /// The line of the decision that it takes back, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reverts: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    changes: Vec<NamedChange>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct NamedChange {
    row: String,
    before: NamedStatus,
    after: NamedStatus,
}

#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct NamedStatus {
    state: FactState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    successor: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    valid_until: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retired_at: Option<DateTime<Utc>>,
}

/// Names the rows of decisions, the oldest first. A decision is left out if none of its rows is left.
pub(super) fn decisions(
    events: &[ConsolidationEvent],
    names: &BTreeMap<MemoryId, String>,
) -> Vec<(EventId, NamedDecision)> {
    let name = |id: MemoryId| names.get(&id).cloned();
    let status = |status: &FactStatus| NamedStatus {
        state: status.state,
        successor: status.successor.and_then(name),
        valid_until: status.valid_until,
        retired_at: status.retired_at,
    };
    let mut told: Vec<(EventId, NamedDecision)> = Vec::new();
    let mut lines: BTreeMap<EventId, usize> = BTreeMap::new();
    for event in events {
        let changes: Vec<NamedChange> = event
            .changes
            .iter()
            .filter_map(|change| {
                let (before, after) = (status(&change.before), status(&change.after));
                Some(NamedChange { row: name(change.id)?, before, after })
            })
            .collect();
        let (older, newer) = (event.older.and_then(name), event.newer.and_then(name));
        if changes.is_empty() && older.is_none() && newer.is_none() {
            continue;
        }
        lines.insert(event.id, told.len() + 1);
        let decision = NamedDecision {
            at: event.at,
            actor: event.actor,
            kind: event.kind,
            verdict: event.verdict,
            older,
            newer,
            outcome: event.outcome,
            reason: event.reason.clone(),
            reverts: event.reverts.and_then(|id| lines.get(&id).copied()),
            changes,
        };
        told.push((event.id, decision));
    }
    told
}

impl NamedDecision {
    pub(super) fn line(&self) -> String {
        serde_json::to_string(self).expect("plain data is always JSON") + "\n"
    }

    /// Returns its key, which is the same everywhere.
    pub(super) fn identity(&self) -> String {
        Self { reverts: None, ..self.clone() }.line()
    }

    /// Returns the decision with the ids of a store; `None` where a row that it changes is not there.
    pub(super) fn with_ids(&self, ids: &BTreeMap<String, MemoryId>) -> Option<ConsolidationEvent> {
        let id = |name: &String| ids.get(name).copied();
        let status = |status: &NamedStatus| FactStatus {
            successor: status.successor.as_ref().and_then(id),
            valid_until: status.valid_until,
            retired_at: status.retired_at,
            ..FactStatus::standing(status.state)
        };
        let mut event = ConsolidationEvent::new(EventId::new(0), self.at, self.actor, self.verdict);
        event.kind = self.kind;
        event.outcome = self.outcome;
        event.reason.clone_from(&self.reason);
        for (name, place) in [(&self.older, &mut event.older), (&self.newer, &mut event.newer)] {
            *place = match name {
                Some(name) => Some(id(name)?),
                None => None,
            };
        }
        for change in &self.changes {
            event.changes.push(StatusChange {
                id: id(&change.row)?,
                before: status(&change.before),
                after: status(&change.after),
            });
        }
        Some(event)
    }

    pub(super) fn at(&self) -> DateTime<Utc> {
        self.at
    }
}
