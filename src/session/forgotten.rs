//! The statements that a workspace has forgotten, read again only where their file changed.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::debug::debug_as;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::group::GroupName;
use crate::base::name::{Name, StateName};
use crate::format::documents::sections;
use crate::format::state::forgotten::Forgotten;
use crate::format::state::history::History;
use crate::gate::Tombstones;
use crate::workspace::{Metadata, Workspace};

/// Reads the tombstones of a workspace; `None` where it has forgotten nothing.
pub(crate) fn forgotten<W: Workspace + ?Sized>(workspace: &W) -> Result<Option<Tombstones>> {
    let file = forgotten_file(workspace)?;
    Ok(file.map(|file| file.tombstones).filter(|forgotten| !forgotten.is_empty()))
}

/// Reads the file of the tombstones, and its copy where it is damaged.
pub(crate) fn forgotten_file<W: Workspace + ?Sized>(workspace: &W) -> Result<Option<Forgotten<Tombstones>>> {
    read_at(workspace, [&StateName::FORGOTTEN, &StateName::FORGOTTEN_COPY])
}

/// Reads a file of tombstones, and its copy where it is damaged.
fn read_at<W: Workspace + ?Sized>(
    workspace: &W,
    [file, copy]: [&Name; 2],
) -> Result<Option<Forgotten<Tombstones>>> {
    let bytes = workspace.read(file)?;
    let copy = || Ok(workspace.read(copy)?.map(Document::into_bytes));
    // It may be a group's.
    Forgotten::or_copy(bytes.as_ref().map(Document::bytes), copy).map_err(|error| match error {
        Error::Corrupt { line, column, what, .. } => {
            Error::Corrupt { name: file.as_str().to_owned(), line, column, what }
        }
        other => other,
    })
}

/// Returns the tombstones of statements that a person has asked to have overwritten in files; `None` where there are none.
pub(crate) fn asked_in_files(workspace: &dyn Workspace) -> Result<Option<Tombstones>> {
    let Some(file) = forgotten_file(workspace)? else { return Ok(None) };
    let mut asked = file.tombstones.clone();
    for stone in file.tombstones.iter() {
        if !file.in_files.contains(&stone.digest) {
            asked.remove(stone);
        }
    }
    Ok(if asked.is_empty() { None } else { Some(asked) })
}

/// Overwrites statements in earlier versions of documents, and in the names of these; returns in how many of both.
pub(crate) fn strike_history(history: &mut History, stones: &Tombstones) -> u64 {
    history.strike(&|text| stones.holds(text), &|bytes| struck(bytes, stones))
}

/// Returns bytes without the statements; `None` where they do not hold them.
///
/// Bytes that are not UTF-8 stay, between texts of their own; what holds a zero byte is no text.
pub(crate) fn struck(bytes: &[u8], stones: &Tombstones) -> Option<Vec<u8>> {
    if bytes.contains(&0) {
        return None;
    }
    let mut all = Vec::with_capacity(bytes.len());
    let mut is_changed = false;
    for chunk in bytes.utf8_chunks() {
        let struck = stones.struck(chunk.valid());
        is_changed |= matches!(struck, Cow::Owned(_));
        all.extend_from_slice(struck.as_bytes());
        all.extend_from_slice(chunk.invalid());
    }
    if is_changed { Some(sections::marked_anew(bytes, all)) } else { None }
}

/// Reads the copy of the file.
pub(crate) fn forgotten_copy<W: Workspace + ?Sized>(workspace: &W) -> Result<Option<Vec<u8>>> {
    Ok(workspace.read(&StateName::FORGOTTEN_COPY)?.map(Document::into_bytes))
}

/// The tombstones of one workspace as they were read last, and those of the group that was looked at last.
#[derive(Default)]
pub(super) struct ForgottenCache(Mutex<[Option<Cached>; 2]>);

struct Cached {
    /// They count for the documents of a group, or for all others.
    group: Option<GroupName>,
    versions: [Option<Version>; 2],
    tombstones: Option<Arc<Tombstones>>,
}

/// A version of a file: two of one size and time still differ in the checksum at their end.
#[derive(PartialEq, Eq)]
struct Version {
    metadata: Option<Metadata>,
    end: Vec<u8>,
}

/// The bytes that are read of an unchanged file: its checksum, and some before it.
const END: u64 = 64;

impl ForgottenCache {
    /// Returns the tombstones as of now. Of an unchanged file only the end is read.
    pub(super) fn get<W: Workspace + ?Sized>(&self, workspace: &W) -> Result<Option<Arc<Tombstones>>> {
        self.of_group(workspace, None)
    }

    /// Returns the tombstones that count for a document of a life: a group's documents obey those of the group too.
    pub(super) fn of_document<W: Workspace + ?Sized>(
        &self,
        workspace: &W,
        name: &Name,
    ) -> Result<Option<Arc<Tombstones>>> {
        self.of_group(workspace, GroupName::of_document(name.as_str()).as_ref())
    }

    pub(super) fn of_group<W: Workspace + ?Sized>(
        &self,
        workspace: &W,
        group: Option<&GroupName>,
    ) -> Result<Option<Arc<Tombstones>>> {
        let files = group.map(|group| {
            [StateName::FORGOTTEN, StateName::FORGOTTEN_COPY]
                .map(|file| Name::hidden(format!("{}/{file}", group.folder())))
        });
        // Before a file is read: one that changes in between is read again by the next look.
        let mut versions = [Some(Version::of(workspace, &StateName::FORGOTTEN)?), None];
        if let Some([file, _]) = &files {
            versions[1] = Some(Version::of(workspace, file)?);
        }
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = &mut all[usize::from(group.is_some())];
        if let Some(cached) = place
            && cached.group.as_ref() == group
            && cached.versions == versions
        {
            return Ok(cached.tombstones.clone());
        }
        let mut tombstones = forgotten(workspace)?;
        if let Some([file, copy]) = &files
            && let Some(theirs) = read_at(workspace, [file, copy])?
        {
            match &mut tombstones {
                Some(own) => own.join(&theirs.tombstones),
                None if theirs.tombstones.is_empty() => {}
                None => tombstones = Some(theirs.tombstones),
            }
        }
        let tombstones = tombstones.map(Arc::new);
        *place = Some(Cached { group: group.cloned(), versions, tombstones: tombstones.clone() });
        Ok(tombstones)
    }
}

impl Version {
    fn of<W: Workspace + ?Sized>(workspace: &W, file: &Name) -> Result<Self> {
        let metadata = workspace.metadata(file)?;
        let end = match metadata {
            Some(Metadata { len, .. }) => workspace.read_range(file, len.saturating_sub(END)..len)?,
            None => Vec::new(),
        };
        Ok(Self { metadata, end })
    }
}

debug_as!(ForgottenCache, "ForgottenCache");
