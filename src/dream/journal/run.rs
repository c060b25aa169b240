//! A run, pass by pass: select, ask, judge, commit, until nothing waits or the passes are used up.

mod judge;
mod record;
mod request;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::propose::Queue;
use super::select::{self, Look, Order, Selection, Situation, Survey, is_waiting};
use super::{Inner, compact, due};
use crate::base::error::{Error, LostBy, Result};
use crate::base::name::{DocName, StateName};
use crate::dream::evidence::Shown;
use crate::dream::{DreamSurvey, Due, OverBudget, commit};
use crate::dreamer::{
    DreamMode, DreamPass, DreamReport, MemoryGauge, Notice, Outcome, PassReport, ReadReason, Step,
};
use crate::format::documents::curated;
use crate::format::state::intent::Intent;
use crate::format::state::ledger::Ledger;
use crate::format::state::log::{self, Remembered};
use crate::format::state::undone::Undone;
use crate::format::{DreamId, DreamedState, JournalName, Quarantine};
use crate::gate::{Doors, Tombstones};
use crate::llm::{LlmError, LlmReply, LlmRequest};
use crate::session;
use crate::trace;
use crate::workspace::{Claim, Lease, WorkspaceExt};
use request::Prepared;

/// For how many of the last appended sections it is looked whether they still stand in `MEMORY.md`.
const WATCHED_SECTIONS: usize = 30;

/// How much of the log's end is remembered, in bytes.
pub(crate) const MOST_LOG: u64 = 16 << 20;

/// One call of `begin`, until its last `resume`.
pub(crate) struct Run {
    inner: Arc<Inner>,
    /// `None` in a preview, which claims and writes nothing.
    lease: Option<Box<dyn Lease>>,
    begun: DateTime<Utc>,
    now: DateTime<Utc>,
    state: DreamedState,
    /// The state file as it was read or written last; another content is a peer's.
    state_bytes: Option<Vec<u8>>,
    ledger: Ledger,
    quarantine: Quarantine,
    forgotten: Option<Arc<Tombstones>>,
    log: Vec<Remembered>,
    asked: u32,
    order: Order,
    /// The journals of which every line of an answer was held in this run.
    tried: BTreeSet<DocName>,
    /// Every journal that was seen, ascending.
    journals: Vec<(JournalName, Look)>,
    report: DreamReport,
}

impl Run {
    /// Claims, recovers and loads; then goes to the first pass.
    pub(crate) fn begin(inner: Arc<Inner>, now: DateTime<Utc>) -> Result<Step> {
        let mut report = DreamReport::begun(inner.config.mode, inner.workspace.location(), now);
        if !inner.config.enabled {
            return Ok(Step::Done(Box::new(report)));
        }
        let lease = match inner.config.mode {
            DreamMode::Preview => None,
            DreamMode::Append | DreamMode::Propose => match inner.workspace.claim(&inner.config.claim)? {
                Claim::Granted(lease) => Some(lease),
                Claim::Held(holder) => {
                    report.outcome = Outcome::LockHeld;
                    report.holder = Some(holder);
                    inner.tell(Outcome::LockHeld, None, Vec::new(), Vec::new());
                    return Ok(Step::Done(Box::new(report)));
                }
            },
        };
        let mut run = Self::load(inner, lease, report, now)?;
        run.watch_sections()?;
        run.next()
    }

    /// Says what a run would find, and would read or not. Claims, asks and writes nothing.
    pub(crate) fn survey(inner: Arc<Inner>, now: DateTime<Utc>) -> Result<DreamSurvey> {
        let report = DreamReport::begun(inner.config.mode, inner.workspace.location(), now);
        if !inner.config.enabled {
            return Ok(DreamSurvey::of(Due::Off, report));
        }
        let mut run = Self::load(inner, None, report, now)?;
        run.watch_sections()?;
        let due = due::should_dream(now, &run.state, &run.inner.config);
        let mut survey = run.look(&run.doors())?;
        run.note_unasked(&mut survey);
        run.complete();
        Ok(DreamSurvey::of(due, run.report))
    }

    /// Reads what earlier runs left. With a lease, what a crash left half done is finished first; without, it counts as
    /// done.
    fn load(
        inner: Arc<Inner>,
        lease: Option<Box<dyn Lease>>,
        mut report: DreamReport,
        now: DateTime<Utc>,
    ) -> Result<Self> {
        report.outcome = Outcome::NothingNew;
        report.epoch = lease.as_ref().map(|lease| lease.epoch());
        let workspace = inner.workspace.as_ref();
        let forgotten = session::forgotten(workspace)?.map(Arc::new);
        // A commit needs it too: its damage is named before a model is asked, as that of what is read below.
        Undone::parse(commit::state(workspace, &StateName::UNDONE)?.as_deref())?;
        let unfinished = match &lease {
            Some(lease) => commit::recover(workspace, lease.as_ref(), forgotten.as_deref())?,
            None => commit::unfinished(workspace)?,
        };
        let state_bytes = commit::state(workspace, &StateName::DREAMED)?;
        let mut run = Self {
            state: DreamedState::parse(state_bytes.as_deref())?,
            ledger: Ledger::parse(commit::state(workspace, &StateName::LEDGER)?.as_deref())?,
            quarantine: Quarantine::parse(commit::state(workspace, &StateName::QUARANTINE)?.as_deref())?,
            forgotten,
            log: read_log(&inner)?,
            state_bytes,
            lease,
            begun: now,
            now,
            asked: 0,
            order: Order::Newest,
            tried: BTreeSet::new(),
            journals: Vec::new(),
            report,
            inner,
        };
        if let Some(intent) = unfinished {
            run.take_over(intent);
        }
        Ok(run)
    }

    fn take_over(&mut self, intent: Intent) {
        if self.lease.is_some() {
            self.report.recovered = Some(intent.id);
        } else {
            // What the commit will have done counts as done, also for a preview.
            self.ledger.apply(&intent.ledger);
            self.ledger.retain(|name, _| !intent.forget.contains(name));
            self.ledger.watermark = intent.watermark;
            self.state = intent.state;
            self.log.push(intent.log.into());
            self.report.notices.push(Notice::UnfinishedCommit(intent.id));
        }
    }

    /// Notices sections that are gone from `MEMORY.md`. They are never appended again: a person may have
    /// taken them out.
    fn watch_sections(&mut self) -> Result<()> {
        let promotions = log::promotions(&self.log);
        let standing =
            promotions.iter().rev().filter(|dream| ![log::UNDONE, log::ARCHIVED].contains(&dream.word));
        let watched: Vec<DreamId> = standing.take(WATCHED_SECTIONS).map(|dream| dream.id.clone()).collect();
        if watched.is_empty() {
            return Ok(());
        }
        let (_, memory) = self.memory()?;
        let gone = watched.into_iter().filter(|id| !curated::has_section(&memory, id));
        self.report.notices.extend(gone.map(Notice::SectionMissing).collect::<Vec<_>>());
        Ok(())
    }

    /// The doors, with what the workspace has forgotten.
    fn doors(&self) -> Doors {
        self.inner.doors.clone().heeding(self.forgotten.clone())
    }

    fn memory(&self) -> Result<(DocName, Vec<u8>)> {
        commit::memory(self.inner.workspace.as_ref())
    }

    /// Goes to the next pass that needs the model, or ends. What fails after a pass was committed ends the run
    /// and not the report: the caller learns what was promoted.
    fn next(mut self) -> Result<Step> {
        match self.advance() {
            Ok(Next::Ask(asking)) => Ok(Step::Ask(Box::new(JournalPass { run: self, asking }))),
            Ok(Next::Idle(survey)) => self.finish_idle(&survey),
            Ok(Next::Lost(pass, by)) => Ok(self.lose(*pass, by)),
            Ok(Next::End) => Ok(self.finish()),
            Err(error) if self.report.passes.is_empty() => Err(error),
            Err(error) => {
                // What was selected for the pass that could not begin was not shown.
                let selected = [ReadReason::Shown, ReadReason::PartlyShown, ReadReason::Rewritten];
                for (_, look) in &mut self.journals {
                    if look.shown == 0 && look.pending > 0 && selected.contains(&look.reason) {
                        look.reason = ReadReason::OverBudget;
                    }
                }
                self.report.notices.push(Notice::StoppedEarly(error.to_string()));
                Ok(self.finish())
            }
        }
    }

    fn advance(&mut self) -> Result<Next> {
        let inner = Arc::clone(&self.inner);
        let (workspace, config, doors) = (inner.workspace.as_ref(), &inner.config, self.doors());
        loop {
            let span = trace::select();
            let mut survey = span.attempt(|| self.look(&doors))?;
            survey.leave(&self.tried);
            // A preview is asked for by a person, at the moment, and changes none of what is counted.
            let is_counted = config.mode != DreamMode::Preview;
            let not_due =
                is_counted.then(|| due::breaker(self.now, &(&self.state).into(), &config.into())).flatten();
            if self.asked >= config.max_passes || (not_due.is_some() && !survey.is_idle()) {
                self.note_unasked(&mut survey);
                if self.report.passes.is_empty() {
                    self.report.not_due = not_due;
                    self.report.outcome = Outcome::NotDue;
                    self.inner.tell(Outcome::NotDue, None, Vec::new(), Vec::new());
                }
                return Ok(Next::End);
            }
            if config.mode == DreamMode::Propose
                && !survey.is_idle()
                && Queue::read(workspace)?.is_full(self.now, config)
            {
                self.note_unasked(&mut survey);
                if self.report.passes.is_empty() {
                    self.report.outcome = Outcome::ProposalsFull;
                    self.inner.tell(Outcome::ProposalsFull, None, Vec::new(), Vec::new());
                }
                return Ok(Next::End);
            }
            let selection = span.within(|| survey.select(workspace, config, self.begun, self.order));
            span.selected(survey.looks.len(), selection.slices.iter().map(|slice| slice.bytes.len()));
            self.note(&mut survey);
            if selection.slices.is_empty() {
                return Ok(if self.report.passes.is_empty() {
                    Next::Idle(Box::new(survey))
                } else {
                    Next::End
                });
            }
            match self.prepare(survey, selection)? {
                Prepared::Ask(asking) => return Ok(Next::Ask(asking)),
                Prepared::Committed => {}
                Prepared::Lost(pass, by) => return Ok(Next::Lost(pass, by)),
            }
        }
    }

    fn look(&self, doors: &Doors) -> Result<Survey> {
        select::survey(Situation {
            workspace: self.inner.workspace.as_ref(),
            config: &self.inner.config,
            now: self.begun,
            ledger: &self.ledger,
            state: &self.state,
            quarantine: &self.quarantine,
            may_show: &|name| !doors.hides(name.as_str()),
        })
    }

    /// Takes in what a survey saw. What was shown earlier in this run keeps its reason.
    fn note(&mut self, survey: &mut Survey) {
        let looks = std::mem::take(&mut survey.looks);
        if self.journals.is_empty() {
            self.journals = looks;
        } else {
            for (journal, seen) in looks {
                self.note_again(journal, seen);
            }
        }
        for notice in &survey.notices {
            if !self.report.notices.contains(notice) {
                self.report.notices.push(notice.clone());
            }
        }
    }

    /// Takes in a survey of which nothing is shown. In a run that showed nothing before, the budget is not why.
    fn note_unasked(&mut self, survey: &mut Survey) {
        if self.report.passes.is_empty() {
            for (_, look) in &mut survey.looks {
                if look.reason == ReadReason::OverBudget {
                    look.reason = ReadReason::NotAsked;
                }
            }
        }
        self.note(survey);
    }

    fn note_again(&mut self, journal: JournalName, seen: Look) {
        let look = match select::find(&self.journals, &journal) {
            Ok(at) => &mut self.journals[at].1,
            Err(at) => return self.journals.insert(at, (journal, seen)),
        };
        look.reason = match (look.reason, seen.reason) {
            (earlier, ReadReason::OverBudget) if look.shown > 0 && earlier != ReadReason::Held => {
                ReadReason::PartlyShown
            }
            // What an earlier pass of this run did with it says more than that nothing is left.
            (earlier, ReadReason::AlreadyShown)
            | (
                earlier @ (ReadReason::Unfinished | ReadReason::Unreadable | ReadReason::Held),
                ReadReason::OverBudget,
            ) => earlier,
            (_, now) => now,
        };
        (look.size, look.pending) = (seen.size, seen.pending);
    }

    fn look_at(&mut self, journal: &JournalName) -> Option<&mut Look> {
        let at = select::find(&self.journals, journal).ok()?;
        Some(&mut self.journals[at].1)
    }

    /// Counts what a committed pass showed.
    fn count_shown(&mut self, selection: &Selection) {
        for slice in &selection.slices {
            if let Some(look) = self.look_at(&slice.journal) {
                let len = slice.range.end - slice.range.start;
                look.shown += len;
                look.pending = look.pending.saturating_sub(len);
            }
        }
    }

    /// Puts a pass into the report, and tells the observer.
    fn close(&mut self, pass: PassReport) {
        let names = |names: &mut dyn Iterator<Item = &DocName>| -> Vec<String> {
            let unique: BTreeSet<String> = names.map(ToString::to_string).collect();
            unique.into_iter().collect()
        };
        let files = if pass.outcome == Outcome::Quarantined {
            names(&mut pass.quarantined.iter().flat_map(|class| &class.journals))
        } else {
            names(&mut pass.shown.iter().map(|slice| &slice.name))
        };
        let patterns = pass.quarantined.iter().map(|class| class.pattern.as_str()).collect();
        self.inner.tell(
            pass.outcome,
            Some(&pass.dream_id),
            patterns,
            files.iter().map(String::as_str).collect(),
        );
        self.report.outcome = self.report.outcome.max(pass.outcome);
        self.report.passes.push(pass);
    }

    /// Ends a run whose lease is gone: nothing more is written.
    fn lose(mut self, mut pass: PassReport, by: LostBy) -> Step {
        pass.outcome = Outcome::LeaseLost;
        pass.lost = Some(by);
        self.close(pass);
        self.finish()
    }

    /// Ends a run in which no model was asked: what the survey learned is kept, and when it was.
    fn finish_idle(mut self, survey: &Survey) -> Result<Step> {
        let mut state = self.state.clone();
        self.stamp(&mut state, Outcome::NothingNew);
        self.ledger.apply(&survey.refreshed);
        let before = self.ledger.watermark.clone();
        record::raise_watermark(&mut state, survey, &Selection::default());
        self.ledger.watermark.clone_from(&state.last_processed_mtime);
        self.ledger.retain(|name, _| !survey.forget.contains(name));
        let learned =
            !survey.refreshed.is_empty() || !survey.forget.is_empty() || before != self.ledger.watermark;
        if let Some(lease) = &self.lease {
            self.ledger.epoch = lease.epoch();
            let ledger =
                if learned { lease.replace(&StateName::LEDGER, &self.ledger.print()) } else { Ok(()) };
            match ledger.and_then(|()| lease.replace(&StateName::DREAMED, &state.print())) {
                Ok(()) => {}
                Err(Error::LeaseLost(_)) => self.report.outcome = Outcome::LeaseLost,
                Err(error) => return Err(error),
            }
        }
        self.state = state;
        self.inner.tell(self.report.outcome, None, Vec::new(), Vec::new());
        Ok(self.finish())
    }

    /// Moves sections to the archive, where that is wanted. What fails does not take the report away.
    fn compact(&mut self) {
        let (config, Some(lease)) = (&self.inner.config, &self.lease) else { return };
        if config.over_budget != OverBudget::Archive || self.report.outcome == Outcome::LeaseLost {
            return;
        }
        let workspace = self.inner.workspace.as_ref();
        let (budget, day) = (config.memory_budget, config.day.date(self.begun));
        if let Err(error) =
            compact::compact(workspace, lease.as_ref(), budget, day, self.now, &mut self.report.archived)
        {
            self.report.notices.push(Notice::NotArchived(error.to_string()));
        }
    }

    /// Completes the report and gives the lease back.
    fn finish(mut self) -> Step {
        self.complete();
        if self.lease.take().is_some_and(|lease| lease.release().is_err()) {
            self.report.notices.push(Notice::LockNotRemoved);
        }
        Step::Done(Box::new(self.report))
    }

    fn complete(&mut self) {
        for (journal, look) in &self.journals {
            if look.pending > 0 && is_waiting(look.reason) {
                self.report.backlog.journals += 1;
                self.report.backlog.bytes += look.pending;
                self.report.backlog.oldest.get_or_insert(journal.date());
            }
        }
        let by_peer = |(_, look): &&(_, Look)| look.reason == ReadReason::DreamedByPeer;
        let by_peer = self.journals.iter().filter(by_peer).count() as u64;
        if by_peer > 0 {
            self.report.notices.push(Notice::DreamedByPeer(by_peer));
        }
        let is_hidden = |look: &&(_, Look)| look.1.reason == ReadReason::SecretInName && look.1.pending > 0;
        let hidden = self.journals.iter().filter(is_hidden).count() as u64;
        if hidden > 0 {
            self.report.notices.push(Notice::HiddenNames(hidden));
        }
        if !self.tried.is_empty() {
            self.report.notices.push(Notice::HeldWaits(self.tried.len() as u64));
        }
        if self.journals.is_empty() {
            self.report.notices.push(Notice::NoJournals);
        }
        let journals = std::mem::take(&mut self.journals);
        self.compact();
        self.report.journals = journals.into_iter().map(|(journal, look)| look.report(journal)).collect();
        let in_quarantine = self.report.quarantined().count() as u64;
        if in_quarantine > 0 {
            self.report.notices.push(Notice::InQuarantine(in_quarantine));
        }
        if self.inner.config.mode == DreamMode::Propose {
            let counted = Queue::read(self.inner.workspace.as_ref())
                .map(|queue| queue.count(self.now, &self.inner.config));
            let (waiting, expired) = counted.unwrap_or_default();
            let notices =
                [(waiting, Notice::ProposalsWaiting(waiting)), (expired, Notice::ProposalsExpired(expired))];
            self.report
                .notices
                .extend(notices.into_iter().filter(|(count, _)| *count > 0).map(|(_, notice)| notice));
        }
        if let Ok((_, memory)) = self.memory() {
            let chars = String::from_utf8_lossy(&memory).chars().count() as u64;
            let gauge = MemoryGauge { chars, budget: self.inner.config.memory_budget };
            if gauge.is_over() {
                self.report.notices.push(Notice::MemoryOverBudget);
            }
            self.report.memory = Some(gauge);
        }
    }
}

fn read_log(inner: &Inner) -> Result<Vec<Remembered>> {
    let tail = inner.workspace.read_tail(&StateName::LOG, MOST_LOG)?;
    Ok(log::remember(&tail.text).collect())
}

/// What a run comes to next.
enum Next {
    Ask(Box<Asking>),
    /// Nothing to read, and nothing was.
    Idle(Box<Survey>),
    Lost(Box<PassReport>, LostBy),
    End,
}

/// A pass that waits for its answer.
pub(crate) struct Asking {
    request: LlmRequest,
    pass: PassReport,
    selection: Selection,
    survey: Survey,
    shown: Shown,
}

/// A run that waits for the model.
struct JournalPass {
    run: Run,
    asking: Box<Asking>,
}

impl fmt::Debug for JournalPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JournalPass {{ id: {}, shown: {:?} }}", self.asking.pass.dream_id, self.asking.pass.shown)
    }
}

impl DreamPass for JournalPass {
    fn request(&self) -> &LlmRequest {
        &self.asking.request
    }

    fn resume(self: Box<Self>, answer: Result<LlmReply, LlmError>, now: DateTime<Utc>) -> Result<Step> {
        self.run.judge(*self.asking, answer, now)
    }
}
