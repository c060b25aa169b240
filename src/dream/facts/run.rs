//! A run over facts: settle, ask about pairs, carry out what was said, until nothing waits or the passes are used up.

use chrono::{DateTime, Utc};

use super::ask;
use super::dreamer::FactDreamer;
use super::select::{self, Batch, Pair, PairChoice};
use crate::base::digest::Hasher;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::dream::engine::{Asking, Paced, Pass, Question, Run, Then};
use crate::dreamer::{Dreamer, FactReport, FactRuling, Failure, Outcome, RulingOutcome, Step};
use crate::facts::{Decision, EventId, EventOutcome, Fact, Verdict};
use crate::format::replies::rulings::{self, Ruled, Ruling};
use crate::format::state::asked::{Answered, Given};
use crate::gate::Masks;
use crate::llm::LlmRequest;
use crate::memory::MemoryId;
use crate::trace;

impl Dreamer for FactDreamer {
    fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
        // No call is paid for that decides nothing.
        let enabled = self.config.enabled && self.store.takes_rulings();
        self.base.begin(enabled, &self.config.pace, now, |paced| Judging {
            dreamer: self.clone(),
            paced,
            facts: FactReport::default(),
        })
    }
}

/// A run that judges facts.
struct Judging {
    dreamer: FactDreamer,
    paced: Paced,
    facts: FactReport,
}

/// The pairs that a pass asks about.
struct AskedPairs {
    pairs: Vec<Pair>,
    /// The operator's wish, as it was shown.
    wish: Option<String>,
    /// All pairs that are open, where all were looked at.
    open: Option<SortedSet<String>>,
}

impl Question for Judging {
    type Material = AskedPairs;
    type Answer = Vec<Ruled>;

    fn paced(&mut self) -> &mut Paced {
        &mut self.paced
    }

    /// Carries out the remaining rulings of an earlier run. A ruling with an event in the store is done.
    fn recover(&mut self, run: &Run) -> Result<()> {
        let Some(mut answered) = self.paced.state.answered.take() else { return Ok(()) };
        let access = &self.dreamer.base.access;
        let events = self.dreamer.store.decisions(access, usize::MAX)?;
        let since = events.iter().filter(|event| event.id > EventId::new(answered.after));
        let done: Vec<_> = since
            .filter(|event| event.actor == access.actor)
            .map(|event| (event.older, event.newer, event.verdict))
            .gather();
        let is_done = |given: &Given| {
            let rows = (Some(MemoryId::new(given.older)), Some(MemoryId::new(given.newer)));
            verdict(given.ruling).map(|verdict| done.contains(&(rows.0, rows.1, verdict)))
        };
        self.note_decided(answered.rulings.iter().any(|given| is_done(given) == Some(true)));
        order::retain(&mut answered.rulings, |given| is_done(given) == Some(false));
        self.facts.recovered = answered.rulings.len() as u64;
        self.paced.state.answered = Some(answered);
        // The process that left it may have been killed before it was durable: a power loss could take it
        // back, and leave what is decided from it now.
        self.paced.keep(run)?;
        let wish = self.wish(run);
        self.carry_out(run, &[], wish.as_deref())
    }

    fn ask(&mut self, run: &mut Run) -> Result<Option<Asking<AskedPairs>>> {
        let FactDreamer { store, base, .. } = &self.dreamer;
        if run.report.calls == 0 {
            let settled = store.settle(run.now())?;
            (self.facts.settled, self.facts.duplicates) = (settled.settled, settled.duplicates);
        }
        let doors = run.doors();
        let wish = self.wish(run);
        let around = ask::INSTRUCTIONS.len() + rulings::print(wish.as_deref(), &[]).len();
        let situation = PairChoice {
            store: store.as_ref(),
            access: &base.access,
            state: &self.paced.state,
            wish: wish.as_deref(),
            doors: &doors,
            room: self.paced.room(run, around),
            most: self.paced.pace.request_bytes.saturating_sub(around),
        };
        let batch = trace::select().attempt(|| situation.select())?;
        let Batch { pairs, printed, left, waiting, open, masks, found } = batch;
        (self.facts.left, self.facts.waiting) = (left, waiting);
        if pairs.is_empty() {
            if waiting > 0 && run.report.calls == 0 {
                self.paced.put_off(run);
            }
            return Ok(None);
        }
        let mut hasher = Hasher::new();
        hasher.field(b"facts");
        for pair in &pairs {
            hasher.field(select::key(pair.older, pair.newer).as_bytes()).field(pair.seen.as_bytes());
        }
        let mut request = LlmRequest::new(ask::INSTRUCTIONS, rulings::print(wish.as_deref(), &printed));
        let report = self.paced.report(hasher.finish(), &mut request, &masks, &found);
        Ok(Some(Asking { request, pass: Pass { report, material: AskedPairs { pairs, wish, open } } }))
    }

    fn read(&self, _run: &Run, asked: &AskedPairs, text: &str) -> Result<Vec<Ruled>, Failure> {
        rulings::parse(text, asked.pairs.len()).ok_or(Failure::Malformed)
    }

    fn commit(&mut self, run: &Run, pass: &mut Pass<AskedPairs>, ruled: Vec<Ruled>) -> Result<Then> {
        let (asked, before) = (&pass.material, self.facts.rulings.len());
        self.promise(run, asked, &ruled)?;
        self.carry_out(run, &ruled, asked.wish.as_deref())?;
        let has_decided = self.facts.rulings[before..].iter().any(FactRuling::is_decided);
        pass.report.outcome = if has_decided { Outcome::Decided } else { Outcome::Undecided };
        Ok(Then::GoOn)
    }

    fn complete(&mut self, run: &mut Run) {
        let has_decided = self.has_decided();
        let report = &mut run.report;
        let has_failed = report.passes.iter().any(|pass| pass.outcome == Outcome::LlmError);
        if run.is_lost {
            report.outcome = Outcome::LeaseLost;
        } else if has_failed {
            report.outcome = Outcome::LlmError;
        } else if has_decided {
            report.outcome = Outcome::Decided;
        }
        report.facts = Some(std::mem::take(&mut self.facts));
    }
}

impl Judging {
    fn has_decided(&self) -> bool {
        self.facts.rulings.iter().any(FactRuling::is_decided)
    }

    /// Has the state say that the run decided something, once it did.
    fn note_decided(&mut self, has_decided: bool) {
        if has_decided {
            self.paced.state.pace.last_outcome = Some(Outcome::Decided.as_str().to_owned());
        }
    }

    /// Returns the operator's wish, masked.
    fn wish(&self, run: &Run) -> Option<String> {
        let wish = self.dreamer.config.wish()?;
        Some(run.host.doors.gate().mask(wish, &mut Masks::default()))
    }

    /// Writes down what was said before any of it is carried out. From here on a crash costs neither another call nor a
    /// decision twice.
    fn promise(&mut self, run: &Run, asked: &AskedPairs, ruled: &[Ruled]) -> Result<()> {
        // A pair that the human closed meanwhile needs no place.
        if let Some(open) = &asked.open {
            self.paced.state.asked.retain(|pair, _| open.contains(pair));
        }
        let mut rulings = Vec::new();
        for (at, pair) in asked.pairs.iter().enumerate() {
            let said = ruled.iter().find(|line| line.pair == at).map_or(Ruling::Unsure, |line| line.ruling);
            self.paced.state.asked.insert(select::key(pair.older, pair.newer), pair.seen.clone());
            rulings.push(Given {
                older: pair.older.get(),
                newer: pair.newer.get(),
                ruling: said,
                seen: pair.seen.clone(),
            });
        }
        let latest = self.dreamer.store.decisions(&self.dreamer.base.access, 1)?;
        let after = latest.first().map_or(0, |event| event.id.get());
        self.paced.state.answered = Some(Answered { after, rulings });
        self.paced.stamp(run, Outcome::Undecided);
        self.note_decided(self.has_decided());
        self.paced.keep(run)
    }

    /// Carries out what is written down, with the reasons that were given, and notes that it is done.
    fn carry_out(&mut self, run: &Run, ruled: &[Ruled], wish: Option<&str>) -> Result<()> {
        let Some(answered) = self.paced.state.answered.clone() else { return Ok(()) };
        for (at, given) in answered.rulings.iter().enumerate() {
            let reason = ruled.iter().find(|line| line.pair == at).and_then(|line| line.reason.clone());
            run.check_lease()?;
            let ruling = self.carry_out_one(run, given, reason, wish)?;
            self.facts.rulings.push(ruling);
        }
        self.paced.state.answered = None;
        self.note_decided(self.has_decided());
        self.paced.keep(run)
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
        let (store, access) = (self.dreamer.store.as_ref(), &self.dreamer.base.access);
        let told = |fate| Ok(FactRuling::new(older, newer, Some(verdict), fate));
        let standing = |id| -> Result<Option<Fact>> {
            Ok(store.fact(access, id)?.filter(|fact| !fact.status.state.is_retired()))
        };
        // Somebody may have changed or decided on a row while the model thought, this answer included.
        let is_as_seen = match (standing(older)?, standing(newer)?) {
            (Some(one), Some(other)) => select::seen(&self.paced.state, wish, &one, &other) == given.seen,
            _ => false,
        };
        if !is_as_seen {
            self.paced.state.asked.remove(&select::key(older, newer));
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
