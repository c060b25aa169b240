//! The state files of a workspace: whether each parses, and whether they fit together.

use super::examination::Examination;
use super::finding::FindingKind as Kind;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, StateName};
use crate::format::documents::copies::original_of;
use crate::format::state::asked::AskedState;
use crate::format::state::dreamed::DreamedState;
use crate::format::state::forgotten::Forgotten;
use crate::format::state::history::History;
use crate::format::state::intent::Intent;
use crate::format::state::ledger::Ledger;
use crate::format::state::life::LifeState;
use crate::format::state::log;
use crate::format::state::proposal::Proposals;
use crate::format::state::quarantine::Quarantine;
use crate::format::state::receipts::ReceiptKeys;
use crate::format::state::registry::{self, Copied, Names};
use crate::format::state::sleep_intent::SleepIntent;
use crate::format::state::sleep_state::SleepState;
use crate::format::state::soul::SoulState;
use crate::format::state::undone::Undone;
use crate::gate::Tombstones;
use crate::workspace::Workspace;

const RESTORE: &str = "restore it from a backup or git";
const MEND: &str = "run `noctuary doctor PATH --fix --apply`";

/// Files without which a life goes on, and what is lost with each.
const LOSSES: [(&str, &str); 7] = [
    (".dreaming.d/forgotten.json", "what was forgotten may come back, so forget it again at once"),
    (".dreaming.d/history/undone.json", "dreams that were taken back cannot be brought back"),
    (".dreaming.d/facts.json", "a model is asked about the same pairs of facts again"),
    (".dreaming.d/personalization.json", "the profile is made of all rows again"),
    (".dreaming.d/roles.json", "a model is asked about the same lessons again"),
    (
        ".dreaming.d/chats.jsonl",
        "an import of chats adds again the messages that are in none of their journals any more",
    ),
    (".dreaming.d/receipts.json", "receipts that were written before it can no longer be checked"),
];

/// The files that the doctor mends.
pub(super) fn is_mended(workspace: &dyn Workspace, name: &StateName) -> bool {
    [StateName::DREAMED, StateName::QUARANTINE, StateName::LEDGER].contains(name)
        || (*name == StateName::FORGOTTEN && has_copy(workspace))
}

/// Looks at each state file that a copy of the workspace would take.
pub(super) fn examine(workspace: &dyn Workspace, told: &mut Examination) -> Result<()> {
    let kinds = [Copied::First, Copied::AsVersion, Copied::AsText, Copied::Last];
    for file in kinds.into_iter().flat_map(registry::rows) {
        // Lists of other files that do not parse are told by their own row.
        let Ok(names) = file.names_in(|name| workspace.read(name)) else { continue };
        for name in names {
            let Some(bytes) = read(workspace, &name, told)? else { continue };
            if bytes.trim_ascii().is_empty() {
                let anew = format!("{RESTORE}, or delete it to begin anew");
                told.add(Kind::EmptiedState, &*name, remedy(workspace, &name).unwrap_or(anew));
            } else if matches!(file.names, Names::Proposals) {
            } else if let Err(error) = parse(&name, file, &bytes) {
                tell(workspace, &name, &error, told);
            }
        }
    }
    // A folder that cannot be listed is told with the documents.
    for name in workspace.hidden().unwrap_or_default() {
        if name.is_set_aside() {
            told.add(Kind::SetAside, &name, "take over by hand what you miss of it, and delete it");
        }
        if let Some(original) = original_of(name.as_str()).filter(|path| registry::of_path(path).is_some()) {
            let fix = format!("merge it into {original}, as `noctuary merge-copies` does with all copies");
            told.add(Kind::ConflictCopy, &name, fix);
        }
    }
    examine_quarantine(workspace, told)?;
    examine_proposals(workspace, told);
    let promoted = match workspace.read(&StateName::LOG) {
        Ok(Some(log)) => log::of_curators(&log.lossy()).next().is_some(),
        _ => false,
    };
    if promoted && matches!(workspace.metadata(&StateName::LEDGER), Ok(None)) {
        let name = StateName::LEDGER;
        told.add(Kind::MissingState, &*name, remedy(workspace, &name).unwrap_or_default());
    }
    if matches!(workspace.metadata(&StateName::FORGOTTEN), Ok(None)) && has_copy(workspace) {
        let fix =
            format!("{MEND}: it puts its copy in its place; or delete {} too", &*StateName::FORGOTTEN_COPY);
        told.add(Kind::MissingState, &*StateName::FORGOTTEN, fix);
    }
    Ok(())
}

fn read(workspace: &dyn Workspace, name: &StateName, told: &mut Examination) -> Result<Option<Vec<u8>>> {
    match workspace.read(name) {
        Ok(document) => Ok(document.map(Document::into_bytes)),
        Err(Error::Refused { .. } | Error::TooLarge { .. }) => {
            told.add(Kind::DamagedState, &**name, format!("it is no plain file of its kind: {RESTORE}"));
            Ok(None)
        }
        Err(error @ Error::Io { .. }) => {
            told.add(Kind::Unreadable, &**name, format!("{error}: make it readable for this account"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Tells of a file that could not be parsed.
fn tell(workspace: &dyn Workspace, name: &StateName, error: &Error, told: &mut Examination) {
    let fix = match (error, remedy(workspace, name)) {
        (Error::NewerVersion { .. }, _) => {
            return told.add(Kind::NewerVersion, &**name, "update the library");
        }
        (_, Some(fix)) => fix,
        (Error::Corrupt { what, .. }, None) => format!("{what}; {RESTORE}"),
        (error, None) => format!("{error}; {RESTORE}"),
    };
    told.add(Kind::DamagedState, &**name, fix);
}

/// Says what to do with a damaged file; `None` where nothing but a backup helps.
fn remedy(workspace: &dyn Workspace, name: &StateName) -> Option<String> {
    let is = |known: StateName| *name == known;
    if is(StateName::DREAMED) || is(StateName::QUARANTINE) {
        return Some(format!(
            "{MEND}, or the next dream: what can be read of it counts, and the rest is kept beside it"
        ));
    }
    if is(StateName::LEDGER) {
        return Some(format!(
            "{MEND}: it is made anew from the log, and what that does not say is shown again; or {RESTORE}"
        ));
    }
    if is(StateName::FORGOTTEN) && has_copy(workspace) {
        return Some(format!(
            "{MEND}: it puts its copy in its place, which searches and dreams go by until then"
        ));
    }
    let loses = LOSSES.iter().find(|(known, _)| name.as_str() == *known).map(|(_, loses)| loses)?;
    Some(format!("{RESTORE}, or delete it: {loses}"))
}

/// Returns whether the copy of the tombstones can be read.
fn has_copy(workspace: &dyn Workspace) -> bool {
    let copy = workspace.read(&StateName::FORGOTTEN_COPY).ok().flatten();
    copy.is_some_and(|copy| matches!(Forgotten::<Tombstones>::parse(Some(copy.bytes())), Ok(Some(_))))
}

fn parse(name: &StateName, file: &registry::StateRow, bytes: &[u8]) -> Result<()> {
    let text = bytes;
    let bytes = Some(bytes);
    if matches!(file.names, Names::Preimages) {
        return History::parse(name, bytes).map(drop);
    }
    if *name == StateName::FORGOTTEN {
        Forgotten::<Tombstones>::parse(bytes).map(drop)
    } else if *name == StateName::UNDONE {
        Undone::parse(bytes).map(drop)
    } else if *name == StateName::INTENT {
        Intent::parse(bytes).map(drop)
    } else if *name == StateName::PROPOSALS {
        Proposals::parse(bytes).map(drop)
    } else if *name == StateName::SLEEP_INTENT {
        SleepIntent::parse(bytes).map(drop)
    } else if *name == StateName::SLEEP {
        SleepState::parse(bytes, None).map(drop)
    } else if [StateName::LOG, StateName::RECEIPTS, StateName::RECEIPTS_BEFORE, StateName::CHATS]
        .contains(name)
    {
        parse_log(name, text)
    } else if *name == StateName::RECEIPT_KEYS {
        ReceiptKeys::parse(bytes).map(drop)
    } else if *name == StateName::QUARANTINE {
        Quarantine::parse(bytes).map(drop)
    } else if *name == StateName::LEDGER {
        Ledger::parse(bytes).map(drop)
    } else if *name == StateName::DREAMED {
        DreamedState::parse(bytes).map(drop)
    } else if [StateName::FACTS, StateName::PERSONALIZATION, StateName::ROLES].contains(name) {
        AskedState::parse(name, bytes, String::new).map(drop)
    } else if *name == StateName::LIFE {
        LifeState::parse(bytes).map(drop)
    } else if *name == StateName::SOUL_BESIDE {
        SoulState::parse(bytes).map(drop)
    } else {
        // `.soul-state.json` may be another program's.
        Ok(())
    }
}

/// Every line but the last one, which a crash may have torn, is an object.
fn parse_log(name: &StateName, bytes: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(bytes);
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let is_line = |line: &str| {
        line.trim().is_empty()
            || serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(line).is_ok()
    };
    match whole.lines().position(|line| !is_line(line)) {
        None => Ok(()),
        Some(at) => Err(Error::Corrupt {
            name: name.to_string(),
            line: at + 1,
            column: 0,
            what: "a line of it is not JSON",
        }),
    }
}

fn examine_quarantine(workspace: &dyn Workspace, told: &mut Examination) -> Result<()> {
    let Ok(standing) = workspace.read(&StateName::QUARANTINE) else { return Ok(()) };
    let Ok(quarantine) = Quarantine::parse(standing.as_ref().map(Document::bytes)) else { return Ok(()) };
    for entry in quarantine.entries() {
        for file in &entry.log_filenames {
            if !is_there(workspace, file)? {
                let fix = format!("put {file} back, or take its entry out of {}", &*StateName::QUARANTINE);
                told.add(Kind::OrphanQuarantine, format!("{}: {file}", &*StateName::QUARANTINE), fix);
            }
        }
    }
    Ok(())
}

/// Returns whether a journal exists, by its file name as the seed writes it or with its folder.
fn is_there(workspace: &dyn Workspace, file: &str) -> Result<bool> {
    let within = |folder: &DocName| folder.join(file).ok();
    let names = [DocName::parse(file).ok(), within(&DocName::JOURNALS), within(&DocName::DAILY)];
    for name in names.into_iter().flatten() {
        match workspace.metadata(&name) {
            Ok(Some(_)) | Err(Error::Refused { .. }) => return Ok(true),
            Ok(None) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

fn examine_proposals(workspace: &dyn Workspace, told: &mut Examination) {
    let Ok(standing) = workspace.read(&StateName::PROPOSALS) else { return };
    let Ok(proposals) = Proposals::parse(standing.as_ref().map(Document::bytes)) else { return };
    for waiting in proposals.waiting() {
        match workspace.read(&waiting.name()) {
            Ok(None) => {
                let fix = format!("reject proposal {}: its journals are shown again then", waiting.id);
                told.add(Kind::OrphanProposal, &*waiting.name(), fix);
            }
            Ok(Some(document)) if waiting.parse(&document.lossy()).is_err() => {
                let fix = "restore the first and last line of the file, or reject the proposal";
                told.add(Kind::OrphanProposal, &*waiting.name(), fix);
            }
            _ => {}
        }
    }
}
