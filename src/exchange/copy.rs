use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name, StateName};
use crate::format::SleepFiles;
use crate::format::state::proposal::Proposals;
use crate::gate::{FORGOTTEN, Tombstones};
use crate::life::EDITABLE;
use crate::session;
use crate::workspace::{ClaimTerms, Lease, Workspace, WriteMode, claim_now};

/// Copies all documents and the library's state from one workspace to another, byte for byte; returns how many
/// documents of the source the target has now, those included that were there already with the same bytes.
///
/// What the source has forgotten stays forgotten in the target: in documents. The tombstones of a memory store stay behind
/// with its rows, so a new store beside the target knows none of them until it is asked to forget too. Where the target has forgotten something itself, a
/// document that holds it is refused, and what the source kept of earlier versions stays there.
///
/// Both are claimed meanwhile, so that no dream runs in between. The ledger goes along: what a model was
/// shown in one home is not shown again in the other. What has no place in a workspace (links, devices, names
/// that are no document names) is left out. So are the rows of a memory store, also of one in the same folder or database: they go with their own
/// file. A copy that was interrupted is taken up by calling it again, as
/// long as the source has not changed.
///
/// ```
/// # #[cfg(feature = "sqlite")] {
/// use noctuary::exchange::copy_into;
/// use noctuary::{DocName, FileWorkspace, Scope, SqliteWorkspace, Workspace, WriteMode};
///
/// let folder = tempfile::tempdir()?;
/// let files = FileWorkspace::open(folder.path())?;
/// files.write(&DocName::SOUL, b"# Soul\n", WriteMode::Create)?;
///
/// let other = tempfile::tempdir()?;
/// let database = SqliteWorkspace::open(other.path().join("life.db"), Scope::user("marta"))?;
/// assert_eq!(copy_into(&files, &database)?, 1);
/// assert_eq!(database.read(&DocName::SOUL)?.unwrap().bytes(), b"# Soul\n");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Conflict`] where a document of the same name with other content stands in the target, which is
/// left as it is; [`Error::Stopped`] for a document that holds what the target has forgotten; [`Error::Busy`] where
/// somebody dreams in either.
pub fn copy_into(source: &dyn Workspace, target: &dyn Workspace) -> Result<u64> {
    let (_from, _to) = (claim(source)?, claim(target)?);
    // First, so that no door of the target is open for as long as the copy takes.
    copy(source, target, &StateName::FORGOTTEN, None)?;
    // What both have forgotten may still stand in the documents of a person, and stays hidden in either home.
    let theirs = session::forgotten(source)?;
    let forgotten = session::forgotten(target)?.filter(|ours| Some(ours) != theirs.as_ref());
    let forgotten = forgotten.as_ref();
    let mut copied = 0;
    let mut folders: Vec<Option<DocName>> = vec![None];
    while let Some(folder) = folders.pop() {
        let listing = source.list(folder.as_ref())?;
        for name in &listing.documents {
            copied += u64::from(copy(source, target, name, forgotten)?);
        }
        folders.extend(listing.folders.into_iter().rev().map(Some));
    }
    // The state last, and the intent first of it: a copy that ends in between knows less than it has, and
    // shows again at worst what it did not know to be shown.
    if forgotten.is_none() {
        let state = source.read(&StateName::SLEEP)?;
        let sleeper = SleepFiles::of_state(state.as_ref().map(Document::bytes))?;
        for name in EDITABLE.into_iter().chain(sleeper.into_iter().flat_map(SleepFiles::rewritten)) {
            copy(source, target, &StateName::history(&name), None)?;
        }
        copy(source, target, &StateName::UNDONE, None)?;
    }
    // Else their journals would count as read in the target, and their lines be nowhere.
    let list = source.read(&StateName::PROPOSALS)?;
    for waiting in Proposals::parse(list.as_ref().map(Document::bytes))?.waiting() {
        copy(source, target, &waiting.name(), forgotten)?;
    }
    let states = [
        StateName::INTENT,
        StateName::PROPOSALS,
        StateName::SLEEP_INTENT,
        StateName::SLEEP,
        StateName::LOG,
        StateName::QUARANTINE,
        StateName::LEDGER,
        StateName::DREAMED,
        StateName::FACTS,
        StateName::PERSONALIZATION,
        StateName::LIFE,
        StateName::SOUL,
        StateName::SOUL_BESIDE,
    ];
    for state in states {
        copy(source, target, &state, None)?;
    }
    Ok(copied)
}

/// Claims a workspace for as long as something is brought into it.
pub(super) fn claim(workspace: &dyn Workspace) -> Result<Box<dyn Lease>> {
    claim_now(workspace, &ClaimTerms::default())
}

/// Copies one name; `false` where nothing stands there any more.
fn copy(
    source: &dyn Workspace,
    target: &dyn Workspace,
    name: &Name,
    forgotten: Option<&Tombstones>,
) -> Result<bool> {
    let Some(document) = source.read(name)? else { return Ok(false) };
    if forgotten.is_some_and(|forgotten| forgotten.holds(&String::from_utf8_lossy(document.bytes()))) {
        return Err(Error::Stopped {
            name: name.clone(),
            classes: vec![FORGOTTEN.to_owned()],
            places: Box::default(),
        });
    }
    match target.write(name, document.bytes(), WriteMode::Create) {
        // What an earlier, interrupted copy brought.
        Err(Error::Conflict { current: Some(current), .. }) if current.revision() == document.revision() => {
            Ok(true)
        }
        Err(error) => Err(error),
        Ok(_) => Ok(true),
    }
}
