//! The loop over the passes of a run: claim, select, ask, judge, report.

use std::fmt;
use std::ops::ControlFlow;

use chrono::{DateTime, Utc};

use super::dream::{Asking, Dream, Pass, Then};
use super::host::{Host, other_machine};
use super::reply::whole;
use super::run::Run;
use crate::base::error::{Error, Result};
use crate::base::name::StateName;
use crate::dreamer::{DreamMode, DreamPass, Notice, Outcome, Step};
use crate::format::DreamedState;
use crate::llm::{LlmError, LlmReply, LlmRequest};
use crate::workspace::{Claim, ClaimTerms};

/// The terms on which a run begins.
pub(crate) struct RunTerms<'a> {
    /// Whether the dreamer is on. Off: nothing is touched, and nobody is called or told.
    pub(crate) enabled: bool,
    pub(crate) mode: DreamMode,
    pub(crate) claim: &'a ClaimTerms,
}

/// Claims the workspace, opens a dream, and goes to its first request. `open` finishes what an earlier run left half
/// done, and reads what the dream goes by.
pub(crate) fn begin<D: Dream>(
    host: &Host,
    terms: &RunTerms<'_>,
    now: DateTime<Utc>,
    open: impl FnOnce(&mut Run) -> Result<D>,
) -> Result<Step> {
    let mut run = match start(host, terms, now)? {
        ControlFlow::Continue(run) => run,
        ControlFlow::Break(step) => return Ok(step),
    };
    let dream = open(&mut run)?;
    Dreaming { run, dream }.next()
}

/// Begins a run that holds the lease, or ends it.
fn start(host: &Host, terms: &RunTerms<'_>, now: DateTime<Utc>) -> Result<ControlFlow<Step, Run>> {
    let mut run = Run::new(host, terms.mode, now);
    if !terms.enabled {
        return Ok(ControlFlow::Break(Step::Done(Box::new(run.report))));
    }
    // A preview writes nothing, so it may run anywhere.
    if terms.mode != DreamMode::Preview
        && let Some(file) = run.workspace().read(&StateName::DREAMED)?
        && let Some(machine) = host.elsewhere(&DreamedState::read(Some(file.bytes())).state)
    {
        run.put_off(Some(other_machine(now)));
        run.report.notices.push(Notice::DreamsOn(machine));
        return Ok(ControlFlow::Break(run.end()));
    }
    let lease = match terms.mode {
        DreamMode::Preview => None,
        DreamMode::Append | DreamMode::Propose => match run.workspace().claim(terms.claim)? {
            Claim::Granted(lease) => Some(lease),
            Claim::Held(holder) => {
                run.report.outcome = Outcome::LockHeld;
                run.report.holder = Some(holder);
                return Ok(ControlFlow::Break(run.end()));
            }
        },
    };
    run.go(lease)?;
    Ok(ControlFlow::Continue(run))
}

/// A run between two requests.
struct Dreaming<D> {
    run: Run,
    dream: D,
}

impl<D: Dream> Dreaming<D> {
    /// Goes to the next request, or ends. A failure after a committed pass ends the run and keeps the report.
    fn next(mut self) -> Result<Step> {
        if self.run.is_lost {
            return Ok(self.end());
        }
        match self.dream.select(&mut self.run) {
            Ok(Some(asking)) => Ok(Step::Ask(Box::new(Waiting { dreaming: self, asking }))),
            Ok(None) => Ok(self.end()),
            Err(Error::LeaseLost(by)) => {
                self.run.lose(None, by);
                Ok(self.end())
            }
            Err(error) if self.run.report.passes.is_empty() => Err(error),
            Err(error) => {
                self.run.stop_early(&error);
                Ok(self.end())
            }
        }
    }

    fn judge(
        &mut self,
        pass: &mut Pass<D::Material>,
        answer: Result<LlmReply, LlmError>,
        now: DateTime<Utc>,
    ) -> Result<Then> {
        let Self { run, dream } = self;
        run.answered(&mut pass.report, &answer, now);
        run.fence()?;
        dream.check(run)?;
        dream.count(run, &pass.report)?;
        let answer = whole(answer, run.host.doors.gate());
        dream.judge(run, pass, answer)
    }

    fn end(mut self) -> Step {
        self.dream.complete(&mut self.run);
        self.run.end()
    }
}

/// A run that waits for the model.
struct Waiting<D: Dream> {
    dreaming: Dreaming<D>,
    asking: Asking<D::Material>,
}

impl<D: Dream> fmt::Debug for Waiting<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pass = &self.asking.pass.report;
        f.debug_struct("DreamPass")
            .field("dream_id", &pass.dream_id)
            .field("shown", &pass.shown)
            .field("request_bytes", &pass.request_bytes)
            .finish_non_exhaustive()
    }
}

impl<D: Dream> DreamPass for Waiting<D> {
    fn request(&self) -> &LlmRequest {
        &self.asking.request
    }

    fn resume(self: Box<Self>, answer: Result<LlmReply, LlmError>, now: DateTime<Utc>) -> Result<Step> {
        let Self { mut dreaming, asking: Asking { mut pass, .. } } = *self;
        match dreaming.judge(&mut pass, answer, now) {
            Ok(then) => {
                dreaming.run.close(pass.report);
                if then == Then::GoOn { dreaming.next() } else { Ok(dreaming.end()) }
            }
            Err(Error::LeaseLost(by)) => {
                dreaming.run.lose(Some(pass.report), by);
                Ok(dreaming.end())
            }
            Err(error) if dreaming.dream.keeps_report(&dreaming.run) => {
                dreaming.run.stop_early(&error);
                Ok(dreaming.end())
            }
            Err(error) => Err(error),
        }
    }
}
