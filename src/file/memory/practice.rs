//! Methods, cases and outcomes, in memory.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::record::{Change, Record};
use super::table::Table;
use crate::base::error::Result;
use crate::learning::{Case, CaseId, Ending, Method, MethodId, wilson};
use crate::memory::AuditEntry;
use crate::search::postings::bits::{Input, put_bytes};
use crate::search::postings::error::{Error, Result as Read};
use crate::store::forget::Burial;
use crate::store::practice::{Kept, Numbered, Practice, PracticeChanges, normal};

/// The learning loop of a file, as far as it was read.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Practised {
    methods: BTreeMap<MethodId, Method>,
    cases: BTreeMap<CaseId, Case>,
    /// The ids of outcomes that counted.
    counted: BTreeSet<String>,
    /// The greatest number of each kind that was ever used.
    last: BTreeMap<Numbered, i64>,
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
            Kept::Gone { of, id } => self.number(*of, *id),
        }
    }

    fn number(&mut self, of: Numbered, id: i64) {
        let last = self.last.entry(of).or_default();
        *last = id.max(*last);
    }

    /// Takes a statement out.
    pub(super) fn strike(&mut self, burial: &Burial) {
        self.methods.retain(|_, method| !Kept::Method(method.clone()).says(burial));
        let methods = &self.methods;
        self.cases
            .retain(|_, case| methods.contains_key(&case.method) && !Kept::Case(case.clone()).says(burial));
        self.counted.retain(|id| !burial.holds(id));
    }

    /// Counts the methods, and their cases with the ids of outcomes.
    pub(super) fn sizes(&self) -> (u64, u64) {
        (self.methods.len() as u64, (self.cases.len() + self.counted.len()) as u64)
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        put_bytes(out, &serde_json::to_vec(self).expect("plain data with text keys is always JSON"));
    }

    pub(super) fn read(input: &mut Input<'_>) -> Read<Self> {
        serde_json::from_slice(input.bytes()?).map_err(|_| Error::Damaged("the learning loop cannot be read"))
    }
}

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
