//! The files of a sleeper, and where its state says that they are.

use serde::Deserialize;

use super::file::check_version;
use crate::base::error::{Result, parse_json};
use crate::base::name::{DocName, StateName};

/// The shape of the state that this library writes; a state of a newer one is refused.
pub(super) const VERSION: u64 = 1;

/// The files of a sleeper, in its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SleepFiles {
    /// `conversation.jsonl`: all that was said and done, one message a line. Only added to.
    pub conversation: DocName,
    /// `observations.md`: what was worth keeping of it.
    pub observations: DocName,
    /// `archive.md`: the observations that were pruned. Only added to.
    pub archive: DocName,
    /// `dreams.jsonl`: one dream a line. Only added to.
    pub dreams: DocName,
    /// `priorities.md`: what matters most now. Rewritten by a deep sleep.
    pub priorities: DocName,
    /// `diary.md`: an entry of each deep sleep. Only added to.
    pub diary: DocName,
    /// `iterations.jsonl`: a checkpoint of each sleep. Only added to.
    pub iterations: DocName,
    /// `memory.jsonl`: events that the host notes. Only added to.
    pub memory: DocName,
    /// `briefing.md`: a page that each dream replaces, where that is on.
    pub briefing: DocName,
}

impl SleepFiles {
    /// Makes the files in a folder.
    #[must_use]
    pub fn in_folder(folder: &DocName) -> Self {
        let file = |name: &str| folder.join(name).expect("the folder is short enough, which was checked");
        Self {
            conversation: file("conversation.jsonl"),
            observations: file("observations.md"),
            archive: file("archive.md"),
            dreams: file("dreams.jsonl"),
            priorities: file("priorities.md"),
            diary: file("diary.md"),
            iterations: file("iterations.jsonl"),
            memory: file("memory.jsonl"),
            briefing: file("briefing.md"),
        }
    }

    /// Returns the documents that are rewritten, and whose earlier versions are kept.
    pub(crate) fn rewritten(self) -> [DocName; 3] {
        [self.observations, self.priorities, self.briefing]
    }

    /// Returns the rewritten files of the sleeper of a workspace, by its state file.
    pub(crate) fn of_state(bytes: Option<&[u8]>) -> Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Folder {
            #[serde(default)]
            folder: Option<DocName>,
        }
        let Some(bytes) = bytes else { return Ok(None) };
        let name = StateName::SLEEP;
        check_version(name.as_str(), bytes, VERSION)?;
        let Folder { folder } = parse_json(name.as_str(), bytes)?;
        Ok(folder.filter(|folder| folder.join(LONGEST).is_ok()).map(|folder| Self::in_folder(&folder)))
    }
}

/// The longest name of a file in the folder.
pub(crate) const LONGEST: &str = "conversation.jsonl";
