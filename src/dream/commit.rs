//! The commit: an intent, then steps that can each be done twice.
//!
//! The intent holds everything, so that whoever finds it can finish: append, ledger, state, log, and then
//! the intent is dropped. [`apply`] is both the commit and the recovery. A dream appends to `MEMORY.md` and never
//! replaces it, since a replacement would lose what a person saves meanwhile; taking one back has no other way.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::journal::{propose, undo};
use crate::base::digest::Digest;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name, StateName};
use crate::format::DreamedState;
use crate::format::documents::curated;
use crate::format::replies::reply;
use crate::format::state::intent::{Append, Change, Intent};
use crate::format::state::ledger::Ledger;
use crate::format::state::log;
use crate::format::state::proposal::ProposalStep;
use crate::format::state::undone::Undone;
use crate::gate::Tombstones;
use crate::trace;
use crate::workspace::{Lease, Workspace, WorkspaceExt};

/// How often an append is tried on a file that is replaced under it.
const TRIES: u32 = 4;

/// How much of the log's end is looked at for a line that an interrupted commit wrote already.
const LOG_TAIL: u64 = 4 << 20;

/// The document that holds curated memory: `MEMORY.md`, or the older `memory.md` where that alone exists.
pub(crate) fn memory_name(workspace: &dyn Workspace) -> Result<DocName> {
    if workspace.metadata(&DocName::MEMORY)?.is_none()
        && workspace.metadata(&DocName::LEGACY_MEMORY)?.is_some()
    {
        return Ok(DocName::LEGACY_MEMORY);
    }
    Ok(DocName::MEMORY)
}

/// The archive of sections that were moved out of curated memory; empty where there is none, or where something else has
/// its name, which is a person's.
pub(crate) fn archive(workspace: &dyn Workspace) -> Result<Vec<u8>> {
    match workspace.read(&DocName::DREAMED) {
        Ok(archive) => Ok(archive.map(crate::base::document::Document::into_bytes).unwrap_or_default()),
        Err(Error::Refused { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Curated memory as it stands: its name, and its bytes, none where it does not exist.
pub(crate) fn memory(workspace: &dyn Workspace) -> Result<(DocName, Vec<u8>)> {
    let name = memory_name(workspace)?;
    let bytes = workspace.read(&name)?.map(crate::base::document::Document::into_bytes).unwrap_or_default();
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        // UTF-16: a section in UTF-8 would be noise in it.
        return Err(Error::NotUtf8 { name: name.into(), valid_up_to: 0 });
    }
    Ok((name, bytes))
}

/// Records an intent and carries it out. On an error the intent stays, and the next claim finishes it.
pub(crate) fn commit(workspace: &dyn Workspace, lease: &dyn Lease, intent: &Intent) -> Result<()> {
    trace::commit(&intent.id, || {
        lease.replace(&StateName::INTENT, &intent.print())?;
        apply(workspace, lease, intent)
    })
}

/// Finishes the commit that an earlier run left half done; returns it where there was one. What was forgotten
/// since is struck out of a section of which nothing is appended yet.
pub(crate) fn recover(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    forgotten: Option<&Tombstones>,
) -> Result<Option<Intent>> {
    let Some(mut intent) = unfinished(workspace)? else { return Ok(None) };
    check(workspace)?;
    if let Some(forgotten) = forgotten {
        strike(workspace, &mut intent, forgotten)?;
    }
    // Whoever left it may have been killed before it was durable: a power loss could take it back, and leave
    // the steps that are done from it now.
    lease.replace(&StateName::INTENT, &intent.print())?;
    if was_dreamed_by_peer(workspace, &intent)? {
        intent.append = None;
    }
    apply(workspace, lease, &intent)?;
    Ok(Some(intent))
}

fn strike(workspace: &dyn Workspace, intent: &mut Intent, forgotten: &Tombstones) -> Result<()> {
    if let Some(ProposalStep::Made { text, .. }) = &mut intent.proposal
        && let Cow::Owned(struck) = forgotten.struck(text)
    {
        *text = struck;
    }
    if let Some(Change::Redo { kept, .. }) = &mut intent.change
        && let Cow::Owned(struck) = forgotten.struck(&kept.section)
    {
        kept.section = struck;
    }
    let (Some(append), None) = (&mut intent.append, &intent.change) else { return Ok(()) };
    let Cow::Owned(section) = forgotten.struck(&append.section) else { return Ok(()) };
    let memory =
        workspace.read(&append.name)?.map(crate::base::document::Document::into_bytes).unwrap_or_default();
    // What stands there in part is finished as it was begun: its rest is found by what it was.
    if append.torn_bytes(&memory) == 0 && !curated::has_mark(&memory, &intent.id) {
        intent.log.section_sha256 = Some(Digest::of(section.as_bytes()));
        append.replace_section(section);
    }
    Ok(())
}

/// Whether a peer that knows only the watermark has dreamed the same journals since the commit stopped: the
/// mark is neither the one from before the commit nor the commit's own, and covers all that was shown.
fn was_dreamed_by_peer(workspace: &dyn Workspace, intent: &Intent) -> Result<bool> {
    let (Some(append), None) = (&intent.append, &intent.change) else { return Ok(false) };
    let memory =
        workspace.read(&append.name)?.map(crate::base::document::Document::into_bytes).unwrap_or_default();
    if append.torn_bytes(&memory) > 0 || curated::has_mark(&memory, &intent.id) {
        return Ok(false);
    }
    let ledger = Ledger::parse(state(workspace, &StateName::LEDGER)?.as_deref())?;
    let standing = DreamedState::parse(state(workspace, &StateName::DREAMED)?.as_deref())?;
    // Where no journal was shown, as when a person accepts a proposal, no peer can have dreamed the same.
    let Some(newest) = intent.ledger.values().map(|entry| entry.modified).max() else { return Ok(false) };
    Ok(standing.last_processed_mtime != ledger.watermark
        && standing.last_processed_mtime != intent.watermark
        && standing.watermark_ns() >= Some(newest))
}

/// Reads the state that a commit changes, so that damage is named before a step is done and not when half of them are.
fn check(workspace: &dyn Workspace) -> Result<()> {
    Ledger::parse(state(workspace, &StateName::LEDGER)?.as_deref())?;
    DreamedState::parse(state(workspace, &StateName::DREAMED)?.as_deref())?;
    Undone::parse(state(workspace, &StateName::UNDONE)?.as_deref())?;
    Ok(())
}

/// The commit that is half done, if there is one.
pub(crate) fn unfinished(workspace: &dyn Workspace) -> Result<Option<Intent>> {
    Intent::parse(state(workspace, &StateName::INTENT)?.as_deref())
}

/// Reads a state file.
pub(crate) fn state(workspace: &dyn Workspace, name: &StateName) -> Result<Option<Vec<u8>>> {
    Ok(workspace.read(name)?.map(crate::base::document::Document::into_bytes))
}

/// Carries an intent out. Each step sees whether it was done before, so doing all of it twice is doing it once.
fn apply(workspace: &dyn Workspace, lease: &dyn Lease, intent: &Intent) -> Result<()> {
    if let (Some(append), Some(Change::Archive { name })) = (&intent.append, &intent.change)
        && !undo::still_moves(workspace, intent, append, name)?
    {
        lease.remove(&StateName::INTENT)?;
        return Ok(());
    }
    if let Some(append) = &intent.append {
        keep_section(workspace, lease, intent, append)?;
        append_section(workspace, lease, intent, append)?;
    }
    if let Some(step) = &intent.proposal {
        propose::apply(workspace, lease, step)?;
    }
    if let Some(change) = &intent.change
        && !undo::carry_out(workspace, lease, intent, change)?
    {
        // A person changed the section between a crash and now: it is theirs, and stays.
        lease.remove(&StateName::INTENT)?;
        return Ok(());
    }
    let mut ledger = Ledger::parse(state(workspace, &StateName::LEDGER)?.as_deref())?;
    ledger.apply(&intent.ledger);
    ledger.retain(|name, _| !intent.forget.contains(name));
    ledger.epoch = ledger.epoch.max(intent.epoch);
    ledger.watermark.clone_from(&intent.watermark);
    lease.replace(&StateName::LEDGER, &ledger.print())?;

    let standing = DreamedState::parse(state(workspace, &StateName::DREAMED)?.as_deref())?;
    let mut next = intent.state.clone();
    let is_lowered =
        matches!(&intent.change, Some(Change::Undo { mark, .. }) if *mark == standing.last_processed_mtime);
    if standing.watermark_ns() > next.watermark_ns() && !is_lowered {
        // A peer went further meanwhile; its mark stands, and the next survey sees that it is not ours.
        next.last_processed_mtime = standing.last_processed_mtime;
    }
    // Keys of others are as they stand, also those that came between the intent and its recovery.
    next.others = standing.others;
    lease.replace(&StateName::DREAMED, &next.print())?;

    append_log(workspace, lease, &intent.log)?;
    if let Some(Change::Redo { .. }) = &intent.change {
        undo::let_go(workspace, lease, &intent.id)?;
    }
    lease.remove(&StateName::INTENT)?;
    Ok(())
}

/// Keeps a section of curated memory, so that a person has it back where an editor saves over it.
fn keep_section(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    intent: &Intent,
    append: &Append,
) -> Result<()> {
    if intent.change.is_some() {
        return Ok(());
    }
    let mut undone = Undone::parse(state(workspace, &StateName::UNDONE)?.as_deref())?;
    // Written also where it is there: whoever wrote it may have been killed before that was durable.
    undone.keep_appended(&intent.id, &append.section);
    lease.replace(&StateName::UNDONE, &undone.print())
}

/// Appends the section unless it stands there, and looks whether it does. An editor may replace the file
/// between our open and our write; then the section is not in the new file, and goes there.
fn append_section(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    intent: &Intent,
    append: &Append,
) -> Result<()> {
    let name: &Name = &append.name;
    for _ in 0..TRIES {
        let memory =
            workspace.read(name)?.map(crate::base::document::Document::into_bytes).unwrap_or_default();
        if curated::has_section(&memory, &intent.id) {
            return settle(lease, name);
        }
        let torn = append.torn_bytes(&memory);
        let missing = missing_part(intent, append, &memory, torn);
        if missing.len() < append.section.len() {
            // Else a power loss could take the part that stands there, and leave zeros before the rest.
            settle(lease, name)?;
        }
        if torn == 0 {
            lease.append(name, &missing)?;
        } else if !lease.finish(name, memory.len() as u64, &missing)? {
            // Somebody wrote behind the torn part since it was read.
            continue;
        }
        let after =
            workspace.read(name)?.map(crate::base::document::Document::into_bytes).unwrap_or_default();
        if curated::has_section(&after, &intent.id) {
            return Ok(());
        }
    }
    Err(Error::Busy { path: name.to_string() })
}

/// Makes durable what an interrupted commit appended: whoever did may have been killed before its sync, and
/// the ledger must not be ahead of the section.
pub(crate) fn settle(lease: &dyn Lease, name: &Name) -> Result<()> {
    lease.append(name, b"")
}

/// What of the section is still to be appended to `memory`.
fn missing_part(intent: &Intent, append: &Append, memory: &[u8], torn: usize) -> Vec<u8> {
    if torn > 0 {
        // Bytes, not text: it may be torn inside a character.
        return append.section.as_bytes()[torn..].to_vec();
    }
    let mut section = append.section.clone();
    if curated::has_mark(memory, &intent.id) {
        // An append was torn, or an editor wrote over a part of it: what stands there is not said again.
        let known: BTreeSet<String> = curated::statements(&String::from_utf8_lossy(memory)).collect();
        let is_new = |line: &&str| {
            reply::bullet(line.trim_end()).is_none_or(|item| !known.contains(&curated::statement_key(item)))
        };
        section = section.split_inclusive('\n').filter(is_new).collect();
    }
    // The file may have changed since the section was printed, and end in the middle of a line.
    if memory.is_empty()
        || memory.ends_with(b"\n")
        || section.starts_with("\n\n")
        || section.starts_with("\r\n\r\n")
    {
        section.into_bytes()
    } else {
        format!("\n{section}").into_bytes()
    }
}

/// Appends a line to the log unless an interrupted commit did.
pub(crate) fn append_log(workspace: &dyn Workspace, lease: &dyn Lease, line: &log::LogLine) -> Result<()> {
    let tail = workspace.read_tail(&StateName::LOG, LOG_TAIL)?.text;
    if log::parse(&tail).any(|known| known == *line) {
        return settle(lease, &StateName::LOG);
    }
    lease.append(&StateName::LOG, line.print().as_bytes())
}
