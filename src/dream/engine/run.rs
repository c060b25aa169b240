//! A run under its claim: what all dreamers carry from `begin` to the last `resume`.

use std::sync::Arc;

use chrono::{DateTime, NaiveDate, Utc};

use super::host::Host;
use crate::base::digest::Digest;
use crate::base::error::{Error, LostBy, Result};
use crate::base::gather::Gather as _;
use crate::dreamer::{DreamMode, DreamReport, NotDue, Notice, Outcome, PassReport, Step};
use crate::format::state::log::LogLine;
use crate::gate::{Doors, Tombstones};
use crate::llm::{LlmError, LlmReply};
use crate::session;
use crate::workspace::{Lease, Workspace};

/// One call of `begin`, until its last `resume`.
pub(crate) struct Run {
    pub(crate) host: Host,
    /// `None` in a preview and in a survey, which claim and write nothing.
    pub(crate) lease: Option<Box<dyn Lease>>,
    pub(crate) forgotten: Option<Arc<Tombstones>>,
    pub(crate) report: DreamReport,
    pub(crate) is_lost: bool,
}

impl Run {
    /// Makes a run that has done nothing yet.
    pub(super) fn new(host: &Host, mode: DreamMode, now: DateTime<Utc>) -> Self {
        let report = DreamReport::begun(mode, host.workspace.location(), now);
        Self { host: host.clone(), lease: None, forgotten: None, report, is_lost: false }
    }

    /// Makes a run that only looks, and claims nothing.
    pub(crate) fn unclaimed(host: &Host, mode: DreamMode, now: DateTime<Utc>) -> Result<Self> {
        let mut run = Self::new(host, mode, now);
        run.go(None)?;
        Ok(run)
    }

    /// Goes on with the lease, and with what was forgotten up to now.
    pub(super) fn go(&mut self, lease: Option<Box<dyn Lease>>) -> Result<()> {
        self.report.outcome = Outcome::NothingNew;
        self.report.epoch = lease.as_ref().map(|lease| lease.epoch());
        self.lease = lease;
        self.look_up_forgotten()
    }

    fn look_up_forgotten(&mut self) -> Result<()> {
        self.forgotten = session::forgotten(self.host.workspace.as_ref())?.map(Arc::new);
        Ok(())
    }

    /// Returns the time when it began.
    pub(crate) fn begun(&self) -> DateTime<Utc> {
        self.report.started_at
    }

    /// Returns the time of its last step.
    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.report.ended_at
    }

    /// Returns the number of its claim; 0 without one.
    pub(crate) fn epoch(&self) -> u64 {
        self.report.epoch.unwrap_or_default()
    }

    pub(crate) fn workspace(&self) -> &dyn Workspace {
        self.host.workspace.as_ref()
    }

    /// Returns the doors, with the forgotten statements of the workspace.
    pub(crate) fn doors(&self) -> Doors {
        self.host.doors.clone().heeding(self.forgotten.clone())
    }

    /// Returns the lease of a dreamer that claims in every mode.
    pub(crate) fn lease(&self) -> &dyn Lease {
        self.lease.as_deref().expect("only a preview and a survey run without a lease")
    }

    /// Looks whether the lease still holds.
    pub(crate) fn check_lease(&self) -> Result<()> {
        self.lease.as_ref().map_or(Ok(()), |lease| lease.check())
    }

    /// Counts an answer, or a failure that was handed back: the moment in which a call counts.
    pub(super) fn answered(
        &mut self,
        pass: &mut PassReport,
        answer: &Result<LlmReply, LlmError>,
        now: DateTime<Utc>,
    ) {
        self.report.ended_at = now;
        self.report.calls += 1;
        let Ok(reply) = answer else { return };
        pass.left.clone_from(&reply.left);
        pass.without_model = reply.without_model;
        if let Some(usage) = reply.usage {
            pass.usage = Some(usage);
            *self.report.usage.get_or_insert_default() += usage;
        }
    }

    /// Looks, after an answer, whether the run may go on; somebody may have asked to forget while the model thought.
    pub(super) fn fence(&mut self) -> Result<()> {
        self.check_lease()?;
        self.look_up_forgotten()
    }

    /// Says that the run is not due.
    pub(crate) fn put_off(&mut self, not_due: Option<NotDue>) {
        self.report.outcome = Outcome::NotDue;
        self.report.not_due = not_due;
    }

    /// Puts a pass into the report, and tells the observer.
    pub(crate) fn close(&mut self, mut pass: PassReport) {
        for line in &mut pass.lines {
            line.mode = self.report.mode;
        }
        self.host.tell_pass(&pass);
        self.report.outcome = self.report.outcome.max(pass.outcome);
        self.report.passes.push(pass);
    }

    /// Notes that the lease is gone: nothing more is written.
    pub(crate) fn lose(&mut self, pass: Option<PassReport>, by: LostBy) {
        self.is_lost = true;
        match pass {
            Some(mut pass) => {
                pass.outcome = Outcome::LeaseLost;
                pass.lost = Some(by);
                self.close(pass);
            }
            None => self.report.outcome = self.report.outcome.max(Outcome::LeaseLost),
        }
    }

    /// Notes that a pass was committed, and something after it failed: the caller learns what was promoted.
    pub(super) fn stop_early(&mut self, error: &Error) {
        self.report.notices.push(Notice::StoppedEarly(error.to_string()));
    }

    /// Returns the line of the log for a pass, without what it showed and promoted.
    pub(crate) fn log_line(&self, day: NaiveDate, pass: &PassReport) -> LogLine {
        LogLine {
            v: 1,
            by: None,
            at: Some(self.now()),
            day,
            id: pass.dream_id.clone(),
            epoch: self.epoch(),
            outcome: pass.outcome.as_str().to_owned(),
            sources: Vec::new(),
            lines: Vec::new(),
            declined: Vec::new(),
            fates: pass.fates(),
            section_sha256: pass.section.as_ref().map(|section| Digest::of(section.as_bytes())),
            also_sha256: Vec::new(),
            request_bytes: pass.request_bytes,
            usage: pass.usage,
            without_model: pass.without_model,
            patterns: pass.quarantined.iter().map(|blamed| blamed.pattern.clone()).gather(),
        }
    }

    /// Tells the observer where no pass did, gives the lease back, and reports.
    pub(super) fn end(mut self) -> Step {
        if self.report.passes.is_empty() {
            self.host.tell(self.report.outcome, None, Vec::new(), Vec::new());
        }
        if self.lease.take().is_some_and(|lease| lease.release().is_err()) {
            self.report.notices.push(Notice::LockNotRemoved);
        }
        Step::Done(Box::new(self.report))
    }
}
