//! The learning loop as a store reads it.

use rusqlite::{OptionalExtension, Params, Row, params};

use super::super::audit::{ACTORS, of_word};
use super::super::row;
use super::super::search::count;
use super::super::table::Table;
use crate::base::error::Result;
use crate::learning::{
    Approval, Case, CaseId, Constraint, LearningConfig, Method, MethodId, NewMethod, NewPreference,
    NewRoleNote, Preference, PreferenceId, PreferenceState, Reflection, RoleClass, RoleNote, RoleNoteId,
};
use crate::memory::MemoryId;
use crate::sqlite::columns::ReadAll;
use crate::store::practice::{Numbered, Practice};

const OF_SCOPE: &str = "WHERE user_id = ?1 AND agent_id = ?2";

impl Practice for Table<'_> {
    fn methods(&self) -> Result<Vec<Method>> {
        self.folded(|| self.methods_where("ORDER BY id", params![self.user(), self.agent()]))
    }

    fn method(&self, id: MethodId) -> Result<Option<Method>> {
        self.folded(|| {
            Ok(self.methods_where("AND id = ?3", params![self.user(), self.agent(), id.get()])?.pop())
        })
    }

    fn method_saying(&self, normal: &str) -> Result<Option<Method>> {
        self.folded(|| {
            Ok(self.methods_where("AND normal = ?3", params![self.user(), self.agent(), normal])?.pop())
        })
    }

    fn cases(&self, method: MethodId, limit: usize) -> Result<Vec<Case>> {
        self.folded(|| {
            let sql = format!(
                "SELECT id, content, outcome, created_at FROM memory_cases {OF_SCOPE} AND method_id = ?3
                 ORDER BY id DESC LIMIT ?4"
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let case = |found: &Row<'_>| {
                let at = row::time(found, 3)?.unwrap_or_default();
                let mut case = Case::new(CaseId::new(found.get(0)?), method, row::text(found, 1)?, at);
                case.outcome = row::maybe(found, 2)?;
                Ok(case)
            };
            let bound = params![self.user(), self.agent(), method.get(), count(limit)];
            statement.query(bound)?.all(case)
        })
    }

    fn is_counted(&self, outcome: &str) -> Result<bool> {
        self.folded(|| {
            let sql = format!("SELECT 1 FROM memory_outcomes {OF_SCOPE} AND outcome = ?3");
            self.connection.prepare_cached(&sql)?.exists(params![self.user(), self.agent(), outcome])
        })
    }

    fn counted(&self) -> Result<Vec<String>> {
        self.folded(|| {
            let sql =
                format!("SELECT outcome FROM memory_outcomes {OF_SCOPE} AND outcome <> '' ORDER BY outcome");
            let mut statement = self.connection.prepare_cached(&sql)?;
            statement.query(params![self.user(), self.agent()])?.all(|found| row::text(found, 0))
        })
    }

    fn preferences(&self) -> Result<Vec<Preference>> {
        self.folded(|| self.preferences_where("ORDER BY id", params![self.user(), self.agent()]))
    }

    fn preference(&self, id: PreferenceId) -> Result<Option<Preference>> {
        let bound = params![self.user(), self.agent(), id.get()];
        self.folded(|| Ok(self.preferences_where("AND id = ?3", bound)?.pop()))
    }

    fn preference_saying(&self, wish: &str) -> Result<Option<Preference>> {
        let bound = params![self.user(), self.agent(), wish];
        self.folded(|| Ok(self.preferences_where("AND normal = ?3", bound)?.pop()))
    }

    fn constraints(&self, told: bool) -> Result<Vec<Constraint>> {
        self.folded(|| {
            let sql = format!(
                "SELECT id, iif(?3, statement, NULL), tools, words, approved_by, approved_at
                 FROM memory_preferences {OF_SCOPE} AND kind = 'hard_constraint' AND state = 'active' ORDER BY id"
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let rule = |found: &Row<'_>| {
                let Some(approved) = approval(found, 4)? else { return Ok(None) };
                let mut rule = Constraint::new(PreferenceId::new(found.get(0)?), row::maybe(found, 1)?, approved);
                (rule.tools, rule.words) = (texts(found, 2)?, texts(found, 3)?);
                Ok(Some(rule))
            };
            let rules = statement.query(params![self.user(), self.agent(), told])?.all(rule)?;
            Ok(rules.into_iter().flatten().collect())
        })
    }

    fn notes(&self, pending: bool) -> Result<Vec<RoleNote>> {
        self.folded(|| self.notes_by(pending))
    }

    fn next_number(&self, of: Numbered) -> Result<i64> {
        let table = match of {
            Numbered::Method => "memory_methods",
            Numbered::Case => "memory_cases",
            Numbered::Preference => "memory_preferences",
            Numbered::Note => "memory_roles",
        };
        self.folded(|| {
            let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
            let last: Option<i64> =
                self.connection.prepare_cached(sql)?.query_row([table], |found| found.get(0)).optional()?;
            Ok(last.unwrap_or_default() + 1)
        })
    }
}

impl Table<'_> {
    /// Returns the pending notes of roles by id, or those that were reflected on.
    pub(in crate::sqlite::memory) fn notes_by(&self, pending: bool) -> rusqlite::Result<Vec<RoleNote>> {
        let sql = format!(
            "SELECT id, role, subject, content, created_at, class, reflection, reflected_at
             FROM memory_roles {OF_SCOPE} AND (reflected_at IS NULL) = ?3 ORDER BY id"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let note = |found: &Row<'_>| {
            let mut taken = NewRoleNote::new(row::text(found, 1)?, row::text(found, 3)?);
            taken.subject = row::maybe(found, 2)?;
            let at = row::time(found, 4)?.unwrap_or_default();
            let mut note = RoleNote::new(RoleNoteId::new(found.get(0)?), taken, at);
            let word = row::maybe(found, 5)?.unwrap_or_default();
            let class = RoleClass::ALL.into_iter().find(|class| class.as_str() == word);
            if let (Some(lesson), Some(at)) = (row::maybe(found, 6)?, row::time(found, 7)?) {
                note.reflection = Some(Reflection::new(class.unwrap_or(RoleClass::Neutral), lesson, at));
            }
            Ok(note)
        };
        statement.query(params![self.user(), self.agent(), pending])?.all(note)
    }

    fn preferences_where(&self, which: &str, bound: impl Params) -> rusqlite::Result<Vec<Preference>> {
        let sql = format!(
            "SELECT id, dimension, kind, state, statement, tools, words, approved_by, approved_at, memory_id, created_at
             FROM memory_preferences {OF_SCOPE} {which}"
        );
        self.connection.prepare_cached(&sql)?.query(bound)?.all(preference)
    }

    pub(super) fn methods_where(&self, which: &str, bound: impl Params) -> rusqlite::Result<Vec<Method>> {
        let sql = format!(
            "SELECT id, name, class, body, times_used, successes, confidence, quarantine, graduated_by, graduated_at,
               created_at, updated_at
             FROM memory_methods {OF_SCOPE} {which}"
        );
        self.connection.prepare_cached(&sql)?.query(bound)?.all(method)
    }
}

/// Reads the word of a person: who gave it, and when.
fn approval(found: &Row<'_>, at: usize) -> rusqlite::Result<Option<Approval>> {
    let by = row::maybe(found, at)?.and_then(|word| of_word(&ACTORS, &word));
    Ok(by.zip(row::time(found, at + 1)?).map(|(by, at)| Approval::new(by, at)))
}

fn texts(found: &Row<'_>, at: usize) -> rusqlite::Result<Vec<String>> {
    Ok(serde_json::from_slice(row::text(found, at)?.as_bytes()).unwrap_or_default())
}

fn preference(found: &Row<'_>) -> rusqlite::Result<Preference> {
    let (dimension, statement) = (row::text(found, 1)?, row::text(found, 4)?);
    let mut proposed = match row::text(found, 2)?.as_str() {
        "hard_constraint" => NewPreference::hard_constraint(dimension, statement),
        _ => NewPreference::behavioural(dimension, statement),
    };
    (proposed.tools, proposed.words) = (texts(found, 5)?, texts(found, 6)?);
    let at = row::time(found, 10)?.unwrap_or_default();
    let mut preference = Preference::new(PreferenceId::new(found.get(0)?), proposed, at);
    let states = [PreferenceState::Active, PreferenceState::Withdrawn];
    let word = row::text(found, 3)?;
    preference.state =
        states.into_iter().find(|state| state.as_str() == word).unwrap_or(PreferenceState::Proposed);
    preference.approved = approval(found, 7)?;
    preference.memory = found.get::<_, Option<i64>>(9)?.map(MemoryId::new);
    Ok(preference)
}

fn method(found: &Row<'_>) -> rusqlite::Result<Method> {
    let created = NewMethod::new(row::text(found, 1)?, row::text(found, 2)?, row::text(found, 3)?);
    let at = row::time(found, 10)?.unwrap_or_default();
    let number =
        |column| Ok::<_, rusqlite::Error>(u64::try_from(found.get::<_, i64>(column)?).unwrap_or_default());
    Ok(Method {
        uses: number(4)?,
        successes: number(5)?,
        confidence: found.get(6)?,
        quarantine: u8::from(found.get::<_, i64>(7)? != 0),
        graduated: approval(found, 8)?,
        updated_at: row::time(found, 11)?.unwrap_or(at),
        ..Method::new(MethodId::new(found.get(0)?), created, &LearningConfig::default(), at)
    })
}
