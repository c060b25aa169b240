//! The home of a dreamer, as commits read and write it.

use crate::base::debug::debug_as;
use crate::base::document::Document;
use crate::base::error::{Error, Result};
use crate::base::name::{DocName, Name, StateName};
use crate::format::state::log;
use crate::format::state::proposal::Proposals;
use crate::workspace::{Lease, Metadata, Workspace, WorkspaceExt};

/// The bytes at the log's end that are searched for a line that an interrupted commit wrote already.
const LOG_TAIL: u64 = 4 << 20;

/// Names the document that holds curated memory: `MEMORY.md`, or the older `memory.md` where that alone exists.
pub(crate) fn memory_name(workspace: &dyn Workspace) -> Result<DocName> {
    if workspace.metadata(&DocName::MEMORY)?.is_none()
        && workspace.metadata(&DocName::LEGACY_MEMORY)?.is_some()
    {
        return Ok(DocName::LEGACY_MEMORY);
    }
    Ok(DocName::MEMORY)
}

/// Reads curated memory: its name, and its bytes, none where it does not exist.
pub(crate) fn memory(workspace: &dyn Workspace) -> Result<(DocName, Vec<u8>)> {
    let mut glimpse = Glimpse::default();
    let name = memory_of(workspace, &mut glimpse)?;
    Ok((name, glimpse.into_bytes()))
}

/// Looks at curated memory, and reads it where it changed since the last look; returns its name.
pub(crate) fn memory_of(workspace: &dyn Workspace, glimpse: &mut Glimpse) -> Result<DocName> {
    let name = memory_name(workspace)?;
    glimpse.look(workspace, &name)?;
    let bytes = glimpse.bytes();
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        // UTF-16: a section in UTF-8 would be noise in it.
        return Err(Error::NotUtf8 { name: name.into(), valid_up_to: 0 });
    }
    Ok(name)
}

/// Reads the archive of sections that were moved out of curated memory. Empty where there is none, or where something
/// else has its name, which is a person's.
pub(crate) fn archive(workspace: &dyn Workspace) -> Result<Vec<u8>> {
    let mut glimpse = Glimpse::default();
    archive_of(workspace, &mut glimpse)?;
    Ok(glimpse.into_bytes())
}

/// Looks at the archive, and reads it where it changed since the last look.
pub(crate) fn archive_of(workspace: &dyn Workspace, glimpse: &mut Glimpse) -> Result<()> {
    match glimpse.look(workspace, &DocName::DREAMED) {
        Err(Error::Refused { .. }) => {
            *glimpse = Glimpse::default();
            Ok(())
        }
        looked => looked,
    }
}

/// Reads a state file.
pub(crate) fn state(workspace: &dyn Workspace, name: &StateName) -> Result<Option<Vec<u8>>> {
    Ok(workspace.read(name)?.map(Document::into_bytes))
}

/// Reads the list of proposals that nobody has answered.
pub(crate) fn proposals(workspace: &dyn Workspace) -> Result<Proposals> {
    Proposals::parse(state(workspace, &StateName::PROPOSALS)?.as_deref())
}

/// Returns whether anything has this name, for a person to look at if it is no plain file.
pub(crate) fn is_there(workspace: &dyn Workspace, name: &Name) -> Result<bool> {
    match workspace.metadata(name) {
        Err(Error::Refused { .. }) => Ok(true),
        found => Ok(found?.is_some()),
    }
}

/// Reads a document whole; no bytes where there is none.
pub(super) fn bytes(workspace: &dyn Workspace, name: &Name) -> Result<Vec<u8>> {
    Ok(workspace.read(name)?.map(Document::into_bytes).unwrap_or_default())
}

/// Makes the appended text of an interrupted commit durable. The process may have been killed before its sync, and the
/// ledger must not be ahead of the section.
pub(super) fn settle(lease: &dyn Lease, name: &Name) -> Result<()> {
    lease.append(name, b"")
}

/// Appends a line to the log unless an interrupted commit did.
pub(crate) fn append_log(workspace: &dyn Workspace, lease: &dyn Lease, line: &log::LogLine) -> Result<()> {
    let tail = workspace.read_tail(&StateName::LOG, LOG_TAIL)?.text;
    if log::parse(&tail).any(|known| known == *line) {
        return settle(lease, &StateName::LOG);
    }
    lease.append(&StateName::LOG, line.print().as_bytes())
}

/// A document as it was read last.
#[derive(Default)]
pub(crate) struct Glimpse {
    seen: Option<(Name, Option<Metadata>)>,
    bytes: Vec<u8>,
}

impl Glimpse {
    /// Makes a document whose bytes are known for this size and time of change.
    pub(super) fn of(name: Name, metadata: Option<Metadata>, bytes: Vec<u8>) -> Self {
        Self { seen: Some((name, metadata)), bytes }
    }

    /// Looks at a document, and reads it whole where its size or time of change is new.
    fn look(&mut self, workspace: &dyn Workspace, name: &Name) -> Result<()> {
        // Looked at before it is read: a save in between is seen by the next look.
        let now = (name.clone(), workspace.metadata(name)?);
        if self.seen.as_ref() != Some(&now) {
            self.bytes = bytes(workspace, name)?;
            self.seen = Some(now);
        }
        Ok(())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

debug_as!(Glimpse, |it| "Glimpse {{ bytes: {} }}", it.bytes.len());
