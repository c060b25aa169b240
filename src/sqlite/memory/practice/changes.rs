//! The learning loop as a store changes it.

use chrono::{DateTime, Utc};
use rusqlite::params;

use super::super::audit::{ACTORS, word};
use super::super::row::stamp;
use super::super::table::Table;
use crate::base::error::Result;
use crate::learning::{
    Approval, Case, Counted, Ending, Method, MethodId, Preference, PreferenceState, Reflection, RoleNote,
    RoleNoteId, wilson,
};
use crate::memory::AuditEntry;
use crate::memory::MemoryId;
use crate::store::practice::{Kept, PracticeChanges, kept_wish, normal};

impl PracticeChanges for Table<'_> {
    /// The line of the audit comes first: triggers look at who acts.
    fn keep(&mut self, kept: Vec<Kept>, entry: AuditEntry) -> Result<()> {
        self.folded(|| {
            self.audit_entry(&entry)?;
            kept.iter().try_for_each(|kept| self.keep_one(kept, entry.at))
        })
    }
}

impl Table<'_> {
    fn keep_one(&self, kept: &Kept, at: DateTime<Utc>) -> rusqlite::Result<()> {
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

    fn add_method(&self, method: &Method) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO memory_methods (id, user_id, agent_id, name, class, body, normal, confidence, quarantine,
                   created_at, updated_at, times_used, successes)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?
            .execute(params![
                method.id.get(),
                self.user(),
                self.agent(),
                method.name,
                method.class,
                method.body,
                normal(&method.class, &method.body),
                method.confidence,
                method.quarantine,
                stamp(method.created_at),
                stamp(method.updated_at),
                method.uses.cast_signed(),
                method.successes.cast_signed()
            ])
            .map(drop)
    }

    fn set_standing(
        &self,
        method: MethodId,
        quarantine: u8,
        graduated: Option<Approval>,
        at: DateTime<Utc>,
    ) -> rusqlite::Result<()> {
        let bound = params![self.user(), self.agent(), method.get()];
        let standing = self.methods_where("AND id = ?3", bound)?.pop();
        if quarantine > 0 && standing.is_some_and(|standing| standing.graduated == graduated) {
            // A doctor may do this, and nothing with an approval.
            return self
                .connection
                .prepare_cached(
                    "UPDATE memory_methods SET quarantine = ?4, updated_at = ?5
                     WHERE user_id = ?1 AND agent_id = ?2 AND id = ?3",
                )?
                .execute(params![self.user(), self.agent(), method.get(), quarantine, stamp(at)])
                .map(drop);
        }
        self.connection
            .prepare_cached(
                "UPDATE memory_methods SET quarantine = ?4, graduated_by = ?5, graduated_at = ?6, updated_at = ?7
                 WHERE user_id = ?1 AND agent_id = ?2 AND id = ?3",
            )?
            .execute(params![
                self.user(),
                self.agent(),
                method.get(),
                quarantine,
                graduated.and_then(|approval| word(&ACTORS, &approval.by)),
                graduated.map(|approval| stamp(approval.at)),
                stamp(at)
            ])
            .map(drop)
    }

    fn add_case(&self, case: &Case) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO memory_cases (id, user_id, agent_id, method_id, content, outcome, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                case.id.get(),
                self.user(),
                self.agent(),
                case.method.get(),
                case.content,
                case.outcome,
                stamp(case.created_at)
            ])
            .map(drop)
    }

    fn put_preference(&self, preference: &Preference) -> rusqlite::Result<()> {
        let json = |texts: &Vec<String>| serde_json::to_string(texts).expect("texts are always JSON");
        let approved = preference.approved;
        let by = approved.and_then(|approval| word(&ACTORS, &approval.by));
        let at = approved.map(|approval| stamp(approval.at));
        let (memory, state) = (preference.memory.map(MemoryId::get), preference.state.as_str());
        if preference.state != PreferenceState::Proposed {
            let sql =
                "UPDATE memory_preferences SET state = ?2, approved_by = ?3, approved_at = ?4, memory_id = ?5
                       WHERE id = ?1 AND user_id = ?6 AND agent_id = ?7";
            let bound = params![preference.id.get(), state, by, at, memory, self.user(), self.agent()];
            return self.connection.prepare_cached(sql)?.execute(bound).map(drop);
        }
        self.connection
            .prepare_cached(
                "INSERT INTO memory_preferences (id, user_id, agent_id, dimension, kind, state, statement, tools, words,
                   normal, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                preference.id.get(),
                self.user(),
                self.agent(),
                preference.dimension,
                preference.kind.as_str(),
                state,
                preference.statement,
                json(&preference.tools),
                json(&preference.words),
                kept_wish(preference),
                stamp(preference.created_at)
            ])
            .map(drop)
    }

    fn add_note(&self, note: &RoleNote) -> rusqlite::Result<()> {
        self.connection
            .prepare_cached(
                "INSERT INTO memory_roles (id, user_id, agent_id, role, subject, content, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                note.id.get(),
                self.user(),
                self.agent(),
                note.role,
                note.subject,
                note.content,
                stamp(note.created_at)
            ])?;
        self.put_edges_of_note(note).map(drop)
    }

    fn add_reflection(&self, note: RoleNoteId, reflection: &Reflection) -> rusqlite::Result<()> {
        let (class, at) = (reflection.class.as_str(), stamp(reflection.at));
        self.connection
            .prepare_cached(
                "UPDATE memory_roles SET class = ?4, reflection = ?5, reflected_at = ?6
                 WHERE user_id = ?1 AND agent_id = ?2 AND id = ?3 AND reflected_at IS NULL",
            )?
            .execute(params![self.user(), self.agent(), note.get(), class, reflection.lesson, at])
            .map(drop)
    }

    fn add_outcome(&self, outcome: &Counted) -> rusqlite::Result<()> {
        let is_success = outcome.ending == Ending::Success;
        let methods: Vec<i64> = outcome.methods.iter().map(|id| id.get()).collect();
        let is_new = self
            .connection
            .prepare_cached(
                "INSERT OR IGNORE INTO memory_outcomes (user_id, agent_id, outcome, ending, methods, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![
                self.user(),
                self.agent(),
                outcome.id,
                if is_success { "success" } else { "failure" },
                serde_json::to_string(&methods).expect("plain data is always JSON"),
                stamp(outcome.at)
            ])?
            > 0;
        if !is_new {
            return Ok(());
        }
        for id in methods {
            let (uses, successes): (i64, i64) = self
                .connection
                .prepare_cached(
                    "UPDATE memory_methods SET times_used = times_used + 1, successes = successes + ?4, updated_at = ?5
                     WHERE user_id = ?1 AND agent_id = ?2 AND id = ?3 RETURNING times_used, successes",
                )?
                .query_row(
                    params![self.user(), self.agent(), id, is_success, stamp(outcome.at)],
                    |found| Ok((found.get(0)?, found.get(1)?)),
                )?;
            let confidence = wilson(successes.unsigned_abs(), uses.unsigned_abs());
            self.connection
                .prepare_cached("UPDATE memory_methods SET confidence = ?2 WHERE id = ?1")?
                .execute(params![id, confidence])?;
        }
        Ok(())
    }
}
