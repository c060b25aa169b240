//! A rebuild: look whether anything is new, ask once, judge, write.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::ask;
use super::config::PersonalizationConfig;
use super::dreamer::PersonalizationDreamer;
use super::material::{Items, Material};
use crate::base::digest::Hasher;
use crate::base::error::Result;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::dream::engine::{Asking, Paced, Pass, Question, Run, Sanitised, Then, refused, sanitise, stopped};
use crate::dream::evidence::{Judge, Verdict};
use crate::dreamer::{
    Dreamer, Failure, Hold, HoldReason, LineOutcome, LineReport, Outcome, PassReport, Step,
};
use crate::format::Origin;
use crate::format::replies::fences::{Printer, one_line};
use crate::format::replies::reply::{self, NOTHING_TO_PROMOTE};
use crate::gate::{Door, Doors, Masks};
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
        let PersonalizationConfig { enabled, pace, .. } = self.config.as_ref();
        self.base.begin(*enabled, pace, now, |paced| Rebuild { dreamer: self.clone(), paced })
    }
}

/// A run that rebuilds personalization.
struct Rebuild {
    dreamer: PersonalizationDreamer,
    paced: Paced,
}

/// The items of a request, and the hash of all that was looked at.
struct HistoryShown {
    material: Material,
    input: String,
}

impl Question for Rebuild {
    type Material = HistoryShown;
    /// `None` where there is nothing to add.
    type Answer = Option<Sanitised>;

    fn paced(&mut self) -> &mut Paced {
        &mut self.paced
    }

    /// Asks once, where anything is new.
    fn ask(&mut self, run: &mut Run) -> Result<Option<Asking<HistoryShown>>> {
        let config = &self.dreamer.config;
        let items = Items::take(&self.dreamer.sources, config.items)?;
        let input = items.hash(&self.paced.state);
        if self.paced.state.asked.get(INPUT) == Some(&input) {
            return Ok(None);
        }
        let doors = run.doors();
        let known = self.known_rows(&doors)?;
        let around = ask::INSTRUCTIONS.len() + known.len() + 2 * known.lines().count() + 512;
        let material = Material::new(&items, config, &doors, self.paced.room(run, around))?;
        if material.is_empty() {
            let all = Material::new(&items, config, &doors, usize::MAX)?;
            if !all.is_empty() {
                self.paced.put_off(run);
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
        let report = self.paced.report(id, &mut request, &material.masks, &material.found);
        Ok(Some(Asking { request, pass: Pass { report, material: HistoryShown { material, input } } }))
    }

    /// Reads an answer. Secrets are masked, and their bullets left out.
    fn read(&self, run: &Run, _shown: &HistoryShown, text: &str) -> Result<Option<Sanitised>, Failure> {
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
        if section.is_prose() && !has_secrets { Err(Failure::Malformed) } else { Ok(Some(section)) }
    }

    fn commit(
        &mut self,
        run: &Run,
        pass: &mut Pass<HistoryShown>,
        section: Option<Sanitised>,
    ) -> Result<Then> {
        let Pass { report, material: HistoryShown { material, input } } = pass;
        // The call counts, whatever becomes of its answer.
        self.paced.keep(run)?;
        report.outcome = Outcome::NothingToPromote;
        if let Some(section) = section {
            self.write(run, report, material, &section)?;
        }
        self.paced.state.asked.insert(INPUT.to_owned(), std::mem::take(input));
        self.paced.end(run, report.outcome)?;
        Ok(Then::End)
    }
}

impl Rebuild {
    /// Returns the rows that exist, as they are shown.
    fn known_rows(&self, doors: &Doors) -> Result<String> {
        let config = &self.dreamer.config;
        let filter = Filter::limit(config.known_rows).category(categories::PERSONALIZATION);
        let rows = self.dreamer.store.list(&self.dreamer.base.access, &filter)?;
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

    /// Writes what is new and holds.
    fn write(
        &mut self,
        run: &Run,
        pass: &mut PassReport,
        material: &Material,
        section: &Sanitised,
    ) -> Result<()> {
        pass.dropped = section.dropped();
        let mut known = self.known()?;
        let config = Arc::clone(&self.dreamer.config);
        let judge = Judge::new(config.rules(), &material.shown);
        for item in &section.items {
            let (claim, citations) = reply::split_citations(&item.text);
            let heading = item.heading.map(str::to_owned);
            let (text, refused) = refused(run, &item.text);
            if refused == Some(LineOutcome::Forgotten) {
                pass.lines.push(LineReport::new(text, heading, Vec::new(), LineOutcome::Forgotten));
                continue;
            }
            let statement = text::statement(&claim);
            let hash = self.paced.state.hash([statement.as_str()]);
            let Verdict { sources, hold, is_participants, .. } =
                judge.judge(item.heading, &claim, &citations);
            // A profile is the user's alone: it has no place for what somebody else says, by any name.
            let theirs = is_participants.then_some(Hold { reason: HoldReason::Origin, word: None });
            let fate = if let Some(fate) = refused.or(hold.or(theirs).map(LineOutcome::Held)) {
                fate
            } else if known.contains(&statement) {
                LineOutcome::Duplicate
            } else if self.paced.state.written.contains(&hash) {
                LineOutcome::RemovedBefore
            } else {
                let (from, at) = material.origin_of(sources.iter().map(|source| &source.name));
                run.check_lease()?;
                let fate = self.write_row(run, &claim, &from, at, !citations.is_empty())?;
                if matches!(fate, LineOutcome::Promoted { .. }) {
                    pass.outcome = Outcome::Rebuilt;
                    known.insert(statement);
                    self.paced.state.written.push(hash);
                }
                fate
            };
            pass.lines.push(LineReport::new(text, heading, sources, fate));
        }
        for (item, reason) in &section.over_caps {
            let heading = item.heading.map(str::to_owned);
            let fate = LineOutcome::OverCap(*reason);
            pass.lines.push(LineReport::new(item.text.clone(), heading, Vec::new(), fate));
        }
        let surplus = self.paced.state.written.len().saturating_sub(MAX_WRITTEN);
        self.paced.state.written.drain(..surplus);
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
        match self.dreamer.store.write(&self.dreamer.base.access, &row, run.now()) {
            Ok(_) => Ok(LineOutcome::Promoted { cited }),
            Err(error) => stopped(error),
        }
    }

    /// Returns existing statements, retired rows included: a statement that was found to be wrong does not come back.
    fn known(&self) -> Result<SortedSet<String>> {
        let mut known = SortedSet::new();
        for category in [categories::PERSONALIZATION, categories::PREFERENCE, categories::FACT] {
            let mut filter = Filter::limit(usize::MAX).category(category);
            filter.retired = true;
            let rows = self.dreamer.store.list(&self.dreamer.base.access, &filter)?;
            known.extend(rows.into_iter().map(|row| text::statement(&row.content)));
        }
        Ok(known)
    }
}
