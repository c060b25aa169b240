//! The parts of a store beside its rows that say a statement which is being forgotten.

use super::backend::Rows;
use super::forget::{Burial, Struck};
use super::practice::{Kept, Rest};
use crate::base::error::Result;
use crate::base::receipt::{ForgetPlace, RowReceipt};

/// The parts of a store beside its rows that say a statement.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) rest: Vec<Rest>,
    pub(super) told: Vec<(ForgetPlace, RowReceipt)>,
}

impl Parts {
    pub(super) fn saying(rows: &dyn Rows, burial: &Burial) -> Result<Self> {
        let mut parts = Self::default();
        for (key, mut value) in rows.profile(None)? {
            if burial.holds(&key) || burial.holds(&value) {
                let told = format!("{key}: {value}");
                let is_kept = !burial.holds(&key) && burial.strike(&mut value);
                let rest = is_kept.then_some(Rest::Value { key, value });
                parts.add(ForgetPlace::Profile, burial.told(0, &told, is_kept), rest);
            }
        }
        for mut learning in rows.learnings(usize::MAX)? {
            let said = learning.content.clone();
            if burial.holds(&said) || learning.context.as_deref().is_some_and(|context| burial.holds(context))
            {
                burial.strike_maybe(&mut learning.context);
                let (id, is_kept) = (learning.id.get(), burial.strike(&mut learning.content));
                let rest = is_kept.then_some(Rest::Learning(learning));
                parts.add(ForgetPlace::Learnings, burial.told(id, &said, is_kept), rest);
            }
        }
        for method in rows.methods()? {
            for case in rows.cases(method.id, usize::MAX)? {
                parts.practised(&Kept::Case(case), burial);
            }
            parts.practised(&Kept::Method(method), burial);
        }
        for preference in rows.preferences()? {
            parts.practised(&Kept::Preference(preference), burial);
        }
        for note in rows.notes(true)?.into_iter().chain(rows.notes(false)?) {
            parts.practised(&Kept::Note(note), burial);
        }
        Ok(parts)
    }

    fn practised(&mut self, kept: &Kept, burial: &Burial) {
        let Some(struck) = kept.struck(burial) else { return };
        let (place, said) = match kept {
            Kept::Method(method) => (ForgetPlace::Methods, &method.body),
            Kept::Case(case) => (ForgetPlace::Cases, &case.content),
            Kept::Preference(preference) => (ForgetPlace::Preferences, &preference.statement),
            Kept::Note(note) => (ForgetPlace::RoleNotes, &note.content),
            _ => return,
        };
        let is_kept = !matches!(struck, Kept::Gone { .. });
        let told = burial.told(kept.number().unwrap_or_default(), said, is_kept);
        self.add(place, told, is_kept.then_some(Rest::Practised(struck)));
    }

    fn add(&mut self, place: ForgetPlace, told: RowReceipt, rest: Option<Rest>) {
        self.told.push((place, told));
        self.rest.extend(rest);
    }

    /// Returns the standing of the methods that a person let out of quarantine or graduated: what they judged is no more what the
    /// method says, so it waits for them again.
    pub(super) fn to_judge_again(&self) -> Vec<Kept> {
        let judged = self.rest.iter().filter_map(|rest| match rest {
            Rest::Practised(Kept::Method(method)) if method.quarantine == 0 || method.graduated.is_some() => {
                Some(Kept::Standing { method: method.id, quarantine: 1, graduated: None })
            }
            _ => None,
        });
        judged.collect()
    }

    /// Adds the parts that say the rest of their words to those that were removed.
    pub(super) fn counted(&self, mut struck: Struck) -> Struck {
        for rest in &self.rest {
            *match rest {
                Rest::Value { .. } => &mut struck.profile,
                Rest::Learning(_) => &mut struck.learnings,
                Rest::Practised(Kept::Method(_)) => &mut struck.methods,
                Rest::Practised(Kept::Note(_)) => &mut struck.notes,
                Rest::Practised(_) => &mut struck.cases,
            } += 1;
        }
        struck
    }
}
