//! The learning loop as a store reads it.

use ::postgres::{Error, Row};

use super::super::audit::{ACTORS, of_word};
use super::super::columns::{count, word};
use super::super::row;
use super::super::table::Table;
use crate::base::error::Result;
use crate::learning::{
    Approval, Case, CaseId, Constraint, LearningConfig, Method, MethodId, NewMethod, NewPreference,
    NewRoleNote, Preference, PreferenceId, PreferenceState, Reflection, RoleClass, RoleNote, RoleNoteId,
};
use crate::postgres::link::{Param, params};
use crate::store::practice::{Numbered, Practice};

/// A value that the driver reads.
type Done<T> = std::result::Result<T, Error>;

const OF_SCOPE: &str = "WHERE user_id = $1 AND agent_id = $2";

impl Practice for Table<'_> {
    fn methods(&self) -> Result<Vec<Method>> {
        self.methods_where("ORDER BY id", Vec::new())
    }

    fn method(&self, id: MethodId) -> Result<Option<Method>> {
        Ok(self.methods_where("AND id = $3", params![id.get()])?.pop())
    }

    fn method_saying(&self, normal: &str) -> Result<Option<Method>> {
        Ok(self.methods_where("AND normal = $3", params![normal])?.pop())
    }

    fn cases(&self, method: MethodId, limit: usize) -> Result<Vec<Case>> {
        let sql = format!(
            "SELECT id, content, outcome, created_at FROM memory_cases {OF_SCOPE} AND method_id = $3
             ORDER BY id DESC LIMIT $4"
        );
        self.all(sql, params![method.get(), count(limit)], |found| {
            let at = row::time(found, 3)?.unwrap_or_default();
            let mut case = Case::new(CaseId::new(found.try_get(0)?), method, row::text(found, 1)?, at);
            case.outcome = row::maybe(found, 2)?;
            Ok(case)
        })
    }

    fn is_counted(&self, outcome: &str) -> Result<bool> {
        let sql = format!("SELECT 1 FROM memory_outcomes {OF_SCOPE} AND outcome_word = $3 AND outcome = $4");
        self.exists(sql, params![word(outcome), outcome])
    }

    fn counted(&self) -> Result<Vec<String>> {
        let sql =
            format!("SELECT outcome FROM memory_outcomes {OF_SCOPE} AND outcome <> '' ORDER BY outcome");
        self.all(sql, Vec::new(), |found| row::text(found, 0))
    }

    fn preferences(&self) -> Result<Vec<Preference>> {
        self.preferences_where("ORDER BY id", Vec::new())
    }

    fn preference(&self, id: PreferenceId) -> Result<Option<Preference>> {
        Ok(self.preferences_where("AND id = $3", params![id.get()])?.pop())
    }

    fn preference_saying(&self, wish: &str) -> Result<Option<Preference>> {
        Ok(self.preferences_where("AND normal = $3", params![wish])?.pop())
    }

    fn constraints(&self, told: bool) -> Result<Vec<Constraint>> {
        let sql = format!(
            "SELECT id, CASE WHEN $3 THEN statement END, tools, words, approved_by, approved_at
             FROM memory_preferences {OF_SCOPE} AND kind = 'hard_constraint' AND state = 'active' ORDER BY id"
        );
        let rules = self.all(sql, params![told], |found| {
            let Some(approved) = approval(found, 4)? else { return Ok(None) };
            let id = PreferenceId::new(found.try_get(0)?);
            let mut rule = Constraint::new(id, row::maybe(found, 1)?, approved);
            (rule.tools, rule.words) = (texts(found, 2)?, texts(found, 3)?);
            Ok(Some(rule))
        })?;
        Ok(rules.into_iter().flatten().collect())
    }

    fn notes(&self, pending: bool) -> Result<Vec<RoleNote>> {
        let sql = format!(
            "SELECT id, role, subject, content, created_at, class, reflection, reflected_at
             FROM memory_roles {OF_SCOPE} AND (reflected_at IS NULL) = $3 ORDER BY id"
        );
        self.all(sql, params![pending], |found| {
            let mut taken = NewRoleNote::new(row::text(found, 1)?, row::text(found, 3)?);
            taken.subject = row::maybe(found, 2)?;
            let at = row::time(found, 4)?.unwrap_or_default();
            let mut note = RoleNote::new(RoleNoteId::new(found.try_get(0)?), taken, at);
            let word = row::text(found, 5)?;
            let class = RoleClass::ALL.into_iter().find(|class| class.as_str() == word);
            if let (Some(lesson), Some(at)) = (row::maybe(found, 6)?, row::time(found, 7)?) {
                note.reflection = Some(Reflection::new(class.unwrap_or(RoleClass::Neutral), lesson, at));
            }
            Ok(note)
        })
    }

    fn next_number(&self, of: Numbered) -> Result<i64> {
        let state = self.state();
        Ok(1 + match of {
            Numbered::Method => state.method,
            Numbered::Case => state.case,
            Numbered::Preference => state.preference,
            Numbered::Note => state.note,
        })
    }
}

impl Table<'_> {
    fn preferences_where(&self, which: &str, bound: Vec<Param>) -> Result<Vec<Preference>> {
        let sql = format!(
            "SELECT id, dimension, kind, state, statement, tools, words, approved_by, approved_at, memory_id, created_at
             FROM memory_preferences {OF_SCOPE} {which}"
        );
        self.all(sql, bound, preference)
    }

    fn methods_where(&self, which: &str, bound: Vec<Param>) -> Result<Vec<Method>> {
        let sql = format!(
            "SELECT id, name, class, body, times_used, successes, confidence, quarantine, graduated_by, graduated_at,
               created_at, updated_at
             FROM memory_methods {OF_SCOPE} {which}"
        );
        self.all(sql, bound, method)
    }
}

/// Reads the word of a person: who gave it, and when.
fn approval(found: &Row, at: usize) -> Done<Option<Approval>> {
    let by = row::maybe(found, at)?.and_then(|word| of_word(&ACTORS, &word));
    Ok(by.zip(row::time(found, at + 1)?).map(|(by, at)| Approval::new(by, at)))
}

fn texts(found: &Row, at: usize) -> Done<Vec<String>> {
    Ok(serde_json::from_str(&row::text(found, at)?).unwrap_or_default())
}

fn preference(found: &Row) -> Done<Preference> {
    let (dimension, statement) = (row::text(found, 1)?, row::text(found, 4)?);
    let mut proposed = match row::text(found, 2)?.as_str() {
        "hard_constraint" => NewPreference::hard_constraint(dimension, statement),
        _ => NewPreference::behavioural(dimension, statement),
    };
    (proposed.tools, proposed.words) = (texts(found, 5)?, texts(found, 6)?);
    let at = row::time(found, 10)?.unwrap_or_default();
    let mut preference = Preference::new(PreferenceId::new(found.try_get(0)?), proposed, at);
    let states = [PreferenceState::Active, PreferenceState::Withdrawn];
    let word = row::text(found, 3)?;
    preference.state =
        states.into_iter().find(|state| state.as_str() == word).unwrap_or(PreferenceState::Proposed);
    preference.approved = approval(found, 7)?;
    preference.memory = row::id(found, 9)?;
    Ok(preference)
}

fn method(found: &Row) -> Done<Method> {
    let created = NewMethod::new(row::text(found, 1)?, row::text(found, 2)?, row::text(found, 3)?);
    let at = row::time(found, 10)?.unwrap_or_default();
    let number =
        |column: usize| Ok::<_, Error>(u64::try_from(found.try_get::<_, i64>(column)?).unwrap_or_default());
    Ok(Method {
        uses: number(4)?,
        successes: number(5)?,
        confidence: found.try_get(6)?,
        quarantine: u8::from(found.try_get::<_, i64>(7)? != 0),
        graduated: approval(found, 8)?,
        updated_at: row::time(found, 11)?.unwrap_or(at),
        ..Method::new(MethodId::new(found.try_get(0)?), created, &LearningConfig::default(), at)
    })
}
