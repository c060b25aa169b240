//! A run over journals, pass by pass: select, ask, judge, commit, until nothing waits or the passes are used up.

use chrono::{DateTime, Utc};

use super::compact::compact;
use super::config::OverBudget;
use super::curation::{Curation, Material};
use super::dreamer::JournalDreamer;
use super::due::should_dream;
use super::queue::Queue;
use super::select::{self, Order, Situation, Survey};
use super::survey::DreamSurvey;
use crate::base::error::{Error, LostBy, Result};
use crate::base::gather::Gather as _;
use crate::base::name::StateName;
use crate::dream::commit;
use crate::dream::engine::{self, Asking, Calls, Dream, Due, Pass, Run, RunTerms, Then, breaker};
use crate::dreamer::{
    DreamMode, DreamReport, Dreamer, Failure, MemoryGauge, Notice, Outcome, PassReport, Step,
};
use crate::format::DreamId;
use crate::format::documents::curated;
use crate::format::state::log;
use crate::gate::Doors;
use crate::trace;

/// For how many of the last appended sections it is looked whether they still are in `MEMORY.md`.
const WATCHED_SECTIONS: usize = 30;

impl Dreamer for JournalDreamer {
    fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
        let config = &self.config;
        let terms = RunTerms { enabled: config.enabled, mode: config.mode, claim: &config.claim };
        engine::begin(&self.host, &terms, now, |run| {
            let mut curation = Curation::open(self.clone(), run)?;
            curation.watch_sections(run)?;
            Ok(curation)
        })
    }
}

impl JournalDreamer {
    /// Says what a run would find now. Each journal and why it would or would not be read, how much waits, and what an
    /// operator should know. For a status page: it claims, asks, tells and writes nothing, in whatever
    /// [`DreamMode`](crate::dream::DreamMode), also while a dream is under way. Off means off: where dreaming is, it
    /// reads nothing.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use chrono::Utc;
    /// use noctuary::dream::Due;
    /// use noctuary::{FileWorkspace, JournalDreamer};
    ///
    /// let folder = tempfile::tempdir()?;
    /// std::fs::create_dir(folder.path().join("memory"))?;
    /// let journal = format!("memory/{}-repl.md", Utc::now().date_naive());
    /// std::fs::write(folder.path().join(journal), "- 09:12 [user] We release on Friday.\n")?;
    ///
    /// let workspace = Arc::new(FileWorkspace::open(folder.path())?);
    /// let dreamer = JournalDreamer::builder(workspace).enabled(true).build()?;
    /// let survey = dreamer.survey(Utc::now())?;
    /// assert_eq!((survey.due, survey.backlog.journals), (Due::Now, 1));
    /// assert!(dreamer.state()?.last_run_at.is_none(), "it was no run");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where a state file does not parse; the errors of reading.
    pub fn survey(&self, now: DateTime<Utc>) -> Result<DreamSurvey> {
        let mode = self.config.mode;
        if !self.config.enabled {
            return Ok(DreamSurvey::of(
                Due::Off,
                DreamReport::begun(mode, self.host.workspace.location(), now),
            ));
        }
        let mut run = Run::unclaimed(&self.host, mode, now)?;
        let mut curation = Curation::open(self.clone(), &mut run)?;
        curation.watch_sections(&mut run)?;
        let mut due = should_dream(now, &curation.records.state, &self.config);
        if let Some(machine) = self.host.elsewhere(&curation.records.state) {
            due = Due::NotYet(engine::other_machine(now));
            run.report.notices.push(Notice::DreamsOn(machine));
        }
        let mut survey = curation.survey(&run, &run.doors())?;
        survey.leave_noise(run.workspace());
        curation.looks.note_unasked(&mut survey, &mut run.report);
        curation.complete(&mut run);
        Ok(DreamSurvey::of(due, run.report))
    }
}

impl Dream for Curation {
    type Material = Material;

    fn select(&mut self, run: &mut Run) -> Result<Option<Asking<Material>>> {
        let selected = self.next_request(run);
        if selected.is_err() && !run.report.passes.is_empty() {
            self.looks.give_back();
        }
        selected
    }

    /// Looks whether the state that the selection was made from still exists.
    fn check(&self, run: &Run) -> Result<()> {
        if run.lease.is_none() {
            return Ok(());
        }
        let standing = commit::state(run.workspace(), &StateName::DREAMED)?;
        if standing == self.records.state_bytes { Ok(()) } else { Err(Error::LeaseLost(LostBy::Watermark)) }
    }

    fn count(&mut self, run: &Run, pass: &PassReport) -> Result<()> {
        let state = &mut self.records.state;
        let calls = Calls::from(&*state);
        calls.called(run.now(), self.dreamer.config.day, pass.request_bytes, pass.usage).into_state(state);
        Ok(())
    }

    fn judge(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<Material>,
        answer: Result<String, Failure>,
    ) -> Result<Then> {
        let then = self.judge_answer(run, pass, answer)?;
        if pass.report.outcome != Outcome::Quarantined {
            self.order = Order::Oldest;
        }
        Ok(then)
    }

    fn complete(&mut self, run: &mut Run) {
        self.looks.report_backlog(self.dreamer.config.daily_log, &mut run.report);
        self.compact(run);
        self.looks.report_journals(&mut run.report);
        if self.dreamer.config.mode == DreamMode::Propose {
            let notices = self.queue(run).and_then(|queue| queue.notices());
            run.report.notices.extend(notices.unwrap_or_default());
        }
        if let Ok(gauge) = self.gauge(run) {
            if gauge.is_over() {
                run.report.notices.push(Notice::MemoryOverBudget);
            }
            run.report.memory = Some(gauge);
        }
    }
}

impl Curation {
    /// Notices sections that are gone from `MEMORY.md`. They are never appended again: a person may have
    /// taken them out.
    fn watch_sections(&mut self, run: &mut Run) -> Result<()> {
        let watched: Vec<DreamId> = {
            let promotions = log::promotions(&self.records.log);
            let standing =
                promotions.iter().rev().filter(|dream| ![log::UNDONE, log::ARCHIVED].contains(&dream.word));
            standing.take(WATCHED_SECTIONS).map(|dream| dream.id.clone()).gather()
        };
        if watched.is_empty() {
            return Ok(());
        }
        let (_, memory) = self.records.memory(run.host.workspace.as_ref())?;
        let gone = watched.into_iter().filter(|id| !curated::has_section(memory.bytes(), id));
        run.report.notices.extend(gone.map(Notice::SectionMissing));
        Ok(())
    }

    /// Goes to the next pass that needs the model; commits those that do not.
    fn next_request(&mut self, run: &mut Run) -> Result<Option<Asking<Material>>> {
        let dreamer = self.dreamer.clone();
        let (workspace, config, doors) = (dreamer.workspace(), &dreamer.config, run.doors());
        while !run.is_lost {
            let span = trace::select();
            let mut survey = span.attempt(|| self.survey(run, &doors))?;
            survey.leave(self.looks.tried());
            // A preview is asked for by a person, at the moment, and changes none of what is counted.
            let is_counted = config.mode != DreamMode::Preview && !config.insist;
            let calls = Calls::from(&self.records.state);
            let not_due =
                is_counted.then(|| breaker(run.now(), &calls, &config.budget, config.day)).flatten();
            let is_first = run.report.passes.is_empty();
            if run.report.calls >= config.max_passes || (not_due.is_some() && !survey.is_idle(workspace)) {
                self.looks.note_unasked(&mut survey, &mut run.report);
                if is_first {
                    run.put_off(not_due);
                }
                return Ok(None);
            }
            if config.mode == DreamMode::Propose
                && !survey.is_idle(workspace)
                && self.queue(run)?.is_full()?
            {
                self.looks.note_unasked(&mut survey, &mut run.report);
                if is_first {
                    run.report.outcome = Outcome::ProposalsFull;
                }
                return Ok(None);
            }
            let selection = span.within(|| survey.select(workspace, config, run.begun(), self.order));
            span.selected(survey.looks.len(), selection.slices.iter().map(|slice| slice.bytes.len()));
            self.looks.note(&mut survey, &mut run.report);
            if selection.slices.is_empty() {
                if is_first {
                    self.record_idle(run, &survey)?;
                }
                return Ok(None);
            }
            if let Some(asking) = self.prepare(run, survey, selection)? {
                return Ok(Some(asking));
            }
        }
        Ok(None)
    }

    /// Looks at all journals.
    fn survey(&self, run: &Run, doors: &Doors) -> Result<Survey> {
        select::survey(Situation {
            workspace: run.workspace(),
            config: &self.dreamer.config,
            now: run.begun(),
            ledger: &self.records.ledger,
            state: &self.records.state,
            quarantine: &self.records.quarantine,
            may_show: &|name| !doors.hides(name.as_str()),
        })
    }

    /// Returns the proposals that nobody has answered.
    fn queue<'a>(&'a mut self, run: &'a Run) -> Result<Queue<'a>> {
        let workspace = run.workspace();
        let list = self.records.proposals(workspace)?;
        Ok(Queue { workspace, list, config: &self.dreamer.config, now: run.now() })
    }

    /// Returns the fill level of curated memory.
    fn gauge(&mut self, run: &Run) -> Result<MemoryGauge> {
        let (_, memory) = self.records.memory(run.workspace())?;
        let chars = memory.text().chars().count() as u64;
        Ok(MemoryGauge { chars, budget: self.dreamer.config.memory_budget })
    }

    /// Moves sections to the archive, where that is wanted. A failure keeps the report.
    fn compact(&mut self, run: &mut Run) {
        let is_wanted = self.dreamer.config.over_budget == OverBudget::Archive && !run.is_lost;
        if !is_wanted || run.lease.is_none() || self.gauge(run).is_ok_and(|gauge| !gauge.is_over()) {
            return;
        }
        let (budget, day, now) = (self.dreamer.config.memory_budget, self.day(run), run.now());
        let Run { host, lease: Some(lease), report, .. } = run else { return };
        let (workspace, lease) = (host.workspace.as_ref(), lease.as_ref());
        if let Err(error) = compact(workspace, lease, budget, day, now, &mut report.archived) {
            report.notices.push(Notice::NotArchived(error.to_string()));
        }
    }
}
