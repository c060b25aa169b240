//! The request of a pass: current memory and what was selected, masked, stripped and fenced.

use super::ask;
use super::curation::{Curation, Material};
use super::select::{Selection, Slice, Survey};
use super::shown::{self, ShownJournal};
use crate::base::document::SourceRef;
use crate::base::error::{Error, Result};
use crate::base::gather::Gather as _;
use crate::base::spread::Spread;
use crate::base::text::{self, Unit};
use crate::dream::engine::{Asking, Pass, Run, mask_printed, nonce, tell_request};
use crate::dream::evidence::Shown;
use crate::dreamer::{Outcome, PassReport};
use crate::format::documents::curated;
use crate::format::documents::unmerged::{conflict_at, conflict_in_journal};
use crate::format::replies::fences::{Printer, printed};
use crate::gate::{Door, Masks};
use crate::llm::LlmRequest;

impl Curation {
    /// Makes the request of a selection. Where no model is needed the selection is committed at once, and there is
    /// none. Its section is in `MEMORY.md` already, or nothing is left of it to read.
    pub(crate) fn prepare(
        &mut self,
        run: &mut Run,
        survey: Survey,
        selection: Selection,
    ) -> Result<Option<Asking<Material>>> {
        let id = selection.id();
        let mut pass = Pass {
            report: PassReport::new(id.clone()),
            material: Material { survey, selection, shown: Shown::default() },
        };
        let slices = &pass.material.selection.slices;
        pass.report.shown = slices.iter().map(Slice::report).gather();
        let workspace = run.host.workspace.as_ref();
        let (name, memory) = self.records.memory(workspace)?;
        let stands = curated::has_section(memory.bytes(), &id);
        if let Some(line) = conflict_at(memory.bytes()) {
            return Err(Error::Unmerged { name: name.into(), line });
        }
        for slice in slices {
            if let Some(line) = conflict_in_journal(&slice.bytes) {
                let above = usize::try_from(slice.first_line.saturating_sub(1)).unwrap_or(0);
                return Err(Error::Unmerged {
                    name: slice.journal.name().clone().into(),
                    line: above + line,
                });
            }
        }
        let memory = memory.text().into_owned();
        if stands || curated::has_section(self.records.archive(workspace)?.bytes(), &id) {
            return self.commit_quietly(run, pass, Outcome::AlreadyPromoted);
        }
        if self.records.proposals(workspace)?.get(&id).is_some() {
            return self.commit_quietly(run, pass, Outcome::AlreadyProposed);
        }
        let config = &self.dreamer.config;
        let doors = run.doors();
        let policy = doors.policy_of(Door::DreamRequest, &name);
        let room = self.room(&memory, &pass.material);
        let mut masks = Masks::default();
        // One number is of one secret throughout, so those of all texts are known before the first is given.
        masks.keep_apart_from(&memory);
        for slice in slices {
            masks.keep_apart_from(&String::from_utf8_lossy(&slice.bytes));
        }
        let mut found = Vec::new();
        let journals: Vec<ShownJournal> = slices
            .iter()
            .map(|slice| shown::prepare(slice, &config.user_names, &doors, &mut masks, &mut found))
            .collect::<Result<_>>()?;
        let mut shown = Shown::default();
        for (slice, journal) in slices.iter().zip(&journals) {
            pass.report.stripped.extend(journal.stripped.iter().map(|(first_line, last_line)| SourceRef {
                name: slice.journal.name().clone(),
                first_line: *first_line,
                last_line: *last_line,
            }));
            let last_line = slice.first_line + slice.lines().saturating_sub(1);
            shown.add(&slice.journal, slice.first_line, last_line, &journal.lines, &journal.origins);
        }
        if journals.iter().all(|journal| journal.lines.is_empty()) {
            return self.commit_quietly(run, pass, Outcome::NothingToPromote);
        }
        let memory = doors.judge(Door::DreamRequest, policy, &name, &memory, &mut masks)?;
        found.extend(memory.warnings);
        let memory = curated::head_and_tail(&memory.text, config.memory_bytes, Unit::Bytes);
        let memory = printed(memory.trim_start_matches(text::BOM));
        let memory = mask_printed(&memory, &name, &doors, &mut masks, &mut found)?.unwrap_or(memory);
        let lines = journals.iter().spread(|journal| &journal.lines).map(|line| line.text.as_str());
        let mut printer = Printer::new(nonce(&id, run.begun(), &memory, lines));
        printer.say("Current memory:");
        printer.memory(&name, &memory);
        if let Some(room) = room {
            printer.room(room);
        }
        printer.journals_follow(workspace.scope().is_some_and(|scope| scope.group_name().is_some()));
        for (slice, journal) in slices.iter().zip(&journals) {
            printer.journal(slice.journal.name(), slice.truncated, &journal.lines);
        }
        let held_out = self.held_out(slices);
        if !held_out.is_empty() {
            printer.say(&format!(
                "Not shown, since they are in quarantine: journals of {}.",
                held_out.join(", ")
            ));
        }
        let mut request = LlmRequest::new(ask::instructions(self.briefs()), printer.finish());
        request.max_output_tokens = config.budget.max_output_tokens;
        tell_request(&mut pass.report, &request, &masks, &found);
        pass.material.shown = shown;
        Ok(Some(Asking { request, pass }))
    }

    /// Returns the number of characters that current memory has room for, if that is less than a section may have.
    /// Some of it is left for
    /// what waits for a later pass.
    fn room(&self, memory: &str, material: &Material) -> Option<u64> {
        let config = &self.dreamer.config;
        let free = config.memory_budget.saturating_sub(memory.chars().count() as u64 + FRAME);
        let slices = &material.selection.slices;
        let shown: u64 = slices.iter().map(|slice| slice.range.end - slice.range.start).sum();
        let free = if material.survey.waits() > shown { free / 5 * 4 } else { free };
        (free < config.section.bytes as u64).then_some(free.max(LEAST_ROOM))
    }

    /// Returns the days of quarantined journals between the first and the last shown day. The model is told of these
    /// gaps, without names, outside any fence.
    fn held_out(&self, slices: &[Slice]) -> Vec<String> {
        let dates = || slices.iter().map(|slice| slice.journal.date());
        let (Some(first), Some(last)) = (dates().min(), dates().max()) else { return Vec::new() };
        self.looks.quarantined_days(first, last).into_iter().map(|day| day.to_string()).gather()
    }

    /// Commits a pass for which no model is asked.
    fn commit_quietly(
        &mut self,
        run: &mut Run,
        mut pass: Pass<Material>,
        outcome: Outcome,
    ) -> Result<Option<Asking<Material>>> {
        pass.report.outcome = outcome;
        match self.commit(run, &pass, None) {
            Ok(()) => run.close(pass.report),
            Err(Error::LeaseLost(by)) => run.lose(Some(pass.report), by),
            Err(error) => return Err(error),
        }
        Ok(None)
    }
}

/// The size of a section besides its bullets: heading, marks, headings inside; in characters.
const FRAME: u64 = 256;

/// The room that is left to a night even where memory is full.
const LEAST_ROOM: u64 = 1024;
