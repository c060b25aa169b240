//! The lines by which git and Syncthing carry what travels of a life, and leave what is of one machine.

use super::registry::{Copied, FILES, Names, StateRow};
use crate::base::gather::Gather as _;
use crate::base::name::StateName;

/// The first line of `.dreaming.d/.gitignore` where the state travels in git.
pub(crate) const HEADER: &str = "# noctuary: of one machine alone; the rest travels";

/// Returns the lines of `.gitattributes` in the folder of a life: bytes stay as they are, and our driver merges them.
pub(crate) fn attributes() -> Vec<String> {
    [
        "*.md",
        "*.jsonl",
        ".dreaming.d/**",
        ".dreamed-*.json",
        ".soul-state.json",
        "memory/heartbeat-state.json",
    ]
    .map(|pattern| format!("{pattern} -text merge=noctuary"))
    .to_vec()
}

/// Returns the lines of `.gitignore` in the folder of a life whose state travels.
pub(crate) fn ignored() -> Vec<String> {
    [".dreaming.lock*", ".dreamed-*.unread-*.json"].map(str::to_owned).to_vec()
}

/// Returns the lines of `.gitignore` in the folder of a life whose state stays. Its folder of state ignores itself.
#[cfg(any(feature = "doctor", feature = "exchange"))]
pub(crate) fn kept_at_home() -> Vec<String> {
    let in_root = FILES.iter().filter_map(|file| match &file.names {
        Names::One(name) if !name.as_str().contains('/') => Some(name.to_string()),
        _ => None,
    });
    ignored().into_iter().chain(in_root).gather()
}

/// Returns the files of the state folder that are of one machine, or are made anew from others.
pub(crate) fn of_one_machine() -> impl Iterator<Item = String> {
    const FOLDER: &str = ".dreaming.d/";
    let rows = FILES.iter().filter(|file| !file.travels()).filter_map(|file| match &file.names {
        Names::One(name) => name.as_str().strip_prefix(FOLDER).map(str::to_owned),
        Names::MemoryWords => Some("memories.words/".to_owned()),
        Names::Preimages | Names::Proposals | Names::Artifacts => None,
    });
    ["guard", "write-guard", "*.tmp"].into_iter().map(str::to_owned).chain(rows)
}

impl StateRow {
    /// Returns whether the file goes from one machine to another in a merge. Files that are made of others do not.
    /// They are made anew there.
    pub(crate) fn travels(&self) -> bool {
        let is_of_rows = matches!(&self.names, Names::One(name) if *name == StateName::MEMORIES);
        let half_done = [StateName::INTENT, StateName::SLEEP_INTENT, StateName::COPIES_INTENT];
        let is_half_done = matches!(&self.names, Names::One(name) if half_done.contains(name));
        (self.copied != Copied::Never || is_of_rows) && !is_half_done
    }
}
