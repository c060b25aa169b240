//! The deep sleep: observations are pruned by a plan that is checked, priorities are set, the diary is written.

use chrono::TimeDelta;

use super::about::{About, Material};
use super::night::{Drops, Night, Shown, Unusable, check, clean, texts};
use super::{ask, observations};
use crate::base::digest::{Digest, Hasher};
use crate::base::document::Document;
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::Name;
use crate::base::sorted::SortedSet;
use crate::base::text;
use crate::dream::commit::sleeper as commit;
use crate::dream::engine::{Asking, Pass, Run, SectionCaps, nonce};
use crate::dreamer::{DeepReport, DropReason, Failure, Outcome, PassReport, PlanFault, ShownSlice};
use crate::format::replies::fences::{Printer, ShownLine, one_line};
use crate::format::replies::sleep_reply::{DeepReply, Plan};
use crate::format::state::dreams::{self, Checkpoint};
use crate::format::state::sleep_intent::{FileChange, SettledSleep};
use crate::format::{DreamEntry, DreamId, Mark, Observation, Observations};
use crate::llm::LlmRequest;
use crate::workspace::WorkspaceExt;

/// The most priorities.
const MOST_PRIORITIES: usize = 5;

/// The number of last dreams that a deep sleep is shown.
const SHOWN_DREAMS: usize = 10;

/// The most bytes of priorities in its request, and the most bytes of these dreams.
const SHOWN_PRIORITIES: usize = 16 << 10;
const SHOWN_REFLECTIONS: usize = 96 << 10;

impl Night {
    /// Asks what can go and what matters.
    pub(crate) fn ask_for_deep(&self, run: &Run) -> Result<Asking<About>> {
        let mut shown = Shown::default();
        let (request, report, material) = self.deep_request(run, &mut shown)?;
        Ok(self.ask(request, report, &shown, About::Deep(material)))
    }

    fn deep_request(&self, run: &Run, shown: &mut Shown) -> Result<(LlmRequest, PassReport, Material)> {
        let workspace = self.dreamer.workspace();
        let read = |name: &Name| -> Result<(String, bool)> {
            let bytes = workspace.read(name)?.map(Document::into_bytes).unwrap_or_default();
            let is_text = std::str::from_utf8(&bytes).is_ok();
            Ok((String::from_utf8_lossy(&bytes).into_owned(), is_text))
        };
        let ((text, is_text), (priorities, _)) =
            (read(&self.dreamer.files.observations)?, read(&self.dreamer.files.priorities)?);
        shown.masks.keep_apart_from(&text);
        shown.masks.keep_apart_from(&priorities);
        let mut hasher = Hasher::new();
        hasher
            .field(b"deep")
            .field(&self.state.dreams.to_be_bytes())
            .field(Digest::of(text.as_bytes()).as_bytes());
        let id = DreamId::from_digest(hasher.finish());
        let lines = self.numbered(run, &text, shown)?;
        let mut pass = PassReport::new(id.clone());
        if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
            pass.shown.push(ShownSlice {
                name: self.dreamer.files.observations.clone(),
                from: 0,
                to: text.len() as u64,
                first_line: first.number,
                last_line: last.number,
            });
        }
        let priorities = shown.masked(run, &self.dreamer.files.priorities, &priorities)?;
        let priorities = &priorities[..text::floor_boundary(&priorities, SHOWN_PRIORITIES)];
        let priorities = shown.printed(run, &self.dreamer.files.priorities, priorities)?;
        let dreams = workspace.read_tail(&self.dreamer.files.dreams, commit::LAST_RECORDS)?.text;
        let dreams: Vec<DreamEntry> =
            dreams.lines().filter_map(|line| serde_json::from_str(line).ok()).gather();
        let last = &dreams[dreams.len().saturating_sub(SHOWN_DREAMS)..];
        let day = self.dreamer.config.day;
        let told = last.iter().map(|dream| format!("{}: {}\n", day.date(dream.t), dream.reflection));
        let reflections = shown.masked(run, &self.dreamer.files.dreams, &told.collect::<String>())?;
        let reflections = &reflections[..text::floor_boundary(&reflections, SHOWN_REFLECTIONS)];
        let reflections = shown.printed(run, &self.dreamer.files.dreams, reflections)?;
        let memory = format!("{priorities}\n{reflections}");
        let mut printer = Printer::new(nonce(&id, run.begun(), &memory, texts(&lines)));
        printer.say(&format!("It is {} {}.", day.date(run.now()), day.time(run.now()).format("%H:%M")));
        printer.say("All observations:");
        printer.journal(&self.dreamer.files.observations, false, &lines);
        printer.say("The priorities so far:");
        printer.memory(&self.dreamer.files.priorities, &priorities);
        printer.say("The last reflections:");
        printer.memory(&self.dreamer.files.dreams, &reflections);
        let request = LlmRequest::new(ask::deep(), printer.finish());
        let observations = Observations::parse(text);
        let first_shown = lines.first().map_or(0, |line| line.number);
        Ok((request, pass, Material { observations, first_shown, is_text }))
    }

    /// Returns the observations and their headings, masked, with the numbers of their lines. The newest, where there
    /// are too
    /// many for one request.
    fn numbered(&self, run: &Run, text: &str, shown: &mut Shown) -> Result<Vec<ShownLine>> {
        let masked = shown.masked(run, &self.dreamer.files.observations, text)?;
        let mut lines = Vec::new();
        let mut left = usize::try_from(self.dreamer.config.input_bytes).unwrap_or(usize::MAX);
        for (number, range) in (1..).zip(text::line_ranges(&masked)).gather().into_iter().rev() {
            let line = one_line(masked[range].trim_start_matches(text::BOM));
            if line.trim().is_empty() {
                continue;
            }
            let Some(rest) = left.checked_sub(line.len()) else { break };
            left = rest;
            lines.push(ShownLine { number, text: line });
        }
        lines.reverse();
        shown.mask_lines(run, &self.dreamer.files.observations, &mut lines)?;
        Ok(lines)
    }

    /// Judges the answer to a deep sleep, and commits what it says.
    pub(crate) fn judge_deep(&mut self, run: &mut Run, pass: &mut Pass<About>, answer: &str) -> Result<()> {
        let reply = DeepReply::parse(answer);
        let mut drops = Drops::default();
        let priorities = self.priorities(run, &reply, &mut drops);
        let diary = self.prose(run, &reply.diary, &self.dreamer.config.prose.clone(), &mut drops);
        pass.report.dropped = drops.into_dropped();
        let says_nothing =
            priorities.kept.is_empty() && diary.is_empty() && !matches!(reply.plan, Plan::Lines(_));
        if says_nothing {
            return self.fail(run, pass, Failure::Malformed.into());
        }
        let printed = format!("{}\n{}", priorities.kept.join("\n"), diary.join("\n"));
        if let Err(secret @ Unusable::Secret(_)) = check(run, &printed) {
            return self.fail(run, pass, secret);
        }
        pass.report.outcome = Outcome::Appended;
        let mut report = DeepReport::default();
        let About::Deep(material) = &pass.material else { return Ok(()) };
        let plan = if material.is_text { checked(&reply.plan, material) } else { Err(PlanFault::NotText) };
        let dropped = match plan {
            Ok(named) => self.dropped(run, named, &material.observations, &mut report),
            Err(fault) => {
                report.refused = Some(fault);
                SortedSet::new()
            }
        };
        let (day, dream) = (self.dreamer.config.day, self.state.dreams);
        let mut changes = Vec::new();
        if !dropped.is_empty() {
            let archived: Vec<Observation> = dropped.iter().cloned().gather();
            // Its end, however long it got: a day goes on there, and what stands above is of earlier sleeps.
            let name = &self.dreamer.files.archive;
            let before_len = self.dreamer.workspace().metadata(name)?.map_or(0, |archive| archive.len);
            let archive = self.dreamer.workspace().read_tail(name, commit::LAST_RECORDS)?.text;
            let text = Observations::parse(archive).addition(&archived);
            if !text.is_empty() {
                let name = self.dreamer.files.archive.clone();
                changes.push(FileChange::Append { name, text, before_len, entries: archived });
            }
            changes.push(FileChange::Prune {
                name: self.dreamer.files.observations.clone(),
                dropped: dropped.clone(),
            });
        }
        if !priorities.kept.is_empty() {
            let lines =
                (1..).zip(&priorities.kept).map(|(number, line): (u32, _)| format!("{number}. {line}\n"));
            let text = format!("# Priorities\n\n{}", lines.collect::<String>());
            changes.push(self.replace(&self.dreamer.files.priorities, text)?);
        }
        if !diary.is_empty() {
            let heading = format!("## {}, dream {dream}", day.date(run.now()));
            let gap = if self.dreamer.workspace().metadata(&self.dreamer.files.diary)?.is_none() {
                ""
            } else {
                "\n"
            };
            changes.push(
                self.append(&self.dreamer.files.diary, &format!("{gap}{heading}\n\n{}\n", diary.join("\n")))?,
            );
        }
        let checkpoint = Checkpoint {
            t: run.now(),
            dream,
            last_deep: dream,
            read: self.state.read,
            actions: 0,
            observations: 0,
            pruned: Some(dropped.len() as u64),
            id: pass.report.dream_id.clone(),
        };
        changes.push(self.append(&self.dreamer.files.iterations, &dreams::print(&checkpoint))?);
        let pause = self.dreamer.config.deep_sleep_pause;
        let rest_until =
            TimeDelta::from_std(pause).ok().and_then(|pause| run.now().checked_add_signed(pause));
        let settled = SettledSleep {
            dreams: dream,
            last_deep: dream,
            read: self.state.read,
            actions: 0,
            at: self.state.last_dream_at,
            asleep_since: Some(run.begun()),
            rest_until,
        };
        self.commit(run, pass, changes, settled)?;
        report.priorities = priorities.kept;
        report.priorities_left_out = priorities.left_out;
        report.diary_lines = diary.iter().filter(|line| !line.is_empty()).count() as u64;
        let sleep = Self::sleep(run);
        sleep.deep = Some(report);
        sleep.pause_seconds = pause.as_secs();
        Ok(())
    }

    /// Returns the first five priorities.
    fn priorities(&self, run: &Run, reply: &DeepReply, drops: &mut Drops) -> Priorities {
        let prose = self.dreamer.config.prose;
        let caps = SectionCaps::new(1, prose.item_chars.min(500), prose.bytes);
        let mut kept = Vec::new();
        let mut left_out = 0;
        for line in &reply.priorities {
            if kept.len() >= MOST_PRIORITIES {
                left_out += 1;
                drops.add(DropReason::TooMany);
            } else if let Some(line) = clean(line, &caps, drops) {
                kept.push(line);
            }
        }
        self.without_told(run, &mut kept, drops);
        Priorities { kept, left_out }
    }

    /// Returns all lines to remove: those that the plan names, and stale ones.
    fn dropped(
        &self,
        run: &Run,
        named: SortedSet<Observation>,
        all: &Observations,
        report: &mut DeepReport,
    ) -> SortedSet<Observation> {
        let mut dropped = named;
        report.named = dropped.len() as u64;
        let stale = all.entries().map(|(_, entry)| entry);
        dropped.extend(
            stale.filter(|entry| observations::is_stale(entry, run.now(), &self.dreamer.config)).cloned(),
        );
        report.stale = dropped.len() as u64 - report.named;
        dropped
    }
}

struct Priorities {
    kept: Vec<String>,
    left_out: u64,
}

/// Returns the observations that a plan names, if the plan is sound.
fn checked(plan: &Plan, material: &Material) -> Result<SortedSet<Observation>, PlanFault> {
    let lines = match plan {
        Plan::Missing => return Err(PlanFault::Empty),
        Plan::Unreadable => return Err(PlanFault::Unreadable),
        Plan::Lines(lines) => lines,
    };
    let shown = material.observations.entries().filter(|(line, _)| *line >= material.first_shown);
    let entries: std::collections::BTreeMap<u64, &Observation> = shown.collect();
    let mut named = SortedSet::new();
    for line in lines {
        let entry = entries.get(line).ok_or(PlanFault::UnknownLine)?;
        if entry.mark == Mark::Red {
            return Err(PlanFault::Red);
        }
        named.insert((*entry).clone());
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    // SL-05, SL-06, SL-20.
    #[test]
    fn a_plan_is_followed_whole_or_not_at_all() {
        let text = "## 2026-02-12\n\nRED 09:00 a ban\nYLW 09:01 a state\nGRN 09:02 a detail\nhandwritten\n";
        let material =
            |first_shown| Material { observations: Observations::parse(text), first_shown, is_text: true };
        let all = material(1);
        let plan = |lines: &[u64]| checked(&Plan::Lines(lines.iter().copied().collect()), &all);
        assert_eq!(plan(&[4, 5]).unwrap().len(), 2);
        assert_eq!(plan(&[]).unwrap().len(), 0, "none is an answer");
        assert_eq!(plan(&[3, 4]), Err(PlanFault::Red));
        for unknown in [0, 1, 2, 6, 7, 1000] {
            assert_eq!(plan(&[4, unknown]), Err(PlanFault::UnknownLine), "{unknown}");
        }
        assert_eq!(checked(&Plan::Missing, &all), Err(PlanFault::Empty));
        assert_eq!(checked(&Plan::Unreadable, &all), Err(PlanFault::Unreadable));
        let unseen = checked(&Plan::Lines([4, 5].into()), &material(5));
        assert_eq!(unseen, Err(PlanFault::UnknownLine), "it was not shown");
    }
}
