//! A journal that a pass may show, and the part of it that comes next.

use std::ops::Range;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::bytes::{CONTEXT, above, breaks_before};
use super::slice::Slice;
use crate::base::digest::Digest;
use crate::base::error::Result;
use crate::base::name::DocName;
use crate::base::order;
use crate::base::text;
use crate::dreamer::ReadReason;
use crate::format::JournalName;
use crate::format::state::ledger::Entry;
use crate::workspace::{Metadata, Workspace};

/// A journal that changed this recently may be in the middle of a line.
const RESTING: TimeDelta = TimeDelta::minutes(10);

/// A journal that a pass may show.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// Its place among the journals that the survey looked at.
    pub(super) at: usize,
    pub(super) metadata: Metadata,
    pub(super) entry: Entry,
    pub(super) rewritten: bool,
    /// The length of its front that is in quarantine and is not shown.
    pub(super) held: u64,
}

/// The end that a pass begins at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// The newest first, and the end of each journal: the seed's.
    Newest,
    /// The oldest first, and the beginning of what waits: the drain.
    Oldest,
}

impl Candidate {
    /// Returns whether it is as it will stay: of an earlier day, and not touched in the last minutes. Another may be in
    /// the middle of a line, which then waits.
    pub(super) fn is_resting(&self, journal: &JournalName, now: DateTime<Utc>, today: NaiveDate) -> bool {
        let age = now - self.metadata.modified;
        journal.date() < today && !(TimeDelta::zero()..RESTING).contains(&age)
    }

    /// Returns the bytes of this journal that a pass would show: whole lines, at most `max` bytes. `None` while its
    /// last line is still being written.
    pub(super) fn next_range(
        &self,
        workspace: &dyn Workspace,
        name: &DocName,
        max: u64,
        is_resting: bool,
        order: Order,
    ) -> Result<Option<Range<u64>>> {
        let mut gaps = self.entry.gaps(self.metadata.len);
        if !is_resting && let Some(last) = gaps.last_mut().filter(|gap| gap.end == self.metadata.len) {
            let from = last.start.max(last.end.saturating_sub(max));
            let tail = workspace.read_range(name, from..last.end)?;
            match tail.iter().rposition(|byte| *byte == b'\n') {
                Some(at) => last.end = from + at as u64 + 1,
                None => last.end = last.start,
            }
            order::retain(&mut gaps, |gap| gap.start < gap.end);
        }
        order::retain(&mut gaps, |gap| gap.end > self.held);
        if let Some(first) = gaps.first_mut() {
            first.start = first.start.max(self.held);
        }
        let gap = match order {
            Order::Newest => gaps.last(),
            Order::Oldest => gaps.first(),
        };
        let Some(gap) = gap.cloned() else { return Ok(None) };
        if gap.end - gap.start <= max {
            return Ok(Some(gap));
        }
        Ok(Some(match order {
            Order::Newest => {
                let from = gap.end - max;
                let bytes = workspace.read_range(name, from - 1..gap.end)?;
                // A line that begins exactly at the cut is whole: the byte before it is a line break.
                let skip = match bytes.iter().position(|byte| *byte == b'\n') {
                    Some(at) if (at as u64) < max => at as u64,
                    _ => text::leading_continuation(bytes.get(1..).unwrap_or_default()) as u64,
                };
                from + skip..gap.end
            }
            Order::Oldest => {
                let bytes = workspace.read_range(name, gap.start..gap.start + max)?;
                if (bytes.len() as u64) < max {
                    // It became shorter meanwhile.
                    return Ok(None);
                }
                let keep = match bytes.iter().rposition(|byte| *byte == b'\n') {
                    Some(at) => at + 1,
                    None => bytes.len() - text::trailing_fragment(&bytes),
                };
                gap.start..gap.start + keep as u64
            }
        }))
    }

    /// Reads a slice; `None` where the journal became shorter meanwhile.
    pub(super) fn read(
        &self,
        workspace: &dyn Workspace,
        journal: &JournalName,
        range: Range<u64>,
    ) -> Result<Option<Slice>> {
        let name = journal.name();
        let context = range.start.saturating_sub(CONTEXT);
        let mut before = workspace.read_range(name, context..range.end.saturating_add(CONTEXT))?;
        if range.is_empty() || (before.len() as u64) < range.end - context {
            return Ok(None);
        }
        let split = |at: u64| usize::try_from(at - context).unwrap_or(usize::MAX);
        let after = before.split_off(split(range.end));
        let bytes = before.split_off(split(range.start));
        Ok(Some(Slice {
            truncated: self.entry.gaps(range.start).last().is_some_and(|gap| gap.end == range.start),
            journal: journal.clone(),
            sha256: Digest::of(&bytes),
            first_line: breaks_before(workspace, name, &self.entry, range.start)? + 1,
            metadata: self.metadata,
            entry: self.entry.clone(),
            above: above(workspace, name, context)?,
            before,
            bytes,
            after,
            range,
        }))
    }

    pub(super) fn reason_when_shown(&self, slice: &Slice) -> ReadReason {
        if self.rewritten {
            ReadReason::Rewritten
        } else if slice.entry_after().pending(self.metadata.len) > 0 {
            ReadReason::PartlyShown
        } else {
            ReadReason::Shown
        }
    }
}
