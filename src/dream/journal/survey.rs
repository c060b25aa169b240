//! A survey of the waiting journals, without a dream.

use crate::dream::engine::Due;
use crate::dreamer::{Backlog, DreamReport, JournalReport, MemoryGauge, Notice};

/// A preview of a run: the answer of [`JournalDreamer::survey`](crate::JournalDreamer::survey).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DreamSurvey {
    /// The answer of [`should_dream`](crate::dream::should_dream) now. It does not know whether anything waits;
    /// `backlog` does.
    pub due: Due,
    /// Every journal, ascending, and whether it would be read: of what waits the reason is
    /// [`NotAsked`](crate::dream::ReadReason::NotAsked).
    pub journals: Vec<JournalReport>,
    /// Journals that no model has been shown.
    pub backlog: Backlog,
    /// The size of `MEMORY.md`; `None` if dreaming is off.
    pub memory: Option<MemoryGauge>,
    /// Notices for the operator.
    pub notices: Vec<Notice>,
}

impl DreamSurvey {
    pub(crate) fn of(due: Due, report: DreamReport) -> Self {
        let DreamReport { journals, backlog, memory, notices, .. } = report;
        Self { due, journals, backlog, memory, notices }
    }
}
