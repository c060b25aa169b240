//! Methods, preferences and notes of roles that come back as they were: from a bundle that this operator signed.
//!
//! Each is kept by the steps that made it, with their times: first a proposal, then its approval; first quarantine, then
//! release.

use super::backend::Changes;
use super::methods::person_only;
use super::names::{new_method_name, new_note_name, new_preference_name, outcome_name, row_name};
use super::practice::{Kept, Numbered, kept_wish, normal};
use super::store::Store;
use super::tell::entry;
use crate::base::access::Access;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::edges::Edge;
use crate::learning::{
    Case, CaseId, Counted, Ending, Method, MethodId, Preference, PreferenceId, PreferenceKind,
    PreferenceState, RoleNote, RoleNoteId,
};
use crate::memory::MemoryId;

/// A method as it was, with its cases, the oldest first.
#[derive(Clone)]
pub(crate) struct CarriedMethod {
    pub(crate) method: Method,
    pub(crate) cases: Vec<Case>,
}

impl Store {
    /// Keeps methods as they were. An existing one keeps its numbers.
    pub(crate) fn carry_methods(&self, access: &Access, methods: &[CarriedMethod]) -> Result<()> {
        person_only(self, access, &new_method_name())?;
        self.backend().change("import into", |changes| {
            changes.together(&mut |changes| {
                methods.iter().try_for_each(|carried| carry_method(changes, access, carried))
            })
        })
    }

    /// Keeps preferences as they were. A hard constraint is never among them: it comes in as a proposal.
    pub(crate) fn carry_preferences(&self, access: &Access, preferences: &[Preference]) -> Result<()> {
        person_only(self, access, &new_preference_name())?;
        let preferences =
            preferences.iter().filter(|preference| preference.kind != PreferenceKind::HardConstraint);
        let preferences: Vec<_> = preferences.gather();
        self.backend().change("import into", |changes| {
            changes.together(&mut |changes| {
                preferences.iter().try_for_each(|preference| carry_preference(changes, access, preference))
            })
        })
    }

    /// Keeps notes of roles as they were, with their lessons.
    pub(crate) fn carry_notes(&self, access: &Access, notes: &[RoleNote]) -> Result<()> {
        person_only(self, access, &new_note_name())?;
        self.backend().change("import into", |changes| {
            changes.together(&mut |changes| {
                for note in notes {
                    let mut taken = note.clone();
                    taken.id = RoleNoteId::new(changes.next_number(Numbered::Note)?);
                    taken.reflection = None;
                    let id = taken.id;
                    changes.keep(vec![Kept::Note(taken)], entry(access, "role_note", note.created_at))?;
                    if let Some(reflection) = &note.reflection {
                        let kept = Kept::Reflected { note: id, reflection: reflection.clone() };
                        changes.keep(vec![kept], entry(access, "role_reflect", reflection.at))?;
                    }
                }
                Ok(())
            })
        })
    }

    /// Keeps the ids of outcomes that were counted elsewhere, so that none counts twice. They change no method.
    pub(crate) fn carry_outcomes(
        &self,
        access: &Access,
        ids: &[String],
        now: chrono::DateTime<chrono::Utc>,
    ) -> Result<()> {
        person_only(self, access, &outcome_name())?;
        self.backend().change("import into", |changes| {
            changes.together(&mut |changes| {
                let mut kept = Vec::new();
                for id in ids {
                    if !changes.is_counted(id)? {
                        kept.push(Kept::Outcome(Counted {
                            id: id.clone(),
                            methods: Vec::new(),
                            ending: Ending::Success,
                            at: now,
                        }));
                    }
                }
                if kept.is_empty() {
                    return Ok(());
                }
                changes.keep(kept, entry(access, "outcome_report", now))
            })
        })
    }

    /// Lists the ids of outcomes that were counted, ascending.
    pub(crate) fn outcomes(&self, access: &Access) -> Result<Vec<String>> {
        person_only(self, access, &outcome_name())?;
        self.backend().read("list", |rows| rows.counted())
    }

    /// Returns the edges of rows, those of each together.
    pub(crate) fn edges_of(&self, access: &Access, ids: &[MemoryId]) -> Result<Vec<(MemoryId, Edge)>> {
        person_only(self, access, &row_name(None))?;
        self.backend().read("list", |rows| rows.edges_of(ids))
    }
}

fn carry_method(changes: &mut dyn Changes, access: &Access, carried: &CarriedMethod) -> Result<()> {
    let CarriedMethod { method, cases } = carried;
    if changes.method_saying(&normal(&method.class, &method.body))?.is_some() {
        return Ok(());
    }
    let id = MethodId::new(changes.next_number(Numbered::Method)?);
    let mut begun = method.clone();
    (begun.id, begun.quarantine, begun.graduated) = (id, method.quarantine.max(1), None);
    let mut kept = vec![Kept::Method(begun)];
    let first = changes.next_number(Numbered::Case)?;
    kept.extend(
        (first..)
            .zip(cases)
            .map(|(number, case)| Kept::Case(Case { id: CaseId::new(number), method: id, ..case.clone() })),
    );
    changes.keep(kept, entry(access, "method_create", method.created_at))?;
    if method.quarantine == 0 || method.graduated.is_some() {
        let action = if method.graduated.is_some() { "method_graduate" } else { "method_lift" };
        let (quarantine, graduated) = (method.quarantine, method.graduated);
        let kept = Kept::Standing { method: id, quarantine, graduated };
        changes.keep(vec![kept], entry(access, action, method.updated_at))?;
    }
    Ok(())
}

fn carry_preference(changes: &mut dyn Changes, access: &Access, preference: &Preference) -> Result<()> {
    if changes.preference_saying(&kept_wish(preference))?.is_some() {
        return Ok(());
    }
    let mut proposed = preference.clone();
    proposed.id = PreferenceId::new(changes.next_number(Numbered::Preference)?);
    (proposed.state, proposed.approved, proposed.memory) = (PreferenceState::Proposed, None, None);
    let decided = Preference { id: proposed.id, ..preference.clone() };
    changes
        .keep(vec![Kept::Preference(proposed)], entry(access, "preference_propose", preference.created_at))?;
    let action = match decided.state {
        PreferenceState::Proposed => return Ok(()),
        PreferenceState::Active => "preference_approve",
        PreferenceState::Withdrawn => "preference_withdraw",
    };
    let at = decided.approved.map_or(decided.created_at, |approval| approval.at);
    changes.keep(vec![Kept::Preference(decided)], entry(access, action, at))
}
