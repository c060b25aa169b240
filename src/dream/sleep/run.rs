//! A sleep: an ordinary dream over what was said since the last one, and after every tenth a deep sleep.

mod deep;
mod dream;

use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{Inner, commit};
use crate::base::digest::Digest;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name};
use crate::base::text;
use crate::dream::{
    Bounds, Calls, CleanLine, SectionCaps, append_log, breaker, clean_line, mask_printed, tell_request, whole,
};
use crate::dreamer::{
    Backlog, Blamed, DreamMode, DreamPass, DreamReport, DropReason, Dropped, Failure, Notice, Outcome,
    PassReport, ShownSlice, SleepReport, Step,
};
use crate::format::replies::fences::printed;
use crate::format::state::log::{LogLine, LogSource};
use crate::format::{SleepFiles, SleepState};
use crate::gate::{Door, DoorWarning, Doors, InjectionPolicy, Masks, SecretPolicy, Tombstones};
use crate::llm::{LlmError, LlmReply, LlmRequest};
use crate::pii::Finding;
use crate::session;
use crate::trace;
use crate::workspace::{Claim, Lease, Workspace};

/// So many answers in a row are stopped for a secret; of the next, only what holds it is left out. Else one key that a
/// model cannot help repeating would keep a sleeper from ever dreaming again.
const MOST_STOPPED: u32 = 2;

/// One call of `begin`, until its last `resume`.
pub(crate) struct Run {
    inner: Arc<Inner>,
    lease: Box<dyn Lease>,
    files: SleepFiles,
    begun: DateTime<Utc>,
    now: DateTime<Utc>,
    state: SleepState,
    forgotten: Option<Arc<Tombstones>>,
    /// The hash of what the pass that waits is about.
    sha256: Digest,
    report: DreamReport,
}

/// What a pass asks about.
enum About {
    Dream(dream::Slice),
    Deep(deep::Material),
}

impl About {
    fn sha256(&self) -> Digest {
        match self {
            Self::Dream(slice) => slice.sha256(),
            Self::Deep(material) => material.sha256(),
        }
    }
}

impl Run {
    /// Claims, recovers and loads; then asks, or ends.
    pub(crate) fn begin(inner: Arc<Inner>, now: DateTime<Utc>) -> Result<Step> {
        let mut report = DreamReport::begun(DreamMode::Append, inner.workspace.location(), now);
        if !inner.config.enabled {
            return Ok(Step::Done(Box::new(report)));
        }
        let workspace = inner.workspace.as_ref();
        let lease = match workspace.claim(&inner.config.claim)? {
            Claim::Granted(lease) => lease,
            Claim::Held(holder) => {
                report.outcome = Outcome::LockHeld;
                report.holder = Some(holder);
                inner.tell(Outcome::LockHeld, None);
                return Ok(Step::Done(Box::new(report)));
            }
        };
        report.outcome = Outcome::NothingNew;
        report.epoch = Some(lease.epoch());
        let forgotten = session::forgotten(workspace)?.map(Arc::new);
        report.recovered = commit::recover(workspace, lease.as_ref(), forgotten.as_deref())?;
        let files = inner.files.clone();
        let state = commit::state(workspace, &files)?;
        let mut run =
            Self { lease, files, begun: now, now, state, forgotten, sha256: Digest::of(b""), report, inner };
        let slice = trace::select().attempt(|| run.slice())?;
        let waits = !slice.is_empty() && run.state.actions >= run.inner.config.min_actions;
        if !waits && !run.is_deep_owed() {
            if slice.is_empty() {
                match run.rest() {
                    Err(Error::LeaseLost(_)) => run.report.outcome = Outcome::LeaseLost,
                    rested => rested?,
                }
            }
            run.inner.tell(run.report.outcome, None);
            return Ok(run.finish());
        }
        let (calls, bounds) = ((&run.state).into(), (&run.inner.config).into());
        if let Some(not_due) = breaker(now, &calls, &bounds) {
            run.inner.tell(Outcome::NotDue, None);
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

    /// The doors, with what the workspace has forgotten.
    fn doors(&self) -> Doors {
        self.inner.doors.clone().heeding(self.forgotten.clone())
    }

    /// A text as a model is shown it; what was found in it is added.
    fn masked(&self, name: &Name, text: &str, shown: &mut Shown) -> Result<String> {
        let doors = self.doors();
        let policy = doors.policy_of(Door::DreamRequest, name);
        let passed = doors.judge(Door::DreamRequest, policy, name, text, &mut shown.masks)?;
        shown.found.extend(passed.warnings);
        Ok(passed.text.into_owned())
    }

    /// A text as it is printed, without what only stands there then: control characters may have hidden it.
    fn printed(&self, name: &DocName, text: &str, shown: &mut Shown) -> Result<String> {
        let printed = printed(text.trim_start_matches(text::BOM));
        let masked = mask_printed(&printed, name, &self.doors(), &mut shown.masks, &mut shown.found)?;
        Ok(masked.unwrap_or(printed))
    }

    fn ask(mut self, request: LlmRequest, mut pass: PassReport, shown: &Shown, about: About) -> Step {
        self.sha256 = about.sha256();
        let mut request = request;
        request.max_output_tokens = self.inner.config.max_output_tokens;
        tell_request(&mut pass, &request, &shown.masks, &shown.found);
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
            self.forgotten = session::forgotten(self.inner.workspace.as_ref())?.map(Arc::new);
            let (bytes, usage) = (pass.request_bytes, pass.usage);
            self.count(|calls, bounds| calls.called(now, bounds, bytes, usage))?;
            match (self.read(answer, &mut pass), about) {
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
        self.inner.tell(pass.outcome, Some(&pass));
        let goes_on = is_dream && pass.outcome == Outcome::Appended && self.is_deep_owed();
        self.report.outcome = self.report.outcome.max(pass.outcome);
        self.report.passes.push(pass);
        // The day's last call may have been this one.
        let is_due = breaker(now, &(&self.state).into(), &(&self.inner.config).into()).is_none();
        if goes_on && is_due { self.ask_for_deep() } else { Ok(self.finish()) }
    }

    /// Changes what the state counts of calls.
    fn count(&mut self, change: impl Fn(Calls, &Bounds) -> Calls) -> Result<()> {
        let bounds = (&self.inner.config).into();
        self.state = commit::change_state(self.inner.workspace.as_ref(), &self.files, |state| {
            change((&*state).into(), &bounds).into_sleep(state);
        })?;
        Ok(())
    }

    /// Reads an answer, as far as it does not matter what was asked.
    fn read(&self, answer: Result<LlmReply, LlmError>, pass: &mut PassReport) -> Result<String, Unusable> {
        let gate = self.inner.doors.gate();
        let text = whole(answer, gate)?;
        let policy = self.inner.doors.policy_of(Door::DreamReply, &self.files.observations);
        let redacts = policy.secrets == SecretPolicy::Redact || self.state.stopped >= MOST_STOPPED;
        match self.check(&text) {
            Ok(()) => Ok(text),
            // The lines that a secret stands in are left out by their placeholders.
            Err(Unusable::Secret(findings)) if redacts => {
                pass.warn(findings.into_iter().map(|finding| (finding.class.into_owned(), 1)));
                Ok(gate.mask(&text, &mut Masks::default()))
            }
            Err(secret) => Err(secret),
        }
    }

    /// Stops a text that holds a secret.
    fn check(&self, text: &str) -> Result<(), Unusable> {
        let findings = self.inner.doors.gate().inspect(text);
        if findings.is_empty() { Ok(()) } else { Err(Unusable::Secret(findings)) }
    }

    /// Records that there was no usable answer: when, and when to try again. Nothing else moves.
    fn fail(&mut self, pass: &mut PassReport, why: Unusable) -> Result<()> {
        let is_secret = matches!(why, Unusable::Secret(_));
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
                let blamed = |pattern| Blamed {
                    pattern,
                    places: Vec::new(),
                    journals: Vec::new(),
                    findings: Vec::new(),
                };
                pass.quarantined = classes.into_iter().map(blamed).collect();
            }
        }
        let (now, bounds) = (self.now, (&self.inner.config).into());
        self.state = commit::change_state(self.inner.workspace.as_ref(), &self.files, |state| {
            Calls::from(&*state).failed(now, &bounds).into_sleep(state);
            state.stopped = state.stopped.saturating_add(u32::from(is_secret));
        })?;
        append_log(self.inner.workspace.as_ref(), self.lease.as_ref(), &self.log_line(pass))
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
        self.without_told(&mut lines, drops);
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    /// Takes out the lines that hold a part of what was forgotten, or of an instruction in disguise.
    fn without_told(&self, lines: &mut Vec<String>, drops: &mut Drops) {
        let instructs = self.instructs(lines);
        instructs.iter().flatten().for_each(|_| drops.add(DropReason::Injection));
        let mut goes = self
            .tells_forgotten(lines)
            .into_iter()
            .zip(instructs)
            .map(|(told, found)| told || found.is_some());
        lines.retain(|_| !goes.next().unwrap_or(false));
    }

    /// For each line whether it holds a part of what was forgotten, which may be spread over lines.
    fn tells_forgotten(&self, lines: &[String]) -> Vec<bool> {
        let Some(forgotten) = &self.forgotten else { return vec![false; lines.len()] };
        touched(lines, &forgotten.inspect(&lines.join("\n"))).map(|found| found.is_some()).collect()
    }

    /// For each line the instruction of which it holds a part, where answers are looked through for any.
    fn instructs(&self, lines: &[String]) -> Vec<Option<String>> {
        let policy = self.inner.doors.policy_of(Door::DreamReply, &self.files.observations);
        if policy.injections != InjectionPolicy::Block {
            return vec![None; lines.len()];
        }
        let found = self.inner.doors.injections(&lines.join("\n"));
        touched(lines, &found).map(|found| Some(found?.class.clone().into_owned())).collect()
    }

    /// What the log that all dreams share says of a pass.
    fn log_line(&self, pass: &PassReport) -> LogLine {
        let slice = |slice: &ShownSlice| LogSource {
            name: slice.name.to_string(),
            from: slice.from,
            to: slice.to,
            sha256: self.sha256,
        };
        LogLine {
            v: 1,
            by: Some(LogLine::SLEEPER.to_owned()),
            at: Some(self.now),
            day: self.inner.config.day.date(self.begun),
            id: pass.dream_id.clone(),
            epoch: self.lease.epoch(),
            outcome: pass.outcome.word().to_owned(),
            sources: pass.shown.iter().map(slice).collect(),
            lines: Vec::new(),
            declined: Vec::new(),
            fates: pass.fates(),
            section_sha256: pass.section.as_ref().map(|section| Digest::of(section.as_bytes())),
            request_bytes: pass.request_bytes,
            usage: pass.usage,
            patterns: pass.quarantined.iter().map(|blamed| blamed.pattern.clone()).collect(),
        }
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

/// For each of these lines, joined, the first finding that holds a part of it.
fn touched<'a>(lines: &'a [String], findings: &'a [Finding]) -> impl Iterator<Item = Option<&'a Finding>> {
    let mut start = 0;
    lines.iter().map(move |line| {
        let place = start..start + line.len();
        start = place.end + 1;
        findings.iter().find(|finding| finding.span.start < place.end && place.start < finding.span.end)
    })
}

/// What a request shows: how secrets are numbered in it, and what was found.
#[derive(Default)]
pub(crate) struct Shown {
    masks: Masks,
    found: Vec<DoorWarning>,
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
