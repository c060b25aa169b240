//! The rules of methods: who creates one, who reports, and what follows of it.

use chrono::{DateTime, Utc};

use super::admit::main_only;
use super::backend::Changes;
use super::forget;
use super::names::{method_name, new_method_name, outcome_name};
use super::operation::Operation;
use super::practice::{Kept, Numbered, normal};
use super::store::Store;
use crate::base::access::{Access, Actor};
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::Name;
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::learning::{
    Approval, Case, CaseId, Counted, Ending, Method, MethodId, NewMethod, NewOutcome, Reported,
};
use crate::memory::EventName;
use crate::trace;

/// The verbs of [`MethodStore`](crate::learning::MethodStore).
impl Store {
    pub(crate) fn create_method(
        &self,
        access: &Access,
        method: &NewMethod,
        now: DateTime<Utc>,
    ) -> Result<MethodId> {
        trace::create(
            |id| *id,
            || {
                let operation = Operation::new(access, "method_create", now);
                let name = new_method_name();
                let admitted = self.config().admit_method(self.scope(), access, method);
                let (id, is_new, has_cases) =
                    self.attempt("write to", &operation, admitted, |rows, forgotten| {
                        let texts = [&method.name, &method.class, &method.body];
                        texts
                            .into_iter()
                            .chain(&method.cases)
                            .try_for_each(|text| forget::check(forgotten.as_ref(), &name, text))?;
                        let (mut kept, standing) =
                            (Vec::new(), rows.method_saying(&normal(&method.class, &method.body))?);
                        let id = if let Some(standing) = &standing {
                            standing.id
                        } else {
                            let id = MethodId::new(rows.next_number(Numbered::Method)?);
                            kept.push(Kept::Method(Method::new(
                                id,
                                method.clone(),
                                &self.config().learning,
                                now,
                            )));
                            id
                        };
                        let cases = new_cases(rows, id, &method.cases, None, now)?;
                        let has_cases = !cases.is_empty();
                        kept.extend(cases);
                        if !kept.is_empty() {
                            rows.keep(kept, self.done(&operation, forgotten.as_deref()))?;
                        }
                        Ok((id, standing.is_none(), has_cases))
                    })?;
                if is_new {
                    self.config().tell(EventName::MethodCreated, None);
                }
                if has_cases {
                    self.config().tell(EventName::CaseRecorded, None);
                }
                Ok(id)
            },
        )
    }

    pub(crate) fn report_outcome(
        &self,
        access: &Access,
        outcome: &NewOutcome,
        now: DateTime<Utc>,
    ) -> Result<Reported> {
        let operation = Operation::new(access, "outcome_report", now);
        let name = outcome_name();
        let admitted = self.config().admit_outcome(self.scope(), access, outcome);
        let reported = self.attempt("write to", &operation, admitted, |rows, forgotten| {
            let mut before = Vec::new();
            for id in outcome.methods.iter().copied().collect::<SortedSet<_>>() {
                before.extend(rows.method(id)?);
            }
            if before.is_empty() || rows.is_counted(&outcome.id)? {
                return Ok(Reported::new(false, before, Vec::new()));
            }
            let texts = std::iter::once(&outcome.id).chain(&outcome.case);
            texts.into_iter().try_for_each(|text| forget::check(forgotten.as_ref(), &name, text))?;
            let ids: Vec<MethodId> = before.iter().map(|method| method.id).gather();
            let mut kept = vec![Kept::Outcome(Counted {
                id: outcome.id.clone(),
                methods: ids.clone(),
                ending: outcome.ending,
                at: now,
            })];
            let mut quarantined = Vec::new();
            for method in before.iter().filter(|method| method.quarantine == 0) {
                let successes = method.successes + u64::from(outcome.ending == Ending::Success);
                if self.config().learning.demotes(successes, method.uses + 1) {
                    kept.push(Kept::Standing { method: method.id, quarantine: 1, graduated: None });
                    quarantined.push(method.id);
                }
            }
            for id in &ids {
                // Each takes the next numbers.
                let mut cases = new_cases(rows, *id, outcome.case.as_slice(), Some(&outcome.id), now)?;
                let taken = kept.iter().filter(|kept| matches!(kept, Kept::Case(_))).count();
                for case in &mut cases {
                    if let Kept::Case(case) = case {
                        case.id = CaseId::new(case.id.get() + i64::try_from(taken).unwrap_or(i64::MAX));
                    }
                }
                kept.extend(cases);
            }
            rows.keep(kept, self.done(&operation, forgotten.as_deref()))?;
            let mut after = Vec::with_capacity(ids.len());
            for id in ids {
                after.extend(rows.method(id)?);
            }
            Ok(Reported::new(true, after, quarantined))
        })?;
        if reported.counted {
            if outcome.case.is_some() {
                self.config().tell(EventName::CaseRecorded, None);
            }
            self.config().tell(EventName::OutcomeReported, None);
        }
        Ok(reported)
    }

    pub(crate) fn graduate_method(
        &self,
        access: &Access,
        id: MethodId,
        now: DateTime<Utc>,
    ) -> Result<Method> {
        self.stand(access, "method_graduate", id, now, |method| {
            if method.uses == 0 || method.confidence < self.config().learning.graduation {
                let rule = "its confidence is below the threshold of graduation; report more outcomes first";
                return Err(Error::Undecided { name: method_name(id), rule });
            }
            Ok((0, Some(Approval::new(access.actor, now))))
        })
    }

    pub(crate) fn quarantine_method(
        &self,
        access: &Access,
        id: MethodId,
        quarantined: bool,
        now: DateTime<Utc>,
    ) -> Result<Method> {
        let action = if quarantined { "method_quarantine" } else { "method_lift" };
        self.stand(access, action, id, now, |method| {
            Ok((u8::from(quarantined), method.graduated.filter(|_| !quarantined)))
        })
    }

    /// Changes the standing of a method on a person's word.
    fn stand(
        &self,
        access: &Access,
        action: &'static str,
        id: MethodId,
        now: DateTime<Utc>,
        judge: impl FnOnce(&Method) -> Result<(u8, Option<Approval>)>,
    ) -> Result<Method> {
        let name = method_name(id);
        let operation = Operation::new(access, action, now);
        let admitted = person_only(self, access, &name);
        let (method, is_new) = self.attempt("change", &operation, admitted, |rows, forgotten| {
            let method = rows.method(id)?.ok_or_else(|| Error::NotFound { name: name.clone() })?;
            let (quarantine, graduated) = judge(&method)?;
            if (quarantine, graduated.is_some()) == (method.quarantine, method.graduated.is_some()) {
                return Ok((method, false));
            }
            let kept = vec![Kept::Standing { method: id, quarantine, graduated }];
            rows.keep(kept, self.done(&operation, forgotten.as_deref()))?;
            Ok((rows.method(id)?.ok_or(Error::NotFound { name })?, true))
        })?;
        if is_new {
            self.config().tell(EventName::MethodJudged, None);
        }
        Ok(method)
    }

    pub(crate) fn methods(&self, access: &Access) -> Result<Vec<Method>> {
        main_only(self.scope(), access, &new_method_name())?;
        self.backend().read("list", |rows| rows.methods())
    }

    pub(crate) fn method_cases(&self, access: &Access, id: MethodId, limit: usize) -> Result<Vec<Case>> {
        main_only(self.scope(), access, &method_name(id))?;
        self.backend().read("list", |rows| rows.cases(id, limit))
    }
}

/// Refuses everybody but the human of a main session.
pub(super) fn person_only(store: &Store, access: &Access, name: &Name) -> Result<()> {
    main_only(store.scope(), access, name)?;
    if access.actor == Actor::Human {
        return Ok(());
    }
    Err(Error::Denied { name: name.clone(), kind: access.kind })
}

/// Returns the cases that a method does not have yet.
fn new_cases(
    rows: &dyn Changes,
    method: MethodId,
    told: &[String],
    outcome: Option<&str>,
    now: DateTime<Utc>,
) -> Result<Vec<Kept>> {
    if told.is_empty() {
        return Ok(Vec::new());
    }
    let known = rows.cases(method, usize::MAX)?;
    let mut said: SortedSet<String> = known.iter().map(|case| text::statement(&case.content)).collect();
    let mut next = rows.next_number(Numbered::Case)?;
    let mut kept = Vec::new();
    for content in told.iter().filter(|content| !content.trim().is_empty()) {
        if said.insert(text::statement(content)) {
            let mut case = Case::new(CaseId::new(next), method, content, now);
            case.outcome = outcome.map(str::to_owned);
            kept.push(Kept::Case(case));
            next += 1;
        }
    }
    Ok(kept)
}
