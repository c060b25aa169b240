//! The learning loop as a store changes it.

use chrono::{DateTime, Utc};

use super::rows::{is_counted, methods_where};
use crate::base::error::Result;
use crate::base::word::to_word;
use crate::learning::{
    Approval, Case, Counted, Ending, Method, MethodId, Preference, PreferenceState, Reflection, RoleNote,
    RoleNoteId, wilson,
};
use crate::memory::{AuditEntry, MemoryId};
use crate::sql::memory::audit::audit;
use crate::sql::memory::driver::{MemoryDriver, Series};
use crate::sql::{DriverExt, params, word as number_of};
use crate::store::practice::{Kept, Numbered, PracticeChanges, kept_wish, normal};
use crate::store::stamp::stamp;

impl<T: MemoryDriver> PracticeChanges for T {
    /// The line of the audit comes first: triggers look at who acts.
    fn keep(&mut self, kept: Vec<Kept>, entry: AuditEntry) -> Result<()> {
        audit(self, &entry)?;
        kept.iter().try_for_each(|kept| keep_one(self, kept, entry.at))
    }
}

fn keep_one(driver: &dyn MemoryDriver, kept: &Kept, at: DateTime<Utc>) -> Result<()> {
    match kept {
        Kept::Method(method) => add_method(driver, method),
        Kept::Standing { method, quarantine, graduated } => {
            set_standing(driver, *method, *quarantine, *graduated, at)
        }
        Kept::Case(case) => add_case(driver, case),
        Kept::Outcome(outcome) => add_outcome(driver, outcome),
        Kept::Preference(preference) => put_preference(driver, preference),
        Kept::Note(note) => add_note(driver, note),
        Kept::Reflected { note, reflection } => add_reflection(driver, *note, reflection),
        // Forgotten words leave with their rows.
        Kept::Gone { .. } => Ok(()),
    }
}

fn add_method(driver: &dyn MemoryDriver, method: &Method) -> Result<()> {
    driver.takes_number(Numbered::Method, method.id.get());
    let sql = "INSERT INTO memory_methods (user_id, agent_id, id, name, class, body, normal, confidence, quarantine,
           created_at, updated_at, times_used, successes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    let values = params![
        method.id.get(),
        &method.name,
        &method.class,
        &method.body,
        normal(&method.class, &method.body),
        method.confidence,
        i64::from(method.quarantine),
        stamp(method.created_at),
        stamp(method.updated_at),
        method.uses.cast_signed(),
        method.successes.cast_signed(),
    ];
    driver.run(sql, values)
}

fn set_standing(
    driver: &dyn MemoryDriver,
    method: MethodId,
    quarantine: u8,
    graduated: Option<Approval>,
    at: DateTime<Utc>,
) -> Result<()> {
    let standing = methods_where(driver, "AND id = $3", params![method.get()])?.pop();
    if quarantine > 0 && standing.is_some_and(|standing| standing.graduated == graduated) {
        // A doctor may do this, and nothing with an approval.
        let sql = "UPDATE memory_methods SET quarantine = $4, updated_at = $5
             WHERE user_id = $1 AND agent_id = $2 AND id = $3";
        return driver.run(sql, params![method.get(), i64::from(quarantine), stamp(at)]);
    }
    let sql =
        "UPDATE memory_methods SET quarantine = $4, graduated_by = $5, graduated_at = $6, updated_at = $7
         WHERE user_id = $1 AND agent_id = $2 AND id = $3";
    let values = params![
        method.get(),
        i64::from(quarantine),
        graduated.map(|approval| to_word(&approval.by)),
        graduated.map(|approval| stamp(approval.at)),
        stamp(at),
    ];
    driver.run(sql, values)
}

fn add_case(driver: &dyn MemoryDriver, case: &Case) -> Result<()> {
    driver.takes_number(Numbered::Case, case.id.get());
    let sql = "INSERT INTO memory_cases (user_id, agent_id, id, method_id, content, outcome, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let values = params![
        case.id.get(),
        case.method.get(),
        &case.content,
        case.outcome.clone(),
        stamp(case.created_at),
    ];
    driver.run(sql, values)
}

fn put_preference(driver: &dyn MemoryDriver, preference: &Preference) -> Result<()> {
    let json = |texts: &Vec<String>| serde_json::to_string(texts).expect("texts are always JSON");
    let approved = preference.approved;
    let by = approved.map(|approval| to_word(&approval.by));
    let at = approved.map(|approval| stamp(approval.at));
    let (memory, state) = (preference.memory.map(MemoryId::get), preference.state.as_str());
    if preference.state != PreferenceState::Proposed {
        let sql =
            "UPDATE memory_preferences SET state = $4, approved_by = $5, approved_at = $6, memory_id = $7
             WHERE user_id = $1 AND agent_id = $2 AND id = $3";
        return driver.run(sql, params![preference.id.get(), state, by, at, memory]);
    }
    driver.takes_number(Numbered::Preference, preference.id.get());
    let sql = "INSERT INTO memory_preferences (user_id, agent_id, id, dimension, kind, state, statement, tools, words,
           normal, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let values = params![
        preference.id.get(),
        &preference.dimension,
        preference.kind.as_str(),
        state,
        &preference.statement,
        json(&preference.tools),
        json(&preference.words),
        kept_wish(preference),
        stamp(preference.created_at),
    ];
    driver.run(sql, values)
}

fn add_note(driver: &dyn MemoryDriver, note: &RoleNote) -> Result<()> {
    driver.takes_number(Numbered::Note, note.id.get());
    let sql = "INSERT INTO memory_roles (user_id, agent_id, id, role, subject, content, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let values =
        params![note.id.get(), &note.role, note.subject.clone(), &note.content, stamp(note.created_at)];
    driver.run(sql, values)?;
    driver.takes_note(note)
}

fn add_reflection(driver: &dyn MemoryDriver, note: RoleNoteId, reflection: &Reflection) -> Result<()> {
    let sql = "UPDATE memory_roles SET class = $4, reflection = $5, reflected_at = $6
         WHERE user_id = $1 AND agent_id = $2 AND id = $3 AND reflected_at IS NULL";
    let values = params![note.get(), reflection.class.as_str(), &reflection.lesson, stamp(reflection.at)];
    driver.run(sql, values)
}

fn add_outcome(driver: &dyn MemoryDriver, outcome: &Counted) -> Result<()> {
    let is_success = outcome.ending == Ending::Success;
    if is_counted(driver, &outcome.id)? {
        return Ok(());
    }
    let methods: Vec<i64> = outcome.methods.iter().map(|id| id.get()).collect();
    let words = driver.dialect();
    let sql = format!(
        "INSERT INTO memory_outcomes (user_id, agent_id, id, outcome, ending, methods, created_at{})
         VALUES ($1, $2, $3, $4, $5, $6, $7{})",
        words.spell("", ", outcome_word"),
        words.spell("", ", $8")
    );
    let values = params![
        driver.next_id(Series::Outcome),
        &outcome.id,
        if is_success { "success" } else { "failure" },
        serde_json::to_string(&methods).expect("plain data is always JSON"),
        stamp(outcome.at),
        number_of(&outcome.id),
    ];
    driver.run(&sql, values)?;
    for id in methods {
        let sql = "UPDATE memory_methods
             SET times_used = times_used + 1, successes = successes + $4, updated_at = $5
             WHERE user_id = $1 AND agent_id = $2 AND id = $3 RETURNING times_used, successes";
        let counts = driver.first(sql, params![id, i64::from(is_success), stamp(outcome.at)], |found| {
            Ok((found.number(0)?, found.number(1)?))
        })?;
        let Some((uses, successes)) = counts else { continue };
        let confidence = wilson(successes.unsigned_abs(), uses.unsigned_abs());
        let sql =
            "UPDATE memory_methods SET confidence = $4 WHERE user_id = $1 AND agent_id = $2 AND id = $3";
        driver.run(sql, params![id, confidence])?;
    }
    Ok(())
}
