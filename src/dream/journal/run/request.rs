//! The request of a pass: current memory and what was selected, masked, stripped and fenced.

use std::collections::BTreeSet;

use chrono::{DateTime, NaiveDate, Utc};

use super::{Asking, Run};
use crate::base::digest::Hasher;
use crate::base::document::SourceRef;
use crate::base::error::{Error, LostBy, Result};
use crate::base::text::{self, Unit};
use crate::dream::evidence::Shown;
use crate::dream::journal::ask;
use crate::dream::journal::propose::Queue;
use crate::dream::journal::select::{Selection, Slice, Survey};
use crate::dream::journal::shown::{self, ShownJournal};
use crate::dream::{commit, tell_request};
use crate::dreamer::{Outcome, PassReport, ReadReason};
use crate::format::DreamId;
use crate::format::documents::curated;
use crate::format::replies::fences::{Printer, printed};
use crate::gate::{Door, Masks};
use crate::llm::LlmRequest;

/// What a pass found to do.
pub(crate) enum Prepared {
    Ask(Box<Asking>),
    Committed,
    Lost(Box<PassReport>, LostBy),
}

impl Run {
    /// Makes the request of a selection. Where no model is needed the selection is committed at once: its
    /// section stands in `MEMORY.md` already, or nothing is left of it to read.
    pub(crate) fn prepare(&mut self, survey: Survey, selection: Selection) -> Result<Prepared> {
        let id = selection.id();
        let mut pass = PassReport::new(id.clone());
        pass.shown = selection.slices.iter().map(Slice::report).collect();
        let (name, memory) = self.memory()?;
        if curated::has_section(&memory, &id)
            || curated::has_section(&commit::archive(self.inner.workspace.as_ref())?, &id)
        {
            pass.outcome = Outcome::AlreadyPromoted;
            return self.commit_quietly(&survey, &selection, pass);
        }
        if Queue::read(self.inner.workspace.as_ref())?.has(&id) {
            pass.outcome = Outcome::AlreadyProposed;
            return self.commit_quietly(&survey, &selection, pass);
        }
        let config = &self.inner.config;
        let doors = self.doors();
        let policy = doors.policy_of(Door::DreamRequest, &name);
        let memory = String::from_utf8_lossy(&memory);
        let room = self.room(&memory, &survey, &selection);
        let mut masks = Masks::default();
        // One number is of one secret throughout, so those of all texts are known before the first is given.
        masks.keep_apart_from(&memory);
        for slice in &selection.slices {
            masks.keep_apart_from(&String::from_utf8_lossy(&slice.bytes));
        }
        let mut found = Vec::new();
        let journals: Vec<ShownJournal> = selection
            .slices
            .iter()
            .map(|slice| shown::prepare(slice, &config.user_names, &doors, &mut masks, &mut found))
            .collect::<Result<_>>()?;
        for (slice, journal) in selection.slices.iter().zip(&journals) {
            pass.stripped.extend(journal.stripped.iter().map(|(first_line, last_line)| SourceRef {
                name: slice.journal.name().clone(),
                first_line: *first_line,
                last_line: *last_line,
            }));
        }
        let mut shown = Shown::default();
        for (slice, journal) in selection.slices.iter().zip(&journals) {
            let last_line = slice.first_line + slice.lines().saturating_sub(1);
            shown.add(&slice.journal, slice.first_line, last_line, &journal.lines, &journal.origins);
        }
        if journals.iter().all(|journal| journal.lines.is_empty()) {
            pass.outcome = Outcome::NothingToPromote;
            return self.commit_quietly(&survey, &selection, pass);
        }
        let memory = doors.judge(Door::DreamRequest, policy, &name, &memory, &mut masks)?;
        found.extend(memory.warnings);
        let memory = curated::head_and_tail(&memory.text, config.memory_bytes, Unit::Bytes);
        let memory = printed(memory.trim_start_matches(text::BOM));
        let memory = shown::mask_printed(&memory, &name, &doors, &mut masks, &mut found)?.unwrap_or(memory);
        let mut printer = Printer::new(nonce(&id, self.begun, &memory, &journals));
        printer.say("Current memory:");
        printer.memory(&name, &memory);
        if let Some(room) = room {
            printer.room(room);
        }
        printer.say("Journals, oldest first:");
        for (slice, journal) in selection.slices.iter().zip(&journals) {
            printer.journal(slice.journal.name(), slice.truncated, &journal.lines);
        }
        let held_out = self.held_out(&selection);
        if !held_out.is_empty() {
            printer.say(&format!(
                "Not shown, since they are in quarantine: journals of {}.",
                held_out.join(", ")
            ));
        }
        let mut request = LlmRequest::new(ask::instructions(), printer.finish());
        request.max_output_tokens = config.max_output_tokens;
        tell_request(&mut pass, &request, &masks, &found);
        Ok(Prepared::Ask(Box::new(Asking { request, pass, selection, survey, shown })))
    }

    /// How many characters current memory has room for, where that is less than a section may have. Some of it is left for
    /// what waits for a later pass.
    fn room(&self, memory: &str, survey: &Survey, selection: &Selection) -> Option<u64> {
        let config = &self.inner.config;
        let free = config.memory_budget.saturating_sub(memory.chars().count() as u64 + FRAME);
        let shown: u64 = selection.slices.iter().map(|slice| slice.range.end - slice.range.start).sum();
        let free = if survey.waits() > shown { free / 5 * 4 } else { free };
        (free < config.section.bytes as u64).then_some(free.max(LEAST_ROOM))
    }

    /// The days of quarantined journals between the first and the last that are shown: gaps that the model is
    /// told of, without names, which stand outside of any fence.
    fn held_out(&self, selection: &Selection) -> Vec<String> {
        let dates = || selection.slices.iter().map(|slice| slice.journal.date());
        let (Some(first), Some(last)) = (dates().min(), dates().max()) else { return Vec::new() };
        let held = self.journals.iter().filter(|(_, look)| look.reason == ReadReason::Quarantined);
        let days: BTreeSet<NaiveDate> =
            held.map(|(journal, _)| journal.date()).filter(|date| (first..=last).contains(date)).collect();
        days.into_iter().map(|day| day.to_string()).collect()
    }

    /// Commits a pass for which no model is asked.
    fn commit_quietly(
        &mut self,
        survey: &Survey,
        selection: &Selection,
        pass: PassReport,
    ) -> Result<Prepared> {
        match self.commit(survey, selection, &pass, None) {
            Ok(()) => {
                self.count_shown(selection);
                self.close(pass);
                Ok(Prepared::Committed)
            }
            Err(Error::LeaseLost(by)) => Ok(Prepared::Lost(Box::new(pass), by)),
            Err(error) => Err(error),
        }
    }
}

/// The size of a section besides its bullets: heading, marks, headings inside; in characters.
const FRAME: u64 = 256;

/// The room that is left to a night even where memory is full.
const LEAST_ROOM: u64 = 1024;

/// What a fence carries: a hash of all that is inside, which no text inside can foresee.
fn nonce(id: &DreamId, now: DateTime<Utc>, memory: &str, journals: &[ShownJournal]) -> String {
    let mut hasher = Hasher::new();
    hasher.field(id.as_str().as_bytes()).field(now.to_rfc3339().as_bytes()).field(memory.as_bytes());
    for line in journals.iter().flat_map(|journal| &journal.lines) {
        hasher.field(line.text.as_bytes());
    }
    hasher.finish().short(16)
}
