//! A sleep: an ordinary dream over the words since the last one, and after every tenth a deep sleep.

use chrono::{DateTime, Utc};

use super::about::About;
use super::dreamer::SleepDreamer;
use super::night::Night;
use crate::base::error::Result;
use crate::dream::commit as commits;
use crate::dream::commit::sleeper as commit;
use crate::dream::engine::{self, Asking, Dream, Pass, Run, RunTerms, Then, breaker};
use crate::dreamer::{Backlog, DreamMode, Dreamer, Failure, Outcome, PassReport, Step};
use crate::format::state::sleep_intent::SleepIntent;
use crate::trace;

impl Dreamer for SleepDreamer {
    fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
        let config = &self.config;
        let terms = RunTerms { enabled: config.enabled, mode: DreamMode::Append, claim: &config.claim };
        engine::begin(&self.host, &terms, now, |run| {
            let unfinished: Option<SleepIntent> =
                commits::recover(run.workspace(), run.lease(), run.forgotten.as_deref())?;
            run.report.recovered = unfinished.map(|intent| intent.id);
            let state = commit::state(run.workspace(), &self.files)?;
            Ok(Night { dreamer: self.clone(), state })
        })
    }
}

impl Dream for Night {
    type Material = About;

    /// Selects a dream if anything waits, then a deep sleep if one is owed.
    fn select(&mut self, run: &mut Run) -> Result<Option<Asking<About>>> {
        let is_first = run.report.passes.is_empty();
        let slice = if is_first { Some(trace::select().attempt(|| self.slice())?) } else { None };
        let is_waiting = |slice: &super::about::Slice| {
            !slice.is_empty() && self.state.actions >= self.dreamer.config.min_actions
        };
        let waits = slice.as_ref().is_some_and(is_waiting);
        if !waits && !self.is_deep_owed() {
            if slice.is_some_and(|slice| slice.is_empty()) {
                self.rest(run)?;
            }
            return Ok(None);
        }
        let (calls, config) = ((&self.state).into(), &self.dreamer.config);
        if let Some(not_due) = breaker(run.now(), &calls, &config.budget, config.day) {
            if is_first {
                run.put_off(Some(not_due));
            }
            return Ok(None);
        }
        match slice.filter(|_| waits) {
            Some(slice) => self.ask_for_dream(run, slice).map(Some),
            None => self.ask_for_deep(run).map(Some),
        }
    }

    fn count(&mut self, run: &Run, pass: &PassReport) -> Result<()> {
        self.count_call(run, pass)
    }

    fn judge(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<About>,
        answer: Result<String, Failure>,
    ) -> Result<Then> {
        match self.read(run, answer, &mut pass.report) {
            Err(failure) => self.fail(run, pass, failure)?,
            Ok(text) => match &pass.material {
                About::Dream(_) => self.judge_dream(run, pass, &text)?,
                About::Deep(_) => self.judge_deep(run, pass, &text)?,
            },
        }
        let is_dream = matches!(pass.material, About::Dream(_));
        // After a dream that failed nothing is owed.
        let goes_on = is_dream && pass.report.outcome == Outcome::Appended;
        Ok(if goes_on { Then::GoOn } else { Then::End })
    }

    /// Returns whether the report goes to the caller although the deep sleep failed: the dream itself was committed.
    fn keeps_report(&self, run: &Run) -> bool {
        !run.report.passes.is_empty()
    }

    fn complete(&mut self, run: &mut Run) {
        Self::sleep(run).dream = self.state.dreams;
        let len = run.workspace().metadata(&self.dreamer.files.conversation).ok().flatten();
        let waits = len.map_or(0, |metadata| metadata.len).saturating_sub(self.state.read);
        run.report.backlog = Backlog { journals: u64::from(waits > 0), bytes: waits, oldest: None };
    }
}

impl Night {
    /// Returns whether the last dream was to be a deep sleep, and that has not happened yet.
    fn is_deep_owed(&self) -> bool {
        let count = |dreams: u64| self.dreamer.config.deep_sleep_every.map_or(0, |every| dreams / every);
        count(self.state.dreams) > count(self.state.last_deep)
    }

    /// There is nothing to dream of, so the fatigue of its actions is cleared.
    fn rest(&mut self, run: &Run) -> Result<()> {
        let actions = self.state.actions;
        if actions > 0 {
            run.check_lease()?;
            self.state = commit::change_state(run.workspace(), &self.dreamer.files, |state| {
                state.actions = state.actions.saturating_sub(actions);
                state.warned = false;
            })?;
        }
        Ok(())
    }
}
