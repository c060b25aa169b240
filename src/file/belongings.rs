//! The files of a life in a folder, beside those of a person.

use std::collections::BTreeMap;

use super::lock::LOCK;
use crate::base::error::{At, Result};
use crate::base::group::GroupName;
use crate::base::name::{DocName, Name, OWN_FILES};
use crate::disk::{Disk, Kind, STATE_FOLDER, atomic};
use crate::format::JournalName;
use crate::format::documents::copies::original_of;
use crate::format::state::registry;

/// The folders that only this library's lives have, in small letters. In the last ones not every file is a
/// life's.
const FOLDERS: [&str; 7] = [STATE_FOLDER, "memory", "self", ".self", "daily", "groups", IMPORTED];

/// The folder of documents that a bundle without a trusted signature brought.
const IMPORTED: &str = "imported";

/// Returns whether a file is a part of a life, by its path in the folder. Such files are the life's documents, their
/// old names and copies, journals and state files. Files of groups count too.
pub(crate) fn is_of_life(path: &str) -> bool {
    if let Some(group) = GroupName::of_document(path) {
        let inner = path.strip_prefix(group.folder().as_str()).and_then(|path| path.strip_prefix('/'));
        return inner.is_some_and(is_of_life);
    }
    let lower = path.to_lowercase();
    match lower.split_once('/') {
        Some((IMPORTED, file)) => [".md", ".markdown", ".txt"].iter().any(|end| file.ends_with(end)),
        Some(("daily", file)) => {
            JournalName::is_name(path)
                || original_of(path).is_some_and(|original| JournalName::is_name(&original))
                || file
                    .strip_suffix(".md")
                    .and_then(|stem| stem.get(..10))
                    .is_some_and(|day| day.parse::<chrono::NaiveDate>().is_ok())
        }
        Some((folder, _)) => FOLDERS[..4].contains(&folder),
        None => {
            let briefing = DocName::BRIEFING.folded();
            let bootstrap = format!("{}.done.", DocName::BOOTSTRAP.folded());
            OWN_FILES.contains(&lower.as_str())
                || lower == briefing
                || lower.starts_with(&bootstrap)
                || is_root_state(path)
                || original_of(path).is_some_and(|original| is_of_life(&original))
        }
    }
}

/// Returns whether a file of the root is the library's state, by its name.
pub(crate) fn is_root_state(name: &str) -> bool {
    name.starts_with(LOCK)
        || atomic::is_temporary(name)
        || registry::of_path(name).is_some()
        || Name::hidden(name.to_owned()).is_set_aside()
}

/// The files of a folder, by whose they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Belongings {
    /// The files of the life, ascending: its documents, journals, groups and state, and copies of them that a sync tool left.
    pub life: Vec<String>,
    /// The files and folders of a person, ascending. A folder is not looked into, unless the life has files in it.
    pub others: Vec<String>,
}

impl Belongings {
    pub(super) fn of(disk: &dyn Disk) -> Result<Self> {
        let mut all = Self::default();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for entry in disk.list(&folder).at("list", &folder)? {
                let path = if folder.is_empty() { entry.name } else { format!("{folder}/{}", entry.name) };
                let top = path.split('/').next().unwrap_or_default().to_lowercase();
                match entry.kind {
                    Kind::Folder if FOLDERS.contains(&top.as_str()) => folders.push(path),
                    // A folder of this name is none of the files that have it.
                    kind if kind != Kind::Folder && is_of_life(&path) => all.life.push(path),
                    _ => all.others.push(path),
                }
            }
        }
        all.life.sort_unstable();
        all.others.sort_unstable();
        Ok(all)
    }

    /// Returns the files of the life for a person to read. A folder of the root is one entry, with its number of files,
    /// if all of them are the life's. Else each file is named.
    #[must_use]
    pub fn told(&self) -> BTreeMap<String, u64> {
        let top = |path: &str| path.split_once('/').map(|(top, _)| top.to_owned());
        let mut told = BTreeMap::new();
        for path in &self.life {
            let whole = top(path)
                .filter(|folder| !self.others.iter().any(|other| top(other).as_ref() == Some(folder)));
            *told.entry(whole.unwrap_or_else(|| path.clone())).or_default() += 1;
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // An erased life once kept groups, imported documents, the briefing, a memory in small letters, copies of sync tools and
    // old playbooks. Nobody said so.
    #[test]
    fn every_file_that_the_library_makes_is_of_the_life_and_no_other() {
        for path in [
            "MEMORY.md",
            "memory.md",
            "BRIEFING.md",
            "MESSAGES.md",
            "BOOTSTRAP.md.done.20261121T090000Z",
            "BOOTSTRAP.md.done.20261121T090000Z-2",
            "MEMORY.sync-conflict-20261121-091500-ABCDEFG.md",
            "USER (Marta's conflicted copy 2026-11-21).md",
            "MEMORY.md.orig",
            "BRIEFING (conflicted copy 2026-11-21 091500).md",
            ".dreamed-state.json",
            ".dreamed-state.unread-9f86d081.json",
            ".dreamed-quarantine.unread-9f86d081.sync-conflict-20261121-091500-ABCDEFG.json",
            "groups/crew/.dreamed-state.unread-9f86d081.json",
            ".dreamed-state.sync-conflict-20261121-091500-ABCDEFG.json",
            ".dreaming.lock",
            ".dreaming.d/log.jsonl",
            ".dreaming.d/artifacts/x.json",
            "memory/archive/dreamed.md",
            "memory/2026-11-20.md",
            "daily/2026-11-20.md",
            "daily/2026-11-20-repl.md",
            "daily/2026-11-20.sync-conflict-20261121-091500-ABCDEFG.md",
            "self/diary.md",
            ".self/diary.md",
            "imported/MEMORY.md",
            "imported/memory/2026-11-20.md",
            "groups/crew/memory/2026-11-20.md",
            "groups/crew/MEMORY.md",
            "groups/crew/.dreaming.d/log.jsonl",
        ] {
            assert!(is_of_life(path), "{path}");
        }
        for path in [
            "README.md",
            "notes/MEMORY.md",
            "daily/Template.md",
            "imported/photo.jpg",
            "groups/crew/plan.xlsx",
            "groups/list.md",
            ".git/config",
            ".gitignore",
            "memory-old/a.md",
            "BOOTSTRAP.html",
        ] {
            assert!(!is_of_life(path), "{path}");
        }
    }

    #[test]
    fn every_state_file_is_of_the_life() {
        for file in &registry::FILES {
            if let registry::Names::One(name) = &file.names {
                assert!(is_of_life(name.as_str()), "{name}");
            }
        }
    }
}
