//! Copies that sync tools left beside changed files, merged into those files where they are.

use std::collections::{BTreeMap, BTreeSet};

use super::dreams::Dreams;
use super::life::{Copied, How};
use super::merge::merge;
use super::plan::{MergeConflict, MergePlan};
use crate::base::digest::Digest;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::group::GroupName;
use crate::base::name::{DocName, Name, StateName};
use crate::dream::commit;
use crate::exchange::claim::claim;
use crate::format::documents::copies::original_of;
use crate::format::state::copies_intent::CopiesIntent;
use crate::format::state::registry::{self, Names};
use crate::session;
use crate::workspace::{Lease, Workspace, WriteMode};

/// The report of [`merge_copies`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopiesReport {
    /// The copies that were merged, and removed.
    pub merged: Vec<String>,
    /// The copies that are as they were: their files are no text that is merged by lines, or artifacts.
    pub left: Vec<String>,
    /// The decisions that are left to a person.
    pub conflicts: Vec<MergeConflict>,
}

/// Merges all copies that a sync tool left beside files which two machines had changed, such as
/// `MEMORY.sync-conflict-20261121-091500-ABCDEFG.md`. Each is removed when its content is in its file.
///
/// The copies of a moment are taken together as the other machine's life, and merged as [`Merge`](super::Merge) does
/// without a base. Every line of either stays, once. Where a person has to decide, further copies wait for the next
/// call. State files have copies too; those of files that are made anew are removed. The same copies give the same
/// bytes on every machine. Copies of groups' state are not looked for. The section of a dream that was taken back,
/// which a tool brought before the log that says so, leaves memory.
///
/// When it returns, all of it survives a power loss. After an error or a crash, call it again, before a person edits or
/// a dream runs. It carries out the rest as it was planned. A copy exists until its file has its contents.
///
/// # Example
///
/// ```
/// use noctuary::exchange::merge_copies;
/// use noctuary::{DocName, FileWorkspace, Workspace};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join("memory"))?;
/// let path = |name: &str| folder.path().join("memory").join(name);
/// std::fs::write(path("2026-11-20-repl.md"), "- [09:00:00] [user] Tea at five.\n")?;
/// let copy = "2026-11-20-repl.sync-conflict-20261121-091500-ABCDEFG.md";
/// std::fs::write(path(copy), "- [08:00:00] [user] The boat is called Brisk.\n")?;
///
/// let workspace = FileWorkspace::open(folder.path())?;
/// let report = merge_copies(&workspace)?;
/// assert_eq!(report.merged, [format!("memory/{copy}")]);
/// let journal = std::fs::read_to_string(path("2026-11-20-repl.md"))?;
/// assert_eq!(journal, "- [08:00:00] [user] The boat is called Brisk.\n- [09:00:00] [user] Tea at five.\n");
/// assert!(!path(copy).exists());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Busy`] where somebody dreams there. [`Error::Conflict`] where a person saved a document meanwhile: call it
/// again. [`Error::Corrupt`] for a copy of a state file that does not parse.
pub fn merge_copies(workspace: &dyn Workspace) -> Result<CopiesReport> {
    let lease = claim(workspace)?;
    let forgotten = session::forgotten(workspace)?;
    commit::recover_all(workspace, lease.as_ref(), forgotten.as_ref())?;
    recover(workspace, lease.as_ref())?;
    commit::take_edits(workspace)?;
    if let Some(file) = session::forgotten_file(workspace)? {
        // Where the file is damaged, this is its copy.
        lease.replace(&StateName::FORGOTTEN, &file.print())?;
    }
    let mut report = CopiesReport::default();
    let mut waiting: BTreeMap<String, Vec<Name>> = BTreeMap::new();
    for (original, copy) in found(workspace)? {
        let known = registry::of_path(&original);
        if known.is_some_and(|file| matches!(file.names, Names::Artifacts)) {
            report.left.push(copy.to_string());
        } else if known.is_some_and(|file| !file.travels()) {
            lease.remove(&copy)?;
            report.merged.push(copy.to_string());
        } else if is_text(workspace, &original, &copy)? {
            waiting.entry(original).or_default().push(copy);
        } else {
            report.left.push(copy.to_string());
        }
    }
    // One copy of each file at a time: they are of one moment most often.
    while !waiting.is_empty() {
        let mut round: Vec<(String, Name)> = Vec::new();
        waiting.retain(|original, copies| {
            round.push((original.clone(), copies.remove(0)));
            !copies.is_empty()
        });
        let plan = merge_round(workspace, lease.as_ref(), &round)?;
        report.merged.extend(round.into_iter().map(|(_, copy)| copy.to_string()));
        let is_open = plan.conflicts.iter().any(|conflict| conflict.kind.is_open());
        report.conflicts.extend(plan.conflicts);
        if is_open {
            // The next copy would be merged into the marks of this one.
            break;
        }
    }
    // A tool brought memory first, and then the log that says that a dream in it was taken back.
    if is_back(workspace)? {
        report.conflicts.extend(merge_round(workspace, lease.as_ref(), &[])?.conflicts);
    }
    report.merged.sort();
    lease.release()?;
    Ok(report)
}

fn is_back(workspace: &dyn Workspace) -> Result<bool> {
    let Some(log) = workspace.read(&StateName::LOG)? else { return Ok(false) };
    let memory = workspace.read(&DocName::MEMORY)?.map(Document::into_bytes).unwrap_or_default();
    Ok(Dreams::is_back(&log.lossy(), &memory))
}

/// Finds all copies of documents and of state files, ascending, each with the name of its file.
fn found(workspace: &dyn Workspace) -> Result<Vec<(String, Name)>> {
    let mut all = Vec::new();
    for listing in session::walk(workspace, None, |_| true) {
        for name in listing?.1.documents {
            if let Some(original) = original_of(name.as_str()).filter(|path| DocName::parse(path).is_ok()) {
                all.push((original, name.into()));
            }
        }
    }
    for name in workspace.hidden()? {
        if let Some(original) = original_of(name.as_str()).filter(|path| registry::of_path(path).is_some()) {
            all.push((original, name));
        }
    }
    all.sort();
    Ok(all)
}

/// Returns whether both versions of a file are merged by their content.
fn is_text(workspace: &dyn Workspace, original: &str, copy: &Name) -> Result<bool> {
    if registry::of_path(original).is_some() || original.ends_with(DocName::HEARTBEAT_STATE.as_str()) {
        return Ok(true);
    }
    let Ok(name) = DocName::parse(original) else { return Ok(false) };
    if super::text::has_end(&name, "json") {
        return Ok(false);
    }
    let plain = |name: &Name| -> Result<bool> {
        let found = workspace.read(name)?;
        Ok(found.is_none_or(|file| std::str::from_utf8(file.bytes()).is_ok_and(|text| !text.contains('\0'))))
    };
    Ok(plain(&name)? && plain(copy)?)
}

fn merge_round(workspace: &dyn Workspace, lease: &dyn Lease, round: &[(String, Name)]) -> Result<MergePlan> {
    let mut ours = Copied::read(workspace)?;
    // Also those of later rounds: they are no documents of the life.
    ours.retain(|name| original_of(name.as_str()).is_none());
    let mut theirs = ours.clone();
    let mut read: Vec<(&Name, Vec<u8>)> = Vec::new();
    for (original, copy) in round {
        let Some(bytes) = workspace.read(copy)?.map(Document::into_bytes) else {
            continue;
        };
        theirs.put(original, bytes.clone());
        read.push((copy, bytes));
    }
    let plan = merge(None, ours.clone(), theirs, How::Mixed)?;
    let mut written: BTreeSet<String> = BTreeSet::new();
    let mut intent = CopiesIntent::default();
    plan.each_file(&mut |name, bytes| {
        written.insert(name.to_string());
        let known = ours.get(name.as_str());
        if known != Some(bytes) {
            return intent.write(name, known, bytes);
        }
        Ok(())
    })?;
    for (path, known) in ours.files() {
        if !written.contains(&path) {
            intent.remove(&path, known);
        }
    }
    for (copy, bytes) in read {
        intent.done_with(copy.as_str(), &bytes);
    }
    // A promoted line cites a place in a journal. A second merge of half the files would take other lines for cited.
    lease.replace(&intent_name(), &intent.print())?;
    carry_out(workspace, lease, &intent)?;
    Ok(plan)
}

fn intent_name() -> Name {
    StateName::COPIES_INTENT.into()
}

/// Carries out the plan of an interrupted call. A file that was saved meanwhile is for a merge of its own.
fn recover(workspace: &dyn Workspace, lease: &dyn Lease) -> Result<()> {
    let Some(found) = workspace.read(&intent_name())? else { return Ok(()) };
    let intent = CopiesIntent::parse(found.bytes())?;
    match carry_out(workspace, lease, &intent) {
        Err(Error::Conflict { .. }) => Ok(()),
        done => done,
    }
}

/// Writes and removes files as an intent says, in its order, and drops it. Done again, it does the rest.
fn carry_out(workspace: &dyn Workspace, lease: &dyn Lease, intent: &CopiesIntent) -> Result<()> {
    let done = each_step(workspace, lease, intent);
    if matches!(done, Ok(()) | Err(Error::Conflict { .. })) {
        lease.remove(&intent_name())?;
    }
    done
}

fn each_step(workspace: &dyn Workspace, lease: &dyn Lease, intent: &CopiesIntent) -> Result<()> {
    for write in &intent.writes {
        let name = named(&write.path);
        let current = workspace.read(&name)?;
        let is_written = current.as_ref().is_some_and(|file| file.bytes() == write.text.as_bytes());
        if !is_written {
            put(workspace, lease, &name, current, write.before, write.text.as_bytes())?;
        }
    }
    for removal in &intent.removals {
        let name = named(&removal.path);
        match workspace.read(&name)? {
            Some(current) if Digest::of(current.bytes()) == removal.before => drop(lease.remove(&name)?),
            Some(current) => return Err(Error::Conflict { name, current: Some(Box::new(current)) }),
            None => {}
        }
    }
    for copy in &intent.copies {
        let name = named(&copy.path);
        // One that a tool replaced meanwhile is for the next call.
        if workspace.read(&name)?.is_some_and(|now| Digest::of(now.bytes()) == copy.before) {
            lease.remove(&name)?;
        }
    }
    Ok(())
}

fn named(path: &str) -> Name {
    DocName::parse(path).map_or_else(|_| StateName::of_path(path.to_owned()).into(), Name::from)
}

/// Writes a file over what was read of it; a document that a person saved meanwhile stays as it is.
fn put(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    name: &Name,
    current: Option<Document>,
    before: Option<Digest>,
    bytes: &[u8],
) -> Result<()> {
    if current.as_ref().map(|file| Digest::of(file.bytes())) != before {
        return Err(Error::Conflict { name: name.clone(), current: current.map(Box::new) });
    }
    if DocName::parse(name.as_str()).is_err() {
        return lease.replace(name, bytes);
    }
    let mode = current.map_or(WriteMode::Create, |file| WriteMode::IfRevision(file.revision()));
    workspace.write(name, bytes, mode).map(drop)
}

impl Copied {
    /// Returns the group that a path is of, and the rest of it.
    fn within(path: &str) -> Option<(GroupName, &str)> {
        let group = GroupName::of_document(path)?;
        let inner = path.strip_prefix(group.folder().as_str())?.strip_prefix('/')?;
        Some((group, inner))
    }

    fn get(&self, path: &str) -> Option<&[u8]> {
        if let Some((group, inner)) = Self::within(path)
            && let Some(life) = self.groups.get(&group)
        {
            return life.get(inner);
        }
        match DocName::parse(path) {
            Ok(name) => self.document(&name),
            Err(_) => self.state(&StateName::of_path(path.to_owned())),
        }
    }

    fn put(&mut self, path: &str, bytes: Vec<u8>) {
        match (Self::within(path), DocName::parse(path)) {
            (Some((group, inner)), _) => self.groups.entry(group).or_default().put(inner, bytes),
            (None, Ok(name)) => {
                self.documents.insert(name, bytes);
            }
            (None, Err(_)) => {
                self.states.insert(StateName::of_path(path.to_owned()), bytes);
            }
        }
    }

    /// Keeps the documents that `keep` says yes to.
    fn retain(&mut self, keep: impl Fn(&DocName) -> bool + Copy) {
        self.documents.retain(|name, _| keep(name));
        self.groups.values_mut().for_each(|life| life.retain(keep));
    }

    /// Returns all files, by their paths.
    fn files(&self) -> Vec<(String, &[u8])> {
        let documents = self.documents.iter().map(|(name, bytes)| (name.to_string(), bytes.as_slice()));
        let states = self.states.iter().map(|(name, bytes)| (name.to_string(), bytes.as_slice()));
        let mut all: Vec<(String, &[u8])> = documents.chain(states).collect();
        for (group, life) in &self.groups {
            let folder = group.folder();
            all.extend(life.files().into_iter().map(|(path, bytes)| (format!("{folder}/{path}"), bytes)));
        }
        all
    }
}
