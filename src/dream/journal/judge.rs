//! The answer to a pass: gate by gate, and then line by line.

use std::iter;

use chrono::NaiveDate;

use super::blame::blame;
use super::brief;
use super::config::OverBudget;
use super::curation::{Curation, Material};
use super::queue::Queue;
use super::record::{self, Addition};
use super::screen::{instructs, reply_policy, without_forgotten};
use crate::base::error::Result;
use crate::base::order;
use crate::dream::engine::{self, Item, Pass, Run, Sanitised, Then};
use crate::dream::evidence::{Judge, Verdict, told};
use crate::dream::said::Standing;
use crate::dreamer::{
    DreamMode, DropReason, Failure, Hold, HoldReason, LineOutcome, LineReport, Notice, Outcome,
};
use crate::format::JournalName;
use crate::format::documents::curated;
use crate::format::documents::known::{Heard, KnownStatements};
use crate::format::documents::statements::Statement;
use crate::format::replies::reply::{HEADINGS, NOTHING_TO_PROMOTE, split_citations};
use crate::format::state::intent::Append;
use crate::format::state::log;
use crate::format::state::proposal::{ProposalStep, Waiting};
use crate::gate::{Finding, Masks, SecretPolicy, is_struck};

/// A usable answer.
enum Answer {
    Nothing,
    Secret {
        text: String,
        findings: Vec<Finding>,
    },
    /// The section, and the bullets of the briefing.
    Section(Sanitised, Sanitised),
}

/// The statements that a new section does not repeat.
struct Known {
    /// Statements of memory, archive and waiting proposals.
    statements: KnownStatements,
    /// The hashes of lines that a person took out, or declined, with the last day of their journals.
    removed: Vec<(String, Option<NaiveDate>)>,
    /// The promoted lines of memory and archive.
    standing: Standing,
}

impl Known {
    /// Returns whether a person took a statement out, or said no to it, and no other value was said since then.
    fn was_removed(&self, hash: &str, heard: &Heard) -> bool {
        let mut last = None;
        for (removed, day) in &self.removed {
            if removed == hash {
                last = Some(last.unwrap_or(*day).max(*day));
            }
        }
        last.is_some_and(|last| !self.statements.returns(heard, last))
    }
}

impl Curation {
    /// Judges the answer to a pass, and commits what it promotes.
    pub(crate) fn judge_answer(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<Material>,
        answer: Result<String, Failure>,
    ) -> Result<Then> {
        match answer.and_then(|text| self.read(run, text)) {
            Err(failure) => {
                pass.report.failure = Some(failure);
                return self.fail(run, pass);
            }
            Ok(Answer::Secret { text, findings }) => {
                let (_, memory) = self.records.memory(run.workspace())?;
                let gate = run.host.doors.gate();
                let slices = &pass.material.selection.slices;
                let blamed = blame(gate, &text, &findings, slices, &memory.text());
                return self.quarantine(run, pass, blamed);
            }
            Ok(Answer::Nothing) => {
                pass.report.outcome = Outcome::NothingToPromote;
                self.commit(run, pass, None)?;
            }
            Ok(Answer::Section(section, page)) => self.promote(run, pass, &section, &page)?,
        }
        Ok(Then::GoOn)
    }

    /// Reads an answer, gate by gate.
    fn read(&self, run: &Run, text: String) -> Result<Answer, Failure> {
        let gate = run.host.doors.gate();
        if text.trim() == NOTHING_TO_PROMOTE {
            return Ok(Answer::Nothing);
        }
        let findings = gate.inspect(&text);
        let has_secrets = !findings.is_empty();
        if has_secrets && reply_policy(run).secrets != SecretPolicy::Redact {
            return Ok(Answer::Secret { text, findings });
        }
        // The bullets that a secret stands in are left out by their placeholders.
        let text = if has_secrets { gate.mask(&text, &mut Masks::default()) } else { text };
        let (text, page) = if self.briefs() { brief::split(&text) } else { (text, String::new()) };
        let page = engine::sanitise(&page, &brief::caps());
        let mut section = engine::sanitise(&text, &self.dreamer.config.section);
        if section.is_prose()
            && let Some(bullets) = engine::bullets_of_prose(&text)
        {
            section = engine::sanitise(&bullets, &self.dreamer.config.section);
            section.split = count(section.items.len() + section.over_caps.len());
        }
        // A part that the sanitiser removed may have split a secret.
        let over_caps = section.over_caps.iter().map(|(item, _)| item);
        let printed = engine::print(section.items.iter().chain(over_caps)) + &brief::printed(&page);
        let findings = gate.inspect(&printed);
        if !findings.is_empty() {
            return Ok(Answer::Secret { text: printed, findings });
        }
        let has_bullets =
            !section.items.is_empty() || !section.over_caps.is_empty() || !page.items.is_empty();
        if has_bullets || has_secrets || section.has_masked() {
            Ok(Answer::Section(section, page))
        } else {
            Err(Failure::Malformed)
        }
    }

    /// Judges the lines of an answer, and commits those that are new and hold.
    fn promote(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<Material>,
        section: &Sanitised,
        page: &Sanitised,
    ) -> Result<()> {
        let (joined, split) = (section.joined, section.split);
        if joined + split > 0 {
            run.report.notices.push(Notice::Reshaped { joined, split });
        }
        let mut known = self.known(run)?;
        let (kept, hashes) = self.judge_lines(run, pass, section, &mut known);
        if kept.is_empty() && is_all_held(&pass.report.lines) {
            pass.report.outcome = Outcome::AllHeld;
            return self.commit_held(run, pass);
        }
        if self.briefs() {
            self.page(run, pass, page, &kept);
        }
        if kept.is_empty() {
            pass.report.outcome = Outcome::NothingToPromote;
            self.commit(run, pass, None)?;
        } else {
            let addition = self.addition(run, pass, &kept, hashes)?;
            self.commit(run, pass, Some(addition))?;
        }
        Self::brief(run, pass);
        Ok(())
    }

    /// Reads the known statements anew: somebody may have written while the model thought.
    fn known(&mut self, run: &Run) -> Result<Known> {
        let workspace = run.workspace();
        let (_, memory) = self.records.memory(workspace)?;
        let (mut statements, mut standing) = (KnownStatements::default(), Standing::default());
        let mut take = |text: &str| {
            statements.take(text, 0);
            standing.take(text);
        };
        take(&memory.text());
        take(&self.records.archive(workspace)?.text());
        let list = self.records.proposals(workspace)?;
        let queue = Queue { workspace, list, config: &self.dreamer.config, now: run.now() };
        let mut removed = queue.read(&mut statements)?;
        for (hash, pass) in log::settled(&self.records.log) {
            removed.push((hash.to_owned(), JournalName::last_day(&mut pass.journals())));
        }
        Ok(Known { statements, removed, standing })
    }

    /// Gives each line its fate; returns those that are kept, and the hashes of their statements.
    fn judge_lines(
        &self,
        run: &Run,
        pass: &mut Pass<Material>,
        section: &Sanitised,
        known: &mut Known,
    ) -> (Vec<Item>, Vec<String>) {
        let config = &self.dreamer.config;
        let Pass { report, material } = pass;
        report.dropped = section.dropped();
        let judge = Judge::new(config.rules(), &material.shown);
        let (mut kept, mut moved): (Vec<(Item, String)>, bool) = (Vec::new(), false);
        let over_caps = section.over_caps.iter().map(|(item, _)| item);
        let mut reported = without_forgotten(run, section.items.iter().chain(over_caps)).into_iter();
        let mut room = config.section.bytes.saturating_sub(engine::print(&section.items[..]).len());
        for item in &section.items {
            if let Some(Some(text)) = reported.next() {
                let heading = item.heading.map(str::to_owned);
                report.lines.push(LineReport::new(text, heading, Vec::new(), LineOutcome::Forgotten));
                continue;
            }
            if is_struck(&item.text) {
                let heading = item.heading.map(str::to_owned);
                let text = item.text.clone();
                report.lines.push(LineReport::new(text, heading, Vec::new(), LineOutcome::Forgotten));
                continue;
            }
            let (claim, citations) = split_citations(&item.text);
            let Verdict { sources, hold, heading, teller, dated, .. } =
                judge.judge(item.heading, &claim, &citations);
            let text = with_dates(&item.text, &claim, dated, config.section.item_chars, &mut room);
            let is_dated = text != item.text;
            let by =
                |text: String| teller.as_ref().map_or_else(|| text.clone(), |teller| told(teller, &text));
            let text = by(text);
            let dated = Item { heading: item.heading, text: text.clone(), is_nested: false };
            if is_dated && let Some(Some(text)) = without_forgotten(run, iter::once(&dated)).pop() {
                let heading = item.heading.map(str::to_owned);
                report.lines.push(LineReport::new(text, heading, Vec::new(), LineOutcome::Forgotten));
                continue;
            }
            let statement = Statement::of(&text);
            let hash = log::key_hash(&statement.key());
            // A person may have written the line without its date, or have taken such a one out.
            let bare = is_dated.then(|| Statement::of(&by(item.text.clone())));
            let bare_hash = bare.as_ref().map(|bare| log::key_hash(&bare.key()));
            let bare = bare.map(|bare| Heard::new(bare, citations.clone()));
            let nested = item.is_nested.then_some(Hold { reason: HoldReason::Nested, word: None });
            let hold = instructs(run, item, report).or(nested).or(hold);
            let heard = Heard::new(statement, citations.clone());
            let fate = if let Some(hold) = hold {
                LineOutcome::Held(hold)
            } else if known.statements.says(&heard).is_some()
                || bare.is_some_and(|bare| known.statements.says(&bare).is_some())
                || known.standing.says(&text, &citations, &material.shown)
            {
                LineOutcome::Duplicate
            } else if known.was_removed(&hash, &heard)
                || bare_hash.is_some_and(|hash| known.was_removed(&hash, &heard))
            {
                LineOutcome::RemovedBefore
            } else if text.chars().count() > config.section.item_chars {
                LineOutcome::OverCap(DropReason::TooLong)
            } else {
                known.statements.insert(heard, 0);
                moved |= heading != item.heading;
                kept.push((Item { heading, text: text.clone(), is_nested: false }, hash));
                LineOutcome::Promoted { cited: !citations.is_empty() }
            };
            let heading = heading.map(str::to_owned);
            report.lines.push(LineReport::new(text, heading, sources, fate));
        }
        for (item, reason) in &section.over_caps {
            let heading = item.heading.map(str::to_owned);
            let (text, fate) = match reported.next().flatten() {
                Some(text) => (text, LineOutcome::Forgotten),
                None => (item.text.clone(), LineOutcome::OverCap(*reason)),
            };
            report.lines.push(LineReport::new(text, heading, Vec::new(), fate));
        }
        if moved {
            order::sort_by_key(&mut kept, |(item, _)| {
                HEADINGS.iter().position(|known| item.heading == Some(known))
            });
        }
        kept.into_iter().unzip()
    }

    /// Returns the section of the lines that are kept, or the proposal of it.
    fn addition(
        &mut self,
        run: &mut Run,
        pass: &mut Pass<Material>,
        kept: &[Item],
        hashes: Vec<String>,
    ) -> Result<Addition> {
        let config = &self.dreamer.config;
        let day = self.day(run);
        let (name, memory) = self.records.memory(run.host.workspace.as_ref())?;
        let Pass { report, material: Material { selection, .. } } = pass;
        let body = engine::print(kept);
        let section =
            curated::print_section(memory.bytes(), day, &report.dream_id, selection.slices.len(), &body);
        report.section = Some(section.clone());
        let chars = (memory.text().chars().count() + section.chars().count()) as u64;
        let budget = config.memory_budget;
        if chars > budget {
            let is_appended = config.mode != DreamMode::Propose;
            let archives = is_appended && config.over_budget == OverBudget::Archive;
            run.report.notices.push(Notice::WillPassBudget { chars, budget, archives });
        }
        if config.mode == DreamMode::Propose {
            report.outcome = Outcome::Proposed;
            let sources = record::sources(&selection.slices);
            let waiting = Waiting { id: report.dream_id.clone(), at: run.now(), day, sources, lines: hashes };
            let text = waiting.print(&body);
            return Ok(Addition::Propose(ProposalStep::Made { waiting, text }));
        }
        report.outcome = Outcome::Appended;
        Ok(Addition::Append(Append::new(name, section, memory.bytes()), hashes))
    }
}

/// Returns a line with the dates of its relative days, if a line and the section have room for them.
fn with_dates(text: &str, claim: &str, dated: Option<String>, most: usize, room: &mut usize) -> String {
    if let (Some(dated), Some(cited)) = (dated, text.strip_prefix(claim)) {
        let more = dated.len() - claim.len();
        if text.chars().count() + more <= most && more <= *room {
            *room -= more;
            return dated + cited;
        }
    }
    text.to_owned()
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns whether an answer has no result because none of its lines holds.
fn is_all_held(lines: &[LineReport]) -> bool {
    !lines.is_empty() && lines.iter().all(|line| matches!(line.fate, LineOutcome::Held(_)))
}
