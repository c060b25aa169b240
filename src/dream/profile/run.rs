//! A rebuild: look whether anything is new, ask once, judge, write.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::material::{Items, Material};
use super::{Inner, ask};
use crate::base::digest::Hasher;
use crate::base::error::{Error, LostBy, Result};
use crate::base::name::{DocName, StateName};
use crate::base::text;
use crate::dream::facts::state;
use crate::dream::{self, Due, Judge, Sanitised, Verdict, tell_request, whole};
use crate::dreamer::{
    DreamMode, DreamPass, DreamReport, Failure, Fate, Hold, HoldReason, LineReport, Notice, Outcome,
    PassReport, Step,
};
use crate::format::replies::fences::Printer;
use crate::format::replies::reply::{self, NOTHING_TO_PROMOTE};
use crate::format::state::asked::AskedState;
use crate::format::{DreamId, Origin};
use crate::gate::{Door, Doors, InjectionPolicy, Masks, Tombstones};
use crate::llm::{LlmError, LlmReply, LlmRequest};
use crate::memory::{Filter, NewMemory, Source, categories};
use crate::session;
use crate::workspace::{Claim, Lease};

/// So many statements are remembered to have been written.
const MOST_WRITTEN: usize = 4096;

/// What the hash of the last input is kept under.
const INPUT: &str = "input";

/// One call of `begin`, until its `resume`.
pub(crate) struct Run {
    inner: Arc<Inner>,
    lease: Box<dyn Lease>,
    now: DateTime<Utc>,
    state: AskedState,
    forgotten: Option<Arc<Tombstones>>,
    report: DreamReport,
}

impl Run {
    /// Claims, and looks whether anything is new; then asks, or ends.
    pub(crate) fn begin(inner: Arc<Inner>, now: DateTime<Utc>) -> Result<Step> {
        let mut report = DreamReport::begun(DreamMode::Append, inner.workspace.location(), now);
        if !inner.config.enabled {
            return Ok(Step::Done(Box::new(report)));
        }
        let pace = &inner.config.pace;
        let lease = match inner.workspace.claim(&pace.claim)? {
            Claim::Granted(lease) => lease,
            Claim::Held(holder) => {
                report.outcome = Outcome::LockHeld;
                report.holder = Some(holder);
                return Ok(Step::Done(Box::new(report)));
            }
        };
        report.outcome = Outcome::NothingNew;
        report.epoch = Some(lease.epoch());
        let workspace = inner.workspace.as_ref();
        let state = state(workspace, &StateName::PERSONALIZATION)?;
        let forgotten = session::forgotten(workspace)?.map(Arc::new);
        let mut run = Self { inner, lease, now, state, forgotten, report };
        if let Due::NotYet(not_due) = run.inner.config.pace.due(now, true, &run.state.pace) {
            run.report.outcome = Outcome::NotDue;
            run.report.not_due = Some(not_due);
            return Ok(run.finish());
        }
        let items = Items::take(&run.inner.sources, run.inner.config.items)?;
        let input = items.hash(&run.state);
        if run.state.asked.get(INPUT) == Some(&input) {
            return Ok(run.finish());
        }
        run.ask(&items, input)
    }

    fn ask(mut self, items: &Items, input: String) -> Result<Step> {
        let inner = Arc::clone(&self.inner);
        let (config, pace, doors) = (&inner.config, &inner.config.pace, self.doors());
        let known = self.known_rows(&doors)?;
        let name = DocName::parse("personalization.md")?;
        let around = ask::INSTRUCTIONS.len() + known.len() + 2 * known.lines().count() + 512;
        let room = pace.room(self.now, &self.state.pace).saturating_sub(around);
        let material = Material::new(items, config, &doors, room)?;
        if material.is_empty() {
            let all = Material::new(items, config, &doors, usize::MAX)?;
            if !all.is_empty() {
                self.report.outcome = Outcome::NotDue;
                self.report.not_due = Some(pace.used_up(self.now, &self.state.pace));
            }
            return Ok(self.finish());
        }
        let mut hasher = Hasher::new();
        hasher.field(b"personalization").field(known.as_bytes()).field(self.now.to_rfc3339().as_bytes());
        for line in material.texts() {
            hasher.field(line.as_bytes());
        }
        let id = hasher.finish();
        let mut printer = Printer::new(id.short(16));
        printer.say("The profile:");
        printer.memory(&name, &known);
        printer.say("Sessions and activity, oldest first:");
        material.print(&mut printer);
        let mut request = LlmRequest::new(ask::INSTRUCTIONS, printer.finish());
        request.max_output_tokens = pace.max_output_tokens;
        let mut pass = PassReport::new(DreamId::from_digest(id));
        tell_request(&mut pass, &request, &material.masks, &material.found);
        Ok(Step::Ask(Box::new(RebuildPass { run: self, request, pass, material, input })))
    }

    fn doors(&self) -> Doors {
        self.inner.doors.clone().heeding(self.forgotten.clone())
    }

    /// The rows that stand, as they are shown.
    fn known_rows(&self, doors: &Doors) -> Result<String> {
        let config = &self.inner.config;
        let filter = Filter::limit(config.known_rows).category(categories::PERSONALIZATION);
        let rows = self.inner.store.list(&self.inner.access, &filter)?;
        let (mut printed, most) = (String::new(), config.pace.request_bytes / 4);
        let mut masks = Masks::default();
        for row in rows {
            let name = crate::store::row_name(Some(row.id));
            let policy = doors.policy_of(Door::DreamRequest, &name);
            let passed = doors.judge(Door::DreamRequest, policy, &name, &row.content, &mut masks)?;
            let line = format!("- {}\n", crate::format::replies::fences::one_line(&passed.text));
            if printed.len() + line.len() > most {
                break;
            }
            printed.push_str(&line);
        }
        Ok(printed)
    }

    /// Takes the answer.
    fn judge(
        mut self,
        mut pass: PassReport,
        material: &Material,
        input: String,
        answer: Result<LlmReply, LlmError>,
        now: DateTime<Utc>,
    ) -> Result<Step> {
        self.now = now;
        self.report.ended_at = now;
        self.report.calls += 1;
        if let Some(usage) = answer.as_ref().ok().and_then(|reply| reply.usage) {
            pass.usage = Some(usage);
            self.report.usage = Some(usage);
        }
        // Somebody may have asked to forget while the model thought.
        self.forgotten = session::forgotten(self.inner.workspace.as_ref())?.map(Arc::new);
        let inner = Arc::clone(&self.inner);
        let pace = &inner.config.pace;
        pace.count_call(&mut self.state.pace, now, &pass);
        let kept = match self.read(answer) {
            Ok(section) => {
                // The call counts, whatever becomes of its answer.
                self.keep().and_then(|()| self.write(&mut pass, material, section.as_ref()))
            }
            Err(failure) => {
                pass.failure = Some(failure);
                pass.outcome = Outcome::LlmError;
                Ok(())
            }
        };
        let kept = kept.and_then(|()| {
            pace.stamp(&mut self.state.pace, now, pass.outcome);
            if pass.outcome != Outcome::LlmError {
                self.state.asked.insert(INPUT.to_owned(), input);
            }
            self.keep()
        });
        match kept {
            Ok(()) => {}
            Err(Error::LeaseLost(by)) => return Ok(self.lose(pass, by)),
            Err(error) => return Err(error),
        }
        self.report.outcome = pass.outcome;
        self.report.passes.push(pass);
        Ok(self.finish())
    }

    /// Reads an answer; `None` where there is nothing to add. Secrets are masked, and their bullets left out.
    fn read(&self, answer: Result<LlmReply, LlmError>) -> Result<Option<Sanitised>, Failure> {
        let gate = self.inner.doors.gate();
        let text = whole(answer, gate)?;
        if text.trim() == NOTHING_TO_PROMOTE {
            return Ok(None);
        }
        let masked = gate.mask(&text, &mut Masks::default());
        let has_secrets = masked != text;
        let mut section = dream::sanitise(&masked, &self.inner.config.caps);
        // What the sanitiser takes out may have parted a secret.
        section.items.retain(|item| gate.inspect(&item.text).is_empty());
        section.over_caps.retain(|(item, _)| gate.inspect(&item.text).is_empty());
        let has_bullets = !section.items.is_empty() || !section.over_caps.is_empty();
        if has_bullets || has_secrets { Ok(Some(section)) } else { Err(Failure::Malformed) }
    }

    /// Writes what is new and holds.
    fn write(
        &mut self,
        pass: &mut PassReport,
        material: &Material,
        section: Option<&Sanitised>,
    ) -> Result<()> {
        pass.outcome = Outcome::NothingToPromote;
        let Some(section) = section else { return Ok(()) };
        pass.dropped = section.dropped();
        let mut known = self.known()?;
        let evidence = self.inner.config.evidence();
        let judge = Judge::new(&evidence, &material.shown);
        for item in &section.items {
            let (claim, citations) = reply::split_citations(&item.text);
            let heading = item.heading.map(str::to_owned);
            if self.forgotten.as_ref().is_some_and(|forgotten| forgotten.holds(&item.text)) {
                let text = "[REDACTED:forgotten#1]".to_owned();
                pass.lines.push(LineReport::new(text, heading, Vec::new(), Fate::Forgotten));
                continue;
            }
            let statement = text::statement(&claim);
            let hash = self.state.hash([statement.as_str()]);
            let Verdict { sources, hold, .. } = judge.judge(item.heading, &claim, &citations);
            let fate = if let Some(hold) = self.instructs(&item.text).or(hold) {
                Fate::Held(hold)
            } else if known.contains(&statement) {
                Fate::Duplicate
            } else if self.state.written.contains(&hash) {
                Fate::RemovedBefore
            } else {
                let (from, at) = material.origin_of(sources.iter().map(|source| &source.name));
                self.lease.check()?;
                let fate = self.write_row(&claim, &from, at, !citations.is_empty())?;
                if matches!(fate, Fate::Promoted { .. }) {
                    pass.outcome = Outcome::Rebuilt;
                    known.insert(statement);
                    self.state.written.push(hash);
                }
                fate
            };
            pass.lines.push(LineReport::new(item.text.clone(), heading, sources, fate));
        }
        for (item, reason) in &section.over_caps {
            let heading = item.heading.map(str::to_owned);
            pass.lines.push(LineReport::new(item.text.clone(), heading, Vec::new(), Fate::OverCap(*reason)));
        }
        let surplus = self.state.written.len().saturating_sub(MOST_WRITTEN);
        self.state.written.drain(..surplus);
        Ok(())
    }

    /// Writes a row through the store's own door.
    fn write_row(
        &self,
        claim: &str,
        from: &[String],
        at: Option<DateTime<Utc>>,
        cited: bool,
    ) -> Result<Fate> {
        let row = NewMemory::new(categories::PERSONALIZATION, claim, Source::Inferred)
            // A model worded it, whoever said it first.
            .origin(Origin::Agent)
            .metadata(json!({ "sources": from, "until": at.map(|at| at.date_naive().to_string()) }))
            .because("rebuilt from history");
        match self.inner.store.write(&self.inner.access, &row, self.now) {
            Ok(_) => Ok(Fate::Promoted { cited }),
            Err(Error::Stopped { classes, .. }) => {
                Ok(Fate::Held(Hold { reason: HoldReason::Injection, word: classes.into_iter().next() }))
            }
            Err(error) => Err(error),
        }
    }

    /// What is said already, retired rows included: what was found to be wrong does not come back.
    fn known(&self) -> Result<BTreeSet<String>> {
        let mut known = BTreeSet::new();
        for category in [categories::PERSONALIZATION, categories::PREFERENCE, categories::FACT] {
            let mut filter = Filter::limit(usize::MAX).category(category);
            filter.retired = true;
            let rows = self.inner.store.list(&self.inner.access, &filter)?;
            known.extend(rows.into_iter().map(|row| text::statement(&row.content)));
        }
        Ok(known)
    }

    /// Whether a bullet is held back for an instruction in disguise.
    fn instructs(&self, item: &str) -> Option<Hold> {
        let policy = self.inner.doors.policy_of(Door::DreamReply, &DocName::MEMORY).injections;
        if policy != InjectionPolicy::Block {
            return None;
        }
        let found = self.inner.doors.injections(item).into_iter().next()?;
        Some(Hold { reason: HoldReason::Injection, word: Some(found.class.into_owned()) })
    }

    fn keep(&self) -> Result<()> {
        self.lease.replace(&StateName::PERSONALIZATION, &self.state.print())
    }

    fn lose(mut self, mut pass: PassReport, by: LostBy) -> Step {
        pass.outcome = Outcome::LeaseLost;
        pass.lost = Some(by);
        self.report.outcome = Outcome::LeaseLost;
        self.report.passes.push(pass);
        self.finish()
    }

    fn finish(mut self) -> Step {
        if self.lease.release().is_err() {
            self.report.notices.push(Notice::LockNotRemoved);
        }
        Step::Done(Box::new(self.report))
    }
}

/// A run that waits for the model.
struct RebuildPass {
    run: Run,
    request: LlmRequest,
    pass: PassReport,
    material: Material,
    input: String,
}

impl fmt::Debug for RebuildPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RebuildPass {{ id: {}, bytes: {} }}", self.pass.dream_id, self.pass.request_bytes)
    }
}

impl DreamPass for RebuildPass {
    fn request(&self) -> &LlmRequest {
        &self.request
    }

    fn resume(self: Box<Self>, answer: Result<LlmReply, LlmError>, now: DateTime<Utc>) -> Result<Step> {
        let Self { run, pass, material, input, .. } = *self;
        run.judge(pass, &material, input, answer, now)
    }
}
