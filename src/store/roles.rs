//! The rules of notes: who takes one, and who reflects on it.

use chrono::{DateTime, Utc};

use super::admit::main_only;
use super::forget;
use super::names::{new_note_name, note_name};
use super::operation::Operation;
use super::practice::{Kept, Numbered};
use super::store::Store;
use crate::base::access::{Access, Actor};
use crate::base::error::{Error, Result};
use crate::base::text;
use crate::learning::{NewRoleNote, Reflection, RoleNote, RoleNoteId};
use crate::memory::EventName;
use crate::trace;

/// The verbs of [`RoleStore`](crate::learning::RoleStore).
impl Store {
    pub(crate) fn take_note(
        &self,
        access: &Access,
        note: &NewRoleNote,
        now: DateTime<Utc>,
    ) -> Result<RoleNoteId> {
        trace::create(
            |id| *id,
            || {
                let operation = Operation::new(access, "role_note", now);
                let name = new_note_name();
                let admitted = self.config().admit_note(self.scope(), access, note);
                let (id, is_new) = self.attempt("write to", &operation, admitted, |rows, forgotten| {
                    let texts = [&note.role, &note.content].into_iter().chain(&note.subject);
                    texts.into_iter().try_for_each(|text| forget::check(forgotten.as_ref(), &name, text))?;
                    let is_same = |standing: &RoleNote| {
                        (&standing.role, &standing.subject) == (&note.role, &note.subject)
                            && text::statement(&standing.content) == text::statement(&note.content)
                    };
                    if let Some(standing) = rows.notes(true)?.into_iter().find(is_same) {
                        return Ok((standing.id, false));
                    }
                    let id = RoleNoteId::new(rows.next_number(Numbered::Note)?);
                    let kept = vec![Kept::Note(RoleNote::new(id, note.clone(), now))];
                    rows.keep(kept, self.done(&operation, forgotten.as_deref()))?;
                    Ok((id, true))
                })?;
                if is_new {
                    self.config().tell(EventName::NoteTaken, None);
                }
                Ok(id)
            },
        )
    }

    pub(crate) fn reflect(&self, access: &Access, id: RoleNoteId, reflection: &Reflection) -> Result<bool> {
        let name = note_name(id);
        let operation = Operation::new(access, "role_reflect", reflection.at);
        let admitted = main_only(self.scope(), access, &name).and_then(|()| {
            if access.actor == Actor::Agent {
                return Err(Error::Denied { name: name.clone(), kind: access.kind });
            }
            self.config().admit_lesson(access, &name, &reflection.lesson)
        });
        let is_reflected = self.attempt("write to", &operation, admitted, |rows, forgotten| {
            forget::check(forgotten.as_ref(), &name, &reflection.lesson)?;
            if !rows.notes(true)?.iter().any(|note| note.id == id) {
                return Ok(false);
            }
            let kept = vec![Kept::Reflected { note: id, reflection: reflection.clone() }];
            rows.keep(kept, self.done(&operation, forgotten.as_deref()))?;
            Ok(true)
        })?;
        if is_reflected {
            self.config().tell(EventName::NoteReflected, None);
        }
        Ok(is_reflected)
    }

    pub(crate) fn notes(&self, access: &Access, pending: bool) -> Result<Vec<RoleNote>> {
        main_only(self.scope(), access, &new_note_name())?;
        self.backend().read("list", |rows| rows.notes(pending))
    }
}
