//! A sleeper's commit: an intent, then changes that can each be done twice, then the state.
//!
//! Files that only grow are appended to, so that nobody's line is lost. Other files are copied first, and then
//! changed by revision. Pruned observations are in the archive, and the whole earlier file is in the history.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use super::append_log;
use super::recorded::{Recorded, recover};
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name, StateName};
use crate::base::order;
use crate::format::state::history::History;
use crate::format::state::sleep_intent::{FileChange, Missing, SleepIntent, missing_after, missing_in};
use crate::format::state::sleep_state;
use crate::format::{DreamId, Observation, Observations, SleepFiles, SleepState};
use crate::gate::Tombstones;
use crate::life::rewrite;
use crate::workspace::{Lease, MAX_DOCUMENT, Workspace, WorkspaceExt, WriteMode};

/// The number of tries to append to a file that is replaced meanwhile.
const TRIES: u32 = 4;

/// The bytes at the end of a file that are searched for its last record.
pub(crate) const LAST_RECORDS: u64 = 4 << 20;

/// Finishes the sleep that an earlier run left half done.
pub(crate) fn recover_sleep(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    forgotten: Option<&Tombstones>,
) -> Result<()> {
    recover::<SleepIntent>(workspace, lease, forgotten).map(drop)
}

impl Recorded for SleepIntent {
    const FILE: StateName = StateName::SLEEP_INTENT;

    /// The state after it.
    type Done = SleepState;

    fn id(&self) -> &DreamId {
        &self.id
    }

    fn parse(bytes: Option<&[u8]>) -> Result<Option<Self>> {
        SleepIntent::parse(bytes)
    }

    fn print(&self) -> Vec<u8> {
        SleepIntent::print(self)
    }

    fn strike(&mut self, workspace: &dyn Workspace, forgotten: &Tombstones) -> Result<()> {
        self.changes.iter_mut().try_for_each(|change| strike(workspace, change, forgotten))
    }

    fn carry_out(&self, workspace: &dyn Workspace, lease: &dyn Lease) -> Result<SleepState> {
        let files = SleepFiles::in_folder(&self.folder);
        // Damage is named before the first change, and not when all are done but one.
        state(workspace, &files)?;
        for change in &self.changes {
            match change {
                FileChange::Append { name, text, before_len, entries } => {
                    append(workspace, lease, name, text, *before_len, entries)?;
                }
                FileChange::Prune { name, dropped } => {
                    lease.check()?;
                    rewrite(workspace, name, |bytes| {
                        // A file that somebody replaced by other bytes than text is kept.
                        let Some(text) = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
                            return Ok(None);
                        };
                        let (pruned, bytes) = (Observations::parse(text).without(dropped), text.as_bytes());
                        if pruned.as_bytes() != bytes {
                            keep(workspace, name, bytes, self.state.at)?;
                        }
                        Ok(Some(pruned.into_bytes()))
                    })?;
                }
                FileChange::Replace { name, text, before } => {
                    lease.check()?;
                    let standing = workspace.read(name)?;
                    let revision = standing.as_ref().map(Document::revision);
                    let is_ours =
                        standing.as_ref().is_some_and(|standing| standing.bytes() == text.as_bytes());
                    if !is_ours && revision != *before {
                        // Somebody wrote it since: theirs stands, and what was to replace it is a dream ago.
                        continue;
                    }
                    if let (Some(standing), false) = (&standing, is_ours) {
                        keep(workspace, name, standing.bytes(), self.state.at)?;
                    }
                    let mode = revision.map_or(WriteMode::Create, WriteMode::IfRevision);
                    match workspace.write(name, text.as_bytes(), mode) {
                        Ok(_) | Err(Error::Conflict { .. }) => {}
                        Err(error) => return Err(error),
                    }
                }
            }
        }
        lease.check()?;
        let settled = change_state(workspace, &files, |state| self.state.settle(state, &self.folder))?;
        append_log(workspace, lease, &self.log)?;
        Ok(settled)
    }
}

fn strike(workspace: &dyn Workspace, change: &mut FileChange, forgotten: &Tombstones) -> Result<()> {
    let is_begun = match &*change {
        FileChange::Append { name, before_len, .. } => {
            workspace.metadata(name)?.map_or(0, |metadata| metadata.len) > *before_len
        }
        FileChange::Prune { .. } | FileChange::Replace { .. } => false,
    };
    if is_begun {
        return Ok(());
    }
    if let FileChange::Append { text, .. } | FileChange::Replace { text, .. } = change
        && let Cow::Owned(struck) = forgotten.struck(text)
    {
        *text = struck;
    }
    if let FileChange::Append { entries, .. } = change {
        order::retain(entries, |entry| !forgotten.holds(&entry.text));
    }
    Ok(())
}

/// Returns the state as it is, or as the last checkpoint has it.
pub(crate) fn state(workspace: &dyn Workspace, files: &SleepFiles) -> Result<SleepState> {
    let standing = workspace.read(&StateName::SLEEP)?;
    parse_state(workspace, files, standing.as_ref().map(Document::bytes))
}

fn parse_state(workspace: &dyn Workspace, files: &SleepFiles, bytes: Option<&[u8]>) -> Result<SleepState> {
    if bytes.is_some() {
        let state = SleepState::parse(bytes, None)?;
        // One of another folder says nothing of this one.
        if state.folder.as_ref().is_none_or(|folder| Some(folder.as_str()) == files.iterations.folder()) {
            return Ok(state);
        }
    }
    let last = sleep_state::last(&workspace.read_tail(&files.iterations, LAST_RECORDS)?.text);
    SleepState::parse(None, last.as_ref())
}

/// Changes the state, even while another process counts an action; returns it.
pub(crate) fn change_state(
    workspace: &dyn Workspace,
    files: &SleepFiles,
    mut change: impl FnMut(&mut SleepState),
) -> Result<SleepState> {
    let mut changed = SleepState::default();
    rewrite(workspace, &StateName::SLEEP, |bytes| {
        changed = parse_state(workspace, files, bytes)?;
        change(&mut changed);
        // Also if nothing changes: its writer may have been killed before it was durable.
        Ok(Some(changed.print()))
    })?;
    Ok(changed)
}

/// Keeps the earlier bytes of a file.
fn keep(workspace: &dyn Workspace, name: &DocName, bytes: &[u8], at: Option<DateTime<Utc>>) -> Result<()> {
    let (file, preimage) = (StateName::history(name), Document::new(name.clone().into(), bytes.to_vec()));
    rewrite(workspace, &file, |standing| {
        let mut history = History::parse(&file, standing)?;
        history.push(None, &preimage, at.unwrap_or_default());
        Ok(Some(history.print()))
    })
    .map(drop)
}

/// Appends a text unless it is there, and looks whether it does. An editor may replace the file between our open and
/// our write. Then the text is not in the new file, and goes there.
fn append(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    name: &DocName,
    text: &str,
    before_len: u64,
    entries: &[Observation],
) -> Result<()> {
    let mut is_appended = false;
    for _ in 0..TRIES {
        let tail = tail(workspace, name, before_len)?;
        let mut torn = 0;
        let missing = match missing_after(text, tail.as_deref()) {
            Missing::Nothing => Vec::new(),
            Missing::Rest(rest) => {
                torn = tail.map_or(0, |tail| tail.len() as u64);
                rest
            }
            Missing::Unknown => {
                let standing = workspace.read_tail(name, MAX_DOCUMENT)?.text;
                missing_in(text, &standing, entries).into_bytes()
            }
        };
        if missing.len() < text.len() && !is_appended {
            // The writer of the existing bytes may have been killed before its sync. A power loss could take them,
            // and leave zeros before the rest.
            lease.append(name, b"")?;
        }
        if missing.is_empty() {
            return Ok(());
        }
        if torn == 0 {
            lease.append(name, &missing)?;
        } else if !lease.finish(name, before_len + torn, &missing)? {
            // Somebody wrote behind the torn part since it was read.
            continue;
        }
        is_appended = true;
    }
    Err(Error::Busy { path: name.to_string() })
}

/// Reads the bytes behind a file's earlier length; `None` if it is shorter now.
fn tail(workspace: &dyn Workspace, name: &Name, before_len: u64) -> Result<Option<Vec<u8>>> {
    let len = workspace.metadata(name)?.map_or(0, |metadata| metadata.len);
    if len < before_len { Ok(None) } else { workspace.read_range(name, before_len..len).map(Some) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::FileWorkspace;

    // SL-20: somebody writes between a torn append and its recovery.
    #[test]
    fn what_others_wrote_meanwhile_stands_and_what_was_begun_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = FileWorkspace::open(folder.path()).unwrap();
        let name = DocName::parse("self/observations.md").unwrap();
        let text = "## 2026-02-12\n\nRED 09:32 one\nGRN 09:33 two\n";
        let lease = match workspace.claim(&crate::workspace::ClaimTerms::default()).unwrap() {
            crate::workspace::Claim::Granted(lease) => lease,
            crate::workspace::Claim::Held(_) => unreachable!("nobody else is here"),
        };
        let entries: Vec<Observation> =
            Observations::parse(text).entries().map(|(_, entry)| entry.clone()).collect();
        for (begun, rest) in
            [("", ""), (&text[..20], ""), (&text[..20], "mine\n"), ("# Title\n", ""), (text, "mine")]
        {
            workspace.write(&name, format!("{begun}{rest}").as_bytes(), WriteMode::Replace).unwrap();
            for _ in 0..2 {
                append(&workspace, lease.as_ref(), &name, text, 0, &entries).unwrap();
            }
            let stands = workspace.read_text(&name).unwrap().unwrap();
            assert!(stands.contains(rest) && stands.starts_with(begun), "{stands}");
            for line in ["RED 09:32 one\n", "GRN 09:33 two\n"] {
                assert_eq!(stands.matches(line).count(), 1, "{stands}");
            }
        }
    }
}
