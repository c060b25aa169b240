//! The report of a run: plain data, stable as JSON.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::due::NotDue;
use super::facts::FactReport;
use super::journal::{Backlog, JournalReport, MemoryGauge, ReadReason};
use super::line::{LineOutcome, LineReport};
use super::notice::Notice;
use super::outcome::{DreamMode, Outcome};
use super::pass::PassReport;
use super::sleep::SleepReport;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::sorted::SortedMap;
use crate::base::spread::Spread;
use crate::base::text::counted;
use crate::base::usage::Usage;
use crate::format::DreamId;
use crate::llm::Unpicked;
use crate::workspace::Holder;

/// The report of one run: one call of [`dream_once`](crate::dream_once).
///
/// Holds words of the promoted lines, so its `Debug` prints shapes there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DreamReport {
    /// The version of this shape: 1. Fields are only added.
    pub schema_version: u32,
    /// The end of the run: the gravest ending of its passes.
    pub outcome: Outcome,
    /// The handling of its lines: appended, proposed, or only shown.
    pub mode: DreamMode,
    /// The workspace's location.
    pub workspace: String,
    /// The time when it began.
    pub started_at: DateTime<Utc>,
    /// When its last answer came.
    pub ended_at: DateTime<Utc>,
    /// The number of its claim.
    pub epoch: Option<u64>,
    /// The dream that an earlier run had left half done, and that was finished first.
    pub recovered: Option<DreamId>,
    /// Who holds the workspace, for [`Outcome::LockHeld`].
    pub holder: Option<Holder>,
    /// Why it is not due, for [`Outcome::NotDue`]; why the next run is not, after a failure of the model.
    pub not_due: Option<NotDue>,
    /// One entry for each time that a model was, or need not be, asked.
    pub passes: Vec<PassReport>,
    /// Every candidate journal, and why it was or was not read. Ascending by date.
    pub journals: Vec<JournalReport>,
    /// Journals that wait for later passes.
    pub backlog: Backlog,
    /// The number of calls of the model, or of the client in its place.
    pub calls: u32,
    /// The cost of those calls, if the host reported one.
    pub usage: Option<Usage>,
    /// The fill level of `MEMORY.md`.
    pub memory: Option<MemoryGauge>,
    /// The dreams whose sections were moved to the archive, oldest first.
    #[serde(default)]
    pub archived: Vec<DreamId>,
    /// Further notices for the operator.
    pub notices: Vec<Notice>,
    /// The result of a sleep, if a sleeper dreamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sleep: Option<SleepReport>,
    /// The decisions on facts, if a dreamer judged them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<FactReport>,
    /// Whether it tells an [earlier dream](crate::JournalDreamer::past_dream) again: what is not in it was not kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retold: bool,
}

impl DreamReport {
    /// Makes the report of a run that has done nothing yet: [`Outcome::Disabled`], and all counts 0. Your own dreamer
    /// begins with it.
    #[must_use]
    pub fn begun(mode: DreamMode, workspace: String, now: DateTime<Utc>) -> Self {
        Self {
            schema_version: 1,
            outcome: Outcome::Disabled,
            mode,
            workspace,
            started_at: now,
            ended_at: now,
            epoch: None,
            recovered: None,
            holder: None,
            not_due: None,
            passes: Vec::new(),
            journals: Vec::new(),
            backlog: Backlog::default(),
            calls: 0,
            usage: None,
            memory: None,
            archived: Vec::new(),
            notices: Vec::new(),
            sleep: None,
            facts: None,
            retold: false,
        }
    }

    /// Returns all lines that were promoted, over all passes: with [`DreamMode::Propose`] those of the proposal, with
    /// [`DreamMode::Preview`] those that would be. Neither is in `MEMORY.md`.
    pub fn promoted(&self) -> impl Iterator<Item = &LineReport> {
        self.passes
            .iter()
            .spread(|pass| &pass.lines)
            .filter(|line| matches!(line.fate, LineOutcome::Promoted { .. }))
    }

    /// Returns the journals with waiting bytes in quarantine. They are no part of the backlog, since no run reads them.
    pub fn quarantined(&self) -> impl Iterator<Item = &JournalReport> {
        let held = |journal: &&JournalReport| journal.reason == ReadReason::Quarantined;
        self.journals.iter().filter(move |journal| held(journal) && journal.pending > 0)
    }

    /// Says in a sentence why nothing was kept of journals that were read. `None` where something was kept or held for
    /// a person, where nothing was read, and where it failed.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use noctuary::{Extractive, FileWorkspace, JournalDreamer, dream_once};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # std::fs::create_dir(folder.path().join("memory"))?;
    /// # let journal = format!("memory/{}-repl.md", chrono::Utc::now().format("%Y-%m-%d"));
    /// # std::fs::write(folder.path().join(journal), "[user] hi. how is it going\n")?;
    /// let dreamer = JournalDreamer::builder(Arc::new(FileWorkspace::open(folder.path())?)).enabled(true).build()?;
    /// let report = dream_once(&dreamer, &Extractive::new())?;
    /// assert!(report.kept_nothing().is_some_and(|why| why.starts_with("nothing was kept of 1 journal: ")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn kept_nothing(&self) -> Option<String> {
        let mut counts: SortedMap<String, u32> = SortedMap::new();
        let mut journals: Vec<&DocName> = Vec::new();
        if self.outcome != Outcome::NothingToPromote {
            return None;
        }
        for pass in &self.passes {
            for slice in &pass.shown {
                if !journals.contains(&&slice.name) {
                    journals.push(&slice.name);
                }
            }
            for line in &pass.lines {
                *counts.entry(line.fate.to_string()).or_default() += 1;
            }
            for Unpicked { lines, reason } in &pass.left {
                let lines = u32::try_from(lines.last_line + 1 - lines.first_line).unwrap_or(u32::MAX);
                let count = counts.entry(reason.to_string()).or_default();
                *count = count.saturating_add(lines);
            }
        }
        let of = counted(journals.len() as u64, "journal");
        if counts.is_empty() {
            let asked = if self.passes.iter().all(|pass| pass.without_model) {
                "no line of it decides, prefers or tells what holds; a line that begins with `Remember:` is kept"
            } else {
                "the model named nothing worth keeping"
            };
            return Some(format!("nothing was kept of {of}: {asked}"));
        }
        let mut told = format!("nothing was kept of {of}");
        for (number, (why, count)) in counts.iter().enumerate() {
            let gap = if number == 0 { ": " } else { "; " };
            told += &format!("{gap}of {}, {why}", counted(*count, "line"));
        }
        Some(told)
    }

    /// Returns whether there were answers, and none of them was a model's: nothing was sent to anybody.
    pub(crate) fn is_without_model(&self) -> bool {
        let mut is_without = false;
        for pass in &self.passes {
            if !pass.without_model && pass.request_bytes > 0 {
                return false;
            }
            is_without |= pass.without_model;
        }
        is_without
    }

    /// Returns the number of calls in words.
    fn told_calls(&self) -> String {
        if self.is_without_model() { "no model".to_owned() } else { counted(self.calls, "call") }
    }

    /// Says why there was no usable answer, and until when it waits, on the same line.
    fn fmt_causes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(failure) = self.passes.iter().find_map(|pass| pass.failure.as_ref()) {
            let words = failure.to_string();
            write!(f, "; {}", words.split_whitespace().gather().join(" "))?;
        }
        self.not_due.map_or(Ok(()), |not_due| write!(f, "; {not_due}"))
    }

    /// Returns all lines that were held back for their evidence, over all passes.
    pub fn held(&self) -> impl Iterator<Item = &LineReport> {
        self.passes.iter().spread(|pass| &pass.lines).filter(|line| matches!(line.fate, LineOutcome::Held(_)))
    }
}

/// One line for a log: the ending, numbers of promoted and held lines, the backlog, and calls, or `no model`. It adds why
/// there was no usable answer, until when it waits, and missing sections. Where facts were judged, it has the pairs in
/// place of lines. Everything else that an operator should know is in [`notices`](DreamReport::notices).
///
/// ```
/// use noctuary::dream::DreamMode;
/// use noctuary::DreamReport;
///
/// let report = DreamReport::begun(DreamMode::Append, "life".to_owned(), chrono::Utc::now());
/// assert_eq!(report.to_string(), "disabled: 0 lines promoted, 0 held, nothing waits, 0 calls");
/// ```
impl fmt::Display for DreamReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(facts) = &self.facts {
            let decided = facts.rulings.iter().filter(|ruling| ruling.is_decided()).count();
            write!(f, "{}: {} decided, ", self.outcome, counted(decided as u64, "pair"))?;
            write!(f, "{} left to the human, {} wait", facts.left.len(), facts.waiting)?;
            write!(f, ", {}", self.told_calls())?;
            return self.fmt_causes(f);
        }
        let lines = counted(self.promoted().count() as u64, "line");
        let promoted = self.mode.of_promoted();
        write!(f, "{}: {lines} {promoted}, {} held, ", self.outcome, self.held().count())?;
        match self.backlog.bytes {
            0 => f.write_str("nothing waits")?,
            1 => write!(f, "1 byte waits in 1 journal")?,
            bytes => {
                let journals = counted(self.backlog.journals, "journal");
                write!(f, "{} wait in {journals}", counted(bytes, "byte"))?;
            }
        }
        match self.quarantined().count() as u64 {
            0 => {}
            held => write!(f, ", {} in quarantine", counted(held, "journal"))?,
        }
        write!(f, ", {}", self.told_calls())?;
        self.fmt_causes(f)?;
        // A loss by a person's own save, which they must learn even if they read nothing else.
        let mut gone = self.notices.iter().filter(|notice| matches!(notice, Notice::SectionMissing(_)));
        for notice in gone.by_ref().take(3) {
            write!(f, "; {notice}")?;
        }
        match gone.count() as u64 {
            0 => Ok(()),
            more => write!(f, "; {} more are gone", counted(more, "section")),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::super::line::{DropReason, Hold, HoldReason};
    use super::*;

    #[test]
    fn a_report_is_told_in_a_line_and_its_lines_in_one_each() {
        let now = Utc.with_ymd_and_hms(2026, 11, 21, 3, 0, 0).unwrap();
        let mut report = DreamReport::begun(DreamMode::Append, "life".to_owned(), now);
        let mut pass = PassReport::new(DreamId::parse("0123456789abcdef").unwrap());
        let hold = Hold { reason: HoldReason::Number, word: Some("4,200".to_owned()) };
        let fates = [
            LineOutcome::Promoted { cited: true },
            LineOutcome::Held(hold),
            LineOutcome::Duplicate,
            LineOutcome::OverCap(DropReason::TooMany),
        ];
        let line = |fate| LineReport::new("Tea.".to_owned(), None, Vec::new(), fate);
        pass.lines = fates.into_iter().map(line).collect();
        let told: Vec<String> = pass.lines.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "promoted: Tea.",
                "held, a number is not in the cited lines (4,200): Tea.",
                "memory holds it already: Tea.",
                "bullet over the item cap: Tea.",
            ]
        );
        let as_told = |mode| LineReport { mode, ..pass.lines[0].clone() }.to_string();
        assert_eq!(as_told(DreamMode::Propose), "proposed: Tea.");
        assert_eq!(as_told(DreamMode::Preview), "to promote: Tea.");
        assert!(!pass.lines[1].fate.to_string().contains("4,200"), "a fate alone holds no word of a journal");
        report.passes.push(pass);
        (report.outcome, report.calls) = (Outcome::Appended, 1);
        report.backlog = Backlog { journals: 2, bytes: 1200, oldest: None };
        assert_eq!(
            report.to_string(),
            "appended: 1 line promoted, 1 held, 1,200 bytes wait in 2 journals, 1 call"
        );
    }
}
