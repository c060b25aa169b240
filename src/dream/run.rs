//! A run, pass by pass: select, ask, judge, commit, until nothing waits or the passes are used up.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::Inner;
use super::ask;
use super::blame::blame;
use super::commit;
use super::config::Evidence;
use super::due;
use super::evidence::{self, Shown};
use super::sanitise::{self, Item, Sanitised};
use super::select::{self, Order, Selection, Situation, Slice, Survey, is_waiting, nanoseconds};
use super::shown::{self, ShownJournal};
use crate::digest::{Digest, Hasher};
use crate::dreamer::{
    Backlog, Blamed, Charge, DreamMode, DreamPass, DreamReport, DropReason, Failure, Fate, Hold, HoldReason,
    JournalReport, LineReport, MemoryGauge, Notice, Outcome, PassReport, ReadReason, Step,
};
use crate::error::{Error, LostBy, Result};
use crate::format::fences::Printer;
use crate::format::intent::{Append, Intent};
use crate::format::ledger::Ledger;
use crate::format::log::{self, LogLine, LogSource};
use crate::format::reply::{NOTHING_TO_PROMOTE, split_citations};
use crate::format::{DreamId, DreamedState, JournalName, Quarantine, QuarantinedFile, curated};
use crate::gate::Masks;
use crate::llm::{Finish, LlmError, LlmReply, LlmRequest};
use crate::name::{DocName, StateName};
use crate::pii::Finding;
use crate::workspace::{Claim, Lease};

/// No answer is larger than this, in bytes.
const MAX_ANSWER: usize = 1 << 20;

/// For how many of the last appended sections it is looked whether they still stand in `MEMORY.md`.
const WATCHED_SECTIONS: usize = 30;

/// One call of `begin`, until its last `resume`.
pub(super) struct Run {
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
    log: Vec<LogLine>,
    asked: u32,
    order: Order,
    journals: BTreeMap<JournalName, JournalReport>,
    report: DreamReport,
}

impl Run {
    /// Claims, recovers and loads; then goes to the first pass.
    pub(super) fn begin(inner: Arc<Inner>, now: DateTime<Utc>) -> Result<Step> {
        let mut report = new_report(&inner, now);
        if !inner.config.enabled {
            return Ok(Step::Done(Box::new(report)));
        }
        let lease = match inner.config.mode {
            DreamMode::Preview => None,
            DreamMode::Append => match inner.workspace.claim(&inner.config.claim)? {
                Claim::Granted(lease) => Some(lease),
                Claim::Held(holder) => {
                    report.outcome = Outcome::LockHeld;
                    report.holder = Some(holder);
                    inner.tell(Outcome::LockHeld, None, Vec::new(), Vec::new());
                    return Ok(Step::Done(Box::new(report)));
                }
            },
        };
        report.outcome = Outcome::NothingNew;
        report.epoch = lease.as_ref().map(|lease| lease.epoch());
        let workspace = inner.workspace.as_ref();
        let unfinished = match &lease {
            Some(lease) => commit::recover(workspace, lease.as_ref())?,
            None => commit::unfinished(workspace)?,
        };
        let state_bytes = commit::state(workspace, &StateName::DREAMED)?;
        let mut run = Self {
            state: DreamedState::parse(state_bytes.as_deref())?,
            ledger: Ledger::parse(commit::state(workspace, &StateName::LEDGER)?.as_deref())?,
            quarantine: Quarantine::parse(commit::state(workspace, &StateName::QUARANTINE)?.as_deref())?,
            log: read_log(&inner)?,
            state_bytes,
            lease,
            begun: now,
            now,
            asked: 0,
            order: Order::Newest,
            journals: BTreeMap::new(),
            report,
            inner,
        };
        if let Some(intent) = unfinished {
            run.take_over(intent);
        }
        run.watch_sections()?;
        run.next()
    }

    fn take_over(&mut self, intent: Intent) {
        if self.lease.is_some() {
            self.report.recovered = Some(intent.id);
        } else {
            // What the commit will have shown counts as shown, also for a preview.
            self.ledger.apply(&intent.ledger);
            self.ledger.watermark = intent.watermark;
            self.report.notices.push(Notice::UnfinishedCommit(intent.id));
        }
    }

    /// Notices sections that are gone from `MEMORY.md`. They are never appended again: a person may have
    /// taken them out.
    fn watch_sections(&mut self) -> Result<()> {
        let appended = self.log.iter().rev().filter(|line| line.outcome == Outcome::Appended.word());
        let watched: Vec<DreamId> = appended.take(WATCHED_SECTIONS).map(|line| line.id.clone()).collect();
        if watched.is_empty() {
            return Ok(());
        }
        let (_, memory) = self.memory()?;
        let gone = watched.into_iter().filter(|id| !curated::has_section(&memory, id));
        self.report.notices.extend(gone.map(Notice::SectionMissing).collect::<Vec<_>>());
        Ok(())
    }

    fn memory(&self) -> Result<(DocName, Vec<u8>)> {
        let workspace = self.inner.workspace.as_ref();
        let name = commit::memory_name(workspace)?;
        let bytes = workspace.read(&name)?.map(crate::document::Document::into_bytes).unwrap_or_default();
        Ok((name, bytes))
    }

    /// Goes to the next pass that needs the model, or ends.
    fn next(mut self) -> Result<Step> {
        loop {
            let config = &self.inner.config;
            let mut survey = select::survey(Situation {
                workspace: self.inner.workspace.as_ref(),
                config,
                now: self.begun,
                ledger: &self.ledger,
                state: &self.state,
                quarantine: &self.quarantine,
            })?;
            let not_due = due::breaker(self.now, &self.state, config);
            if self.asked >= config.max_passes || (not_due.is_some() && !survey.is_idle()) {
                self.note(&survey);
                if self.report.passes.is_empty() {
                    self.report.not_due = not_due;
                    self.report.outcome = Outcome::NotDue;
                    self.inner.tell(Outcome::NotDue, None, Vec::new(), Vec::new());
                }
                return self.finish();
            }
            let today = config.day.date(self.begun);
            let selection = survey.select(self.inner.workspace.as_ref(), config, today, self.order);
            self.note(&survey);
            if selection.slices.is_empty() {
                return if self.report.passes.is_empty() { self.finish_idle(&survey) } else { self.finish() };
            }
            match self.prepare(survey, selection)? {
                Prepared::Ask(asking) => return Ok(Step::Ask(Box::new(JournalPass { run: self, asking }))),
                Prepared::Committed => {}
                Prepared::Lost(pass, by) => return self.lose(*pass, by),
            }
        }
    }

    /// Makes the request of a selection. Where no model is needed the selection is committed at once: its
    /// section stands in `MEMORY.md` already, or nothing is left of it to read.
    fn prepare(&mut self, survey: Survey, selection: Selection) -> Result<Prepared> {
        let id = selection.id();
        let mut pass = PassReport::new(id.clone());
        pass.shown = selection.slices.iter().map(Slice::report).collect();
        let (name, memory) = self.memory()?;
        if curated::has_section(&memory, &id) {
            pass.outcome = Outcome::AlreadyPromoted;
            return self.commit_quietly(&survey, &selection, pass);
        }
        let config = &self.inner.config;
        let gate = config.redact.then_some(&self.inner.gate);
        let mut masks = Masks::default();
        let journals: Vec<ShownJournal> =
            selection.slices.iter().map(|slice| shown::prepare(slice, gate, &mut masks)).collect();
        pass.stripped_lines = journals.iter().map(|journal| journal.stripped).sum();
        let mut shown = Shown::default();
        for (slice, journal) in selection.slices.iter().zip(&journals) {
            let last_line = slice.first_line + slice.lines().saturating_sub(1);
            shown.add(&slice.journal, slice.first_line, last_line, &journal.lines);
        }
        if journals.iter().all(|journal| journal.lines.is_empty()) {
            pass.outcome = Outcome::NothingToPromote;
            return self.commit_quietly(&survey, &selection, pass);
        }
        let memory = String::from_utf8_lossy(&memory);
        let memory = match gate {
            Some(gate) => gate.mask(&memory, &mut masks),
            None => memory.into_owned(),
        };
        let memory = curated::head_and_tail(&memory, config.memory_bytes);
        let mut printer = Printer::new(nonce(&id, self.begun, &memory, &journals));
        printer.say("Current memory:");
        printer.memory(&name, memory.trim_start_matches(crate::text::BOM));
        printer.say("Journals, oldest first:");
        for (slice, journal) in selection.slices.iter().zip(&journals) {
            printer.journal(slice.journal.name(), slice.truncated, &journal.lines);
        }
        let held_out = self.held_out(&selection);
        if !held_out.is_empty() {
            printer.say(&format!("Not shown, since they are in quarantine: {}.", held_out.join(", ")));
        }
        let mut request = LlmRequest::new(ask::instructions(), printer.finish());
        request.max_output_tokens = config.max_output_tokens;
        pass.request_bytes = request.bytes() as u64;
        pass.masked =
            masks.counts().map(|(class, count)| Charge { class: class.to_owned(), count }).collect();
        Ok(Prepared::Ask(Box::new(Asking { request, pass, selection, survey, shown })))
    }

    /// The quarantined journals between the first and the last that are shown: gaps that the model is told of.
    fn held_out(&self, selection: &Selection) -> Vec<String> {
        let dates = || selection.slices.iter().map(|slice| slice.journal.date());
        let (Some(first), Some(last)) = (dates().min(), dates().max()) else { return Vec::new() };
        let inside = |name: &DocName| {
            JournalName::parse(name).is_some_and(|journal| (first..=last).contains(&journal.date()))
        };
        let held = self.journals.values().filter(|journal| journal.reason == ReadReason::Quarantined);
        held.filter(|journal| inside(&journal.name)).map(|journal| journal.name.to_string()).collect()
    }

    /// Commits a pass for which no model is asked.
    fn commit_quietly(
        &mut self,
        survey: &Survey,
        selection: &Selection,
        pass: PassReport,
    ) -> Result<Prepared> {
        match self.commit(survey, selection, &pass, None, &[]) {
            Ok(()) => {
                self.count_shown(selection);
                self.close(pass);
                Ok(Prepared::Committed)
            }
            Err(Error::LeaseLost(by)) => Ok(Prepared::Lost(Box::new(pass), by)),
            Err(error) => Err(error),
        }
    }

    /// Takes the answer to a pass.
    fn judge(
        mut self,
        asking: Asking,
        answer: Result<LlmReply, LlmError>,
        now: DateTime<Utc>,
    ) -> Result<Step> {
        let Asking { mut pass, selection, survey, shown, .. } = asking;
        self.now = now;
        self.report.ended_at = now;
        self.asked += 1;
        self.report.calls += 1;
        if let Some(usage) = answer.as_ref().ok().and_then(|reply| reply.usage) {
            pass.usage = Some(usage);
            *self.report.usage.get_or_insert_default() += usage;
        }
        if let Some(by) = self.fence()? {
            return self.lose(pass, by);
        }
        due::count_call(&mut self.state, now, &self.inner.config, pass.request_bytes);
        let committed = match self.read(answer) {
            Err(failure) => {
                pass.failure = Some(failure);
                return self.fail(&selection, pass);
            }
            Ok(Answer::Secret { text, findings }) => {
                let (_, memory) = self.memory()?;
                let blamed = blame(&text, &findings, &selection.slices, &String::from_utf8_lossy(&memory));
                return self.quarantine(&selection, pass, blamed);
            }
            Ok(Answer::Nothing) => {
                pass.outcome = Outcome::NothingToPromote;
                self.commit(&survey, &selection, &pass, None, &[])
            }
            Ok(Answer::Section(section)) => self.promote(&survey, &selection, &mut pass, &shown, &section),
        };
        match committed {
            Ok(()) => {
                self.count_shown(&selection);
                self.close(pass);
                self.order = Order::Oldest;
                self.next()
            }
            Err(Error::LeaseLost(by)) => self.lose(pass, by),
            Err(error) => Err(error),
        }
    }

    /// Whether the lease, and the state that the selection was made from, still stand.
    fn fence(&self) -> Result<Option<LostBy>> {
        let Some(lease) = &self.lease else { return Ok(None) };
        match lease.check() {
            Ok(()) => {}
            Err(Error::LeaseLost(by)) => return Ok(Some(by)),
            Err(error) => return Err(error),
        }
        let standing = commit::state(self.inner.workspace.as_ref(), &StateName::DREAMED)?;
        Ok((standing != self.state_bytes).then_some(LostBy::Watermark))
    }

    /// Reads an answer, gate by gate.
    fn read(&self, answer: Result<LlmReply, LlmError>) -> Result<Answer, Failure> {
        let reply = answer.map_err(|error| Failure::Client {
            message: self.inner.gate.mask(&error.to_string(), &mut Masks::default()),
            retryable: error.is_retryable(),
        })?;
        match reply.finish {
            Finish::Length => return Err(Failure::Truncated),
            Finish::Other => return Err(Failure::Stopped),
            Finish::Stop => {}
        }
        if reply.text.len() > MAX_ANSWER {
            return Err(Failure::TooLarge);
        }
        let text = reply.text;
        match text.trim() {
            "" => return Err(Failure::Empty),
            NOTHING_TO_PROMOTE => return Ok(Answer::Nothing),
            _ => {}
        }
        let findings = self.inner.gate.inspect(&text);
        if !findings.is_empty() {
            return Ok(Answer::Secret { text, findings });
        }
        let section = sanitise::sanitise(&text, &self.inner.config.section);
        // What the sanitiser takes out may have parted a secret.
        let printed = sanitise::print(&section.items);
        let findings = self.inner.gate.inspect(&printed);
        if !findings.is_empty() {
            return Ok(Answer::Secret { text: printed, findings });
        }
        let over_caps = [DropReason::TooLong, DropReason::TooMany, DropReason::SectionFull];
        let had_bullets = section.dropped().iter().any(|dropped| over_caps.contains(&dropped.reason));
        if section.items.is_empty() && !had_bullets {
            Err(Failure::Malformed)
        } else {
            Ok(Answer::Section(section))
        }
    }

    /// Judges the lines of an answer, and commits those that are new and hold.
    fn promote(
        &mut self,
        survey: &Survey,
        selection: &Selection,
        pass: &mut PassReport,
        shown: &Shown,
        section: &Sanitised,
    ) -> Result<()> {
        let (name, memory) = self.memory()?;
        let text = String::from_utf8_lossy(&memory).into_owned();
        let mut known: BTreeSet<String> = curated::statements(&text).collect();
        let removed: BTreeSet<&str> =
            self.log.iter().flat_map(|line| &line.lines).map(String::as_str).collect();
        pass.dropped = section.dropped();
        let mut kept: Vec<&Item> = Vec::new();
        for item in &section.items {
            let (claim, citations) = split_citations(&item.text);
            let statement = curated::statement_key(&item.text);
            let (sources, hold) = evidence::judge(&claim, &citations, shown);
            let hold = match self.inner.config.evidence {
                Evidence::Off => None,
                Evidence::Required if citations.is_empty() => {
                    Some(Hold { reason: HoldReason::Uncited, word: None })
                }
                Evidence::Checked | Evidence::Required if citations.is_empty() => None,
                Evidence::Checked | Evidence::Required => hold,
            };
            let fate = if let Some(hold) = hold {
                Fate::Held(hold)
            } else if known.contains(&statement) {
                Fate::Duplicate
            } else if removed.contains(log::statement_hash(&item.text).as_str()) {
                Fate::RemovedBefore
            } else {
                known.insert(statement);
                kept.push(item);
                Fate::Promoted { cited: !citations.is_empty() }
            };
            let heading = item.heading.map(str::to_owned);
            pass.lines.push(LineReport::new(item.text.clone(), heading, sources, fate));
        }
        if kept.is_empty() {
            pass.outcome = Outcome::NothingToPromote;
            return self.commit(survey, selection, pass, None, &[]);
        }
        pass.outcome = Outcome::Appended;
        let day = self.inner.config.day.date(self.begun);
        let body = sanitise::print(kept.iter().copied());
        let section = curated::print_section(&memory, day, &pass.dream_id, selection.slices.len(), &body);
        let hashes: Vec<String> = kept.iter().map(|item| log::statement_hash(&item.text)).collect();
        pass.section = Some(section.clone());
        self.commit(survey, selection, pass, Some(Append::new(name, section, &memory)), &hashes)
    }

    /// Commits a pass: what it appends, and that its slices were shown.
    fn commit(
        &mut self,
        survey: &Survey,
        selection: &Selection,
        pass: &PassReport,
        append: Option<Append>,
        hashes: &[String],
    ) -> Result<()> {
        let mut entries = survey.refreshed.clone();
        for slice in &selection.slices {
            entries.insert(slice.journal.name().clone(), slice.entry_after());
        }
        let mut state = self.state.clone();
        state.consecutive_failures = 0;
        state.next_allowed_at = None;
        self.stamp(&mut state, pass.outcome);
        raise_watermark(&mut state, survey, selection);
        let log = self.log_line(selection, pass, hashes);
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
        if let Some(lease) = &self.lease {
            commit::commit(self.inner.workspace.as_ref(), lease.as_ref(), &intent)?;
            self.state_bytes = commit::state(self.inner.workspace.as_ref(), &StateName::DREAMED)?;
        }
        self.ledger.apply(&intent.ledger);
        self.ledger.retain(|name, _| !intent.forget.contains(name));
        self.ledger.watermark = intent.watermark;
        self.state = intent.state;
        self.log.push(intent.log);
        Ok(())
    }

    fn log_line(&self, selection: &Selection, pass: &PassReport, hashes: &[String]) -> LogLine {
        let mut fates: BTreeMap<String, u32> = BTreeMap::new();
        for line in &pass.lines {
            let word = match &line.fate {
                Fate::Promoted { .. } => "promoted",
                Fate::Duplicate => "duplicate",
                Fate::RemovedBefore => "removed_before",
                Fate::Held(_) => "held",
            };
            *fates.entry(word.to_owned()).or_default() += 1;
        }
        let source = |slice: &Slice| LogSource {
            name: slice.journal.name().to_string(),
            from: slice.range.start,
            to: slice.range.end,
            sha256: slice.sha256,
        };
        LogLine {
            v: 1,
            at: Some(self.now),
            day: self.inner.config.day.date(self.begun),
            id: pass.dream_id.clone(),
            epoch: self.report.epoch.unwrap_or_default(),
            outcome: pass.outcome.word().to_owned(),
            sources: selection.slices.iter().map(source).collect(),
            lines: hashes.to_vec(),
            fates,
            section_sha256: pass.section.as_ref().map(|section| Digest::of(section.as_bytes())),
            request_bytes: pass.request_bytes,
            usage: pass.usage,
            patterns: pass.quarantined.iter().map(|blamed| blamed.pattern.clone()).collect(),
        }
    }

    /// Records a failure of the model: when, and when to try again. Nothing moves.
    fn fail(self, selection: &Selection, mut pass: PassReport) -> Result<Step> {
        pass.outcome = Outcome::LlmError;
        let mut state = self.state.clone();
        due::count_failure(&mut state, self.now, &self.inner.config);
        self.record(state, selection, pass, ReadReason::Unanswered)
    }

    /// Quarantines the journals to blame. The ledger does not move; clean journals are tried again without
    /// the others, in this run where passes are left.
    fn quarantine(
        mut self,
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
            let files: Vec<QuarantinedFile> = slices.map(Slice::quarantined).collect();
            if !files.is_empty() {
                quarantine.push(self.now, &class.pattern, files, newest);
            }
        }
        let anyone = pass.quarantined.iter().any(|class| !class.journals.is_empty());
        if anyone && let Some(lease) = &self.lease {
            match lease.replace(&StateName::QUARANTINE, &quarantine.print()) {
                Ok(()) => {}
                Err(Error::LeaseLost(by)) => return self.lose(pass, by),
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
            due::count_failure(&mut state, self.now, &self.inner.config);
        }
        self.record(state, selection, pass, ReadReason::Unanswered)
    }

    /// Writes log and state of a pass that moved nothing. After a quarantine the run goes on with the rest.
    fn record(
        mut self,
        mut state: DreamedState,
        selection: &Selection,
        pass: PassReport,
        reason: ReadReason,
    ) -> Result<Step> {
        self.stamp(&mut state, pass.outcome);
        let line = self.log_line(selection, &pass, &[]);
        if let Some(lease) = &self.lease {
            let workspace = self.inner.workspace.as_ref();
            let bytes = state.print();
            let written = commit::append_log(workspace, lease.as_ref(), &line)
                .and_then(|()| lease.replace(&StateName::DREAMED, &bytes));
            match written {
                Ok(()) => self.state_bytes = Some(bytes),
                Err(Error::LeaseLost(by)) => return self.lose(pass, by),
                Err(error) => return Err(error),
            }
        }
        self.state = state;
        self.log.push(line);
        for slice in &selection.slices {
            if let Some(report) = self.journals.get_mut(&slice.journal) {
                report.reason = reason;
            }
        }
        let goes_on = pass.outcome == Outcome::Quarantined;
        self.close(pass);
        if goes_on { self.next() } else { self.finish() }
    }

    fn stamp(&self, state: &mut DreamedState, outcome: Outcome) {
        state.last_run_at = Some(self.now);
        state.last_outcome = Some(outcome.word().to_owned());
    }

    /// Takes in what a survey saw. What was shown earlier in this run keeps its reason.
    fn note(&mut self, survey: &Survey) {
        for (journal, seen) in &survey.reports {
            let report = self.journals.entry(journal.clone()).or_insert_with(|| seen.clone());
            if !(report.shown > 0 && seen.reason == ReadReason::AlreadyShown) {
                report.reason = seen.reason;
            }
            (report.size, report.pending) = (seen.size, seen.pending);
        }
        for notice in &survey.notices {
            if !self.report.notices.contains(notice) {
                self.report.notices.push(notice.clone());
            }
        }
    }

    /// Counts what a committed pass showed.
    fn count_shown(&mut self, selection: &Selection) {
        for slice in &selection.slices {
            if let Some(report) = self.journals.get_mut(&slice.journal) {
                let len = slice.range.end - slice.range.start;
                report.shown += len;
                report.pending = report.pending.saturating_sub(len);
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
    fn lose(mut self, mut pass: PassReport, by: LostBy) -> Result<Step> {
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
        self.finish()
    }

    /// Completes the report and gives the lease back.
    fn finish(mut self) -> Result<Step> {
        let waits = |journal: &&JournalReport| journal.pending > 0 && is_waiting(journal.reason);
        let oldest =
            self.journals.iter().find(|(_, report)| waits(report)).map(|(journal, _)| journal.date());
        self.report.backlog = Backlog {
            journals: self.journals.values().filter(waits).count() as u64,
            bytes: self.journals.values().filter(waits).map(|journal| journal.pending).sum(),
            oldest,
        };
        let by_peer = |journal: &&JournalReport| journal.reason == ReadReason::DreamedByPeer;
        let by_peer = self.journals.values().filter(by_peer).count() as u64;
        if by_peer > 0 {
            self.report.notices.push(Notice::DreamedByPeer(by_peer));
        }
        if self.journals.is_empty() {
            self.report.notices.push(Notice::NoJournals);
        }
        self.report.journals = std::mem::take(&mut self.journals).into_values().collect();
        let (_, memory) = self.memory()?;
        let chars = String::from_utf8_lossy(&memory).chars().count() as u64;
        let gauge = MemoryGauge { chars, budget: self.inner.config.memory_budget };
        if gauge.is_over() {
            self.report.notices.push(Notice::MemoryOverBudget);
        }
        self.report.memory = Some(gauge);
        if self.lease.take().is_some_and(|lease| lease.release().is_err()) {
            self.report.notices.push(Notice::LockNotRemoved);
        }
        Ok(Step::Done(Box::new(self.report)))
    }
}

/// Raises the seed's watermark to the newest journal that was shown, and never past one that waits: a peer
/// that goes by it takes everything below for read.
fn raise_watermark(state: &mut DreamedState, survey: &Survey, selection: &Selection) {
    let shown = |name: &DocName| -> u64 {
        let slices = selection.slices.iter().filter(|slice| slice.journal.name() == name);
        slices.map(|slice| slice.range.end - slice.range.start).sum()
    };
    let newest = selection.slices.iter().map(|slice| nanoseconds(slice.metadata.modified)).max();
    let waits = survey.waiting.iter().filter(|waiting| waiting.bytes > shown(&waiting.name));
    let limit = waits.map(|waiting| (waiting.modified - 1).div_euclid(1_000_000) * 1_000_000).min();
    if let Some(newest) = newest {
        state.raise_watermark(limit.map_or(newest, |limit| limit.min(newest)));
    }
}

/// What a fence carries: a hash of all that is inside, which no text inside can foresee.
fn nonce(id: &DreamId, now: DateTime<Utc>, memory: &str, journals: &[ShownJournal]) -> String {
    let mut hasher = Hasher::new();
    hasher.field(id.as_str().as_bytes()).field(now.to_rfc3339().as_bytes()).field(memory.as_bytes());
    for line in journals.iter().flat_map(|journal| &journal.lines) {
        hasher.field(line.text.as_bytes());
    }
    hasher.finish().short(16)
}

fn read_log(inner: &Inner) -> Result<Vec<LogLine>> {
    let bytes = commit::state(inner.workspace.as_ref(), &StateName::LOG)?.unwrap_or_default();
    Ok(log::parse(&String::from_utf8_lossy(&bytes)).collect())
}

fn new_report(inner: &Inner, now: DateTime<Utc>) -> DreamReport {
    DreamReport {
        schema_version: 1,
        outcome: Outcome::Disabled,
        mode: inner.config.mode,
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
    }
}

/// What a pass found to do.
enum Prepared {
    Ask(Box<Asking>),
    Committed,
    Lost(Box<PassReport>, LostBy),
}

/// What a usable answer is.
enum Answer {
    Nothing,
    Secret { text: String, findings: Vec<Finding> },
    Section(Sanitised),
}

/// A pass that waits for its answer.
struct Asking {
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
