//! A run over facts: settle, ask about pairs, carry out what was said, until nothing waits or the passes are used up.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::select::{self, Batch, Pair, Situation};
use super::{Inner, ask, state};
use crate::base::digest::Hasher;
use crate::base::error::{Error, LostBy, Result};
use crate::base::name::StateName;
use crate::dream::{Due, tell_request, whole};
use crate::dreamer::{
    DreamMode, DreamPass, DreamReport, FactReport, FactRuling, Failure, Notice, Outcome, PassReport,
    RulingFate, Step,
};
use crate::facts::{Decision, EventId, EventOutcome, Fact, Verdict};
use crate::format::DreamId;
use crate::format::replies::rulings::{self, Ruled, Ruling};
use crate::format::state::asked::{Answered, AskedState, Given};
use crate::gate::{Doors, Masks};
use crate::llm::{LlmError, LlmReply, LlmRequest};
use crate::memory::MemoryId;
use crate::session;
use crate::trace;
use crate::workspace::{Claim, Lease, Workspace};

/// One call of `begin`, until its last `resume`.
pub(crate) struct Run {
    inner: Arc<Inner>,
    lease: Box<dyn Lease>,
    now: DateTime<Utc>,
    state: AskedState,
    facts: FactReport,
    report: DreamReport,
}

impl Run {
    /// Claims, carries out what an earlier run could not, and settles; then asks, or ends.
    pub(crate) fn begin(inner: Arc<Inner>, now: DateTime<Utc>) -> Result<Step> {
        let mut report = DreamReport::begun(DreamMode::Append, inner.workspace.location(), now);
        if !inner.config.enabled || is_switched_off(&inner, now)? {
            return Ok(Step::Done(Box::new(report)));
        }
        let lease = match inner.workspace.claim(&inner.config.pace.claim)? {
            Claim::Granted(lease) => lease,
            Claim::Held(holder) => {
                report.outcome = Outcome::LockHeld;
                report.holder = Some(holder);
                return Ok(Step::Done(Box::new(report)));
            }
        };
        report.outcome = Outcome::NothingNew;
        report.epoch = Some(lease.epoch());
        let state = state(inner.workspace.as_ref(), &StateName::FACTS)?;
        let mut run = Self { inner, lease, now, state, facts: FactReport::default(), report };
        match run.recover() {
            Ok(()) => {}
            Err(Error::LeaseLost(by)) => return Ok(run.lose(None, by)),
            Err(error) => return Err(error),
        }
        let pace = &run.inner.config.pace;
        if let Due::NotYet(not_due) = pace.due(now, true, &run.state.pace) {
            run.report.outcome = Outcome::NotDue;
            run.report.not_due = Some(not_due);
            return Ok(run.finish());
        }
        let settled = run.inner.store.settle(now)?;
        (run.facts.settled, run.facts.duplicates) = (settled.settled, settled.duplicates);
        run.next()
    }

    /// Goes to the next pass, or ends. What fails after a pass ends the run and not the report.
    fn next(mut self) -> Result<Step> {
        let calls = self.report.calls;
        let pace = &self.inner.config.pace;
        if calls >= pace.max_passes || (calls > 0 && pace.breaker(self.now, &self.state.pace).is_some()) {
            return Ok(self.finish());
        }
        match self.prepare() {
            Ok(Some(asking)) => Ok(Step::Ask(Box::new(FactPass { run: self, asking }))),
            Ok(None) => Ok(self.finish()),
            Err(error) if calls == 0 => Err(error),
            Err(error) => {
                self.report.notices.push(Notice::StoppedEarly(error.to_string()));
                Ok(self.finish())
            }
        }
    }

    /// Makes the request of the next pass; `None` where there is nothing to ask.
    fn prepare(&mut self) -> Result<Option<Asking>> {
        let inner = Arc::clone(&self.inner);
        let (config, pace) = (&inner.config, &inner.config.pace);
        let doors = self.doors()?;
        let wish = config.wish().map(|wish| doors.gate().mask(wish, &mut Masks::default()));
        let around = ask::INSTRUCTIONS.len() + rulings::print(wish.as_deref(), &[]).len();
        let situation = Situation {
            store: inner.store.as_ref(),
            access: &inner.access,
            state: &self.state,
            wish: wish.as_deref(),
            doors: &doors,
            room: pace.room(self.now, &self.state.pace).saturating_sub(around),
            most: pace.request_bytes.saturating_sub(around),
        };
        let batch = trace::select().attempt(|| situation.select())?;
        let Batch { pairs, printed, left, waiting, open, masks, found } = batch;
        (self.facts.left, self.facts.waiting) = (left, waiting);
        if pairs.is_empty() {
            if waiting > 0 && self.report.calls == 0 {
                self.report.outcome = Outcome::NotDue;
                self.report.not_due = Some(pace.used_up(self.now, &self.state.pace));
            }
            return Ok(None);
        }
        let mut hasher = Hasher::new();
        hasher.field(b"facts");
        for pair in &pairs {
            hasher.field(select::key(pair.older, pair.newer).as_bytes()).field(pair.seen.as_bytes());
        }
        let mut pass = PassReport::new(DreamId::from_digest(hasher.finish()));
        let mut request = LlmRequest::new(ask::INSTRUCTIONS, rulings::print(wish.as_deref(), &printed));
        request.max_output_tokens = pace.max_output_tokens;
        tell_request(&mut pass, &request, &masks, &found);
        Ok(Some(Asking { request, pass, pairs, wish, open }))
    }

    /// The doors, with what the workspace has forgotten.
    fn doors(&self) -> Result<Doors> {
        let forgotten = session::forgotten(self.inner.workspace.as_ref())?;
        Ok(self.inner.doors.clone().heeding(forgotten.map(Arc::new)))
    }

    /// Takes the answer to a pass.
    fn judge(
        mut self,
        asking: Asking,
        answer: Result<LlmReply, LlmError>,
        now: DateTime<Utc>,
    ) -> Result<Step> {
        let Asking { mut pass, pairs, wish, open, .. } = asking;
        self.now = now;
        self.report.ended_at = now;
        self.report.calls += 1;
        if let Some(usage) = answer.as_ref().ok().and_then(|reply| reply.usage) {
            pass.usage = Some(usage);
            *self.report.usage.get_or_insert_default() += usage;
        }
        let pace = &self.inner.config.pace;
        pace.count_call(&mut self.state.pace, now, &pass);
        let ruled = match self.read(answer, pairs.len()) {
            Ok(ruled) => ruled,
            Err(failure) => {
                pass.failure = Some(failure);
                pass.outcome = Outcome::LlmError;
                pace.stamp(&mut self.state.pace, now, Outcome::LlmError);
                return match self.keep() {
                    Ok(()) => {
                        self.report.passes.push(pass);
                        Ok(self.finish())
                    }
                    Err(Error::LeaseLost(by)) => Ok(self.lose(Some(pass), by)),
                    Err(error) => Err(error),
                };
            }
        };
        pass.outcome = Outcome::Undecided;
        let before = self.facts.rulings.len();
        let carried_out = self
            .promise(&pairs, &ruled, open.as_ref())
            .and_then(|()| self.carry_out(&ruled, wish.as_deref()));
        if self.facts.rulings[before..].iter().any(FactRuling::is_decided) {
            pass.outcome = Outcome::Decided;
        }
        match carried_out {
            Ok(()) => {
                self.report.passes.push(pass);
                self.next()
            }
            Err(Error::LeaseLost(by)) => Ok(self.lose(Some(pass), by)),
            Err(error) => Err(error),
        }
    }

    /// Reads an answer: nothing of one that is not whole.
    fn read(&self, answer: Result<LlmReply, LlmError>, pairs: usize) -> Result<Vec<Ruled>, Failure> {
        let text = whole(answer, self.inner.doors.gate())?;
        rulings::parse(&text, pairs).ok_or(Failure::Malformed)
    }

    /// Writes down what was said before any of it is carried out. From here on a crash costs neither another call nor a
    /// decision twice.
    fn promise(&mut self, pairs: &[Pair], ruled: &[Ruled], open: Option<&BTreeSet<String>>) -> Result<()> {
        // What the human closed meanwhile needs no place.
        if let Some(open) = open {
            self.state.asked.retain(|pair, _| open.contains(pair));
        }
        let mut rulings = Vec::new();
        for (at, pair) in pairs.iter().enumerate() {
            let said = ruled.iter().find(|line| line.pair == at).map_or(Ruling::Unsure, |line| line.ruling);
            self.state.asked.insert(select::key(pair.older, pair.newer), pair.seen.clone());
            rulings.push(Given {
                older: pair.older.get(),
                newer: pair.newer.get(),
                ruling: said,
                seen: pair.seen.clone(),
            });
        }
        let latest = self.inner.store.decisions(&self.inner.access, 1)?;
        let after = latest.first().map_or(0, |event| event.id.get());
        self.state.answered = Some(Answered { after, rulings });
        let pace = &self.inner.config.pace;
        pace.stamp(&mut self.state.pace, self.now, Outcome::Undecided);
        self.note_decided(self.facts.rulings.iter().any(FactRuling::is_decided));
        self.keep()
    }

    /// Has the state say that the run decided something, once it did.
    fn note_decided(&mut self, has_decided: bool) {
        if has_decided {
            self.state.pace.last_outcome = Some(Outcome::Decided.word().to_owned());
        }
    }

    /// Carries out what is written down, with the reasons that were given, and notes that it is done.
    fn carry_out(&mut self, ruled: &[Ruled], wish: Option<&str>) -> Result<()> {
        let Some(answered) = self.state.answered.clone() else { return Ok(()) };
        for (at, given) in answered.rulings.iter().enumerate() {
            let reason = ruled.iter().find(|line| line.pair == at).and_then(|line| line.reason.clone());
            self.lease.check()?;
            let ruling = self.carry_out_one(given, reason, wish)?;
            self.facts.rulings.push(ruling);
        }
        self.state.answered = None;
        self.note_decided(self.facts.rulings.iter().any(FactRuling::is_decided));
        self.keep()
    }

    fn carry_out_one(
        &mut self,
        given: &Given,
        reason: Option<String>,
        wish: Option<&str>,
    ) -> Result<FactRuling> {
        let (older, newer) = (MemoryId::new(given.older), MemoryId::new(given.newer));
        let Some(verdict) = verdict(given.ruling) else {
            return Ok(FactRuling::new(older, newer, None, RulingFate::Unsure));
        };
        let mut decision = Decision::coexist(older, newer);
        (decision.verdict, decision.reason) = (verdict, reason);
        let (store, access) = (self.inner.store.as_ref(), &self.inner.access);
        let told = |fate| Ok(FactRuling::new(older, newer, Some(verdict), fate));
        let standing = |id| -> Result<Option<Fact>> {
            Ok(store.fact(access, id)?.filter(|fact| !fact.status.state.is_retired()))
        };
        // Somebody may have changed or decided on a row while the model thought, this answer included.
        let is_as_seen = match (standing(older)?, standing(newer)?) {
            (Some(one), Some(other)) => select::seen(&self.state, wish, &one, &other) == given.seen,
            _ => false,
        };
        if !is_as_seen {
            self.state.asked.remove(&select::key(older, newer));
            return told(RulingFate::Outdated);
        }
        match store.decide(access, &decision, self.now) {
            Ok(event) if event.outcome == EventOutcome::Shadow => told(RulingFate::Told(event.id)),
            Ok(event) => told(RulingFate::Decided(event.id)),
            Err(Error::Undecided { rule, .. }) => told(RulingFate::Refused(rule.to_owned())),
            Err(error @ (Error::NotFound { .. } | Error::Denied { .. })) => {
                told(RulingFate::Refused(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// Carries out the rest of what an earlier run was told. What the store has told of since is done.
    fn recover(&mut self) -> Result<()> {
        let Some(mut answered) = self.state.answered.take() else { return Ok(()) };
        let events = self.inner.store.decisions(&self.inner.access, usize::MAX)?;
        let since = events.iter().filter(|event| event.id > EventId::new(answered.after));
        let done: Vec<_> = since
            .filter(|event| event.actor == self.inner.access.actor)
            .map(|event| (event.older, event.newer, event.verdict))
            .collect();
        let is_done = |given: &Given| {
            let rows = (Some(MemoryId::new(given.older)), Some(MemoryId::new(given.newer)));
            verdict(given.ruling).map(|verdict| done.contains(&(rows.0, rows.1, verdict)))
        };
        self.note_decided(answered.rulings.iter().any(|given| is_done(given) == Some(true)));
        answered.rulings.retain(|given| is_done(given) == Some(false));
        self.facts.recovered = answered.rulings.len() as u64;
        self.state.answered = Some(answered);
        // Whoever left it may have been killed before it was durable: a power loss could take it back, and leave what is
        // decided from it now.
        self.keep()?;
        let doors = self.doors()?;
        let wish = self.inner.config.wish().map(|wish| doors.gate().mask(wish, &mut Masks::default()));
        self.carry_out(&[], wish.as_deref())
    }

    fn keep(&self) -> Result<()> {
        self.lease.replace(&StateName::FACTS, &self.state.print())
    }

    /// Ends a run whose lease is gone: nothing more is decided.
    fn lose(mut self, pass: Option<PassReport>, by: LostBy) -> Step {
        if let Some(mut pass) = pass {
            pass.outcome = Outcome::LeaseLost;
            pass.lost = Some(by);
            self.report.passes.push(pass);
        }
        let mut step = self.finish();
        if let Step::Done(report) = &mut step {
            report.outcome = Outcome::LeaseLost;
        }
        step
    }

    /// Completes the report and gives the lease back.
    fn finish(mut self) -> Step {
        let failed = self.report.passes.iter().any(|pass| pass.outcome == Outcome::LlmError);
        if failed {
            self.report.outcome = Outcome::LlmError;
        } else if self.facts.rulings.iter().any(FactRuling::is_decided) {
            self.report.outcome = Outcome::Decided;
        } else if !self.report.passes.is_empty() {
            self.report.outcome = Outcome::Undecided;
        }
        self.report.facts = Some(self.facts);
        if self.lease.release().is_err() {
            self.report.notices.push(Notice::LockNotRemoved);
        }
        Step::Done(Box::new(self.report))
    }
}

/// What a word decides; `None` for no decision.
fn verdict(ruling: Ruling) -> Option<Verdict> {
    match ruling {
        Ruling::Supersede => Some(Verdict::Supersede),
        Ruling::Duplicate => Some(Verdict::Duplicate),
        Ruling::Coexist => Some(Verdict::Coexist),
        Ruling::Dispute => Some(Verdict::Dispute),
        Ruling::Unsure => None,
    }
}

/// Whether the store takes no decision of a pass with a model. Asked by taking back what no store has: that is refused by the
/// switch first, and otherwise is not there. So no call is paid for that decides nothing.
fn is_switched_off(inner: &Inner, now: DateTime<Utc>) -> Result<bool> {
    match inner.store.revert(&inner.access, EventId::new(0), now) {
        Err(Error::Undecided { .. }) => Ok(true),
        Err(Error::NotFound { .. }) | Ok(_) => Ok(false),
        Err(error) => Err(error),
    }
}

/// A pass that waits for its answer.
struct Asking {
    request: LlmRequest,
    pass: PassReport,
    pairs: Vec<Pair>,
    wish: Option<String>,
    open: Option<BTreeSet<String>>,
}

/// A run that waits for the model.
struct FactPass {
    run: Run,
    asking: Asking,
}

impl fmt::Debug for FactPass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FactPass {{ id: {}, pairs: {} }}", self.asking.pass.dream_id, self.asking.pairs.len())
    }
}

impl DreamPass for FactPass {
    fn request(&self) -> &LlmRequest {
        &self.asking.request
    }

    fn resume(self: Box<Self>, answer: Result<LlmReply, LlmError>, now: DateTime<Utc>) -> Result<Step> {
        self.run.judge(self.asking, answer, now)
    }
}
