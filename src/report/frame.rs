//! The frame of the page: its head, what the dream came to, and its sections.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::page::{Page, capital};
use super::parts::{count, facts, fold, grouped, section, size};
use super::{growth, journals, lines, memory, secrets};
use crate::dreamer::{NotDue, Notice, Outcome};

/// The one style sheet.
pub(super) const STYLE: &str = include_str!("style.css");

/// Nothing is fetched and nothing runs, whatever a text might make a browser think.
pub(super) const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

impl Page<'_> {
    pub(super) fn html(&self) -> Markup {
        let date = self.given.day.date(self.report.started_at);
        let title = format!("Dream of {date}");
        let mut sections = vec![
            ("promoted", lines::promoted(self)),
            ("held", lines::held(self)),
            ("secrets", secrets::section(self)),
            ("memory", memory::section(self)),
            ("journals", journals::section(self)),
            ("nights", growth::section(self)),
        ];
        // Three sections that have nothing are one line.
        let is_quiet = sections[..3].iter().all(|(_, part)| part.is_empty);
        if is_quiet {
            sections.drain(..3);
        }
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="referrer" content="no-referrer";
                    title { (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    a.skip href="#main" { "Skip to the page" }
                    header {
                        h1 { "Dream of " time { (date) } }
                        p.outcome.(self.tone()) { (self.outcome()) }
                        (self.figures())
                    }
                    nav aria-label="Sections" {
                        ul { @for (id, part) in &sections { li { a href={ "#" (id) } { (part.title) } } } }
                    }
                    main #main {
                        (self.notices())
                        @if is_quiet { p.nothing { "No line was promoted or held back, and no secret was found." } }
                        @for (id, part) in &sections { (section(id, part.title, &part.count, &part.body)) }
                    }
                    footer {
                        p {
                            "Made by noctuary " (env!("CARGO_PKG_VERSION")) " from a report of version "
                            (self.report.schema_version) ". This page loads nothing and runs nothing. It holds words of \
                            journals and memory: keep it where they are kept."
                        }
                    }
                }
            }
        }
    }

    /// Returns the ending in a sentence.
    fn outcome(&self) -> Markup {
        let report = self.report;
        let failure = self.passes().iter().find_map(|pass| pass.failure.as_ref());
        let lost = self.passes().iter().find_map(|pass| pass.lost);
        let sentence = match report.outcome {
            Outcome::Appended if !self.is_written() => "A preview: nothing was written.",
            Outcome::Appended => "New memory was appended; nothing above it changed.",
            Outcome::NothingToPromote => "Nothing new was worth keeping.",
            Outcome::AllHeld => "Every line of the answer was held; its journals wait for another try.",
            Outcome::NothingNew if report.journals.iter().any(|journal| journal.pending > 0) => {
                "No journal has anything new that a dream may read; no model was asked."
            }
            Outcome::NothingNew => "Every journal has been read already; no model was asked.",
            Outcome::AlreadyPromoted => {
                "What these journals say stands in memory already; no model was asked."
            }
            Outcome::Proposed => {
                "What would be appended waits in a proposal for a person’s word; memory is as it was."
            }
            Outcome::AlreadyProposed => {
                "What these journals say waits in a proposal already; no model was asked."
            }
            Outcome::ProposalsFull => "As many proposals wait as may; no model was asked.",
            Outcome::Disabled => "Dreaming is off; nothing was touched.",
            Outcome::NotDue => "It was not due.",
            Outcome::LockHeld => "Somebody else is dreaming here; this run skipped.",
            Outcome::LeaseLost => "The lease was lost while the model thought; nothing was written.",
            Outcome::LlmError => "There was no usable answer; nothing moved.",
            Outcome::Quarantined => "The answer held a secret; the journals to blame are in quarantine.",
            other => return html! { (capital(&other.as_str().replace('_', " "))) "." },
        };
        html! {
            (sentence)
            @if let Some(failure) = failure { " " (self.show(&capital(&failure.to_string()))) "." }
            @if let Some(lost) = lost { " " (capital(&lost.to_string())) "." }
            @if let Some(not_due) = &report.not_due { " " (why_not(not_due)) " Next: " (self.time(not_due.next())) "." }
            @if let Some(holder) = &report.holder {
                @let host = holder.hostname.as_deref().unwrap_or("an unknown host");
                " Held by "
                @if let Some(pid) = holder.pid { "process " (pid) " on " }
                (self.show(host))
                @if let Some(since) = holder.since { " since " (self.time(since)) }
                "."
            }
        }
    }

    /// Returns the style of the ending.
    fn tone(&self) -> &'static str {
        match self.report.outcome {
            Outcome::Quarantined => "alarm",
            Outcome::LlmError | Outcome::LeaseLost | Outcome::AllHeld => "warn",
            _ => "calm",
        }
    }

    fn figures(&self) -> Markup {
        let report = self.report;
        let sent: u64 = self.passes().iter().map(|pass| pass.request_bytes).fold(0, u64::saturating_add);
        let calls = count(report.calls, "call");
        let asked = match sent {
            _ if report.is_without_model() => {
                format!("none: lines were picked from {} on this machine", size(sent))
            }
            0 => calls,
            sent => format!("{calls}, {} sent", size(sent)),
        };
        let tokens = report.usage.map(|usage| {
            html! { (grouped(usage.input)) " in, " (grouped(usage.output)) " out" }
        });
        let mut waits = Vec::new();
        if report.backlog.bytes > 0 {
            let oldest = report.backlog.oldest.map(|date| format!(", since {date}")).unwrap_or_default();
            let journals = count(report.backlog.journals, "journal");
            waits.push(format!("{} in {journals}{oldest}", size(report.backlog.bytes)));
        }
        // No part of the backlog, since no later night reads them; but neither is it nothing that waits.
        let held: Vec<u64> = report.quarantined().map(|journal| journal.pending).collect();
        if !held.is_empty() {
            let bytes = held.iter().copied().fold(0, u64::saturating_add);
            waits.push(format!("{} in {} in quarantine", size(bytes), count(held.len() as u64, "journal")));
        }
        let waits = if report.retold {
            "not kept".to_owned()
        } else if waits.is_empty() {
            "nothing".to_owned()
        } else {
            waits.join("; ")
        };
        let seconds = (report.ended_at - report.started_at).num_seconds();
        let took = (seconds > 0).then(|| html! { (count(seconds.unsigned_abs(), "second")) });
        facts(&[
            ("Workspace", Some(html! { code { (self.show(&report.workspace)) } })),
            (if report.retold { "Ended" } else { "Began" }, Some(self.time(report.started_at))),
            ("Took", took),
            ("Model", Some(html! { (asked) })),
            ("Tokens", tokens),
            ("Waits", Some(html! { (waits) })),
            (
                "Finished first",
                report.recovered.as_ref().map(|id| html! { "dream " code { (self.show(id)) } }),
            ),
            ("Archived", (!report.archived.is_empty()).then(|| self.archived())),
        ])
    }

    /// Returns the dreams whose sections moved to the archive.
    fn archived(&self) -> Markup {
        html! {
            @for (at, id) in self.report.archived.iter().enumerate() {
                @if at > 0 { ", " } @else { "dream " }
                code { (self.show(id)) }
            }
        }
    }

    fn notices(&self) -> Markup {
        let say = |notice: &Notice| {
            // It is told in quotes, and what is escaped there is no longer known for a secret.
            let masked = match notice {
                Notice::RefusedEntry(name) => &Notice::RefusedEntry(self.veil.mask(name)),
                other => other,
            };
            let gauge = self.report.memory.filter(|_| *notice == Notice::MemoryOverBudget);
            let gauge = gauge.map(|gauge| format!(": {} of {} characters", gauge.chars, gauge.budget));
            format!("{masked}{}", gauge.unwrap_or_default())
        };
        let notices = &self.report.notices;
        let (first, rest) = notices.split_at(notices.len().min(MOST_NOTICES));
        let list =
            |notices: &[Notice]| html! { ul { @for notice in notices { li { (self.show(&say(notice))) } } } };
        html! {
            @if !first.is_empty() {
                aside aria-label="Notices" {
                    (list(first))
                    @if !rest.is_empty() { (fold(&count(rest.len() as u64, "more notice"), &list(rest))) }
                }
            }
        }
    }
}

const MOST_NOTICES: usize = 5;

fn why_not(not_due: &NotDue) -> String {
    match not_due {
        NotDue::Interval { .. } => "The interval since the last run has not passed.".to_owned(),
        NotDue::BackOff { failures, .. } => {
            format!("It backs off after {} in a row.", count(*failures, "failure"))
        }
        NotDue::CallsToday { calls, .. } => format!("The day’s calls are used up: {calls}."),
        NotDue::BytesToday { bytes, .. } => format!("The day’s bytes are used up: {}.", size(*bytes)),
        NotDue::OtherMachine { .. } => "Another machine dreams for this life.".to_owned(),
        NotDue::TokensToday { tokens, .. } => format!("The day’s tokens are used up: {}.", grouped(*tokens)),
    }
}
