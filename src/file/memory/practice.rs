//! Methods, cases and outcomes of a file, as a store reads and changes them.

use super::record::{Change, Record};
use super::table::Table;
use crate::base::error::Result;
use crate::learning::{
    Case, Constraint, Method, MethodId, Preference, PreferenceId, PreferenceKind, PreferenceState, RoleNote,
};
use crate::memory::AuditEntry;
use crate::store::practice::{Kept, Numbered, Practice, PracticeChanges, kept_wish, normal};

impl Practice for Table<'_> {
    fn methods(&self) -> Result<Vec<Method>> {
        Ok(self.lines.rows.practised.methods.values().cloned().collect())
    }

    fn method(&self, id: MethodId) -> Result<Option<Method>> {
        Ok(self.lines.rows.practised.methods.get(&id).cloned())
    }

    fn method_saying(&self, said: &str) -> Result<Option<Method>> {
        let mut methods = self.lines.rows.practised.methods.values();
        Ok(methods.find(|method| normal(&method.class, &method.body) == said).cloned())
    }

    fn cases(&self, method: MethodId, limit: usize) -> Result<Vec<Case>> {
        let cases = self.lines.rows.practised.cases.values().rev();
        Ok(cases.filter(|case| case.method == method).take(limit).cloned().collect())
    }

    fn is_counted(&self, outcome: &str) -> Result<bool> {
        Ok(self.lines.rows.practised.counted.contains(outcome))
    }

    fn counted(&self) -> Result<Vec<String>> {
        Ok(self.lines.rows.practised.counted.iter().cloned().collect())
    }

    fn preferences(&self) -> Result<Vec<Preference>> {
        Ok(self.lines.rows.practised.preferences.values().cloned().collect())
    }

    fn preference(&self, id: PreferenceId) -> Result<Option<Preference>> {
        Ok(self.lines.rows.practised.preferences.get(&id).cloned())
    }

    fn preference_saying(&self, wish: &str) -> Result<Option<Preference>> {
        let mut preferences = self.lines.rows.practised.preferences.values();
        Ok(preferences.find(|preference| kept_wish(preference) == wish).cloned())
    }

    fn constraints(&self, told: bool) -> Result<Vec<Constraint>> {
        let rules = self.lines.rows.practised.preferences.values().filter(|preference| {
            (preference.kind, preference.state) == (PreferenceKind::HardConstraint, PreferenceState::Active)
        });
        let rule = |preference: &Preference| {
            let statement = told.then(|| preference.statement.clone());
            let mut rule = Constraint::new(preference.id, statement, preference.approved?);
            (rule.tools, rule.words) = (preference.tools.clone(), preference.words.clone());
            Some(rule)
        };
        Ok(rules.filter_map(rule).collect())
    }

    fn notes(&self, pending: bool) -> Result<Vec<RoleNote>> {
        let notes = self.lines.rows.practised.notes.values();
        Ok(notes.filter(|note| note.reflection.is_none() == pending).cloned().collect())
    }

    fn next_number(&self, of: Numbered) -> Result<i64> {
        Ok(self.lines.rows.practised.last.get(&of).map_or(1, |last| last + 1))
    }
}

impl PracticeChanges for Table<'_> {
    fn keep(&mut self, kept: Vec<Kept>, entry: AuditEntry) -> Result<()> {
        let action = entry.action.clone();
        self.append(Record::new(entry, Change::Practised { action, kept }))
    }
}
