//! What a pass leaves on the disk: its commit, or that it failed, or who is in quarantine.

use std::collections::BTreeMap;

use super::Run;
use crate::base::digest::Digest;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::dream::commit;
use crate::dream::journal::due;
use crate::dream::journal::select::{Selection, Slice, Survey, Waiting, nanoseconds};
use crate::dreamer::{Blamed, Notice, Outcome, PassReport, ReadReason, Step};
use crate::format::state::intent::{Append, Intent};
use crate::format::state::ledger::Entry;
use crate::format::state::log::{LogLine, LogSource};
use crate::format::state::proposal::ProposalStep;
use crate::format::{DreamedState, Quarantine, QuarantinedFile};

/// What a pass adds.
pub(crate) enum Addition {
    /// A section, and the hashes of its statements.
    Append(Append, Vec<String>),
    /// A proposal.
    Propose(ProposalStep),
}

impl Run {
    /// Commits a pass: what it appends or proposes, and that its slices were shown.
    pub(crate) fn commit(
        &mut self,
        survey: &Survey,
        selection: &Selection,
        pass: &PassReport,
        change: Option<Addition>,
    ) -> Result<()> {
        self.commit_showing(survey, selection, BTreeMap::new(), pass, change)
    }

    /// Commits a pass after which `shown` counts as shown, and `tried` waits.
    fn commit_showing(
        &mut self,
        survey: &Survey,
        shown: &Selection,
        tried: BTreeMap<DocName, Entry>,
        pass: &PassReport,
        change: Option<Addition>,
    ) -> Result<()> {
        let mut entries = survey.refreshed.clone();
        entries.extend(tried);
        for slice in &shown.slices {
            entries.insert(slice.journal.name().clone(), slice.entry_after());
        }
        let mut state = self.state.clone();
        state.consecutive_failures = 0;
        state.next_allowed_at = None;
        self.stamp(&mut state, pass.outcome);
        raise_watermark(&mut state, survey, shown);
        let (append, hashes, step) = match change {
            Some(Addition::Append(append, hashes)) => (Some(append), hashes, None),
            Some(Addition::Propose(step)) => (None, Vec::new(), Some(step)),
            None => (None, Vec::new(), None),
        };
        // Its sources are the record of what counts as shown.
        let log = self.log_line(shown, pass, hashes);
        let intent = Intent::new(
            pass.dream_id.clone(),
            self.report.epoch.unwrap_or_default(),
            append,
            entries,
            survey.forget.clone(),
            state.last_processed_mtime.clone(),
            state,
            log,
        );
        let intent = match step {
            Some(step) => intent.with_proposal(step),
            None => intent,
        };
        if let Some(lease) = &self.lease {
            commit::commit(self.inner.workspace.as_ref(), lease.as_ref(), &intent)?;
            self.state_bytes = commit::state(self.inner.workspace.as_ref(), &StateName::DREAMED)?;
        }
        self.ledger.apply(&intent.ledger);
        self.ledger.retain(|name, _| !intent.forget.contains(name));
        self.ledger.watermark = intent.watermark;
        self.state = intent.state;
        self.log.push(intent.log.into());
        Ok(())
    }

    /// Commits a pass of which every line was held: its journals wait for another try. Those that were tried as often as
    /// may be count as shown.
    pub(crate) fn commit_held(
        &mut self,
        survey: &Survey,
        selection: &Selection,
        pass: &PassReport,
    ) -> Result<()> {
        let most = self.inner.config.max_tries;
        let (used_up, waiting): (Vec<Slice>, Vec<Slice>) =
            selection.slices.iter().cloned().partition(|slice| slice.entry_tried().tries >= most);
        let used_up = Selection { slices: used_up };
        let tried = waiting.iter().map(|slice| (slice.journal.name().clone(), slice.entry_tried())).collect();
        self.commit_showing(survey, &used_up, tried, pass, None)?;
        self.count_shown(&used_up);
        for slice in &used_up.slices {
            self.report.notices.push(Notice::HeldUsedUp(slice.journal.name().clone()));
        }
        for slice in &waiting {
            if let Some(look) = self.look_at(&slice.journal) {
                look.reason = ReadReason::Held;
            }
            self.tried.insert(slice.journal.name().clone());
        }
        Ok(())
    }

    fn log_line(&self, selection: &Selection, pass: &PassReport, lines: Vec<String>) -> LogLine {
        LogLine {
            v: 1,
            by: None,
            at: Some(self.now),
            day: self.inner.config.day.date(self.begun),
            id: pass.dream_id.clone(),
            epoch: self.report.epoch.unwrap_or_default(),
            outcome: pass.outcome.word().to_owned(),
            sources: sources(selection),
            lines,
            declined: Vec::new(),
            fates: pass.fates(),
            section_sha256: pass.section.as_ref().map(|section| Digest::of(section.as_bytes())),
            request_bytes: pass.request_bytes,
            usage: pass.usage,
            patterns: pass.quarantined.iter().map(|blamed| blamed.pattern.clone()).collect(),
        }
    }

    /// Records a failure of the model: when, and when to try again. Nothing counts as shown.
    pub(crate) fn fail(self, survey: &Survey, selection: &Selection, mut pass: PassReport) -> Result<Step> {
        pass.outcome = Outcome::LlmError;
        let mut state = self.state.clone();
        due::count_failure(&mut state, self.now, &(&self.inner.config).into());
        self.record(state, survey, selection, pass, ReadReason::Unanswered)
    }

    /// Quarantines the journals to blame. Nothing counts as shown; clean journals are tried again without
    /// the others, in this run where passes are left.
    pub(crate) fn quarantine(
        mut self,
        survey: &Survey,
        selection: &Selection,
        mut pass: PassReport,
        blamed: Vec<Blamed>,
    ) -> Result<Step> {
        pass.outcome = Outcome::Quarantined;
        pass.quarantined = blamed;
        // Read again: the operator may have edited it meanwhile.
        let standing = commit::state(self.inner.workspace.as_ref(), &StateName::QUARANTINE)?;
        let mut quarantine = Quarantine::parse(standing.as_deref())?;
        for class in &pass.quarantined {
            let slices =
                selection.slices.iter().filter(|slice| class.journals.contains(slice.journal.name()));
            let newest = slices.clone().map(|slice| nanoseconds(slice.metadata.modified)).max().unwrap_or(0);
            let files: Vec<QuarantinedFile> =
                slices.map(|slice| slice.quarantined(self.inner.workspace.as_ref())).collect();
            if !files.is_empty() {
                quarantine.push(self.now, &class.pattern, files, newest);
            }
        }
        let anyone = pass.quarantined.iter().any(|class| !class.journals.is_empty());
        if anyone && let Some(lease) = &self.lease {
            match lease.replace(&StateName::QUARANTINE, &quarantine.print_over(standing.as_deref())) {
                Ok(()) => {}
                Err(Error::LeaseLost(by)) => return Ok(self.lose(pass, by)),
                Err(error) => return Err(error),
            }
        }
        self.quarantine = quarantine;
        let mut state = self.state.clone();
        if anyone {
            state.consecutive_failures = 0;
            state.next_allowed_at = None;
        } else {
            // The secret stands in the current memory: asking again at once would end the same way.
            due::count_failure(&mut state, self.now, &(&self.inner.config).into());
        }
        self.record(state, survey, selection, pass, ReadReason::Unanswered)
    }

    /// Writes log and state of a pass that showed nothing, and which journals it saw: one that leaves the window
    /// before a model answers is missed. After a quarantine the run goes on with the rest.
    pub(crate) fn record(
        mut self,
        mut state: DreamedState,
        survey: &Survey,
        selection: &Selection,
        pass: PassReport,
        reason: ReadReason,
    ) -> Result<Step> {
        self.stamp(&mut state, pass.outcome);
        let line = self.log_line(selection, &pass, Vec::new());
        self.ledger.apply(&survey.refreshed);
        if let Some(lease) = &self.lease {
            let workspace = self.inner.workspace.as_ref();
            let bytes = state.print();
            let learned = if survey.refreshed.is_empty() {
                Ok(())
            } else {
                self.ledger.epoch = lease.epoch();
                lease.replace(&StateName::LEDGER, &self.ledger.print())
            };
            let written = learned
                .and_then(|()| commit::append_log(workspace, lease.as_ref(), &line))
                .and_then(|()| lease.replace(&StateName::DREAMED, &bytes));
            match written {
                Ok(()) => self.state_bytes = Some(bytes),
                Err(Error::LeaseLost(by)) => return Ok(self.lose(pass, by)),
                Err(error) => return Err(error),
            }
        }
        self.state = state;
        self.log.push(line.into());
        for slice in &selection.slices {
            if let Some(look) = self.look_at(&slice.journal) {
                look.reason = reason;
            }
        }
        // Without anybody in quarantine the next pass would ask the same again.
        let goes_on = pass.quarantined.iter().any(|class| !class.journals.is_empty());
        self.close(pass);
        if goes_on { self.next() } else { Ok(self.finish()) }
    }

    pub(crate) fn stamp(&self, state: &mut DreamedState, outcome: Outcome) {
        state.last_run_at = Some(self.now);
        state.last_outcome = Some(outcome.word().to_owned());
    }
}

/// What a selection shows, as log and proposals have it.
pub(crate) fn sources(selection: &Selection) -> Vec<LogSource> {
    let source = |slice: &Slice| LogSource {
        name: slice.journal.name().to_string(),
        from: slice.range.start,
        to: slice.range.end,
        sha256: slice.sha256,
    };
    selection.slices.iter().map(source).collect()
}

/// Raises the seed's watermark to the newest journal of which nothing waits, and never past one of which
/// something does: a peer that goes by it takes everything below for read.
pub(crate) fn raise_watermark(state: &mut DreamedState, survey: &Survey, selection: &Selection) {
    let shown = |name: &DocName| -> u64 {
        let slices = selection.slices.iter().filter(|slice| slice.journal.name() == name);
        slices.map(|slice| slice.range.end - slice.range.start).sum()
    };
    let (waiting, done): (Vec<&Waiting>, Vec<&Waiting>) =
        survey.waiting.iter().partition(|journal| journal.pending > shown(&journal.name));
    let newest = done.iter().map(|journal| journal.modified).max().max(survey.newest_done);
    let limit = waiting.iter().map(|journal| (journal.modified - 1).div_euclid(1_000_000) * 1_000_000).min();
    if let Some(newest) = newest {
        state.raise_watermark(limit.map_or(newest, |limit| limit.min(newest)));
    }
}
