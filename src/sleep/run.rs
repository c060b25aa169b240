//! A sleep: an ordinary dream over what was said since the last one, and after every tenth a deep sleep.

mod deep;
mod dream;

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use super::{Inner, commit};
use crate::dream::{CleanLine, SectionCaps, clean_line};
use crate::dreamer::{
    Backlog, Blamed, Charge, DreamMode, DreamPass, DreamReport, DropReason, Dropped, Failure, NotDue, Notice,
    Outcome, PassReport, SleepReport, Step,
};
use crate::error::{Error, Result};
use crate::format::{SleepFiles, SleepState};
use crate::gate::{Masks, Tombstones, joined, mask_within};
use crate::llm::{Finish, LlmError, LlmReply, LlmRequest};
use crate::pii::Finding;
use crate::session;
use crate::workspace::{Claim, Lease, Workspace};

/// No answer is larger than this, in bytes.
const MAX_ANSWER: usize = 1 << 20;

/// One call of `begin`, until its last `resume`.
pub(super) struct Run {
    inner: Arc<Inner>,
    lease: Box<dyn Lease>,
    files: SleepFiles,
    begun: DateTime<Utc>,
    now: DateTime<Utc>,
    state: SleepState,
    forgotten: Option<Tombstones>,
    report: DreamReport,
}

/// What a pass asks about.
enum About {
    Dream(dream::Slice),
    Deep(deep::Material),
}

impl Run {
    /// Claims, recovers and loads; then asks, or ends.
    pub(super) fn begin(inner: Arc<Inner>, now: DateTime<Utc>) -> Result<Step> {
        let mut report = new_report(&inner, now);
        if !inner.config.enabled {
            return Ok(Step::Done(Box::new(report)));
        }
        let workspace = inner.workspace.as_ref();
        let lease = match workspace.claim(&inner.config.claim)? {
            Claim::Granted(lease) => lease,
            Claim::Held(holder) => {
                report.outcome = Outcome::LockHeld;
                report.holder = Some(holder);
                return Ok(Step::Done(Box::new(report)));
            }
        };
        report.outcome = Outcome::NothingNew;
        report.epoch = Some(lease.epoch());
        let forgotten = session::forgotten(workspace)?;
        report.recovered = commit::recover(workspace, lease.as_ref(), forgotten.as_ref())?;
        let files = inner.files.clone();
        let state = commit::state(workspace, &files)?;
        let mut run = Self { lease, files, begun: now, now, state, forgotten, report, inner };
        let slice = run.slice()?;
        let waits = !slice.is_empty() && run.state.actions >= run.inner.config.min_actions;
        if !waits && !run.is_deep_owed() {
            if slice.is_empty() {
                run.rest()?;
            }
            return Ok(run.finish());
        }
        if let Some(not_due) = run.breaker() {
            run.report.outcome = Outcome::NotDue;
            run.report.not_due = Some(not_due);
            return Ok(run.finish());
        }
        if waits { run.ask_for_dream(slice) } else { run.ask_for_deep() }
    }

    /// Whether the last dream was to be a deep sleep, and none came of it yet.
    fn is_deep_owed(&self) -> bool {
        let count = |dreams: u64| self.inner.config.deep_sleep_every.map_or(0, |every| dreams / every);
        count(self.state.dreams) > count(self.state.last_deep)
    }

    /// There is nothing to dream of, so what it did is slept off.
    fn rest(&mut self) -> Result<()> {
        let actions = self.state.actions;
        if actions > 0 {
            self.lease.check()?;
            let files = &self.files;
            self.state = commit::change_state(self.inner.workspace.as_ref(), files, |state| {
                state.actions = state.actions.saturating_sub(actions);
                state.warned = false;
            })?;
        }
        Ok(())
    }

    fn breaker(&self) -> Option<NotDue> {
        let (next, back_off) = (self.state.next_allowed_at?, self.inner.config.back_off?);
        // A time further away than the longest wait was written under another clock.
        let most = TimeDelta::from_std(back_off.most).unwrap_or(TimeDelta::MAX);
        let waits = self.now < next && next - self.now <= most;
        waits.then_some(NotDue::BackOff { failures: self.state.consecutive_failures, next })
    }

    /// What a request does not show of a text.
    fn hidden(&self, text: &str) -> Vec<Finding> {
        let secrets = if self.inner.config.redact { self.inner.gate.inspect(text) } else { Vec::new() };
        let forgotten = self.forgotten.as_ref().map(|forgotten| forgotten.inspect(text)).unwrap_or_default();
        joined(secrets, forgotten)
    }

    /// The text as a model is shown it.
    fn masked(&self, text: &str, masks: &mut Masks) -> String {
        mask_within(text, 0..text.len(), &self.hidden(text), masks)
    }

    fn ask(mut self, request: LlmRequest, mut pass: PassReport, masks: &Masks, about: About) -> Step {
        let mut request = request;
        request.max_output_tokens = self.inner.config.max_output_tokens;
        pass.request_bytes = request.bytes() as u64;
        pass.masked =
            masks.counts().map(|(class, count)| Charge { class: class.to_owned(), count }).collect();
        self.report.calls += 1;
        Step::Ask(Box::new(SleepPass { run: self, request, pass, about }))
    }

    /// Takes an answer.
    fn judge(
        mut self,
        mut pass: PassReport,
        about: About,
        answer: Result<LlmReply, LlmError>,
        now: DateTime<Utc>,
    ) -> Result<Step> {
        self.now = now;
        self.report.ended_at = now;
        if let Some(usage) = answer.as_ref().ok().and_then(|reply| reply.usage) {
            pass.usage = Some(usage);
            *self.report.usage.get_or_insert_default() += usage;
        }
        let is_dream = matches!(about, About::Dream(_));
        let judged = self.lease.check().and_then(|()| {
            // Somebody may have asked to forget while the model thought.
            self.forgotten = session::forgotten(self.inner.workspace.as_ref())?;
            match (self.read(answer), about) {
                (Err(failure), _) => self.fail(&mut pass, failure),
                (Ok(text), About::Dream(slice)) => self.judge_dream(&mut pass, &slice, &text),
                (Ok(text), About::Deep(material)) => self.judge_deep(&mut pass, &material, &text),
            }
        });
        match judged {
            Ok(()) => {}
            Err(Error::LeaseLost(by)) => {
                pass.outcome = Outcome::LeaseLost;
                pass.lost = Some(by);
            }
            // The dream was committed: whoever called learns what it came to.
            Err(error) if !self.report.passes.is_empty() => {
                self.report.notices.push(Notice::StoppedEarly(error.to_string()));
                return Ok(self.finish());
            }
            Err(error) => return Err(error),
        }
        let goes_on = is_dream && pass.outcome == Outcome::Appended && self.is_deep_owed();
        self.report.outcome = self.report.outcome.max(pass.outcome);
        self.report.passes.push(pass);
        if goes_on { self.ask_for_deep() } else { Ok(self.finish()) }
    }

    /// Reads an answer, as far as it does not matter what was asked.
    fn read(&self, answer: Result<LlmReply, LlmError>) -> Result<String, Unusable> {
        let reply = answer.map_err(|error| Failure::Client {
            message: self.inner.gate.mask(&error.to_string(), &mut Masks::default()),
            retryable: error.is_retryable(),
        })?;
        match reply.finish {
            Finish::Length => return Err(Failure::Truncated.into()),
            Finish::Other => return Err(Failure::Stopped.into()),
            Finish::Stop => {}
        }
        if reply.text.len() > MAX_ANSWER {
            return Err(Failure::TooLarge.into());
        }
        if reply.text.trim().is_empty() {
            return Err(Failure::Empty.into());
        }
        self.check(&reply.text)?;
        Ok(reply.text)
    }

    /// Stops a text that holds a secret.
    fn check(&self, text: &str) -> Result<(), Unusable> {
        let findings = self.inner.gate.inspect(text);
        if findings.is_empty() { Ok(()) } else { Err(Unusable::Secret(findings)) }
    }

    /// Records that there was no usable answer: when, and when to try again. Nothing else moves.
    fn fail(&mut self, pass: &mut PassReport, why: Unusable) -> Result<()> {
        match why {
            Unusable::Failed(failure) => {
                pass.outcome = Outcome::LlmError;
                pass.failure = Some(failure);
            }
            Unusable::Secret(findings) => {
                pass.outcome = Outcome::Quarantined;
                let mut classes: Vec<String> =
                    findings.iter().map(|finding| finding.class.clone().into_owned()).collect();
                classes.sort();
                classes.dedup();
                // No journal is to blame, and the conversation waits as a whole.
                let blamed = |pattern| Blamed { pattern, places: Vec::new(), journals: Vec::new() };
                pass.quarantined = classes.into_iter().map(blamed).collect();
            }
        }
        let (now, back_off, files) = (self.now, self.inner.config.back_off, &self.files);
        self.state = commit::change_state(self.inner.workspace.as_ref(), files, |state| {
            state.consecutive_failures = state.consecutive_failures.saturating_add(1);
            let wait = back_off.map(|back_off| back_off.after(state.consecutive_failures));
            let wait = wait.and_then(|wait| TimeDelta::from_std(wait).ok());
            state.next_allowed_at = wait.and_then(|wait| now.checked_add_signed(wait));
        })?;
        Ok(())
    }

    /// Cleans lines of prose: each is kept, or left out with its reason. Blank ones part paragraphs.
    fn prose(&self, text: &str, caps: &SectionCaps, drops: &mut Drops) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let (mut kept, mut bytes) = (0, 0);
        for line in text.lines() {
            if line.trim().is_empty() {
                if lines.last().is_some_and(|last| !last.is_empty()) {
                    lines.push(String::new());
                }
                continue;
            }
            if kept >= caps.items || bytes >= caps.bytes {
                drops.add(if kept >= caps.items { DropReason::TooMany } else { DropReason::SectionFull });
                continue;
            }
            let Some(line) = clean(line, caps, drops) else { continue };
            if bytes + line.len() > caps.bytes {
                drops.add(DropReason::SectionFull);
                bytes = caps.bytes;
                continue;
            }
            (kept, bytes) = (kept + 1, bytes + line.len());
            lines.push(line);
        }
        self.without_forgotten(&mut lines);
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    /// Takes out the lines that hold a part of what was forgotten; returns how many.
    fn without_forgotten(&self, lines: &mut Vec<String>) -> usize {
        let told = self.tells_forgotten(lines);
        let before = lines.len();
        let mut told = told.into_iter();
        lines.retain(|_| !told.next().unwrap_or(false));
        before - lines.len()
    }

    /// For each line whether it holds a part of what was forgotten, which may be spread over lines.
    fn tells_forgotten(&self, lines: &[String]) -> Vec<bool> {
        let Some(forgotten) = &self.forgotten else { return vec![false; lines.len()] };
        let findings = forgotten.inspect(&lines.join("\n"));
        let mut start = 0;
        let tells = |line: &String| {
            let place = start..start + line.len();
            start = place.end + 1;
            findings.iter().any(|finding| finding.span.start < place.end && place.start < finding.span.end)
        };
        lines.iter().map(tells).collect()
    }

    fn sleep(&mut self) -> &mut SleepReport {
        self.report.sleep.get_or_insert_default()
    }

    /// Completes the report and gives the lease back.
    fn finish(mut self) -> Step {
        let dreams = self.state.dreams;
        self.sleep().dream = dreams;
        let len = self.inner.workspace.metadata(&self.files.conversation).ok().flatten();
        let waits = len.map_or(0, |metadata| metadata.len).saturating_sub(self.state.read);
        self.report.backlog = Backlog { journals: u64::from(waits > 0), bytes: waits, oldest: None };
        if self.lease.release().is_err() {
            self.report.notices.push(Notice::LockNotRemoved);
        }
        Step::Done(Box::new(self.report))
    }
}

/// Why there is no text to work with.
enum Unusable {
    Failed(Failure),
    Secret(Vec<Finding>),
}

impl From<Failure> for Unusable {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What was left out of an answer, counted.
#[derive(Default)]
struct Drops(std::collections::BTreeMap<DropReason, u32>);

impl Drops {
    fn add(&mut self, reason: DropReason) {
        self.take(&[Dropped { reason, count: 1 }]);
    }

    fn take(&mut self, dropped: &[Dropped]) {
        for Dropped { reason, count } in dropped {
            *self.0.entry(*reason).or_default() += count;
        }
    }

    fn into_dropped(self) -> Vec<Dropped> {
        self.0.into_iter().map(|(reason, count)| Dropped { reason, count }).collect()
    }
}

/// A line as it may be kept; `None` where nothing is left of it, or it is too long.
fn clean(line: &str, caps: &SectionCaps, drops: &mut Drops) -> Option<String> {
    let CleanLine { text, over, dropped } = clean_line(line, caps);
    drops.take(&dropped);
    text.filter(|_| over.is_none())
}

fn new_report(inner: &Inner, now: DateTime<Utc>) -> DreamReport {
    DreamReport {
        schema_version: 1,
        outcome: Outcome::Disabled,
        mode: DreamMode::Append,
        workspace: inner.workspace.location(),
        started_at: now,
        ended_at: now,
        epoch: None,
        recovered: None,
        holder: None,
        not_due: None,
        passes: Vec::new(),
        journals: Vec::new(),
        backlog: Backlog::default(),
        calls: 0,
        usage: None,
        memory: None,
        notices: Vec::new(),
        sleep: None,
    }
}

/// A run that waits for the model.
struct SleepPass {
    run: Run,
    request: LlmRequest,
    pass: PassReport,
    about: About,
}

impl fmt::Debug for SleepPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SleepPass {{ id: {}, shown: {:?} }}", self.pass.dream_id, self.pass.shown)
    }
}

impl DreamPass for SleepPass {
    fn request(&self) -> &LlmRequest {
        &self.request
    }

    fn resume(self: Box<Self>, answer: Result<LlmReply, LlmError>, now: DateTime<Utc>) -> Result<Step> {
        self.run.judge(self.pass, self.about, answer, now)
    }
}
