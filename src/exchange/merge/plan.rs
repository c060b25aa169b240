//! A plan of a merge: the files that it will write, the decisions that are left to a person, and the writing.

use std::collections::BTreeMap;
use std::fmt;

use super::life::Copied;
use crate::base::debug::debug_as;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::group::GroupName;
use crate::base::name::{DocName, Name, Space};
use crate::exchange::claim::claim;
use crate::format::DreamId;
use crate::format::state::registry::{self, Copied as Order};
use crate::workspace::{Workspace, WriteMode};

/// A merge as it will be written. Nothing is written yet.
#[derive(Clone, Default)]
#[must_use = "nothing is merged until it is written"]
pub struct MergePlan {
    pub(super) merged: Copied,
    pub(super) conflicts: Vec<MergeConflict>,
    pub(super) joined: u64,
    /// The groups of the life.
    pub(super) groups: BTreeMap<GroupName, Self>,
}

debug_as!(
    MergePlan,
    |it| "MergePlan {{ documents: {}, conflicts: {} }}",
    it.merged.documents.len(),
    it.conflicts.len()
);

/// Something that both machines changed and that a person has to decide.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct MergeConflict {
    /// The file, as the workspace names it.
    pub name: String,
    /// Its kind.
    pub kind: MergeConflictKind,
}

impl MergeConflict {
    /// Names the file as the life's own workspace does.
    pub(super) fn within(&self, folder: &DocName) -> Self {
        let kind = match &self.kind {
            MergeConflictKind::Whole(copy) => MergeConflictKind::Whole(
                DocName::parse(format!("{folder}/{copy}")).unwrap_or_else(|_| copy.clone()),
            ),
            kind => kind.clone(),
        };
        Self { name: format!("{folder}/{}", self.name), kind }
    }
}

/// The kind of a conflict. Nothing of either version is lost by any of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MergeConflictKind {
    /// Both changed the same lines. They follow one another between `<<<<<<<` and `>>>>>>>`, in this number of places.
    Lines(u32),
    /// One machine removed the document, and the other changed it. The changed one is there.
    Removed,
    /// The file is no text that can be merged by lines. The other version is in this document.
    Whole(DocName),
    /// Sleepers ran on both machines. The state is that of the later one.
    Sleepers,
    /// The dream was taken back on one machine, and a person changed its section on the other. The changed section is there; its
    /// journals wait to be read again, and may give the changed lines in their first words.
    TakenBack(DreamId),
}

impl MergeConflictKind {
    /// Returns whether two versions wait for a person. The others are listed, and the merged files are as they will
    /// be written.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !matches!(self, Self::Sleepers | Self::TakenBack(_))
    }
}

impl fmt::Display for MergeConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        match &self.kind {
            MergeConflictKind::Lines(1) => f.write_str("both changed the same lines, in 1 place"),
            MergeConflictKind::Lines(places) => write!(f, "both changed the same lines, in {places} places"),
            MergeConflictKind::Removed => {
                f.write_str("removed on one machine, changed on the other, and kept")
            }
            MergeConflictKind::Whole(copy) => write!(f, "both changed it; the other version is {copy}"),
            MergeConflictKind::Sleepers => f.write_str("sleepers ran on both; the later state is kept"),
            MergeConflictKind::TakenBack(id) => write!(
                f,
                "dream {id} was taken back on one machine and changed by hand on the other; the changed section is kept"
            ),
        }
    }
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MergeReport {
    /// The number of documents of the merged life.
    pub documents: u64,
    /// The number of documents that were put together from both.
    pub joined: u64,
    /// The decisions that are left to a person.
    pub conflicts: Vec<MergeConflict>,
}

impl MergePlan {
    /// Returns what a person has to decide, ascending by name.
    #[must_use]
    pub fn conflicts(&self) -> &[MergeConflict] {
        &self.conflicts
    }

    /// Returns the number of documents that are put together from both machines.
    #[must_use]
    pub fn joined(&self) -> u64 {
        self.joined
    }

    /// Returns the bytes that a document will have; `None` where the merged life has none of this name.
    #[must_use]
    pub fn document(&self, name: &DocName) -> Option<&[u8]> {
        self.file(name.as_str())
    }

    /// Returns the future bytes of a document or a state file, by its path in the folder of the life. `None` if the merged life
    /// has no file of this name.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        if let Some(group) = GroupName::of_document(path)
            && let Some(plan) = self.groups.get(&group)
        {
            let inner = path.strip_prefix(group.folder().as_str())?.strip_prefix('/')?;
            return plan.file(inner);
        }
        let document = DocName::parse(path).ok().and_then(|name| self.merged.document(&name));
        let state = || self.merged.states.iter().find(|(name, _)| name.as_str() == path);
        document.or_else(|| state().map(|(_, bytes)| bytes.as_slice()))
    }

    /// Writes the merged life into an empty workspace, which is claimed meanwhile.
    ///
    /// Tombstones are written first and the ledger last, so that an interrupted merge at worst shows something again.
    /// When it returns, all of it survives a power loss. After an error or a crash, write the same merge again: what is
    /// there already stays.
    ///
    /// # Errors
    ///
    /// [`Error::Conflict`] where something else has the name of a file; it is left as it is. [`Error::Busy`] where somebody dreams there.
    pub fn write(&self, out: &dyn Workspace) -> Result<MergeReport> {
        let _lease = claim(out)?;
        self.each_file(&mut |name, bytes| create(out, name, bytes))?;
        Ok(self.report())
    }

    /// Goes through all files in the order in which they are written. A crash in between leaves a life that has forgotten what it must,
    /// and that shows again at worst what was shown.
    pub(super) fn each_file(&self, write: &mut dyn FnMut(&Name, &[u8]) -> Result<()>) -> Result<()> {
        let lives: Vec<(Option<&GroupName>, &Copied)> = std::iter::once((None, &self.merged))
            .chain(self.groups.iter().map(|(group, plan)| (Some(group), &plan.merged)))
            .collect();
        for (group, life) in &lives {
            states(life, Order::First, &mut |name, bytes| write(&named(*group, name)?, bytes))?;
        }
        for (group, life) in &lives {
            for (name, bytes) in &life.documents {
                write(&named(*group, name)?, bytes)?;
            }
        }
        for order in [Order::AsVersion, Order::AsText, Order::Never, Order::Last] {
            for (group, life) in &lives {
                states(life, order, &mut |name, bytes| write(&named(*group, name)?, bytes))?;
            }
        }
        Ok(())
    }

    pub(super) fn report(&self) -> MergeReport {
        let documents = self.groups.values().map(|plan| plan.merged.documents.len()).sum::<usize>();
        MergeReport {
            documents: (self.merged.documents.len() + documents) as u64,
            joined: self.joined,
            conflicts: self.conflicts.clone(),
        }
    }
}

/// Returns the name of a file of a group in the workspace of the life.
fn named(group: Option<&GroupName>, name: &Name) -> Result<Name> {
    let Some(group) = group else { return Ok(name.clone()) };
    let path = format!("{}/{name}", group.folder());
    Ok(match name.space() {
        Space::State => Name::hidden(path),
        Space::Document => DocName::parse(path)?.into(),
    })
}

/// Goes through the state files that are copied in one way.
fn states(life: &Copied, order: Order, write: &mut dyn FnMut(&Name, &[u8]) -> Result<()>) -> Result<()> {
    for file in registry::rows(order) {
        let names = file.names_in(|name| {
            let found = life.states.iter().find(|(known, _)| known.as_str() == name.as_str());
            Ok(found.map(|(_, bytes)| Document::new(name.clone(), bytes.clone())))
        })?;
        for name in names {
            if let Some(bytes) = life.state(&name) {
                write(&name, bytes)?;
            }
        }
    }
    Ok(())
}

fn create(out: &dyn Workspace, name: &Name, bytes: &[u8]) -> Result<()> {
    match out.write(name, bytes, WriteMode::Create) {
        // Of an earlier, interrupted merge.
        Err(Error::Conflict { current: Some(current), .. }) if current.bytes() == bytes => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Ok(()),
    }
}
