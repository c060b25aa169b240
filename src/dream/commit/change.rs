//! The step of a commit that changes the section of an earlier dream.

use std::ops::Range;

use super::home;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::format::DreamId;
use crate::format::documents::curated;
use crate::format::documents::sections::{self, SectionState};
use crate::format::state::intent::{Append, Change, Intent};
use crate::format::state::undone::{Kept, Undone};
use crate::workspace::{Lease, Workspace, WriteMode};

/// The number of tries to change a file that others change meanwhile.
const TRIES: u32 = 4;

/// Carries out what becomes of an earlier dream's section; `false` where a person changed it meanwhile, so that it stays.
pub(super) fn carry_out(
    workspace: &dyn Workspace,
    lease: &dyn Lease,
    intent: &Intent,
    change: &Change,
) -> Result<bool> {
    let (Change::Undo { name, .. } | Change::Redo { name, .. } | Change::Archive { name }) = change;
    for _ in 0..TRIES {
        let standing = workspace.read(name)?;
        let memory = standing.as_ref().map_or(&[][..], Document::bytes);
        let after = match change {
            Change::Undo { kept, order, .. } => taken_out(intent, memory, |range| {
                let mut undone = Undone::parse(home::state(workspace, &StateName::UNDONE)?.as_deref())?;
                let section = String::from_utf8_lossy(&memory[range.clone()]).into_owned();
                let place = undone.place_of(memory, &intent.id, range, order);
                undone.keep(Kept { section, place, ..kept.clone() });
                lease.replace(&StateName::UNDONE, &undone.print())
            }),
            Change::Archive { .. } => taken_out(intent, memory, |_| Ok(())),
            Change::Redo { kept, order, .. } => {
                let undone = Undone::parse(home::state(workspace, &StateName::UNDONE)?.as_deref())?;
                Ok(put_back(intent, memory, kept, &undone, order))
            }
        }?;
        let (after, is_done) = match after {
            After::Changed(after) => (after, false),
            // An interrupted change may have been killed before its sync: to write what stands there settles it.
            After::Done => (memory.to_vec(), true),
            After::Edited => {
                if let Change::Undo { .. } = change {
                    let_go(workspace, lease, &intent.id)?;
                }
                return Ok(false);
            }
        };
        let mode = match &standing {
            Some(standing) => WriteMode::IfRevision(standing.revision()),
            None if is_done => return Ok(true),
            None => WriteMode::Create,
        };
        lease.check()?;
        match workspace.write(name, &after, mode) {
            Ok(_) => return Ok(true),
            Err(Error::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Error::Busy { path: name.to_string() })
}

/// Returns whether a section is still to be moved to the archive. A part of it is there, or it is in `MEMORY.md` as it
/// did. Else a person changed it, or took it out, before anything was done: their version is kept.
pub(super) fn still_moves(
    workspace: &dyn Workspace,
    intent: &Intent,
    append: &Append,
    name: &DocName,
) -> Result<bool> {
    let archive = workspace.read(&append.name)?.map(Document::into_bytes).unwrap_or_default();
    if append.torn_bytes(&archive) > 0 || curated::has_mark(&archive, &intent.id) {
        return Ok(true);
    }
    let memory = workspace.read(name)?.map(Document::into_bytes).unwrap_or_default();
    let printed = intent.log.section_sha256;
    Ok(printed.is_some_and(|printed| {
        matches!(sections::find(&memory, &intent.id, printed), SectionState::Whole(_))
    }))
}

/// The change that a document needs.
enum After {
    /// To write this.
    Changed(Vec<u8>),
    /// Nothing: it was done.
    Done,
    /// Nothing: a person was here.
    Edited,
}

/// Takes the section out of the document; `keep` is told its place first.
fn taken_out(
    intent: &Intent,
    memory: &[u8],
    keep: impl FnOnce(&Range<usize>) -> Result<()>,
) -> Result<After> {
    let Some(printed) = intent.log.section_sha256 else { return Ok(After::Edited) };
    Ok(match sections::find(memory, &intent.id, printed) {
        SectionState::Whole(range) => {
            keep(&range)?;
            After::Changed([&memory[..range.start], &memory[range.end..]].concat())
        }
        SectionState::Edited => After::Edited,
        SectionState::Missing => After::Done,
    })
}

fn put_back(intent: &Intent, memory: &[u8], kept: &Kept, undone: &Undone, order: &[DreamId]) -> After {
    if curated::has_section(memory, &intent.id) {
        After::Done
    } else if curated::has_mark(memory, &intent.id) {
        After::Edited
    } else {
        After::Changed(undone.put_back(memory, kept, order))
    }
}

/// Removes the kept parts of a dream. Written also if they are removed already: the process may have been killed before
/// that was durable.
pub(super) fn let_go(workspace: &dyn Workspace, lease: &dyn Lease, id: &DreamId) -> Result<()> {
    let Some(standing) = home::state(workspace, &StateName::UNDONE)? else { return Ok(()) };
    let mut undone = Undone::parse(Some(&standing))?;
    undone.retain(|kept| kept.id != *id);
    lease.replace(&StateName::UNDONE, &undone.print())
}
