//! Whole or not at all: files that are written beside their name and then given it.

use std::io;

use super::{Disk, Open, host};
use crate::error::{At, Error, Result};

/// What the names of unfinished files begin with.
pub(crate) const TEMPORARY: &str = ".noctuary-";

/// Replaces or creates a file. A reader sees the old bytes or the new ones; when it returns, the new ones
/// survive a power loss. Permissions of an existing file are kept.
pub(crate) fn replace(disk: &dyn Disk, path: &str, bytes: &[u8]) -> Result<()> {
    let mode = disk.stat(path).at("look at", path)?.map(|stat| stat.mode);
    let temporary = write_beside(disk, path, bytes, mode)?;
    disk.rename(&temporary, path).at("replace", path).inspect_err(|_| discard(disk, &temporary))?;
    sync_folder_of(disk, path)
}

/// Creates a file that does not exist; `false` where one does. Never visible before it is complete.
pub(crate) fn create(disk: &dyn Disk, path: &str, bytes: &[u8]) -> Result<bool> {
    let temporary = write_beside(disk, path, bytes, None)?;
    match disk.rename_new(&temporary, path) {
        Ok(()) => sync_folder_of(disk, path).map(|()| true),
        Err(error) => {
            discard(disk, &temporary);
            if error.kind() == io::ErrorKind::AlreadyExists {
                Ok(false)
            } else {
                Err(error).at("create", path)
            }
        }
    }
}

/// Removes a file; `false` where there is none.
pub(crate) fn remove(disk: &dyn Disk, path: &str) -> Result<bool> {
    match disk.unlink(path) {
        Ok(()) => sync_folder_of(disk, path).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).at("remove", path),
    }
}

/// Removes unfinished files that a crash left in a folder. Only while nobody else can be writing there.
pub(crate) fn sweep(disk: &dyn Disk, folder: &str) -> Result<()> {
    let entries = match disk.list(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error).at("list", shown(folder)),
    };
    for entry in entries.iter().filter(|entry| entry.name.starts_with(TEMPORARY)) {
        let path = if folder.is_empty() { entry.name.clone() } else { format!("{folder}/{}", entry.name) };
        disk.unlink(&path).at("remove", &path)?;
    }
    Ok(())
}

/// Reads a file whole; `None` where there is none. At most `limit` bytes, and then one more.
pub(crate) fn read(disk: &dyn Disk, path: &str, limit: u64) -> Result<Option<Vec<u8>>> {
    let file = match disk.open(path, Open::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).at("open", path),
    };
    read_range(file.as_ref(), 0, limit.saturating_add(1)).at("read", path).map(Some)
}

/// Reads from `from`, at most `len` bytes.
pub(crate) fn read_range(file: &dyn super::DiskFile, from: u64, len: u64) -> io::Result<Vec<u8>> {
    let known = file.stat()?.len.saturating_sub(from).min(len);
    let mut bytes = Vec::with_capacity(usize::try_from(known).unwrap_or(0));
    let mut buffer = vec![0; 1 << 16];
    while (bytes.len() as u64) < len {
        let room = usize::try_from(len - bytes.len() as u64).unwrap_or(usize::MAX).min(buffer.len());
        let read = file.read_at(&mut buffer[..room], from + bytes.len() as u64)?;
        if read == 0 {
            break;
        }
        bytes.extend_from_slice(&buffer[..read]);
    }
    Ok(bytes)
}

/// Makes the folder of `path`, and those above it, where they are missing.
pub(crate) fn create_folder_of(disk: &dyn Disk, path: &str) -> Result<()> {
    let mut at = 0;
    while let Some(slash) = path[at..].find('/') {
        let folder = &path[..at + slash];
        if disk.stat(folder).at("look at", folder)?.is_none() {
            disk.create_folder(folder).at("create", folder)?;
            sync_folder_of(disk, folder)?;
        }
        at += slash + 1;
    }
    Ok(())
}

pub(crate) fn sync_folder_of(disk: &dyn Disk, path: &str) -> Result<()> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    disk.sync_folder(folder)
        .map_err(|source| Error::DurabilityUnknown { path: shown(folder).to_owned(), source })
}

fn write_beside(disk: &dyn Disk, path: &str, bytes: &[u8], mode: Option<u32>) -> Result<String> {
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let temporary = format!("{folder}{TEMPORARY}{}.tmp", host::token());
    let file = disk.open(&temporary, Open::CreateNew).at("create", &temporary)?;
    let written = (|| {
        if let Some(mode) = mode.filter(|mode| *mode != 0) {
            file.set_mode(mode).at("set the mode of", path)?;
        }
        file.write_at(bytes, 0).at("write", path)?;
        file.sync().map_err(|source| Error::DurabilityUnknown { path: path.to_owned(), source })
    })();
    match written {
        Ok(()) => Ok(temporary),
        Err(error) => {
            discard(disk, &temporary);
            Err(error)
        }
    }
}

/// Removes a file of ours that is no longer wanted; where that fails, the next claim's sweep does it.
fn discard(disk: &dyn Disk, temporary: &str) {
    let _ = disk.unlink(temporary);
}

fn shown(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder }
}
