//! A sleep under its claim: what dreams and deep sleeps share.

use super::about::About;
use super::clean::{CleanLine, clean_line};
use super::dreamer::SleepDreamer;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, Name};
use crate::base::spread::Spread;
use crate::base::text;
use crate::dream::commit::sleeper as commit;
use crate::dream::commit::{self as commits, append_log};
use crate::dream::engine::{Asking, Calls, Pass, Run, SectionCaps, mask_printed, tell_request};
use crate::dreamer::{Blamed, DropReason, Dropped, Failure, Outcome, PassReport, ShownSlice, SleepReport};
use crate::format::SleepState;
use crate::format::replies::fences::{ShownLine, printed};
use crate::format::state::log::{LogLine, LogSource};
use crate::format::state::sleep_intent::{FileChange, SettledSleep, SleepIntent};
use crate::gate::{Door, DoorWarning, Finding, InjectionPolicy, Masks, SecretPolicy, is_struck};
use crate::llm::LlmRequest;

/// The number of answers in a row that are stopped for a secret. In the next answer, only the parts with the secret are left out.
/// Else a model that repeats one key again and again would stop all dreams of a sleeper.
const MAX_STOPPED_ANSWERS: u32 = 2;

/// A run that sleeps.
pub(crate) struct Night {
    pub(crate) dreamer: SleepDreamer,
    pub(crate) state: SleepState,
}

impl Night {
    /// Returns a request with its pass.
    pub(crate) fn ask(
        &self,
        mut request: LlmRequest,
        mut report: PassReport,
        shown: &Shown,
        material: About,
    ) -> Asking<About> {
        request.max_output_tokens = self.dreamer.config.budget.max_output_tokens;
        tell_request(&mut report, &request, &shown.masks, &shown.found);
        Asking { request, pass: Pass { report, material } }
    }

    /// Counts a call. The state is read anew: awake or not, somebody may have counted an action meanwhile.
    pub(crate) fn count_call(&mut self, run: &Run, pass: &PassReport) -> Result<()> {
        let day = self.dreamer.config.day;
        self.state = commit::change_state(self.dreamer.workspace(), &self.dreamer.files, |state| {
            let calls = Calls::from(&*state);
            calls.called(run.now(), day, pass.request_bytes, pass.usage).into_sleep(state);
        })?;
        Ok(())
    }

    /// Reads the part of an answer that does not depend on the question.
    pub(crate) fn read(
        &self,
        run: &Run,
        answer: Result<String, Failure>,
        pass: &mut PassReport,
    ) -> Result<String, Unusable> {
        let gate = run.host.doors.gate();
        let text = answer?;
        let policy = run.host.doors.policy_of(Door::DreamReply, &self.dreamer.files.observations);
        let redacts = policy.secrets == SecretPolicy::Redact || self.state.stopped >= MAX_STOPPED_ANSWERS;
        match check(run, &text) {
            Ok(()) => Ok(text),
            // The lines that a secret stands in are left out by their placeholders.
            Err(Unusable::Secret(findings)) if redacts => {
                pass.warn(findings.into_iter().map(|finding| (finding.class.into_owned(), 1)));
                Ok(gate.mask(&text, &mut Masks::default()))
            }
            Err(secret) => Err(secret),
        }
    }

    /// Records that there was no usable answer: when, and when to try again. Nothing else moves.
    pub(crate) fn fail(&mut self, run: &Run, pass: &mut Pass<About>, why: Unusable) -> Result<()> {
        let Pass { report: pass, material } = pass;
        let is_secret = matches!(why, Unusable::Secret(_));
        match why {
            Unusable::Failed(failure) => {
                pass.outcome = Outcome::LlmError;
                pass.failure = Some(failure);
            }
            Unusable::Secret(findings) => {
                pass.outcome = Outcome::Quarantined;
                let mut classes: Vec<String> =
                    findings.iter().map(|finding| finding.class.clone().into_owned()).gather();
                classes.sort();
                classes.dedup();
                // No journal is to blame, and the conversation waits as a whole.
                let blamed = |pattern| Blamed {
                    pattern,
                    places: Vec::new(),
                    journals: Vec::new(),
                    findings: Vec::new(),
                };
                pass.quarantined = classes.into_iter().map(blamed).gather();
            }
        }
        let budget = &self.dreamer.config.budget;
        self.state = commit::change_state(self.dreamer.workspace(), &self.dreamer.files, |state| {
            Calls::from(&*state).failed(run.now(), budget).into_sleep(state);
            state.stopped = state.stopped.saturating_add(u32::from(is_secret));
        })?;
        append_log(self.dreamer.workspace(), run.lease(), &self.log_line(run, pass, material.sha256()))
    }

    /// Cleans lines of prose: each is kept, or left out with its reason. Blank ones part paragraphs.
    pub(crate) fn prose(&self, run: &Run, text: &str, caps: &SectionCaps, drops: &mut Drops) -> Vec<String> {
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
        self.without_told(run, &mut lines, drops);
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }

    /// Takes out the lines that hold a part of what was forgotten, or of an instruction in disguise.
    pub(crate) fn without_told(&self, run: &Run, lines: &mut Vec<String>, drops: &mut Drops) {
        let instructs = self.instructs(run, lines);
        instructs.iter().flatten().for_each(|_| drops.add(DropReason::Injection));
        let mut goes = tells_forgotten(run, lines)
            .into_iter()
            .zip(instructs)
            .map(|(told, found)| told || found.is_some());
        lines.retain(|_| !goes.next().unwrap_or(false));
    }

    /// Returns for each line the instruction that it holds a part of, if answers are searched for any.
    pub(crate) fn instructs(&self, run: &Run, lines: &[String]) -> Vec<Option<String>> {
        let policy = run.host.doors.policy_of(Door::DreamReply, &self.dreamer.files.observations);
        if policy.injections != InjectionPolicy::Block {
            return vec![None; lines.len()];
        }
        let found = run.host.doors.injections(&lines.join("\n"));
        touched(lines, &found).map(|found| Some(found?.class.clone().into_owned())).gather()
    }

    /// Returns the line for the log that all dreams share, with the hash of the request's content.
    fn log_line(&self, run: &Run, pass: &PassReport, sha256: Digest) -> LogLine {
        let slice = |slice: &ShownSlice| LogSource {
            name: slice.name.to_string(),
            from: slice.from,
            to: slice.to,
            sha256,
        };
        LogLine {
            by: Some("sleeper".to_owned()),
            sources: pass.shown.iter().map(slice).gather(),
            ..run.log_line(self.dreamer.config.day.date(run.begun()), pass)
        }
    }

    pub(crate) fn append(&self, name: &DocName, text: &str) -> Result<FileChange> {
        let before_len = self.dreamer.workspace().metadata(name)?.map_or(0, |metadata| metadata.len);
        let last = self.dreamer.workspace().read_range(name, before_len.saturating_sub(1)..before_len)?;
        // A torn last line of somebody else's is ended, so that it spoils no other.
        let gap = if last.is_empty() || last == b"\n" { "" } else { "\n" };
        Ok(FileChange::Append {
            name: name.clone(),
            text: format!("{gap}{text}"),
            before_len,
            entries: Vec::new(),
        })
    }

    pub(crate) fn replace(&self, name: &DocName, text: String) -> Result<FileChange> {
        let before = self.dreamer.workspace().read(name)?.map(|standing| standing.revision());
        Ok(FileChange::Replace { name: name.clone(), text, before })
    }

    /// Commits, and takes over what the state is then.
    pub(crate) fn commit(
        &mut self,
        run: &Run,
        pass: &Pass<About>,
        changes: Vec<FileChange>,
        settled: SettledSleep,
    ) -> Result<()> {
        let log = self.log_line(run, &pass.report, pass.material.sha256());
        let intent = SleepIntent::new(self.dreamer.config.folder.clone(), changes, settled, log);
        self.state = commits::commit(self.dreamer.workspace(), run.lease(), &intent)?;
        Ok(())
    }

    /// Returns the report of the sleep.
    pub(crate) fn sleep(run: &mut Run) -> &mut SleepReport {
        run.report.sleep.get_or_insert_default()
    }
}

/// Returns for each of these lines, joined, the first finding that holds a part of it.
fn touched<'a>(lines: &'a [String], findings: &'a [Finding]) -> impl Iterator<Item = Option<&'a Finding>> {
    let mut start = 0;
    lines.iter().map(move |line| {
        let place = start..start + line.len();
        start = place.end + 1;
        findings.iter().find(|finding| finding.span.start < place.end && place.start < finding.span.end)
    })
}

/// Stops a text that holds a secret.
pub(crate) fn check(run: &Run, text: &str) -> Result<(), Unusable> {
    let findings = run.host.doors.gate().inspect(text);
    if findings.is_empty() { Ok(()) } else { Err(Unusable::Secret(findings)) }
}

/// Returns for each line whether it holds a part of a forgotten statement, or the mark in its place. The statement may
/// be spread over lines.
pub(crate) fn tells_forgotten(run: &Run, lines: &[String]) -> Vec<bool> {
    let found =
        run.forgotten.as_ref().map(|forgotten| forgotten.inspect(&lines.join("\n"))).unwrap_or_default();
    touched(lines, &found).zip(lines).map(|(found, line)| found.is_some() || is_struck(line)).gather()
}

/// The content of a request: its numbers of secrets, and the findings.
#[derive(Default)]
pub(crate) struct Shown {
    pub(crate) masks: Masks,
    pub(crate) found: Vec<DoorWarning>,
}

impl Shown {
    /// Returns a text as a model is shown it; what was found in it is added.
    pub(crate) fn masked(&mut self, run: &Run, name: &Name, text: &str) -> Result<String> {
        let doors = run.doors();
        let policy = doors.policy_of(Door::DreamRequest, name);
        let passed = doors.judge(Door::DreamRequest, policy, name, text, &mut self.masks)?;
        self.found.extend(passed.warnings);
        Ok(passed.text.into_owned())
    }

    /// Returns a text as it is printed, without what only is there then: control characters may have hidden it.
    pub(crate) fn printed(&mut self, run: &Run, name: &DocName, text: &str) -> Result<String> {
        let printed = printed(text.trim_start_matches(text::BOM));
        let masked = mask_printed(&printed, name, &run.doors(), &mut self.masks, &mut self.found)?;
        Ok(masked.unwrap_or(printed))
    }

    /// Masks what only is in lines as they are printed.
    pub(crate) fn mask_lines(&mut self, run: &Run, name: &DocName, lines: &mut [ShownLine]) -> Result<()> {
        let joined: Vec<&str> = lines.iter().map(|line| line.text.as_str()).gather();
        let masked = mask_printed(&joined.join("\n"), name, &run.doors(), &mut self.masks, &mut self.found)?;
        for (line, masked) in lines.iter_mut().zip(masked.iter().spread(|masked| masked.split('\n'))) {
            masked.clone_into(&mut line.text);
        }
        Ok(())
    }
}

/// Why there is no text to work with.
pub(crate) enum Unusable {
    Failed(Failure),
    Secret(Vec<Finding>),
}

impl From<Failure> for Unusable {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Counts of the parts of an answer that were left out.
#[derive(Default)]
pub(crate) struct Drops(std::collections::BTreeMap<DropReason, u32>);

impl Drops {
    pub(crate) fn add(&mut self, reason: DropReason) {
        self.take(&[Dropped { reason, count: 1 }]);
    }

    pub(crate) fn take(&mut self, dropped: &[Dropped]) {
        for Dropped { reason, count } in dropped {
            *self.0.entry(*reason).or_default() += count;
        }
    }

    pub(crate) fn has(&self, reason: DropReason) -> bool {
        self.0.contains_key(&reason)
    }

    pub(crate) fn into_dropped(self) -> Vec<Dropped> {
        self.0.into_iter().map(|(reason, count)| Dropped { reason, count }).gather()
    }
}

/// Returns a line as it may be kept; `None` where nothing is left of it, or it is too long.
pub(crate) fn clean(line: &str, caps: &SectionCaps, drops: &mut Drops) -> Option<String> {
    let CleanLine { text, over, dropped } = clean_line(line, caps);
    drops.take(&dropped);
    text.filter(|_| over.is_none())
}

/// Returns the texts of lines.
pub(crate) fn texts(lines: &[ShownLine]) -> impl Iterator<Item = &str> {
    lines.iter().map(|line| line.text.as_str())
}
