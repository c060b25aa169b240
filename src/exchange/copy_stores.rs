//! Copying artifacts, and files that people handed over, into another store.

use std::io::{self, Read};

use chrono::{DateTime, Utc};

use crate::artifacts::{ArtifactFilter, ArtifactStore};
use crate::base::access::Access;
use crate::base::error::{Error, Result};
use crate::upload::{FileKey, FileStore, StoredFile};

/// Copies the artifacts of a scope into another home, with their ids, so that references in messages lead to them
/// there. Returns how many were new. The audit stays behind, and running ones run on there. Deleted ones, and those
/// that are here already, are left out.
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
/// The errors of [`ArtifactStore::adopt`], such as [`Error::Stopped`] for a statement that the target has
/// forgotten. Finished copies stay, and calling it again goes on.
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

/// Copies the files of a scope into another store, under their keys, so that messages name them there too. Returns how
/// many were new. Between a folder and an object store it goes either way. Into an empty store it is a backup.
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
