//! The state files that a person may edit, made whole again before a run goes by them.

use super::home;
use crate::base::digest::Digest;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::StateName;
use crate::dreamer::Notice;
use crate::format::state::by_hand::{Edit, Taken};
use crate::format::state::ledger::Ledger;
use crate::format::{DreamedState, Quarantine};
use crate::workspace::{Workspace, WriteMode};

/// Returns what a person should know of the edits in the state files of the root.
pub(crate) fn edits(workspace: &dyn Workspace) -> Result<Vec<Notice>> {
    let mut notices = Vec::new();
    for (name, read) in FILES {
        let standing = home::state(workspace, &name)?;
        let (edit, _) = read(workspace, standing.as_deref());
        notices.extend(notice(&name, edit, None));
    }
    Ok(notices)
}

/// Writes the state files of the root anew whose edits a strict reader refuses, and keeps an unreadable one beside it.
/// Done again, it does the rest. The workspace is claimed, or the file is one that is changed without a claim.
pub(crate) fn take_edits(workspace: &dyn Workspace) -> Result<Vec<Notice>> {
    let mut notices = Vec::new();
    for (name, read) in FILES {
        let Some(standing) = workspace.read(&name)? else { continue };
        let (edit, fresh) = read(workspace, Some(standing.bytes()));
        if edit == Edit::None {
            continue;
        }
        let is_kept = edit == Edit::Partly && !standing.bytes().trim_ascii().is_empty();
        let aside = is_kept.then(|| name.set_aside(&Digest::of(standing.bytes()).short(8)));
        if let Some(aside) = &aside {
            workspace.write(aside, standing.bytes(), WriteMode::Replace)?;
        }
        match workspace.write(&name, &fresh, WriteMode::IfRevision(standing.revision())) {
            Ok(_) => notices.extend(notice(&name, edit, aside.map(|name| name.to_string()))),
            // Edited once more meanwhile: it is read as it stands then.
            Err(Error::Conflict { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(notices)
}

/// Reads a file, and returns the found edits by hand, and the file as it is written anew.
type Read = fn(&dyn Workspace, Option<&[u8]>) -> (Edit, Vec<u8>);

const FILES: [(StateName, Read); 2] = [
    (StateName::DREAMED, |workspace, bytes| {
        let Taken { mut state, edit } = DreamedState::read(bytes);
        // A peer's own mark stays.
        if edit != Edit::None && (state.is_own() || state.last_processed_mtime.is_none()) {
            let ledger = workspace.read(&StateName::LEDGER).ok().flatten();
            let ledger = Ledger::parse(ledger.as_ref().map(Document::bytes)).unwrap_or_default();
            if ledger.watermark.is_some() {
                state.own_mark.clone_from(&ledger.watermark);
                state.last_processed_mtime = ledger.watermark;
            }
        }
        (edit, state.print())
    }),
    (StateName::QUARANTINE, |_, bytes| {
        let Taken { state, edit } = Quarantine::read(bytes);
        (edit, state.print_over(None))
    }),
];

fn notice(name: &StateName, edit: Edit, aside: Option<String>) -> Option<Notice> {
    match edit {
        Edit::None => None,
        Edit::Values => Some(Notice::EditedState(name.to_string())),
        Edit::Partly => Some(Notice::UnreadState { file: name.to_string(), aside }),
    }
}
