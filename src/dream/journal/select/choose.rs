//! The choice of what the next pass shows.

use chrono::{DateTime, Utc};

use super::bytes::is_utf16;
use super::candidate::{Candidate, Order};
use super::look::Look;
use super::slice::{Selection, Slice};
use super::survey::Survey;
use crate::base::gather::Gather as _;
use crate::base::name::DocName;
use crate::base::order;
use crate::base::sorted::SortedSet;
use crate::dream::journal::config::DreamConfig;
use crate::dreamer::{Notice, ReadReason};
use crate::workspace::Workspace;

impl Survey {
    /// Returns whether nothing waits that a pass could show.
    pub(crate) fn is_idle(&mut self, workspace: &dyn Workspace) -> bool {
        while let Some(candidate) = self.candidates.pop() {
            if !self.is_noise(workspace, &candidate) {
                self.candidates.push(candidate);
                return false;
            }
        }
        true
    }

    /// Leaves out the journals that no pass could show, of all that wait.
    pub(crate) fn leave_noise(&mut self, workspace: &dyn Workspace) {
        let candidates = std::mem::take(&mut self.candidates);
        let readable = candidates.into_iter().filter(|candidate| !self.is_noise(workspace, candidate));
        self.candidates = readable.gather();
    }

    /// Returns whether a journal is in UTF-16, and says so: it waits for nothing.
    fn is_noise(&mut self, workspace: &dyn Workspace, candidate: &Candidate) -> bool {
        let (journal, look) = &mut self.looks[candidate.at];
        let name = journal.name();
        let is_noise = is_utf16(workspace, name);
        if is_noise {
            order::retain(&mut self.waiting, |journal| journal.name != *name);
            order::retain(&mut self.refreshed, |(journal, _)| journal != name);
            *look = Look::new(ReadReason::Unreadable, look.size, 0);
        }
        is_noise
    }

    /// Leaves out the journals that this run has tried already.
    pub(crate) fn leave(&mut self, tried: &SortedSet<DocName>) {
        if !tried.is_empty() {
            order::retain(&mut self.candidates, |candidate| {
                !tried.contains(self.looks[candidate.at].0.name())
            });
        }
    }

    /// Returns the number of waiting bytes that a pass may show.
    pub(crate) fn waits(&self) -> u64 {
        self.waiting.iter().map(|journal| journal.pending).sum()
    }

    /// Chooses what the next pass shows, within the budget, and says of each candidate why.
    pub(crate) fn select(
        &mut self,
        workspace: &dyn Workspace,
        config: &DreamConfig,
        now: DateTime<Utc>,
        order: Order,
    ) -> Selection {
        let today = config.day.date(now);
        let mut slices: Vec<Slice> = Vec::new();
        let mut total = 0;
        let mut candidates = std::mem::take(&mut self.candidates);
        if order == Order::Newest {
            candidates.reverse();
        }
        for candidate in &candidates {
            if self.is_noise(workspace, candidate) {
                continue;
            }
            let journal = &self.looks[candidate.at].0;
            let range = match candidate.next_range(
                workspace,
                journal.name(),
                config.max_file_bytes,
                candidate.is_resting(journal, now, today),
                order,
            ) {
                Ok(Some(range)) => range,
                Ok(None) => {
                    self.say(candidate, ReadReason::Unfinished);
                    continue;
                }
                Err(_) => {
                    self.say(candidate, ReadReason::Unreadable);
                    continue;
                }
            };
            let len = range.end - range.start;
            if !slices.is_empty() && total + len > config.total_input_bytes {
                break;
            }
            let journal = &self.looks[candidate.at].0;
            match candidate.read(workspace, journal, range) {
                Ok(Some(slice)) => {
                    total += len;
                    self.say(candidate, candidate.reason_when_shown(&slice));
                    slices.push(slice);
                }
                Ok(None) => {
                    self.notices.push(Notice::ChangedWhileReading(journal.name().clone()));
                }
                Err(_) => self.say(candidate, ReadReason::Unreadable),
            }
        }
        order::sort_by(&mut slices, |one, other| one.journal.cmp(&other.journal));
        Selection { slices }
    }

    fn say(&mut self, candidate: &Candidate, reason: ReadReason) {
        self.looks[candidate.at].1.reason = reason;
    }
}
