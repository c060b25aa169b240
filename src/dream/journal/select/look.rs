//! One look at a journal, and its result.

use chrono::{DateTime, Utc};

use crate::base::name::DocName;
use crate::dreamer::{JournalReport, ReadReason};
use crate::format::JournalName;

/// The facts about a journal: its [`JournalReport`], without the name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) reason: ReadReason,
    pub(crate) size: u64,
    pub(crate) shown: u64,
    pub(crate) pending: u64,
}

impl Look {
    pub(super) fn new(reason: ReadReason, size: u64, pending: u64) -> Self {
        Self { reason, size, shown: 0, pending }
    }

    pub(crate) fn report(self, journal: JournalName) -> JournalReport {
        let Self { reason, size, shown, pending } = self;
        JournalReport { name: journal.into_name(), reason, size, shown, pending }
    }
}

/// A journal inside the window with waiting bytes.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) name: DocName,
    /// Its time of change, in nanoseconds since the epoch.
    pub(crate) modified: i64,
    /// The number of its bytes that wait.
    pub(crate) pending: u64,
}

/// Finds where a journal is among those that were looked at, or would be.
pub(crate) fn find(
    looks: &[(JournalName, Look)],
    journal: &JournalName,
) -> std::result::Result<usize, usize> {
    looks.binary_search_by(|(other, _)| other.cmp(journal))
}

/// Returns whether a later pass may show what is pending.
pub(crate) fn is_waiting(reason: ReadReason) -> bool {
    !matches!(
        reason,
        ReadReason::Quarantined
            | ReadReason::SecretInName
            | ReadReason::OutsideWindow
            | ReadReason::Expired
            | ReadReason::DreamedByPeer
    )
}

/// Returns a time as the ledger keeps it.
pub(crate) fn nanoseconds(instant: DateTime<Utc>) -> i64 {
    instant.timestamp_nanos_opt().unwrap_or(i64::MAX)
}
