//! The learning loop as a store changes it.

use chrono::{DateTime, Utc};

use super::super::audit::{ACTORS, word};
use super::super::columns;
use super::super::row::stamp;
use super::super::state::next;
use super::super::table::Table;
use crate::base::error::Result;
use crate::learning::{
    Approval, Case, Counted, Ending, Method, MethodId, Preference, PreferenceState, Reflection, RoleNote,
    RoleNoteId, wilson,
};
use crate::memory::{AuditEntry, MemoryId};
use crate::postgres::link::params;
use crate::store::practice::{Kept, PracticeChanges, kept_wish, normal};

impl PracticeChanges for Table<'_> {
    /// The line of the audit comes first: triggers look at who acts.
    fn keep(&mut self, kept: Vec<Kept>, entry: AuditEntry) -> Result<()> {
        self.audit_entry(&entry)?;
        kept.iter().try_for_each(|kept| self.keep_one(kept, entry.at))
    }
}

impl Table<'_> {
    fn keep_one(&self, kept: &Kept, at: DateTime<Utc>) -> Result<()> {
        match kept {
            Kept::Method(method) => self.add_method(method),
            Kept::Standing { method, quarantine, graduated } => {
                self.set_standing(*method, *quarantine, *graduated, at)
            }
            Kept::Case(case) => self.add_case(case),
            Kept::Outcome(outcome) => self.add_outcome(outcome),
            Kept::Preference(preference) => self.put_preference(preference),
            Kept::Note(note) => self.add_note(note),
            Kept::Reflected { note, reflection } => self.add_reflection(*note, reflection),
            // Forgotten words leave with their rows.
            Kept::Gone { .. } => Ok(()),
        }
    }

    fn add_method(&self, method: &Method) -> Result<()> {
        self.with_state(|state| state.method = state.method.max(method.id.get()));
        let sql = "INSERT INTO memory_methods (user_id, agent_id, id, name, class, body, normal, confidence, quarantine,
               created_at, updated_at, times_used, successes)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
        let bound = params![
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
        self.run(sql, bound).map(drop)
    }

    fn set_standing(
        &self,
        method: MethodId,
        quarantine: u8,
        graduated: Option<Approval>,
        at: DateTime<Utc>,
    ) -> Result<()> {
        let sql =
            "UPDATE memory_methods SET quarantine = $4, graduated_by = $5, graduated_at = $6, updated_at = $7
             WHERE user_id = $1 AND agent_id = $2 AND id = $3";
        let bound = params![
            method.get(),
            i64::from(quarantine),
            graduated.and_then(|approval| word(&ACTORS, &approval.by)),
            graduated.map(|approval| stamp(approval.at)),
            stamp(at),
        ];
        self.run(sql, bound).map(drop)
    }

    fn add_case(&self, case: &Case) -> Result<()> {
        self.with_state(|state| state.case = state.case.max(case.id.get()));
        let sql = "INSERT INTO memory_cases (user_id, agent_id, id, method_id, content, outcome, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let bound = params![
            case.id.get(),
            case.method.get(),
            &case.content,
            case.outcome.clone(),
            stamp(case.created_at),
        ];
        self.run(sql, bound).map(drop)
    }

    fn put_preference(&self, preference: &Preference) -> Result<()> {
        let json = |texts: &Vec<String>| serde_json::to_string(texts).expect("texts are always JSON");
        let approved = preference.approved;
        let by = approved.and_then(|approval| word(&ACTORS, &approval.by));
        let at = approved.map(|approval| stamp(approval.at));
        let (memory, state) = (preference.memory.map(MemoryId::get), preference.state.as_str());
        if preference.state != PreferenceState::Proposed {
            let sql =
                "UPDATE memory_preferences SET state = $4, approved_by = $5, approved_at = $6, memory_id = $7
                 WHERE user_id = $1 AND agent_id = $2 AND id = $3";
            return self.run(sql, params![preference.id.get(), state, by, at, memory]).map(drop);
        }
        self.with_state(|state| state.preference = state.preference.max(preference.id.get()));
        let sql = "INSERT INTO memory_preferences (user_id, agent_id, id, dimension, kind, state, statement, tools, words,
               normal, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        let bound = params![
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
        self.run(sql, bound).map(drop)
    }

    fn add_note(&self, note: &RoleNote) -> Result<()> {
        self.with_state(|state| state.note = state.note.max(note.id.get()));
        let sql = "INSERT INTO memory_roles (user_id, agent_id, id, role, subject, content, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let bound =
            params![note.id.get(), &note.role, note.subject.clone(), &note.content, stamp(note.created_at)];
        self.run(sql, bound).map(drop)
    }

    fn add_reflection(&self, note: RoleNoteId, reflection: &Reflection) -> Result<()> {
        let sql = "UPDATE memory_roles SET class = $4, reflection = $5, reflected_at = $6
             WHERE user_id = $1 AND agent_id = $2 AND id = $3 AND reflected_at IS NULL";
        let bound = params![note.get(), reflection.class.as_str(), &reflection.lesson, stamp(reflection.at)];
        self.run(sql, bound).map(drop)
    }

    fn add_outcome(&self, outcome: &Counted) -> Result<()> {
        let is_success = outcome.ending == Ending::Success;
        let named = columns::word(&outcome.id);
        let known = "SELECT 1 FROM memory_outcomes
             WHERE user_id = $1 AND agent_id = $2 AND outcome_word = $3 AND outcome = $4";
        if self.exists(known, params![named, &outcome.id])? {
            return Ok(());
        }
        let id = self.with_state(|state| next(&mut state.outcome));
        let methods: Vec<i64> = outcome.methods.iter().map(|id| id.get()).collect();
        let sql = "INSERT INTO memory_outcomes (user_id, agent_id, id, outcome, outcome_word, ending, methods, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        let bound = params![
            id,
            &outcome.id,
            named,
            if is_success { "success" } else { "failure" },
            serde_json::to_string(&methods).expect("plain data is always JSON"),
            stamp(outcome.at),
        ];
        self.run(sql, bound)?;
        for id in methods {
            let sql = "UPDATE memory_methods
                 SET times_used = times_used + 1, successes = successes + $4, updated_at = $5
                 WHERE user_id = $1 AND agent_id = $2 AND id = $3 RETURNING times_used, successes";
            let counts = self.first(sql, params![id, i64::from(is_success), stamp(outcome.at)], |found| {
                Ok((found.try_get::<_, i64>(0)?, found.try_get::<_, i64>(1)?))
            })?;
            let Some((uses, successes)) = counts else { continue };
            let confidence = wilson(successes.unsigned_abs(), uses.unsigned_abs());
            let sql =
                "UPDATE memory_methods SET confidence = $4 WHERE user_id = $1 AND agent_id = $2 AND id = $3";
            self.run(sql, params![id, confidence])?;
        }
        Ok(())
    }
}
