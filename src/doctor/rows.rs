//! The rows of a memory store: whether they can be read, and what they hold.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use super::examination::Examination;
use super::finding::FindingKind as Kind;
use crate::base::access::{Access, Scope};
use crate::base::error::{Error, Result};
use crate::base::name::DocName;
use crate::dream::RoleConfig;
use crate::edges::EdgeStore;
use crate::embed::store::VectorStore;
use crate::facts::FactStore;
use crate::gate::Doors;
use crate::learning::{MethodStore, RoleStore};
use crate::memory::{Filter, LearningStore, MemoryStore};
use crate::store::StoreConfig;
use crate::vectors::EmbeddingStatus;

/// The number of entities that are named.
const TOP: usize = 5;

/// The verbs of a store that a look asks.
pub(super) trait Rows:
    MemoryStore + FactStore + LearningStore + MethodStore + RoleStore + EdgeStore + VectorStore
{
}

impl<S> Rows for S where
    S: MemoryStore + FactStore + LearningStore + MethodStore + RoleStore + EdgeStore + VectorStore
{
}

/// Looks at every row that is not deleted.
pub(super) fn examine<S: Rows>(
    store: &S,
    scope: &Scope,
    doors: &Doors,
    now: DateTime<Utc>,
    (stores, roles, since): (&StoreConfig, &RoleConfig, Option<DateTime<Utc>>),
    told: &mut Examination,
) -> Result<()> {
    let owner = Access::human(scope.clone());
    let every = Filter::limit(usize::MAX);
    for row in store.list(&owner, &Filter { retired: true, ..every })? {
        secrets(doors, &row.content, &format!("memories/{}", row.id), told);
        let fact = FactStore::fact(store, &owner, row.id)?;
        let state = fact.map(|fact| fact.status.state);
        let is_retired = state.is_some_and(crate::facts::FactState::is_retired);
        told.health.rows += u64::from(!is_retired);
        let is_dirty = !is_retired && since.is_none_or(|since| row.updated_at > since);
        told.health.dirty += u64::from(is_dirty);
        let word = state.map_or_else(|| "none".to_owned(), |state| state.to_string());
        *told.health.facts.entry(word).or_default() += 1;
    }
    for (key, value) in store.profile(&owner)? {
        secrets(doors, &value, &format!("user_profile/{key}"), told);
    }
    for learning in store.learnings(&owner, usize::MAX)? {
        told.health.learnings += 1;
        secrets(doors, &learning.content, &format!("learnings/{}", learning.id), told);
    }
    for method in store.methods(&owner)? {
        told.health.methods += 1;
        told.health.graduated += u64::from(method.graduated.is_some());
        told.health.quarantined += u64::from(method.quarantine > 0);
        if method.quarantine == 0 && stores.learning.demotes(method.successes, method.uses) {
            let fix = "run `noctuary doctor PATH --fix --apply`: it puts the method into quarantine";
            told.add(Kind::WeakMethod, format!("methods/{}", method.id), fix);
        }
        let cases = store.method_cases(&owner, method.id, usize::MAX)?;
        let texts = [method.body].into_iter().chain(cases.into_iter().map(|case| case.content));
        for text in texts {
            secrets(doors, &text, &format!("methods/{}", method.id), told);
        }
    }
    let backlog = |role: &str| roles.ages.get(role).copied().unwrap_or(stores.learning.backlog);
    for pending in [true, false] {
        for note in store.notes(&owner, pending)? {
            if pending && now - note.created_at > backlog(&note.role) {
                told.health.unreflected += 1;
                let fix = "let a model reflect on it: `noctuary doctor PATH --fix --apply --only reflect_pending --endpoint URL --model NAME`";
                told.add(Kind::WaitingReflection, format!("role_memory/{}", note.id), fix);
            }
            let lesson = note.reflection.map(|reflection| reflection.lesson);
            for text in std::iter::once(note.content).chain(lesson) {
                secrets(doors, &text, &format!("role_memory/{}", note.id), told);
            }
        }
    }
    let spoken = store.top_entities(&owner, usize::MAX)?;
    told.health.edges = spoken.iter().map(|top| top.texts).sum();
    let top = spoken.iter().take(TOP).map(|top| (top.entity.to_string(), top.texts));
    told.health.top_entities = top.collect();
    if let Some(embedder) = &stores.embedder {
        told.health.embeddings = states(&store.embedding_status(embedder.id())?);
    }
    told.health.suspicions = FactStore::suspicions(store, &owner, usize::MAX)?.len() as u64;
    Ok(())
}

/// Names the states of vectors.
fn states(status: &EmbeddingStatus) -> BTreeMap<String, u64> {
    let counts = [
        ("pending", status.pending),
        ("embedded", status.embedded),
        ("failed", status.failed),
        ("skipped", status.skipped),
    ];
    counts.into_iter().map(|(state, count)| (state.to_owned(), count)).collect()
}

/// Counts the vectors of chunks by their state, where an embedder ever made any.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(super) fn chunks(index: &dyn VectorStore, stores: &StoreConfig, told: &mut Examination) -> Result<()> {
    let Some(embedder) = &stores.embedder else { return Ok(()) };
    let status = index.embedding_status(embedder.id())?;
    if has_vectors(&status) {
        told.health.chunks = states(&status);
    }
    Ok(())
}

/// Returns whether an embedder was ever asked. An index of words alone has no chunk that waits.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(super) fn has_vectors(status: &EmbeddingStatus) -> bool {
    status.embedded + status.failed + status.skipped > 0
}

fn secrets(doors: &Doors, text: &str, place: &str, told: &mut Examination) {
    for found in doors.inspect(&DocName::MEMORY, text) {
        let fix = format!("forget the {}: `noctuary forget`, and replace it where it is in use", found.class);
        told.add(Kind::SecretAtRest, place, fix);
    }
}

/// Tells of a store that could not be opened or read.
pub(super) fn tell(place: &str, error: Error, told: &mut Examination) -> Result<()> {
    match error {
        Error::Shrunk { held, found, of, mark, .. } => {
            let fix = format!(
                "put back a backup: it held {held} {of} and holds {found}; or delete {mark} to go on without them"
            );
            told.add(Kind::EmptiedStore, place, fix);
        }
        // Each copy is a finding of its own.
        Error::CopyWaits { .. } => {}
        Error::NewerVersion { .. } => told.add(Kind::NewerVersion, place, "update the library"),
        Error::Corrupt { what, line, .. } => {
            let line = if line > 0 { format!(", line {line}") } else { String::new() };
            told.add(
                Kind::DamagedStore,
                place,
                format!("put back a backup, or mend the line by hand: {what}{line}"),
            );
        }
        Error::Refused { reason, .. } => {
            told.add(Kind::DamagedStore, place, format!("{reason}: put the file back in its place"));
        }
        error @ (Error::Io { .. } | Error::Database { .. }) => {
            told.add(Kind::Unreadable, place, format!("{error}: make it readable for this account"));
        }
        error => return Err(error),
    }
    Ok(())
}
