//! Copying a life from one home to another.

use std::io::{self, Read};

use chrono::{DateTime, Utc};

use super::bundle::{BundleImport, BundleKey, BundlePlan, Export, StoredRows};
use super::claim::claim;
use crate::artifacts::{ArtifactFilter, ArtifactStore};
use crate::base::access::{Access, Scope};
use crate::base::error::{Error, Result};
use crate::base::group::GroupName;
use crate::base::name::Name;
use crate::format::state::registry::{self, Copied};
use crate::gate::{FORGOTTEN, Tombstones};
use crate::session::{self, GroupView};
use crate::upload::{FileKey, FileStore, StoredFile};
use crate::workspace::{Workspace, WriteMode};

/// Copies all documents and the library's state from one workspace to another, byte for byte; returns how many
/// documents of the source the target has now, those included that were there already with the same bytes.
///
/// Statements that the source has forgotten stay forgotten in the target: in documents. The tombstones of a memory
/// store stay behind
/// with its rows, so a new store beside the target knows none of them until it is asked to forget too. Where the target has forgotten something itself, a
/// document that holds it is refused, and what the source kept of earlier versions stays there.
///
/// Both are claimed meanwhile, so that no dream runs in between. The ledger goes along: what a model was
/// shown in one home is not shown again in the other. An entry that has no place in a workspace (links, devices, names
/// that are no document names) is left out. So are the rows of a memory store, also of one in the same folder or database: they go by
/// [`copy_rows`]. A copy that was interrupted is taken up by calling it again, as
/// long as the source has not changed and nothing was written in the target, by a dream either. The life belongs to the scope of the target
/// then, whoever had it before.
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
/// [`Error::Conflict`] where a document of the same name with other content stands in the target: then nothing is
/// copied; [`Error::Stopped`] for a document that holds what the target has forgotten; [`Error::Busy`] where
/// somebody dreams in either.
pub fn copy_into(source: &dyn Workspace, target: &dyn Workspace) -> Result<u64> {
    let (_from, _to) = (claim(source)?, claim(target)?);
    check_place(source, target)?;
    copy_state(Copied::First, source, target, None)?;
    for group in session::groups(source)? {
        copy_state(Copied::First, &group_of(source, &group), &group_of(target, &group), None)?;
    }
    // A statement that both have forgotten may still be in the documents of a person, and stays hidden in either home.
    let theirs = session::forgotten(source)?;
    let forgotten = session::forgotten(target)?.filter(|ours| Some(ours) != theirs.as_ref());
    let forgotten = forgotten.as_ref();
    let mut copied = 0;
    for listing in session::walk(source, None, |_| true) {
        for name in &listing?.1.documents {
            copied += u64::from(copy(source, target, name, forgotten)?);
        }
    }
    if forgotten.is_none() {
        copy_state(Copied::AsVersion, source, target, None)?;
    }
    // Else the journals of proposals would count as read in the target, and their lines be nowhere.
    copy_state(Copied::AsText, source, target, forgotten)?;
    copy_state(Copied::Last, source, target, None)?;
    for group in session::groups(source)? {
        let (from, to) = (group_of(source, &group), group_of(target, &group));
        copy_state(Copied::AsVersion, &from, &to, None)?;
        let forgotten = session::forgotten(&to)?
            .filter(|ours| Some(ours) != session::forgotten(&from).ok().flatten().as_ref());
        copy_state(Copied::AsText, &from, &to, forgotten.as_ref())?;
        copy_state(Copied::Last, &from, &to, None)?;
    }
    Ok(copied)
}

/// Checks that no document of the target stands in the way, before anything is written.
fn check_place(source: &dyn Workspace, target: &dyn Workspace) -> Result<()> {
    for listing in session::walk(target, None, |_| true) {
        for name in &listing?.1.documents {
            let Some(here) = source.read(name)? else { continue };
            let Some(there) = target.read(name)?.filter(|there| there.bytes() != here.bytes()) else {
                continue;
            };
            return Err(Error::Conflict { name: name.clone().into(), current: Some(Box::new(there)) });
        }
    }
    Ok(())
}

/// Copies the rows of a memory store into an empty one, between files, databases and servers in any direction: what an [`Export`] takes
/// along, as it was. Returns each entry, and what became of it.
///
/// Deleted rows, vectors, the audit and hard constraints stay behind. Calling it again adds what an interrupted copy left out.
///
/// ```
/// use chrono::Utc;
/// use noctuary::exchange::copy_rows;
/// use noctuary::memory::{Filter, NewMemory, Source};
/// use noctuary::{Access, FileMemoryStore, MemoryStore, Scope};
///
/// let (here, there) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let marta = Access::human(Scope::user("marta"));
/// let source = FileMemoryStore::open(here.path(), marta.scope.clone())?;
/// let target = FileMemoryStore::open(there.path(), marta.scope.clone())?; // or SqliteMemoryStore, PostgresMemoryStore
/// source.write(&marta, &NewMemory::new("fact", "Tea at five.", Source::UserManual), Utc::now())?;
/// let copied = copy_rows(&source, &target, &marta, Utc::now())?;
/// assert_eq!(copied.refused().count(), 0);
/// assert_eq!(target.list(&marta, &Filter::limit(9))?[0].content, "Tea at five.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Error::Denied`] for anybody but the human in a main session; the errors of both stores. An entry that the target refuses, as it
/// does what it has forgotten, is no error and is in the plan.
pub fn copy_rows<'a>(
    source: impl Into<StoredRows<'a>>,
    target: impl Into<StoredRows<'a>>,
    access: &Access,
    now: DateTime<Utc>,
) -> Result<BundlePlan> {
    // It vouches for what this process itself has just read.
    let key = BundleKey::from_bytes(*b"the rows of one life, copied now");
    let bundle = Export::new(access).rows(source.into()).signed(&key).run()?;
    BundleImport::new(access).rows(target.into()).key(&key).apply(&bundle, now)
}

/// Copies the artifacts of a scope into another home, with their ids, so that references in messages lead to them there; returns how many
/// were new. The audit stays behind, and running ones run on there. Deleted ones, and those that are here already, are left out.
///
/// ```
/// use chrono::Utc;
/// use noctuary::artifacts::{ArtifactKind, ArtifactStore, NewArtifact};
/// use noctuary::exchange::copy_artifacts;
/// use noctuary::{Access, FileArtifactStore, Scope};
///
/// let (here, there) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let marta = Access::human(Scope::user("marta"));
/// let source = FileArtifactStore::open(here.path(), marta.scope.clone())?;
/// let target = FileArtifactStore::open(there.path(), marta.scope.clone())?; // or SqliteArtifactStore
/// let id = source.insert(&marta, &NewArtifact::new(ArtifactKind::Report, "October"), Utc::now())?;
/// assert_eq!(copy_artifacts(&source, &target, &marta, Utc::now())?, 1);
/// assert_eq!(target.get(&marta, &id)?.title, "October");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The errors of [`ArtifactStore::adopt`], such as [`Error::Stopped`] for what the target has forgotten; what was copied by then stays, and
/// calling it again goes on.
pub fn copy_artifacts(
    source: &dyn ArtifactStore,
    target: &dyn ArtifactStore,
    access: &Access,
    now: DateTime<Utc>,
) -> Result<u64> {
    let mut copied = 0;
    // The oldest first, so that a list there has the order that it has here.
    let mut all = source.list(access, &ArtifactFilter::default().limit(usize::MAX))?;
    all.reverse();
    for listed in all {
        match source.get(access, &listed.id) {
            Ok(artifact) => copied += u64::from(target.adopt(access, &artifact, now)?),
            // Deleted meanwhile.
            Err(Error::ArtifactNotFound { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(copied)
}

/// Copies the files of a scope into another store, under their keys, so that messages name them there too; returns how many were new.
/// Between a folder and an object store it goes either way. Into an empty store it is a backup.
///
/// ```
/// use chrono::Utc;
/// use noctuary::exchange::copy_files;
/// use noctuary::files::{FileStore, LocalFileStore, NewFile};
/// use noctuary::{Access, Scope};
///
/// let (here, there) = (tempfile::tempdir()?, tempfile::tempdir()?);
/// let marta = Access::human(Scope::user("marta"));
/// let source = LocalFileStore::open(here.path(), marta.scope.clone())?;
/// let target = LocalFileStore::open(there.path(), marta.scope.clone())?;
/// let plan = source.put(&marta, &NewFile::new("pdf"), &mut &b"%PDF-1.7"[..], Utc::now())?;
/// assert_eq!(copy_files(&source, &target, &marta)?, 1);
/// assert_eq!(target.read(&marta, &plan.key, 0..8)?, b"%PDF-1.7");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The errors of [`FileStore::adopt`]; what was copied by then stays, and calling it again goes on.
pub fn copy_files(source: &dyn FileStore, target: &dyn FileStore, access: &Access) -> Result<u64> {
    const PAGE: usize = 100;
    let (mut copied, mut after): (u64, Option<FileKey>) = (0, None);
    loop {
        let page = source.list(access, after.as_ref(), PAGE)?;
        for file in &page {
            copied += u64::from(target.adopt(access, file, &mut Parts { source, access, file, at: 0 })?);
        }
        match page.last() {
            Some(last) => after = Some(last.key.clone()),
            None => return Ok(copied),
        }
    }
}

/// Reads a file in parts.
struct Parts<'a> {
    source: &'a dyn FileStore,
    access: &'a Access,
    file: &'a StoredFile,
    at: u64,
}

impl Read for Parts<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let part = self.at..self.at + buffer.len() as u64;
        let bytes = self.source.read(self.access, &self.file.key, part).map_err(io::Error::other)?;
        let len = bytes.len().min(buffer.len());
        buffer[..len].copy_from_slice(&bytes[..len]);
        self.at += len as u64;
        Ok(len)
    }
}

/// Returns the view of a group of a life. A copy does not look at its owner.
fn group_of<'w>(workspace: &'w dyn Workspace, group: &GroupName) -> GroupView<&'w dyn Workspace> {
    let owner = workspace.scope().cloned().unwrap_or_else(|| Scope::user(""));
    GroupView::new(workspace, &owner, group)
}

/// Copies the state files that are copied in one way.
fn copy_state(
    copied: Copied,
    source: &dyn Workspace,
    target: &dyn Workspace,
    forgotten: Option<&Tombstones>,
) -> Result<()> {
    for file in registry::rows(copied) {
        for name in file.names_in(|name| source.read(name))? {
            copy(source, target, &name, forgotten)?;
        }
    }
    Ok(())
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
        // Documents of an earlier, interrupted copy.
        Err(Error::Conflict { current: Some(current), .. }) if current.revision() == document.revision() => {
            Ok(true)
        }
        Err(error) => Err(error),
        Ok(_) => Ok(true),
    }
}
