//! Methods, cases and outcomes, in memory.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::base::sorted::{SortedMap, SortedSet};
use crate::learning::{
    Case, CaseId, Ending, Method, MethodId, Preference, PreferenceId, RoleNote, RoleNoteId, wilson,
};
use crate::search::postings::bits::{Input, put_bytes};
use crate::search::postings::{Error, Result as Read};
use crate::store::forget::Burial;
use crate::store::parts::Doubles;
use crate::store::practice::{Kept, Numbered};

/// The learning loop of a file, as far as it was read.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Practised {
    pub(super) methods: SortedMap<MethodId, Method>,
    pub(super) cases: SortedMap<CaseId, Case>,
    pub(super) preferences: SortedMap<PreferenceId, Preference>,
    pub(super) notes: SortedMap<RoleNoteId, RoleNote>,
    /// The ids of outcomes that counted.
    pub(super) counted: SortedSet<String>,
    /// The greatest number of each kind that was ever used.
    pub(super) last: SortedMap<Numbered, i64>,
}

impl Practised {
    /// Takes a part of a line in.
    pub(super) fn apply(&mut self, kept: &Kept, at: DateTime<Utc>) {
        match kept {
            Kept::Method(method) => {
                self.number(Numbered::Method, method.id.get());
                self.methods.insert(method.id, method.clone());
            }
            Kept::Standing { method, quarantine, graduated } => {
                if let Some(method) = self.methods.get_mut(method) {
                    (method.quarantine, method.graduated, method.updated_at) = (*quarantine, *graduated, at);
                }
            }
            Kept::Case(case) => {
                self.number(Numbered::Case, case.id.get());
                if self.methods.contains_key(&case.method) {
                    self.cases.insert(case.id, case.clone());
                }
            }
            Kept::Preference(preference) => {
                self.number(Numbered::Preference, preference.id.get());
                self.preferences.insert(preference.id, preference.clone());
            }
            Kept::Note(note) => {
                self.number(Numbered::Note, note.id.get());
                self.notes.insert(note.id, note.clone());
            }
            Kept::Reflected { note, reflection } => {
                if let Some(note) = self.notes.get_mut(note).filter(|note| note.reflection.is_none()) {
                    note.reflection = Some(reflection.clone());
                }
            }
            // An id without words was forgotten, and counted.
            Kept::Outcome(outcome) => {
                if !outcome.id.is_empty() && !self.counted.insert(outcome.id.clone()) {
                    return;
                }
                for id in &outcome.methods {
                    if let Some(method) = self.methods.get_mut(id) {
                        method.uses += 1;
                        method.successes += u64::from(outcome.ending == Ending::Success);
                        method.confidence = wilson(method.successes, method.uses);
                        method.updated_at = at;
                    }
                }
            }
            Kept::Gone { of, id } => {
                self.number(*of, *id);
                match of {
                    Numbered::Method => {
                        let id = MethodId::new(*id);
                        self.methods.remove(&id);
                        self.cases.retain(|_, case| case.method != id);
                    }
                    Numbered::Case => drop(self.cases.remove(&CaseId::new(*id))),
                    Numbered::Preference => drop(self.preferences.remove(&PreferenceId::new(*id))),
                    Numbered::Note => drop(self.notes.remove(&RoleNoteId::new(*id))),
                }
            }
        }
    }

    fn number(&mut self, of: Numbered, id: i64) {
        let last = self.last.entry(of).or_default();
        *last = id.max(*last);
    }

    /// Takes a statement out.
    pub(super) fn strike(&mut self, burial: &Burial, doubles: &Doubles) {
        let strike = |kept: Kept| {
            let mut struck = kept.struck(burial)?;
            doubles.leave(&mut struck);
            Some(struck)
        };
        for method in self.methods.values().cloned().collect::<Vec<_>>() {
            self.replace(strike(Kept::Method(method)));
        }
        for case in self.cases.values().cloned().collect::<Vec<_>>() {
            self.replace(strike(Kept::Case(case)));
        }
        for preference in self.preferences.values().cloned().collect::<Vec<_>>() {
            self.replace(strike(Kept::Preference(preference)));
        }
        for note in self.notes.values().cloned().collect::<Vec<_>>() {
            self.replace(strike(Kept::Note(note)));
        }
        self.counted.retain(|id| !burial.holds(id));
    }

    fn replace(&mut self, struck: Option<Kept>) {
        if let Some(kept) = struck {
            self.apply(&kept, DateTime::UNIX_EPOCH);
        }
    }

    /// Counts the methods, their cases with the ids of outcomes, the preferences, and the notes.
    pub(super) fn sizes(&self) -> [u64; 4] {
        let cases = self.cases.len() + self.counted.len();
        [self.methods.len(), cases, self.preferences.len(), self.notes.len()].map(|len| len as u64)
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_bytes(out, &serde_json::to_vec(self).expect("plain data with text keys is always JSON"));
    }

    pub(super) fn read(input: &mut Input<'_>) -> Read<Self> {
        serde_json::from_slice(input.bytes()?).map_err(|_| Error::Damaged("the learning loop cannot be read"))
    }
}
