//! Records of a pass on the disk: its commit, its failure, or a quarantine.

use super::curation::{Curation, Material};
use super::select::{Slice, Survey, Waiting, nanoseconds};
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::{DocName, StateName};
use crate::base::sorted::SortedMap;
use crate::dream::commit;
use crate::dream::engine::{Calls, Pass, Run, Then, breaker};
use crate::dreamer::{Blamed, Notice, Outcome};
use crate::format::state::intent::{Append, Books, Intent};
use crate::format::state::ledger::Entry;
use crate::format::state::log::LogSource;
use crate::format::state::proposal::ProposalStep;
use crate::format::{DreamedState, Quarantine, QuarantinedFile};

/// The addition of a pass.
pub(crate) enum Addition {
    /// A section, and the hashes of its statements.
    Append(Append, Vec<String>),
    /// A proposal.
    Propose(ProposalStep),
}

impl Curation {
    /// Commits a pass: what it appends or proposes, and that its slices were shown.
    pub(crate) fn commit(
        &mut self,
        run: &Run,
        pass: &Pass<Material>,
        addition: Option<Addition>,
    ) -> Result<()> {
        let slices = &pass.material.selection.slices;
        self.commit_showing(run, pass, slices, SortedMap::new(), addition)?;
        self.looks.count_shown(slices);
        Ok(())
    }

    /// Commits a pass whose lines were all held: its journals wait for another try. Journals that were tried as often
    /// as may be count as shown.
    pub(crate) fn commit_held(&mut self, run: &mut Run, pass: &Pass<Material>) -> Result<()> {
        let most = self.dreamer.config.max_tries;
        let (used_up, waiting): (Vec<Slice>, Vec<Slice>) = pass
            .material
            .selection
            .slices
            .iter()
            .cloned()
            .partition(|slice| slice.entry_tried().tries >= most);
        let tried = waiting.iter().map(|slice| (slice.journal.name().clone(), slice.entry_tried())).collect();
        self.commit_showing(run, pass, &used_up, tried, None)?;
        self.looks.count_shown(&used_up);
        for slice in &used_up {
            run.report.notices.push(Notice::HeldUsedUp(slice.journal.name().clone()));
        }
        self.looks.hold(&waiting);
        Ok(())
    }

    /// Commits a pass after which `shown` counts as shown, and `tried` waits.
    fn commit_showing(
        &mut self,
        run: &Run,
        pass: &Pass<Material>,
        shown: &[Slice],
        tried: SortedMap<DocName, Entry>,
        addition: Option<Addition>,
    ) -> Result<()> {
        let survey = &pass.material.survey;
        let mut ledger: SortedMap<DocName, Entry> = survey.refreshed.iter().cloned().collect();
        ledger.extend(tried);
        for slice in shown {
            ledger.insert(slice.journal.name().clone(), slice.entry_after());
        }
        let mut state = self.records.state.clone();
        state.consecutive_failures = 0;
        state.next_allowed_at = None;
        stamp(run, &mut state, pass.report.outcome);
        raise_watermark(&mut state, survey, shown);
        let mut log = run.log_line(self.day(run), &pass.report);
        // Its sources are the record of what counts as shown.
        log.sources = sources(shown);
        let books = Books { forget: survey.forget.clone(), ..Books::of_state(ledger, state) };
        let intent = match addition {
            Some(Addition::Append(append, hashes)) => {
                log.lines = hashes;
                Intent::new(books, log).with_append(append)
            }
            Some(Addition::Propose(step)) => Intent::new(books, log).with_proposal(step),
            None => Intent::new(books, log),
        };
        if let Some(lease) = &run.lease {
            let committed = commit::commit(run.workspace(), lease.as_ref(), &intent)?;
            self.records.take_over(intent, committed);
        } else {
            self.records.count_as_done(intent);
        }
        Ok(())
    }

    /// Records a failure of the model: when, and when to try again. Nothing counts as shown.
    pub(crate) fn fail(&mut self, run: &mut Run, pass: &mut Pass<Material>) -> Result<Then> {
        pass.report.outcome = Outcome::LlmError;
        let state = self.failed(run);
        if run.lease.is_some() {
            let config = &self.dreamer.config;
            run.report.not_due = breaker(run.now(), &Calls::from(&state), &config.budget, config.day);
        }
        self.record(run, pass, state)?;
        Ok(Then::End)
    }

    /// Quarantines the journals to blame. Nothing counts as shown; clean journals are tried again without
    /// the others, in this run where passes are left.
    pub(crate) fn quarantine(
        &mut self,
        run: &Run,
        pass: &mut Pass<Material>,
        blamed: Vec<Blamed>,
    ) -> Result<Then> {
        pass.report.outcome = Outcome::Quarantined;
        pass.report.quarantined = blamed;
        // Read again: the operator may have edited it meanwhile.
        if run.lease.is_some() {
            commit::take_edits(run.workspace())?;
        }
        let standing = commit::state(run.workspace(), &StateName::QUARANTINE)?;
        let mut quarantine = Quarantine::read(standing.as_deref()).state;
        for class in &pass.report.quarantined {
            let slices = &pass.material.selection.slices;
            let slices = slices.iter().filter(|slice| class.journals.contains(slice.journal.name()));
            let newest = slices.clone().map(|slice| nanoseconds(slice.metadata.modified)).max().unwrap_or(0);
            let files: Vec<QuarantinedFile> = slices.map(|slice| slice.quarantined(run.workspace())).gather();
            if !files.is_empty() {
                quarantine.push(run.now(), &class.pattern, files, newest);
            }
        }
        let anyone = pass.report.quarantined.iter().any(|class| !class.journals.is_empty());
        if anyone && let Some(lease) = &run.lease {
            lease.replace(&StateName::QUARANTINE, &quarantine.print_over(standing.as_deref()))?;
        }
        self.records.quarantine = quarantine;
        let state = if anyone {
            DreamedState { consecutive_failures: 0, next_allowed_at: None, ..self.records.state.clone() }
        } else {
            // The secret stands in the current memory: asking again at once would end the same way.
            self.failed(run)
        };
        self.record(run, pass, state)?;
        // Without anybody in quarantine the next pass would ask the same again.
        Ok(if anyone { Then::GoOn } else { Then::End })
    }

    /// Returns the state with a further failure.
    fn failed(&self, run: &Run) -> DreamedState {
        let mut state = self.records.state.clone();
        Calls::from(&state).failed(run.now(), &self.dreamer.config.budget).into_state(&mut state);
        state
    }

    /// Writes log and state of a pass that showed nothing, and which journals it saw. One that leaves the window before
    /// a model answers is missed.
    fn record(&mut self, run: &Run, pass: &Pass<Material>, mut state: DreamedState) -> Result<()> {
        let Material { survey, selection, .. } = &pass.material;
        stamp(run, &mut state, pass.report.outcome);
        let mut line = run.log_line(self.day(run), &pass.report);
        line.sources = sources(&selection.slices);
        let records = &mut self.records;
        records.ledger.apply(survey.refreshed.iter().map(|(journal, entry)| (journal, entry)));
        if let Some(lease) = &run.lease {
            if !survey.refreshed.is_empty() {
                records.ledger.epoch = lease.epoch();
                lease.replace(&StateName::LEDGER, &records.ledger.print())?;
            }
            commit::append_log(run.workspace(), lease.as_ref(), &line)?;
            let bytes = state.print();
            lease.replace(&StateName::DREAMED, &bytes)?;
            records.state_bytes = Some(bytes);
        }
        records.state = state;
        records.log.push(line.into());
        self.looks.leave_unanswered(&selection.slices);
        Ok(())
    }

    /// Keeps the result and the time of a survey, for a run without a call.
    pub(crate) fn record_idle(&mut self, run: &Run, survey: &Survey) -> Result<()> {
        let records = &mut self.records;
        let mut state = records.state.clone();
        stamp(run, &mut state, Outcome::NothingNew);
        let before = records.ledger.watermark.clone();
        raise_watermark(&mut state, survey, &[]);
        records.ledger.apply(survey.refreshed.iter().map(|(journal, entry)| (journal, entry)));
        records.ledger.watermark.clone_from(&state.last_processed_mtime);
        state.own_mark.clone_from(&state.last_processed_mtime);
        records.ledger.forget(&survey.forget);
        let has_learned =
            !survey.refreshed.is_empty() || !survey.forget.is_empty() || before != records.ledger.watermark;
        if let Some(lease) = &run.lease {
            records.ledger.epoch = lease.epoch();
            if has_learned {
                lease.replace(&StateName::LEDGER, &records.ledger.print())?;
            }
            lease.replace(&StateName::DREAMED, &state.print())?;
        }
        records.state = state;
        Ok(())
    }
}

fn stamp(run: &Run, state: &mut DreamedState, outcome: Outcome) {
    state.last_run_at = Some(run.now());
    state.last_outcome = Some(outcome.as_str().to_owned());
}

/// Returns the sources of slices for the log and for proposals.
pub(crate) fn sources(slices: &[Slice]) -> Vec<LogSource> {
    let source = |slice: &Slice| LogSource {
        name: slice.journal.name().to_string(),
        from: slice.range.start,
        to: slice.range.end,
        sha256: slice.sha256,
    };
    slices.iter().map(source).gather()
}

/// Raises the seed's watermark to the newest journal without waiting bytes, and never past one with such bytes. A peer
/// counts everything below it as read.
fn raise_watermark(state: &mut DreamedState, survey: &Survey, slices: &[Slice]) {
    let mut bytes: SortedMap<&DocName, u64> = SortedMap::new();
    for slice in slices {
        *bytes.entry(slice.journal.name()).or_default() += slice.range.end - slice.range.start;
    }
    let shown = |name: &DocName| bytes.get(name).copied().unwrap_or(0);
    let (waiting, done): (Vec<&Waiting>, Vec<&Waiting>) =
        survey.waiting.iter().partition(|journal| journal.pending > shown(&journal.name));
    let newest = done.iter().map(|journal| journal.modified).max().max(survey.newest_done);
    let limit = waiting.iter().map(|journal| (journal.modified - 1).div_euclid(1_000_000) * 1_000_000).min();
    if let Some(newest) = newest {
        state.raise_watermark(limit.map_or(newest, |limit| limit.min(newest)));
    }
}
