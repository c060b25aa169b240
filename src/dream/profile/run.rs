//! A rebuild: look whether anything is new, ask once, judge, write.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::ask;
use super::dreamer::PersonalizationDreamer;
use super::material::{Items, Material};
use crate::base::digest::Hasher;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::dream::engine::{
    self, Asking, Dream, Due, Pass, Run, Sanitised, Terms, Then, sanitise, tell_request,
};
use crate::dream::evidence::{Judge, Verdict};
use crate::dream::facts::asked;
use crate::dreamer::{
    DreamMode, Dreamer, Failure, Hold, HoldReason, LineOutcome, LineReport, Outcome, PassReport, Step,
};
use crate::format::replies::fences::{Printer, one_line};
use crate::format::replies::reply::{self, NOTHING_TO_PROMOTE};
use crate::format::state::asked::AskedState;
use crate::format::{DreamId, Origin};
use crate::gate::{Door, Doors, InjectionPolicy, Masks, is_struck};
use crate::llm::LlmRequest;
use crate::memory::{Filter, NewMemory, Source, categories};

/// The most statements that are remembered to have been written.
const MAX_WRITTEN: usize = 4096;

/// The key for the hash of the last input.
const INPUT: &str = "input";

/// The label of the fence around current rows.
const PROFILE: &str = "personalization.md";

impl Dreamer for PersonalizationDreamer {
    fn begin(&self, now: DateTime<Utc>) -> Result<Step> {
        let config = &self.config;
        let terms = Terms { enabled: config.enabled, mode: DreamMode::Append, claim: &config.pace.claim };
        engine::begin(&self.host, &terms, now, |run| {
            let state = asked::read(run.workspace(), &StateName::PERSONALIZATION)?;
            Ok(Rebuild { dreamer: self.clone(), state })
        })
    }
}

/// A run that rebuilds personalization.
struct Rebuild {
    dreamer: PersonalizationDreamer,
    state: AskedState,
}

/// The items of a request, and the hash of all that was looked at.
struct Evidence {
    material: Material,
    input: String,
}

impl Dream for Rebuild {
    type Material = Evidence;

    /// Asks once, where anything is new.
    fn select(&mut self, run: &mut Run) -> Result<Option<Asking<Evidence>>> {
        let config = &self.dreamer.config;
        if let Due::NotYet(not_due) = config.pace.due(run.now(), true, &self.state.pace) {
            run.put_off(Some(not_due));
            return Ok(None);
        }
        let items = Items::take(&self.dreamer.sources, config.items)?;
        let input = items.hash(&self.state);
        if self.state.asked.get(INPUT) == Some(&input) {
            return Ok(None);
        }
        self.prepare(run, &items, input)
    }

    fn count(&mut self, run: &Run, pass: &PassReport) -> Result<()> {
        self.dreamer.config.pace.count(&mut self.state.pace, run.now(), pass);
        Ok(())
    }

    fn judge(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<Evidence>,
        answer: Result<String, Failure>,
    ) -> Result<Then> {
        let Pass { report, material: Evidence { material, input } } = pass;
        match answer.and_then(|text| self.read(run, &text)) {
            Ok(section) => {
                // The call counts, whatever becomes of its answer.
                self.keep(run)?;
                self.write(run, report, material, section.as_ref())?;
            }
            Err(failure) => {
                report.failure = Some(failure);
                report.outcome = Outcome::LlmError;
            }
        }
        self.dreamer.config.pace.stamp(&mut self.state.pace, run.now(), report.outcome);
        if report.outcome != Outcome::LlmError {
            self.state.asked.insert(INPUT.to_owned(), std::mem::take(input));
        }
        self.keep(run)?;
        Ok(Then::End)
    }
}

impl Rebuild {
    fn prepare(&self, run: &mut Run, items: &Items, input: String) -> Result<Option<Asking<Evidence>>> {
        let config = &self.dreamer.config;
        let (pace, doors) = (&config.pace, run.doors());
        let known = self.known_rows(&doors)?;
        let around = ask::INSTRUCTIONS.len() + known.len() + 2 * known.lines().count() + 512;
        let room = pace.room(run.now(), &self.state.pace).saturating_sub(around);
        let material = Material::new(items, config, &doors, room)?;
        if material.is_empty() {
            let all = Material::new(items, config, &doors, usize::MAX)?;
            if !all.is_empty() {
                run.put_off(Some(pace.used_up(run.now(), &self.state.pace)));
            }
            return Ok(None);
        }
        let mut hasher = Hasher::new();
        hasher.field(b"personalization").field(known.as_bytes()).field(run.now().to_rfc3339().as_bytes());
        for line in material.texts() {
            hasher.field(line.as_bytes());
        }
        let id = hasher.finish();
        let mut printer = Printer::new(id.short(16));
        printer.say("The profile:");
        printer.block(PROFILE, &known);
        printer.say("Sessions and activity, oldest first:");
        material.print(&mut printer);
        let mut request = LlmRequest::new(ask::INSTRUCTIONS, printer.finish());
        request.max_output_tokens = pace.budget.max_output_tokens;
        let mut report = PassReport::new(DreamId::from_digest(id));
        tell_request(&mut report, &request, &material.masks, &material.found);
        let pass = Pass { report, material: Evidence { material, input } };
        Ok(Some(Asking { request, pass }))
    }

    /// Returns the rows that exist, as they are shown.
    fn known_rows(&self, doors: &Doors) -> Result<String> {
        let config = &self.dreamer.config;
        let filter = Filter::limit(config.known_rows).category(categories::PERSONALIZATION);
        let rows = self.dreamer.store.list(&self.dreamer.access, &filter)?;
        let (mut printed, most) = (String::new(), config.pace.request_bytes / 4);
        let mut masks = Masks::default();
        for row in rows {
            let name = crate::store::row_name(Some(row.id));
            let policy = doors.policy_of(Door::DreamRequest, &name);
            let passed = doors.judge(Door::DreamRequest, policy, &name, &row.content, &mut masks)?;
            let line = format!("- {}\n", one_line(&passed.text));
            if printed.len() + line.len() > most {
                break;
            }
            printed.push_str(&line);
        }
        Ok(printed)
    }

    /// Reads an answer; `None` where there is nothing to add. Secrets are masked, and their bullets left out.
    fn read(&self, run: &Run, text: &str) -> Result<Option<Sanitised>, Failure> {
        let gate = run.host.doors.gate();
        if text.trim() == NOTHING_TO_PROMOTE {
            return Ok(None);
        }
        let masked = gate.mask(text, &mut Masks::default());
        let has_secrets = masked != text;
        let mut section = sanitise(&masked, &self.dreamer.config.caps);
        // A part that the sanitiser removed may have split a secret.
        order::retain(&mut section.items, |item| gate.inspect(&item.text).is_empty());
        order::retain(&mut section.over_caps, |(item, _)| gate.inspect(&item.text).is_empty());
        let has_bullets = !section.items.is_empty() || !section.over_caps.is_empty();
        if has_bullets || has_secrets || section.has_masked() {
            Ok(Some(section))
        } else {
            Err(Failure::Malformed)
        }
    }

    /// Writes what is new and holds.
    fn write(
        &mut self,
        run: &Run,
        pass: &mut PassReport,
        material: &Material,
        section: Option<&Sanitised>,
    ) -> Result<()> {
        pass.outcome = Outcome::NothingToPromote;
        let Some(section) = section else { return Ok(()) };
        pass.dropped = section.dropped();
        let mut known = self.known()?;
        let config = Arc::clone(&self.dreamer.config);
        let judge = Judge::new(config.rules(), &material.shown);
        for item in &section.items {
            let (claim, citations) = reply::split_citations(&item.text);
            let heading = item.heading.map(str::to_owned);
            if run.forgotten.as_ref().is_some_and(|forgotten| forgotten.holds(&item.text)) {
                let text = "[REDACTED:forgotten#1]".to_owned();
                pass.lines.push(LineReport::new(text, heading, Vec::new(), LineOutcome::Forgotten));
                continue;
            }
            if is_struck(&item.text) {
                let text = item.text.clone();
                pass.lines.push(LineReport::new(text, heading, Vec::new(), LineOutcome::Forgotten));
                continue;
            }
            let statement = text::statement(&claim);
            let hash = self.state.hash([statement.as_str()]);
            let Verdict { sources, hold, is_participants, .. } =
                judge.judge(item.heading, &claim, &citations);
            // A profile is the user's alone: it has no place for what somebody else says, by any name.
            let theirs = is_participants.then_some(Hold { reason: HoldReason::Origin, word: None });
            let fate = if let Some(hold) = instructs(run, &item.text).or(hold).or(theirs) {
                LineOutcome::Held(hold)
            } else if known.contains(&statement) {
                LineOutcome::Duplicate
            } else if self.state.written.contains(&hash) {
                LineOutcome::RemovedBefore
            } else {
                let (from, at) = material.origin_of(sources.iter().map(|source| &source.name));
                run.check_lease()?;
                let fate = self.write_row(run, &claim, &from, at, !citations.is_empty())?;
                if matches!(fate, LineOutcome::Promoted { .. }) {
                    pass.outcome = Outcome::Rebuilt;
                    known.insert(statement);
                    self.state.written.push(hash);
                }
                fate
            };
            pass.lines.push(LineReport::new(item.text.clone(), heading, sources, fate));
        }
        for (item, reason) in &section.over_caps {
            let heading = item.heading.map(str::to_owned);
            pass.lines.push(LineReport::new(
                item.text.clone(),
                heading,
                Vec::new(),
                LineOutcome::OverCap(*reason),
            ));
        }
        let surplus = self.state.written.len().saturating_sub(MAX_WRITTEN);
        self.state.written.drain(..surplus);
        Ok(())
    }

    /// Writes a row with the store's own checks.
    fn write_row(
        &self,
        run: &Run,
        claim: &str,
        from: &[String],
        at: Option<DateTime<Utc>>,
        cited: bool,
    ) -> Result<LineOutcome> {
        let row = NewMemory::new(categories::PERSONALIZATION, claim, Source::Inferred)
            // A model worded it, even if somebody else said it first.
            .origin(Origin::Agent)
            .metadata(json!({ "sources": from, "until": at.map(|at| at.date_naive().to_string()) }))
            .because("rebuilt from history");
        match self.dreamer.store.write(&self.dreamer.access, &row, run.now()) {
            Ok(_) => Ok(LineOutcome::Promoted { cited }),
            Err(Error::Stopped { classes, .. }) => Ok(LineOutcome::Held(Hold {
                reason: HoldReason::Injection,
                word: classes.into_iter().next(),
            })),
            Err(error) => Err(error),
        }
    }

    /// Returns existing statements, retired rows included: a statement that was found to be wrong does not come back.
    fn known(&self) -> Result<SortedSet<String>> {
        let mut known = SortedSet::new();
        for category in [categories::PERSONALIZATION, categories::PREFERENCE, categories::FACT] {
            let mut filter = Filter::limit(usize::MAX).category(category);
            filter.retired = true;
            let rows = self.dreamer.store.list(&self.dreamer.access, &filter)?;
            known.extend(rows.into_iter().map(|row| text::statement(&row.content)));
        }
        Ok(known)
    }

    fn keep(&self, run: &Run) -> Result<()> {
        run.lease().replace(&StateName::PERSONALIZATION, &self.state.print())
    }
}

/// Returns whether a bullet is held back for an instruction in disguise.
pub(in crate::dream) fn instructs(run: &Run, item: &str) -> Option<Hold> {
    let policy = run.host.doors.policy_of(Door::DreamReply, &DocName::MEMORY).injections;
    if policy != InjectionPolicy::Block {
        return None;
    }
    let found = run.host.doors.injections(item).into_iter().next()?;
    Some(Hold { reason: HoldReason::Injection, word: Some(found.class.into_owned()) })
}
