//! The parts of a store beside its rows that say a statement which is being forgotten.

use super::backend::Rows;
use super::forget::{Burial, Struck};
use super::practice::{Kept, Numbered, Rest, normal};
use crate::base::error::Result;
use crate::base::order;
use crate::base::receipt::{ForgetPlace, RowReceipt};
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::learning::Method;
use crate::memory::{Learning, LearningId};

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
        let (methods, learnings) = (rows.methods()?, rows.learnings(usize::MAX)?);
        let doubles = Doubles::of(&methods, &learnings, burial);
        for mut learning in learnings {
            let said = learning.content.clone();
            if burial.holds(&said) || learning.context.as_deref().is_some_and(|context| burial.holds(context))
            {
                burial.strike_maybe(&mut learning.context);
                let id = learning.id.get();
                let is_kept = burial.strike(&mut learning.content) && !doubles.has_learning(learning.id);
                let rest = is_kept.then_some(Rest::Learning(learning));
                parts.add(ForgetPlace::Learnings, burial.told(id, &said, is_kept), rest);
            }
        }
        for method in methods {
            let cases = rows.cases(method.id, usize::MAX)?;
            let method = Kept::Method(method);
            let mut struck = method.struck(burial);
            if let Some(struck) = &mut struck {
                doubles.leave(struck);
            }
            // Cases leave with their method.
            let stays = !matches!(struck, Some(Kept::Gone { .. }));
            for case in cases {
                let gone = Kept::Gone { of: Numbered::Case, id: case.id.get() };
                let case = Kept::Case(case);
                let struck = case.struck(burial).map(|struck| if stays { struck } else { gone });
                parts.practised(&case, struck, burial);
            }
            parts.practised(&method, struck, burial);
        }
        let preferences = rows.preferences()?.into_iter().map(Kept::Preference);
        let notes = rows.notes(true)?.into_iter().chain(rows.notes(false)?).map(Kept::Note);
        for kept in preferences.chain(notes) {
            parts.practised(&kept, kept.struck(burial), burial);
        }
        Ok(parts)
    }

    fn practised(&mut self, kept: &Kept, struck: Option<Kept>, burial: &Burial) {
        let Some(struck) = struck else { return };
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

    /// Returns the standing of the methods that a person let out of quarantine or graduated. The method no longer says what they
    /// judged, so it waits for them again.
    pub(super) fn to_judge_again(&self) -> Vec<Kept> {
        let mut judged = Vec::new();
        for rest in &self.rest {
            if let Rest::Practised(Kept::Method(method)) = rest
                && (method.quarantine == 0 || method.graduated.is_some())
            {
                judged.push(Kept::Standing { method: method.id, quarantine: 1, graduated: None });
            }
        }
        judged
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

/// The methods and learnings that say the same as another one without a statement: they leave, and the other stays.
pub(crate) struct Doubles {
    methods: SortedSet<i64>,
    learnings: SortedSet<i64>,
}

impl Doubles {
    pub(crate) fn of(methods: &[Method], learnings: &[Learning], burial: &Burial) -> Self {
        let of_method = |method: &Method| normal(&method.class, &method.body);
        let mut said: Vec<(i64, Said)> = Vec::new();
        for method in methods {
            let rest = match Kept::Method(method.clone()).struck(burial) {
                None => Said::AsBefore(of_method(method)),
                Some(Kept::Method(rest)) => Said::Rest(of_method(&rest)),
                Some(_) => continue,
            };
            said.push((method.id.get(), rest));
        }
        let methods = doubled(said);
        let mut said: Vec<(i64, Said)> = Vec::new();
        for learning in learnings {
            let mut content = learning.content.clone();
            let rest = match (burial.holds(&content), burial.strike(&mut content)) {
                (false, _) => Said::AsBefore(text::statement(&content)),
                (true, true) => Said::Rest(text::statement(&content)),
                (true, false) => continue,
            };
            said.push((learning.id.get(), rest));
        }
        Self { methods, learnings: doubled(said) }
    }

    /// Marks a part as gone, if it is one of these.
    pub(crate) fn leave(&self, kept: &mut Kept) {
        if let Kept::Method(method) = kept
            && self.methods.contains(&method.id.get())
        {
            *kept = Kept::Gone { of: Numbered::Method, id: method.id.get() };
        }
    }

    /// Returns whether a learning leaves.
    pub(crate) fn has_learning(&self, id: LearningId) -> bool {
        self.learnings.contains(&id.get())
    }
}

/// The words of a part without a statement.
enum Said {
    AsBefore(String),
    Rest(String),
}

/// Returns the parts whose rest is the same as another part, or as the rest of one with a smaller id.
fn doubled(mut parts: Vec<(i64, Said)>) -> SortedSet<i64> {
    order::sort_by(&mut parts, |(one, _), (other, _)| one.cmp(other));
    let mut said: SortedSet<&str> = SortedSet::new();
    for (_, part) in &parts {
        if let Said::AsBefore(words) = part {
            said.insert(words);
        }
    }
    let mut doubled = SortedSet::new();
    for (id, part) in &parts {
        if let Said::Rest(words) = part
            && !said.insert(words)
        {
            doubled.insert(*id);
        }
    }
    doubled
}
