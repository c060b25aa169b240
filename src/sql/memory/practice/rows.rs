//! The learning loop as a store reads it.

use crate::base::error::Result;
use crate::base::word::from_word;
use crate::learning::{
    Approval, Case, CaseId, Constraint, LearningConfig, Method, MethodId, NewMethod, NewPreference,
    NewRoleNote, Preference, PreferenceId, PreferenceState, Reflection, RoleClass, RoleNote, RoleNoteId,
};
use crate::sql::memory::driver::MemoryDriver;
use crate::sql::{Columns, DriverExt, Param, params, word as number_of};
use crate::store::practice::{Numbered, Practice};

const OF_SCOPE: &str = "WHERE user_id = $1 AND agent_id = $2";

impl<T: MemoryDriver> Practice for T {
    fn methods(&self) -> Result<Vec<Method>> {
        methods_where(self, "ORDER BY id", Vec::new())
    }

    fn method(&self, id: MethodId) -> Result<Option<Method>> {
        Ok(methods_where(self, "AND id = $3", params![id.get()])?.pop())
    }

    fn method_saying(&self, normal: &str) -> Result<Option<Method>> {
        Ok(methods_where(self, "AND normal = $3", params![normal])?.pop())
    }

    fn cases(&self, method: MethodId, limit: usize) -> Result<Vec<Case>> {
        cases(self, method, limit)
    }

    fn is_counted(&self, outcome: &str) -> Result<bool> {
        is_counted(self, outcome)
    }

    fn counted(&self) -> Result<Vec<String>> {
        let sql =
            format!("SELECT outcome FROM memory_outcomes {OF_SCOPE} AND outcome <> '' ORDER BY outcome");
        self.all(&sql, Vec::new(), |found| found.text(0))
    }

    fn preferences(&self) -> Result<Vec<Preference>> {
        preferences_where(self, "ORDER BY id", Vec::new())
    }

    fn preference(&self, id: PreferenceId) -> Result<Option<Preference>> {
        Ok(preferences_where(self, "AND id = $3", params![id.get()])?.pop())
    }

    fn preference_saying(&self, wish: &str) -> Result<Option<Preference>> {
        Ok(preferences_where(self, "AND normal = $3", params![wish])?.pop())
    }

    fn constraints(&self, told: bool) -> Result<Vec<Constraint>> {
        constraints(self, told)
    }

    fn notes(&self, pending: bool) -> Result<Vec<RoleNote>> {
        notes(self, pending)
    }

    fn next_number(&self, of: Numbered) -> Result<i64> {
        Ok(self.last_number(of)? + 1)
    }
}

fn cases(driver: &dyn MemoryDriver, method: MethodId, limit: usize) -> Result<Vec<Case>> {
    let sql = format!(
        "SELECT id, content, outcome, created_at FROM memory_cases {OF_SCOPE} AND method_id = $3
         ORDER BY id DESC LIMIT $4"
    );
    driver.all(&sql, params![method.get(), limit], |found| {
        let at = found.time(3)?.unwrap_or_default();
        let mut case = Case::new(CaseId::new(found.number(0)?), method, found.text(1)?, at);
        case.outcome = found.maybe(2)?;
        Ok(case)
    })
}

/// Returns whether an outcome was counted before.
pub(super) fn is_counted(driver: &dyn MemoryDriver, outcome: &str) -> Result<bool> {
    let says = driver.dialect().spell("outcome = $3", "outcome_word = $4 AND outcome = $3");
    let sql = format!("SELECT 1 FROM memory_outcomes {OF_SCOPE} AND {says}");
    driver.finds(&sql, params![outcome, number_of(outcome)])
}

fn constraints(driver: &dyn MemoryDriver, told: bool) -> Result<Vec<Constraint>> {
    let sql = format!(
        "SELECT id, CASE WHEN $3 THEN statement END, tools, words, approved_by, approved_at
         FROM memory_preferences {OF_SCOPE} AND kind = 'hard_constraint' AND state = 'active' ORDER BY id"
    );
    let rules = driver.all(&sql, params![told], |found| {
        let Some(approved) = approval(found, 4)? else { return Ok(None) };
        let id = PreferenceId::new(found.number(0)?);
        let mut rule = Constraint::new(id, found.maybe(1)?, approved);
        (rule.tools, rule.words) = (texts(found, 2)?, texts(found, 3)?);
        Ok(Some(rule))
    })?;
    Ok(rules.into_iter().flatten().collect())
}

/// Returns the pending notes of roles by id, or those that were reflected on.
pub(crate) fn notes(driver: &dyn MemoryDriver, pending: bool) -> Result<Vec<RoleNote>> {
    let sql = format!(
        "SELECT id, role, subject, content, created_at, class, reflection, reflected_at
         FROM memory_roles {OF_SCOPE} AND (reflected_at IS NULL) = $3 ORDER BY id"
    );
    driver.all(&sql, params![pending], |found| {
        let mut taken = NewRoleNote::new(found.text(1)?, found.text(3)?);
        taken.subject = found.maybe(2)?;
        let at = found.time(4)?.unwrap_or_default();
        let mut note = RoleNote::new(RoleNoteId::new(found.number(0)?), taken, at);
        let word = found.text(5)?;
        let class = RoleClass::ALL.into_iter().find(|class| class.as_str() == word);
        if let (Some(lesson), Some(at)) = (found.maybe(6)?, found.time(7)?) {
            note.reflection = Some(Reflection::new(class.unwrap_or(RoleClass::Neutral), lesson, at));
        }
        Ok(note)
    })
}

fn preferences_where(driver: &dyn MemoryDriver, which: &str, values: Vec<Param>) -> Result<Vec<Preference>> {
    let sql = format!(
        "SELECT id, dimension, kind, state, statement, tools, words, approved_by, approved_at, memory_id, created_at
         FROM memory_preferences {OF_SCOPE} {which}"
    );
    driver.all(&sql, values, preference)
}

/// Returns the methods that a condition takes.
pub(super) fn methods_where(
    driver: &dyn MemoryDriver,
    which: &str,
    values: Vec<Param>,
) -> Result<Vec<Method>> {
    let sql = format!(
        "SELECT id, name, class, body, times_used, successes, confidence, quarantine, graduated_by, graduated_at,
           created_at, updated_at
         FROM memory_methods {OF_SCOPE} {which}"
    );
    driver.all(&sql, values, method)
}

/// Reads the word of a person: who gave it, and when.
fn approval(found: &dyn Columns, at: usize) -> Result<Option<Approval>> {
    let by = found.maybe(at)?.and_then(|word| from_word(&word));
    Ok(by.zip(found.time(at + 1)?).map(|(by, at)| Approval::new(by, at)))
}

fn texts(found: &dyn Columns, at: usize) -> Result<Vec<String>> {
    Ok(serde_json::from_slice(found.text(at)?.as_bytes()).unwrap_or_default())
}

fn preference(found: &dyn Columns) -> Result<Preference> {
    let (dimension, statement) = (found.text(1)?, found.text(4)?);
    let mut proposed = match found.text(2)?.as_str() {
        "hard_constraint" => NewPreference::hard_constraint(dimension, statement),
        _ => NewPreference::behavioural(dimension, statement),
    };
    (proposed.tools, proposed.words) = (texts(found, 5)?, texts(found, 6)?);
    let at = found.time(10)?.unwrap_or_default();
    let mut preference = Preference::new(PreferenceId::new(found.number(0)?), proposed, at);
    let states = [PreferenceState::Active, PreferenceState::Withdrawn];
    let word = found.text(3)?;
    preference.state =
        states.into_iter().find(|state| state.as_str() == word).unwrap_or(PreferenceState::Proposed);
    preference.approved = approval(found, 7)?;
    preference.memory = found.id(9)?;
    Ok(preference)
}

fn method(found: &dyn Columns) -> Result<Method> {
    let created = NewMethod::new(found.text(1)?, found.text(2)?, found.text(3)?);
    let at = found.time(10)?.unwrap_or_default();
    Ok(Method {
        uses: found.count(4)?,
        successes: found.count(5)?,
        confidence: found.real(6)?,
        quarantine: u8::from(found.number(7)? != 0),
        graduated: approval(found, 8)?,
        updated_at: found.time(11)?.unwrap_or(at),
        ..Method::new(MethodId::new(found.number(0)?), created, &LearningConfig::default(), at)
    })
}
