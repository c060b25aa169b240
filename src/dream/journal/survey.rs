//! What waits, for whoever asks without dreaming.

use crate::dream::engine::Due;
use crate::dreamer::{Backlog, DreamReport, JournalReport, MemoryGauge, Notice};

/// What a run would find: the answer of [`JournalDreamer::survey`](crate::JournalDreamer::survey).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DreamSurvey {
    /// What [`should_dream`](crate::dream::should_dream) says now. It does not know whether anything waits; `backlog` does.
    pub due: Due,
    /// Every journal, ascending, and whether it would be read: of what waits the reason is
    /// [`NotAsked`](crate::dream::ReadReason::NotAsked).
    pub journals: Vec<JournalReport>,
    /// What waits to be shown to a model.
    pub backlog: Backlog,
    /// How large `MEMORY.md` is; `None` where dreaming is off.
    pub memory: Option<MemoryGauge>,
    /// What the operator should know.
    pub notices: Vec<Notice>,
}

impl DreamSurvey {
    pub(crate) fn of(due: Due, report: DreamReport) -> Self {
        let DreamReport { journals, backlog, memory, notices, .. } = report;
        Self { due, journals, backlog, memory, notices }
    }
}
