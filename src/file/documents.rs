//! Documents and states as plain files: how each is read and changed.
//!
//! A writer holds the [write guard](super::write_guard).

use std::io;

use crate::base::document::{Document, Revision};
use crate::base::error::{At, Error, Refusal, Result};
use crate::base::name::{Name, StateName};
use crate::disk::{Disk, DiskFile, Kind, Open, Stat, atomic};
use crate::workspace::{MAX_DOCUMENT, WriteMode, line_break_before};

/// Looks at a plain file; `None` where nothing has the name, refused where something else has.
pub(super) fn look(disk: &dyn Disk, name: &Name) -> Result<Option<Stat>> {
    plain_file(name, disk.stat(name.as_str()))
}

/// Judges a look at a name that should be a plain file's.
pub(super) fn plain_file(name: &Name, stat: io::Result<Option<Stat>>) -> Result<Option<Stat>> {
    let stat = stat.at("look at", name)?;
    let reason = match stat.map(|stat| stat.kind) {
        None | Some(Kind::File) => return Ok(stat),
        Some(Kind::Symlink) => Refusal::Symlink,
        Some(Kind::Folder | Kind::Other) => Refusal::NotAFile,
    };
    Err(Error::Refused { path: name.to_string(), reason })
}

/// Reads a file whole; `None` where nothing has the name.
pub(super) fn read(disk: &dyn Disk, name: &Name) -> Result<Option<Document>> {
    let Some(stat) = look(disk, name)? else { return Ok(None) };
    let too_large = |len| Err(Error::TooLarge { name: name.clone(), len, limit: MAX_DOCUMENT });
    if stat.len > MAX_DOCUMENT {
        return too_large(stat.len);
    }
    match atomic::read(disk, name.as_str(), MAX_DOCUMENT)? {
        // It grew between the look and the read.
        Some(bytes) if bytes.len() as u64 > MAX_DOCUMENT => too_large(bytes.len() as u64),
        bytes => Ok(bytes.map(|bytes| Document::new(name.clone(), bytes))),
    }
}

/// Writes under the write guard, which the caller holds.
pub(super) fn write(disk: &dyn Disk, name: &Name, bytes: &[u8], mode: WriteMode) -> Result<Revision> {
    let written = Revision::of(bytes);
    let path = name.as_str();
    let standing = look(disk, name)?;
    // First the copy: whatever tears the file afterwards, nothing that was forgotten comes back.
    let keep_copy = || match StateName::copy_of(name) {
        Some(copy) => {
            atomic::create_folder_of(disk, copy.as_str())?;
            atomic::replace(disk, copy.as_str(), bytes)
        }
        None => Ok(()),
    };
    let stands_there = || -> Result<bool> {
        Ok(standing.is_some_and(|stat| stat.len == bytes.len() as u64)
            && read(disk, name)?.is_some_and(|document| document.revision() == written))
    };
    match mode {
        WriteMode::Create => {
            atomic::create_folder_of(disk, path)?;
            if standing.is_none() {
                keep_copy()?;
            }
            return if atomic::create(disk, path, bytes)? { Ok(written) } else { Err(conflict(disk, name)?) };
        }
        // An earlier writer of the same bytes may have failed to make them durable.
        WriteMode::Replace | WriteMode::IfRevision(_) if stands_there()? => {
            return atomic::settle(disk, path).map(|()| written);
        }
        WriteMode::IfRevision(seen) => {
            let current = read(disk, name)?;
            if current.as_ref().map(Document::revision) != Some(seen) {
                return Err(Error::Conflict { name: name.clone(), current: current.map(Box::new) });
            }
        }
        WriteMode::Replace => atomic::create_folder_of(disk, path)?,
    }
    keep_copy()?;
    atomic::replace(disk, path, bytes)?;
    Ok(written)
}

/// Returns the conflict with what is at the name.
pub(super) fn conflict(disk: &dyn Disk, name: &Name) -> Result<Error> {
    let current = match read(disk, name) {
        Ok(current) => current.map(Box::new),
        Err(Error::TooLarge { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(Error::Conflict { name: name.clone(), current })
}

/// Appends under the write guard, which the caller holds.
pub(super) fn append(disk: &dyn Disk, name: &Name, bytes: &[u8]) -> Result<()> {
    let (file, len) = open_to_append(disk, name)?;
    // In one write: what is torn after the line break has ended a line, and no more.
    add(file.as_ref(), name, &[line_break(file.as_ref(), name, len, bytes)?, bytes].concat())
}

/// Adds exactly these bytes under the write guard, if the file is still so long.
pub(super) fn finish(disk: &dyn Disk, name: &Name, len: u64, rest: &[u8]) -> Result<bool> {
    let (file, standing) = open_to_append(disk, name)?;
    if standing == len { add(file.as_ref(), name, rest).map(|()| true) } else { Ok(false) }
}

fn open_to_append(disk: &dyn Disk, name: &Name) -> Result<(Box<dyn DiskFile>, u64)> {
    let path = name.as_str();
    atomic::create_folder_of(disk, path)?;
    let file = disk.open(path, Open::Append).at("open", path)?;
    let len = file.stat().at("look at", path)?.len;
    if len == 0 {
        // It may be new, and its name not durable yet; before the first bytes, so that a retry does it again.
        // A file with bytes has its name from a writer that synced it. If that writer was killed before the
        // sync, a file system with a journal makes the name durable with the file. Another may lose it.
        atomic::sync_folders_of(disk, path)?;
    }
    Ok((file, len))
}

fn line_break(file: &dyn DiskFile, name: &Name, len: u64, bytes: &[u8]) -> Result<&'static [u8]> {
    if line_break_before(Some(b'x'), bytes).is_empty() {
        return Ok(b"");
    }
    let last = atomic::read_range(file, len.saturating_sub(1), 1).at("read the end of", name)?;
    Ok(line_break_before(last.last().copied(), bytes))
}

fn add(file: &dyn DiskFile, name: &Name, bytes: &[u8]) -> Result<()> {
    file.append(bytes).at("append to", name)?;
    file.sync().map_err(atomic::unsynced).at("sync", name)
}

/// Removes under the write guard, which the caller holds.
pub(super) fn remove(disk: &dyn Disk, name: &Name) -> Result<bool> {
    if look(disk, name)?.is_none() { Ok(false) } else { atomic::remove(disk, name.as_str()) }
}
