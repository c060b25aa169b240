//! Whole or not at all: files that are written beside their name and then given it.

#[cfg(feature = "artifacts")]
mod beside;

use std::io;

use super::contract::{Disk, DiskFile, Entry, Kind, Open, STATE_FOLDER, Stat};
use super::host;
use crate::base::error::{At, Result, Unsynced};

#[cfg(feature = "artifacts")]
pub(crate) use beside::replace_beside;

/// Returns a name for a file until it is complete. It is in the state folder, where the next claim finds the
/// leftovers of a crash.
pub(crate) fn temporary() -> String {
    format!("{STATE_FOLDER}/{TEMPORARY}{}.tmp", host::token())
}

/// As [`temporary`], in the folder of a file.
pub(crate) fn temporary_beside(path: &str) -> String {
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    format!("{folder}{TEMPORARY}{}.tmp", host::token())
}

/// Returns whether a file's name is one that [`temporary`] gives.
pub(crate) fn is_temporary(file: &str) -> bool {
    let token = file.strip_prefix(TEMPORARY).and_then(|rest| rest.strip_suffix(".tmp"));
    token.is_some_and(|token| token.len() == 32 && token.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

const TEMPORARY: &str = ".noctuary-";

/// Written once, when the folder is made.
const IGNORE: &str = ".dreaming.d/.gitignore";

/// Replaces or creates a file. A reader sees the old bytes or the new ones; when it returns, the new ones
/// survive a power loss. Permissions and owner of an existing file are kept.
pub(crate) fn replace(disk: &dyn Disk, path: &str, bytes: &[u8]) -> Result<()> {
    let standing = disk.stat(path).at("look at", path)?;
    put(disk, path, bytes, standing.as_ref(), |temporary| disk.rename(temporary, path))
        .at("replace", path)?;
    // All of them, also if a file existed: the process that made its folder may have been killed before its sync.
    sync_folders_of(disk, path)
}

/// Creates a file that does not exist; `false` where one does. Never visible before it is complete.
pub(crate) fn create(disk: &dyn Disk, path: &str, bytes: &[u8]) -> Result<bool> {
    match put(disk, path, bytes, None, |temporary| disk.rename_new(temporary, path)) {
        Ok(()) => sync_folders_of(disk, path).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).at("create", path),
    }
}

/// Writes a file aside, complete and synced, and gives it its name.
fn put(
    disk: &dyn Disk,
    path: &str,
    bytes: &[u8],
    like: Option<&Stat>,
    place: impl Fn(&str) -> io::Result<()>,
) -> io::Result<()> {
    let aside = |temporary: String| -> io::Result<()> {
        write(disk, &temporary, bytes, like).and_then(|()| place(&temporary)).inspect_err(|_| {
            // Where that fails too, the next claim's sweep does it.
            let _ = disk.unlink(&temporary);
        })
    };
    create_folder(disk, STATE_FOLDER)?;
    match aside(temporary()) {
        // The folder of the file is another device.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => aside(temporary_beside(path)),
        other => other,
    }
}

fn write(disk: &dyn Disk, temporary: &str, bytes: &[u8], like: Option<&Stat>) -> io::Result<()> {
    let file = disk.open(temporary, Open::CreateNew)?;
    if let Some(like) = like {
        file.make_like(like)?;
    }
    file.write_at(bytes, 0)?;
    file.sync().map_err(unsynced)
}

/// Makes what is in a file durable, where an earlier writer may have failed to.
pub(crate) fn settle(disk: &dyn Disk, path: &str) -> Result<()> {
    sync_file(disk, path)?;
    sync_folders_of(disk, path)
}

/// Makes what is in a file durable, and not yet its name.
pub(crate) fn sync_file(disk: &dyn Disk, path: &str) -> Result<()> {
    let file = disk.open(path, Open::Read).at("open", path)?;
    file.sync().map_err(unsynced).at("sync", path)
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
    let is_ours = |entry: &&Entry| entry.kind == Kind::File && is_temporary(&entry.name);
    for entry in entries.iter().filter(is_ours) {
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
pub(crate) fn read_range(file: &dyn DiskFile, from: u64, len: u64) -> io::Result<Vec<u8>> {
    let known = file.stat()?.len.saturating_sub(from).min(len);
    let mut bytes = Vec::with_capacity(usize::try_from(known).unwrap_or(0));
    // Room for all of it and the end, where it is small.
    let mut buffer = vec![0; bytes.capacity().saturating_add(1).min(1 << 16)];
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

/// Locks the file that has a name; `None` where another has locked it.
pub(crate) fn lock_named(disk: &dyn Disk, path: &str) -> Result<Option<Box<dyn DiskFile>>> {
    for _ in 0..3 {
        let file = disk.open(path, Open::Ensure).at("open", path)?;
        if !file.try_lock().at("lock", path)? {
            return Ok(None);
        }
        // Somebody may have removed the name between opening and locking; then we hold a lock that nobody
        // else will find.
        let locked = file.stat().at("look at", path)?.id;
        if disk.stat(path).at("look at", path)?.is_some_and(|named| named.id == locked) {
            return Ok(Some(file));
        }
    }
    Err(crate::base::error::Error::Busy { path: path.to_owned() })
}

/// Makes the folder of `path`, and those above it, where they are missing.
pub(crate) fn create_folder_of(disk: &dyn Disk, path: &str) -> Result<()> {
    for folder in folders_of(path).filter(|folder| !folder.is_empty()) {
        create_folder(disk, folder).at("create", folder)?;
    }
    Ok(())
}

fn create_folder(disk: &dyn Disk, folder: &str) -> io::Result<()> {
    if disk.stat(folder)?.is_none() {
        disk.create_folder(folder)?;
        let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
        disk.sync_folder(above).map_err(unsynced)?;
        if folder == STATE_FOLDER {
            // Where that fails, nothing else does.
            let _ = ignore(disk);
        }
    }
    Ok(())
}

/// Has git leave our own files out, where the workspace is a repository; a person's own `.gitignore` stays theirs.
fn ignore(disk: &dyn Disk) -> io::Result<()> {
    disk.open(IGNORE, Open::CreateNew)?.write_at(b"*\n", 0)
}

/// Makes the name of a file durable.
pub(crate) fn sync_folder_of(disk: &dyn Disk, path: &str) -> Result<()> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    disk.sync_folder(folder).map_err(unsynced).at("sync", shown(folder))
}

/// Makes the name of a new file durable, and those of the folders that lead to it.
pub(crate) fn sync_folders_of(disk: &dyn Disk, path: &str) -> Result<()> {
    folders_of(path)
        .try_for_each(|folder| disk.sync_folder(folder).map_err(unsynced).at("sync", shown(folder)))
}

/// Returns the folders that lead to a path, the root first.
fn folders_of(path: &str) -> impl Iterator<Item = &str> {
    std::iter::once("").chain(path.match_indices('/').map(|(at, _)| &path[..at]))
}

/// Marks an error after which nobody knows what is on the disk.
pub(crate) fn unsynced(source: io::Error) -> io::Error {
    io::Error::new(source.kind(), Unsynced(source))
}

fn shown(folder: &str) -> &str {
    if folder.is_empty() { "." } else { folder }
}
