//! The ordinary dream: what was said and done since the last one becomes observations and a reflection.

use chrono::{DateTime, Utc};

use super::{About, Drops, Run, Shown, Unusable};
use crate::base::digest::{Digest, Hasher};
use crate::base::error::Result;
use crate::base::name::{DocName, Name};
use crate::base::text;
use crate::dream::sleep::{ask, commit};
use crate::dream::{clean_line, mask_printed};
use crate::dreamer::{
    DropReason, Failure, Fate, Hold, HoldReason, LineReport, Outcome, PassReport, ShownSlice, Step,
};
use crate::format::replies::fences::{Printer, ShownLine, one_line};
use crate::format::replies::sleep_reply::DreamReply;
use crate::format::state::dreams::{self, Checkpoint};
use crate::format::state::sleep_intent::{Deed, Settled, SleepIntent};
use crate::format::{DreamEntry, DreamId, Observation, Observations};
use crate::llm::LlmRequest;
use crate::workspace::MAX_DOCUMENT;

/// How much of the newest observations a dream is shown, in bytes.
const SHOWN_OBSERVATIONS: usize = 16 << 10;

/// How much of who said something it is shown, in bytes.
const MOST_ROLE: usize = 64;

/// What of the conversation a dream is shown: whole lines.
#[derive(Debug)]
pub(crate) struct Slice {
    from: u64,
    bytes: Vec<u8>,
    /// The actions up to now, which the dream looks back on.
    actions: u32,
}

impl Slice {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn to(&self) -> u64 {
        self.from + self.bytes.len() as u64
    }

    pub(crate) fn sha256(&self) -> Digest {
        Digest::of(&self.bytes)
    }

    fn id(&self, dream: u64) -> DreamId {
        let mut hasher = Hasher::new();
        hasher
            .field(b"sleep")
            .field(&dream.to_be_bytes())
            .field(&self.from.to_be_bytes())
            .field(self.sha256().as_bytes());
        DreamId::from_digest(hasher.finish())
    }
}

impl Run {
    /// The oldest of the conversation that no dream was shown, within the budget; at least one line of it.
    pub(crate) fn slice(&self) -> Result<Slice> {
        let workspace = self.inner.workspace.as_ref();
        let name = &self.files.conversation;
        let len = workspace.metadata(name)?.map_or(0, |metadata| metadata.len);
        // One that is shorter than what was read is another one: somebody put the old one away.
        let from = if self.state.read > len { 0 } else { self.state.read };
        let mut budget = self.inner.config.input_bytes;
        let bytes = loop {
            let end = len.min(from.saturating_add(budget));
            let mut bytes = workspace.read_range(name, from..end)?;
            match bytes.iter().rposition(|byte| *byte == b'\n') {
                Some(last) => {
                    bytes.truncate(last + 1);
                    break bytes;
                }
                // Whoever writes its last line is not done, or was killed; it waits for the next.
                None if end == len => break Vec::new(),
                None if budget >= MAX_DOCUMENT / 2 => break bytes,
                None => budget = (budget * 2).min(MAX_DOCUMENT / 2),
            }
        };
        Ok(Slice { from, bytes, actions: self.state.actions })
    }

    /// Asks what to keep of a slice.
    pub(crate) fn ask_for_dream(self, slice: Slice) -> Result<Step> {
        let id = slice.id(self.state.dreams + 1);
        let mut pass = PassReport::new(id.clone());
        let mut shown = Shown::default();
        let standing = self.inner.workspace.read(&self.files.observations)?;
        let standing = standing.map(|standing| standing.lossy().into_owned()).unwrap_or_default();
        // One number is of one secret throughout, so those of all texts are known before the first is given.
        shown.masks.keep_apart_from(&standing);
        shown.masks.keep_apart_from(&String::from_utf8_lossy(&slice.bytes));
        let conversation = self.shown(&slice, &mut shown)?;
        pass.shown = vec![ShownSlice {
            name: self.files.conversation.clone(),
            from: slice.from,
            to: slice.to(),
            first_line: 1,
            last_line: text::line_breaks(&slice.bytes),
        }];
        // As a whole, since a secret may begin above what is shown.
        let observations = self.masked(&self.files.observations, &standing, &mut shown)?;
        let observations = tail_of(&observations, SHOWN_OBSERVATIONS);
        let observations = self.printed(&self.files.observations, observations, &mut shown)?;
        let mut printer = Printer::new(nonce(&id, self.begun, &observations, &conversation));
        let day = self.inner.config.day;
        printer.say(&format!("It is {} {}.", day.date(self.begun), day.time(self.begun).format("%H:%M")));
        printer.say("What was noted before:");
        printer.memory(&self.files.observations, &observations);
        printer.say("What was said and done since:");
        printer.journal(&self.files.conversation, false, &conversation);
        let request = LlmRequest::new(ask::dream(self.inner.config.briefing), printer.finish());
        Ok(self.ask(request, pass, &shown, About::Dream(slice)))
    }

    /// The messages of a slice, masked, each cut to its budget.
    fn shown(&self, slice: &Slice, shown: &mut Shown) -> Result<Vec<ShownLine>> {
        let day = self.inner.config.day;
        let bytes = String::from_utf8_lossy(&slice.bytes);
        let messages: Vec<dreams::Shown> = bytes.lines().map(dreams::shown).collect();
        let name: &Name = &self.files.conversation;
        // Together, since a secret may be spread over messages; a mask keeps line breaks.
        let whole = messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n");
        let masked = self.masked(name, &whole, shown)?;
        let mut lines = masked.split('\n');
        let mut printed = Vec::new();
        for (number, message) in (1..).zip(&messages) {
            let of_it: Vec<&str> = lines.by_ref().take(message.text.matches('\n').count() + 1).collect();
            let text = cut(&of_it.join("\n"), self.inner.config.message_bytes);
            let time =
                message.at.map_or_else(String::new, |at| format!("[{}] ", day.time(at).format("%H:%M")));
            let role =
                self.masked(name, &message.role[..text::floor_boundary(&message.role, MOST_ROLE)], shown)?;
            let role = role.replace(['[', ']'], "");
            let role = if role.is_empty() { role } else { format!("[{role}] ") };
            for (at, line) in text.lines().filter(|line| !line.trim().is_empty()).enumerate() {
                // Else a second line of a tool could pass for the first of somebody else.
                let head = if at == 0 { format!("{time}{role}") } else { "  ".to_owned() };
                printed.push(ShownLine { number, text: one_line(&format!("{head}{line}")) });
            }
        }
        self.mask_lines(&self.files.conversation, &mut printed, shown)?;
        Ok(printed)
    }

    /// Masks what only stands in lines as they are printed.
    pub(crate) fn mask_lines(
        &self,
        name: &DocName,
        lines: &mut [ShownLine],
        shown: &mut Shown,
    ) -> Result<()> {
        let joined: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let masked =
            mask_printed(&joined.join("\n"), name, &self.doors(), &mut shown.masks, &mut shown.found)?;
        for (line, masked) in lines.iter_mut().zip(masked.iter().flat_map(|masked| masked.split('\n'))) {
            masked.clone_into(&mut line.text);
        }
        Ok(())
    }

    /// Judges the answer to a dream, and commits what it says.
    pub(crate) fn judge_dream(&mut self, pass: &mut PassReport, slice: &Slice, answer: &str) -> Result<()> {
        let reply = DreamReply::parse(answer);
        let mut drops = Drops::default();
        (0..reply.strange).for_each(|_| drops.add(DropReason::NotABullet));
        let standing = self.inner.workspace.read(&self.files.observations)?;
        let before_len = standing.as_ref().map_or(0, |standing| standing.bytes().len() as u64);
        let standing = standing.map(|standing| standing.lossy().into_owned()).unwrap_or_default();
        let observations = Observations::parse(standing);
        let kept = self.observations(&reply, &observations, pass, &mut drops);
        let caps = self.inner.config.prose;
        let reflection = self.prose(&reply.reflection, &caps, &mut drops).join("\n");
        let priority = self.prose(&reply.priority, &caps, &mut drops).join("\n");
        let briefing = self.prose(&reply.briefing, &caps, &mut drops).join("\n");
        pass.dropped = drops.into_dropped();
        let is_dream = !pass.lines.is_empty() || !reflection.is_empty();
        if !is_dream {
            return self.fail(pass, Failure::Malformed.into());
        }
        // What was taken out of the answer may have parted a secret.
        let lines: Vec<String> = pass.lines.iter().map(|line| line.text.clone()).collect();
        let printed = format!("{}\n{reflection}\n{priority}\n{briefing}", lines.join("\n"));
        if let Err(secret @ Unusable::Secret(_)) = self.check(&printed) {
            pass.lines.clear();
            return self.fail(pass, secret);
        }
        pass.outcome = Outcome::Appended;
        let added = observations.addition(&kept);
        pass.section = Some(added.clone()).filter(|added| !added.is_empty());
        let dream = self.state.dreams + 1;
        let deep = self.inner.config.deep_sleep_every.is_some_and(|every| dream.is_multiple_of(every));
        let entry = DreamEntry {
            t: self.now,
            actions: slice.actions,
            reflection: reflection.clone(),
            priority: priority.clone(),
            observations: kept.iter().map(ToString::to_string).collect(),
            deep,
            dream,
            id: Some(pass.dream_id.clone()),
        };
        let checkpoint = Checkpoint {
            t: self.now,
            dream,
            last_deep: self.state.last_deep,
            read: slice.to(),
            actions: slice.actions,
            observations: kept.len() as u64,
            pruned: None,
            id: pass.dream_id.clone(),
        };
        let mut deeds = Vec::new();
        if !added.is_empty() {
            deeds.push(Deed::Append {
                name: self.files.observations.clone(),
                text: added,
                before_len,
                entries: kept.clone(),
            });
        }
        deeds.push(self.append(&self.files.dreams, &dreams::print(&entry))?);
        deeds.push(self.append(&self.files.iterations, &dreams::print(&checkpoint))?);
        if self.inner.config.briefing && !briefing.is_empty() {
            let page = format!("# Briefing, {}\n\n{briefing}\n", self.inner.config.day.date(self.now));
            deeds.push(self.replace(&self.files.briefing, page)?);
        }
        let settled = Settled {
            dreams: dream,
            last_deep: self.state.last_deep,
            read: slice.to(),
            actions: slice.actions,
            at: Some(self.now),
            asleep_since: Some(self.begun),
            rest_until: None,
        };
        self.commit(pass, deeds, settled)?;
        let sleep = self.sleep();
        (sleep.actions, sleep.reflection, sleep.priority) = (entry.actions, reflection, priority);
        Ok(())
    }

    /// The observations of an answer that are new; all of them are reported.
    fn observations(
        &self,
        reply: &DreamReply,
        standing: &Observations,
        pass: &mut PassReport,
        drops: &mut Drops,
    ) -> Vec<Observation> {
        let (caps, day) = (self.inner.config.observations, self.inner.config.day);
        let (today, clock) = (day.date(self.begun), self.begun);
        let mut known: std::collections::BTreeSet<Observation> =
            standing.entries().map(|(_, entry)| entry.clone()).collect();
        let mut seen: Vec<(Observation, Fate)> = Vec::new();
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
                    // What is too long was counted as it was cleaned.
                    (0..u32::from(cleaned.over.is_none())).for_each(|_| drops.add(reason));
                    Fate::OverCap(reason)
                }
                None if !known.insert(one.clone()) => Fate::Duplicate,
                None => {
                    (count, bytes) = (count + 1, bytes + text.len());
                    Fate::Promoted { cited: false }
                }
            };
            seen.push((one, fate));
        }
        let texts: Vec<String> = seen.iter().map(|(one, _)| one.text.clone()).collect();
        let (told, instructs) = (self.tells_forgotten(&texts), self.instructs(&texts));
        let mut kept = Vec::new();
        for (((one, mut fate), tells), word) in seen.into_iter().zip(told).zip(instructs) {
            let heading = Some(one.mark.to_string());
            let mut text = one.text.clone();
            if tells {
                // Masked by itself where it holds all of it, and not told where it holds a part.
                fate = Fate::Forgotten;
                "[REDACTED:forgotten#1]".clone_into(&mut text);
            } else if word.is_some() {
                fate = Fate::Held(Hold { reason: HoldReason::Injection, word });
            }
            if matches!(fate, Fate::Promoted { .. }) {
                kept.push(one);
            }
            pass.lines.push(LineReport::new(text, heading, Vec::new(), fate));
        }
        // In the order of time, so that each day has one heading.
        kept.sort_by_key(|one| one.instant(day));
        kept
    }

    pub(crate) fn append(&self, name: &DocName, text: &str) -> Result<Deed> {
        let before_len = self.inner.workspace.metadata(name)?.map_or(0, |metadata| metadata.len);
        let last = self.inner.workspace.read_range(name, before_len.saturating_sub(1)..before_len)?;
        // A torn last line of somebody else's is ended, so that it spoils no other.
        let gap = if last.is_empty() || last == b"\n" { "" } else { "\n" };
        Ok(Deed::Append { name: name.clone(), text: format!("{gap}{text}"), before_len, entries: Vec::new() })
    }

    pub(crate) fn replace(&self, name: &DocName, text: String) -> Result<Deed> {
        let before = self.inner.workspace.read(name)?.map(|standing| standing.revision());
        Ok(Deed::Replace { name: name.clone(), text, before })
    }

    /// Commits, and takes over what the state is then.
    pub(crate) fn commit(&mut self, pass: &PassReport, deeds: Vec<Deed>, settled: Settled) -> Result<()> {
        let folder = self.inner.config.folder.clone();
        let intent = SleepIntent::new(folder, deeds, settled, self.log_line(pass));
        let workspace = self.inner.workspace.as_ref();
        commit::commit(workspace, self.lease.as_ref(), &intent)?;
        self.state = commit::state(workspace, &self.files)?;
        Ok(())
    }
}

/// The last lines of a text that fit.
fn tail_of(text: &str, most: usize) -> &str {
    let tail = &text[text::ceil_boundary(text, text.len().saturating_sub(most))..];
    if tail.len() == text.len() { text } else { tail.split_once('\n').map_or("", |(_, rest)| rest) }
}

/// The beginning and the end of what is too long.
fn cut(message: &str, most: usize) -> String {
    if message.len() <= most {
        return message.to_owned();
    }
    let head = &message[..text::floor_boundary(message, most / 4 * 3)];
    let tail = &message[text::ceil_boundary(message, message.len() - most / 4)..];
    format!("{head}\n[... {} bytes are left out here]\n{tail}", message.len() - head.len() - tail.len())
}

/// What a fence carries: a hash of all that is inside, which no text inside can foresee.
pub(crate) fn nonce(id: &DreamId, now: DateTime<Utc>, memory: &str, lines: &[ShownLine]) -> String {
    let mut hasher = Hasher::new();
    hasher.field(id.as_str().as_bytes()).field(now.to_rfc3339().as_bytes()).field(memory.as_bytes());
    for line in lines {
        hasher.field(line.text.as_bytes());
    }
    hasher.finish().short(16)
}
