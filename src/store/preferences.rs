//! The rules of preferences: who proposes, who approves, and what a standing rule reaches.

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::admit::main_only;
use super::applies::Call;
use super::backend::Changes;
use super::edit::Edit;
use super::forget;
use super::methods::person_only;
use super::names::{new_preference_name, preference_name, row_name};
use super::operation::Operation;
use super::practice::{Kept, Numbered, wanted};
use super::store::Store;
use crate::base::access::{Access, SessionKind};
use crate::base::error::{Error, Result};
use crate::base::order;
use crate::learning::{
    Approval, Constraint, NewPreference, Preference, PreferenceId, PreferenceKind, PreferenceState,
};
use crate::memory::{EventName, Filter, Memory, MemoryId, NewMemory, Source, categories};
use crate::search::rank::Visibility;
use crate::trace;

/// The verbs of [`PreferenceStore`](crate::learning::PreferenceStore).
impl Store {
    pub(crate) fn propose_preference(
        &self,
        access: &Access,
        preference: &NewPreference,
        now: DateTime<Utc>,
    ) -> Result<PreferenceId> {
        trace::create(
            |id| *id,
            || {
                let operation = Operation::new(access, "preference_propose", now);
                let name = new_preference_name();
                let admitted = self.config().admit_preference(self.scope(), access, preference);
                let (id, is_new) = self.attempt("write to", &operation, admitted, |rows, forgotten| {
                    let texts = [&preference.dimension, &preference.statement].into_iter();
                    texts
                        .chain(&preference.tools)
                        .chain(&preference.words)
                        .try_for_each(|text| forget::check(forgotten.as_ref(), &name, text))?;
                    if let Some(standing) = rows.preference_saying(&wanted(preference))? {
                        return Ok((standing.id, false));
                    }
                    let id = PreferenceId::new(rows.next_number(Numbered::Preference)?);
                    let kept = vec![Kept::Preference(Preference::new(id, preference.clone(), now))];
                    rows.keep(kept, self.done(&operation, forgotten.as_deref()))?;
                    Ok((id, true))
                })?;
                if is_new {
                    self.config().tell(EventName::PreferenceProposed, None);
                }
                Ok(id)
            },
        )
    }

    pub(crate) fn approve_preference(
        &self,
        access: &Access,
        id: PreferenceId,
        now: DateTime<Utc>,
    ) -> Result<Preference> {
        let name = preference_name(id);
        let operation = Operation::new(access, "preference_approve", now);
        let admitted = person_only(self, access, &name);
        let mut written: Option<(NewMemory, MemoryId, Option<EventName>)> = None;
        let (preference, is_new) = self.attempt("change", &operation, admitted, |rows, forgotten| {
            let mut preference =
                rows.preference(id)?.ok_or_else(|| Error::NotFound { name: name.clone() })?;
            if preference.state == PreferenceState::Active {
                return Ok((preference, false));
            }
            forget::check(forgotten.as_ref(), &name, &preference.statement)?;
            preference.state = PreferenceState::Active;
            preference.approved = Some(Approval::new(access.actor, now));
            // A torn write may leave the row alone: approved again, it is found.
            rows.together(&mut |rows| {
                if preference.kind == PreferenceKind::Behavioural {
                    let source = Source::LearnedPreference;
                    let memory = NewMemory::new(categories::PREFERENCE, preference.statement.clone(), source);
                    self.config().admit(self.scope(), access, &memory)?;
                    forget::check_row(forgotten.as_ref(), access, &row_name(None), &memory)?;
                    // There is one where an approval was cut short.
                    let (id, event) = if let Some(standing) = row_of(rows, &memory)? {
                        (standing, None)
                    } else {
                        let operation = Operation::write(access, &memory, now);
                        let (recorded, event) =
                            self.put_in(rows, &memory, &operation, forgotten.as_deref())?;
                        (recorded.id, event)
                    };
                    preference.memory = Some(id);
                    written = Some((memory, id, event));
                }
                let entry = self.done(&operation, forgotten.as_deref());
                rows.keep(vec![Kept::Preference(preference.clone())], entry)
            })?;
            Ok((preference, true))
        })?;
        if let Some((memory, id, event)) = written {
            self.tell_written(&memory, id, event);
        }
        if is_new {
            self.config().tell(EventName::PreferenceApproved, None);
        }
        Ok(preference)
    }

    pub(crate) fn withdraw_preference(
        &self,
        access: &Access,
        id: PreferenceId,
        now: DateTime<Utc>,
    ) -> Result<Preference> {
        let name = preference_name(id);
        let operation = Operation::new(access, "preference_withdraw", now);
        let admitted = person_only(self, access, &name);
        let mut deleted = None;
        let (preference, is_new) = self.attempt("change", &operation, admitted, |rows, forgotten| {
            let mut preference =
                rows.preference(id)?.ok_or_else(|| Error::NotFound { name: name.clone() })?;
            if preference.state == PreferenceState::Withdrawn {
                return Ok((preference, false));
            }
            preference.state = PreferenceState::Withdrawn;
            preference.approved = Some(Approval::new(access.actor, now));
            let row = preference.memory.take();
            rows.together(&mut |rows| {
                if let Some(row) = row
                    && rows.editable(row, None)?.is_some()
                {
                    let operation = Operation::new(access, Edit::Delete.action(), now).to(row);
                    rows.edit(row, Edit::Delete, self.done(&operation, forgotten.as_deref()))?;
                    deleted = Some(row);
                }
                let entry = self.done(&operation, forgotten.as_deref());
                rows.keep(vec![Kept::Preference(preference.clone())], entry)
            })?;
            Ok((preference, true))
        })?;
        if let Some(row) = deleted {
            self.config().tell(Edit::Delete.event(), Some(row));
        }
        if is_new {
            self.config().tell(EventName::PreferenceWithdrawn, None);
        }
        Ok(preference)
    }

    pub(crate) fn preferences(&self, access: &Access) -> Result<Vec<Preference>> {
        main_only(self.scope(), access, &new_preference_name())?;
        self.backend().read("list", |rows| rows.preferences())
    }

    pub(crate) fn constraints(&self, access: &Access) -> Result<Vec<Constraint>> {
        main_only(self.scope(), access, &new_preference_name())?;
        self.backend().read("list", |rows| rows.constraints(true))
    }

    pub(crate) fn constraints_for(
        &self,
        access: &Access,
        tool: &str,
        arguments: &Value,
    ) -> Result<Vec<Constraint>> {
        // A rule of a life holds in its groups too.
        let is_of_group =
            access.scope.group_name().is_some_and(|group| self.scope().group(&group) == access.scope);
        if access.scope != *self.scope() && !is_of_group {
            return Err(Error::Denied { name: new_preference_name(), kind: access.kind });
        }
        let is_told = access.kind == SessionKind::Main && !is_of_group;
        let call = Call::new(tool, arguments);
        let mut rules = self.backend().read("list", |rows| rows.constraints(is_told))?;
        order::retain(&mut rules, |rule| call.is_of(rule));
        if !is_told {
            for rule in &mut rules {
                (rule.tools, rule.words) = (Vec::new(), Vec::new());
            }
        }
        Ok(rules)
    }
}

/// Returns the row that an active preference has already.
fn row_of(rows: &dyn Changes, memory: &NewMemory) -> Result<Option<MemoryId>> {
    let filter = Filter::limit(usize::MAX).category(memory.category.clone());
    let is_it = |row: &Memory| row.source.as_ref() == Some(&memory.source) && row.content == memory.content;
    Ok(rows.list(Visibility::All, &filter)?.into_iter().find(is_it).map(|row| row.id))
}
