//! The ordinary dream: words and actions since the last one become observations and a reflection.

use super::about::{About, Slice};
use super::ask;
use super::clean::clean_line;
use super::night::{Drops, Night, Shown, Unusable, check, tells_forgotten, texts};
use crate::base::error::Result;
use crate::base::gather::Gather as _;
use crate::base::name::Name;
use crate::base::text;
use crate::dream::engine::{Asking, Pass, Run, nonce};
use crate::dreamer::{
    DropReason, Failure, Hold, HoldReason, LineOutcome, LineReport, Outcome, PassReport, ShownSlice,
};
use crate::format::replies::fences::{Printer, ShownLine, one_line};
use crate::format::replies::sleep_reply::DreamReply;
use crate::format::state::dreams::{self, Checkpoint};
use crate::format::state::sleep_intent::{FileChange, SettledSleep};
use crate::format::{DreamEntry, Observation, Observations};
use crate::llm::LlmRequest;
use crate::workspace::MAX_DOCUMENT;

/// The most bytes of the newest observations in a dream's request.
const SHOWN_OBSERVATIONS: usize = 16 << 10;

/// The most bytes of a speaker's role in it.
const MOST_ROLE: usize = 64;

impl Night {
    /// Returns the oldest of the conversation that no dream was shown, within the budget; at least one line of it.
    pub(crate) fn slice(&self) -> Result<Slice> {
        let workspace = self.dreamer.workspace();
        let name = &self.dreamer.files.conversation;
        let len = workspace.metadata(name)?.map_or(0, |metadata| metadata.len);
        // One that is shorter than what was read is another one: somebody put the old one away.
        let from = if self.state.read > len { 0 } else { self.state.read };
        let mut budget = self.dreamer.config.input_bytes;
        let bytes = loop {
            let end = len.min(from.saturating_add(budget));
            let mut bytes = workspace.read_range(name, from..end)?;
            match bytes.iter().rposition(|byte| *byte == b'\n') {
                Some(last) => {
                    bytes.truncate(last + 1);
                    break bytes;
                }
                // The writer of the last line is not done, or was killed; the line waits for the next dream.
                None if end == len => break Vec::new(),
                None if budget >= MAX_DOCUMENT / 2 => break bytes,
                None => budget = (budget * 2).min(MAX_DOCUMENT / 2),
            }
        };
        Ok(Slice { from, bytes, actions: self.state.actions })
    }

    /// Asks what to keep of a slice.
    pub(crate) fn ask_for_dream(&self, run: &Run, slice: Slice) -> Result<Asking<About>> {
        let id = slice.id(self.state.dreams + 1);
        let mut pass = PassReport::new(id.clone());
        let mut shown = Shown::default();
        let standing = self.dreamer.workspace().read(&self.dreamer.files.observations)?;
        let standing = standing.map(|standing| standing.lossy().into_owned()).unwrap_or_default();
        // One number is of one secret throughout, so those of all texts are known before the first is given.
        shown.masks.keep_apart_from(&standing);
        shown.masks.keep_apart_from(&String::from_utf8_lossy(&slice.bytes));
        let conversation = self.shown(run, &slice, &mut shown)?;
        pass.shown = vec![ShownSlice {
            name: self.dreamer.files.conversation.clone(),
            from: slice.from,
            to: slice.to(),
            first_line: 1,
            last_line: text::line_breaks(&slice.bytes),
        }];
        // As a whole, since a secret may begin above what is shown.
        let observations = shown.masked(run, &self.dreamer.files.observations, &standing)?;
        let observations = tail_of(&observations, SHOWN_OBSERVATIONS);
        let observations = shown.printed(run, &self.dreamer.files.observations, observations)?;
        let mut printer = Printer::new(nonce(&id, run.begun(), &observations, texts(&conversation)));
        let day = self.dreamer.config.day;
        printer.say(&format!("It is {} {}.", day.date(run.begun()), day.time(run.begun()).format("%H:%M")));
        printer.say("What was noted before:");
        printer.memory(&self.dreamer.files.observations, &observations);
        printer.say("What was said and done since:");
        printer.journal(&self.dreamer.files.conversation, false, &conversation);
        let request = LlmRequest::new(ask::dream(self.dreamer.config.briefing), printer.finish());
        Ok(self.ask(request, pass, &shown, About::Dream(slice)))
    }

    /// Returns the messages of a slice, masked, each cut to its budget.
    fn shown(&self, run: &Run, slice: &Slice, shown: &mut Shown) -> Result<Vec<ShownLine>> {
        let day = self.dreamer.config.day;
        let bytes = String::from_utf8_lossy(&slice.bytes);
        let messages: Vec<dreams::Shown> = bytes.lines().map(dreams::shown).gather();
        let name: &Name = &self.dreamer.files.conversation;
        // Together, since a secret may be spread over messages; a mask keeps line breaks.
        let whole = messages.iter().map(|message| message.text.as_str()).gather().join("\n");
        let masked = shown.masked(run, name, &whole)?;
        let mut lines = masked.split('\n');
        let mut printed = Vec::new();
        for (number, message) in (1..).zip(&messages) {
            let of_it: Vec<&str> = lines.by_ref().take(message.text.matches('\n').count() + 1).gather();
            let text = cut(&of_it.join("\n"), self.dreamer.config.message_bytes);
            let time =
                message.at.map_or_else(String::new, |at| format!("[{}] ", day.time(at).format("%H:%M")));
            let role =
                shown.masked(run, name, &message.role[..text::floor_boundary(&message.role, MOST_ROLE)])?;
            let role = role.replace(['[', ']'], "");
            let role = if role.is_empty() { role } else { format!("[{role}] ") };
            for (at, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
                // Else a second line of a tool could pass for the first of somebody else.
                let head = if at == 0 { format!("{time}{role}") } else { "  ".to_owned() };
                printed.push(ShownLine { number, text: one_line(&format!("{head}{line}")) });
            }
        }
        shown.mask_lines(run, &self.dreamer.files.conversation, &mut printed)?;
        Ok(printed)
    }

    /// Judges the answer to a dream, and commits what it says.
    pub(crate) fn judge_dream(&mut self, run: &mut Run, pass: &mut Pass<About>, answer: &str) -> Result<()> {
        let About::Dream(slice) = &pass.material else { return Ok(()) };
        let (read, actions) = (slice.to(), slice.actions);
        let reply = DreamReply::parse(answer);
        let mut drops = Drops::default();
        (0..reply.strange).for_each(|_| drops.add(DropReason::NotABullet));
        let standing = self.dreamer.workspace().read(&self.dreamer.files.observations)?;
        let before_len = standing.as_ref().map_or(0, |standing| standing.bytes().len() as u64);
        let standing = standing.map(|standing| standing.lossy().into_owned()).unwrap_or_default();
        let observations = Observations::parse(standing);
        let kept = self.observations(run, &reply, &observations, &mut pass.report, &mut drops);
        let caps = self.dreamer.config.prose;
        let reflection = self.prose(run, &reply.reflection, &caps, &mut drops).join("\n");
        let priority = self.prose(run, &reply.priority, &caps, &mut drops).join("\n");
        let briefing = self.prose(run, &reply.briefing, &caps, &mut drops).join("\n");
        // An answer that only repeats masks was read: asked again, it would be the same.
        let is_masked = !reply.observations.is_empty() && drops.has(DropReason::Masked);
        pass.report.dropped = drops.into_dropped();
        let is_dream = is_masked || !pass.report.lines.is_empty() || !reflection.is_empty();
        if !is_dream {
            return self.fail(run, pass, Failure::Malformed.into());
        }
        // A part that was removed from the answer may have split a secret.
        let lines: Vec<String> = pass.report.lines.iter().map(|line| line.text.clone()).gather();
        let printed = format!("{}\n{reflection}\n{priority}\n{briefing}", lines.join("\n"));
        if let Err(secret @ Unusable::Secret(_)) = check(run, &printed) {
            pass.report.lines.clear();
            return self.fail(run, pass, secret);
        }
        pass.report.outcome = Outcome::Appended;
        let added = observations.addition(&kept);
        pass.report.section = Some(added.clone()).filter(|added| !added.is_empty());
        let dream = self.state.dreams + 1;
        let deep = self.dreamer.config.deep_sleep_every.is_some_and(|every| dream.is_multiple_of(every));
        let entry = DreamEntry {
            t: run.now(),
            actions,
            reflection: reflection.clone(),
            priority: priority.clone(),
            observations: kept.iter().map(ToString::to_string).gather(),
            deep,
            dream,
            id: Some(pass.report.dream_id.clone()),
        };
        let checkpoint = Checkpoint {
            t: run.now(),
            dream,
            last_deep: self.state.last_deep,
            read,
            actions,
            observations: kept.len() as u64,
            pruned: None,
            id: pass.report.dream_id.clone(),
        };
        let mut changes = Vec::new();
        if !added.is_empty() {
            changes.push(FileChange::Append {
                name: self.dreamer.files.observations.clone(),
                text: added,
                before_len,
                entries: kept.clone(),
            });
        }
        changes.push(self.append(&self.dreamer.files.dreams, &dreams::print(&entry))?);
        changes.push(self.append(&self.dreamer.files.iterations, &dreams::print(&checkpoint))?);
        if self.dreamer.config.briefing && !briefing.is_empty() {
            let page = format!("# Briefing, {}\n\n{briefing}\n", self.dreamer.config.day.date(run.now()));
            changes.push(self.replace(&self.dreamer.files.briefing, page)?);
        }
        let settled = SettledSleep {
            dreams: dream,
            last_deep: self.state.last_deep,
            read,
            actions,
            at: Some(run.now()),
            asleep_since: Some(run.begun()),
            rest_until: None,
        };
        self.commit(run, pass, changes, settled)?;
        let sleep = Self::sleep(run);
        (sleep.actions, sleep.reflection, sleep.priority) = (entry.actions, reflection, priority);
        Ok(())
    }

    /// Returns the observations of an answer that are new; all of them are reported.
    fn observations(
        &self,
        run: &Run,
        reply: &DreamReply,
        standing: &Observations,
        pass: &mut PassReport,
        drops: &mut Drops,
    ) -> Vec<Observation> {
        let (caps, day) = (self.dreamer.config.observations, self.dreamer.config.day);
        let (today, clock) = (day.date(run.begun()), run.begun());
        let mut known: std::collections::BTreeSet<Observation> =
            standing.entries().map(|(_, entry)| entry.clone()).collect();
        let mut seen: Vec<(Observation, LineOutcome)> = Vec::new();
        let (mut count, mut bytes) = (0, 0);
        for observed in &reply.observations {
            if seen.len() >= caps.items.saturating_mul(4) {
                drops.add(DropReason::TooMany);
                continue;
            }
            let cleaned = clean_line(&observed.text, &caps);
            drops.take(&cleaned.dropped);
            let Some(text) = cleaned.text else { continue };
            let time = observed.time.unwrap_or_else(|| day.time(clock));
            let mut one = Observation::new(today, time, observed.mark, &text);
            // A time that is still to come was yesterday.
            if one.instant(day) > clock {
                one.date = today.pred_opt().unwrap_or(today);
            }
            let full = if count >= caps.items {
                Some(DropReason::TooMany)
            } else if bytes + text.len() > caps.bytes {
                Some(DropReason::SectionFull)
            } else {
                None
            };
            let fate = match cleaned.over.or(full) {
                Some(reason) => {
                    // A text that is too long was counted during the cleaning.
                    (0..u32::from(cleaned.over.is_none())).for_each(|_| drops.add(reason));
                    LineOutcome::OverCap(reason)
                }
                None if !known.insert(one.clone()) => LineOutcome::Duplicate,
                None => {
                    (count, bytes) = (count + 1, bytes + text.len());
                    LineOutcome::Promoted { cited: false }
                }
            };
            seen.push((one, fate));
        }
        let texts: Vec<String> = seen.iter().map(|(one, _)| one.text.clone()).gather();
        let (told, instructs) = (tells_forgotten(run, &texts), self.instructs(run, &texts));
        let mut kept = Vec::new();
        for (((one, mut fate), tells), word) in seen.into_iter().zip(told).zip(instructs) {
            let heading = Some(one.mark.to_string());
            let mut text = one.text.clone();
            if tells {
                // Masked by itself where it holds all of it, and not told where it holds a part.
                fate = LineOutcome::Forgotten;
                "[REDACTED:forgotten#1]".clone_into(&mut text);
            } else if word.is_some() {
                fate = LineOutcome::Held(Hold { reason: HoldReason::Injection, word });
            }
            if matches!(fate, LineOutcome::Promoted { .. }) {
                kept.push(one);
            }
            pass.lines.push(LineReport::new(text, heading, Vec::new(), fate));
        }
        // In the order of time, so that each day has one heading.
        kept.sort_by_key(|one| one.instant(day));
        kept
    }
}

/// Returns the last lines of a text that fit.
fn tail_of(text: &str, most: usize) -> &str {
    let tail = &text[text::ceil_boundary(text, text.len().saturating_sub(most))..];
    if tail.len() == text.len() { text } else { tail.split_once('\n').map_or("", |(_, rest)| rest) }
}

/// Cuts out the middle of a text that is too long.
fn cut(message: &str, most: usize) -> String {
    if message.len() <= most {
        return message.to_owned();
    }
    let head = &message[..text::floor_boundary(message, most / 4 * 3)];
    let tail = &message[text::ceil_boundary(message, message.len() - most / 4)..];
    format!("{head}\n[... {} bytes are left out here]\n{tail}", message.len() - head.len() - tail.len())
}
