//! The journals of a run: what each look at them saw, and what the run did with them.

use chrono::NaiveDate;

use super::select::{self, Look, Slice, Survey, is_waiting};
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::sorted::SortedSet;
use crate::dreamer::{DreamReport, Notice, ReadReason};
use crate::format::JournalName;

/// Every journal that a run saw, ascending.
#[derive(Default)]
pub(crate) struct Looks {
    seen: Vec<(JournalName, Look)>,
    /// The journals whose every line of an answer was held in this run.
    tried: SortedSet<DocName>,
}

impl Looks {
    /// Takes in the journals of a survey. A journal that was shown earlier in this run keeps its reason.
    pub(crate) fn note(&mut self, survey: &mut Survey, report: &mut DreamReport) {
        let looks = std::mem::take(&mut survey.looks);
        if self.seen.is_empty() {
            self.seen = looks;
        } else {
            for (journal, seen) in looks {
                self.note_again(journal, seen);
            }
        }
        for notice in &survey.notices {
            if !report.notices.contains(notice) {
                report.notices.push(notice.clone());
            }
        }
    }

    /// Takes in the journals of a survey that shows nothing. In a run that showed nothing before, the budget is not why.
    pub(crate) fn note_unasked(&mut self, survey: &mut Survey, report: &mut DreamReport) {
        if report.passes.is_empty() {
            for (_, look) in &mut survey.looks {
                if look.reason == ReadReason::OverBudget {
                    look.reason = ReadReason::NotAsked;
                }
            }
        }
        self.note(survey, report);
    }

    fn note_again(&mut self, journal: JournalName, seen: Look) {
        let look = match select::find(&self.seen, &journal) {
            Ok(at) => &mut self.seen[at].1,
            Err(at) => return self.seen.insert(at, (journal, seen)),
        };
        look.reason = match (look.reason, seen.reason) {
            (earlier, ReadReason::OverBudget) if look.shown > 0 && earlier != ReadReason::Held => {
                ReadReason::PartlyShown
            }
            // The result of an earlier pass of this run says more than that nothing is left.
            (earlier, ReadReason::AlreadyShown)
            | (
                earlier @ (ReadReason::Unfinished | ReadReason::Unreadable | ReadReason::Held),
                ReadReason::OverBudget,
            ) => earlier,
            (_, now) => now,
        };
        // Of what is no text nothing waits, and not every survey opens it.
        let is_noise = look.reason == ReadReason::Unreadable && look.pending == 0;
        (look.size, look.pending) = (seen.size, if is_noise { 0 } else { seen.pending });
    }

    fn look_at(&mut self, journal: &JournalName) -> Option<&mut Look> {
        let at = select::find(&self.seen, journal).ok()?;
        Some(&mut self.seen[at].1)
    }

    /// The journals that this run leaves alone from now on.
    pub(crate) fn tried(&self) -> &SortedSet<DocName> {
        &self.tried
    }

    /// Counts what a committed pass showed.
    pub(crate) fn count_shown(&mut self, slices: &[Slice]) {
        for slice in slices {
            if let Some(look) = self.look_at(&slice.journal) {
                let len = slice.range.end - slice.range.start;
                look.shown += len;
                look.pending = look.pending.saturating_sub(len);
            }
        }
    }

    /// Says of the journals of a pass that they wait, since there was no usable answer.
    pub(crate) fn leave_unanswered(&mut self, slices: &[Slice]) {
        for slice in slices {
            if let Some(look) = self.look_at(&slice.journal) {
                look.reason = ReadReason::Unanswered;
            }
        }
    }

    /// Says of the journals of a pass that they wait for another try, since every line was held.
    pub(crate) fn hold(&mut self, slices: &[Slice]) {
        for slice in slices {
            if let Some(look) = self.look_at(&slice.journal) {
                look.reason = ReadReason::Held;
            }
            self.tried.insert(slice.journal.name().clone());
        }
    }

    /// Says of the journals that were selected for a pass that could not begin that they were not shown.
    pub(crate) fn give_back(&mut self) {
        let selected = [ReadReason::Shown, ReadReason::PartlyShown, ReadReason::Rewritten];
        for (_, look) in &mut self.seen {
            if look.shown == 0 && look.pending > 0 && selected.contains(&look.reason) {
                look.reason = ReadReason::OverBudget;
            }
        }
    }

    /// Returns the days of quarantined journals from one day to another.
    pub(crate) fn quarantined_days(&self, first: NaiveDate, last: NaiveDate) -> SortedSet<NaiveDate> {
        let held = self.seen.iter().filter(|(_, look)| look.reason == ReadReason::Quarantined);
        held.map(|(journal, _)| journal.date()).filter(|date| (first..=last).contains(date)).collect()
    }

    /// Reports what waits, and what the operator should know of it.
    pub(crate) fn report_backlog(&self, daily_log: Option<bool>, report: &mut DreamReport) {
        for (journal, look) in &self.seen {
            if look.pending > 0 && is_waiting(look.reason) {
                report.backlog.journals += 1;
                report.backlog.bytes += look.pending;
                report.backlog.oldest.get_or_insert(journal.date());
            }
        }
        let count =
            |wanted: &dyn Fn(&Look) -> bool| self.seen.iter().filter(|(_, look)| wanted(look)).count() as u64;
        let by_peer = count(&|look| look.reason == ReadReason::DreamedByPeer);
        if by_peer > 0 {
            report.notices.push(Notice::DreamedByPeer(by_peer));
        }
        let hidden = count(&|look| look.reason == ReadReason::SecretInName && look.pending > 0);
        if hidden > 0 {
            report.notices.push(Notice::HiddenNames(hidden));
        }
        if !self.tried.is_empty() {
            report.notices.push(Notice::HeldWaits(self.tried.len() as u64));
        }
        if self.seen.is_empty() {
            report.notices.push(Notice::NoJournals);
            if daily_log == Some(false) {
                report.notices.push(Notice::DailyLogOff);
            }
        }
    }

    /// Reports every journal.
    pub(crate) fn report_journals(&mut self, report: &mut DreamReport) {
        let seen = std::mem::take(&mut self.seen);
        report.journals = seen.into_iter().map(|(journal, look)| look.report(journal)).gather();
        let in_quarantine = report.quarantined().count() as u64;
        if in_quarantine > 0 {
            report.notices.push(Notice::InQuarantine(in_quarantine));
        }
    }
}
