//! One shape under the dreamers over a memory store: claim, pace, the file of what was asked, and the end of an answer.
//!
//! A dreamer of one kind is a [`Question`]: it says what is asked, how an answer is read, and what is committed.

use chrono::{DateTime, Utc};

use super::begin::{RunTerms, begin};
use super::dream::{Asking, Dream, Pass, Then};
use super::due::Due;
use super::host::Host;
use super::pace::Pace;
use super::request::tell_request;
use super::run::Run;
use crate::base::access::{Access, Actor, Scope, SessionKind};
use crate::base::digest::Digest;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::dreamer::{DreamMode, Failure, Hold, HoldReason, LineOutcome, Outcome, PassReport, Step};
use crate::format::DreamId;
use crate::format::state::asked::AskedState;
use crate::gate::{Door, DoorWarning, InjectionPolicy, Masks, PLACEHOLDER, TombstoneKey, is_struck};
use crate::llm::LlmRequest;

/// Workspace, state file and access of a dreamer over a store.
#[derive(Clone)]
pub(crate) struct StoreDreamer {
    pub(crate) host: Host,
    pub(crate) file: StateName,
    pub(crate) access: Access,
}

impl StoreDreamer {
    /// Checks the doors and the scope, which is that of the workspace and of the store, as far as they know theirs. Each
    /// run would be denied otherwise.
    pub(crate) fn new(host: Host, file: StateName, scope: Scope, of_store: Option<&Scope>) -> Result<Self> {
        host.doors.check_of_dream()?;
        if !host.workspace.scope().into_iter().chain(of_store).all(|own| *own == scope) {
            return Err(Error::Config {
                setting: "scope",
                rule: "must be the same for the store and the workspace",
            });
        }
        let access = Access::new(SessionKind::Main, Actor::Library, scope);
        Ok(Self { host, file, access })
    }

    /// Reads what was asked.
    pub(crate) fn read(&self) -> Result<AskedState> {
        self.parse(self.host.workspace.read(&self.file)?.as_ref())
    }

    pub(crate) fn parse(&self, document: Option<&Document>) -> Result<AskedState> {
        let key = || hex::encode(TombstoneKey::random().as_bytes());
        AskedState::parse(&self.file, document.map(Document::bytes), key)
    }

    /// Begins a run of `question`, made of the state file.
    pub(crate) fn begin<Q: Question>(
        &self,
        enabled: bool,
        pace: &Pace,
        now: DateTime<Utc>,
        question: impl FnOnce(Paced) -> Q,
    ) -> Result<Step> {
        let terms = RunTerms { enabled, mode: DreamMode::Append, claim: &pace.claim };
        begin(&self.host, &terms, now, |run| {
            let state = self.read()?;
            let mut question = question(Paced { file: self.file.clone(), state, pace: pace.clone() });
            match question.recover(run) {
                Err(Error::LeaseLost(by)) => run.lose(None, by),
                recovered => recovered?,
            }
            Ok(question)
        })
    }
}

/// The part of a run that differs between the dreamers over a store.
pub(crate) trait Question: Send + 'static {
    /// The material by which an answer is read.
    type Material: Send + 'static;
    /// An answer in its form.
    type Answer;

    /// Returns the state file, and the pace.
    fn paced(&mut self) -> &mut Paced;

    /// Carries out what an earlier run could not.
    fn recover(&mut self, _run: &Run) -> Result<()> {
        Ok(())
    }

    /// Makes the request of the next pass; `None` where there is nothing to ask.
    fn ask(&mut self, run: &mut Run) -> Result<Option<Asking<Self::Material>>>;

    /// Reads an answer.
    fn read(&self, run: &Run, material: &Self::Material, text: &str) -> Result<Self::Answer, Failure>;

    /// Commits an answer, and writes down that the call ended. The pass says how.
    fn commit(&mut self, run: &Run, pass: &mut Pass<Self::Material>, answer: Self::Answer) -> Result<Then>;

    /// Completes the report of a run that ends.
    fn complete(&mut self, _run: &mut Run) {}
}

/// The state file of a run, and the pace of its calls.
pub(crate) struct Paced {
    file: StateName,
    pub(crate) state: AskedState,
    pub(crate) pace: Pace,
}

impl Paced {
    /// Returns whether a further call may be made; the first one has to be due.
    fn may_ask(&self, run: &mut Run) -> bool {
        let (calls, now) = (run.report.calls, run.now());
        if calls > 0 {
            return calls < self.pace.max_passes && self.pace.breaker(now, &self.state.pace).is_none();
        }
        if let Due::NotYet(not_due) = self.pace.due(now, true, &self.state.pace) {
            run.put_off(Some(not_due));
            return false;
        }
        true
    }

    /// Returns the most bytes of the next request, beside those `around` its material.
    pub(crate) fn room(&self, run: &Run, around: usize) -> usize {
        self.pace.room(run.now(), &self.state.pace).saturating_sub(around)
    }

    /// Says that no request fits into the day any more.
    pub(crate) fn put_off(&self, run: &mut Run) {
        run.put_off(Some(self.pace.used_up(run.now(), &self.state.pace)));
    }

    /// Begins the report of a request, and bounds its answer.
    pub(crate) fn report(
        &self,
        id: Digest,
        request: &mut LlmRequest,
        masks: &Masks,
        found: &[DoorWarning],
    ) -> PassReport {
        request.max_output_tokens = self.pace.budget.max_output_tokens;
        let mut report = PassReport::new(DreamId::from_digest(id));
        tell_request(&mut report, request, masks, found);
        report
    }

    /// Notes how a call ended, without writing it.
    pub(crate) fn stamp(&mut self, run: &Run, outcome: Outcome) {
        self.pace.stamp(&mut self.state.pace, run.now(), outcome);
    }

    /// Writes down how a call ended.
    pub(crate) fn end(&mut self, run: &Run, outcome: Outcome) -> Result<()> {
        self.stamp(run, outcome);
        self.keep(run)
    }

    /// Writes the state file.
    pub(crate) fn keep(&self, run: &Run) -> Result<()> {
        run.lease().replace(&self.file, &self.state.print())
    }
}

impl<Q: Question> Dream for Q {
    type Material = Q::Material;

    fn select(&mut self, run: &mut Run) -> Result<Option<Asking<Q::Material>>> {
        if self.paced().may_ask(run) { self.ask(run) } else { Ok(None) }
    }

    fn count(&mut self, run: &Run, pass: &PassReport) -> Result<()> {
        let Paced { pace, state, .. } = self.paced();
        pace.count(&mut state.pace, run.now(), pass);
        Ok(())
    }

    fn judge(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<Q::Material>,
        answer: Result<String, Failure>,
    ) -> Result<Then> {
        match answer.and_then(|text| self.read(run, &pass.material, &text)) {
            Ok(answer) => self.commit(run, pass, answer),
            Err(failure) => {
                pass.report.failure = Some(failure);
                pass.report.outcome = Outcome::LlmError;
                self.paced().end(run, Outcome::LlmError)?;
                Ok(Then::End)
            }
        }
    }

    fn complete(&mut self, run: &mut Run) {
        Question::complete(self, run);
    }
}

/// Returns a line of an answer as a report may tell it, and why no store is given it.
pub(crate) fn refused(run: &Run, line: &str) -> (String, Option<LineOutcome>) {
    if run.forgotten.as_ref().is_some_and(|forgotten| forgotten.holds(line)) {
        return ("[REDACTED:forgotten#1]".to_owned(), Some(LineOutcome::Forgotten));
    }
    let fate = if is_struck(line) {
        Some(LineOutcome::Forgotten)
    } else if line.contains(PLACEHOLDER) {
        Some(held(Some("secret".to_owned())))
    } else {
        instruction(run, line).map(|class| held(Some(class)))
    };
    (line.to_owned(), fate)
}

/// Returns the fate of a line that the door of a store stopped.
pub(crate) fn stopped(error: Error) -> Result<LineOutcome> {
    match error {
        Error::Stopped { classes, .. } => Ok(held(classes.into_iter().next())),
        error => Err(error),
    }
}

/// Returns the fate of a line that is held for a word.
pub(crate) fn held(word: Option<String>) -> LineOutcome {
    LineOutcome::Held(Hold { reason: HoldReason::Injection, word })
}

/// Returns the class of an instruction in disguise, where the door of answers blocks them.
fn instruction(run: &Run, line: &str) -> Option<String> {
    let doors = &run.host.doors;
    if doors.policy_of(Door::DreamReply, &DocName::MEMORY).injections != InjectionPolicy::Block {
        return None;
    }
    Some(doors.injections(line).into_iter().next()?.class.into_owned())
}
