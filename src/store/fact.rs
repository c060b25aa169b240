//! Rows as facts: when two say the same, and the status of a row without any decision.

use chrono::{DateTime, Utc};

use crate::base::text;
use crate::facts::{Fact, FactKey, FactState, FactStatus};
use crate::memory::{Memory, MemoryId, Source, categories};

/// Returns the form in which two rows are the same statement; `None` for rows that are no statements of facts.
pub(crate) fn normal(category: &str, content: &str, key: Option<&FactKey>) -> Option<String> {
    let stated = [categories::FACT, categories::PERSONALIZATION, categories::PREFERENCE];
    let is_statement = key.is_some() || stated.iter().any(|word| category.eq_ignore_ascii_case(word));
    is_statement.then(|| text::statement(content))
}

/// Returns the status of a row that was just written; `None` for one that never waits.
pub(crate) fn first_status(category: &str, source: Option<&Source>) -> Option<FactStatus> {
    let waits = category.eq_ignore_ascii_case(categories::FACT) && !source.is_some_and(Source::is_typed);
    waits.then(|| FactStatus::standing(FactState::Pending))
}

/// Returns the status of a row without any decision.
pub(crate) fn plain_status() -> FactStatus {
    FactStatus::standing(FactState::Candidate)
}

/// The place of a value: the time since which it is true, else since which the store knows it. The later row is the later
/// value.
pub(crate) fn since(fact: &Fact) -> (DateTime<Utc>, MemoryId) {
    (fact.since(), fact.memory.id)
}

/// Returns a row as the rules see it.
pub(crate) fn fact(
    memory: Memory,
    key: Option<FactKey>,
    valid_from: Option<DateTime<Utc>>,
    status: Option<FactStatus>,
) -> Fact {
    Fact::new(memory, key, valid_from, status.unwrap_or_else(plain_status))
}
