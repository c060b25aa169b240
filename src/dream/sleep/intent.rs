//! The intent of a sleep, as it is made.

use crate::base::name::DocName;
use crate::format::state::log::LogLine;
use crate::format::state::sleep_intent::{FileChange, SettledSleep, SleepIntent, VERSION};

impl SleepIntent {
    pub(crate) fn new(folder: DocName, changes: Vec<FileChange>, state: SettledSleep, log: LogLine) -> Self {
        Self { v: VERSION, id: log.id.clone(), epoch: log.epoch, folder, changes, state, log }
    }

    /// Returns a file's length before the commit, if the commit appends to it.
    pub(crate) fn before_len(&self, file: &DocName) -> Option<u64> {
        self.changes.iter().find_map(|change| match change {
            FileChange::Append { name, before_len, .. } if name == file => Some(*before_len),
            _ => None,
        })
    }
}
