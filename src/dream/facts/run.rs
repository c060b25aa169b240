//! A run over facts: settle, ask about pairs, carry out what was said, until nothing waits or the passes are used up.

use chrono::{DateTime, Utc};

use super::dreamer::FactDreamer;
use super::select::{self, Batch, Pair, Situation};
use super::{ask, asked};
use crate::base::digest::Hasher;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::name::StateName;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::dream::engine::{self, Asking, Dream, Due, Pass, Run, Terms, Then, tell_request};
use crate::dreamer::{
    DreamMode, Dreamer, FactReport, FactRuling, Failure, Outcome, PassReport, RulingOutcome, Step,
};
use crate::facts::{Decision, EventId, EventOutcome, Fact, Verdict};
use crate::format::DreamId;
use crate::format::replies::rulings::{self, Ruled, Ruling};
use crate::format::state::asked::{Answered, AskedState, Given};
use crate::gate::Masks;
use crate::llm::LlmRequest;
use crate::memory::MemoryId;
use crate::trace;

impl Dreamer for FactDreamer {
    fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
        let config = &self.config;
        // No call is paid for that decides nothing.
        let enabled = config.enabled && self.store.takes_rulings();
        let terms = Terms { enabled, mode: DreamMode::Append, claim: &config.pace.claim };
        engine::begin(&self.host, &terms, now, |run| Judging::open(self.clone(), run))
    }
}

/// A run that judges facts.
struct Judging {
    dreamer: FactDreamer,
    state: AskedState,
    facts: FactReport,
}

/// The pairs that a pass asks about.
struct Asked {
    pairs: Vec<Pair>,
    /// The operator's wish, as it was shown.
    wish: Option<String>,
    /// All pairs that are open, where all were looked at.
    open: Option<SortedSet<String>>,
}

impl Dream for Judging {
    type Material = Asked;

    /// Makes the request of the next pass; `None` where there is nothing to ask, or the passes are used up.
    fn select(&mut self, run: &mut Run) -> Result<Option<Asking<Asked>>> {
        let (calls, pace) = (run.report.calls, &self.dreamer.config.pace);
        if calls == 0 {
            if let Due::NotYet(not_due) = pace.due(run.now(), true, &self.state.pace) {
                run.put_off(Some(not_due));
                return Ok(None);
            }
            let settled = self.dreamer.store.settle(run.now())?;
            (self.facts.settled, self.facts.duplicates) = (settled.settled, settled.duplicates);
        } else if calls >= pace.max_passes || pace.breaker(run.now(), &self.state.pace).is_some() {
            return Ok(None);
        }
        self.prepare(run)
    }

    fn count(&mut self, run: &Run, pass: &PassReport) -> Result<()> {
        self.dreamer.config.pace.count(&mut self.state.pace, run.now(), pass);
        Ok(())
    }

    fn judge(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<Asked>,
        answer: Result<String, Failure>,
    ) -> Result<Then> {
        let asked = &pass.material;
        let pairs = asked.pairs.len();
        let ruled = answer.and_then(|text| rulings::parse(&text, pairs).ok_or(Failure::Malformed));
        let ruled = match ruled {
            Ok(ruled) => ruled,
            Err(failure) => {
                pass.report.failure = Some(failure);
                pass.report.outcome = Outcome::LlmError;
                let pace = &self.dreamer.config.pace;
                pace.stamp(&mut self.state.pace, run.now(), Outcome::LlmError);
                self.keep(run)?;
                return Ok(Then::End);
            }
        };
        let before = self.facts.rulings.len();
        let carried_out = self
            .promise(run, asked, &ruled)
            .and_then(|()| self.carry_out(run, &ruled, asked.wish.as_deref()));
        let has_decided = self.facts.rulings[before..].iter().any(FactRuling::is_decided);
        pass.report.outcome = if has_decided { Outcome::Decided } else { Outcome::Undecided };
        carried_out.map(|()| Then::GoOn)
    }

    fn complete(&mut self, run: &mut Run) {
        let report = &mut run.report;
        let has_failed = report.passes.iter().any(|pass| pass.outcome == Outcome::LlmError);
        if run.is_lost {
            report.outcome = Outcome::LeaseLost;
        } else if has_failed {
            report.outcome = Outcome::LlmError;
        } else if self.facts.rulings.iter().any(FactRuling::is_decided) {
            report.outcome = Outcome::Decided;
        }
        report.facts = Some(std::mem::take(&mut self.facts));
    }
}

impl Judging {
    /// Reads what was asked, and carries out what an earlier run could not.
    fn open(dreamer: FactDreamer, run: &mut Run) -> Result<Self> {
        let state = asked::read(run.workspace(), &StateName::FACTS)?;
        let mut ruling = Self { dreamer, state, facts: FactReport::default() };
        match ruling.recover(run) {
            Err(Error::LeaseLost(by)) => run.lose(None, by),
            recovered => recovered?,
        }
        Ok(ruling)
    }

    fn prepare(&mut self, run: &mut Run) -> Result<Option<Asking<Asked>>> {
        let FactDreamer { store, access, config, .. } = &self.dreamer;
        let pace = &config.pace;
        let doors = run.doors();
        let wish = self.wish(run);
        let around = ask::INSTRUCTIONS.len() + rulings::print(wish.as_deref(), &[]).len();
        let situation = Situation {
            store: store.as_ref(),
            access,
            state: &self.state,
            wish: wish.as_deref(),
            doors: &doors,
            room: pace.room(run.now(), &self.state.pace).saturating_sub(around),
            most: pace.request_bytes.saturating_sub(around),
        };
        let batch = trace::select().attempt(|| situation.select())?;
        let Batch { pairs, printed, left, waiting, open, masks, found } = batch;
        (self.facts.left, self.facts.waiting) = (left, waiting);
        if pairs.is_empty() {
            if waiting > 0 && run.report.calls == 0 {
                run.put_off(Some(pace.used_up(run.now(), &self.state.pace)));
            }
            return Ok(None);
        }
        let mut hasher = Hasher::new();
        hasher.field(b"facts");
        for pair in &pairs {
            hasher.field(select::key(pair.older, pair.newer).as_bytes()).field(pair.seen.as_bytes());
        }
        let mut report = PassReport::new(DreamId::from_digest(hasher.finish()));
        let mut request = LlmRequest::new(ask::INSTRUCTIONS, rulings::print(wish.as_deref(), &printed));
        request.max_output_tokens = pace.budget.max_output_tokens;
        tell_request(&mut report, &request, &masks, &found);
        let pass = Pass { report, material: Asked { pairs, wish, open } };
        Ok(Some(Asking { request, pass }))
    }

    /// Returns the operator's wish, masked.
    fn wish(&self, run: &Run) -> Option<String> {
        let wish = self.dreamer.config.wish()?;
        Some(run.host.doors.gate().mask(wish, &mut Masks::default()))
    }

    /// Writes down what was said before any of it is carried out. From here on a crash costs neither another call nor a
    /// decision twice.
    fn promise(&mut self, run: &Run, asked: &Asked, ruled: &[Ruled]) -> Result<()> {
        // A pair that the human closed meanwhile needs no place.
        if let Some(open) = &asked.open {
            self.state.asked.retain(|pair, _| open.contains(pair));
        }
        let mut rulings = Vec::new();
        for (at, pair) in asked.pairs.iter().enumerate() {
            let said = ruled.iter().find(|line| line.pair == at).map_or(Ruling::Unsure, |line| line.ruling);
            self.state.asked.insert(select::key(pair.older, pair.newer), pair.seen.clone());
            rulings.push(Given {
                older: pair.older.get(),
                newer: pair.newer.get(),
                ruling: said,
                seen: pair.seen.clone(),
            });
        }
        let latest = self.dreamer.store.decisions(&self.dreamer.access, 1)?;
        let after = latest.first().map_or(0, |event| event.id.get());
        self.state.answered = Some(Answered { after, rulings });
        let pace = &self.dreamer.config.pace;
        pace.stamp(&mut self.state.pace, run.now(), Outcome::Undecided);
        self.note_decided(self.facts.rulings.iter().any(FactRuling::is_decided));
        self.keep(run)
    }

    /// Has the state say that the run decided something, once it did.
    fn note_decided(&mut self, has_decided: bool) {
        if has_decided {
            self.state.pace.last_outcome = Some(Outcome::Decided.as_str().to_owned());
        }
    }

    /// Carries out what is written down, with the reasons that were given, and notes that it is done.
    fn carry_out(&mut self, run: &Run, ruled: &[Ruled], wish: Option<&str>) -> Result<()> {
        let Some(answered) = self.state.answered.clone() else { return Ok(()) };
        for (at, given) in answered.rulings.iter().enumerate() {
            let reason = ruled.iter().find(|line| line.pair == at).and_then(|line| line.reason.clone());
            run.check_lease()?;
            let ruling = self.carry_out_one(run, given, reason, wish)?;
            self.facts.rulings.push(ruling);
        }
        self.state.answered = None;
        self.note_decided(self.facts.rulings.iter().any(FactRuling::is_decided));
        self.keep(run)
    }

    fn carry_out_one(
        &mut self,
        run: &Run,
        given: &Given,
        reason: Option<String>,
        wish: Option<&str>,
    ) -> Result<FactRuling> {
        let (older, newer) = (MemoryId::new(given.older), MemoryId::new(given.newer));
        let Some(verdict) = verdict(given.ruling) else {
            return Ok(FactRuling::new(older, newer, None, RulingOutcome::Unsure));
        };
        let mut decision = Decision::coexist(older, newer);
        (decision.verdict, decision.reason) = (verdict, reason);
        let (store, access) = (self.dreamer.store.as_ref(), &self.dreamer.access);
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
            return told(RulingOutcome::Outdated);
        }
        match store.decide(access, &decision, run.now()) {
            Ok(event) if event.outcome == EventOutcome::Shadow => told(RulingOutcome::Told(event.id)),
            Ok(event) => told(RulingOutcome::Decided(event.id)),
            Err(Error::Undecided { rule, .. }) => told(RulingOutcome::Refused(rule.to_owned())),
            Err(error @ (Error::NotFound { .. } | Error::Denied { .. })) => {
                told(RulingOutcome::Refused(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// Carries out the remaining rulings of an earlier run. A ruling with an event in the store is done.
    fn recover(&mut self, run: &Run) -> Result<()> {
        let Some(mut answered) = self.state.answered.take() else { return Ok(()) };
        let events = self.dreamer.store.decisions(&self.dreamer.access, usize::MAX)?;
        let since = events.iter().filter(|event| event.id > EventId::new(answered.after));
        let done: Vec<_> = since
            .filter(|event| event.actor == self.dreamer.access.actor)
            .map(|event| (event.older, event.newer, event.verdict))
            .gather();
        let is_done = |given: &Given| {
            let rows = (Some(MemoryId::new(given.older)), Some(MemoryId::new(given.newer)));
            verdict(given.ruling).map(|verdict| done.contains(&(rows.0, rows.1, verdict)))
        };
        self.note_decided(answered.rulings.iter().any(|given| is_done(given) == Some(true)));
        order::retain(&mut answered.rulings, |given| is_done(given) == Some(false));
        self.facts.recovered = answered.rulings.len() as u64;
        self.state.answered = Some(answered);
        // The process that left it may have been killed before it was durable: a power loss could take it
        // back, and leave what is
        // decided from it now.
        self.keep(run)?;
        let wish = self.wish(run);
        self.carry_out(run, &[], wish.as_deref())
    }

    fn keep(&self, run: &Run) -> Result<()> {
        run.lease().replace(&StateName::FACTS, &self.state.print())
    }
}

/// Returns the decision of a ruling; `None` for no decision.
fn verdict(ruling: Ruling) -> Option<Verdict> {
    match ruling {
        Ruling::Supersede => Some(Verdict::Supersede),
        Ruling::Duplicate => Some(Verdict::Duplicate),
        Ruling::Coexist => Some(Verdict::Coexist),
        Ruling::Dispute => Some(Verdict::Dispute),
        Ruling::Unsure => None,
    }
}
