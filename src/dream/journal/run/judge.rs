//! The answer to a pass: gate by gate, and then line by line.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::record::{self, Addition};
use super::{Asking, Run};
use crate::base::error::{Error, LostBy, Result};
use crate::base::name::{DocName, StateName};
use crate::dream::evidence::{Judge, Shown, Verdict, told};
use crate::dream::journal::blame::blame;
use crate::dream::journal::due;
use crate::dream::journal::propose::Queue;
use crate::dream::journal::sanitise::{self, Item, Sanitised};
use crate::dream::journal::select::{Order, Selection, Survey};
use crate::dream::{OverBudget, commit, whole};
use crate::dreamer::{
    DreamMode, DropReason, Failure, Fate, Hold, HoldReason, LineReport, Notice, Outcome, PassReport, Step,
};
use crate::format::documents::curated;
use crate::format::replies::reply::{HEADINGS, NOTHING_TO_PROMOTE, split_citations};
use crate::format::state::intent::Append;
use crate::format::state::log;
use crate::format::state::proposal::{ProposalStep, Waiting};
use crate::gate::{Door, DoorPolicy, InjectionPolicy, Masks, SecretPolicy, mask_within};
use crate::llm::{LlmError, LlmReply};
use crate::pii::Finding;
use crate::session;

/// Whether an answer came to nothing because none of its lines holds.
fn is_all_held(lines: &[LineReport]) -> bool {
    !lines.is_empty() && lines.iter().all(|line| matches!(line.fate, Fate::Held(_)))
}

/// What a usable answer is.
enum Answer {
    Nothing,
    Secret { text: String, findings: Vec<Finding> },
    Section(Sanitised),
}

impl Run {
    /// Takes the answer to a pass.
    pub(crate) fn judge(
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
            return Ok(self.lose(pass, by));
        }
        // Somebody may have asked to forget while the model thought.
        self.forgotten = session::forgotten(self.inner.workspace.as_ref())?.map(Arc::new);
        let bounds = (&self.inner.config).into();
        due::count_call(&mut self.state, now, &bounds, pass.request_bytes, pass.usage);
        let committed = match self.read(answer) {
            Err(failure) => {
                pass.failure = Some(failure);
                return self.fail(&survey, &selection, pass);
            }
            Ok(Answer::Secret { text, findings }) => {
                let (_, memory) = self.memory()?;
                let memory = String::from_utf8_lossy(&memory);
                let gate = self.inner.doors.gate();
                let blamed = blame(gate, &text, &findings, &selection.slices, &memory);
                return self.quarantine(&survey, &selection, pass, blamed);
            }
            Ok(Answer::Nothing) => {
                pass.outcome = Outcome::NothingToPromote;
                self.commit(&survey, &selection, &pass, None)
            }
            Ok(Answer::Section(section)) => self.promote(&survey, &selection, &mut pass, &shown, &section),
        };
        match committed {
            Ok(()) => {
                if pass.outcome != Outcome::AllHeld {
                    self.count_shown(&selection);
                }
                self.close(pass);
                self.order = Order::Oldest;
                self.next()
            }
            Err(Error::LeaseLost(by)) => Ok(self.lose(pass, by)),
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
        let gate = self.inner.doors.gate();
        let text = whole(answer, gate)?;
        if text.trim() == NOTHING_TO_PROMOTE {
            return Ok(Answer::Nothing);
        }
        let findings = gate.inspect(&text);
        let has_secrets = !findings.is_empty();
        if has_secrets && self.reply_policy().secrets != SecretPolicy::Redact {
            return Ok(Answer::Secret { text, findings });
        }
        // The bullets that a secret stands in are left out by their placeholders.
        let text = if has_secrets { gate.mask(&text, &mut Masks::default()) } else { text };
        let section = sanitise::sanitise(&text, &self.inner.config.section);
        // What the sanitiser takes out may have parted a secret.
        let over_caps = section.over_caps.iter().map(|(item, _)| item);
        let printed = sanitise::print(section.items.iter().chain(over_caps));
        let findings = gate.inspect(&printed);
        if !findings.is_empty() {
            return Ok(Answer::Secret { text: printed, findings });
        }
        let has_bullets = !section.items.is_empty() || !section.over_caps.is_empty();
        if has_bullets || has_secrets { Ok(Answer::Section(section)) } else { Err(Failure::Malformed) }
    }

    /// Says before a section is written that curated memory will be over its budget, and what is done then.
    fn say_budget(&mut self, memory: &str, section: &str) {
        let config = &self.inner.config;
        let chars = (memory.chars().count() + section.chars().count()) as u64;
        if chars > config.memory_budget {
            let is_appended = config.mode != DreamMode::Propose;
            let archives = is_appended && config.over_budget == OverBudget::Archive;
            let budget = config.memory_budget;
            self.report.notices.push(Notice::WillPassBudget { chars, budget, archives });
        }
    }

    fn reply_policy(&self) -> DoorPolicy {
        self.inner.doors.policy_of(Door::DreamReply, &DocName::MEMORY)
    }

    /// Of each bullet that holds a part of what was forgotten, what may be told of it. A statement may be spread over
    /// bullets that follow one another.
    fn without_forgotten<'i>(&self, items: impl Iterator<Item = &'i Item>) -> Vec<Option<String>> {
        let Some(forgotten) = &self.forgotten else { return Vec::new() };
        let (mut text, mut places) = (String::new(), Vec::new());
        for item in items {
            let start = text.len();
            text.push_str(&item.text);
            places.push(start..text.len());
            text.push('\n');
        }
        let findings = forgotten.inspect(&text);
        let told = |place: Range<usize>| {
            let touches =
                |finding: &Finding| finding.span.start < place.end && place.start < finding.span.end;
            let said = |finding: &Finding| Cow::Borrowed(&text[finding.span.clone()]);
            let masked = || mask_within(&text, place.clone(), &findings, &mut Masks::default(), said);
            findings.iter().any(touches).then(masked)
        };
        places.into_iter().map(told).collect()
    }

    /// Whether a bullet is held back for an instruction in disguise.
    fn instructs(&self, item: &Item, pass: &mut PassReport) -> Option<Hold> {
        let policy = self.reply_policy().injections;
        if policy == InjectionPolicy::Allow {
            return None;
        }
        let found = self.inner.doors.injections(&item.text);
        let first = found.first().filter(|_| policy == InjectionPolicy::Block);
        let hold = first.map(|finding| Hold {
            reason: HoldReason::Injection,
            word: Some(finding.class.clone().into_owned()),
        });
        pass.warn(found.into_iter().map(|finding| (finding.class.into_owned(), 1)));
        hold
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
        let archive = commit::archive(self.inner.workspace.as_ref())?;
        let archive = String::from_utf8_lossy(&archive);
        let mut known: BTreeSet<String> =
            curated::statements(&text).chain(curated::statements(&archive)).collect();
        let queue = Queue::read(self.inner.workspace.as_ref())?;
        known.extend(queue.statements(self.now, &self.inner.config));
        let declined = queue.declined(self.now, &self.inner.config).map(String::as_str);
        let removed: BTreeSet<&str> = log::settled(&self.log).chain(declined).collect();
        pass.dropped = section.dropped();
        let judge = Judge::new(&self.inner.config, shown);
        let (mut kept, mut moved): (Vec<Item>, bool) = (Vec::new(), false);
        let over_caps = section.over_caps.iter().map(|(item, _)| item);
        let mut reported = self.without_forgotten(section.items.iter().chain(over_caps)).into_iter();
        for item in &section.items {
            if let Some(Some(text)) = reported.next() {
                let heading = item.heading.map(str::to_owned);
                pass.lines.push(LineReport::new(text, heading, Vec::new(), Fate::Forgotten));
                continue;
            }
            let (claim, citations) = split_citations(&item.text);
            let Verdict { sources, hold, heading, teller } = judge.judge(item.heading, &claim, &citations);
            let text = match teller {
                Some(teller) => told(teller, &item.text),
                None => item.text.clone(),
            };
            let statement = curated::statement_key(&text);
            let nested = item.is_nested.then_some(Hold { reason: HoldReason::Nested, word: None });
            let hold = self.instructs(item, pass).or(nested).or(hold);
            let fate = if let Some(hold) = hold {
                Fate::Held(hold)
            } else if known.contains(&statement) {
                Fate::Duplicate
            } else if removed.contains(log::statement_hash(&text).as_str()) {
                Fate::RemovedBefore
            } else if text.chars().count() > self.inner.config.section.item_chars {
                Fate::OverCap(DropReason::TooLong)
            } else {
                known.insert(statement);
                moved |= heading != item.heading;
                kept.push(Item { heading, text: text.clone(), is_nested: false });
                Fate::Promoted { cited: !citations.is_empty() }
            };
            let heading = heading.map(str::to_owned);
            pass.lines.push(LineReport::new(text, heading, sources, fate));
        }
        for (item, reason) in &section.over_caps {
            let heading = item.heading.map(str::to_owned);
            let (text, fate) = match reported.next().flatten() {
                Some(text) => (text, Fate::Forgotten),
                None => (item.text.clone(), Fate::OverCap(*reason)),
            };
            pass.lines.push(LineReport::new(text, heading, Vec::new(), fate));
        }
        if kept.is_empty() && is_all_held(&pass.lines) {
            pass.outcome = Outcome::AllHeld;
            return self.commit_held(survey, selection, pass);
        }
        if kept.is_empty() {
            pass.outcome = Outcome::NothingToPromote;
            return self.commit(survey, selection, pass, None);
        }
        if moved {
            kept.sort_by_key(|item| HEADINGS.iter().position(|known| item.heading == Some(known)));
        }
        let day = self.inner.config.day.date(self.begun);
        let body = sanitise::print(&kept);
        let section = curated::print_section(&memory, day, &pass.dream_id, selection.slices.len(), &body);
        let hashes: Vec<String> = kept.iter().map(|item| log::statement_hash(&item.text)).collect();
        pass.section = Some(section.clone());
        self.say_budget(&text, &section);
        let change = if self.inner.config.mode == DreamMode::Propose {
            pass.outcome = Outcome::Proposed;
            let sources = record::sources(selection);
            let waiting = Waiting { id: pass.dream_id.clone(), at: self.now, day, sources, lines: hashes };
            let text = waiting.print(&body);
            Addition::Propose(ProposalStep::Made { waiting, text })
        } else {
            pass.outcome = Outcome::Appended;
            Addition::Append(Append::new(name, section, &memory), hashes)
        };
        self.commit(survey, selection, pass, Some(change))
    }
}
